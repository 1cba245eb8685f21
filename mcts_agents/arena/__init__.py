"""Matches and tournaments between agents, and what they show.

`playing` plays games, `tournaments` says which and keeps them, `analysis` counts,
`reports` and `replay` show.
"""
