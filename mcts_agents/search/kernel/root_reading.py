"""The decision at the root, begun and read in compiled code.

To write and read records one by one in Python costs more than a short search.
"""

import numpy as np
from numba import carray, njit

from mcts_agents.model import calls as call
from mcts_agents.model.addresses import as_pointer
from mcts_agents.model.random import random_below
from mcts_agents.search.kernel.records import (
    ALL_DRAW,
    FIRST_WINNER,
    NONE,
    UNPROVEN,
    edges_of,
    joint_action_of,
    leaf_of,
    nodes_of,
    slots_of,
    teams_of,
)
from mcts_agents.search.kernel.tree import count_players

# What is proven of an action for the player who takes it.
LOSS, OPEN, WIN = range(3)


@njit
def begin_decision(search, empty):
    """Make what plug-ins see, and policies remember, that of a new decision.

    Nobody knows what the policies of modelled players have seen before.

    Args:
        search: The SEARCH record, which has begun it.
        empty: Whether nothing is kept in the trees.
    """
    call.begin_policies(search)
    leaf_of(search).root_player = search.root_player
    carray(as_pointer(search.error), 1, np.int64)[0] = 0
    for player in range(search.players):
        joint_action_of(search)[player] = -1
    if empty:
        for tree in range(search.trees):
            edges_of(search)[tree].child = NONE
            edges_of(search)[tree].outcome = UNPROVEN
    return 0


@njit
def read_root(search, link, player, actions, visits, values, ranks):
    """Write what is known of a player's actions below a tree's root link.

    Args:
        search: The SEARCH record.
        link: The root link of the player's tree.
        player: Whose decision it is.
        actions: The legal actions, int32, shape (n,).
        visits: Out: visits of each, int64; what is not in the tree stays.
        values: Out: mean values, float64; what was never taken stays.
        ranks: Out: LOSS, OPEN or WIN of each, int64; what is not in the tree stays.
    """
    slots = slots_of(search)
    for i in range(len(actions)):
        slots[actions[i]] = i
    node = np.int64(edges_of(search)[link].child)
    while node >= 0:
        players = count_players(nodes_of(search)[node].movers)
        for index in range(node, node + players):
            bandit = nodes_of(search)[index]
            if bandit.player != player:
                continue
            for at in range(bandit.first, bandit.first + bandit.count):
                edge = edges_of(search)[at]
                i = slots[edge.action]
                # Legal in another determinization of a tree that was kept, it may be.
                if i >= len(actions) or actions[i] != edge.action:
                    continue
                visits[i] = edge.visits
                if edge.visits > 0:
                    values[i] = edge.mean
                ranks[i] = OPEN
                if edge.outcome != UNPROVEN and edge.outcome != ALL_DRAW:
                    won = edge.outcome == FIRST_WINNER + teams_of(search)[player]
                    ranks[i] = WIN if won else LOSS
        node = np.int64(nodes_of(search)[node].sibling)
    return 0


@njit
def list_best(ranks, visits, values, by_value, best):
    """Write the places of the best actions, which nothing tells apart; return how many.

    Args:
        ranks: LOSS, OPEN or WIN of each action, which counts most, int64.
        visits: Visits, which count next, int64.
        values: Mean values, float64; NaN is less than any.
        by_value: Whether values count before visits.
        best: Out: the places, ascending, int64, room for all.
    """
    count = 0
    for i in range(len(ranks)):
        if count > 0:
            order = compared(ranks, visits, values, by_value, i, best[0])
            if order < 0:
                continue
            if order > 0:
                count = 0
        best[count] = i
        count += 1
    return count


@njit
def compared(ranks, visits, values, by_value, i, j):
    """Return 1 if action i is better than j, -1 if it is worse, 0 if neither."""
    if ranks[i] != ranks[j]:
        return 1 if ranks[i] > ranks[j] else -1
    first = values[i] if values[i] == values[i] else -np.inf
    second = values[j] if values[j] == values[j] else -np.inf
    if by_value and first != second:
        return 1 if first > second else -1
    if visits[i] != visits[j]:
        return 1 if visits[i] > visits[j] else -1
    if first != second:
        return 1 if first > second else -1
    return 0


@njit
def choose_action(search, link, player, actions, by_value, rng):
    """Return the best action, which `read_root` and `list_best` say; ties at random.

    Args:
        search: The SEARCH record.
        link: The root link of the player's tree.
        player: Whose decision it is.
        actions: The legal actions, int32, shape (n,).
        by_value: Whether values count before visits.
        rng: The search's generator.
    """
    n = len(actions)
    visits = np.zeros(n, np.int64)
    values = np.full(n, np.nan)
    ranks = np.full(n, np.int64(OPEN))
    best = np.empty(n, np.int64)
    read_root(search, link, player, actions, visits, values, ranks)
    tied = list_best(ranks, visits, values, by_value, best)
    return actions[best[random_below(rng, tied)]]
