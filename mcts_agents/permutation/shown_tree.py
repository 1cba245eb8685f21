"""The tree of a search by permutation statistics, position by position.

A position has one node, however it was reached, so it may appear in several places;
below itself it does not. Where nodes are found by path, what follows after players have
decided at once is not shown.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from mcts_agents.permutation.kernel.records import ILLEGAL_NARROW, ILLEGAL_WIDE, NONE
from mcts_agents.search.inspection.tree_node import ShownNode


class TreeArrays:
    """A search's arrays, and what is read from them.

    Args:
        arrays: By name; see `kernel/records.py`.
        permutes: Whether there are permutation statistics.
        by_path: Whether nodes are found by path.
        check: Raises RuntimeError once the search has gone on.
    """

    def __init__(
        self,
        arrays: dict[str, np.ndarray],
        permutes: bool,
        by_path: bool,
        check: Callable[[], None],
    ):
        self.arrays, self.permutes, self._check = arrays, permutes, check
        self.by_path = by_path

    def node(self, node: int) -> np.void:
        """Return the record of a node."""
        self._check()
        return self.arrays["nodes"][node]

    def edges(self, node: int) -> list[int]:
        """Return the edges of a node; none if it has no edges yet."""
        this = self.node(node)
        first, end = int(this["first"]), int(this["first"] + this["count"])
        if first == NONE:
            return []
        edges = np.arange(first, end)
        if this["run"]:
            sums = self.arrays["edge_sums"][edges]
            narrow = sums.dtype == np.int16
            edges = edges[sums != (ILLEGAL_NARROW if narrow else ILLEGAL_WIDE)]
        return edges.tolist()

    def action(self, node: int, edge: int) -> int:
        """Return the action of a node's edge."""
        this = self.node(node)
        if this["run"]:
            return edge - int(this["first"])
        return int(self.arrays["edge_actions"][edge])

    def place(self, node: int, edge: int) -> int:
        """Return the place of a node's edge."""
        this = self.node(node)
        if this["run"]:
            return edge - int(this["first"]) + int(this["run"])
        return int(self.arrays["edge_places"][edge])


class ShownPosition(ShownNode):
    """One position of the tree.

    Args:
        tree: Where it is.
        node: Its node.
        above: The nodes that lead here.
    """

    def __init__(self, tree: TreeArrays, node: int, above: tuple[int, ...] = ()):
        self._tree, self._node, self._above = tree, node, above

    @property
    def movers(self) -> list[int]:
        """The player who decides."""
        return [int(self._tree.node(self._node)["player"])]

    @property
    def visits(self) -> int:
        """How many playouts went through the position."""
        return int(self._tree.node(self._node)["visits"])

    def statistics_of(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return N(s, a), int64, and Q(s, a), NaN if not tried, of all actions."""
        this = self._tree.node(self._node)
        first = max(int(this["first"]), 0)  # there are none if there is no first
        edges = slice(first, first + int(this["count"]))
        visits, sums, found = (
            self._tree.arrays[name][edges]
            for name in ("edge_visits", "edge_sums", "edge_actions")
        )
        if this["run"]:
            visits, sums = visits[actions], sums[actions]
        elif not np.array_equal(found, actions):
            visits, sums = (_placed(row, found, actions) for row in (visits, sums))
        values = np.full(len(actions), np.nan)
        np.divide(sums, visits, out=values, where=visits > 0)
        return visits.astype(np.int64), values

    @property
    def bandits(self) -> list[dict[str, Any]]:
        """Each action; see `SearchResult.tree`.

        An action also has its statistics of other kinds: under `amaf` those of the
        node, if it has served as a reference, under `permutations` those that MCPS
        keeps. Each is `{"visits", "value"}`.
        """
        arrays, edges = self._tree.arrays, self._tree.edges(self._node)
        block = int(self._tree.node(self._node)["block"])
        actions = []
        for edge in edges:
            place = self._tree.place(self._node, edge)
            visits = int(arrays["edge_visits"][edge])
            amaf = permutations = None
            if block != NONE:
                amaf = _shown(
                    arrays["amaf_counts"][block, place],
                    arrays["amaf_sums"][block, place],
                )
            if self._tree.permutes:
                # At the root both are statistics of the same playouts.
                permutations = amaf
                if self._node != 0:
                    permutations = _shown(
                        arrays["edge_permutations"][edge],
                        arrays["edge_permutation_sums"][edge],
                    )
            actions.append(
                {
                    "action": self._tree.action(self._node, edge),
                    "visits": visits,
                    # By path an action may be illegal in some worlds.
                    "available": None if self._tree.by_path else self.visits,
                    "value": _mean(arrays["edge_sums"][edge], visits),
                    "strategy": None,
                    "proven": None,
                    "amaf": amaf,
                    "permutations": permutations,
                }
            )
        return [{"player": self.movers[0], "visits": self.visits, "actions": actions}]

    def children(self) -> Iterator[tuple[dict[int, int], "ShownPosition"]]:
        """Yield (action, position) of all that follows."""
        arrays, edges = self._tree.arrays, self._tree.edges(self._node)
        above = (*self._above, self._node)
        for edge in edges:
            child = int(arrays["edge_children"][edge])
            if child >= 0 and child not in above:
                action = self._tree.action(self._node, edge)
                yield (
                    {self.movers[0]: action},
                    ShownPosition(self._tree, child, above),
                )

    def best_line(self, action: int) -> list[tuple[int, int]]:
        """Return the most visited continuation after an action: (player, action)."""
        line, position = [(self.movers[0], action)], self._below(action)
        while position is not None:
            tried = [a for a in position.bandits[0]["actions"] if a["visits"]]
            if not tried:
                break
            best = max(tried, key=lambda a: (a["visits"], a["value"]))
            line.append((position.movers[0], best["action"]))
            position = position._below(best["action"])
        return line

    def _below(self, action: int) -> "ShownPosition | None":
        for actions, position in self.children():
            if action in actions.values():
                return position
        return None


def _placed(row: np.ndarray, found: np.ndarray, actions: np.ndarray) -> np.ndarray:
    """Return for each action the number in `row` of where it was found, or 0."""
    placed = np.zeros(len(actions))
    which, at = np.nonzero(found[:, None] == actions)
    placed[at] = row[which]
    return placed


def _mean(total: float, count: float) -> float | None:
    return float(total / count) if count else None


def _shown(count: float, total: float) -> dict[str, Any]:
    visits = int(count)
    return {"visits": visits, "value": _mean(total, visits)}
