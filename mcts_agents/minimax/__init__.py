"""Minimax and its kin for any number of players, compiled, on any forward model.

`Minimax` deepens step by step within its budget; `settings.py` has the options, and
`kernel` the two searches: two-sided ones, and max-n.
"""

from mcts_agents.minimax.driver import Minimax
from mcts_agents.minimax.settings import ALGORITHMS, MinimaxSettings

__all__ = ["ALGORITHMS", "Minimax", "MinimaxSettings"]
