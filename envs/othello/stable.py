"""Discs of Othello that nothing can turn over any more."""

from numba import njit

from mcts_agents.envs.flanked import (
    COLUMN_STEP,
    LEFT_AND_RIGHT,
    ROW_STEP,
    TOP_AND_BOTTOM,
)

CORNERS = LEFT_AND_RIGHT & TOP_AND_BOTTOM


@njit
def stable_on_edges(own):
    """Return discs that nothing can turn over: runs along edges from own corners."""
    found = own & CORNERS
    while True:
        across = ((found << ROW_STEP) | (found >> ROW_STEP)) & TOP_AND_BOTTOM
        along = ((found << COLUMN_STEP) | (found >> COLUMN_STEP)) & LEFT_AND_RIGHT
        grown = found | ((across | along) & own)
        if grown == found:
            return found
        found = grown
