"""Closed loops: nodes hold states, and a descent applies only its last action.

Every edge leads to one stored state. In a game without chance and hidden information
that is exact and saves forward-model calls. The sampled closed loop plans on one
determinization and samples once for each edge what chance and the modelled players do
before the tree's players decide again (the search of Weil, Czech, Meuser, Kersting,
"Know your enemy: investigating Monte-Carlo tree search with opponent models in
Pommerman", 2023, which steps an environment of scripted opponents).

Here a node, with its state, is made when its edge is taken for the first time, so that
the state sampled first is the one that stays.
"""

from numba import njit

from mcts_agents.search import calls as call
from mcts_agents.search.descent import begin, play, select
from mcts_agents.search.records import NONE, edges_of, joint_action_of, nodes_of
from mcts_agents.search.rollout import EXACT, choose_by_policy, note_counters
from mcts_agents.search.status import MODEL_ERROR, SLICE_DONE
from mcts_agents.search.tree import add_node, count_bits


@njit
def descend_closed(search):
    """Select among stored states, expand one, and roll out from there."""
    begin(search)
    node = edges_of(search)[0].child
    if node == NONE:
        call.copy(search)
        node = store(search, 0, call.movers(search) & search.owned)
    while nodes_of(search)[node].movers != 0:
        if nodes_of(search)[node].count == 0:
            load(search, node)  # its legal actions will be asked for
        joint_action = joint_action_of(search)
        for player in range(search.players):
            joint_action[player] = -1
        mine = nodes_of(search)[node].movers
        status = select(search, 0, mine)
        if status != SLICE_DONE:
            return status
        child = edges_of(search)[search.taken_link].child
        if child == NONE:
            return expand(search, node, mine)
        if search.active == 0:  # as deep as allowed
            if search.rollout_end != EXACT:
                load(search, node)
                note_counters(search, call.movers(search))
            return roll_out_from(search, child)
        node = child
    return roll_out_from(search, node)  # the game is over there


@njit
def roll_out_from(search, node):
    """Leave the tree at a node, whose state is stored."""
    load(search, node)
    search.link[0] = NONE
    search.active = 0
    return play(search)


@njit
def expand(search, node, mine):
    """Apply the action just chosen, store where it leads to, and roll out."""
    link = search.taken_link
    load(search, node)
    status = choose_by_policy(search, call.movers(search) & ~mine)
    if status != SLICE_DONE:
        return status
    step(search, call.movers(search))
    movers = call.movers(search)
    while movers != 0 and movers & search.owned == 0 and not call.failed(search):
        status = choose_by_policy(search, movers)
        if status != SLICE_DONE:
            return status
        step(search, movers)
        movers = call.movers(search)
    if call.failed(search):
        return MODEL_ERROR
    store(search, link, movers & search.owned)
    search.link[0] = NONE
    search.active = 0
    return play(search)


@njit
def step(search, movers):
    """Apply the joint action of `movers`."""
    if search.rollout_end != EXACT:
        note_counters(search, movers)
    call.apply(search)
    search.forward_model_calls += count_bits(movers)


@njit
def store(search, link, movers):
    """Make the node below a link, with the present state; `movers` is 0 at the end."""
    if movers != 0:
        node = add_node(search, movers, link)
    else:
        node = search.node_count
        last = nodes_of(search)[node]
        last.movers = 0
        last.player = NONE
        last.visits = 0
        last.tried = 0
        last.first = NONE
        last.count = 0
        last.capacity = 0
        last.sibling = NONE
        search.node_count += 1
        edges_of(search)[link].child = node
    call.copy_between(search, search.states + node * search.state_size, search.state)
    return node


@njit
def load(search, node):
    """Set the state to that of a node."""
    call.copy_between(search, search.state, search.states + node * search.state_size)
