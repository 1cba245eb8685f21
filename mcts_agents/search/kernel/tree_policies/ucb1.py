"""UCB1 applied to trees (UCT), with availability counts and normalised rewards.

    J(a) = (Q(a) - low) / (high - low) + K sqrt(ln N(a) / n(a))

Q(a) is the mean value of action a for the player who decides, n(a) how often it was
taken, N(a) how often it could have been taken; low and high are the least and greatest
value of that player seen in the search (with `value=win`, of any player), so that K
means the same in every game. While an available action is untried, one of the untried
is taken, all equally likely.

With opponent move abstraction Q'(a) stands in place of (Q(a) - low) / (high - low), see
`extended.py`; `abstract_ucb1` is the form for when nothing else is added to the index.

K is the option `exploration`. `ucb_tuned.py`, `kl_ucb.py`, `alphago.py` and, with an
evaluator, `puct.py` weigh their own exploration terms by it. `extended.py` has the form
for when anything is added to the index.

Sources: L. Kocsis, C. Szepesvari, "Bandit based Monte-Carlo planning", ECML 2006;
N(a) in place of N: P. Cowling, E. Powley, D. Whitehouse, "Information set Monte Carlo
tree search", IEEE TCIAIG 4 (2012); Goodman et al., "MultiTree MCTS in tabletop games",
CoG 2022, sections II and IV.
"""

import numpy as np
from numba import carray, njit

from mcts_agents.model.addresses import as_pointer, float64_at, int32_at
from mcts_agents.search.kernel.arithmetic import LOG_TABLE_SIZE, square_root_log
from mcts_agents.search.kernel.records import POOL, settings_at
from mcts_agents.search.kernel.tree_policies.extended import (
    WEIGHTS,
    first_untried,
    greatest_index,
    weight_of,
)
from mcts_agents.search.kernel.tree_policies.indices import (
    LOST_ALREADY,
    candidate,
    decision_at,
    edges_at,
    is_lost,
    possible_visits,
    rng_at,
    scale_of,
)
from mcts_agents.search.kernel.tree_policies.tree_policy import TreePolicy


@njit
def ucb1(view_address, settings_address, rng_address):
    """Return the edge that UCB1 takes, nothing added to the formula above."""
    view = decision_at(view_address)
    edges = edges_at(view)
    settings = settings_at(settings_address)
    if view.untried > 0:
        return first_untried(view, settings, edges, rng_at(rng_address))
    logs = float64_at(view.square_root_logs, LOG_TABLE_SIZE)
    scale = scale_of(view)
    best = view.first
    best_value = -np.inf
    if view.candidates == 0:
        # Every edge was available on every visit: N(a) is the node's.
        exploration = settings.exploration * square_root_log(logs, view.visits)
        for index in range(view.first, view.first + view.count):
            edge = edges[index]
            value = edge.mean * scale + exploration * edge.inverse_root
            if is_lost(view, edge):
                value -= LOST_ALREADY
            if value > best_value:
                best_value = value
                best = index
        return best
    candidates = int32_at(view.candidates, view.count)
    for i in range(view.count):
        edge = edges[candidates[i]]
        # This visit is counted in `available` already.
        possible = np.int64(edge.available - 1)
        exploration = settings.exploration * square_root_log(logs, possible)
        value = edge.mean * scale + exploration * edge.inverse_root
        if is_lost(view, edge):
            value -= LOST_ALREADY
        if value > best_value:
            best_value = value
            best = np.int64(candidates[i])
    return best


@njit
def abstract_ucb1(view_address, settings_address, rng_address):
    """Return the edge that UCB1 takes with opponent move abstraction alone."""
    view = decision_at(view_address)
    if view.untried > 0 or view.edge_pools == 0:
        return ucb1(view_address, settings_address, rng_address)
    edges = edges_at(view)
    settings = settings_at(settings_address)
    logs = float64_at(view.square_root_logs, LOG_TABLE_SIZE)
    pools = carray(as_pointer(view.pools), view.pools_length, POOL)
    numbers = int32_at(view.edge_pools, view.edges_length)
    weights = float64_at(view.abstract_weights, WEIGHTS)
    e = settings.abstraction_visits
    scale = scale_of(view)
    # Every edge was available on every visit if all are candidates.
    everywhere = view.candidates == 0
    explored = settings.exploration * square_root_log(logs, view.visits)
    best = candidate(view, 0)
    best_value = -np.inf
    for i in range(view.count):
        index = view.first + i if everywhere else candidate(view, i)
        edge = edges[index]
        value = edge.mean
        number = np.int64(numbers[index])
        if number > 0:
            visits = np.int64(edge.visits)
            beta = weights[visits] if visits < WEIGHTS else weight_of(e, visits)
            value += beta * (pools[number - 1].mean - value)
        if not everywhere:
            possible = possible_visits(view, edge)
            explored = settings.exploration * square_root_log(logs, possible)
        value = value * scale + explored * edge.inverse_root
        if is_lost(view, edge):
            value -= LOST_ALREADY
        if value > best_value:
            best_value = value
            best = index
    return best


@njit
def exploration(view, settings, index, visits, possible):
    """Return K sqrt(ln N(a) / n(a))."""
    logs = float64_at(view.square_root_logs, LOG_TABLE_SIZE)
    root = 1.0 / np.sqrt(visits)
    return settings.exploration * square_root_log(logs, possible) * root


UCB1 = TreePolicy(
    "ucb1",
    choose=greatest_index(exploration),
    plain=ucb1,
    abstract=abstract_ucb1,
)
