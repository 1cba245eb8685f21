"""Sets of points of a board as the bits of two words.

A set is a tuple of two `uint64`: bit `row * size + column` of the first word for points
0 to 63, and the second word for those from 64 on. The compiler drops what is done to a
second word that it knows to be zero.
"""

import numpy as np
from numba import njit

from mcts_agents.model.bits import bit_of, count_bits, nth_bit

WORDS, WORD = 2, 64
ZERO, ONE = np.uint64(0), np.uint64(1)
_64 = np.uint64(64)
NOTHING = (ZERO, ZERO)


@njit
def some(points):
    """Whether a set holds any point."""
    return points[0] | points[1] != ZERO


@njit
def common(first, second):
    """Return the points of both sets."""
    return first[0] & second[0], first[1] & second[1]


@njit
def united(first, second):
    """Return the points of either set."""
    return first[0] | second[0], first[1] | second[1]


@njit
def without(first, second):
    """Return the points of the first set that are not in the second."""
    return first[0] & ~second[0], first[1] & ~second[1]


@njit
def count(points):
    """Return how many points a set holds, int64."""
    return count_bits(points[0]) + count_bits(points[1])


@njit
def later(points, by):
    """Return the set in which every point is `by` places later, 1 to 63, uint64."""
    return points[0] << by, points[1] << by | points[0] >> (_64 - by)


@njit
def earlier(points, by):
    """Return the set in which every point is `by` places earlier, 1 to 63, uint64."""
    return points[0] >> by | points[1] << (_64 - by), points[1] >> by


@njit
def lowest(points):
    """Return the set of the first point alone; the set holds one."""
    low, high = points
    if low != ZERO:
        return low & (~low + ONE), ZERO
    return ZERO, high & (~high + ONE)


@njit
def flood(seeds, links, stride, wanted):
    """Return the stones that are linked to some, or enough of them.

    Args:
        seeds: The stones to begin with.
        links: Stones that are linked to the one before them, in the row, and stones
            that are linked to the one above.
        stride: Points from a row to the next, uint64.
        wanted: The flood stops once it holds all of these.
    """
    beside, below = links
    reached = seeds
    while some(without(wanted, reached)):
        along = united(
            common(later(reached, ONE), beside), earlier(common(reached, beside), ONE)
        )
        across = united(
            common(later(reached, stride), below),
            earlier(common(reached, below), stride),
        )
        grown = united(reached, united(along, across))
        if not some(without(grown, reached)):
            break
        reached = grown
    return reached


# Boards of up to 64 points need one word. Functions below, and those that use them,
# take `wide`: True for two words, None for one. None is a type of its own, so they are
# compiled once more for it, without the second word.


@njit
def set_of(words, wide):
    """Return the set that an array of two words holds."""
    if wide is None:
        return words[0], ZERO
    return words[0], words[1]


@njit
def row_of(rows, row, wide):
    """Return the set in one row of an array."""
    if wide is None:
        return rows[row, 0], ZERO
    return rows[row, 0], rows[row, 1]


@njit
def point_at(place, wide):
    """Return the set of a single point."""
    if wide is None:
        return bit_of(place), ZERO
    bit = bit_of(place)
    return (bit, ZERO) if place < WORD else (ZERO, bit)


@njit
def nth_place(points, n, wide):
    """Return the number of the point that `n` points of a set come before, int64."""
    if wide is None:
        return nth_bit(points[0], n)
    below = count_bits(points[0])
    if n < below:
        return nth_bit(points[0], n)
    return WORD + nth_bit(points[1], n - below)
