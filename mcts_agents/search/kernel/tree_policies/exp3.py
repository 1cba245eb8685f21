"""EXP3, with importance-weighted gains, and TAG's Boltzmann form of it.

`exp3`: strategy(a) is proportional to exp(epsilon G(a) / k), where k is the number of
candidates. When action a was played with probability p(a) and brought the value x,
scaled to [0, 1], its gain G(a) grows by (x - b) / p(a), those of the others by nothing:
an unbiased estimate of what each would have brought, less b. Auer et al. have b = 0. A
b that is the same for all actions changes no strategy in expectation; the node's mean
value so far makes the estimates vary less.

`exp3_boltzmann`: strategy(a) is proportional to exp(Q(a) / temperature), Q(a) scaled to
[0, 1]; what TAG calls EXP3. It weighs means and converges to no equilibrium. Untried
actions come first, as if their value were infinite.

Sources: P. Auer, N. Cesa-Bianchi, Y. Freund, R. Schapire, "The nonstochastic multiarmed
bandit problem", SIAM J. Computing 32 (2002), figure 1; V. Lisy, "Alternative selection
functions for information set Monte Carlo tree search", Acta Polytechnica 54 (2014).
"""

import numpy as np
from numba import carray, njit

from mcts_agents.model.addresses import as_pointer, float64_at
from mcts_agents.search.kernel.arithmetic import exponential
from mcts_agents.search.kernel.records import EDGE, OUTCOME, STATISTIC, settings_at
from mcts_agents.search.kernel.tree_policies.indices import (
    candidate,
    decision_at,
    edges_at,
    random_untried,
    rng_at,
    scale_of,
    statistics_at,
)
from mcts_agents.search.kernel.tree_policies.sampling import sample
from mcts_agents.search.kernel.tree_policies.tree_policy import TreePolicy


@njit
def exp3(view_address, settings_address, rng_address):
    """Draw an action from the exponential weights of its gain."""
    view = decision_at(view_address)
    settings = settings_at(settings_address)
    statistics = statistics_at(view)
    weights = float64_at(view.weights, view.count)
    rate = settings.epsilon / view.count
    most = -np.inf
    for i in range(view.count):
        most = max(most, statistics[candidate(view, i)].accumulated)
    total = 0.0
    for i in range(view.count):
        gain = statistics[candidate(view, i)].accumulated
        weights[i] = exponential(rate * (gain - most))
        total += weights[i]
    return sample(view, settings, rng_at(rng_address), weights, total)


@njit
def exp3_update(outcome_address, settings_address, rng_address):
    """Add the importance-weighted value to the gain of the action played."""
    outcome = carray(as_pointer(outcome_address), 1, OUTCOME)[0]
    statistics = carray(as_pointer(outcome.statistics), outcome.edges_length, STATISTIC)
    edges = carray(as_pointer(outcome.edges), outcome.edges_length, EDGE)
    visits = 0
    total = 0.0
    for index in range(outcome.first, outcome.first + outcome.count):
        visits += edges[index].visits
        total += edges[index].visits * edges[index].mean
    baseline = total / visits if visits > 0 else outcome.value
    surprise = (outcome.value - baseline) * scale_of(outcome)
    statistics[outcome.edge].accumulated += surprise / outcome.probability
    return 0


@njit
def exp3_boltzmann(view_address, settings_address, rng_address):
    """Draw an action from the softmax of the mean values."""
    view = decision_at(view_address)
    settings = settings_at(settings_address)
    edges = edges_at(view)
    rng = rng_at(rng_address)
    if view.untried > 0:
        return random_untried(view, edges, rng)
    weights = float64_at(view.weights, view.count)
    scale = min(scale_of(view) / settings.temperature, 1e300)  # inf * 0 is no number
    most = -np.inf
    for i in range(view.count):
        most = max(most, edges[candidate(view, i)].mean)
    total = 0.0
    for i in range(view.count):
        mean = edges[candidate(view, i)].mean
        weights[i] = exponential((mean - most) * scale)
        total += weights[i]
    return sample(view, settings, rng, weights, total)


EXP3 = TreePolicy(
    "exp3",
    choose=exp3,
    kind="sampling",
    options=("epsilon", "normalise"),
    update=exp3_update,
    keeps_statistics=True,
)
EXP3_BOLTZMANN = TreePolicy(
    "exp3_boltzmann",
    choose=exp3_boltzmann,
    kind="sampling",
    options=("epsilon", "normalise", "temperature"),
    keeps_statistics=True,
)
