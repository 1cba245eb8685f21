"""Opponent move abstraction: what an action is worth after the same own moves.

A *pool* holds the mean of the values after a sequence of one player's own moves,
whatever the others did in between. `tree_policies/extended.py` mixes it with the value
of an action in its own position (equations 4 and 5).

Source: H. Baier, M. Kaisers, "Guiding multiplayer MCTS by focusing on yourself", CoG
2020, section III.
"""

import numpy as np
from numba import njit

from mcts_agents.model.hashing import mixed
from mcts_agents.search.kernel.parts import Array, Condition, Part, array_of, one_of
from mcts_agents.search.kernel.records import (
    candidate_edge,
    decision_of,
    each_legal_action,
    each_player,
    edges_of,
    nodes_of,
    path_of,
)
from mcts_agents.search.kernel.rewards import value_of_step
from mcts_agents.search.kernel.tree_policies import reads

# The value of a sequence of one player's own moves.
POOL = np.dtype([("key", np.uint64), ("visits", np.int64), ("mean", np.float64)])
POOL_BYTES = POOL.itemsize

# Room at the start.
FIRST_POOLS = 1 << 14


def _is_on(settings):
    return settings.abstraction != "none"


PART = Part(
    fields=[
        ("abstracted", np.int64),  # players whose opponents' moves are abstracted
        ("pool_count", np.int64),
    ],
    arrays={
        # length a power of two, or none
        "pools": Array(POOL, lambda model, s: FIRST_POOLS if _is_on(s) else 0),
        "contexts": Array(np.uint64, each_player),
        # of each candidate's pool
        "abstract_visits": Array(np.float64, each_legal_action),
        "abstract_means": Array(np.float64, each_legal_action),
    },
    needs={
        "abstraction": [one_of("tree", "one"), reads("abstraction")],
        "abstraction_visits": [Condition(_is_on, "abstraction own or all")],
    },
    extended=_is_on,
)

pools_of = array_of("pools", POOL)
contexts_of = array_of("contexts", np.uint64)
abstract_visits_of = array_of("abstract_visits", np.float64)
abstract_means_of = array_of("abstract_means", np.float64)


@njit
def begin_contexts(search):
    """Begin each player's sequence of own moves."""
    for player in range(search.players):
        contexts_of(search)[player] = mixed(np.uint64(0), player)


@njit
def add_to_context(search, player, action):
    """Add a move to a player's sequence; return the sequence's key."""
    context = mixed(contexts_of(search)[player], action)
    contexts_of(search)[player] = context
    return context


@njit
def look_up_pools(search, bandit):
    """Write visits and mean of each candidate's pool for the tree policy."""
    context = contexts_of(search)[bandit.player]
    for i in range(decision_of(search).count):
        action = edges_of(search)[candidate_edge(search, i)].action
        pool = pools_of(search)[place_of_pool(search, mixed(context, action))]
        abstract_visits_of(search)[i] = pool.visits
        abstract_means_of(search)[i] = pool.mean
    decision_of(search).abstract_visits = search.abstract_visits


@njit
def update_pools(search):
    """Add the values to the pools of own moves (opponent move abstraction)."""
    for i in range(search.step_count):
        step = path_of(search)[i]
        player = nodes_of(search)[step.node].player
        if search.abstracted >> player & 1:
            pool = pools_of(search)[place_of_pool(search, step.context)]
            if pool.visits == 0:
                search.pool_count += 1
                pool.key = step.context
                pool.mean = 0.0
            pool.visits += 1
            pool.mean += (value_of_step(search, i, player) - pool.mean) / pool.visits


@njit
def place_of_pool(search, key):
    """Return the place of a pool in the hash table, or of a free entry for it."""
    last = len(pools_of(search)) - 1
    place = np.int64(key & np.uint64(last))
    while pools_of(search)[place].visits != 0 and pools_of(search)[place].key != key:
        place = (place + 1) & last
    return place


@njit
def rehash_pools(old, new):
    """Enter all pools of `old` into `new`, a larger table of zeros."""
    last = len(new) - 1
    for pool in old:
        if pool.visits != 0:
            place = np.int64(pool.key & np.uint64(last))
            while new[place].visits != 0:
                place = (place + 1) & last
            new[place] = pool
    return 0
