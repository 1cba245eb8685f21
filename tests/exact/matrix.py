"""Zero-sum matrix games: payoffs to the first player, equilibria, exploitability.

`payoffs[i][j]` is what the first player gets, and the second one pays, when they choose
the actions i and j at once.
"""

from collections.abc import Sequence

import numpy as np
from scipy.optimize import linprog

# Rock, paper, scissors.
ROCK_PAPER_SCISSORS = ((0, -1, 1), (1, 0, -1), (-1, 1, 0))
# A win with rock counts double. With (r, p, s) = (1/4, 1/2, 1/4) every action is worth
# 0: rock 2s - p, paper r - s, scissors p - 2r.
BIASED_ROCK_PAPER_SCISSORS = ((0, -1, 2), (1, 0, -1), (-2, 1, 0))
BIASED_EQUILIBRIUM = (0.25, 0.5, 0.25)
# The first player wants both pennies to show the same side.
MATCHING_PENNIES = ((1, -1), (-1, 1))


def matrix_equilibrium(
    payoffs: Sequence[Sequence[float]],
) -> tuple[np.ndarray, np.ndarray, float]:
    """Return (first player's strategy, second player's, value to the first)."""
    payoffs = np.asarray(payoffs, np.float64)
    first, value = _maximin(payoffs)
    second, _ = _maximin(-payoffs.T)
    return first, second, value


def _maximin(payoffs: np.ndarray) -> tuple[np.ndarray, float]:
    """Maximise what the row player is sure of, by a linear program over (x, v)."""
    rows, columns = payoffs.shape
    solution = linprog(
        np.append(np.zeros(rows), -1.0),
        A_ub=np.hstack([-payoffs.T, np.ones((columns, 1))]),  # v <= each column's worth
        b_ub=np.zeros(columns),
        A_eq=np.append(np.ones(rows), 0.0)[None, :],
        b_eq=[1.0],
        bounds=[(0, None)] * rows + [(None, None)],
    )
    assert solution.success, solution.message
    strategy = np.clip(solution.x[:-1], 0.0, None)
    return strategy / strategy.sum(), float(solution.x[-1])


def exploitability(
    payoffs: Sequence[Sequence[float]], first: Sequence[float], second: Sequence[float]
) -> float:
    """Return the mean of what both players could gain by a best response, from 0."""
    payoffs = np.asarray(payoffs, np.float64)
    first, second = np.asarray(first), np.asarray(second)
    return float((payoffs @ second).max() - (first @ payoffs).min()) / 2
