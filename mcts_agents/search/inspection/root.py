"""The statistics of the acting player's decision, from one search or merged.

`combine` is done by `RootStatistics.merged`, from parts that `driver/merging.py` makes.
`final` is done by `RootStatistics.best`, which `driver/reading.py` asks unless the root
policy makes the final choice, and by `root_reading.choose_action` for a caller who
wants only the move (`Search.choose`). `SearchSettings.for_model` chooses the default.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mcts_agents.model import draw_below, draw_uint64
from mcts_agents.search.inspection.tree_node import TreeNode
from mcts_agents.search.kernel.root_policies.root_policy import RootPolicy
from mcts_agents.search.kernel.root_reading import OPEN, WIN

# By how much probabilities may miss the sum 1.
MOST_ROUNDING = 1e-6


@dataclass(frozen=True)
class RootStatistics:
    """What one search, or several, found of the decision at the root.

    Attributes:
        actions: Legal actions, shape (n,), int32, which the other arrays follow.
        visits: Visits, int64.
        values: Mean values, float64, NaN where untried.
        ranks: WIN, OPEN or LOSS: what is proven of each, int64.
        strategy: Average strategy, or None.
        principal_variation: Returns the continuation after one of the actions.
        list_best: The compiled `root_reading.list_best`.
        cut_short: Whether the only simulation was cut short: the actions were hardly
            compared.
        proven: The player's result under best play, see `SearchResult.proven`.
        value_range: The values that count as 0 and 1: the least and greatest that were
            seen, or 0 and 1 where values are not normalised.
        read_node: Returns the root's node.
        read_evaluation: Returns `priors`, `noise` and `raw_value`.

    Of several searches that were merged, what is read from a tree is the last one's.
    """

    actions: np.ndarray
    visits: np.ndarray
    values: np.ndarray
    ranks: np.ndarray
    strategy: np.ndarray | None
    principal_variation: Callable[[int], list[tuple[int, int]]]
    list_best: Callable[..., int]
    simulations: int
    forward_model_calls: int
    nodes: int
    depth: int
    solved: bool
    proven: str | None
    reused: int
    bytes: int
    cut_short: bool
    value_range: tuple[float, float]
    read_node: Callable[[], TreeNode]
    read_evaluation: Callable[[], tuple[np.ndarray, np.ndarray, float]]

    @property
    def priors(self) -> np.ndarray:
        """P(s, a) of each action, float64; NaN where there are no priors."""
        return self.read_evaluation()[0]

    @property
    def noise(self) -> np.ndarray:
        """g(a), which a root policy keeps in the edges' `accumulated`, float64; NaN."""
        return self.read_evaluation()[1]

    @property
    def raw_value(self) -> float:
        """What the evaluator said of the root to the acting player; NaN without one."""
        return self.read_evaluation()[2]

    @classmethod
    def read(cls, read_root, link, player, actions, **rest) -> "RootStatistics":
        """Read them from a search's arrays.

        Args:
            read_root: The compiled `root_reading.read_root` of the search.
            link: The root link of the player's tree.
            player: Who decides.
            actions: The legal actions, int32.
            **rest: The other attributes.
        """
        count = len(actions)
        visits, values = np.zeros(count, np.int64), np.full(count, np.nan)
        ranks = np.full(count, OPEN)
        read_root(link, player, actions, visits, values, ranks)
        found = {"visits": visits, "values": values, "ranks": ranks}
        return cls(actions=actions, **found, **rest)

    @classmethod
    def merged(cls, parts: Sequence["RootStatistics"], settings) -> "RootStatistics":
        """Merge the roots of several searches of one decision.

        Visits are added and values averaged by visits (`combine` "visits", and
        threads). "average" averages the values of the trees, whatever their visits;
        "vote" counts each tree's own best action instead of visits. A search whose only
        simulation was cut short is ignored beside others.
        """
        if len(parts) == 1:
            return parts[0]
        every = parts
        parts = [part for part in every if not part.cut_short] or every
        visits = np.sum([part.visits for part in parts], axis=0)
        values = np.array([part.values for part in parts])
        tried = ~np.isnan(values)
        combine = "visits" if settings.determinizations == 1 else settings.combine
        weights = np.array([part.visits for part in parts]) * tried
        if combine == "average":
            weights = tried.astype(np.int64)
        total = weights.sum(axis=0)
        sums = (np.where(tried, values, 0.0) * weights).sum(axis=0)
        means = np.full(len(visits), np.nan)
        np.divide(sums, total, out=means, where=total > 0)
        if combine == "vote":
            votes = np.zeros_like(visits)
            for part in parts:
                votes[part.favourite(settings.final)] += 1
            visits = votes
        strategy = None
        if parts[0].strategy is not None:
            strategy = np.mean([part.strategy for part in parts], axis=0)
        return replace(
            parts[-1],
            visits=visits,
            values=means,
            ranks=_merged_ranks([part.ranks for part in parts]),
            strategy=strategy,
            simulations=sum(part.simulations for part in every),
            forward_model_calls=sum(part.forward_model_calls for part in every),
            nodes=sum(part.nodes for part in every),
            depth=max(part.depth for part in every),
            solved=any(part.solved for part in every),
            proven=_agreed([part.proven for part in every if part.solved]),
            reused=sum(part.reused for part in every),
            # Trees are held one after another, or see `merging.held_at_once`.
            bytes=max(part.bytes for part in every),
        )

    def best(self, final: str, rng: np.ndarray) -> int:
        """Return the position of the final move; ties are broken at random."""
        if final == "sample":
            left = draw_uint64(rng) / 2.0**64
            for i, share in enumerate(self.strategy):
                left -= share
                if left < 0.0:
                    return i
            return int(np.argmax(self.strategy))
        tied = self._tied(final)
        return int(tied[draw_below(rng, len(tied))])

    def favourite(self, final: str) -> int:
        """Return the position of the final move; of tied ones the first."""
        if final == "sample":
            return int(np.argmax(self.strategy))
        return int(self._tied(final)[0])

    def _tied(self, final: str) -> np.ndarray:
        """Return the places of the best actions, ascending."""
        best = np.empty(len(self.visits), np.int64)
        keys = self.ranks, self.visits, self.values
        return best[: self.list_best(*keys, final == "value", best)]


def checked_place(policy: RootPolicy, place: Any, root: RootStatistics) -> int:
    """Return the place that a root policy's final choice named.

    Raises:
        ValueError: It is no place of an action.
    """
    whole = isinstance(place, int | np.integer) and not isinstance(place, bool)
    if not whole or not 0 <= place < len(root.actions):
        raise ValueError(
            f"root policy {policy.name!r}: its final choice is {place!r}; expected the "
            f"place of an action, from 0 to {len(root.actions) - 1}"
        )
    return int(place)


def checked_shares(policy: RootPolicy, shares: Any, root: RootStatistics) -> np.ndarray:
    """Return the probabilities that a root policy tells learners, float64, sum 1.

    Raises:
        ValueError: They are no probabilities of the root's actions.
    """
    shares = np.asarray(shares, np.float64)
    if shares.shape != root.actions.shape or not (
        (shares >= 0.0).all() and abs(shares.sum() - 1.0) < MOST_ROUNDING
    ):
        raise ValueError(
            f"root policy {policy.name!r}: its policy is {shares}; expected "
            f"{len(root.actions)} probabilities, from 0, of sum 1"
        )
    return shares


def _agreed(proofs: Sequence[str | None]) -> str | None:
    """Return what all searches that have proven something have proven."""
    return proofs[0] if len(set(proofs)) == 1 else None


def _merged_ranks(ranks: Sequence[np.ndarray]) -> np.ndarray:
    """Return what any of the searches has proven of each action.

    A proof holds in all of them: nothing is proven where worlds may differ.
    """
    best, worst = np.max(ranks, axis=0), np.min(ranks, axis=0)
    return np.where(best == WIN, best, worst)
