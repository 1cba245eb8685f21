"""The candidates of a decision: which of its edges can be taken in this iteration.

Where the path determines the state the edges of a node are made once and all of them
are candidates. Elsewhere, in an open loop with chance or hidden information, an edge is
a candidate if its action is legal in this very state (subset-armed bandits), and N(a)
counts the visits at which it was one. Progressive widening leaves the best of them.

With an action filter only those actions get edges that the game finds worth a search.
`action_filter` also decides which of the acting player's actions are listed at the root
(`Workspace.actions`). `SearchSettings.for_model` switches it on where the game has a
filter, and the solver refuses it.
"""

import numpy as np
from numba import njit

from mcts_agents.model import calls as call
from mcts_agents.search.kernel.action_heuristics import NO_HEURISTIC, update_heuristics
from mcts_agents.search.kernel.parts import NeededFunction, Part
from mcts_agents.search.kernel.records import (
    FIRST_WINNER,
    are_actions,
    candidates_of,
    decision_of,
    edge_pools_of,
    edges_of,
    legal_of,
    slots_of,
    statistics_of,
    teams_of,
)
from mcts_agents.search.kernel.status import (
    BAD_ACTION,
    MODEL_ERROR,
    NO_LEGAL_ACTION,
    NOT_FINITE,
    NOTHING_KEPT,
)
from mcts_agents.search.kernel.tree import (
    append_edge,
    clear_all_statistics,
    clear_edge,
    reserve_edges,
)
from mcts_agents.search.kernel.variants import EXTENDED
from mcts_agents.search.kernel.widening import widen

PART = Part(
    fields=[
        ("filtered", np.int64),  # actions in trees pass the game's filter
        ("listed", np.int64),  # candidates are listed, not all of a node's edges
        ("widest", np.int64),  # most edges of any bandit
    ],
    values=lambda model, settings: {"filtered": settings.action_filter == "game"},
    entries=[
        NeededFunction(
            "action_filter", "game", "filter_actions", "use action_filter='all'"
        )
    ],
)


@njit
def list_candidates(search, bandit):
    """Fill the DECISION record; return the number of candidates, see `ask_actions`.

    -3 is the error that an action's heuristic value is not finite.
    """
    decision = decision_of(search)
    decision.player = bandit.player
    decision.visits = bandit.visits
    if search.solver:
        decision.won = FIRST_WINNER + teams_of(search)[bandit.player]
    if search.path_determined and bandit.count > 0:
        n = np.int64(bandit.count)
        decision.candidates = 0
        decision.untried = n - bandit.tried
        if search.listed:  # widening will choose from them
            for i in range(n):
                candidates_of(search)[i] = bandit.first + i
            decision.candidates = search.candidates
    else:
        n = ask_actions(search, bandit.player)
        if n <= 0:
            return n
        decision.candidates = match_edges(search, bandit, n)
        decision.untried = n
    decision.first = bandit.first
    decision.count = n
    if EXTENDED:
        if search.heuristic != NO_HEURISTIC:
            finite = update_heuristics(search, bandit)
            if call.failed(search):
                return 0
            if not finite:
                return -3
        if search.widening > 0.0:
            decision.count = widen(search, bandit, n)
    if search.listed:
        decision.untried = count_untried(search)
    return decision.count


@njit
def ask_actions(search, player):
    """Write the actions that a player may take in a tree; return their number.

    0 is an error; -1: the game's filter has not kept from 1 to all of them; -2: an
    action lies outside of the game's action space.
    """
    n = call.legal_actions(search, player)
    if n <= 0 or n > search.legal_limit or call.failed(search):
        return 0
    if search.filtered and n > 1:
        kept = call.filter_actions(search, player, n)
        if call.failed(search):
            return 0
        if kept <= 0 or kept > n:
            return -1
        n = kept
    return n if are_actions(search, n) else -2


@njit
def error_of(search, n):
    """Return the status that a number of actions which is an error ends with."""
    if call.failed(search):
        return MODEL_ERROR
    if n == -3:
        return NOT_FINITE
    if n == -2:
        return BAD_ACTION
    return NO_LEGAL_ACTION if n == 0 else NOTHING_KEPT


@njit
def match_edges(search, bandit, n):
    """Find or make the edge of each legal action; return the candidates' address."""
    before = bandit.count
    edges = edges_of(search)
    slots = slots_of(search)
    if before == 0:
        add_edges(search, bandit, n)
        return candidates_after(search, bandit, n)
    for i in range(before):
        slots[edges[bandit.first + i].action] = i
    for i in range(n):
        action = legal_of(search)[i]
        # Other bandits wrote into `slots` too: believe an entry only if it fits here.
        slot = slots[action]
        if slot >= before or edges[bandit.first + slot].action != action:
            if bandit.count == bandit.capacity:
                reserve_edges(search, bandit, bandit.count + n - i)
            slot = append_edge(search, bandit, action) - bandit.first
        candidates_of(search)[i] = slot
    return candidates_after(search, bandit, n)


@njit
def add_edges(search, bandit, n):
    """Give a bandit without edges those of its first legal actions."""
    reserve_edges(search, bandit, n)
    edges, legal = edges_of(search), legal_of(search)
    candidates = candidates_of(search)
    first = np.int64(bandit.first)
    for i in range(n):
        clear_edge(edges[first + i], legal[i])
        candidates[i] = i
    if search.edge_pools_length > 0:
        edge_pools_of(search)[first : first + n] = 0
    if search.statistics_length > 0:
        clear_all_statistics(search, first, n)
    bandit.count = n


@njit
def candidates_after(search, bandit, n):
    """Turn places among a bandit's edges into candidates; return their address."""
    search.widest = max(search.widest, bandit.count)
    if not search.listed:
        return 0
    for i in range(n):
        candidates_of(search)[i] += bandit.first
    return search.candidates


@njit
def count_untried(search):
    """Count the candidates without a visit; each candidate was available once more."""
    untried = 0
    for i in range(decision_of(search).count):
        index = candidates_of(search)[i]
        edge = edges_of(search)[index]
        edge.available += 1
        if edge.visits == 0:
            untried += 1
        if search.updates:
            statistics_of(search)[index].candidate_at = search.simulations
    return untried
