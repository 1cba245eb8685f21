"""RAVE, GRAVE and Monte Carlo Permutation Search, compiled, on compiled rules.

`PermutationSearch` makes decisions within a budget; `settings.py` has the options,
`kernel` the search, and `memory.py` its arrays and how they grow.
"""

from mcts_agents.permutation.driver import PermutationSearch
from mcts_agents.permutation.settings import ALGORITHMS, PermutationSettings

__all__ = ["ALGORITHMS", "PermutationSearch", "PermutationSettings"]
