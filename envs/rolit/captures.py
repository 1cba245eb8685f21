"""Captures, neighbours and stable balls on a board of 8x8 fields in one 64-bit word.

Bit row * 8 + column is the field. A step along an axis is a shift of the word: by 1 for
a row, 8 for a column, 9 and 7 for the diagonals. Lines run through the inner columns
only (for columns: through all fields), so that a shift never runs over the edge into
the next row.
"""

import numpy as np
from numba import njit

SIDE = 8
FIELDS = SIDE * SIDE

ZERO, ONE = np.uint64(0), np.uint64(1)
ALL = ~ZERO
_INNER = np.uint64(0x7E7E7E7E7E7E7E7E)  # all columns but the first and the last
_NOT_FIRST = np.uint64(0xFEFEFEFEFEFEFEFE)
_NOT_LAST = np.uint64(0x7F7F7F7F7F7F7F7F)
_SIDES = ~_INNER
_TOP_AND_BOTTOM = np.uint64(0xFF000000000000FF)
_BORDER = _SIDES | _TOP_AND_BOTTOM
_ROW, _COLUMN, _FALLING, _RISING = (np.uint64(shift) for shift in (1, 8, 9, 7))


@njit
def beside(balls):
    """Return the fields that touch a ball in one of the 8 directions, full ones too."""
    wide = balls | (balls << _ROW) & _NOT_FIRST | (balls >> _ROW) & _NOT_LAST
    return wide | wide << _COLUMN | wide >> _COLUMN


@njit
def runs(starts, between, shift):
    """Return the balls of `between` in unbroken lines from `starts`, both ways.

    At most six balls lie between two others. Two words at a time keep the processor
    busy: one line runs up, one down.
    """
    up = between & (starts << shift)
    down = between & (starts >> shift)
    for _ in range(5):
        up |= between & (up << shift)
        down |= between & (down >> shift)
    return up, down


@njit
def ends(own, between, shift):
    """Return the fields behind lines of foreign balls that begin at own ones."""
    up, down = runs(own, between, shift)
    return up << shift | down >> shift


@njit
def capturing(own, foreign):
    """Return the empty fields on which a ball captures at least one other."""
    inner = foreign & _INNER
    found = ends(own, inner, _ROW) | ends(own, foreign, _COLUMN)
    found |= ends(own, inner, _FALLING) | ends(own, inner, _RISING)
    return found & ~(own | foreign)


@njit
def taken_along(ball, own, between, shift):
    """Return the foreign balls of an axis that end at an own ball."""
    up, down = runs(ball, between, shift)
    taken = ZERO
    if (up << shift) & own:
        taken = up
    if (down >> shift) & own:
        taken |= down
    return taken


@njit
def captured(ball, own, foreign):
    """Return the balls that a new ball captures; `ball` is its bit."""
    inner = foreign & _INNER
    taken = taken_along(ball, own, inner, _ROW)
    taken |= taken_along(ball, own, foreign, _COLUMN)
    taken |= taken_along(ball, own, inner, _FALLING)
    return taken | taken_along(ball, own, inner, _RISING)


@njit
def placeable(own, occupied):
    """Return the fields on which the owner of `own` may put a ball.

    Those that capture; if there are none, all that touch a ball.
    """
    fields = capturing(own, occupied & ~own)
    return fields if fields else beside(occupied) & ~occupied


@njit
def full_along(empty, shift, kept_up, kept_down):
    """Return the fields on whose line along an axis no field is empty."""
    up = down = empty
    for _ in range(SIDE - 1):
        up |= (up << shift) & kept_up
        down |= (down >> shift) & kept_down
    return ~(up | down)


@njit
def safe_lines(occupied):
    """Return for each axis the fields that a full line or the edge makes safe."""
    empty = ~occupied
    row = full_along(empty, _ROW, _NOT_FIRST, _NOT_LAST) | _SIDES
    column = full_along(empty, _COLUMN, ALL, ALL) | _TOP_AND_BOTTOM
    falling = full_along(empty, _FALLING, _NOT_FIRST, _NOT_LAST) | _BORDER
    rising = full_along(empty, _RISING, _NOT_LAST, _NOT_FIRST) | _BORDER
    return row, column, falling, rising


@njit
def stable(own, safe):
    """Return the balls of one colour that nobody can capture any more.

    A ball is stable if along each axis its line is full, or one of its two neighbours
    is off the board or a stable ball of its colour; `safe` is what `safe_lines` found.
    Beginning with none, more are found until no more are.
    """
    row, column, falling, rising = safe
    found = own & row & column & falling & rising
    if not found:
        return found
    while True:
        left, right = found & _NOT_FIRST, found & _NOT_LAST
        more = own & (row | right << _ROW | left >> _ROW)
        more &= column | found << _COLUMN | found >> _COLUMN
        more &= falling | right << _FALLING | left >> _FALLING
        more &= rising | left << _RISING | right >> _RISING
        if more == found:
            return found
        found = more
