"""Alpha-beta and its kin: the root player's team against all others.

    value(node) = max over actions   if the root player or a team mate decides
                  min over actions   if an opponent decides
                  sum of p * value   if chance decides

All values are the root player's. A window (alpha, beta) bounds what still matters: at a
node where alpha reaches beta the rest is cut off. What the algorithms differ in:

- *alpha-beta*: nothing more (D. Knuth, R. Moore, Artificial Intelligence 6, 1975). With
  several opponents it is *Paranoid*: they are a coalition against the root player
  (N. Sturtevant, R. Korf, AAAI 2000).
- *negascout* (`scouts`): all actions but the first are searched with a null window,
  and again with a whole one where they prove better (A. Reinefeld, ICCA Journal 6(4),
  1983).
- *Best-Reply Search*: between two turns of the root player one opponent moves, and the
  others pass (M. Schadd, M. Winands, IEEE TCIAIG 3(1), 2011).
- *BRS+*: the others play the action that static order puts first (M. Esser et al.,
  Computers and Games 2013).
- *OPPS*: `free_opponents` of them may choose among `free_moves` actions, the others
  among the first `ranked_moves` (H. Baier, M. Kaisers, "Opponent-pruning paranoid
  search", FDG 2020). BRS+ is 1, all, 1; Paranoid has no opponent who is not free; BRS
  is 1, all, 0. An opponent who chooses what order puts among the first `ranked_moves`
  uses up no freedom.
- *expectiminimax* (`chance`): what chance does is averaged, over all outcomes where the
  game lists them, else over `samples` drawn ones; *Star1* cuts off where no values of
  the outcomes to come can bring the average into the window (B. Ballard, Artificial
  Intelligence 21, 1983).

Players who decide at once choose one after the other, the root player first, so that
its opponents know its choice and it is prepared for the worst.
"""

import numpy as np
from numba import njit

from mcts_agents.minimax.kernel.nodes import (
    bring_next,
    evaluate_state,
    keep_ranked,
    list_moves,
    movers_of,
    next_player,
    order_of,
    remember_cutoff,
)
from mcts_agents.minimax.kernel.records import (
    BAD_OUTCOMES,
    CHANCE,
    FAILED,
    FINISHED,
    LEFT_OUT,
    MAXIMISES,
    MINIMISES,
    NO_ACTION,
    NOT_IN_TURN,
    OPENED,
    PASS,
    VALUED,
    enter_slot,
    frame_at,
    joint_action_of,
    joints_of,
    line_lengths_of,
    moves_of,
    probabilities_of,
    root_values_of,
    set_line,
    teams_of,
    values_of,
)
from mcts_agents.minimax.kernel.table import look_up, remember, write_key
from mcts_agents.model import calls as call
from mcts_agents.search.kernel.status import (
    BUDGET_SPENT,
    MODEL_ERROR,
    SLICE_DONE,
)
from mcts_agents.search.kernel.tree import count_players

# By how much rounding may change the sum of probabilities.
SLACK = 1e-6
# By how much it may change a mean of values from 0 to 1.
ROUNDING = 1e-12


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
    root.alone = count_players(movers) == 1
    search.together |= not root.alone
    root.depth = depth
    root.free = root.passed = 0
    root.alpha, root.beta = search.lowest, search.highest
    opened, status = open_decision(search, 0, 0)
    return SLICE_DONE if opened == OPENED else status


@njit
def run_slice(search, nodes):
    """Search on for so many nodes; return why the slice ended.

    After FINISHED the value is the record's, the best action the root frame's. Nothing
    is half done when it returns SLICE_DONE or BUDGET_SPENT.
    """
    last = search.nodes + nodes
    while search.ply >= 0:
        frame = frame_at(search, search.ply)
        # Rounding may leave no window: the first action is searched all the same.
        is_open = frame.alpha < frame.beta or frame.next == 0
        if is_open and frame.next < frame.count:
            # Only here: to close what is complete takes no node, and its value counts.
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
def is_spent(search):
    """Whether the search ends here: not before it has reached a state."""
    if search.stop or search.nodes >= search.node_limit:
        return search.nodes > 0
    return False


@njit
def descend(search, frame):
    """Go down by the frame's next action or outcome; take in a value found there."""
    ply = search.ply
    if frame.kind == CHANCE:
        reached, status = reach_outcome(search, frame, ply)
    else:
        reached, status = reach_action(search, frame, ply)
    if reached == FAILED:
        return status
    if reached == OPENED:
        search.ply = ply + 1
    elif reached == LEFT_OUT:
        frame.next += 1
    else:
        line_lengths_of(search)[ply + 1] = 0
        take_in(search, frame, ply)
    return SLICE_DONE


@njit
def reach_action(search, frame, ply):
    """Let the frame's player take the next action; return what the node below is."""
    if frame.again == 0 and frame.scouting == 0:
        bring_next(search, ply, frame.next, frame.count)
    move = moves_of(search)[ply * (search.legal_limit + 1) + frame.next]
    below = frame_at(search, ply + 1)
    below.free = free_after(search, frame, move)
    below.passed = 0
    if move.action == PASS:
        below.passed = frame.passed | np.int64(1) << frame.player
    below.depth = frame.depth - (move.action != PASS)
    below.alpha, below.beta = frame.alpha, frame.beta
    frame.scouting = 0
    if search.scouts and frame.next > 0 and frame.again == 0:
        narrow(frame, below)
    joints = joints_of(search)
    players = search.players
    for player in range(players):
        joints[(ply + 1) * players + player] = joints[ply * players + player]
    joints[(ply + 1) * players + frame.player] = move.action
    below.pending = frame.pending & ~(np.int64(1) << frame.player)
    if below.pending != 0:  # the others choose, too, before anything happens
        below.alone = 0
        enter_slot(search, frame.slot)
        return open_decision(search, ply + 1, frame.slot)
    if move.action == PASS:
        new_state(search, frame.slot, ply + 1)
        call.pass_turn(search)
        if call.failed(search):
            return FAILED, np.int64(MODEL_ERROR)
        # One opponent moves: it is not the root player's turn when all have passed.
        if below.free == 0 and frame.count > 1:
            movers = movers_of(search)
            if movers < 0:
                return FAILED, -movers
            if movers >> search.root_player & 1:
                return LEFT_OUT, np.int64(SLICE_DONE)
        return visit(search, ply + 1)
    if search.chance:
        return open_chance(search, ply + 1, frame.slot)
    new_state(search, frame.slot, ply + 1)
    apply_joint(search, ply + 1)
    return visit(search, ply + 1)


@njit
def narrow(frame, below):
    """Search the node below with a null window, to see whether it is better at all."""
    if frame.kind == MAXIMISES:
        window = np.nextafter(frame.alpha, np.inf)
        if window < frame.beta:
            below.beta = window
            frame.scouting = 1
    else:
        window = np.nextafter(frame.beta, -np.inf)
        if window > frame.alpha:
            below.alpha = window
            frame.scouting = 1


@njit
def free_after(search, frame, move):
    """Return which opponents have moved freely, after an action."""
    if frame.kind == MAXIMISES:
        return frame.free if frame.player != search.root_player else 0
    if move.ranked:
        return frame.free
    return frame.free | np.int64(1) << frame.player


@njit
def new_state(search, source, slot):
    """Copy the state in one slot into another, and work on that."""
    enter_slot(search, slot)
    frame_at(search, slot).slot = slot
    call.copy_between(search, search.state, search.states + source * search.slot_size)
    search.nodes += 1


@njit
def apply_joint(search, ply):
    """Let the movers play the joint action of a row."""
    joint, row = joint_action_of(search), joints_of(search)
    for player in range(search.players):
        joint[player] = row[ply * search.players + player]
        search.forward_model_calls += joint[player] >= 0
    call.apply(search)


@njit
def visit(search, ply):
    """Enter a new state: value it, or open its frame."""
    frame = frame_at(search, ply)
    if call.failed(search):
        return FAILED, np.int64(MODEL_ERROR)
    movers = movers_of(search)
    if movers < 0:
        return FAILED, -movers
    if movers == 0 or frame.depth <= 0 or ply >= search.most_plies:
        status = evaluate_state(search)
        if status != SLICE_DONE:
            return FAILED, np.int64(status)
        search.value = values_of(search)[search.root_player]
        search.complete = movers == 0
        return VALUED, np.int64(SLICE_DONE)
    joints_of(search)[ply * search.players : (ply + 1) * search.players] = NO_ACTION
    frame.pending = movers
    frame.alone = count_players(movers) == 1
    search.together |= not frame.alone
    return open_decision(search, ply, frame.slot)


@njit
def open_decision(search, ply, slot):
    """Open the frame of the next player who chooses; it has its window and depth."""
    frame = frame_at(search, ply)
    player = next_player(search, frame.pending)
    teams = teams_of(search)
    frame.player = player
    frame.slot = slot
    frame.kind = MINIMISES
    if teams[player] == teams[search.root_player]:
        frame.kind = MAXIMISES
    frame.low, frame.high = frame.alpha, frame.beta
    frame.best = NO_ACTION
    if uses_table(search, frame):
        write_key(search, frame)
        if call.failed(search):
            return FAILED, np.int64(MODEL_ERROR)
        if look_up(search, frame) and ply > 0:
            return VALUED, np.int64(SLICE_DONE)
    if ply == 0:
        frame.best = search.root_best
    n = list_moves(search, ply, player, frame.best)
    if n < 0:
        return FAILED, np.int64(-n)
    if frame.kind == MINIMISES and search.restricts:
        if search.passes and not frame.alone:
            return FAILED, np.int64(NOT_IN_TURN)
        n = restrict(search, frame, ply, n)
    frame.count = n
    frame.next = 0
    frame.again = frame.scouting = 0
    frame.best = NO_ACTION
    frame.value = -np.inf if frame.kind == MAXIMISES else np.inf
    frame.complete = 1
    line_lengths_of(search)[ply] = 0
    return OPENED, np.int64(SLICE_DONE)


@njit
def uses_table(search, frame):
    """Whether a frame's position is kept: that of a player who decides alone.

    The key does not know what others have chosen already at the same moment.
    """
    return search.has_key and search.entries_length > 0 and frame.alone


@njit
def restrict(search, frame, ply, n):
    """Leave an opponent the actions that it may choose from; return their number.

    Those that cost it no freedom come first in the row, then the others, if it may
    move freely; where those who are not free pass, passing is the one that costs none.
    Who is asked again after a pass, before anybody has moved, passes only if there is
    nothing else: passes use no depth, and where the root player is skipped they would
    follow each other up to the greatest ply.
    """
    keep_ranked(search, ply, n, search.ranked_moves)
    is_free = (
        frame.free >> frame.player & 1 != 0  # a turn may have several decisions
        or count_players(frame.free) < search.free_opponents
    )
    kept = n
    if not is_free:
        kept = min(search.ranked_moves, n)
    elif search.free_moves < n:
        # As many as it may consider, by static order.
        kept = max(search.free_moves, min(search.ranked_moves, n))
        if kept < n:
            keep_ranked(search, ply, n, kept)
            moves = moves_of(search)
            base = ply * (search.legal_limit + 1)
            for i in range(kept):
                moves[base + i].ranked = i < search.ranked_moves
    has_passed = frame.passed >> frame.player & 1 != 0
    if search.passes and not (has_passed and kept > 0):
        move = moves_of(search)[ply * (search.legal_limit + 1) + kept]
        move.action = PASS
        move.ranked = 1
        move.rank = -np.inf
        move.order = order_of(-np.inf, 0)
        kept += 1
    return kept


@njit
def take_in(search, frame, ply):
    """Take in the value of what the frame's next action or outcome led to."""
    value, complete = search.value, search.complete
    if frame.kind == CHANCE:
        take_in_outcome(search, frame, ply, value)
        frame.complete &= complete
        return
    if frame.scouting and frame.alpha < value and value < frame.beta:
        frame.scouting = 0
        frame.again = 1
        return
    frame.again = frame.scouting = 0
    action = moves_of(search)[ply * (search.legal_limit + 1) + frame.next].action
    if ply == 0:
        root_values_of(search)[action] = value
    better = value > frame.value if frame.kind == MAXIMISES else value < frame.value
    frame.complete &= complete
    if better:
        frame.value = value
        frame.best = action
        set_line(search, ply, frame.player, action)
        if frame.kind == MAXIMISES:
            frame.alpha = max(frame.alpha, value)
        else:
            frame.beta = min(frame.beta, value)
        if frame.alpha >= frame.beta:
            # The others do not matter, at whatever depth.
            frame.complete = complete
            if frame.next + 1 < frame.count:
                remember_cutoff(search, ply, frame.player, action, frame.depth)
    frame.next += 1


@njit
def close(search, frame):
    """Leave a frame: its value goes to the one above."""
    search.value, search.complete = frame.value, frame.complete
    if frame.kind != CHANCE and uses_table(search, frame):
        remember(search, frame)
    search.ply -= 1
    if search.ply >= 0:
        take_in(search, frame_at(search, search.ply), search.ply)


# -- chance


@njit
def open_chance(search, ply, slot):
    """Open the frame of what chance does after the joint action of a row."""
    frame = frame_at(search, ply)
    frame.kind = CHANCE
    frame.slot = slot
    frame.low, frame.high = frame.alpha, frame.beta
    frame.next = 0
    frame.again = frame.scouting = 0
    frame.value, frame.weight = 0.0, 1.0
    frame.best = NO_ACTION
    frame.complete = search.lists_outcomes  # samples prove nothing
    line_lengths_of(search)[ply] = 0
    base = ply * search.most_outcomes
    if search.lists_outcomes:
        enter_slot(search, slot)
        joint, row = joint_action_of(search), joints_of(search)
        for player in range(search.players):
            joint[player] = row[ply * search.players + player]
        out = search.probabilities + 8 * base
        frame.count = call.outcomes(search, search.most_outcomes, out)
        if call.failed(search):
            return FAILED, np.int64(MODEL_ERROR)
        if not are_outcomes(search, base, frame.count):
            return FAILED, np.int64(BAD_OUTCOMES)
    else:
        frame.count = search.samples
        for i in range(frame.count):
            probabilities_of(search)[base + i] = 1.0 / frame.count
    return OPENED, np.int64(SLICE_DONE)


@njit
def are_outcomes(search, base, n):
    """Whether there are as many outcomes as there may be, with sound probabilities."""
    if not 0 < n <= search.most_outcomes:
        return False
    total = 0.0
    for i in range(n):
        p = probabilities_of(search)[base + i]
        if not p >= 0.0:
            return False
        total += p
    return abs(total - 1.0) <= SLACK


@njit
def reach_outcome(search, frame, ply):
    """Let chance do the next thing; return what the node below is."""
    below = frame_at(search, ply + 1)
    below.depth, below.free, below.passed = frame.depth, frame.free, frame.passed
    below.alpha, below.beta = search.lowest, search.highest
    p = probabilities_of(search)[ply * search.most_outcomes + frame.next]
    if p == 0.0:
        return LEFT_OUT, np.int64(SLICE_DONE)
    if search.star1:
        # Outside of this window the average is, whatever the outcomes to come.
        rest = frame.weight - p
        alpha = (frame.alpha - frame.value - search.highest * rest) / p
        beta = (frame.beta - frame.value - search.lowest * rest) / p
        below.alpha, below.beta = max(below.alpha, alpha), min(below.beta, beta)
        # Rounding may have closed it, but what comes out is kept as a bound.
        if not below.alpha < below.beta:
            below.alpha, below.beta = search.lowest, search.highest
    new_state(search, frame.slot, ply + 1)
    if search.lists_outcomes:
        joint, row = joint_action_of(search), joints_of(search)
        for player in range(search.players):
            joint[player] = row[ply * search.players + player]
            search.forward_model_calls += joint[player] >= 0
        call.apply_outcome(search, frame.next)
    else:
        apply_joint(search, ply)
    return visit(search, ply + 1)


@njit
def take_in_outcome(search, frame, ply, value):
    """Add an outcome's value to the average; end it where the window is missed.

    What misses it may be a bound alone, which rounding must not carry inside.
    """
    p = probabilities_of(search)[ply * search.most_outcomes + frame.next]
    frame.value += p * value
    frame.weight -= p
    frame.next += 1
    if not search.star1:
        return
    least = frame.value + search.lowest * frame.weight
    most = frame.value + search.highest * frame.weight
    if least >= frame.beta - ROUNDING:
        frame.value = max(least, frame.beta)
        frame.next = frame.count
    elif most <= frame.alpha + ROUNDING:
        frame.value = min(most, frame.alpha)
        frame.next = frame.count
