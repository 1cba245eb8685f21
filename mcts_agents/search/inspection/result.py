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

    Only `action` and `actions` have to be given: what an agent's search does not count
    or know stays at its default.

    Attributes:
        action: The chosen action, as a number.
        actions: The acting player's actions in the root, shape (n,), int32.
        visits: How often each was taken, shape (n,), int64; those of a reused tree
            included, `initial_visits` not. 0 by default.
        values: Mean value of each to the acting player, shape (n,), float64, on the
            leaf heuristic's own scale, or whatever another search finds it worth; NaN,
            the default, for an action that was never taken.
        strategy: The average strategy of a sampling policy (EXP3, regret matching),
            exploration left out, shape (n,), float64, sum 1; else None.
        simulations: Iterations run; 0 where there was only one action to choose,
            or only one that `action_filter` keeps, and in searches of another kind.
        forward_model_calls: Actions applied, one for each player.
        seconds: Time that the decision took.
        nodes: Decisions (bandits) in all trees; in a minimax search the states that
            were reached.
        depth: Longest path in any tree, in decisions of that tree; how many decisions
            a minimax search looked ahead.
        solved: Whether the game's result under best play was proven; then the search
            ended before its budget.
        proven: The acting player's result under best play where it was proven:
            `"proven win"`, `"proven draw"` or `"proven loss"`; None where it was not,
            and in a minimax search, whose values are exact if it solved the game.
        reused: Visits of the acting player's root that were left from an earlier
            decision (`reuse_tree`).
        bytes: Memory that nodes, edges, joint actions, stored states and optional
            statistics take, or all that a minimax search works on.
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

        It is the number itself, but for action spaces that are not Discrete or begin
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
        """What a learner is told to play: a probability for each of `actions`.

        Shape (n,), float64, sum 1. The shares of visits, unless the `root_policy` tells
        something else; where there was nothing to search, 1 for the action made.
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

        It begins with the chosen action; decisions of the same moment stand side by
        side, players ascending. It covers the players of the acting player's tree, and
        is read from that tree when it is first asked for; see `tree`.

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

        The tree lies in the search's memory until its next decision. Where several
        trees were merged (threads, determinizations) it is the last one searched.

        Args:
            depth: Decisions below the root to go down; None: all.

        Returns:
            A node is `{"movers", "visits", "bandits", "children"}`. A bandit is
            `{"player", "visits", "actions"}`, and each of its actions is `{"action",
            "visits", "available", "value", "strategy", "proven"}`. A child is
            `{"actions": {player: action}, "node": {...}}`. `strategy` is None without
            an average strategy, `proven` without a proof, `visits` and `available`
            where a search does not count them, and `value` where it is not known. In a
            graph search a node may appear in several places, and not below itself.

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

        Of each node at most `limit` actions are shown, the most visited ones, or those
        of greatest value where visits are not counted; and of the others how many
        there are.
        """
        return tree_views.rich_tree(self.tree(depth), name, limit)
