"""Strengths of agents from their places in games, on the Elo scale.

Each game's places are broken into all pairs of its seats (full rank breaking), equal
places half for each, and a Bradley-Terry model is fitted to the pairs by the library
`choix`. For games that follow a Plackett-Luce model this estimate is consistent; that
model's strengths are what is estimated.

Sources:
    R. A. Bradley and M. E. Terry, Rank Analysis of Incomplete Block Designs, Biometrika
    39 (1952). H. Azari Soufiani, W. Chen, D. C. Parkes and L. Xia, Generalized
    Method-of-Moments for Rank Aggregation, NIPS 2013; H. Azari Soufiani, D. C. Parkes
    and L. Xia, Computing Parametric Ranking Models via Rank-Breaking, ICML 2014.
    L. Maystre and M. Grossglauser, Fast and Accurate Inference of Plackett-Luce Models,
    NIPS 2015 (`choix.ilsr_pairwise_dense`). B. Efron, Bootstrap Methods, Annals of
    Statistics 7 (1979).
"""

import math

import choix
import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from mcts_agents.arena.analysis.intervals import LEVEL, UNKNOWN, Estimate

# `alpha` of `choix.ilsr_pairwise_dense`: a weak gamma prior on the strengths (F. Caron
# and A. Doucet, Efficient Bayesian Inference for Generalized Bradley-Terry Models,
# 2012). It keeps the rating of an agent that always or never wins finite.
ALPHA = 0.01
RESAMPLES = 1000
MEAN = 1500.0
SCALE = 400.0 / math.log(10.0)

_ITERATIONS = 100_000
_DRAWN_AT_ONCE = 4_000_000  # games, in 32 MB


def strengths(wins: np.ndarray, start: np.ndarray | None = None) -> np.ndarray:
    """Return Bradley-Terry strengths in natural units, with a mean of 0.

    Args:
        wins: How often each row came before each column, float64 of shape
            (agents, agents).
        start: Strengths near the result, if any are known: it is found faster.

    Returns:
        Float64 of shape (agents,).
    """
    return choix.ilsr_pairwise_dense(
        wins, alpha=ALPHA, initial_params=start, max_iter=_ITERATIONS
    )


def ratings(
    comparisons: csr_array, agents: int, resamples: int = RESAMPLES, seed: int = 0
) -> list[Estimate]:
    """Return ratings with 95% bootstrap intervals by resampling whole games.

    The mean of the rated agents is 1500; 400 points are odds of 10 to 1.

    Args:
        comparisons: What `Columns.comparisons` returns.
        agents: Number of agents.
        resamples: Number of resamples; 0 for no intervals.
        seed: Seed of the resampling: the same games give the same figures.

    Returns:
        One for each agent; unknown for those who met no other. There is no interval
        with fewer than two games.
    """
    games = comparisons.shape[0]
    wins = comparisons.sum(axis=0).reshape(agents, agents)
    rated = np.flatnonzero(wins.sum(axis=0) + wins.sum(axis=1))
    if not len(rated):
        return [UNKNOWN] * agents
    fitted = strengths(wins[np.ix_(rated, rated)])
    spread = None
    if resamples and games > 1:
        draws = [
            strengths(draw[np.ix_(rated, rated)], fitted)
            for draw in _resampled(comparisons, agents, resamples, seed)
        ]
        spread = np.quantile(draws, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0)
    found = [UNKNOWN] * agents
    for n, agent in enumerate(rated):
        value = MEAN + SCALE * float(fitted[n])
        if spread is None:
            found[agent] = Estimate(value)
        else:
            low, high = (MEAN + SCALE * float(end[n]) for end in spread)
            found[agent] = Estimate(value, low, high)
    return found


def separated(wins: np.ndarray) -> tuple[bool, bool]:
    """Return what prevents ratings from being comparable.

    Args:
        wins: How often each row came before each column, float64 of shape
            (agents, agents).

    Returns:
        Whether there are groups of agents that never met (their ratings compare within
        a group only), and whether some agents never came behind others they met (how
        far apart they are is then set by the prior, not by the games).
    """
    met = np.flatnonzero(wins.sum(axis=0) + wins.sum(axis=1))
    wins = wins[np.ix_(met, met)] > 0
    if not len(met):
        return False, False
    groups, _ = connected_components(wins, directed=True, connection="weak")
    ordered, _ = connected_components(wins, directed=True, connection="strong")
    return groups > 1, ordered > groups


def _resampled(
    comparisons: csr_array, agents: int, resamples: int, seed: int
) -> np.ndarray:
    """Return the sums of resampled games, float64 (resamples, agents, agents)."""
    games = comparisons.shape[0]
    rng = np.random.default_rng(seed)
    at_once = max(1, _DRAWN_AT_ONCE // games)
    sums = []
    for first in range(0, resamples, at_once):
        rows = min(at_once, resamples - first)
        drawn = rng.integers(games, size=(rows, games))
        drawn += np.arange(rows)[:, None] * games
        times = np.bincount(drawn.ravel(), minlength=rows * games)
        sums.append(times.reshape(rows, games).astype(np.float64) @ comparisons)
    return np.concatenate(sums).reshape(resamples, agents, agents)
