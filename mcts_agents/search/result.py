"""What a search found."""

from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True)
class SearchResult:
    """The outcome of one decision.

    Attributes:
        action: The chosen action.
        actions: The acting player's actions in the root, shape (n,), int32.
        visits: How often each was taken, shape (n,), int64.
        values: Mean value of each to the acting player, shape (n,), float64, on the
            leaf heuristic's own scale; NaN for an action that was never taken.
        principal_variation: The most visited continuation as (player, action) pairs,
            from the chosen action on; decisions of the same moment stand side by side,
            players ascending. Covers the players of the acting player's tree.
        simulations: Iterations run; 0 where there was only one action to choose.
        forward_model_calls: Actions applied, one for each player.
        seconds: Time that the decision took.
        nodes: Decisions (bandits) in all trees.
        depth: Longest path in any tree, in decisions of that tree.
        solved: Whether the game's result under best play was proven; then the search
            ended before its budget.
        bytes: Memory that nodes, edges and joint actions take.
    """

    action: int
    actions: np.ndarray
    visits: np.ndarray
    values: np.ndarray
    principal_variation: list[tuple[int, int]] = field(default_factory=list)
    simulations: int = 0
    forward_model_calls: int = 0
    seconds: float = 0.0
    nodes: int = 0
    depth: int = 0
    solved: bool = False
    bytes: int = 0
