"""The candidates of a decision: which of its edges can be taken in this iteration.

Where the path determines the state the edges of a node are made once and all of them
are candidates. Elsewhere, in an open loop with chance or hidden information, an edge is
a candidate if its action is legal in this very state (subset-armed bandits), and N(a)
counts the visits at which it was one. Progressive widening leaves the best of them:

    number of candidates = ceil(W N^B), at least 1, N the visits of the node

best by the action heuristic H(s, a). Sources: G. Chaslot et al., "Progressive
strategies for Monte-Carlo tree search", 2008; A. Couetoux et al., "Continuous upper
confidence trees", LION 2011; Baier, Kaisers, CoG 2020, equation 3 (which rounds up; the
manual rounds down, and would leave no candidate at the first visit for W < 1).
"""

import numpy as np
from numba import njit

from mcts_agents.search import calls as call
from mcts_agents.search.arithmetic import exponential, natural_log
from mcts_agents.search.mast import mast_value
from mcts_agents.search.records import (
    abstract_means_of,
    abstract_visits_of,
    candidate_edge,
    candidates_of,
    contexts_of,
    decision_of,
    edges_of,
    heuristics_of,
    legal_of,
    pools_of,
    slots_of,
    statistics_of,
    teams_of,
    weights_of,
)
from mcts_agents.search.solver import FIRST_WINNER
from mcts_agents.search.status import MODEL_ERROR, NO_LEGAL_ACTION, NOTHING_KEPT
from mcts_agents.search.tree import append_edge, mixed, place_of_pool, reserve_edges

# What values actions, `heuristic` of a search.
NO_HEURISTIC, GAME_HEURISTIC, MAST_HEURISTIC = range(3)


@njit
def list_candidates(search, bandit):
    """Fill the DECISION record; return the number of candidates, see `ask_actions`."""
    decision = decision_of(search)
    decision.player = bandit.player
    decision.visits = bandit.visits
    if search.solver:
        decision.won = FIRST_WINNER + teams_of(search)[bandit.player]
    if search.path_determined and bandit.count > 0:
        n = np.int64(bandit.count)
        decision.candidates = 0
        decision.untried = n - bandit.tried
        if search.listed:  # widening will choose from them
            for i in range(n):
                candidates_of(search)[i] = bandit.first + i
            decision.candidates = search.candidates
    else:
        n = ask_actions(search, bandit.player)
        if n <= 0:
            return n
        decision.candidates = match_edges(search, bandit, n)
        decision.untried = n
    decision.first = bandit.first
    decision.count = n
    if search.extended:
        if search.heuristic != NO_HEURISTIC:
            update_heuristics(search, bandit)
            if call.failed(search):
                return 0
        if search.widening > 0.0:
            decision.count = widen(search, bandit, n)
        if search.abstracted:
            decision.abstract_visits = 0
            if search.abstracted >> bandit.player & 1:
                look_up_pools(search, bandit)
    if search.listed:
        decision.untried = count_untried(search)
    return decision.count


@njit
def ask_actions(search, player):
    """Write the actions that a player may take in a tree; return their number.

    0 is an error, and -1 that the game's filter has not kept from 1 to all of them.
    """
    n = call.legal_actions(search, player)
    if n <= 0 or n > search.legal_limit or call.failed(search):
        return 0
    if search.filtered and n > 1:
        kept = call.filter_actions(search, player, n)
        if call.failed(search):
            return 0
        if kept <= 0 or kept > n:
            return -1
        n = kept
    return n


@njit
def error_of(search, n):
    """Return the status that a number of actions which is an error ends with."""
    if call.failed(search):
        return MODEL_ERROR
    return NO_LEGAL_ACTION if n == 0 else NOTHING_KEPT


@njit
def match_edges(search, bandit, n):
    """Find or make the edge of each legal action; return the candidates' address."""
    before = bandit.count
    edges = edges_of(search)
    slots = slots_of(search)
    if before == 0:
        reserve_edges(search, bandit, n)
    for i in range(before):
        slots[edges[bandit.first + i].action] = i
    for i in range(n):
        action = legal_of(search)[i]
        # Other bandits wrote into `slots` too: believe an entry only if it fits here.
        slot = slots[action]
        if slot >= before or edges[bandit.first + slot].action != action:
            if bandit.count == bandit.capacity:
                reserve_edges(search, bandit, bandit.count + n - i)
            slot = append_edge(search, bandit, action) - bandit.first
        candidates_of(search)[i] = slot
    search.widest = max(search.widest, bandit.count)
    if not search.listed:
        return 0
    for i in range(n):
        candidates_of(search)[i] += bandit.first
    return search.candidates


@njit
def count_untried(search):
    """Count the candidates without a visit; each candidate was available once more."""
    untried = 0
    for i in range(decision_of(search).count):
        index = candidates_of(search)[i]
        edge = edges_of(search)[index]
        edge.available += 1
        if edge.visits == 0:
            untried += 1
        if search.updates:
            statistics_of(search)[index].candidate_at = search.simulations
    return untried


# -- action heuristics


@njit
def update_heuristics(search, bandit):
    """Value the candidates anew, if a value is missing or older than allowed."""
    decision = decision_of(search)
    statistics = statistics_of(search)
    due = False
    for i in range(decision.count):
        valued_at = statistics[candidate_edge(search, i)].valued_at
        missing = valued_at == 0
        old = bandit.visits + 1 - valued_at >= search.recalculation
        # A closed loop has no state at hand except where a node is made.
        if search.stored and search.heuristic == GAME_HEURISTIC:
            old = False
        due |= missing or old
    if not due:
        return
    if search.heuristic == GAME_HEURISTIC:
        for i in range(decision.count):
            legal_of(search)[i] = edges_of(search)[candidate_edge(search, i)].action
        call.action_values(search, bandit.player, decision.count)
    else:
        for i in range(decision.count):
            action = edges_of(search)[candidate_edge(search, i)].action
            heuristics_of(search)[i] = mast_value(search, bandit.player, action)
    for i in range(decision.count):
        index = candidate_edge(search, i)
        statistics[index].valued_at = bandit.visits + 1
        statistics[index].heuristic = heuristics_of(search)[i]
    if search.prior_temperature != np.inf:
        write_priors(search)


@njit
def write_priors(search):
    """Turn the candidates' heuristic values into probabilities P(s, a).

    A softmax of temperature T; for T = 0 the positive parts, normalised (uniform if
    there are none).
    """
    n = decision_of(search).count
    values = heuristics_of(search)
    weights = weights_of(search)
    most = -np.inf
    for i in range(n):
        most = max(most, values[i])
    total = 0.0
    for i in range(n):
        if search.prior_temperature > 0.0:
            weights[i] = exponential((values[i] - most) / search.prior_temperature)
        else:
            weights[i] = max(values[i], 0.0)
        total += weights[i]
    for i in range(n):
        prior = weights[i] / total if total > 0.0 else 1.0 / n
        statistics_of(search)[candidate_edge(search, i)].prior = prior


# -- progressive widening


@njit
def widen(search, bandit, n):
    """Move the best candidates to the front; return how many are allowed."""
    visits = np.float64(max(bandit.visits, 1))
    # visits ** exponent, from operations that are alike on every machine
    power = 1.0 / exponential(-natural_log(visits) * search.widening_exponent)
    wanted = search.widening * power
    if wanted >= n:
        return n
    allowed = max(np.int64(np.ceil(wanted - 1e-9)), 1)
    candidates = candidates_of(search)
    statistics = statistics_of(search)
    for i in range(allowed):
        best = i
        for j in range(i + 1, n):
            value = statistics[candidates[j]].heuristic
            most = statistics[candidates[best]].heuristic
            if value > most or (value == most and candidates[j] < candidates[best]):
                best = j
        candidates[i], candidates[best] = candidates[best], candidates[i]
    return allowed


# -- opponent move abstraction


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
