"""Opponent move abstraction: what an action is worth after the same own moves.

A *pool* holds the mean of the values after an action in a *context*, whatever the
opponents did in between. `tree_policies/extended.py` mixes it with the value of the
action in its own position (equations 4 and 5). Where an untried action comes first, the
policy reads no pool, and none is looked up (`show_pools`).

The context of a player's action is

- `sequence`: all of that player's own moves before (the paper's, Figure 2);
- `last`: the player's last decision, as a node of the tree, and the action taken there
  (TAG's): only what opponents did since is abstracted, and a player's first decision
  has no pools.

Pools are forgotten between decisions, or kept for the whole game (`keep_abstraction`,
the paper's option f). Contexts then go on from the moves that were really played, so
that kept pools are those of positions that the game can still reach; all others are
dropped (`keep_pools`). The ranges that values are scaled by are kept as well, because
kept pools hold values of those ranges.

Refused: trees that have no node for opponents (they abstract already), and policies
that do not compare values. Pools are kept of one search only, not
of several threads or determinizations, whose pools hold different things; and not with
the context `last`, whose nodes belong to the last decision's tree.

Source: H. Baier, M. Kaisers, "Guiding multiplayer search by focusing on yourself", CoG
2020, section III.
"""

import numpy as np
from numba import njit

from mcts_agents.model.contract import MAX_PLAYERS
from mcts_agents.model.hashing import mixed
from mcts_agents.search.kernel.parts import Array, Condition, Part, array_of, one_of
from mcts_agents.search.kernel.records import (
    POOL,
    candidate_edge,
    decision_of,
    each_legal_action,
    edge_pools_of,
    edges_of,
    nodes_of,
    path_of,
    settings_at,
)
from mcts_agents.search.kernel.rewards import value_of_step
from mcts_agents.search.kernel.tree_policies import reads, tree_policy_of
from mcts_agents.search.kernel.tree_policies.extended import WEIGHTS
from mcts_agents.search.kernel.tree_policies.first_play import comes_first

# What one takes where arrays have just doubled, its places in the hash table included.
POOL_BYTES = 2 * POOL.itemsize + 4 * 4

# Room at the start.
FIRST_POOLS = 1 << 14


# The context of a player's first decision, with the context `last`: it has no pools.
NO_CONTEXT = np.uint64(0)

# Each player's context when a game begins: numbers that differ in many bits, because
# `mixed` takes contexts that differ in the bits of actions for one another.
FIRST_CONTEXTS = np.arange(1, MAX_PLAYERS + 1, dtype=np.uint64) * np.uint64(
    0x9E3779B97F4A7C15
)


def is_on(settings):
    """Whether opponents' moves are abstracted."""
    return settings.abstraction != "none"


def _in_sequence(settings):
    return settings.abstraction_context == "sequence"


def _values(model, settings):
    return {
        "context_of_last": not _in_sequence(settings),
        # The root is the one position of its context, in this search.
        "pools_at_root": (
            settings.keep_abstraction
            or settings.reuse_tree
            or settings.backup != "monte_carlo"
            or not isinstance(settings.tree_policy, str)
        ),
        "root_contexts": FIRST_CONTEXTS if _in_sequence(settings) else NO_CONTEXT,
        "pools_in_place": is_on(settings) and _in_place(settings),
        "pools_unknown": settings.reuse_tree,
    }


def _in_place(settings):
    """Whether the tree policy reads pools where they are.

    In a graph an edge has several.
    """
    policy = tree_policy_of(settings.tree_policy)
    reads_them = policy.abstract is not None
    return (
        reads_them
        and policy.chooser(settings) is policy.abstract
        and not settings.graph
    )


def _check(model, settings):
    if settings.keep_abstraction:
        for name in ("determinizations", "threads"):
            if getattr(settings, name) > 1:
                raise ValueError(
                    f"keep_abstraction=true works only with {name}=1, because "
                    "statistics of several searches cannot be merged"
                )


PART = Part(
    fields=[
        ("abstracted", np.int64),  # players whose opponents' moves are abstracted
        ("context_of_last", np.int64),  # contexts are of the last decision only
        ("pools_at_root", np.int64),  # those of the root hold more than its edges
        ("pool_count", np.int64),
        ("root_contexts", np.uint64, MAX_PLAYERS),
        ("pools_in_place", np.int64),  # the tree policy reads them where they are
        ("pools_unknown", np.int64),  # edges of a kept tree do not know theirs
    ],
    values=_values,
    arrays={
        # In the order in which they were made; length a power of two, or none.
        "pools": Array(POOL, lambda model, s: FIRST_POOLS if is_on(s) else 0),
        # A hash table of their numbers, from 1, twice as long; 0: a free entry.
        "pool_places": Array(
            np.int32, lambda model, s: 2 * FIRST_POOLS if is_on(s) else 0
        ),
        # The number of each edge's pool, as many as edges or none; 0: not known yet.
        "edge_pools": Array(np.int32),
        # of each candidate's pool
        "abstract_visits": Array(np.float64, each_legal_action),
        "abstract_means": Array(np.float64, each_legal_action),
        # beta of equation 5, by an action's visits
        "abstract_weights": Array(
            np.float64, lambda model, s: WEIGHTS if is_on(s) else 0
        ),
    },
    needs={
        "abstraction": [one_of("tree", "one"), reads("abstraction")],
        "abstraction_visits": [Condition(is_on, "abstraction own or all")],
        "abstraction_context": [Condition(is_on, "abstraction own or all")],
        "keep_abstraction": [
            Condition(is_on, "abstraction own or all"),
            one_of("abstraction_context", "sequence"),
        ],
    },
    check=_check,
)

pools_of = array_of("pools", POOL)
pool_places_of = array_of("pool_places", np.int32)
abstract_visits_of = array_of("abstract_visits", np.float64)
abstract_means_of = array_of("abstract_means", np.float64)


def weights(settings):
    """Return beta of equation 5 (`weight_of`) after 0, 1, ... visits, (WEIGHTS,)."""
    e = settings.abstraction_visits
    return np.sqrt(e / (3.0 * np.arange(WEIGHTS) + e))


@njit
def context_at(search, player, step_count):
    """Return a player's context after the first steps of the path."""
    context = search.root_contexts[player]
    for i in range(step_count):
        step = path_of(search)[i]
        if nodes_of(search)[step.node].player == player:
            action = edges_of(search)[step.edge].action
            if search.context_of_last:
                context = mixed(np.uint64(0), step.node)
            context = mixed(context, action)
    return context


@njit
def show_pools(search, depth):
    """Show the tree policy the pools of its candidates, where it will read them.

    Args:
        search: The SEARCH record.
        depth: Decisions of the tree above this one.
    """
    decision = decision_of(search)
    decision.abstract_visits = 0
    decision.edge_pools = 0
    if not search.abstracted >> decision.player & 1:
        return
    if depth == 0 and not search.pools_at_root:
        return
    if search.context_of_last:
        if context_at(search, decision.player, search.step_count) == NO_CONTEXT:
            return
    # Most decisions of a bushy tree try something new.
    if not search.own_policy and comes_first(decision, settings_at(search.settings)):
        return
    if not search.pools_in_place:
        look_up_pools(search)
        return
    if search.pools_unknown:
        find_pools(search)
    decision.edge_pools = search.edge_pools


@njit
def find_pools(search):
    """Note the number of each candidate's pool."""
    decision = decision_of(search)
    for i in range(decision.count):
        edge = candidate_edge(search, i)
        if edge_pools_of(search)[edge] == 0:
            find_pool(search, decision.player, edge)


@njit
def look_up_pools(search):
    """Write visits and mean of each candidate's pool for the tree policy."""
    decision = decision_of(search)
    # Viewed once: stores into one array could change the addresses of others, as far
    # as the compiler knows.
    pools, numbers = pools_of(search), edge_pools_of(search)
    visits, means = abstract_visits_of(search), abstract_means_of(search)
    count, first = decision.count, decision.first
    in_order = decision.candidates == 0
    for i in range(count):
        edge = first + i if in_order else candidate_edge(search, i)
        number = np.int64(numbers[edge])
        if number == 0:
            number = find_pool(search, decision.player, edge)
        visits[i] = 0.0
        if number > 0:
            pool = pools[number - 1]
            visits[i] = pool.visits
            means[i] = pool.mean
    decision.abstract_visits = search.abstract_visits


@njit
def find_pool(search, player, edge):
    """Return the number of the pool of a player's edge, 0 if there is none."""
    context = context_at(search, player, search.step_count)
    if context == NO_CONTEXT:
        return np.int64(0)
    key = mixed(context, edges_of(search)[edge].action)
    places = pool_places_of(search)
    number = np.int64(places[place_of_pool(pools_of(search), places, key)])
    note_pool(search, edge, number)
    return number


@njit
def note_pool(search, edge, number):
    """Note the number of an edge's pool, if the edge has one context only."""
    if not search.graph:
        edge_pools_of(search)[edge] = number


@njit
def update_pools(search):
    """Add the values to the pools of the actions on the path."""
    for i in range(search.step_count):
        player = nodes_of(search)[path_of(search)[i].node].player
        update_pool(search, i, player, value_of_step(search, i, player))


@njit
def update_pool(search, i, player, value):
    """Add a value to the pool of a step of the path."""
    if not search.abstracted >> player & 1:
        return
    number = np.int64(edge_pools_of(search)[path_of(search)[i].edge])
    if number == 0:
        number = pool_of_step(search, i, player)
        if number == 0:
            return
    pool = pools_of(search)[number - 1]
    visits = pool.visits + 1
    pool.visits = visits
    pool.mean += (value - pool.mean) / visits


@njit
def pool_of_step(search, i, player):
    """Return the number of the pool of a step, made if need be; 0 if it has none."""
    context = context_at(search, player, i)
    if context == NO_CONTEXT:
        return np.int64(0)
    edge = path_of(search)[i].edge
    key = mixed(context, edges_of(search)[edge].action)
    pools, places = pools_of(search), pool_places_of(search)
    place = place_of_pool(pools, places, key)
    if places[place] == 0:
        pool = pools[search.pool_count]
        pool.key = key
        pool.visits = 0
        pool.mean = 0.0
        pool.context = context
        search.pool_count += 1
        places[place] = search.pool_count
    number = np.int64(places[place])
    note_pool(search, edge, number)
    return number


@njit
def place_of_pool(pools, places, key):
    """Return the place of a pool in the hash table, or of a free entry for it."""
    last = len(places) - 1
    place = np.int64(key & np.uint64(last))
    while places[place] != 0 and pools[places[place] - 1].key != key:
        place = (place + 1) & last
    return place


@njit
def enter_pools(pools, count, places):
    """Enter the first `count` pools into a hash table of zeros."""
    for i in range(count):
        places[place_of_pool(pools, places, pools[i].key)] = i + 1
    return 0


@njit
def keep_pools(old, old_places, new, root_contexts, movers, actions):
    """Copy those pools of `old` into `new` that the game can still reach.

    A pool's context is the key of another pool, that of the own move before, up to
    the root's context; so the way up decides whether a pool can still be met.

    Args:
        old: The pools of the last decision; those behind its last one are zeros.
        old_places: Their hash table.
        new: Zeros, as many.
        root_contexts: Each player's context at the last root, uint64, (players,). It
            becomes that at the new root, in place.
        movers: Who has moved since, in order.
        actions: What each of them played; NONE for an action that was not seen, after
            which none of its player's pools can be met again.

    Returns:
        How many pools were kept.
    """
    for i in range(len(movers)):
        player = movers[i]
        root_contexts[player] = mixed(root_contexts[player], actions[i])
    kept = 0
    for pool in old:
        if pool.visits == 0:
            break
        if is_below(old, old_places, pool.context, root_contexts):
            new[kept] = pool
            kept += 1
    return kept


@njit
def is_below(pools, places, context, root_contexts):
    """Whether a context lies at or below one of the new roots."""
    while True:
        for root in root_contexts:
            if context == root:
                return True
        number = places[place_of_pool(pools, places, context)]
        if number == 0:
            return False
        context = pools[number - 1].context
