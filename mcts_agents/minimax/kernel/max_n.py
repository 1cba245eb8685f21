"""Max-n: every player after its own value (C. Luckhardt, K. Irani, AAAI 1986).

    values(node) = those below the action that is best for the player who decides

Ties go to the action that comes first in the search's order. Where all values add up
to a known `total` and none is below 0, *shallow pruning* leaves out what cannot matter:
once the player has so much that the one who decided above it can get no more than it
has already (R. Korf, "Multi-player alpha-beta pruning", Artificial Intelligence 48,
1991). Nothing deeper can be pruned.
"""

import numpy as np
from numba import njit

from mcts_agents.minimax.kernel.nodes import (
    bring_next,
    evaluate_state,
    list_moves,
    movers_of,
    next_player,
)
from mcts_agents.minimax.kernel.records import (
    FAILED,
    FINISHED,
    NO_ACTION,
    OPENED,
    OWN,
    VALUED,
    enter_slot,
    frame_at,
    joints_of,
    line_lengths_of,
    moves_of,
    root_values_of,
    set_line,
    teams_of,
    values_of,
    vectors_of,
)
from mcts_agents.minimax.kernel.two_sided import apply_joint, is_spent, new_state
from mcts_agents.model import calls as call
from mcts_agents.search.kernel.status import (
    BUDGET_SPENT,
    MODEL_ERROR,
    SLICE_DONE,
)
from mcts_agents.search.kernel.tree import count_players


@njit
def begin(search, depth):
    """Open the root for a search of so many decisions; return the status."""
    search.ply = 0
    enter_slot(search, 0)
    call.copy_between(search, search.state, search.root_state)
    root = frame_at(search, 0)
    movers = movers_of(search)
    if movers < 0:
        return -movers
    joints_of(search)[: search.players] = NO_ACTION
    root.pending = movers
    search.together |= count_players(movers) > 1
    root.depth = depth
    opened, status = open_decision(search, 0, 0)
    return SLICE_DONE if opened == OPENED else status


@njit
def run_slice(search, nodes):
    """Search on for so many nodes; return why the slice ended; see `two_sided`."""
    last = search.nodes + nodes
    while search.ply >= 0:
        frame = frame_at(search, search.ply)
        if frame.next < frame.count:
            if search.nodes >= last:
                return SLICE_DONE
            if is_spent(search):
                return BUDGET_SPENT
            status = descend(search, frame)
            if status != SLICE_DONE:
                return status
        else:
            close(search, frame)
    return FINISHED


@njit
def descend(search, frame):
    """Go down by the frame's next action; take in its values if it has them."""
    ply = search.ply
    reached, status = reach_action(search, frame, ply)
    if reached == FAILED:
        return status
    if reached == OPENED:
        search.ply = ply + 1
    else:
        line_lengths_of(search)[ply + 1] = 0
        take_in(search, frame, ply)
    return SLICE_DONE


@njit
def reach_action(search, frame, ply):
    """Let the frame's player take the next action; return what the node below is."""
    bring_next(search, ply, frame.next, frame.count)
    move = moves_of(search)[ply * (search.legal_limit + 1) + frame.next]
    below = frame_at(search, ply + 1)
    below.depth = frame.depth - 1
    joints, players = joints_of(search), search.players
    for player in range(players):
        joints[(ply + 1) * players + player] = joints[ply * players + player]
    joints[(ply + 1) * players + frame.player] = move.action
    below.pending = frame.pending & ~(np.int64(1) << frame.player)
    if below.pending != 0:  # the others choose, too, before anything happens
        enter_slot(search, frame.slot)
        return open_decision(search, ply + 1, frame.slot)
    new_state(search, frame.slot, ply + 1)
    apply_joint(search, ply + 1)
    return visit(search, ply + 1)


@njit
def visit(search, ply):
    """Enter a new state: value it, or open its frame."""
    frame = frame_at(search, ply)
    if call.failed(search):
        return FAILED, np.int64(MODEL_ERROR)
    movers = movers_of(search)
    if movers < 0:
        return FAILED, -movers
    players = search.players
    if movers == 0 or frame.depth <= 0 or ply >= search.most_plies:
        status = evaluate_state(search)
        if status != SLICE_DONE:
            return FAILED, np.int64(status)
        for player in range(players):
            vectors_of(search)[ply * players + player] = values_of(search)[player]
        search.complete = movers == 0
        return VALUED, np.int64(SLICE_DONE)
    joints_of(search)[ply * players : (ply + 1) * players] = NO_ACTION
    frame.pending = movers
    search.together |= count_players(movers) > 1
    return open_decision(search, ply, frame.slot)


@njit
def open_decision(search, ply, slot):
    """Open the frame of the next player who chooses; it has its depth."""
    frame = frame_at(search, ply)
    player = next_player(search, frame.pending)
    frame.player = player
    frame.slot = slot
    frame.kind = OWN
    first = search.root_best if ply == 0 else np.int64(NO_ACTION)
    n = list_moves(search, ply, player, first)
    if n < 0:
        return FAILED, np.int64(-n)
    frame.count = n
    frame.next = 0
    frame.best = NO_ACTION
    frame.value = -np.inf
    frame.complete = 1
    line_lengths_of(search)[ply] = 0
    return OPENED, np.int64(SLICE_DONE)


@njit
def take_in(search, frame, ply):
    """Take in the values of what the frame's next action led to."""
    players = search.players
    vectors = vectors_of(search)
    below = (ply + 1) * players
    action = moves_of(search)[ply * (search.legal_limit + 1) + frame.next].action
    value = vectors[below + frame.player]
    if ply == 0:
        root_values_of(search)[action] = value
    frame.complete &= search.complete
    frame.next += 1
    if not value > frame.value:
        return
    frame.value = value
    frame.best = action
    set_line(search, ply, frame.player, action)
    for player in range(players):
        vectors[ply * players + player] = vectors[below + player]
    if frame.next < frame.count and is_pruned(search, frame, ply):
        frame.next = frame.count
        frame.complete = search.complete
        # What the player above has here at most, which is no better for it.
        above = frame_at(search, ply - 1)
        most = min(search.total - frame.value, above.value)
        vectors[ply * players + above.player] = most


@njit
def is_pruned(search, frame, ply):
    """Whether the player above would not come here, whatever the rest is worth."""
    if not search.shallow or ply == 0:
        return False
    above = frame_at(search, ply - 1)
    if teams_of(search)[above.player] == teams_of(search)[frame.player]:
        return False
    return frame.value >= search.total - above.value


@njit
def close(search, frame):
    """Leave a frame: its values go to the one above."""
    search.complete = frame.complete
    search.ply -= 1
    if search.ply >= 0:
        take_in(search, frame_at(search, search.ply), search.ply)
