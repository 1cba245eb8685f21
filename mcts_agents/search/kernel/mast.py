"""MAST, the move-average sampling technique.

Every action taken in an iteration, in the tree or in the rollout, is credited with the
iteration's value to the player who took it. The averages, one for each player and
action, make a policy for rollouts: a softmax of temperature T over them, scaled to
[0, 1] by the least and greatest value that the player has seen. An action that was
never taken counts as the default value. Between decisions totals and visits are
multiplied by a decay (`Search.decay_averages`).

`mast` says which moves are credited: where a policy (`rollout.py`) or a heuristic
(`action_heuristics.py`) asks for averages, `both` by default. `selection` and `rollout`
note the moves in the trace (`trace.py`; a rollout that would take an iteration beyond
65,536 of them, those in trees included, is an error), and `back_up` credits them. Where
those of rollouts are credited no compiled playout is used. Evaluators refuse averages,
as a policy and as a heuristic.

Source: H. Finnsson, Y. Bjornsson, "Simulation-based approach to general game playing",
AAAI 2008; Y. Bjornsson, H. Finnsson, "CadiaPlayer", IEEE TCIAIG 1 (2009).
"""

import numpy as np
from numba import njit

from mcts_agents.model.random import random_float
from mcts_agents.search.kernel.arithmetic import exponential
from mcts_agents.search.kernel.parts import Array, Condition, Part, array_of
from mcts_agents.search.kernel.records import legal_of, values_of, weights_of
from mcts_agents.search.kernel.trace import trace_of

# One for each player and action.
AVERAGE = np.dtype([("visits", np.float64), ("total", np.float64)])


def is_asked_for(settings):
    """Whether a policy or a heuristic wants the averages."""
    users = settings.rollout_policy, settings.opponent_model, settings.action_heuristic
    return any(isinstance(user, str) and user == "mast" for user in users)


def _averages(model, settings):
    return model.players * model.actions if settings.mast != "none" else 0


_WITH_MAST = Condition(
    is_asked_for, "rollout_policy, opponent_model or action_heuristic mast"
)
_IN_ROLLOUTS = Condition(
    lambda s: "mast" in (s.rollout_policy, s.opponent_model),
    "rollout_policy or opponent_model mast",
)
PART = Part(
    fields=[
        ("mast_temperature", np.float64),
        ("mast_default", np.float64),
    ],
    values=lambda model, settings: {
        "mast_temperature": settings.mast_temperature,
        "mast_default": settings.mast_default,
    },
    arrays={"averages": Array(AVERAGE, _averages)},
    needs={
        "mast": [_WITH_MAST],
        "mast_decay": [_WITH_MAST],
        "mast_temperature": [_IN_ROLLOUTS],
        "mast_default": [_WITH_MAST],
    },
    extended=lambda settings: settings.mast != "none",
)

averages_of = array_of("averages", AVERAGE)


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
    if total == 0.0:  # all are too small for the temperature: the best are drawn
        most = 0.0
        for i in range(n):
            most = max(most, mast_value(search, player, legal_of(search)[i]))
        for i in range(n):
            value = mast_value(search, player, legal_of(search)[i])
            weights[i] = 1.0 if value == most else 0.0
            total += weights[i]
    left = random_float(rng) * total
    for i in range(n - 1):
        left -= weights[i]
        if left < 0.0:
            return np.int64(legal_of(search)[i])
    return np.int64(legal_of(search)[n - 1])


@njit
def update_averages(search):
    """Add this iteration's value to the averages of its actions."""
    for i in range(search.move_count):
        move = trace_of(search)[i]
        average = averages_of(search)[move.player * search.slots_length + move.code]
        average.visits += 1.0
        average.total += values_of(search)[move.player]
