"""The policy that completed values improve: planning with few simulations.

    v_mix    = (v + n sum P(b) Q(b) / sum P(b)) / (1 + n)  over the tried actions b
    q(a)     = Q(a) of a tried action, v_mix of another                  (completed)
    sigma(a) = (c_visit + max n(b)) c_scale q(a)
    P'(a)    = P(a) exp(sigma(a)) / sum of P(b) exp(sigma(b))

    choose argmax of P'(a) - n(a) / (1 + n)

P' is a better policy than P whatever was tried, if Q is exact, and visits follow it as
closely as they can without chance. So nothing is explored for its own sake: that is
left to the root, see `root_policies/gumbel.py`.

- P(a) are an evaluator's priors, and v its value of the node, n the visits of all
  actions. Without an evaluator priors are equal, and v_mix is the mean of what was
  tried.
- Q(a) is scaled to [0, 1] by the least and greatest value seen (`normalise`).
- c_visit is `gumbel_visits`, c_scale `gumbel_scale`.
- A visit that waits for the evaluator counts `virtual_loss` times as one of the least
  value seen.

Source: I. Danihelka, A. Guez, J. Schrittwieser, D. Silver, "Policy improvement by
planning with Gumbel", ICLR 2022, sections 3 to 5, equations 8 and 10 to 14, v_mix in
appendix D.
"""

import numpy as np
from numba import njit

from mcts_agents.model.random import random_below
from mcts_agents.search.kernel.arithmetic import exponential
from mcts_agents.search.kernel.records import settings_at
from mcts_agents.search.kernel.tree_policies.indices import (
    candidate,
    decision_at,
    edges_at,
    rng_at,
    scale_of,
    statistics_at,
)
from mcts_agents.search.kernel.tree_policies.tree_policy import TreePolicy


@njit
def seen_of(view, visits, values, priors):
    """Write n(a), Q(a) and P(a) of a decision's candidates.

    Returns:
        The node's value by the evaluator, on the scale of Q(a); NaN without one.
    """
    edges, statistics = edges_at(view), statistics_at(view)
    scale = scale_of(view)
    evaluated = view.raw_value == view.raw_value
    for i in range(view.count):
        index = candidate(view, i)
        edge, statistic = edges[index], statistics[index]
        visits[i] = edge.visits + statistic.virtual_visits
        priors[i] = statistic.prior if evaluated else 1.0
        value = view.worst
        if edge.visits > 0:
            value = (edge.mean - view.low) * scale
            if statistic.virtual_visits > 0:
                value *= edge.visits / visits[i]
                value += view.worst * statistic.virtual_visits / visits[i]
        values[i] = value
    return (view.raw_value - view.low) * scale


@njit
def complete(visits, values, priors, raw_value):
    """Give actions that were not tried the value v_mix."""
    total = tried = weighted = 0.0
    for i in range(len(visits)):
        if visits[i] > 0:
            total += visits[i]
            tried += priors[i]
            weighted += priors[i] * values[i]
    mixed = raw_value
    if tried > 0.0:
        mean = weighted / tried
        mixed = mean
        if raw_value == raw_value:
            mixed = (raw_value + total * mean) / (1.0 + total)
    for i in range(len(visits)):
        if visits[i] == 0:
            values[i] = mixed if mixed == mixed else 0.0


@njit
def weigh(visits, values, c_visit, c_scale):
    """Turn completed values into sigma, in place."""
    most = 0.0
    for i in range(len(visits)):
        most = max(most, np.float64(visits[i]))
    for i in range(len(values)):
        values[i] = (c_visit + most) * c_scale * values[i]


@njit
def improve(priors, sigmas):
    """Turn priors into the improved policy, in place."""
    greatest = -np.inf
    for i in range(len(priors)):
        if priors[i] > 0.0:
            greatest = max(greatest, sigmas[i])
    total = 0.0
    for i in range(len(priors)):
        if priors[i] > 0.0:
            priors[i] *= exponential(sigmas[i] - greatest)
        total += priors[i]
    for i in range(len(priors)):
        priors[i] = priors[i] / total if total > 0.0 else 1.0 / len(priors)


@njit
def follow(view_address, settings_address, rng_address):
    """Return the edge whose visits are the furthest behind the improved policy."""
    view = decision_at(view_address)
    settings = settings_at(settings_address)
    visits, values = np.empty(view.count, np.int64), np.empty(view.count)
    policy = np.empty(view.count)
    complete(visits, values, policy, seen_of(view, visits, values, policy))
    weigh(visits, values, settings.gumbel_visits, settings.gumbel_scale)
    improve(policy, values)
    total = 1.0 + visits.sum()
    best, ties, furthest = np.int64(0), 0, -np.inf
    for i in range(view.count):
        behind = policy[i] - visits[i] / total
        if behind > furthest:
            best, ties, furthest = np.int64(i), 1, behind
        elif behind == furthest:
            ties += 1  # none is preferred for its number
            if random_below(rng_at(rng_address), ties) == 0:
                best = np.int64(i)
    return candidate(view, best)


GUMBEL = TreePolicy(
    "gumbel",
    choose=follow,
    evaluated=follow,
    kind="other",
    options=("normalise",),
    keeps_statistics=True,
)
