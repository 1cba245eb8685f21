"""The statistics of the acting player's decision, from one search or merged."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mcts_agents.model import draw_below, draw_uint64
from mcts_agents.search.kernel.records import ALL_DRAW, FIRST_WINNER, UNPROVEN


@dataclass(frozen=True)
class RootStatistics:
    """What one search, or several, found of the decision at the root.

    Attributes:
        actions: Legal actions, shape (n,), int32, which the other arrays follow.
        visits: Visits, int64.
        values: Mean values, float64, NaN where untried.
        ranks: 2 proven to win, 0 proven to lose, else 1.
        strategy: Average strategy, or None.
        principal_variation: Returns the continuation after one of the actions.
        cut_short: Whether the only simulation was cut short: the actions were hardly
            compared.
    """

    actions: np.ndarray
    visits: np.ndarray
    values: np.ndarray
    ranks: np.ndarray
    strategy: np.ndarray | None
    principal_variation: Callable[[int], list[tuple[int, int]]]
    simulations: int
    forward_model_calls: int
    nodes: int
    depth: int
    solved: bool
    reused: int
    bytes: int
    cut_short: bool
    tree: Callable[[int | None], dict[str, Any]]

    @classmethod
    def read(cls, reader, root, player, actions, **rest) -> "RootStatistics":
        """Read them from a search's arrays; `root` is the link of the player's tree."""
        count = len(actions)
        visits, values = np.zeros(count, np.int64), np.full(count, np.nan)
        ranks = np.ones(count, np.int64)
        strategy = np.zeros(count) if reader.sampling else None
        place = {action: i for i, action in enumerate(actions.tolist())}
        for bandits in reader.bandits_below(root):
            if player not in bandits:
                continue
            edges = reader.edges_of(bandits[player])
            columns = ("action", "visits", "mean", "outcome")
            shares = reader.strategy_of(bandits[player])
            # Lists: reading records one by one costs more than a short search.
            for j, (action, n, mean, outcome) in enumerate(
                zip(*(edges[name].tolist() for name in columns), strict=True)
            ):
                i = place.get(action)
                if i is None:  # legal in another determinization of a reused tree
                    continue
                visits[i] = n
                if n > 0:
                    values[i] = mean
                ranks[i] = _rank(outcome, reader.arrays["teams"][player])
                if strategy is not None:
                    strategy[i] = shares[j]
        if strategy is not None:
            total = strategy.sum()
            strategy = strategy / total if total > 0 else np.full(count, 1.0 / count)

        def variation(action: int) -> list[tuple[int, int]]:
            return reader.principal_variation(root, player, action)

        return cls(
            actions=actions,
            visits=visits,
            values=values,
            ranks=ranks,
            strategy=strategy,
            principal_variation=variation,
            **rest,
        )

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
            reused=sum(part.reused for part in every),
            # Threads hold their trees at once, determinizations one after another.
            bytes=(sum if settings.threads > 1 else max)(p.bytes for p in every),
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
        tried = np.where(np.isnan(self.values), -np.inf, self.values)
        keys = [self.ranks, self.visits, tried]
        if final == "value":
            keys = [self.ranks, tried, self.visits]
        best = np.arange(len(self.visits))
        for key in keys:
            best = best[key[best] == key[best].max()]
        return best


def _merged_ranks(ranks: Sequence[np.ndarray]) -> np.ndarray:
    """Return what any of the searches has proven of each action.

    A proof holds in all of them: nothing is proven where worlds may differ.
    """
    best, worst = np.max(ranks, axis=0), np.min(ranks, axis=0)
    return np.where(best == 2, best, worst)


def _rank(outcome: int, team: int) -> int:
    if outcome in (UNPROVEN, ALL_DRAW):
        return 1
    return 2 if outcome == FIRST_WINNER + team else 0
