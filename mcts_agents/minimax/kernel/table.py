"""The table of positions: what was found below a position when it was searched before.

Values are the root player's, so a position's key goes with the root player and with the
opponents who have moved freely, and with who has passed. An entry whose search never
reached the horizon is good for any depth.
"""

import numpy as np
from numba import njit

from mcts_agents.minimax.kernel.records import (
    AT_LEAST,
    AT_MOST,
    EMPTY,
    EXACT,
    NO_ACTION,
    entries_of,
)
from mcts_agents.model import calls as call
from mcts_agents.model.hashing import mixed


@njit
def write_key(search, frame):
    """Write the key of a frame's state, and its place in the table, into the frame.

    Every decision has keys of its own, so nothing of an earlier one is found, and
    places that do not depend on how many there were.
    """
    key = mixed(np.uint64(0), call.state_key(search, np.int64(-1)))
    key = mixed(key, frame.free)
    if search.passes:
        key = mixed(key, frame.passed)
    frame.place = np.int64(key & np.uint64(search.entries_length - 1))
    # Not the other way round: `mixed` begins with an exclusive or, and decisions are
    # numbered as positions may be.
    frame.key = mixed(key, search.generation)


@njit
def look_up(search, frame):
    """Return whether the value of a frame is known as well as its window asks for.

    Then it is the record's. The frame gets the best action that was found, or
    NO_ACTION, in `best`.
    """
    entry = entries_of(search)[frame.place]
    frame.best = NO_ACTION
    if entry.flag == EMPTY or entry.key != frame.key:
        return False
    frame.best = entry.best
    if entry.depth < frame.depth and not entry.complete:
        return False
    search.value = entry.value
    search.complete = entry.complete
    if entry.flag == EXACT:
        return True
    if entry.flag == AT_LEAST:
        return entry.value >= frame.beta
    return entry.value <= frame.alpha


@njit
def remember(search, frame):
    """Keep what was found at a frame, unless something deeper is kept in its place."""
    if not frame.low < frame.high:
        return  # rounding left no window: the value may be a bound of either kind
    entry = entries_of(search)[frame.place]
    if (
        entry.flag != EMPTY
        and entry.key == frame.key
        and (entry.complete > frame.complete or entry.depth > frame.depth)
        and not frame.complete
    ):
        return
    entry.key = frame.key
    entry.value = frame.value
    entry.best = frame.best
    entry.depth = min(frame.depth, 32767)
    entry.complete = frame.complete
    entry.flag = EXACT
    if frame.value <= frame.low:
        entry.flag = AT_MOST
    elif frame.value >= frame.high:
        entry.flag = AT_LEAST
