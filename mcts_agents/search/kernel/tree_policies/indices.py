"""What tree policies share: views of what they are called with."""

import numpy as np
from numba import carray, njit

from mcts_agents.model.addresses import as_pointer, int32_at
from mcts_agents.model.random import random_below
from mcts_agents.search.kernel.records import (
    ALL_DRAW,
    DECISION,
    EDGE,
    STATISTIC,
    UNPROVEN,
)

# Taken off the value of an action that is proven to lose: any other one is better.
LOST_ALREADY = 1e12


@njit
def decision_at(address):
    """View the DECISION record at an address."""
    return carray(as_pointer(address), 1, DECISION)[0]


@njit
def rng_at(address):
    """View the generator at an address."""
    return carray(as_pointer(address), 2, np.uint64)


@njit
def edges_at(view):
    """View the edges of a decision."""
    return carray(as_pointer(view.edges), view.edges_length, EDGE)


@njit
def statistics_at(view):
    """View the statistics of a decision's edges, where they are kept."""
    return carray(as_pointer(view.statistics), view.edges_length, STATISTIC)


@njit
def candidate(view, i):
    """Return the index of the `i`-th candidate's edge."""
    if view.candidates == 0:
        return np.int64(view.first + i)
    return np.int64(int32_at(view.candidates, view.count)[i])


@njit
def scale_of(view):
    """Return the factor that brings values to [0, 1]; 0 while all are equal."""
    return 1.0 / (view.high - view.low) if view.high > view.low else 0.0


@njit
def is_lost(view, edge):
    """Whether an action is proven to lose for the team of the player who decides."""
    outcome = edge.outcome
    return outcome != UNPROVEN and outcome != ALL_DRAW and outcome != view.won


@njit
def random_untried(view, edges, rng):
    """Return the index of an untried candidate, all equally likely."""
    left = random_below(rng, view.untried)
    for i in range(view.count):
        index = candidate(view, i)
        if edges[index].visits == 0:
            if left == 0:
                return index
            left -= 1
    raise ValueError("a node counts more untried actions than it has")


@njit
def possible_visits(view, edge):
    """Return N(a): how often the action could have been taken before this visit."""
    if view.candidates == 0:
        return np.int64(view.visits)
    return np.int64(edge.available - 1)  # this visit is counted already
