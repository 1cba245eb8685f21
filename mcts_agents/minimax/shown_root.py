"""What a minimax search shows of its tree: the decision at its root."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from mcts_agents.search.inspection.tree_node import ShownNode


class ShownRoot(ShownNode):
    """The root's actions with their values; what lies below is not kept.

    Args:
        player: Who decides.
        actions: Its actions, shape (n,).
        values: Their values to the player, shape (n,); NaN where one is not known.
    """

    visits = None

    def __init__(self, player: int, actions: np.ndarray, values: np.ndarray):
        self._player = player
        self._found = list(zip(actions.tolist(), values.tolist(), strict=True))

    @property
    def movers(self) -> list[int]:
        """The player who decides."""
        return [self._player]

    @property
    def bandits(self) -> list[dict[str, Any]]:
        """Each action with its value; see `SearchResult.tree`."""
        actions = [
            {
                "action": action,
                "visits": None,
                "available": None,
                "value": None if math.isnan(value) else value,
                "strategy": None,
                "proven": None,
            }
            for action, value in self._found
        ]
        return [{"player": self._player, "visits": None, "actions": actions}]

    def children(self) -> Iterator[tuple[dict[int, int], ShownNode]]:
        """Yield nothing: a minimax search keeps no tree."""
        return iter(())
