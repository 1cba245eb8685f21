"""Reading a finished search's arrays: bandits, edges, and the tree as a dictionary."""

import itertools
from collections.abc import Collection, Iterator
from typing import Any

import numpy as np

from mcts_agents.search.kernel.records import (
    ALL_DRAW,
    FIRST_WINNER,
    OBSERVATION,
    UNPROVEN,
)


class TreeReader:
    """Reads the arrays that a search has left.

    Args:
        arrays: By name, see `search_record.ARRAYS`.
        search: The SEARCH record's array.
        link_of_joint: The compiled look-up of joint actions.
        sampling: Whether the statistics hold an average strategy.
    """

    def __init__(self, arrays, search, link_of_joint, sampling: bool):
        self.arrays = arrays
        self.search = search
        self.link_of_joint = link_of_joint
        self.sampling = sampling
        self._observations: dict[int, list[int]] | None = None

    # -- bandits and edges

    def bandits_below(self, link: int) -> list[dict[int, int]]:
        """Return the nodes below a link, each as {player: index of its bandit}."""
        nodes = self.arrays["nodes"]
        found = []
        node = int(self.arrays["edges"][link]["child"])
        while node >= 0:
            count = int(nodes[node]["movers"]).bit_count()
            if count:
                bandits = range(node, node + count)
                found.append({int(nodes[i]["player"]): i for i in bandits})
            node = int(nodes[node]["sibling"])
        return found

    def edges_of(self, bandit: int) -> np.ndarray:
        """Return the edges of a bandit, as a view of the records."""
        return self.arrays["edges"][self._block(bandit)]

    def strategy_of(self, bandit: int) -> np.ndarray | None:
        """Return the average strategy of a bandit over its edges, if it has one."""
        if not self.sampling:
            return None
        sums = self.arrays["statistics"][self._block(bandit)]["strategy"]
        if sums.sum() <= 0.0:  # a single action was never asked for
            return np.full(len(sums), 1.0 / len(sums))
        return sums / sums.sum()

    def _block(self, bandit: int) -> slice:
        record = self.arrays["nodes"][bandit]
        first = int(record["first"])
        return slice(first, first + int(record["count"]))

    def link_of(self, bandits: dict[int, int], actions: dict[int, int]) -> int:
        """Return the link of the actions chosen at a node, -1 if never taken."""
        if len(bandits) == 1:
            ((player, bandit),) = bandits.items()
            for i, edge in enumerate(self.edges_of(bandit)):
                if edge["action"] == actions[player]:
                    return int(self.arrays["nodes"][bandit]["first"]) + i
            return -1
        joint = np.array([actions[player] for player in bandits], np.int32)
        node = next(iter(bandits.values()))
        return int(self.link_of_joint(self.search.ctypes.data, node, joint))

    def links_after(self, link: int) -> list[int]:
        """Return the links that follow, which observed moves may lengthen."""
        if not self.search["observers"][0]:
            return [link]
        if self._observations is None:
            self._observations = {}
            joints = self.arrays["joints"]
            for entry in joints[
                (joints["edge"] != 0) & (joints["node"] <= OBSERVATION)
            ]:
                before = OBSERVATION - int(entry["node"])
                self._observations.setdefault(before, []).append(int(entry["edge"]))
        found = [link]
        for other in self._observations.get(link, []):
            found += self.links_after(other)
        return found

    def average_strategy(self, root: int, player: int, actions: np.ndarray):
        """Return the average strategy of a player's decision, or None without one.

        Args:
            root: The root link of the player's tree.
            player: Who decides.
            actions: The legal actions, shape (n,), int32.

        Returns:
            The share of each action, shape (n,), float64, sum 1.
        """
        if not self.sampling:
            return None
        strategy = np.zeros(len(actions))
        place = {action: i for i, action in enumerate(actions.tolist())}
        for bandits in self.bandits_below(root):
            if player in bandits:
                edges = self.edges_of(bandits[player])
                shares = self.strategy_of(bandits[player])
                for action, share in zip(edges["action"].tolist(), shares, strict=True):
                    if action in place:
                        strategy[place[action]] = share
        total = strategy.sum()
        return (
            strategy / total if total > 0 else np.full(len(actions), 1 / len(actions))
        )

    def evaluation(
        self, root: int, player: int, actions: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, float]:
        """Return the priors and noise of a player's actions, and its node's raw value.

        Args:
            root: The root link of the player's tree.
            player: Who decides.
            actions: The legal actions, shape (n,), int32.

        Returns:
            Priors and noise, shape (n,), float64, NaN where there are none; and the raw
            value, NaN if no evaluator was asked.
        """
        found = {
            name: np.full(len(actions), np.nan) for name in ("prior", "accumulated")
        }
        bandit = self.node(root, player)[player]
        if len(self.arrays["statistics"]):
            numbers = self.edges_of(bandit)["action"].tolist()
            for name, of_actions in found.items():
                own = self.arrays["statistics"][name][self._block(bandit)]
                known = dict(zip(numbers, own, strict=True))
                of_actions[:] = [known.get(a, np.nan) for a in actions.tolist()]
        return *found.values(), float(self.arrays["nodes"][bandit]["raw_value"])

    # -- the principal variation

    def principal_variation(self, root, player, action) -> list[tuple[int, int]]:
        """Follow the most visited actions from a root link, the first one given."""
        nodes = self.arrays["nodes"]
        variation: list[tuple[int, int]] = []
        forced = {player: action}
        link, seen = root, set()
        while True:
            options = [
                b for at in self.links_after(link) for b in self.bandits_below(at)
            ]
            if forced:
                options = [b for b in options if player in b]
            if not options:
                return variation or [(player, action)]
            bandits = max(
                options, key=lambda b: int(nodes[next(iter(b.values()))]["visits"])
            )
            actions = {}
            for mover, bandit in bandits.items():
                edges = self.edges_of(bandit)
                visits = edges["visits"].copy()
                if mover in forced:
                    visits[edges["action"] != forced[mover]] = -1
                if visits.max(initial=0) <= 0:  # proven before it was sampled
                    return variation or [(player, action)]
                actions[mover] = int(edges["action"][int(visits.argmax())])
            first = next(iter(bandits.values()))
            if first in seen:  # a graph may have circles
                return variation
            seen.add(first)
            variation += list(actions.items())
            forced = {}
            link = self.link_of(bandits, actions)
            if link < 0:
                return variation

    # -- the tree

    def node(self, root: int, player: int) -> dict[int, int]:
        """Return the node of `player` below a root link, see `bandits_below`."""
        for bandits in self.bandits_below(root):
            if player in bandits:
                return bandits
        raise RuntimeError("the search has no node for its own decision")

    def children(
        self, bandits: dict[int, int], above: Collection[int]
    ) -> Iterator[tuple[dict[int, int], dict[int, int]]]:
        """Yield (actions, node) of what follows a node, but for nodes `above` it."""
        for actions in self._joint_actions(bandits):
            link = self.link_of(bandits, actions)
            if link < 0:
                continue
            for at in self.links_after(link):
                for below in self.bandits_below(at):
                    if next(iter(below.values())) not in above:
                        yield actions, below

    def _joint_actions(self, bandits):
        """Return all combinations of visited actions of a node's bandits."""
        visited = []
        for bandit in bandits.values():
            edges = self.edges_of(bandit)
            visited.append([int(e["action"]) for e in edges if e["visits"] > 0])
        return (
            dict(zip(bandits, joint, strict=True))
            for joint in itertools.product(*visited)
        )

    def statistics(self, player: int, bandit: int) -> dict[str, Any]:
        """Return what a bandit knows of its actions, see `TreeNode.bandits`."""
        record = self.arrays["nodes"][bandit]
        strategy = self.strategy_of(bandit)
        listed = bool(self.search["listed"][0])
        team = int(self.arrays["teams"][player])
        actions = [
            {
                "action": int(edge["action"]),
                "visits": int(edge["visits"]),
                "available": int(edge["available"] if listed else record["visits"]),
                "value": float(edge["mean"]),
                "strategy": None if strategy is None else float(strategy[i]),
                "proven": proven_text(int(edge["outcome"]), team),
            }
            for i, edge in enumerate(self.edges_of(bandit))
        ]
        return {"player": player, "visits": int(record["visits"]), "actions": actions}


def proven_text(outcome: int, team: int) -> str | None:
    """Say what is proven of an action for the team of the player who takes it."""
    if outcome == UNPROVEN:
        return None
    if outcome == ALL_DRAW:
        return "proven draw"
    won = outcome == FIRST_WINNER + team
    return "proven win" if won else "proven loss"
