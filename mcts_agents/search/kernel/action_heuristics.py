"""Action heuristics H(s, a): how good actions look before they are tried.

H is the game's own (`action_values`), move averages, or a Python function. It is asked
for when a candidate has no value yet, and again after `action_heuristic_interval`
visits where it may have changed (not `never_change`). What it is used for: the order
of untried actions, progressive bias, initial visits and priors
(`tree_policies/extended.py`), and widening (`widening.py`).

Sources: G. Chaslot et al., "Progressive strategies for Monte-Carlo tree search", 2008;
S. Gelly, D. Silver, "Combining online and offline knowledge in UCT", ICML 2007; priors:
D. Silver et al., Nature 550 (2017).
"""

import numpy as np
from numba import njit

from mcts_agents.model import calls as call
from mcts_agents.search.kernel.arithmetic import share_out
from mcts_agents.search.kernel.mast import mast_value
from mcts_agents.search.kernel.parts import (
    Array,
    Condition,
    NeededFunction,
    Part,
    array_of,
)
from mcts_agents.search.kernel.records import (
    candidate_edge,
    decision_of,
    each_legal_action,
    edges_of,
    legal_of,
    statistics_of,
)
from mcts_agents.search.kernel.tree_policies import reads, tree_policy_of

# What values actions, `heuristic` of a search.
NO_HEURISTIC, GAME_HEURISTIC, MAST_HEURISTIC, OWN_HEURISTIC = range(4)
_OF_WORDS = {
    "none": NO_HEURISTIC,
    "game": GAME_HEURISTIC,
    "mast": MAST_HEURISTIC,
}


def is_on(settings):
    """Whether actions are valued."""
    return settings.action_heuristic != "none"


WITH_HEURISTIC = Condition(is_on, "an action_heuristic")
_USED = Condition(
    lambda s: (
        s.first_play_urgency is None
        or tree_policy_of(s.tree_policy).options is None
        or s.prior_temperature is not None
        or max(s.progressive_bias, s.widening, s.initial_visits) > 0
    ),
    "first_play_urgency none, or with prior_temperature, progressive_bias, widening or "
    "initial_visits",
)
PART = Part(
    fields=[
        ("heuristic", np.int64),
        ("recalculation", np.int64),  # visits between two evaluations of actions
        ("prior_temperature", np.float64),  # of P(s, a); 0: H is one, inf: not used
    ],
    values=lambda model, s: {
        "heuristic": (
            OWN_HEURISTIC
            if callable(s.action_heuristic)
            else _OF_WORDS[s.action_heuristic]
        ),
        "recalculation": s.action_heuristic_interval,
        "prior_temperature": (
            np.inf if s.prior_temperature is None else s.prior_temperature
        ),
    },
    arrays={"heuristics": Array(np.float64, each_legal_action)},
    needs={
        "action_heuristic": [reads("action_heuristic"), _USED],
        "action_heuristic_interval": [WITH_HEURISTIC],
        "prior_temperature": [WITH_HEURISTIC, reads("prior_temperature")],
        "progressive_bias": [WITH_HEURISTIC, reads("progressive_bias")],
        "initial_visits": [WITH_HEURISTIC, reads("initial_visits")],
    },
    entries=[
        NeededFunction(
            "action_heuristic", "game", "action_values", "use action_heuristic='mast'"
        )
    ],
    extended=is_on,
    keeps_statistics=is_on,
)

heuristics_of = array_of("heuristics", np.float64)


@njit
def never_change(search):
    """Whether H(s, a) of an edge, once it is known, remains the same.

    So it is with the game's where a node has one state. A closed loop has that state at
    hand when the node is made, and cannot ask a user's function again.
    """
    if search.heuristic == OWN_HEURISTIC:
        return search.stored != 0
    return search.path_determined != 0 and search.heuristic == GAME_HEURISTIC


@njit
def update_heuristics(search, bandit):
    """Value the candidates anew, if a value is missing or older than allowed.

    Returns whether all values are finite.
    """
    decision = decision_of(search)
    statistics = statistics_of(search)
    forever = never_change(search)
    if forever and statistics[bandit.first].valued_at > 0:
        return True
    due = False
    for i in range(decision.count):
        valued_at = statistics[candidate_edge(search, i)].valued_at
        missing = valued_at == 0
        old = bandit.visits + 1 - valued_at >= search.recalculation
        due |= missing or (old and not forever)
    if not due:
        return True
    if search.heuristic != MAST_HEURISTIC:
        for i in range(decision.count):
            legal_of(search)[i] = edges_of(search)[candidate_edge(search, i)].action
        call.action_values(search, bandit.player, decision.count)
    else:
        player = np.int64(bandit.player)
        for i in range(decision.count):
            action = edges_of(search)[candidate_edge(search, i)].action
            heuristics_of(search)[i] = mast_value(search, player, action)
    for i in range(decision.count):
        if not abs(heuristics_of(search)[i]) < np.inf:
            return False
    for i in range(decision.count):
        index = candidate_edge(search, i)
        statistics[index].valued_at = bandit.visits + 1
        statistics[index].heuristic = heuristics_of(search)[i]
    if search.prior_temperature != np.inf:
        # P(s, a) of the candidates.
        share_out(heuristics_of(search), decision.count, search.prior_temperature)
        for i in range(decision.count):
            index = candidate_edge(search, i)
            statistics[index].prior = heuristics_of(search)[i]
    return True
