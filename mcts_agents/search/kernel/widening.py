"""Progressive widening: the best actions first, the others as visits grow.

    number of candidates = ceil(W N^B), at least 1, N the visits of the node

best by the action heuristic H(s, a). Sources: G. Chaslot et al., "Progressive
strategies for Monte-Carlo tree search", 2008; A. Couetoux et al., "Continuous upper
confidence trees", LION 2011; Baier, Kaisers, CoG 2020, equation 3 (which rounds up; the
manual rounds down, and would leave no candidate at the first visit for W < 1).

`candidates.list_candidates` calls it. Edges are listed for each visit then, even where
the path determines them (`listed`), and N(a) counts the visits at which an action was a
candidate. It takes a tree policy that action heuristics go with, or a function of one's
own; sequential halving refuses it.
"""

import numpy as np
from numba import njit

from mcts_agents.search.kernel.action_heuristics import WITH_HEURISTIC
from mcts_agents.search.kernel.arithmetic import exponential, natural_log
from mcts_agents.search.kernel.parts import Condition, Part
from mcts_agents.search.kernel.records import candidates_of, statistics_of

PART = Part(
    fields=[
        ("widening", np.float64),  # factor W; 0: off
        ("widening_exponent", np.float64),
    ],
    values=lambda model, settings: {
        "widening": settings.widening,
        "widening_exponent": settings.widening_exponent,
    },
    needs={
        "widening": [WITH_HEURISTIC],
        "widening_exponent": [
            Condition(lambda settings: settings.widening > 0.0, "widening above 0")
        ],
    },
)


@njit
def widen(search, bandit, n):
    """Move the best candidates to the front; return how many are allowed."""
    visits = np.float64(max(bandit.visits, 1))
    # visits ** exponent, from operations that are alike on every machine
    power = 1.0 / exponential(-natural_log(visits) * search.widening_exponent)
    wanted = search.widening * power
    if wanted >= n:
        return n
    allowed = max(np.int64(np.ceil(wanted - 1e-9)), 1)
    candidates = candidates_of(search)
    statistics = statistics_of(search)
    for i in range(allowed):
        best = i
        for j in range(i + 1, n):
            value = statistics[candidates[j]].heuristic
            most = statistics[candidates[best]].heuristic
            if value > most or (value == most and candidates[j] < candidates[best]):
                best = j
        candidates[i], candidates[best] = candidates[best], candidates[i]
    return allowed
