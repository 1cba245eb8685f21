"""Keys of positions of Pommerman, for searches that recognise them."""

import numpy as np
from numba import carray, njit

from mcts_agents.envs.pommerman.cell_sets import SET_AS_INT32, write_view
from mcts_agents.envs.pommerman.layout import (
    CELLS,
    HIDDEN,
    OWNER_SHIFT,
    SEATS,
    WORDS,
    bomb_cell,
    contains,
    world_of,
)
from mcts_agents.model.addresses import stack_int32
from mcts_agents.model.bits import lowest_bit
from mcts_agents.model.hashing import mixed

EIGHT, FIFTY_SIX = np.uint64(8), np.uint64(56)
NO_OWNER = 0xFFFFFFFF & ~(3 << OWNER_SHIFT)
ALL_BITS = 0xFF
PUBLIC_BITS = ALL_BITS & ~HIDDEN


@njit
def key_of(game, state, observer):
    """Return a hash of what an observer knows, of the whole board for observer -1.

    In the fog an observer knows what it believes, if the state holds that, and what it
    sees at present. A search's copies are played on without a belief being kept up, so
    there what was seen on the way has left no trace.
    """
    if game.sight == 0 or observer < 0:
        return np.int64(key_of_world(world_of(state), observer))
    key = np.uint64(0)
    if state.remembering >> observer & 1:
        key = key_of_belief(state.beliefs[observer])
    return np.int64(key_of_view(game, state, observer, key))


@njit
def key_of_world(state, observer):
    """Return a hash of what an observer knows, of the whole state for observer -1.

    Everybody knows the board, who has laid which bomb, and what each has picked up.
    Not known are items under wood and burning wood, and what the others' team mates
    hear. Steps played are part of the key, since the time is limited.
    """
    bits = PUBLIC_BITS if observer >= 0 else ALL_BITS
    key = np.uint64(0)
    for first in range(0, CELLS, 8):
        word = np.uint64(0)
        for cell in range(first, first + 8):
            word = word << EIGHT | np.uint64(state.terrain[cell] & bits)
        key = mixed(key, word)
    for word in range(WORDS):
        key = mixed(key, state.covered[word])
        for life in range(3):
            key = mixed(key, state.flames[life, word])
    for i in range(state.bomb_count):
        key = mixed(key, np.uint64(state.bombs[i]))
    for player in range(SEATS):
        word = np.uint64(state.cells[player])
        word = word << EIGHT | np.uint64(state.ammo[player])
        word = word << EIGHT | np.uint64(state.strength[player])
        hears = observer < 0 or player == observer or (player + 2) % SEATS == observer
        word = word << EIGHT | np.uint64(state.messages[player] if hears else 0)
        key = mixed(key, word)
    word = np.uint64(state.steps)
    word = word << EIGHT | np.uint64(state.alive)
    word = word << EIGHT | np.uint64(state.kick)
    word = word << EIGHT | np.uint64(state.over)
    word = word << EIGHT | np.uint64(state.unseen_items)
    word = word << EIGHT | np.uint64(state.unseen_cells)
    if state.alive == 0:  # who died last draws
        word = word << EIGHT | np.uint64(state.alive_before)
    return mixed(key, word)


@njit
def key_of_belief(belief):
    """Return a hash of all that a player remembers."""
    key = key_of_world(world_of(belief), np.int64(-1))
    for word in range(WORDS):
        key = mixed(key, belief.known[word])
        key = mixed(key, belief.unsettled[word])
        key = mixed(key, belief.not_rigid[word])
        key = mixed(key, belief.opened[word])
    for player in range(SEATS):
        key = mixed(key, np.uint64(belief.last_seen[player] + 1))
    return mixed(key, np.uint64(belief.corner))


@njit
def key_of_view(game, state, observer, key):
    """Return a hash of what a player sees, hears and has, and of a key."""
    view = carray(stack_int32(SET_AS_INT32), WORDS, np.uint64)
    write_view(game, np.int64(state.cells[observer]), view)
    for word in range(WORDS):
        rest = view[word]
        cells = np.uint64(0)
        while rest != 0:
            cell = word << 6 | lowest_bit(rest)
            rest &= rest - np.uint64(1)
            cells = cells << EIGHT ^ cells >> FIFTY_SIX
            cells ^= np.uint64(state.terrain[cell] & PUBLIC_BITS)
            if cell & 7 == 7 or rest == 0:
                key = mixed(key, cells)
        newest = view[word]
        for life in (2, 1, 0):
            key = mixed(key, state.flames[life, word] & newest)
            newest &= ~state.flames[life, word]
    bombs = np.uint64(0)  # whose they are and in which order is not seen
    for i in range(state.bomb_count):
        if contains(view, bomb_cell(state.bombs[i])):
            bombs += mixed(key, np.uint64(state.bombs[i] & NO_OWNER))
    key = mixed(key, bombs)
    for player in range(SEATS):
        is_there = state.alive >> player & 1 and contains(view, state.cells[player])
        hears = player == observer or (player + 2) % SEATS == observer
        word = np.uint64(state.cells[player] if is_there else 0)
        word = word << EIGHT | np.uint64(state.messages[player] if hears else 0)
        key = mixed(key, word)
    word = np.uint64(state.steps)
    for value in (state.cells, state.ammo, state.strength):
        word = word << EIGHT | np.uint64(value[observer])
    word = word << EIGHT | np.uint64(state.kick >> observer & 1)
    word = word << EIGHT | np.uint64(state.alive)
    word = word << EIGHT | np.uint64(state.over)
    return mixed(key, word)
