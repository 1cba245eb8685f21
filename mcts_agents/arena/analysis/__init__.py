"""Statistics from games: rates with intervals, ratings, and summaries.

All is counted from `game_columns`; `tournament_results` reads them from a store.
"""

from mcts_agents.extras import from_extra

with from_extra("arena", "win rates and ratings need SciPy and choix"):
    import choix  # noqa: F401
    import scipy  # noqa: F401
