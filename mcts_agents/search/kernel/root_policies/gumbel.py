"""Sequential halving among actions that are sampled with Gumbel variables.

    draw a Gumbel variable g(a) for each action
    halve the m actions of greatest g(a) + ln P(a) until one is left, always taking
        those of greatest g(a) + ln P(a) + sigma(a) further
    make the move of greatest g(a) + ln P(a) + sigma(a) among the most visited ones

The m actions are a sample without replacement of the priors P, and the move that is
made would be one of P itself if all values were equal. So the search explores by chance
alone, and yet its move is better than one of the priors on the average, whatever the
number of simulations. With few simulations other searches need noise in their priors,
and may then be worse than these.

What learners are told is the improved policy P', see `tree_policies/gumbel.py`, which
also has sigma and completed values. m is `gumbel_actions`; the rounds are those of
`sequential_halving.py`. Without an evaluator priors are equal. g(a) is multiplied by
`gumbel_noise`: with 0 nothing is sampled, as for play that is not learned from.

Source: I. Danihelka, A. Guez, J. Schrittwieser, D. Silver, "Policy improvement by
planning with Gumbel", ICLR 2022, algorithms 1 and 2.
"""

import numpy as np
from numba import njit

from mcts_agents.model import draw_below
from mcts_agents.model.addresses import float64_at
from mcts_agents.model.random import random_below, random_float
from mcts_agents.search.kernel.priors import log_of
from mcts_agents.search.kernel.records import settings_at
from mcts_agents.search.kernel.root_policies.root_policy import RootPolicy
from mcts_agents.search.kernel.root_policies.sequential_halving import (
    descents,
    own_visits_only,
    visits_due,
)
from mcts_agents.search.kernel.tree_policies.gumbel import (
    complete,
    improve,
    weigh,
    weigh_candidates,
)
from mcts_agents.search.kernel.tree_policies.indices import (
    LOST_ALREADY,
    candidate,
    decision_at,
    edges_at,
    is_lost,
    rng_at,
    statistics_at,
)


@njit
def random_gumbel(rng):
    """Return a sample of the standard Gumbel distribution."""
    waited = 0.0
    while waited == 0.0:
        waited = -log_of(1.0 - random_float(rng))  # exponentially distributed
    return -log_of(waited)


@njit
def rank(noise, priors, sigmas):
    """Turn sigma(a) into g(a) + ln P(a) + sigma(a), in place."""
    for i in range(len(sigmas)):
        if priors[i] > 0.0:
            sigmas[i] += noise[i]
            sigmas[i] += log_of(priors[i])
        else:
            sigmas[i] = -np.inf


@njit
def log_of_prior(view, statistic):
    """Return ln P(a) of an action; priors are equal without an evaluator."""
    if view.raw_value != view.raw_value:
        return 0.0
    prior = np.float64(statistic.prior)
    return log_of(prior) if prior > 0.0 else -np.inf


@njit
def halve_sampled(view_address, settings_address, rng_address):
    """Return the edge of greatest rank among those whose turn it is."""
    view = decision_at(view_address)
    settings = settings_at(settings_address)
    edges, statistics = edges_at(view), statistics_at(view)
    count = np.int64(view.count)
    ranks = float64_at(view.weights, count)
    _, taken = weigh_candidates(view, settings, ranks)
    if settings.virtual_loss > 1:
        taken = 0
        for i in range(count):
            index = candidate(view, i)
            taken += descents(settings, edges[index], statistics[index])
    if taken == 0:  # the decision begins
        for i in range(count):
            statistic = statistics[candidate(view, i)]
            sample = random_gumbel(rng_at(rng_address))
            statistic.accumulated = settings.gumbel_noise * sample
            statistic.strategy = log_of_prior(view, statistic)
    for i in range(count):
        statistic = statistics[candidate(view, i)]
        noise = statistic.accumulated
        if is_lost(view, edges[candidate(view, i)]):
            noise -= LOST_ALREADY
        log_prior = statistic.strategy
        if log_prior == 0.0:  # of an action that was not legal before, or 1
            log_prior = log_of_prior(view, statistic)
        ranks[i] += noise
        ranks[i] += log_prior
    sampled = min(count, np.int64(settings.gumbel_actions))
    due = visits_due(taken, sampled, taken + view.simulations_left, 0)
    best, most, ties = np.int64(-1), np.int64(-1), 0
    for i in range(count):
        # Who is behind the schedule, because descents were given up, catches up.
        index = candidate(view, i)
        visits = descents(settings, edges[index], statistics[index])
        if visits > due or visits < most:
            continue
        if visits > most or ranks[i] > ranks[best]:
            best, most, ties = np.int64(i), visits, 1
        elif ranks[i] == ranks[best]:
            ties += 1
            if random_below(rng_at(rng_address), ties) == 0:
                best = np.int64(i)
    if best < 0:
        best = np.int64(random_below(rng_at(rng_address), count))
    return candidate(view, best)


@njit
def decide_sampled(visits, priors, noise, sigmas, rng):
    """Return the place of the move, and turn priors into the improved policy.

    What `_final` and `_policy` do, for compiled code.

    Args:
        visits: int64, shape (n,).
        priors: float64, shape (n,); changed in place.
        noise: g(a), float64.
        sigmas: Completed values, weighed; changed in place.
        rng: Breaks ties; advanced.
    """
    policy = priors.copy()
    improve(policy, sigmas)
    rank(noise, priors, sigmas)
    priors[:] = policy
    most = visits.max()
    greatest, ties = -np.inf, 0
    for i in range(len(visits)):
        if visits[i] == most:
            greatest = max(greatest, sigmas[i])
    for i in range(len(visits)):
        ties += visits[i] == most and sigmas[i] == greatest
    left = random_below(rng, ties)
    for i in range(len(visits)):
        if visits[i] == most and sigmas[i] == greatest:
            if left == 0:
                return np.int64(i)
            left -= 1
    return np.int64(0)


def _completed(root, settings):
    """Return sigma and the priors of the root's actions, float64 each."""
    low, high = root.value_range
    scale = 1.0 / (high - low) if high > low else 0.0
    values = (np.where(root.visits > 0, root.values, 0.0) - low) * scale
    priors, raw_value = root.priors, (root.raw_value - low) * scale
    if np.isnan(raw_value):
        priors = np.ones(len(values))
    priors[np.isnan(root.noise)] = 0.0  # an action filter keeps them out of the tree
    complete(root.visits, values, priors, raw_value)
    weigh(root.visits, values, settings.gumbel_visits, settings.gumbel_scale)
    return values, priors


def _final(root, settings, rng):
    """Return the place of the move: of greatest rank among the most visited."""
    ranks, priors = _completed(root, settings)
    rank(root.noise, priors, ranks)
    proven = root.ranks == root.ranks.max()  # a win, or what is not lost
    most = proven & (root.visits == root.visits[proven].max())
    best = np.flatnonzero(most & (ranks == ranks[most].max()))
    return int(best[draw_below(rng, len(best))])


def _policy(root, settings):
    """Return the improved policy."""
    sigmas, priors = _completed(root, settings)
    improve(priors, sigmas)
    return priors


GUMBEL = RootPolicy(
    "gumbel",
    choose=halve_sampled,
    final=_final,
    policy=_policy,
    needs_simulations=True,
    merges=False,
    check=own_visits_only(
        "gumbel", "samples actions when a decision begins, and has no other noise"
    ),
)
