"""Tournaments and studies of options: what is to be played, and what was.

`tournament_spec` says it in words, `schedule` in games, `store` keeps them.
"""

from mcts_agents.extras import from_extra

with from_extra("arena", "tournaments need Pydantic"):
    import pydantic  # noqa: F401
