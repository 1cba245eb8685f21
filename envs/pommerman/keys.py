"""Keys of positions of Pommerman, for searches that recognise them."""

import numpy as np
from numba import njit

from mcts_agents.envs.pommerman.layout import CELLS, HIDDEN, SEATS, WORDS
from mcts_agents.model.hashing import mixed

EIGHT = np.uint64(8)
ALL_BITS = 0xFF
PUBLIC_BITS = ALL_BITS & ~HIDDEN


@njit
def key_of(game, state, observer):
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
    return np.int64(mixed(key, word))
