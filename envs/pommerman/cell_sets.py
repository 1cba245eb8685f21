"""Sets of cells of Pommerman as bits: what is in view, and what can be walked to."""

import numpy as np
from numba import njit

from mcts_agents.envs.pommerman.layout import STRIDE, WORDS
from mcts_agents.model.bits import bit_of, count_bits, nth_bit

SET_AS_INT32 = 2 * WORDS  # for one set on the stack
BACK, STRIDE_BITS = np.uint64(63), np.uint64(STRIDE)
STRIDE_BACK = np.uint64(64 - STRIDE)
ONE, NO_CELLS = np.uint64(1), np.uint64(0)


@njit
def add(cells, cell):
    """Add a cell to a set."""
    cells[cell >> 6] |= bit_of(cell)


@njit
def remove(cells, cell):
    """Take a cell out of a set."""
    cells[cell >> 6] &= ~bit_of(cell)


@njit
def write_view(game, own, view):
    """Write the cells in sight of a cell."""
    for word in range(WORDS):
        view[word] = NO_CELLS
    row, column = own // STRIDE, own % STRIDE
    first = max(1, column - game.sight)
    width = min(game.size, column + game.sight) - first + 1
    bits = (ONE << np.uint64(width)) - ONE
    for down in range(max(1, row - game.sight), min(game.size, row + game.sight) + 1):
        cell = down * STRIDE + first
        shift = np.uint64(cell & 63)
        view[cell >> 6] |= bits << shift
        if cell & 63 and (cell >> 6) + 1 < WORDS:
            view[(cell >> 6) + 1] |= bits >> (np.uint64(64) - shift)


@njit
def number_in(cells):
    """Return how many cells a set has."""
    number = 0
    for word in range(WORDS):
        number += count_bits(cells[word])
    return number


@njit
def nth_in(cells, n):
    """Return the cell that `n` others of a set precede."""
    for word in range(WORDS):
        inside = count_bits(cells[word])
        if n < inside:
            return word << 6 | nth_bit(cells[word], n)
        n -= inside
    return 0


@njit
def spread(cells, free):
    """Add all neighbours that are free; return whether there were any new ones.

    The rigid border between the rows keeps a row's end from the next one's beginning.
    """
    a, b, c = cells[0], cells[1], cells[2]
    right_a, right_b, right_c = a << ONE, b << ONE | a >> BACK, c << ONE | b >> BACK
    left_a, left_b, left_c = a >> ONE | b << BACK, b >> ONE | c << BACK, c >> ONE
    down_a = a << STRIDE_BITS
    down_b = b << STRIDE_BITS | a >> STRIDE_BACK
    down_c = c << STRIDE_BITS | b >> STRIDE_BACK
    up_a = a >> STRIDE_BITS | b << STRIDE_BACK
    up_b = b >> STRIDE_BITS | c << STRIDE_BACK
    up_c = c >> STRIDE_BITS
    cells[0] = a | (right_a | left_a | down_a | up_a) & free[0]
    cells[1] = b | (right_b | left_b | down_b | up_b) & free[1]
    cells[2] = c | (right_c | left_c | down_c | up_c) & free[2]
    return cells[0] != a or cells[1] != b or cells[2] != c
