"""The backup phase: the iteration's values, taken in along each tree's own path.

`paranoid` (`oppose`) gives each player a range of values of its own, also with
`value=win`. KL-UCB then no longer takes values for shares of a win (`shares` in
`tree_policies/__init__.py`), and the solver applies with at most two teams.
"""

import numpy as np
from numba import njit

from mcts_agents.model.contract import MAX_PLAYERS
from mcts_agents.search.kernel import plug_ins as plug_in
from mcts_agents.search.kernel.abstraction import update_pool, update_pools
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
from mcts_agents.search.kernel.rewards import (
    pass_rewards,
    rewards_of,
    sum_returns,
    take_off_scores,
    value_of_step,
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
    if EXTENDED:
        if search.discounted:
            take_off_scores(search)
    if search.paranoid:
        oppose(search, values_of(search), 0)
        if EXTENDED:
            if search.discounted:
                for row in range(search.step_count):
                    oppose(search, rewards_of(search), row * search.players)
    widen_ranges(search)
    if search.complex_backup:
        for tree in range(search.trees):
            pass_up(search, tree)
    if EXTENDED:
        if search.discounted:
            sum_returns(search)
    if not search.complex_backup:
        for i in range(search.step_count):
            step = path_of(search)[i]
            bandit = nodes_of(search)[step.node]
            value = value_of_step(search, i, bandit.player)
            if EXTENDED:
                if search.discounted:
                    widen_range(search, bandit.player, value)
            if search.keeps_statistics:
                update_statistics(search, bandit, step, value)
            take_in(search, bandit, step, value)
            if search.abstracted:
                update_pool(search, i, bandit.player, value)
    elif search.abstracted:
        update_pools(search)
    if EXTENDED:
        if search.averages_length > 0:
            update_averages(search)


@njit
def oppose(search, values, first):
    """Make each player's value, from the place `first` on, the root player's or its -1.

    All opponents are taken to work against the root player, but for team mates, who
    want the same (Goodman et al., CoG 2022, section V: "-1 times the value for the root
    player").
    """
    value = values[first + search.root_player]
    own = teams_of(search)[search.root_player]
    for player in range(search.players):
        friend = teams_of(search)[player] == own
        values[first + player] = value if friend else -value


@njit
def widen_ranges(search):
    """Take the iteration's values into the ranges of values seen."""
    if EXTENDED:
        if search.discounted:  # every decision has a value of its own
            return
    for player in range(search.players):
        widen_range(search, player, values_of(search)[player])


@njit
def widen_range(search, player, value):
    """Take one value into its player's range of values seen."""
    own = player * search.own_ranges
    search.low[own] = min(search.low[own], value)
    search.high[own] = max(search.high[own], value)


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
        if EXTENDED:
            if search.discounted:
                pass_rewards(search, i, passed)
        if search.trees > 1 and not search.owns[tree] >> bandit.player & 1:
            continue
        if EXTENDED:
            if search.discounted:
                widen_range(search, bandit.player, passed[bandit.player])
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
