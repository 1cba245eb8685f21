"""Tournaments and studies of options: what is to be played, and what was.

`tournament_spec` says it in words, `schedule` in games, `store` keeps them.
"""
