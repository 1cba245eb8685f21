"""The backup phase: the iteration's values, taken in along each tree's own path."""

import numpy as np
from numba import njit

from mcts_agents.model.contract import MAX_PLAYERS
from mcts_agents.search.kernel import plug_ins as plug_in
from mcts_agents.search.kernel.abstraction import update_pools
from mcts_agents.search.kernel.mast import update_averages
from mcts_agents.search.kernel.parts import Array, Part, array_of
from mcts_agents.search.kernel.records import (
    backup_of,
    each_player,
    edge_values_of,
    edges_of,
    nodes_of,
    outcome_of,
    path_of,
    statistics_of,
    teams_of,
    values_of,
)
from mcts_agents.search.kernel.variants import EXTENDED

PART = Part(
    fields=[
        ("paranoid", np.int64),
        ("own_ranges", np.int64),  # 1 if each player has a range of values of its own
        ("keeps_statistics", np.int64),  # squares, or a policy's own
        # Least and greatest value seen, for each player; of a win's shares, which are
        # alike for all, only the first entry is used.
        ("low", np.float64, MAX_PLAYERS),
        ("high", np.float64, MAX_PLAYERS),
    ],
    values=lambda model, settings: {
        "paranoid": settings.paranoid,
        # Shares of a win mean the same to every player: one range serves all, and is
        # known sooner. Elsewhere scores of another scale would hide one's own.
        "own_ranges": settings.value != "win" or settings.paranoid,
        "low": np.inf,
        "high": -np.inf,
    },
    arrays={"passed": Array(np.float64, each_player)},
)

passed_of = array_of("passed", np.float64)


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
    if EXTENDED:
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
        plug_in.policy_update(search)


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
        plug_in.backup(search)
