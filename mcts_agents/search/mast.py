"""MAST, the move-average sampling technique.

Every action taken in an iteration, in the tree or in the rollout, is credited with the
iteration's value to the player who took it. The averages, one for each player and
action, make a policy for rollouts: a softmax of temperature T over them, scaled to
[0, 1] by the least and greatest value that the player has seen. An action that was
never taken counts as the default value. Between decisions totals and visits are
multiplied by a decay.

Source: H. Finnsson, Y. Bjornsson, "Simulation-based approach to general game playing",
AAAI 2008; Y. Bjornsson, H. Finnsson, "CadiaPlayer", IEEE TCIAIG 1 (2009).
"""

import numpy as np
from numba import njit

from mcts_agents.model.random import random_float
from mcts_agents.search.arithmetic import exponential
from mcts_agents.search.records import (
    averages_of,
    edges_of,
    legal_of,
    nodes_of,
    path_of,
    taken_of,
    values_of,
    weights_of,
)


@njit
def mast_value(search, player, action):
    """Return an action's average, on the scale 0 to 1."""
    average = averages_of(search)[player * search.slots_length + action]
    own = player * search.own_ranges
    low, high = search.low[own], search.high[own]
    if average.visits == 0.0 or not high > low:
        return search.mast_default
    mean = average.total / average.visits
    # Averages of an earlier decision may lie outside of what was seen in this one.
    return min(max((mean - low) / (high - low), 0.0), 1.0)


@njit
def mast_action(search, player, n, rng):
    """Draw one of the `n` actions in `legal` from the softmax of their averages."""
    weights = weights_of(search)
    total = 0.0
    for i in range(n):
        value = mast_value(search, player, legal_of(search)[i])
        weights[i] = exponential((value - 1.0) / search.mast_temperature)
        total += weights[i]
    left = random_float(rng) * total
    for i in range(n - 1):
        left -= weights[i]
        if left < 0.0:
            return np.int64(legal_of(search)[i])
    return np.int64(legal_of(search)[n - 1])


@njit
def note_action(search, player, action):
    """Remember an action of the rollout; return whether there was room."""
    if search.taken_count == search.taken_length:
        return False
    taken_of(search)[search.taken_count].player = player
    taken_of(search)[search.taken_count].action = action
    search.taken_count += 1
    return True


@njit
def credit(search, player, action):
    """Add this iteration's value to the average of an action."""
    average = averages_of(search)[player * search.slots_length + action]
    average.visits += 1.0
    average.total += values_of(search)[player]


@njit
def update_averages(search):
    """Credit the actions of this iteration."""
    if search.mast_tree:
        for i in range(search.step_count):
            step = path_of(search)[i]
            action = edges_of(search)[step.edge].action
            credit(search, nodes_of(search)[step.node].player, action)
    for i in range(search.taken_count):
        taken = taken_of(search)[i]
        credit(search, taken.player, taken.action)
