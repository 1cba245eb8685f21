"""Balls of Rolit that nobody can capture any more.

Steps along an axis are shifts of the word (see `flanked`). Lines never run over the
edge into the next row.
"""

from numba import njit

from mcts_agents.envs.flanked import (
    COLUMN_STEP,
    FALLING_STEP,
    LEFT_AND_RIGHT,
    NOT_LEFT,
    NOT_RIGHT,
    RISING_STEP,
    ROW_STEP,
    SIDE,
    TOP_AND_BOTTOM,
    ZERO,
)

ALL = ~ZERO
BORDER = LEFT_AND_RIGHT | TOP_AND_BOTTOM


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
    row = full_along(empty, ROW_STEP, NOT_LEFT, NOT_RIGHT) | LEFT_AND_RIGHT
    column = full_along(empty, COLUMN_STEP, ALL, ALL) | TOP_AND_BOTTOM
    falling = full_along(empty, FALLING_STEP, NOT_LEFT, NOT_RIGHT) | BORDER
    rising = full_along(empty, RISING_STEP, NOT_RIGHT, NOT_LEFT) | BORDER
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
        left, right = found & NOT_LEFT, found & NOT_RIGHT
        more = own & (row | right << ROW_STEP | left >> ROW_STEP)
        more &= column | found << COLUMN_STEP | found >> COLUMN_STEP
        more &= falling | right << FALLING_STEP | left >> FALLING_STEP
        more &= rising | left << RISING_STEP | right >> RISING_STEP
        if more == found:
            return found
        found = more
