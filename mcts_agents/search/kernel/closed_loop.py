"""Closed loops: nodes hold states, and a descent applies only its last action.

Every edge leads to one stored state. In a game without chance and hidden information
that is exact and saves forward-model calls. The sampled closed loop plans on one
determinization and samples once for each edge what chance and the modelled players do
before the tree's players decide again (the search of Weil, Czech, Meuser, Kersting,
"Know your enemy: investigating Monte-Carlo tree search with opponent models in
Pommerman", 2023, which steps an environment of scripted opponents).

Players of one tree who decide at once choose without seeing each other, or one after
another in nodes of their own (`serialised`); then the state is stored at the first one,
and the others are pending below it.

Here a node, with its state, is made when its edge is taken for the first time, so that
the state sampled first is the one that stays. Its slot holds the state, then the
rewards on the way to it, if there is a discount, then what `may_end` compares with, if
rollouts ask for it, then what policies remember.
"""

import numpy as np
from numba import carray, njit

from mcts_agents.model import calls as call
from mcts_agents.model.addresses import as_pointer
from mcts_agents.search.kernel.answered import (
    begin_moves,
    bytes_of_moves,
    play_kept_moves,
)
from mcts_agents.search.kernel.batches import ends_here, may_stop
from mcts_agents.search.kernel.lane import leave, owned_by
from mcts_agents.search.kernel.pair import select_opponent
from mcts_agents.search.kernel.parts import Array, Part, one_of
from mcts_agents.search.kernel.records import NONE, edges_of, joint_action_of, nodes_of
from mcts_agents.search.kernel.rewards import (
    bytes_of_row,
    collect_rewards,
    keep_row,
    note_scores,
    recall_row,
)
from mcts_agents.search.kernel.rollout import (
    EXACT,
    choose_by_policy,
    note_counters,
    policy_bytes,
)
from mcts_agents.search.kernel.selection import select
from mcts_agents.search.kernel.status import (
    BUDGET_SPENT,
    MODEL_ERROR,
    NOT_ANSWERED,
    SLICE_DONE,
)
from mcts_agents.search.kernel.tree import add_node, clear_node, count_players
from mcts_agents.search.kernel.variants import WAITS

# In place of a sibling: nothing has happened yet since the decision above the node.
PENDING = -2
# What `note_counters` writes.
COUNTER_BYTES = 3 * 8


def is_on(settings):
    """Whether nodes hold states."""
    return settings.loop != "open"


def slot_size(model, settings):
    """Return the bytes of a state with all that is kept with it; words are copied."""
    counters = COUNTER_BYTES if settings.rollout_end != "exact" else 0
    memories = model.players * policy_bytes(model, settings)
    words = -(-model.state_size // 8) * 8
    moves = bytes_of_moves(model, settings)
    return words + bytes_of_row(model, settings) + counters + memories + moves


def _check(model, settings):
    if settings.loop != "closed":
        return
    if model.chance or model.hidden_information:
        what = "chance" if model.chance else "hidden information"
        raise ValueError(
            f"loop='closed': {model.name} has {what}, so that an action does not lead "
            "to one state; use loop='open' or loop='sampled'"
        )
    modelled = {"self": 1, "pair": 2}.get(settings.tree, model.players)
    if modelled < model.players:
        raise ValueError(
            f"loop='closed': with tree={settings.tree!r} the others' moves are not in "
            "the tree, so that an action does not lead to one state; use loop='sampled'"
        )


PART = Part(
    fields=[
        ("stored", np.int64),  # nodes hold states
        ("slot_size", np.int64),
        ("idle", np.int64),  # iterations that applied no action
        # lane
        ("home", np.int64),  # the node whose state the search stands at
        ("chosen", np.int64),  # who has chosen there, as a bit mask
    ],
    values=lambda model, settings: {
        "stored": is_on(settings),
        "slot_size": slot_size(model, settings),
    },
    arrays={"states": Array(np.uint8)},  # slot_size for each node, or none
    needs={"loop": [one_of("tree", "one", "self", "pair")]},
    check=_check,
    extended=is_on,
)


@njit
def begin_stored(search):
    """Begin at the root's stored state, which is made if there is none."""
    search.home = edges_of(search)[0].child
    if search.home == NONE:
        call.copy(search)
        search.home = store(search, 0, deciders(search, call.movers(search)))
    search.chosen = 0
    forget_joint_action(search)


@njit
def walk(search):
    """Select among stored states down to a new one; the state is then that of its end.

    The tree is left below a new state, at the depth limit, and where none of its
    players decides any more; what follows is played as in an open loop. Where leaves
    wait for an evaluator, a leaf is the end of all.
    """
    while search.active > 0:
        if WAITS:
            if search.stop and may_stop(search):
                return BUDGET_SPENT
        node = np.int64(edges_of(search)[search.link[0]].child)
        mine = nodes_of(search)[node].movers
        if mine == 0:
            load(search, search.home)
            leave(search, 0)
            break
        if WAITS:
            if ends_here(search, mine):
                load(search, search.home)
                break
        elif nodes_of(search)[node].count == 0:
            load(search, search.home)  # its legal actions will be asked for
        status = select(search, 0, mine)
        if status == SLICE_DONE:
            status = reach(search, mine)
        if status != SLICE_DONE:
            return status
    return SLICE_DONE


@njit
def reach(search, mine):
    """Go on to where the actions just chosen lead; a new state is stored."""
    search.chosen |= mine
    link = search.link[0]
    child = np.int64(edges_of(search)[link].child)
    at_limit = search.depth[0] == search.depth_limit
    if search.serialised and not at_limit:
        if child == NONE:
            child = add_pending(search, link)
        if child != NONE and is_pending(search, child):
            return SLICE_DONE
    new = child == NONE
    if new:
        status = advance(search, link)
        if status != SLICE_DONE:
            return status
        child = np.int64(edges_of(search)[link].child)
    elif search.discounted:
        recall_row(search, search.states + child * search.slot_size)
    search.home = child
    search.chosen = 0
    forget_joint_action(search)
    if not WAITS:
        if new:
            leave(search, 0)
        elif at_limit:
            load(search, child)
            leave(search, 0)
    return SLICE_DONE


@njit
def forget_joint_action(search):
    """Forget what was chosen on the way, and not applied."""
    joint_action = joint_action_of(search)
    for player in range(search.players):
        joint_action[player] = -1


@njit
def deciders(search, movers):
    """Return which of the movers choose in the tree."""
    if search.opponent:
        select_opponent(search)
    return movers & owned_by(search, 0)


@njit
def is_pending(search, node):
    """Whether one more player is to choose at a node before anything happens."""
    return nodes_of(search)[node].sibling == PENDING


@njit
def add_pending(search, link):
    """Make the node of who chooses next in the same state; NONE if all have."""
    load(search, search.home)
    waiting = deciders(search, call.movers(search)) & ~search.chosen
    if waiting == 0:
        return NONE
    node = add_node(search, waiting & -waiting, link)
    nodes_of(search)[node].sibling = PENDING
    return node


@njit
def advance(search, link):
    """Apply the actions just chosen, and store where they lead to."""
    load(search, search.home)
    movers = call.movers(search)
    mine = search.chosen
    while movers != 0:
        others = movers & ~mine
        if WAITS and search.answered:
            # The evaluator is asked where the tree's players decide.
            status = NOT_ANSWERED
            if movers & mine:
                status = play_kept_moves(search, search.home, others)
        else:
            status = choose_by_policy(search, others)
        if status != SLICE_DONE:
            return status
        step(search, movers)
        movers = call.movers(search)
        if search.ends_when_out and call.is_out(search, search.root_player):
            mine = 0
            break
        mine = deciders(search, movers)
        if call.failed(search):
            return MODEL_ERROR
        if mine != 0:
            break
    store(search, link, mine)
    return SLICE_DONE


@njit
def step(search, movers):
    """Apply the joint action of `movers`."""
    if search.rollout_end != EXACT:
        note_counters(search, movers)
    call.apply(search)
    search.forward_model_calls += count_players(movers)
    if search.discounted:
        collect_rewards(search)


@njit
def store(search, link, movers):
    """Make the node below a link, with the present state; `movers` is 0 at the end.

    Players who choose one after another (`serialised`) begin with the root player.
    """
    if search.serialised and movers != 0:
        root = np.int64(1) << search.root_player
        movers = root if movers & root else movers & -movers
    if movers != 0:
        node = add_node(search, movers, link)
    else:
        node = search.node_count
        clear_node(nodes_of(search)[node], 0, NONE)
        search.node_count += 1
        edges_of(search)[link].child = node
    slot = search.states + node * search.slot_size
    call.copy_between(search, slot, search.state)
    if search.discounted:
        keep_row(search, slot)
    size = search.players * search.policy_bytes
    memories = slot + search.slot_size - size
    if WAITS and search.answered:
        begin_moves(search, node)
    if search.rollout_end != EXACT:
        counters = carray(as_pointer(memories - COUNTER_BYTES), 3, np.int64)
        counters[0] = search.last_movers
        counters[1] = search.last_turn
        counters[2] = search.last_round
    if size:
        call.copy_words(memories, search.policy_memories, size)
    return node


@njit
def load(search, node):
    """Set the state, and all that is kept with it, to that of a node."""
    slot = search.states + node * search.slot_size
    call.copy_between(search, search.state, slot)
    if search.discounted:
        note_scores(search)
    size = search.players * search.policy_bytes
    memories = slot + search.slot_size - size
    if search.rollout_end != EXACT:
        counters = carray(as_pointer(memories - COUNTER_BYTES), 3, np.int64)
        search.last_movers = counters[0]
        search.last_turn = counters[1]
        search.last_round = counters[2]
    if size:
        call.copy_words(search.policy_memories, memories, size)
