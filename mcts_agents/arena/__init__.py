"""Matches and tournaments between agents, and their results.

`playing` plays games, `tournaments` says which and keeps them, `analysis` counts,
`reports` and `replay` show.
"""
