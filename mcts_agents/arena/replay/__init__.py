"""Replays of stored games with search results: text, GIF, page.

`replaying` plays them and checks that every decision is the same; the other files show
what it yields.
"""
