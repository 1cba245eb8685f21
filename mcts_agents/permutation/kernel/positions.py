"""The transposition table: the node of each position that was reached.

Source: A. Saffidine, T. Cazenave, J. Mehat, "UCD: Upper Confidence bound for rooted
Directed acyclic graphs", Knowledge-Based Systems 34 (2011), for searches of this kind.
"""

import numpy as np
from numba import njit

from mcts_agents.model import calls as call
from mcts_agents.model.hashing import mixed
from mcts_agents.permutation.kernel.records import NONE, node_at, positions_of


@njit
def key_of_state(search, player):
    """Return the key of the state, uint64, in which a player decides."""
    return mixed(mixed(np.uint64(0), player), call.state_key(search, np.int64(-1)))


@njit
def find_position(search, key):
    """Return the node of a position, NONE if it has none."""
    positions = positions_of(search)
    last = np.uint64(search.positions_length - 1)
    at = key & last
    while positions[at] != 0:
        node = np.int64(positions[at]) - 1
        if node_at(search, node).key == key:
            return node
        at = (at + np.uint64(1)) & last
    return np.int64(NONE)


@njit
def enter_position(search, key, node):
    """Enter a position's node; there is room for it."""
    positions = positions_of(search)
    last = np.uint64(search.positions_length - 1)
    at = key & last
    while positions[at] != 0:
        at = (at + np.uint64(1)) & last
    positions[at] = node + 1


@njit
def enter_all(search):
    """Enter all nodes into an empty table."""
    for node in range(search.node_count):
        enter_position(search, node_at(search, node).key, node)
