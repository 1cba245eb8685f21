"""PUCT with the priors of an evaluator: the tree policy of AlphaZero.

    J(a) = Q(a) + K P(a) sqrt(N(a)) / (1 + n(a))

- Q(a) is the mean value, scaled to [0, 1] by the least and greatest value seen. An
  action without a visit counts as the least value seen, or as its parent
  (`first_play_value`).
- P(a) is the evaluator's prior. Where legal sets vary it is divided by the sum over the
  actions that are legal now; one that was not when the node was evaluated has an even
  share of the node's actions.
- N(a) is the number of visits at which the action could be taken, and one more for the
  evaluation of the node, so that the first choice follows the priors.
- A visit that waits for the evaluator counts `virtual_loss` times as one of the least
  value seen, in n(a), N(a) and Q(a).

A first play urgency that is given stands for K sqrt(N(a)) of an action without a visit.

Sources: D. Silver et al., "A general reinforcement learning algorithm that masters
chess, shogi, and Go through self-play", Science 362 (2018), with its pseudocode, in
which values go from 0 to 1 as well; values scaled to the range seen: J. Schrittwieser
et al., "Mastering Atari, Go, chess and shogi by planning with a learned model", Nature
588 (2020).
"""

import numpy as np
from numba import njit

from mcts_agents.model.random import random_below
from mcts_agents.search.kernel.records import settings_at
from mcts_agents.search.kernel.tree_policies.first_play import value_of_untried
from mcts_agents.search.kernel.tree_policies.indices import (
    candidate,
    decision_at,
    edges_at,
    rng_at,
    scale_of,
    statistics_at,
)


@njit
def puct(view_address, settings_address, rng_address):
    """Return the edge of greatest J(a); see the formula above."""
    view = decision_at(view_address)
    settings = settings_at(settings_address)
    edges = edges_at(view)
    statistics = statistics_at(view)
    listed = view.candidates != 0
    waiting = np.int64(0)
    total = 0.0
    for i in range(view.count):
        statistic = statistics[candidate(view, i)]
        waiting += statistic.virtual_visits
        total += statistic.prior
    share = 1.0 / total if listed and total > 0.0 else 1.0
    possible = np.int64(view.visits) + waiting
    scale = scale_of(view)
    untried = value_of_untried(view, settings, edges, True)
    best = candidate(view, 0)
    best_value = -np.inf
    ties = 1
    for i in range(view.count):
        index = candidate(view, i)
        edge = edges[index]
        virtual = statistics[index].virtual_visits
        visits = edge.visits + virtual
        value = untried
        if edge.visits > 0:
            value = (edge.mean - view.low) * scale
            if virtual > 0:
                value *= edge.visits / visits
                value += view.worst * virtual / visits
        elif virtual > 0:
            value = view.worst
        available = possible
        if listed:
            # Descents that were given up are counted there, but not in the visits.
            available = min(available, np.int64(edge.available - 1))
        if visits == 0 and settings.first_play_urgency < np.inf:
            urge = settings.first_play_urgency
        else:
            root = np.sqrt(np.float64(available + 1))
            urge = settings.exploration * root / (1.0 + visits)
        value += urge * statistics[index].prior * share
        if value > best_value:
            best_value = value
            best = index
            ties = 1
        elif value == best_value and visits == 0:
            ties += 1  # untried actions look alike: none is preferred for its number
            if random_below(rng_at(rng_address), ties) == 0:
                best = index
    return best
