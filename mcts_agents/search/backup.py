"""The backup phase: the iteration's values, taken in along each tree's own path."""

import numpy as np
from numba import njit

from mcts_agents.search import calls as call
from mcts_agents.search.mast import update_averages
from mcts_agents.search.records import (
    backup_of,
    edge_values_of,
    edges_of,
    nodes_of,
    outcome_of,
    passed_of,
    path_of,
    pools_of,
    statistics_of,
    teams_of,
    values_of,
)
from mcts_agents.search.tree import place_of_pool


@njit
def back_up(search):
    """Add the values to each edge on the path, every bandit its own player's."""
    values = values_of(search)
    if search.paranoid:
        # All opponents are taken to work against the root player (section V: "-1 times
        # the value for the root player"), but for team mates, who want the same.
        value = values[search.root_player]
        own = teams_of(search)[search.root_player]
        for player in range(search.players):
            values[player] = value if teams_of(search)[player] == own else -value
    for player in range(search.players):
        own = player * search.own_ranges
        search.low[own] = min(search.low[own], values[player])
        search.high[own] = max(search.high[own], values[player])
    if search.complex_backup:
        for tree in range(search.trees):
            pass_up(search, tree)
    else:
        for i in range(search.step_count):
            step = path_of(search)[i]
            bandit = nodes_of(search)[step.node]
            if search.keeps_statistics:
                update_statistics(search, bandit, step, values[bandit.player])
            take_in(search, bandit, step, values[bandit.player])
    if search.extended:
        if search.abstracted:
            update_pools(search)
        if search.averages_length > 0:
            update_averages(search)


@njit
def take_in(search, bandit, step, value):
    """Add one value to the edge of a step and to its bandit."""
    edge = edges_of(search)[step.edge]
    bandit.visits += 1
    bandit.tried += edge.visits == 0
    edge.visits += 1
    edge.mean += (value - edge.mean) / edge.visits
    edge.inverse_root = 1.0 / np.sqrt(edge.visits)


@njit
def update_statistics(search, bandit, step, value):
    """Update what a tree policy keeps besides means, before these take the value in."""
    statistic = statistics_of(search)[step.edge]
    visits = edges_of(search)[step.edge].visits + 1
    statistic.square += (value * value - statistic.square) / visits
    if search.updates:
        outcome = outcome_of(search)
        outcome.first = bandit.first
        outcome.count = bandit.count
        outcome.edge = step.edge
        outcome.probability = step.probability
        outcome.value = value
        own = bandit.player * search.own_ranges
        outcome.low = search.low[own] if search.normalise else 0.0
        outcome.high = search.high[own] if search.normalise else 1.0
        outcome.simulation = search.simulations
        outcome.all_candidates = not search.listed
        call.policy_update(search)


@njit
def pass_up(search, tree):
    """Back up along the path of one tree, each decision changing what it passes on."""
    passed = passed_of(search)
    for player in range(search.players):
        passed[player] = values_of(search)[player]
    view = backup_of(search)
    for i in range(search.step_count - 1, -1, -1):
        step = path_of(search)[i]
        bandit = nodes_of(search)[step.node]
        if search.trees > 1 and not search.owns[tree] >> bandit.player & 1:
            continue
        update_statistics(search, bandit, step, passed[bandit.player])
        take_in(search, bandit, step, passed[bandit.player])
        visits = edges_of(search)[step.edge].visits
        means = edge_values_of(search)
        for player in range(search.players):
            at = step.edge * search.players + player
            means[at] += (passed[player] - means[at]) / visits
        view.first = bandit.first
        view.count = bandit.count
        view.edge = step.edge
        view.visits = bandit.visits
        view.player = bandit.player
        view.simultaneous = bandit.movers != np.int64(1) << bandit.player
        call.backup(search)


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
            pool.mean += (values_of(search)[player] - pool.mean) / pool.visits
