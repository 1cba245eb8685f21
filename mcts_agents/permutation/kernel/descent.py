"""One iteration: down the tree, a playout, and what is learned from both.

    choose, from the root on, until a position has no node yet  (`weights`)
    play at random from there
    keep the playout, and update the nodes on the path          (`statistics`)

This is T. Cazenave, "Monte Carlo Permutation Search" (2025), Algorithms 1 and 2, for
any number of players: values are each player's own. N(s, a) and Q(s, a) count moves
that were chosen at nodes; n(s) and AMAF statistics also count the playout that made the
node. A descent that comes to a position again, or to `max_depth`, goes on at random.

What every iteration does is built into it (`forceinline`), here and in other modules of
the kernel: as calls of each other these functions took a twelfth of MCPS's time.

Nothing has changed when an iteration ends for want of room, so it is begun again with
the same random numbers once arrays have grown.
"""

import numpy as np
from numba import carray, njit

from mcts_agents.model import calls as call
from mcts_agents.model.addresses import as_pointer, int32_at
from mcts_agents.model.bits import bit_of
from mcts_agents.permutation.kernel.codes import (
    NO_CODE,
    NO_ROOM,
    code_of_action,
    first_place,
    place_of_move,
    run_room,
)
from mcts_agents.permutation.kernel.lanes import write_untried
from mcts_agents.permutation.kernel.permutations import (
    add_own,
    count_permutations,
    latest_with,
    path_in_latest,
)
from mcts_agents.permutation.kernel.positions import (
    enter_position,
    find_position,
    key_of_state,
)
from mcts_agents.permutation.kernel.records import (
    BAD_CODE,
    LACKS_EDGES,
    LACKS_ENTRIES,
    LACKS_MOVES,
    LACKS_NODES,
    LACKS_PLAYOUTS,
    LACKS_WIDTH,
    MOST_NARROW,
    MOST_VALUE,
    NARROW_TYPES,
    NONE,
    NOT_IN_TURN,
    OVER,
    UNKNOWN,
    WIDE_TYPES,
    columns_at,
    edge_actions_of,
    edge_places_of,
    entries_of,
    joint_action_of,
    lack,
    leaf_of,
    node_at,
    own_at,
    path_edges_of,
    path_nodes_of,
    permuted_at,
    trace_of,
    values_of,
)
from mcts_agents.permutation.kernel.statistics import (
    add_choice,
    add_move,
    add_to_block,
    address_of_sets,
    begin_block,
    clear_sets,
    lanes_of,
    record_playout,
    set_at,
    set_column_bits,
)
from mcts_agents.permutation.kernel.weights import ALL, choose_edge
from mcts_agents.search.kernel import plug_ins as plug_in
from mcts_agents.search.kernel.status import (
    BAD_ACTION,
    BAD_MOVERS,
    GROW,
    MODEL_ERROR,
    NO_LEGAL_ACTION,
    NOT_FINITE,
    SLICE_DONE,
)

# Bytes of a record of the trace.
_MOVE_BYTES = np.int64(16)
# A run may have so many illegal actions, besides a fourth of the legal ones.
MOST_GAPS = 8


@njit
def begin_positions(search):
    """Make a root that was never visited; return the status."""
    movers = call.movers(search)
    if call.failed(search):
        return MODEL_ERROR
    player = only_player(search, movers)
    if player < 0:
        return -player
    key = key_of_state(search, player)
    if call.failed(search):
        return MODEL_ERROR
    add_node(search, key, player, NONE, 0)
    return SLICE_DONE


@njit
def only_player(search, movers):
    """Return the only player to move; minus a status if there is no such player."""
    if movers >> search.players != 0 or movers == 0:
        return np.int64(-BAD_MOVERS)
    if movers & (movers - 1) != 0:
        return np.int64(-NOT_IN_TURN)
    player = np.int64(0)
    while movers >> player != 1:
        player += 1
    return player


@njit(forceinline=True)
def add_node(search, key, player, parent, place):
    """Make the node of a position, for which there is room; return it."""
    node = search.node_count
    this = node_at(search, node)
    this.key = key
    this.first = NONE
    this.block = NONE
    this.seen = 0
    this.count = 0
    this.run = this.room = 0
    this.player = player
    this.visits = 0
    this.counted = 0
    this.parent = parent
    this.place = place
    this.entry = NONE
    enter_position(search, key, node)
    search.node_count += 1
    return node


@njit
def iterate(search):
    """Run one iteration; return the status."""
    search.descents += 1
    call.copy(search)
    search.lacking = 0
    trace, path = trace_of(search), path_nodes_of(search)
    node = reference = depth = np.int64(0)
    path[0] = 0
    search.known_nodes = 0
    mask = ALL  # of the latest playouts those with all moves of the path
    playing = True  # a playout is to come
    fresh = False  # it begins at a position that has no node
    key, player = np.uint64(0), np.int64(0)
    while node_at(search, node).visits > 0:
        this = node_at(search, node)
        if this.seen == search.descents or depth == search.depth_limit:
            break
        this.seen = search.descents
        path[depth] = node
        if search.permutes and follows(search, depth):
            search.known_nodes += 1
        if this.first == NONE:
            status = expand(search, node)
            if status != SLICE_DONE:
                return status
        # The root is the reference until another node is.
        if this.visits > search.ref or node == 0:
            if this.block == NONE and not begin_block(search, node):
                return GROW
            reference = node
        if search.permutes and node != 0:
            if search.known_nodes <= depth:
                mask = path_in_latest(search, node)
            count_permutations(search, node, mask)
        edge = choose_edge(search, node, reference)
        path_edges_of(search)[depth] = edge
        child = child_of(search, edge)
        player = np.int64(this.player)
        if this.run:  # known without a look at the edge
            action = edge - this.first
            place = this.run + action
        else:
            place = np.int64(edge_places_of(search)[edge])
            action = np.int64(edge_actions_of(search)[edge])
        trace[depth].player = player
        trace[depth].code = place
        if search.permutes:
            mask &= latest_with(search, place)
        depth += 1
        joint_action_of(search)[player] = action
        call.apply_of(search, player)
        search.forward_model_calls += 1
        if child == UNKNOWN:
            movers = call.movers(search)
            if call.failed(search):
                return MODEL_ERROR
            if movers == 0:
                child = np.int64(OVER)
            else:
                player = only_player(search, movers)
                if player < 0:
                    return -player
                key = key_of_state(search, player)
                if call.failed(search):
                    return MODEL_ERROR
                child = find_position(search, key)
                fresh = child == NONE
                if fresh:
                    break
            set_child(search, edge, child)
        if child == OVER:
            playing = False
            break
        node = child
    if call.failed(search):
        return MODEL_ERROR
    count = depth  # moves that are listed
    if search.set_words:
        clear_sets(search)
    if playing:
        played = play(search, depth)
        if played < 0:
            return -played
        if not search.set_words:
            count += played
    status = evaluate(search)
    if status != SLICE_DONE:
        return status
    if lacks_room(search, 1, depth + 1, count):
        return GROW
    record_playout(search, count)
    if fresh:
        last = add_node(search, key, player, path[depth - 1], trace[depth - 1].code)
        set_child(search, path_edges_of(search)[depth - 1], last)
        update_node(search, last, depth, count)
    elif depth == 0:  # the first iteration of all
        update_node(search, np.int64(0), depth, count)
    update_path(search, depth, count)
    search.deepest = max(search.deepest, depth)
    search.simulations += 1
    return SLICE_DONE


@njit
def child_of(search, edge):
    """Return the node to which an edge leads, or UNKNOWN or OVER."""
    if search.narrow:
        return np.int64(row_at(search.edge_children + 2 * edge, 1, np.int16)[0])
    return np.int64(row_at(search.edge_children + 4 * edge, 1, np.int32)[0])


@njit
def set_child(search, edge, child):
    """Note to which node an edge leads."""
    if search.narrow:
        row_at(search.edge_children + 2 * edge, 1, np.int16)[0] = child
    else:
        row_at(search.edge_children + 4 * edge, 1, np.int32)[0] = child


@njit
def row_at(address, count, kind):
    """View some numbers of a type."""
    return carray(as_pointer(address), count, kind)


@njit
def follows(search, depth):
    """Whether the path's node at a depth was first reached as it was now."""
    if search.known_nodes < depth or depth == 0:
        return depth == 0
    this = node_at(search, path_nodes_of(search)[depth])
    return (
        this.parent == path_nodes_of(search)[depth - 1]
        and this.place == trace_of(search)[depth - 1].code
    )


@njit(forceinline=True)
def expand(search, node):
    """Give a node its edges, in the state of its position; return the status."""
    this = node_at(search, node)
    player = np.int64(this.player)
    n = call.legal_actions(search, player)
    if call.failed(search):
        return MODEL_ERROR
    if n <= 0 or n > search.legal_limit:
        return NO_LEGAL_ACTION
    run = search.set_words > 0 and runs(search, n)
    slots = run_room(search, search.action_count) if run else n
    # The next run begins with a step, too.
    room = run_room(search, slots) if search.set_words else slots
    first = search.edge_count
    if first + room > search.edge_actions_length:
        lack(search, LACKS_EDGES)
        return GROW
    if run:
        write_run(search, first, n)
        this.run = first_place(search, player, 0)
    else:
        status = write_edges(search, player, first, n)
        if status != SLICE_DONE:
            return status
    clear_edges(search, first, slots)
    search.edge_count += room
    this.first = first
    this.count = slots
    this.room = room
    return SLICE_DONE


@njit(forceinline=True)
def clear_edges(search, first, n):
    """Give new edges no child and no permutation statistics."""
    if search.narrow:
        row_at(search.edge_children + 2 * first, n, np.int16)[:] = UNKNOWN
    else:
        row_at(search.edge_children + 4 * first, n, np.int32)[:] = UNKNOWN
    if search.permutes:
        empty(search, permuted_at(search, first), n)


@njit
def empty(search, addresses, n):
    """Make some counts and their sums 0."""
    if search.narrow:
        counts, sums = columns_at(addresses, n, NARROW_TYPES)
        counts[:] = 0
        sums[:] = 0
    else:
        counts, sums = columns_at(addresses, n, WIDE_TYPES)
        counts[:] = 0
        sums[:] = 0.0


@njit
def runs(search, n):
    """Whether a node gets edges of all actions, of which `n` are legal.

    Not if actions do not ascend, or if many are illegal.
    """
    legal = int32_at(search.legal, n)
    ascending = legal[0] >= 0 and legal[n - 1] < search.action_count
    for i in range(np.uint64(1), np.uint64(n)):
        ascending &= legal[i - np.uint64(1)] < legal[i]
    return ascending and search.action_count <= n + (n >> 2) + MOST_GAPS


@njit(forceinline=True)
def write_run(search, first, n):
    """Write edges of all actions, of which `n` are legal."""
    scratch = set_at(search.sums, 0, 1)
    for word in range(search.set_words):
        own, lanes = own_at(search, first + 64 * word), lanes_of(search, word)
        scratch[0] = legal_bits(search, n, word)
        write_untried(search.narrow, own, search.sums, lanes)


@njit
def legal_bits(search, n, word):
    """Return a word of the set of legal actions, of which `n` are listed."""
    legal, bits = int32_at(search.legal, n), np.uint64(0)
    for i in range(np.uint64(n)):
        bits |= bit_of(legal[i]) if legal[i] >> 6 == word else np.uint64(0)
    return bits


@njit
def write_edges(search, player, first, n):
    """Write the edges of `n` legal actions; return the status."""
    # Views of the new edges alone, since the address of an array is read again after
    # each write that might have changed it.
    legal = int32_at(search.legal, n)
    actions = int32_at(search.edge_actions + 4 * first, n)
    places = int32_at(search.edge_places + 4 * first, n)
    for i in range(n):
        action = np.int64(legal[i])
        place = place_of_action(search, player, action)
        if place < 0:
            return -place
        actions[i] = action
        places[i] = place
    empty(search, own_at(search, first), n)
    return SLICE_DONE


@njit
def place_of_action(search, player, action):
    """Return the place of a legal action's code, or minus a status."""
    if action < 0 or action >= search.action_count:
        return np.int64(-BAD_ACTION)
    place = place_of_move(search, player, code_of_action(search, player, action))
    if call.failed(search):
        return np.int64(-MODEL_ERROR)
    if place == NO_ROOM:
        return np.int64(-GROW)
    if place == NO_CODE:
        return np.int64(-BAD_CODE)
    return place


@njit(forceinline=True)
def play(search, depth):
    """Play at random to the end; return the moves played, or minus a status."""
    if search.set_words:
        out = address_of_sets(search, search.simulations)
        played = call.playout_sets(search, search.rollout, out)
    else:
        out = search.trace + _MOVE_BYTES * depth
        played = call.playout_moves(search, search.rollout, search.code_kind, out)
    if call.failed(search):
        return np.int64(-MODEL_ERROR)
    if played < 0 or played > search.rollout:
        return np.int64(-BAD_ACTION)
    search.forward_model_calls += played
    if search.set_words:
        return played
    trace = trace_of(search)
    for i in range(depth, depth + played):
        place = place_of_move(search, trace[i].player, trace[i].code)
        if place == NO_ROOM:
            return np.int64(-GROW)
        if place == NO_CODE:
            return np.int64(-BAD_CODE)
        trace[i].code = place
    return played


@njit(forceinline=True)
def evaluate(search):
    """Write what the state is worth to each player into `values`; return the status."""
    leaf_of(search).state = search.state
    call.results(search)
    if search.needs_scores:
        call.scores(search)
    if call.failed(search):
        return MODEL_ERROR
    plug_in.leaf_value(search)
    if call.failed(search):
        return MODEL_ERROR
    for player in range(search.players):
        # Written so that NaN does not pass.
        if not abs(values_of(search)[player]) <= MOST_VALUE:
            return NOT_FINITE
    return SLICE_DONE


@njit(forceinline=True)
def lacks_room(search, new, passed, count):
    """Whether there is no room for what an iteration leaves behind.

    Args:
        search: The record.
        new: Nodes that it makes.
        passed: Nodes that it went through, new ones as well.
        count: Its moves.
    """
    if search.node_count + new > search.nodes_length:
        lack(search, LACKS_NODES)
    if search.entry_count + passed > search.entries_length:
        lack(search, LACKS_ENTRIES)
    if search.move_count + count > search.moves_length:
        search.wanted_moves = count
        lack(search, LACKS_MOVES)
    if search.simulations + 1 == search.starts_length:
        lack(search, LACKS_PLAYOUTS)
    if search.narrow and not fits_narrow(search):
        lack(search, LACKS_WIDTH)
    return search.lacking != 0


@njit
def fits_narrow(search):
    """Whether narrow statistics can take the playout that ends in."""
    fits = search.simulations < MOST_NARROW
    for player in range(search.players):
        value = values_of(search)[player]
        fits &= value == 0.0 or value == 1.0
    return fits


@njit(forceinline=True)
def update_path(search, depth, count):
    """Take the iteration's values in, at each node where a move was chosen."""
    path, edges, trace = path_nodes_of(search), path_edges_of(search), trace_of(search)
    for i in range(depth):
        add_choice(search, edges[i], values_of(search)[trace[i].player])
        if not search.set_words:
            update_node(search, np.int64(path[i]), i, count)
    if not search.set_words:
        return
    for i in range(depth - 1, -1, -1):
        add_move(search, i, count)
        update_node(search, np.int64(path[i]), i, count)
    if search.permutes:
        for i in range(1, search.known_nodes):
            add_own(search, np.int64(path[i]))
        set_column_bits(search)


@njit(forceinline=True)
def update_node(search, node, depth, count):
    """Count a playout at a node, which it reached after `depth` moves."""
    this = node_at(search, node)
    this.visits += 1
    if this.block != NONE:
        add_to_block(search, node, depth, count)
    else:
        entry = entries_of(search)[search.entry_count]
        entry.playout = search.simulations
        entry.depth = depth
        entry.previous = this.entry
        this.entry = search.entry_count
        search.entry_count += 1
