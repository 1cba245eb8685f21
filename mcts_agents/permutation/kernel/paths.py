"""One iteration where nodes are found by path: chance, hidden information, joint moves.

    sample what the player cannot know
    choose, from the root on, until a path has no node yet      (`weights`)
    play at random from there
    keep the playout, and update the nodes on the path          (`statistics`)

As `descent`, but a node stands for what the root player has seen happen: the moves, as
far as they were visible, and who is to move next. What chance brought and what is
hidden differ from one iteration to the next, and with them the legal actions, so a node
has an edge for each action that was ever legal, and chooses among those that are legal
now. Players who decide at once have a node each, which does not know what the others
choose (decoupled selection).

Permutation statistics N^(s, a) are of the playouts of all sampled worlds that have the
action and all moves of the descent that led to the node, in any order.

Sources: T. Cazenave, "Monte Carlo Permutation Search" (2025), Algorithms 1 and 2; P.
Cowling, E. Powley, D. Whitehouse, "Information Set Monte Carlo Tree Search", IEEE
TCIAIG 4(2), 2012, for the sampled worlds and the actions that are legal in some. The
paper does not combine them.
"""

import numpy as np
from numba import njit

from mcts_agents.model import calls as call
from mcts_agents.model.addresses import float64_at
from mcts_agents.model.bits import count_bits, lowest_bit
from mcts_agents.model.hashing import mixed
from mcts_agents.permutation.kernel.descent import (
    add_node,
    clear_edges,
    empty,
    evaluate,
    expand,
    lacks_room,
    place_of_action,
    play,
    update_node,
    update_path,
)
from mcts_agents.permutation.kernel.permutations import count_permutations
from mcts_agents.permutation.kernel.positions import find_position
from mcts_agents.permutation.kernel.records import (
    LACKS_EDGES,
    NONE,
    UNKNOWN,
    edge_actions_of,
    edge_children_of,
    edge_permutation_sums_of,
    edge_permutations_of,
    edge_places_of,
    edge_sums_of,
    edge_visits_of,
    joint_action_of,
    lack,
    legal_of,
    node_at,
    path_edges_of,
    path_nodes_of,
    permuted_at,
    rng_of,
    trace_of,
)
from mcts_agents.permutation.kernel.statistics import begin_block, record_playout
from mcts_agents.permutation.kernel.weights import ALL, random_greatest, weigh_edges
from mcts_agents.search.kernel.status import (
    BAD_MOVERS,
    GROW,
    MODEL_ERROR,
    NO_LEGAL_ACTION,
    SLICE_DONE,
)


@njit
def begin_paths(search):
    """Make the nodes of all who decide at the root; return the status."""
    movers = np.uint64(call.movers(search))
    if call.failed(search):
        return MODEL_ERROR
    if movers >> np.uint64(search.players) != 0 or movers == 0:
        return BAD_MOVERS
    add_nodes(search, mixed(np.uint64(0), movers), movers, NONE)
    return SLICE_DONE


@njit
def iterate_by_path(search):
    """Run one iteration; return the status."""
    search.descents += 1
    call.copy(search)
    if search.redeterminises:
        call.redeterminise(search)
        if call.failed(search):
            return MODEL_ERROR
    search.lacking = 0
    link, last = np.uint64(0), np.int64(NONE)  # the path; the edge of its last move
    depth = np.int64(0)
    begun = np.int64(0)  # nodes that get their first visit,
    first = np.int64(NONE)  # the first of which is this one, NONE: not made yet
    playing = True  # a playout is to come
    while True:
        movers = np.uint64(call.movers(search))
        if call.failed(search):
            return MODEL_ERROR
        if movers == 0:
            playing = False
            break
        if movers >> np.uint64(search.players) != 0:
            return BAD_MOVERS
        link = mixed(link, movers)
        deciding = count_bits(movers)
        first = find_position(search, mixed(link, next_mover(search, movers)))
        if first == NONE or node_at(search, first).visits == 0:
            begun = deciding
            break
        if depth > 0 and depth + deciding > search.depth_limit:
            break
        status = choose_all(search, link, movers, depth)
        if status != SLICE_DONE:
            return status
        if last != NONE and edge_children_of(search)[last] == UNKNOWN:
            edge_children_of(search)[last] = first
        last = path_edges_of(search)[depth] if deciding == 1 else np.int64(NONE)
        link = link_behind(search, link, movers)
        depth += deciding
        call.apply(search)
        search.forward_model_calls += deciding
    count = depth
    if playing:
        played = play(search, depth)
        if played < 0:
            return -played
        count += played
    status = evaluate(search)
    if status != SLICE_DONE:
        return status
    if lacks_room(search, begun, depth + begun, count):
        return GROW
    record_playout(search, count)
    if begun and first == NONE:  # the root's nodes are there before their first visit
        first = search.node_count
        add_nodes(search, link, movers, last)
    for node in range(first, first + begun):
        update_node(search, node, depth, count)
    update_path(search, depth, count)
    search.deepest = max(search.deepest, depth)
    search.simulations += 1
    return SLICE_DONE


@njit
def next_mover(search, movers):
    """Return the first of some players, in turn from the root player on."""
    root = np.uint64(search.root_player)
    behind = movers >> root << root
    return lowest_bit(behind if behind != 0 else movers)


@njit
def add_nodes(search, link, movers, last):
    """Make a node for each of the players who decide, for which there is room."""
    while movers != 0:
        player = next_mover(search, movers)
        movers &= ~(np.uint64(1) << np.uint64(player))
        node = add_node(search, mixed(link, player), player, NONE, 0)
        if last != NONE:
            edge_children_of(search)[last] = node
            last = np.int64(NONE)


@njit
def choose_all(search, link, movers, depth):
    """Let each of the movers choose an action, from `depth` on; return the status.

    Nobody's choice depends on the others'.
    """
    trace, path, edges = trace_of(search), path_nodes_of(search), path_edges_of(search)
    search.path_moves = depth
    while movers != 0:
        player = next_mover(search, movers)
        movers &= ~(np.uint64(1) << np.uint64(player))
        node = find_position(search, mixed(link, player))
        status = open_edges(search, node)
        if status != SLICE_DONE:
            return status
        reference, status = reference_of(search, node, depth)
        if status != SLICE_DONE:
            return status
        if search.permutes and search.path_moves > 0:
            # At the root they would be the AMAF statistics.
            count_permutations(search, node, ALL)
        edge = choose_open_edge(search, node, reference)
        path[depth], edges[depth] = node, edge
        trace[depth].player = player
        trace[depth].code = edge_places_of(search)[edge]
        joint_action_of(search)[player] = edge_actions_of(search)[edge]
        depth += 1
    return SLICE_DONE


@njit
def reference_of(search, node, depth):
    """Return the last node with more than `ref` playouts, or the root, and a status."""
    path = path_nodes_of(search)
    while node != 0 and node_at(search, node).visits <= search.ref:
        if depth == 0:
            node = np.int64(0)
            break
        depth -= 1
        node = np.int64(path[depth])
    if node_at(search, node).block == NONE and not begin_block(search, node):
        return node, GROW
    return node, SLICE_DONE


@njit
def link_behind(search, link, movers):
    """Return the path behind a joint action, as far as the root player sees it."""
    while movers != 0:
        player = lowest_bit(movers)
        movers &= movers - np.uint64(1)
        seen = np.int64(joint_action_of(search)[player])
        if search.has_visible_action:
            seen = call.visible_action(search, player, search.root_player)
        link = mixed(mixed(link, player), seen)
    return link


@njit
def open_edges(search, node):
    """See that a node has an edge for each legal action; return the status.

    `legal` then holds which of the node's edges these are, instead of the actions, and
    `open_count` how many.
    """
    this = node_at(search, node)
    if this.first == NONE:
        status = expand(search, node)
        if status != SLICE_DONE:
            return status
        for i in range(this.count):
            legal_of(search)[i] = i
        search.open_count = this.count
        return SLICE_DONE
    n = call.legal_actions(search, np.int64(this.player))
    if call.failed(search):
        return MODEL_ERROR
    if n <= 0 or n > search.legal_limit:
        return NO_LEGAL_ACTION
    legal, actions = legal_of(search), edge_actions_of(search)
    added = False
    at = np.int64(0)
    for i in range(n):
        action = legal[i]
        # Mostly the actions come in the order of the edges.
        tried, count = np.int64(0), np.int64(this.count)
        while tried < count and actions[this.first + at] != action:
            at = at + 1 if at + 1 < count else np.int64(0)
            tried += 1
        if tried == count:
            status = add_edge(search, node, np.int64(action))
            if status != SLICE_DONE:
                return status
            added = True
            at = count
        legal[i] = at
        at = at + 1 if at + 1 < this.count else np.int64(0)
    search.open_count = n
    if added and search.permutes:
        # Playouts that were counted before lack the new edges: count all anew.
        edge, count = this.first, np.int64(this.count)
        empty(search, permuted_at(search, edge), count)
        this.counted = 0
    return SLICE_DONE


@njit
def add_edge(search, node, action):
    """Add an edge to a node, whose edges may move; return the status."""
    this = node_at(search, node)
    place = place_of_action(search, np.int64(this.player), action)
    if place < 0:
        return -place
    if this.count == this.room:
        old, room = this.first, 2 * np.int64(this.room)
        if search.edge_count + room > search.edge_actions_length:
            lack(search, LACKS_EDGES)
            return GROW
        this.first, this.room = search.edge_count, room
        search.edge_count += room
        for i in range(this.count):
            move_edge(search, old + i, this.first + i)
    edge = this.first + this.count
    clear_edges(search, edge, np.int64(1))
    edge_visits_of(search)[edge] = 0
    edge_sums_of(search)[edge] = 0.0
    edge_actions_of(search)[edge] = action
    edge_places_of(search)[edge] = place
    this.count += 1
    return SLICE_DONE


@njit
def move_edge(search, old, new):
    """Copy an edge to a new place."""
    edge_actions_of(search)[new] = edge_actions_of(search)[old]
    edge_places_of(search)[new] = edge_places_of(search)[old]
    edge_children_of(search)[new] = edge_children_of(search)[old]
    edge_visits_of(search)[new] = edge_visits_of(search)[old]
    edge_sums_of(search)[new] = edge_sums_of(search)[old]
    if search.permutes:
        edge_permutations_of(search)[new] = edge_permutations_of(search)[old]
        edge_permutation_sums_of(search)[new] = edge_permutation_sums_of(search)[old]


@njit
def choose_open_edge(search, node, reference):
    """Return the edge to take at a node, of those of legal actions."""
    weigh_edges(search, node, reference)
    this = node_at(search, node)
    count, n = np.int64(this.count), search.open_count
    values, legal = float64_at(search.scratch, count), legal_of(search)
    behind = search.scratch + 8 * (count + 63 & -64)
    chosen = float64_at(behind, n)
    for i in range(n):
        chosen[i] = values[legal[i]]
    return this.first + legal[random_greatest(behind, n, rng_of(search))]
