"""The squares of Othello as bits: which moves capture, and what they turn over.

Bit `row * 8 + column`, rows from the top. A direction is a shift by 1, 7, 8 or 9 bits,
up (to lower rows, or to the right) or down. `own` and `other` are the discs of the
player who moves and of the opponent.

Moves are found for all squares at once by parallel prefixes (Kogge, Stone 1973), what a
move turns over by carries along rays, as in R. Delorme's program Edax.
"""

import numpy as np
from numba import njit

from mcts_agents.model.bits import bit_of, highest_bit

SIDE = 8
SQUARES = SIDE * SIDE
ZERO, ONE = np.uint64(0), np.uint64(1)
_1, _7, _8, _9 = (np.uint64(n) for n in (1, 7, 8, 9))
LEFT_COLUMN = np.uint64(0x0101010101010101)
RIGHT_COLUMN = np.uint64(0x8080808080808080)
# Discs that shifts may lead through without coming out at the other side of the board.
INNER_COLUMNS = np.uint64(0x7E7E7E7E7E7E7E7E)
SIDE_COLUMNS = LEFT_COLUMN | RIGHT_COLUMN
OUTER_ROWS = np.uint64(0xFF000000000000FF)
CORNERS = np.uint64(0x8100000000000081)


def _rays(directions):
    """Return the squares that each square sees in some directions, uint64 (64, 4)."""
    found = np.zeros((SQUARES, 4), np.uint64)
    for square in range(SQUARES):
        for place, (down, right) in enumerate(directions):
            row, column = square // SIDE + down, square % SIDE + right
            while 0 <= row < SIDE and 0 <= column < SIDE:
                found[square, place] |= np.uint64(1 << (row * SIDE + column))
                row, column = row + down, column + right
    return found


# Rays to squares of higher, and of lower numbers.
RAYS_UP = _rays(((0, 1), (1, -1), (1, 0), (1, 1)))
RAYS_DOWN = _rays(((0, -1), (-1, 1), (-1, 0), (-1, -1)))


@njit
def ends_of_runs(own, through, shift):
    """Return the squares behind runs of discs `through` that begin beside own ones.

    Along one line in both directions; runs of 1 to 6 discs.
    """
    twice = shift + shift
    up = through & (own << shift)
    down = through & (own >> shift)
    up |= through & (up << shift)
    down |= through & (down >> shift)
    pairs = through & (through << shift)
    lower_pairs = pairs >> shift
    up |= pairs & (up << twice)
    down |= lower_pairs & (down >> twice)
    up |= pairs & (up << twice)
    down |= lower_pairs & (down >> twice)
    return (up << shift) | (down >> shift)


@njit
def capturing(own, other):
    """Return the squares on which a disc would capture, as bits."""
    inner = other & INNER_COLUMNS
    found = ends_of_runs(own, inner, _1)
    found |= ends_of_runs(own, inner, _7)
    found |= ends_of_runs(own, other, _8)
    found |= ends_of_runs(own, inner, _9)
    return found & ~(own | other)


@njit
def captured(own, other, square):
    """Return the discs that a disc on a square turns over, as bits."""
    turned = ZERO
    for i in range(4):
        # A carry runs along the ray through the other's discs to what ends them.
        ray = RAYS_UP[square, i]
        end = ((other | ~ray) + ONE) & ray & own
        turned |= (end - np.uint64(end != ZERO)) & ray
        # Where the other's discs fill the ray there is no own one for `end`.
        ray = RAYS_DOWN[square, i]
        end = bit_of(highest_bit(ray & ~other)) & ray & own
        turned |= (ZERO - (end << ONE)) & ray
    return turned


@njit
def beside(squares):
    """Return the squares with a neighbour among these, as bits."""
    right = (squares & ~RIGHT_COLUMN) << ONE
    left = (squares & ~LEFT_COLUMN) >> ONE
    row = squares | right | left
    return right | left | (row << _8) | (row >> _8)


@njit
def stable_on_edges(own):
    """Return discs that nothing can turn over: runs along edges from own corners."""
    found = own & CORNERS
    while True:
        across = ((found << ONE) | (found >> ONE)) & OUTER_ROWS
        along = ((found << _8) | (found >> _8)) & SIDE_COLUMNS
        grown = found | ((across | along) & own)
        if grown == found:
            return found
        found = grown
