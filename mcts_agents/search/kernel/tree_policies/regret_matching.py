"""Regret matching: actions in proportion to the regret of not having played them.

    strategy(a) = max(0, R(a)) / sum of max(0, R(b)), uniform if no regret is positive

After an iteration of value x in which action a was played with probability p(a), the
value that each candidate b would have brought is estimated by

    u(b) = Q(b) + [b = a] (x - Q(a)) / p(a)

which is unbiased for whatever Q does not depend on this iteration; with the mean value
so far as Q(b) it varies little. Then R(b) += u(b) - sum over c of strategy(c) u(c).
While an action is untried, and Q unknown, one of the untried is taken, all equally
likely, and no regret is noted: a constant added to all values changes nothing.
For two players of a zero-sum game with simultaneous moves the average strategies
approach a Nash equilibrium.

Sources: S. Hart, A. Mas-Colell, "A simple adaptive procedure leading to correlated
equilibrium", Econometrica 68 (2000); in simultaneous-move tree search: V. Lisy, V.
Kovarik, M. Lanctot, B. Bosansky, "Convergence of Monte Carlo tree search in
simultaneous move games", NIPS 2013; the baseline Q: M. Schmid et al., "Variance
reduction in Monte Carlo counterfactual regret minimization", AAAI 2019, equation 6.
"""

from numba import carray, njit

from mcts_agents.model.addresses import as_pointer, float64_at
from mcts_agents.search.kernel.records import EDGE, OUTCOME, STATISTIC, settings_at
from mcts_agents.search.kernel.tree_policies.indices import (
    candidate,
    decision_at,
    edges_at,
    random_untried,
    rng_at,
    statistics_at,
)
from mcts_agents.search.kernel.tree_policies.sampling import sample
from mcts_agents.search.kernel.tree_policies.tree_policy import TreePolicy


@njit
def regret_matching(view_address, settings_address, rng_address):
    """Draw an action in proportion to its positive regret."""
    view = decision_at(view_address)
    if view.untried > 0:
        view.probability = 1.0 / view.untried
        return random_untried(view, edges_at(view), rng_at(rng_address))
    statistics = statistics_at(view)
    weights = float64_at(view.weights, view.count)
    total = 0.0
    for i in range(view.count):
        weights[i] = max(statistics[candidate(view, i)].accumulated, 0.0)
        total += weights[i]
    settings = settings_at(settings_address)
    return sample(view, settings, rng_at(rng_address), weights, total)


@njit
def is_candidate(outcome, statistic):
    """Whether an edge could have been taken in this iteration."""
    return outcome.all_candidates or statistic.candidate_at == outcome.simulation


@njit
def regret_matching_update(outcome_address, settings_address, rng_address):
    """Add each candidate's estimated regret; called before Q takes the value in."""
    outcome = carray(as_pointer(outcome_address), 1, OUTCOME)[0]
    statistics = carray(as_pointer(outcome.statistics), outcome.edges_length, STATISTIC)
    edges = carray(as_pointer(outcome.edges), outcome.edges_length, EDGE)
    if edges[outcome.edge].visits == 0:
        return 0
    block = range(outcome.first, outcome.first + outcome.count)
    candidates = 0
    total = 0.0
    weighted = 0.0
    plain = 0.0
    for b in block:
        if is_candidate(outcome, statistics[b]):
            candidates += 1
            weight = max(statistics[b].accumulated, 0.0)
            total += weight
            weighted += weight * edges[b].mean
            plain += edges[b].mean
    taken = outcome.edge
    surprise = (outcome.value - edges[taken].mean) / outcome.probability
    if total > 0.0:
        share = max(statistics[taken].accumulated, 0.0) / total
        expected = weighted / total + share * surprise
    else:
        expected = (plain + surprise) / candidates
    for b in block:
        if is_candidate(outcome, statistics[b]):
            statistics[b].accumulated += edges[b].mean - expected
    statistics[taken].accumulated += surprise
    return 0


REGRET_MATCHING = TreePolicy(
    "regret_matching",
    choose=regret_matching,
    kind="sampling",
    options=("epsilon",),
    update=regret_matching_update,
    keeps_statistics=True,
)
