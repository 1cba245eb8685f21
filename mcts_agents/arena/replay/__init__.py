"""Stored games again, with what each search found: text, GIF, page.

`replaying` plays them and checks that every decision is the same; the other files show
what it yields.
"""
