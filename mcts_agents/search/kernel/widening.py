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

Where H(s, a) never changes (`action_heuristics.never_change`) an action that becomes a
candidate remains one, and its edge is moved behind those of the candidates before it.
Elsewhere the best are found anew at each visit.
"""

import numpy as np
from numba import njit

from mcts_agents.search.kernel.action_heuristics import WITH_HEURISTIC, never_change
from mcts_agents.search.kernel.arithmetic import exponential, natural_log
from mcts_agents.search.kernel.parts import Array, Condition, Part, array_of
from mcts_agents.search.kernel.records import candidates_of, edges_of, statistics_of
from mcts_agents.search.kernel.tree import swap_edges

MOST = float(np.iinfo(np.int32).max)
REMEMBERED = 1 << 12  # numbers of visits

PART = Part(
    fields=[
        ("widening", np.float64),  # factor W; 0: off
        ("widening_exponent", np.float64),
    ],
    values=lambda model, settings: {
        "widening": settings.widening,
        "widening_exponent": settings.widening_exponent,
    },
    arrays={
        "wanted": Array(
            np.int32, lambda model, settings: REMEMBERED if settings.widening > 0 else 0
        )
    },
    needs={
        "widening": [WITH_HEURISTIC],
        "widening_exponent": [
            Condition(lambda settings: settings.widening > 0.0, "widening above 0")
        ],
    },
)

wanted_of = array_of("wanted", np.int32)


@njit
def wanted(search, visits):
    """Return ceil(W N^B), at least 1; at most the greatest int32."""
    # visits ** exponent, from operations that are alike on every machine
    power = 1.0 / exponential(-natural_log(visits) * search.widening_exponent)
    return np.int64(max(np.ceil(min(search.widening * power, MOST) - 1e-9), 1.0))


@njit
def wanted_at(search, visits):
    """Return `wanted`, which is remembered for small numbers of visits."""
    known = wanted_of(search)
    if visits >= len(known):
        return wanted(search, np.float64(visits))
    if known[visits] == 0:
        known[visits] = wanted(search, np.float64(visits))
    return np.int64(known[visits])


@njit
def widen(search, bandit, n):
    """Move the best candidates to the front; return how many are allowed."""
    allowed = wanted_at(search, max(np.int64(bandit.visits), 1))
    if allowed >= n:
        return n
    candidates = candidates_of(search)
    if never_change(search):
        first = candidates[0]
        known = allowed
        while known > 0 and edges_of(search)[first + known - 1].available == 0:
            known -= 1
        for i in range(known, allowed):
            swap_edges(search, first + i, first + best_of(search, i, n))
    else:
        for i in range(allowed):
            best = best_of(search, i, n)
            candidates[i], candidates[best] = candidates[best], candidates[i]
    return allowed


@njit
def best_of(search, start, n):
    """Return which of the candidates from `start` on has the greatest H(s, a).

    Among equals it is that of the least action.
    """
    candidates = candidates_of(search)
    statistics = statistics_of(search)
    edges = edges_of(search)
    best = start
    most = statistics[candidates[start]].heuristic
    for j in range(start + 1, n):
        value = statistics[candidates[j]].heuristic
        if value > most or (
            value == most
            and edges[candidates[j]].action < edges[candidates[best]].action
        ):
            best, most = j, value
    return best
