"""Uniformly random actions, and the best one but for a share of random ones.

- `uniform`: every candidate is equally likely.
- `epsilon_greedy`: with probability epsilon uniform, else the candidate of greatest
  mean value. An untried action counts as the least value seen; ties are broken at
  random (R. Sutton, A. Barto, "Reinforcement learning", 2nd edition, section 2.2).
"""

import numpy as np
from numba import njit

from mcts_agents.model.random import random_below, random_float
from mcts_agents.search.kernel.records import settings_at
from mcts_agents.search.kernel.tree_policies.indices import (
    candidate,
    decision_at,
    edges_at,
    rng_at,
)
from mcts_agents.search.kernel.tree_policies.tree_policy import TreePolicy


@njit
def uniform(view_address, settings_address, rng_address):
    """Return any candidate."""
    view = decision_at(view_address)
    return candidate(view, random_below(rng_at(rng_address), view.count))


@njit
def epsilon_greedy(view_address, settings_address, rng_address):
    """Return the best candidate, or any with probability epsilon."""
    view = decision_at(view_address)
    rng = rng_at(rng_address)
    if random_float(rng) < settings_at(settings_address).epsilon:
        return candidate(view, random_below(rng, view.count))
    edges = edges_at(view)
    best = candidate(view, 0)
    best_value = -np.inf
    ties = 1
    for i in range(view.count):
        index = candidate(view, i)
        value = view.low
        if edges[index].visits > 0:
            value = edges[index].mean
        if value > best_value:
            best, best_value, ties = index, value, 1
        elif value == best_value:
            ties += 1
            if random_below(rng, ties) == 0:
                best = index
    return best


UNIFORM = TreePolicy("uniform", choose=uniform, kind="other")
EPSILON_GREEDY = TreePolicy(
    "epsilon_greedy", choose=epsilon_greedy, kind="other", options=("epsilon",)
)
