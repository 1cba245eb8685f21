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

from mcts_agents.model.addresses import float64_at
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


@njit(inline="always")
def value_seen(view, edge, statistic, visits, scale):
    """Return Q(a) of an action, from 0 to 1, or the least value where it is untried."""
    if edge.visits == 0:
        return view.worst
    value = (edge.mean - view.low) * scale
    if statistic.virtual_visits > 0:
        value *= edge.visits / visits
        value += view.worst * statistic.virtual_visits / visits
    return value


@njit
def weigh_candidates(view, settings, sigmas):
    """Write sigma(a) of a decision's candidates; see `complete` and `weigh`.

    Most actions of a wide decision are untried and have one value, v_mix.

    Returns:
        sigma of v_mix, and the visits of all actions.
    """
    edges, statistics = edges_at(view), statistics_at(view)
    scale = scale_of(view)
    evaluated = view.raw_value == view.raw_value
    total, most = np.int64(0), np.int64(0)
    tried = weighted = 0.0
    for i in range(view.count):
        index = candidate(view, i)
        statistic = statistics[index]
        visits = edges[index].visits + statistic.virtual_visits
        if visits > 0:
            value = value_seen(view, edges[index], statistic, visits, scale)
            prior = np.float64(statistic.prior) if evaluated else 1.0
            total += visits
            most = max(most, visits)
            tried += prior
            weighted += prior * value
            sigmas[i] = value
        else:
            sigmas[i] = np.nan
    raw_value = (view.raw_value - view.low) * scale
    mixed = mixed_value(raw_value, np.float64(total), tried, weighted)
    factor = (settings.gumbel_visits + np.float64(most)) * settings.gumbel_scale
    for i in range(view.count):
        sigmas[i] = factor * (sigmas[i] if sigmas[i] == sigmas[i] else mixed)
    return factor * mixed, total


@njit
def mixed_value(raw_value, total, tried, weighted):
    """Return v_mix; 0 where nothing is known.

    Args:
        raw_value: v, NaN without an evaluator.
        total: n, the visits of all actions.
        tried: Sum of P(b) over tried actions.
        weighted: Sum of P(b) Q(b) over these.
    """
    mixed = raw_value
    if tried > 0.0:
        mean = weighted / tried
        mixed = mean
        if raw_value == raw_value:
            mixed = (raw_value + total * mean) / (1.0 + total)
    return mixed if mixed == mixed else 0.0


@njit
def complete(visits, values, priors, raw_value):
    """Give actions that were not tried the value v_mix."""
    total = tried = weighted = 0.0
    for i in range(len(visits)):
        if visits[i] > 0:
            total += visits[i]
            tried += priors[i]
            weighted += priors[i] * values[i]
    mixed = mixed_value(raw_value, total, tried, weighted)
    for i in range(len(visits)):
        if visits[i] == 0:
            values[i] = mixed


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
    edges, statistics = edges_at(view), statistics_at(view)
    evaluated = view.raw_value == view.raw_value
    policy = float64_at(view.weights, view.count)
    mixed, visits = weigh_candidates(view, settings, policy)
    greatest = -np.inf
    for i in range(view.count):
        if policy[i] > greatest:
            if not evaluated or statistics[candidate(view, i)].prior > 0.0:
                greatest = policy[i]
    untried = exponential(mixed - greatest)
    total = 0.0
    for i in range(view.count):
        prior = np.float64(statistics[candidate(view, i)].prior) if evaluated else 1.0
        share = untried
        if policy[i] != mixed:
            share = exponential(policy[i] - greatest)
        policy[i] = prior * share if prior > 0.0 else prior
        total += policy[i]
    for i in range(view.count):
        policy[i] = policy[i] / total if total > 0.0 else 1.0 / view.count
    visits = 1.0 + visits
    best, ties, furthest = np.int64(0), 0, -np.inf
    for i in range(view.count):
        index = candidate(view, i)
        taken = edges[index].visits + statistics[index].virtual_visits
        behind = policy[i]
        if taken > 0:
            behind -= taken / visits
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
