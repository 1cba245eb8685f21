"""The choice among values: the greatest, and each of equal ones as often."""

import numpy as np
import pytest
from numba import njit

from mcts_agents.model import draw_below, new_generator
from mcts_agents.permutation.kernel.weights import random_greatest


@njit
def chosen(address, count, rng):
    return random_greatest(address, count, rng)


@pytest.mark.parametrize("count", [1, 2, 48, 64, 65, 128, 200])
def test_the_greatest_of_any_number_of_values(count):
    values = np.full(256, 9.0)  # what lies behind is not looked at
    drawn = np.random.default_rng(count)
    for _ in range(50):
        values[:count] = drawn.integers(-3, drawn.integers(-2, 9), count)
        if drawn.random() < 0.2:
            values[drawn.integers(count)] = np.inf
        rng, again = new_generator(1), new_generator(1)
        best = np.flatnonzero(values[:count] == values[:count].max()).tolist()
        at = draw_below(again, len(best)) if len(best) > 1 else 0
        assert chosen(values.ctypes.data, count, rng) == best[at]
        assert rng.tolist() == again.tolist()
