"""Index policies with all that may be added to them, and the greatest index taken.

    J(a) = Q(a) + bias(a) + P(a) * exploration(a)

- Q(a) is the mean value, scaled to [0, 1] by the least and greatest value seen. An
  untried action counts as the least value seen (0 where values are scaled), or as
  `value_of_untried` has it. With initial visits that many more of value H(s, a) are
  counted in Q(a), n(a) and N(a), and no action is untried (Gelly, Silver, ICML 2007).
- Opponent move abstraction replaces it by beta * Q_OMA(a) + (1 - beta) * Q(a), beta =
  sqrt(e / (3 n(a) + e)) (Baier, Kaisers, CoG 2020, equations 4 and 5), where Q_OMA is
  the mean over all positions with the same own moves before, on the same scale.
- The bias is W * H(s, a) / (n(a) + 1) (Chaslot et al., "Progressive strategies for
  Monte-Carlo tree search", 2008).
- P(a) is 1, or the action heuristic's probability of the action (pUCT; Silver et al.
  2017, Anthony et al. 2017).
- exploration(a) of an untried action is the first play urgency. If that is infinite the
  untried actions come first: best by H(s, a) if there is an action heuristic, else all
  equally likely.
"""

import numpy as np
from numba import njit

from mcts_agents.model.addresses import float64_at
from mcts_agents.model.random import random_below
from mcts_agents.search.kernel.records import settings_at
from mcts_agents.search.kernel.tree_policies.first_play import (
    comes_first,
    value_of_untried,
)
from mcts_agents.search.kernel.tree_policies.indices import (
    LOST_ALREADY,
    candidate,
    decision_at,
    edges_at,
    is_lost,
    possible_visits,
    random_untried,
    rng_at,
    scale_of,
    statistics_at,
)

# Weights of equation 5 may be looked up for fewer visits than this.
WEIGHTS = 1 << 9


@njit
def weight_of(e, visits):
    """Return beta of equation 5."""
    return np.sqrt(e / (3.0 * visits + e))


@njit
def best_untried(view, edges, rng):
    """Return the untried candidate of greatest H(s, a); ties are broken at random."""
    statistics = statistics_at(view)
    best = np.int64(-1)
    ties = 0
    for i in range(view.count):
        index = candidate(view, i)
        if edges[index].visits > 0:
            continue
        if best < 0 or statistics[index].heuristic > statistics[best].heuristic:
            best, ties = index, 1
        elif statistics[index].heuristic == statistics[best].heuristic:
            ties += 1
            if random_below(rng, ties) == 0:
                best = index
    return best


@njit
def first_untried(view, settings, edges, rng):
    """Return the untried candidate that is tried first; see the formula above."""
    if settings.ordered:
        return best_untried(view, edges, rng)
    return random_untried(view, edges, rng)


@njit
def abstracted(view, settings, i, visits, value):
    """Mix an action's value with that of its pool (OMA)."""
    pool_visits = float64_at(view.abstract_visits, view.count)[i]
    if pool_visits == 0.0:
        return value
    mean = float64_at(view.abstract_means, view.count)[i]
    beta = weight_of(settings.abstraction_visits, visits)
    return beta * (mean - view.low) * scale_of(view) + (1.0 - beta) * value


def greatest_index(exploration):
    """Return the tree policy that takes the action of greatest J(a).

    Args:
        exploration: `exploration(view, settings, index, visits, possible)`, compiled:
            the exploration term of the edge `index`, of which `visits` and `possible`
            visits count, initial ones among them.
    """

    @njit
    def choose(view_address, settings_address, rng_address):
        """Return the edge of greatest J(a); see the formula above."""
        view = decision_at(view_address)
        settings = settings_at(settings_address)
        edges = edges_at(view)
        rng = rng_at(rng_address)
        given = np.float64(settings.initial_visits)
        if comes_first(view, settings):
            return first_untried(view, settings, edges, rng)
        scale = scale_of(view)
        untried = value_of_untried(view, settings, edges, settings.use_prior != 0)
        best = candidate(view, 0)
        best_value = -np.inf
        ties = 1
        for i in range(view.count):
            index = candidate(view, i)
            edge = edges[index]
            visits = edge.visits + given
            value = untried
            if edge.visits > 0:
                value = (edge.mean - view.low) * scale
            if given > 0.0:
                heuristic = statistics_at(view)[index].heuristic
                value = (edge.visits * value + given * heuristic) / visits
            if settings.progressive_bias != 0.0:
                heuristic = statistics_at(view)[index].heuristic
                value += settings.progressive_bias * heuristic / (visits + 1.0)
            if view.abstract_visits != 0:
                value = abstracted(view, settings, i, visits, value)
            urge = settings.first_play_urgency
            if visits > 0.0:
                possible = possible_visits(view, edge)
                possible += settings.initial_visits * view.count
                urge = exploration(view, settings, index, visits, possible)
            if settings.use_prior:
                urge *= statistics_at(view)[index].prior
            value += urge
            if is_lost(view, edge):
                value -= LOST_ALREADY
            if value > best_value:
                best_value = value
                best = index
                ties = 1
            elif value == best_value and edge.visits == 0:
                # Untried actions look alike: none is preferred for its number.
                ties += 1
                if random_below(rng, ties) == 0:
                    best = index
        return best

    return choose
