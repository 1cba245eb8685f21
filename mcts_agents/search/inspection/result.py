"""What a search found."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from mcts_agents.search.inspection import tree_views
from mcts_agents.search.inspection.notebook import result_html
from mcts_agents.search.inspection.tree_node import ShownNode


@dataclass(frozen=True)
class SearchResult:
    """The outcome of one decision.

    Only `action` and `actions` are required. What an agent's search does not count or
    know stays at its default.

    Attributes:
        action: The chosen action, as a number.
        actions: The acting player's actions in the root, shape (n,), int32.
        visits: How often each action was taken, shape (n,), int64, including visits in
            a reused tree but not `initial_visits`. The default is 0.
        values: Mean value of each action to the acting player, shape (n,), float64, on
            the scale of the leaf values; in other searches, the action's value. NaN,
            the default, if the action was never taken.
        strategy: The average strategy of a sampling policy (EXP3, regret matching)
            without its exploration, shape (n,), float64, sum 1; None for other
            policies.
        simulations: Number of iterations. It is 0 if there was only one action to
            choose, or only one that `action_filter` keeps, and in searches that do not
            run simulations.
        forward_model_calls: Number of actions applied, counted for each player.
        seconds: Time of the decision.
        nodes: Number of decisions (bandits) in all trees; in a minimax search, of
            states reached.
        depth: Longest path in any tree, in decisions of that tree; in a minimax search,
            the number of decisions that it looked ahead.
        solved: Whether the game's result under best play was proven. If so, the search
            ended before its budget.
        proven: The acting player's proven result under best play: `"proven win"`,
            `"proven draw"` or `"proven loss"`. None if nothing was proven, and in
            minimax searches, whose values are exact if they solved the game.
        reused: Visits of the acting player's root that are left from an earlier
            decision (`reuse_tree`).
        bytes: Memory of nodes, edges, joint actions, stored states and optional
            statistics; in a minimax search, of everything that it uses.
    """

    action: int
    actions: np.ndarray
    visits: np.ndarray = None  # filled in below, as the next one
    values: np.ndarray = None
    strategy: np.ndarray | None = None
    simulations: int = 0
    forward_model_calls: int = 0
    seconds: float = 0.0
    nodes: int = 0
    depth: int = 0
    solved: bool = False
    proven: str | None = None
    reused: int = 0
    bytes: int = 0
    _read_root: Callable[[], ShownNode] | None = field(
        default=None, repr=False, compare=False
    )
    _read_variation: Callable[[], list[tuple[int, int]]] | None = field(
        default=None, repr=False, compare=False
    )
    _policy: np.ndarray | None = field(default=None, repr=False, compare=False)
    _decode: Callable[[int], Any] | None = field(
        default=None, repr=False, compare=False
    )

    def environment_action(self, action: int | None = None) -> Any:
        """Return what `env.step` takes for one of `actions`, by default the chosen one.

        This is the number itself, unless the action space is not Discrete or begins
        below 0.
        """
        action = self.action if action is None else action
        return action if self._decode is None else self._decode(action)

    @property
    def value(self) -> float:
        """The chosen action's value, of `values`; NaN if it was never taken."""
        found = self.values[self.actions == self.action]
        return float(found[0]) if len(found) else math.nan

    @cached_property
    def policy(self) -> np.ndarray:
        """The training target for a policy: a probability for each of `actions`.

        Shape (n,), float64, sum 1. By default these are the shares of visits; a
        `root_policy` can define something else. If there was nothing to search, the
        chosen action has probability 1.
        """
        if self._policy is not None:
            return self._policy
        visits = self.visits.sum()
        if visits == 0:
            return (self.actions == self.action) * 1.0
        return self.visits / visits

    def __post_init__(self) -> None:
        for name, value, dtype in (("visits", 0, np.int64), ("values", np.nan, float)):
            if getattr(self, name) is None:
                object.__setattr__(self, name, np.full(len(self.actions), value, dtype))

    def __repr__(self) -> str:
        """Show the move and what the search found, in one line."""
        chosen = self.actions == self.action
        parts = [f"action {self.action} of {len(self.actions)}"]
        if self.proven is not None:  # the mean of simulations says less
            parts.append(self.proven)
        elif not math.isnan(self.value):
            parts.append(f"value {self.value:.4g}")
        if total := int(self.visits.sum()):
            parts.append(f"visits {int(self.visits[chosen].sum())} of {total}")
        if self.simulations:
            parts.append(f"simulations {self.simulations}")
        if self.seconds:
            parts.append(f"seconds {self.seconds:.3g}")
        if self.solved:
            parts.append("solved")
        return f"<SearchResult: {', '.join(parts)}>"

    def _repr_html_(self) -> str:
        """Show actions with bars, and the principal variation, in a notebook."""
        return result_html(self)

    def showing(
        self,
        principal_variation: Sequence[tuple[int, int]],
        root: ShownNode | None = None,
    ) -> "SearchResult":
        """Return this result with what else it shows.

        Args:
            principal_variation: See the property of this name.
            root: The root of a tree; None: there is none.
        """
        read_root = None if root is None else lambda: root
        return self.showing_later(lambda: list(principal_variation), read_root)

    def showing_later(
        self,
        read_variation: Callable[[], list[tuple[int, int]]],
        read_root: Callable[[], ShownNode] | None,
    ) -> "SearchResult":
        """Return this result with what else it shows, read when it is asked for.

        Args:
            read_variation: Returns the principal variation.
            read_root: Returns the root of a tree; None: there is none.
        """
        return replace(self, _read_variation=read_variation, _read_root=read_root)

    @cached_property
    def principal_variation(self) -> list[tuple[int, int]]:
        """The most visited, or else the best, continuation: (player, action) pairs.

        It begins with the chosen action. Simultaneous decisions stand next to each
        other, in the order of players. It covers the players whose decisions are in the
        acting player's tree, from which it is read on first access; see `tree`.

        Raises:
            RuntimeError: The search has gone on to another decision.
        """
        return [] if self._read_variation is None else self._read_variation()

    @property
    def has_tree(self) -> bool:
        """Whether there is a tree to read."""
        return self._read_root is not None

    @property
    def root(self) -> ShownNode:
        """The root of the acting player's tree, to be read node by node; see `tree`.

        Raises:
            RuntimeError: As in `tree`.
        """
        if self._read_root is None:
            raise RuntimeError(
                "there is no tree: there was one action to choose, or the agent's "
                "search shows none"
            )
        return self._read_root()

    def tree(self, depth: int | None = None) -> dict[str, Any]:
        """Return the acting player's tree as nested dictionaries.

        The tree stays in the search's memory until the next decision. If several trees
        were merged (threads, determinizations), this is the last one searched.

        Args:
            depth: Decisions below the root to go down; None: all.

        Returns:
            A node is `{"movers", "visits", "bandits", "children"}`. A bandit is
            `{"player", "visits", "actions"}`, and each of its actions is `{"action",
            "visits", "available", "value", "strategy", "proven"}`. A child is
            `{"actions": {player: action}, "node": {...}}`. What a search does not have
            is None: `strategy` without an average strategy, `proven` without a proof,
            `visits` and `available` if they are not counted, and unknown values. In a
            graph search, a node may appear in several places, but not below itself.

        Raises:
            RuntimeError: There was nothing to search, or the search has gone on to
                another decision.
        """
        return self.root.as_dict(depth)

    def dot(self, depth: int | None = 2, name: Callable[[int], str] = str) -> str:
        """Return the tree in Graphviz's DOT language; `name` writes actions."""
        return tree_views.dot(self.tree(depth), name)

    def text(
        self,
        depth: int | None = 2,
        name: Callable[[int], str] = str,
        limit: int | None = None,
    ) -> Any:
        """Return the tree as a `rich.tree.Tree` to print; `name` writes actions.

        For each node, it shows at most `limit` actions, those with the most visits (or
        with the greatest values if visits are not counted), and the number of others.
        """
        return tree_views.rich_tree(self.tree(depth), name, limit)
