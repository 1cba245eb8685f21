"""95% intervals of rates and means."""

from dataclasses import dataclass

import numpy as np
from scipy import stats

LEVEL = 0.95
_Z = float(stats.norm.ppf((1 + LEVEL) / 2))


@dataclass(frozen=True)
class Estimate:
    """A figure and its 95% interval; None if the games do not determine it."""

    value: float | None = None
    low: float | None = None
    high: float | None = None

    def __str__(self) -> str:
        """Return the figure with its interval, to four digits."""
        if self.value is None:
            return "unknown"
        if self.low is None or self.high is None:
            return f"{self.value:.4g}"
        return f"{self.value:.4g} ({self.low:.4g} to {self.high:.4g})"


UNKNOWN = Estimate()


def wilson(wins: float, games: int) -> Estimate:
    """Return a win rate and its 95% Wilson score interval.

    For whole wins it is `scipy.stats.binomtest(wins, games).proportion_ci(
    method="wilson")`, which takes no fractions. Shares of a win vary less than whole
    wins of the same rate, so with ties the interval is, if anything, too wide.

    Source: E. B. Wilson, Probable Inference, the Law of Succession, and Statistical
    Inference, JASA 22 (1927), 209-212.

    Args:
        wins: Number of wins, ties split: 0 to `games`.
        games: Number of games; without any, nothing is known.
    """
    if not games:
        return UNKNOWN
    square = _Z * _Z
    centre = (wins + square / 2) / (games + square)
    half = _Z / (games + square) * np.sqrt(wins * (games - wins) / games + square / 4)
    # Rounding must not take an end away from 0 or 1.
    low = max(0.0, centre - half) if wins else 0.0
    high = min(1.0, centre + half) if wins < games else 1.0
    return Estimate(wins / games, float(low), float(high))


def mean(values: np.ndarray, games: np.ndarray) -> Estimate:
    """Return a mean and its 95% interval by Student's t.

    Values of one game are not independent of each other: their sum is one observation
    (the linearised variance of a ratio, as for clusters in a survey; with one value a
    game it is the usual standard error).

    Source: W. G. Cochran, Sampling Techniques, 3rd ed. 1977, section 9A.

    Args:
        values: Float64 of shape (seats,).
        games: The game of each value, int64 of shape (seats,).

    Returns:
        The interval is None with fewer than two games.
    """
    if not len(values):
        return UNKNOWN
    average = float(np.mean(values))
    _, game = np.unique(games, return_inverse=True)
    errors = np.bincount(game, weights=values - average)
    count = len(errors)
    if count < 2:
        return Estimate(average)
    spread = np.sqrt(count / (count - 1) * np.sum(errors**2)) / len(values)
    half = float(stats.t.ppf((1 + LEVEL) / 2, count - 1) * spread)
    return Estimate(average, average - half, average + half)
