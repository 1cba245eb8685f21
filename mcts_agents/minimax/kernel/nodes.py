"""What minimax searches do at a node: value it, list its actions, order these.

Order matters more than anything else: alpha-beta visits the square root of the tree if
the best action always comes first. First comes the action that was best when the
position was last searched; then the others by the game's own `action_values`, to which
killers, which refuted a sibling, add a bonus, and by how often an action has refuted
anything anywhere (J. Schaeffer, "The history heuristic", ICCA Journal 6(3), 1983).
"""

import numpy as np
from numba import njit

from mcts_agents.minimax.kernel.records import (
    BAD_ACTION_VALUE,
    MOVE,
    NO_ACTION,
    NO_SHARES,
    OUT_OF_BOUNDS,
    heuristics_of,
    history_of,
    killers_of,
    leaf_of,
    legal_of,
    moves_of,
    results_of,
    values_of,
)
from mcts_agents.model import calls as call
from mcts_agents.model.contract import PLAYING
from mcts_agents.search.kernel import plug_ins as plug_in
from mcts_agents.search.kernel.status import (
    BAD_ACTION,
    BAD_MOVERS,
    MODEL_ERROR,
    NO_LEGAL_ACTION,
    NOT_FINITE,
    NOTHING_KEPT,
    SLICE_DONE,
)

# By how much rounding may carry values across their bounds.
SLACK = 1e-6
# Killers of one frame.
KILLERS = 2
# Values of an order: static ones are from 0 to 1, history adds less than their steps.
_TABLE_FIRST = 8.0
# A killer passes what is valued a little better, but not what is much better: a move
# that wins a box, or stops a line, refutes more than a move that did so elsewhere.
_KILLER_BONUS = 0.25
_HISTORY_WEIGHT = 1e-3
# Of the number that orders an action: steps of its value, and bits for the action.
_STEPS, _MOST_VALUE, _ACTION_BITS = 2.0**30, 256.0, np.int64(24)

assert MOVE.itemsize == 24


@njit
def evaluate_state(search):
    """Write what the state is worth to each player into `values`; return the status."""
    leaf_of(search).state = search.state
    call.results(search)
    if search.needs_scores:
        call.scores(search)
    if search.needs_evaluation and is_anyone_playing(search):
        call.evaluate(search)
    if call.failed(search):
        return MODEL_ERROR
    plug_in.leaf_value(search)
    if call.failed(search):
        return MODEL_ERROR
    total = 0.0
    for player in range(search.players):
        value = values_of(search)[player]
        # Written so that NaN does not pass.
        if not abs(value) < np.inf:
            return NOT_FINITE
        if not search.lowest - SLACK <= value <= search.highest + SLACK:
            return OUT_OF_BOUNDS
        total += value
    if search.shallow and total > search.total + SLACK:
        return NO_SHARES
    return SLICE_DONE


@njit
def is_anyone_playing(search):
    """Whether the results leave somebody's open."""
    results = results_of(search)
    for player in range(search.players):
        if results[player] == PLAYING:
            return True
    return False


@njit
def movers_of(search):
    """Return the bit mask of who decides in the state, or minus a status."""
    movers = call.movers(search)
    if call.failed(search):
        return np.int64(-MODEL_ERROR)
    # The shift leaves -1 of a mask below 0.
    if movers >> search.players != 0:
        return np.int64(-BAD_MOVERS)
    return movers


@njit
def list_moves(search, ply, player, best):
    """Write a player's actions into the frame's row of moves, valued for their order.

    Args:
        search: The record; its state is the frame's.
        ply: The frame's place.
        player: Who decides.
        best: The action that comes first, NO_ACTION for none.

    Returns:
        The number of actions, or minus a status if that is none.
    """
    n = call.legal_actions(search, player)
    if call.failed(search):
        return -MODEL_ERROR
    if n <= 0 or n > search.legal_limit:
        return -NO_LEGAL_ACTION
    if search.filters:
        kept = call.filter_actions(search, player, n)
        if call.failed(search):
            return -MODEL_ERROR
        if kept <= 0 or kept > n:
            return -NOTHING_KEPT
        n = kept
    legal = legal_of(search)
    for i in range(n):  # arrays are indexed by it, and one of them is PASS
        if not 0 <= legal[i] < search.action_count:
            return -BAD_ACTION
    valued = search.ordered and search.has_action_values and n > 1
    if valued:
        call.action_values(search, player, n)
        if call.failed(search):
            return -MODEL_ERROR
    moves = moves_of(search)
    heuristics = heuristics_of(search)
    scale = _HISTORY_WEIGHT / (search.greatest_history + 1.0)
    base = ply * (search.legal_limit + 1)
    for i in range(n):
        move = moves[base + i]
        move.action = legal[i]
        move.rank = heuristics[i] if valued else 0.0
        if not abs(move.rank) < np.inf:
            return -BAD_ACTION_VALUE
        move.ranked = 1
        value = move.rank
        if legal[i] == best:
            value += _TABLE_FIRST
        else:
            value += experience(search, ply, player, legal[i], scale)
        move.order = order_of(value, legal[i])
    return n


@njit
def order_of(value, action):
    """Return one number for an order by value, and by the least number in ties.

    Comparing one is all that a scan of the actions does. Values are told apart that
    differ by a billionth or more.
    """
    steps = np.int64(min(max(value, -_MOST_VALUE), _MOST_VALUE) * _STEPS)
    return (steps << _ACTION_BITS) - action


@njit
def experience(search, ply, player, action, scale):
    """Return what the search's own experience adds to an action's order.

    `scale` takes the history of an action to at most `_HISTORY_WEIGHT`.
    """
    if search.uses_killers:
        for i in range(KILLERS):
            if killers_of(search)[ply * KILLERS + i] == action:
                return _KILLER_BONUS / (i + 1)
    if search.uses_history:
        count = history_of(search)[player * search.action_count + action]
        return scale * count
    return 0.0


@njit
def keep_ranked(search, ply, n, wanted):
    """Mark the actions that static order puts first, and move them to the front.

    Ties go to the action of the least number, so that the order does not depend on how
    the game lists its actions.

    Args:
        search: The record.
        ply: The frame's place.
        n: The number of actions.
        wanted: How many to mark.
    """
    moves = moves_of(search)
    base = ply * (search.legal_limit + 1)
    for i in range(n):
        moves[base + i].ranked = 0
    for place in range(min(wanted, n)):
        first = place
        for i in range(place + 1, n):
            rank, least = moves[base + i].rank, moves[base + first].rank
            if rank > least or (
                rank == least and moves[base + i].action < moves[base + first].action
            ):
                first = i
        swap(moves, base + place, base + first)
        moves[base + place].ranked = 1


@njit
def bring_next(search, ply, start, n):
    """Move the action to search next to the place `start`.

    Unsigned indices, since Numba would ask of others whether they are below 0.
    """
    moves = moves_of(search)
    base = np.uint64(ply * (search.legal_limit + 1))
    first = base + np.uint64(start)
    greatest = moves[first].order
    for i in range(base + np.uint64(start + 1), base + np.uint64(n)):
        order = moves[i].order
        first = i if order > greatest else first
        greatest = max(order, greatest)
    swap(moves, base + np.uint64(start), first)


@njit
def swap(moves, i, j):
    """Exchange two moves."""
    if i == j:
        return
    a, b = moves[i], moves[j]
    a.action, b.action = b.action, a.action
    a.ranked, b.ranked = b.ranked, a.ranked
    a.rank, b.rank = b.rank, a.rank
    a.order, b.order = b.order, a.order


@njit
def remember_cutoff(search, ply, player, action, depth):
    """Note that an action has refuted what led to its decision."""
    if action < 0:
        return
    if search.uses_killers:
        killers = killers_of(search)
        if killers[ply * KILLERS] != action:
            for i in range(KILLERS - 1, 0, -1):
                killers[ply * KILLERS + i] = killers[ply * KILLERS + i - 1]
            killers[ply * KILLERS] = action
    if search.uses_history:
        history = history_of(search)
        place = player * search.action_count + action
        history[place] += max(depth, 1) ** 2
        search.greatest_history = max(search.greatest_history, history[place])


@njit
def next_player(search, pending):
    """Return who chooses next of players who decide at once: the root player first."""
    if pending >> search.root_player & 1:
        return search.root_player
    for player in range(search.players):
        if pending >> player & 1:
            return player
    return np.int64(NO_ACTION)
