"""What playouts leave behind: AMAF statistics, and sets of playouts with given moves.

Definitions (section 2.1), with P(s) the playouts that went through s:

- N~(s, a): playouts of P(s) that have the move a after s, however often
- N^(s, a): playouts of P(root) that have a and all moves by which s was first reached,
  in any order

Both come with the sum of these playouts' values to the player who makes the move.

For each move a set of bits says which playouts have it. The playouts that have all of a
path's moves are in all of these sets, and what they add to a node is counted when the
node is visited: from the playout on at which that ended last time (section 3.4). Where
a game hands over sets of actions, a playout that went through the node by its own path
is added as it ends, so that mostly nothing is left.

A node has AMAF statistics from when it first serves as a reference. Until then it only
remembers which playouts went through it.
"""

import numpy as np
from numba import carray, njit

from mcts_agents.model.addresses import as_pointer, float64_at, int32_at
from mcts_agents.model.bits import (
    MOST_IN_COLUMNS,
    bit_of,
    count_bits,
    count_in_columns,
    lowest_bit,
)
from mcts_agents.permutation.kernel.codes import FIRST_PLACE, first_place, padded
from mcts_agents.permutation.kernel.lanes import (
    add_bytes,
    add_in_columns,
    count_where,
    counts_columns_fast,
    set_where,
)
from mcts_agents.permutation.kernel.records import (
    LACKS_BLOCKS,
    NONE,
    bits_of,
    columns_of,
    entries_of,
    lack,
    moves_of,
    nodes_of,
    parts_of,
    place_players_of,
    place_seen_of,
    playout_values_of,
    starts_of,
    trace_of,
    values_of,
    won_of,
)
from mcts_agents.permutation.kernel.weights import (
    ALL,
    address_of_counts,
    address_of_sums,
    amaf_counts_at,
    amaf_sums_at,
    places_at,
)

_0, _1, _6, _63 = (np.uint64(n) for n in (0, 1, 6, 63))
# So many bytes can be added before one of them overflows.
MOST_ADDED = 255
# So many bits of a word are listed at least, even if fewer are set: most often none
# is left then, and the processor need not guess how many there are.
LISTED = 4
ROOM_LISTED = max(MOST_IN_COLUMNS, MOST_ADDED) + LISTED
# So many playouts of a word, where processors count the bits of several words in one
# step, and elsewhere, are rather listed one by one than counted in columns.
FEW, FEW_ELSEWHERE = 0, 8
# What an edge, or a playout, takes besides its words, in words; and what a move takes
# where there are no rows.
WORDS_OF_EDGE, WORDS_OF_PLAYOUT, WORDS_OF_MOVE = 10, 5, 4


@njit
def begin_block(search, node):
    """Give a node AMAF statistics, of the playouts that went through it so far.

    Returns:
        Whether there is room.
    """
    block = search.block_count
    if block * search.place_room == search.amaf_counts_length:
        lack(search, LACKS_BLOCKS)
        return False
    search.block_count += 1
    counts, sums = amaf_counts_at(search, block), amaf_sums_at(search, block)
    # Only where there are places: there may be room for very many more.
    counts[: search.place_count] = 0
    sums[: search.place_count] = 0.0
    this = nodes_of(search)[node]
    this.block = block
    entries, starts, moves = entries_of(search), starts_of(search), moves_of(search)
    values, players = playout_values_of(search), place_players_of(search)
    entry = np.int64(this.entry)
    while entry != NONE:
        playout = np.int64(entries[entry].playout)
        start = starts[playout] + entries[entry].depth
        for i in range(start, starts[playout + 1]):
            place = np.uint64(moves[i])
            counts[place] += 1
            sums[place] += values[playout * search.players + players[place]]
        if search.set_words:
            add_set(search, block, address_of_sets(search, playout), playout)
        entry = np.int64(entries[entry].previous)
    return True


@njit
def record_playout(search, count):
    """Keep an iteration's moves, `count` of them, and values; there is room.

    Of a move that is made several times only the last is kept, so that it counts once
    wherever it is counted; the others get place 0. Where a game hands over sets of
    actions, moves follow; see `add_move`.
    """
    playout = search.simulations
    players = search.players
    start = search.move_count
    search.move_count += count
    starts_of(search)[playout] = start
    starts_of(search)[playout + 1] = search.move_count
    for player in range(players):
        value = values_of(search)[player]
        playout_values_of(search)[playout * players + player] = value
        if value != 0.0 and value != 1.0:
            search.has_parts = 1
    if search.set_words:
        sets, every = actions_at(search, playout), all_actions_at(search)
        for i in range(len(sets)):
            every[i] = sets[i]
        return
    trace, seen = trace_of(search), place_seen_of(search)
    moves = carray(as_pointer(search.moves + 4 * start), count, np.uint32)
    for i in range(count - 1, -1, -1):
        place = trace[i].code
        if seen[place] == playout + 1:
            moves[i] = 0
        else:
            seen[place] = playout + 1
            moves[i] = place
    if search.permutes:
        set_bits(search, playout, moves)


@njit
def add_move(search, depth, count):
    """Add a move that was made in the tree to the sets of the playout that ends.

    They come from the last one on, so that the sets are at each node what follows it.
    """
    place = trace_of(search)[depth].code
    word, bit = place - FIRST_PLACE >> 6, bit_of(place - FIRST_PLACE)
    every = all_actions_at(search)
    start = search.move_count - count
    moves_of(search)[start + depth] = 0 if every[word] & bit else place
    every[word] |= bit


@njit
def actions_at(search, playout):
    """View the sets of actions of a playout, of each player one."""
    words = search.players * search.set_words
    return set_at(address_of_sets(search, playout), 0, words)


@njit
def address_of_sets(search, playout):
    """Return where the sets of actions of a playout are."""
    return search.sets + 8 * playout * search.players * search.set_words


@njit
def clear_sets(search):
    """Empty the sets of the playout that begins."""
    actions_at(search, search.simulations)[:] = _0


@njit
def add_set(search, block, address, playout):
    """Add a playout to a block of AMAF statistics.

    Args:
        search: The record.
        block: The block.
        address: Where the sets of its actions are, of each player one.
        playout: Its number.
    """
    words = search.set_words
    values = playout_values_of(search)
    for player in range(search.players):
        value = values[playout * search.players + player]
        for word in range(words):
            place = first_place(search, player, word)
            counts = address_of_counts(search, block, place)
            sums = address_of_sums(search, block, place)
            members = address + 8 * (player * words + word)
            count_where(counts, sums, members, value, lanes_of(search, word))


@njit
def lanes_of(search, word):
    """Return how many actions a word of a set has, or up to 7 more."""
    return padded(search.action_count) - 64 * word


@njit
def set_bits(search, playout, moves):
    """Enter a playout into the sets of its moves."""
    bits, words, room = bits_of(search), np.uint64(search.words), search.place_room
    word, bit = np.uint64(playout) >> _6, _1 << (np.uint64(playout) & _63)
    for i in range(len(moves)):
        bits[np.uint64(moves[i]) * words + word] |= bit
    if search.rows_length > 0:
        row = carray(as_pointer(search.rows + playout * room), room, np.uint8)
        row[:] = 0
        for i in range(len(moves)):
            row[np.uint64(moves[i])] = 1
    set_worth(search, word, bit)


@njit
def set_column_bits(search):
    """Enter the playout that ends into the columns of its actions."""
    playout = search.simulations
    word, bit = np.uint64(playout) >> _6, _1 << (np.uint64(playout) & _63)
    if bit == _1:
        begin_columns(search, word)
    columns = address_of_columns(search, word)
    for player in range(search.players):
        for i in range(search.set_words):
            at = columns + 8 * first_place(search, player, i)
            members = search.all_sets + 8 * (player * search.set_words + i)
            set_where(at, members, bit, lanes_of(search, i))
    write_pairs(search)
    set_worth(search, word, bit)


@njit
def write_pairs(search):
    """Keep the sets of the playout that ends, and once more those that are won."""
    words = search.set_words
    pairs, sets = pairs_at(search, search.simulations), all_actions_at(search)
    for player in range(search.players):
        won = np.uint64(0) - np.uint64(values_of(search)[player] == 1.0)
        for k in range(player * words, (player + 1) * words):
            pairs[2 * k], pairs[2 * k + 1] = sets[k], sets[k] & won


@njit
def pairs_at(search, playout):
    """View the pairs of sets of a playout."""
    words = 2 * search.players * search.set_words
    return set_at(search.set_pairs, playout * words, words)


@njit
def set_worth(search, word, bit):
    """Enter the playout that ends into the sets of those that somebody has won."""
    words = np.uint64(search.words)
    for player in range(search.players):
        value = values_of(search)[player]
        if value == 1.0:
            won_of(search)[np.uint64(player) * words + word] |= bit
        elif value != 0.0:
            parts_of(search)[word] |= bit


@njit
def address_of_columns(search, word):
    """Return where the columns of 64 playouts are, as a word for each place."""
    return search.columns + 8 * np.int64(word) * search.place_room


@njit
def begin_columns(search, word):
    """Copy the columns of the last 64 playouts into the sets, and begin empty ones."""
    bits, words = bits_of(search), np.uint64(search.words)
    if word:
        last = set_at(address_of_columns(search, word - _1), 0, search.place_count)
        for place in range(search.place_count):
            bits[np.uint64(place) * words + word - _1] = last[place]
    set_at(address_of_columns(search, word), 0, search.place_room)[:] = _0


@njit
def all_actions_at(search):
    """View the sets of all actions of the playout that ends, of each player one."""
    return set_at(search.all_sets, 0, search.players * search.set_words)


@njit
def add_to_block(search, node, depth, count):
    """Add the iteration's moves from `depth` on to a node's AMAF statistics."""
    block = np.int64(nodes_of(search)[node].block)
    if search.set_words:  # which earlier moves are not in yet; see `add_move`
        add_set(search, block, search.all_sets, search.simulations)
        return
    counts, sums = amaf_counts_at(search, block), amaf_sums_at(search, block)
    trace, values = trace_of(search), values_of(search)
    start = search.move_count - count
    moves = carray(as_pointer(search.moves + 4 * start), count, np.uint32)
    for i in range(depth, count):
        counts[moves[i]] += 1
        sums[moves[i]] += values[trace[i].player]


@njit
def count_permutations(search, node, latest):
    """Bring a node's permutation statistics up to date.

    Args:
        search: The record.
        node: The node.
        latest: Which of the playouts in the last word have all moves of the node's
            path, unless nodes are found by path.
    """
    this = nodes_of(search)[node]
    if this.counted == search.simulations:
        return
    first = np.int64(np.uint64(this.counted) >> _6)
    count = ((search.simulations - 1) >> 6) - first + 1
    masks = set_at(search.masks, 0, count)
    if search.by_path:
        masks[:] = ALL
        for move in range(search.path_moves):
            keep_playouts_with(search, trace_of(search)[move].code, first, masks)
    elif count == 1:  # most often, and then most often none is left
        masks[0] = latest & ALL << (np.uint64(this.counted) & _63)
        if masks[0] == _0:
            this.counted = search.simulations
            return
    else:
        path_in_words(search, node, first, masks)
        masks[count - 1] = latest
    masks[0] &= ALL << (np.uint64(this.counted) & _63)
    this.counted = search.simulations
    if search.has_parts:
        parts = set_at(search.parts, first, count)
        for i in range(count):
            left = masks[i] & parts[i]
            masks[i] &= ~left
            while left:
                add_part(search, node, 64 * (first + i) + lowest_bit(left))
                left &= left - _1
    add_whole(search, node, first, masks)


@njit
def path_in_latest(search, node):
    """Return which of the playouts in the last word have all moves of a node's path."""
    mask, at = ALL, node
    while at != 0:
        this = nodes_of(search)[at]
        mask &= latest_with(search, np.int64(this.place))
        at = np.int64(this.parent)
    return mask


@njit
def latest_with(search, place):
    """Return which of the playouts in the last word have a move, none still to come."""
    if search.set_words:
        word = search.simulations - 1 >> 6
        return columns_of(search)[word * search.place_room + place]
    return bits_of(search)[place * search.words + (search.simulations - 1 >> 6)]


@njit
def path_in_words(search, node, first, masks):
    """Do what `path_in_latest` does for the words from `first` on before the last."""
    masks[:] = ALL
    at = node
    while at != 0:
        keep_playouts_with(search, nodes_of(search)[at].place, first, masks)
        at = np.int64(nodes_of(search)[at].parent)


@njit
def keep_playouts_with(search, place, first, masks):
    """Take the playouts that lack a move out of a set, which begins at word `first`."""
    bits = set_at(search.bits, place * search.words + first, len(masks))
    for i in range(len(masks)):
        masks[i] &= bits[i]


@njit
def set_at(address, word, count):
    """View some words of a set of playouts."""
    return carray(as_pointer(address + 8 * word), count, np.uint64)


@njit
def add_whole(search, node, first, masks):
    """Add a set of playouts, each worth 0 or 1 to all, to a node's statistics.

    Args:
        search: The record.
        node: The node.
        first: The word of the sets of playouts at which `masks` begins.
        masks: The set, uint64; the room behind it is scratch.
    """
    if search.set_words:
        add_columns_or_sets(search, node, first, masks)
        return
    playouts = 0
    for i in range(len(masks)):
        playouts += count_bits(masks[i])
    if playouts == 0:
        return
    # All ways give the same; how long each takes was measured on Hex, and on the Video
    # Game.
    this, words = nodes_of(search)[node], (search.place_count + 7) >> 3
    if search.rows_length == 0:
        words = WORDS_OF_MOVE * search.move_count // search.simulations
    if this.count * (len(masks) + WORDS_OF_EDGE) < playouts * (
        words + WORDS_OF_PLAYOUT
    ):
        add_edge_by_edge(search, node, first, masks)
    elif search.rows_length > 0:
        add_rows(search, node, first, masks)
    else:
        add_moves(search, node, first, masks)


@njit
def add_edge_by_edge(search, node, first, masks):
    """Count for each edge how many playouts of a set have its move."""
    this = nodes_of(search)[node]
    edge, count, words = this.first, np.int64(this.count), len(masks)
    places = places_at(search, edge, count)
    permutations = int32_at(search.edge_permutations + 4 * edge, count)
    permuted = float64_at(search.edge_permutation_sums + 8 * edge, count)
    won = set_at(search.won, this.player * search.words + first, words)
    masks_won = set_at(search.masks, search.words, words)
    for k in range(words):
        masks_won[k] = masks[k] & won[k]
    for i in range(count):
        bits = set_at(search.bits, places[i] * search.words + first, words)
        having = winning = np.int64(0)
        for k in range(words):
            having += count_bits(masks[k] & bits[k])
            winning += count_bits(masks_won[k] & bits[k])
        permutations[i] += having
        permuted[i] += winning


@njit
def add_rows(search, node, first, masks):
    """Add up the rows of a set's playouts byte by byte, eight places in a word."""
    player = np.int64(nodes_of(search)[node].player)
    room = search.place_room
    used = (search.place_count + 7) >> 3
    counts = carray(as_pointer(search.sums), used, np.uint64)
    sums = carray(as_pointer(search.sums + room), used, np.uint64)
    won = set_at(search.won, player * search.words + first, len(masks))
    added = 0
    for i in range(len(masks)):
        left = masks[i]
        while left:
            bit = lowest_bit(left)
            left &= left - _1
            playout = 64 * (first + i) + bit
            row = carray(as_pointer(search.rows + playout * room), used, np.uint64)
            mine = np.uint64(0) - (won[i] >> np.uint64(bit) & _1)  # all bits or none
            if added == 0:
                for k in range(used):
                    counts[k] = row[k]
                    sums[k] = row[k] & mine
            else:
                for k in range(used):
                    counts[k] += row[k]
                    sums[k] += row[k] & mine
            added += 1
            if added == MOST_ADDED:
                add_sums(search, node, room, 0)
                added = 0
    if added:
        add_sums(search, node, room, 0)


@njit
def add_moves(search, node, first, masks):
    """Do what `add_rows` does where rows would be too long: move by move."""
    listed = carray(as_pointer(search.listed), search.listed_length, np.uint32)
    count = 0
    for i in range(len(masks)):
        left = masks[i]
        while left:
            listed[count] = 64 * (first + i) + lowest_bit(left)
            left &= left - _1
            count += 1
            if count == MOST_ADDED:
                add_moves_of_listed(search, node, count)
                count = 0
    if count:
        add_moves_of_listed(search, node, count)


@njit
def add_moves_of_listed(search, node, count):
    """Add so many listed playouts to the edges; leave the scratch empty, as it was."""
    listed = carray(as_pointer(search.listed), count, np.uint32)
    player, room = np.int64(nodes_of(search)[node].player), search.place_room
    won = set_at(search.won, player * search.words, search.words)
    counts = carray(as_pointer(search.sums), room, np.uint8)
    sums = carray(as_pointer(search.sums + room), room, np.uint8)
    for i in range(count):
        playout = np.uint64(listed[i])
        mine = won[playout >> _6] >> (playout & _63) & _1
        moves = moves_at(search, np.int64(playout))
        for k in range(len(moves)):
            place = np.uint64(moves[k])
            counts[place] += 1
            sums[place] += mine
    add_sums(search, node, room, 0)
    for i in range(count):
        empty_places(counts, sums, moves_at(search, np.int64(listed[i])))


@njit
def empty_places(counts, sums, places):
    """Make the bytes of some places 0."""
    for i in range(len(places)):
        place = np.uint64(places[i])
        counts[place] = sums[place] = 0


@njit
def moves_at(search, playout):
    """View the places of a playout's moves, uint32."""
    start = starts_of(search)[playout]
    count = starts_of(search)[playout + 1] - start
    return carray(as_pointer(search.moves + 4 * start), count, np.uint32)


@njit
def add_columns_or_sets(search, node, first, masks):
    """Do what `add_whole` does, where there are sets of actions."""
    this, words = nodes_of(search)[node], len(masks)
    won = set_at(search.won, this.player * search.words + first, words)
    # One behind the other: masks that are not empty, what is won of them, their words.
    kept = set_at(search.masks, 0, words)
    marked = set_at(search.masks, search.words, words)
    chosen = set_at(search.masks, 2 * search.words, words)
    count, playouts = np.uint64(0), 0
    for i in range(np.uint64(words)):
        mask = masks[i]
        kept[count], marked[count], chosen[count] = mask, mask & won[i], i
        playouts += count_bits(mask)
        count += np.uint64(mask != _0)
    if count == _0:
        return
    kept_words = np.int64(count)
    few = FEW if counts_columns_fast() else FEW_ELSEWHERE
    if this.run and playouts > few * kept_words:
        add_in_run(search, node, first, kept_words)
    else:
        add_sets(search, node, first, kept_words)


@njit
def add_in_run(search, node, first, count):
    """Count for each action of a run how many playouts of some masks have it.

    Each word of a column has 64 of the playouts that have an action, so nothing is done
    for each of them.

    Args:
        search: The record.
        node: The node.
        first: The first word of the playouts of which there are masks.
        count: How many masks; see `add_columns_or_sets`.
    """
    this = nodes_of(search)[node]
    masks = search.masks
    marked, chosen = masks + 8 * search.words, masks + 16 * search.words
    rows, step = address_of_columns(search, first), 8 * search.place_room
    for k in range(search.set_words):
        at, done = 8 * first_place(search, np.int64(this.player), k), 64 * k
        edge = this.first + done
        outs = (
            search.edge_permutations + 4 * edge,
            search.edge_permutation_sums + 8 * edge,
        )
        left = np.int64(this.count) - done
        add_in_columns(rows + at, step, chosen, (masks, marked), count, outs, left)


@njit
def add_own(search, node):
    """Add the playout that ends to the edges of a node that it has come through.

    Nothing else is missing there, since the node was brought up to date on the way.
    """
    this = nodes_of(search)[node]
    if this.run:
        sets = search.all_sets + 8 * np.int64(this.player) * search.set_words
        add_to_run(search, node, sets, 8, values_of(search)[this.player])
        this.counted = search.simulations + 1


@njit
def add_to_run(search, node, sets, step, value):
    """Add a playout to the edges of a node, which are a run.

    Args:
        search: The record.
        node: The node.
        sets: Where the first word of the set of the player's actions is.
        step: Bytes from one word to the next.
        value: What the playout is worth to the player.
    """
    this = nodes_of(search)[node]
    for k in range(search.set_words):
        edge = this.first + 64 * k
        counts = search.edge_permutations + 4 * edge
        sums = search.edge_permutation_sums + 8 * edge
        count_where(counts, sums, sets + step * k, value, lanes_of(search, k))


@njit
def add_sets(search, node, first, count):
    """Do what `add_in_run` does for any edges: add up the sets of single playouts."""
    listed = carray(as_pointer(search.listed), search.listed_length, np.uint32)
    masks = set_at(search.masks, 0, count)
    chosen = set_at(search.masks, 2 * search.words, count)
    added = np.uint64(0)
    for i in range(count):
        left, playout = masks[i], 64 * (first + np.int64(chosen[i]))
        end = added + np.uint64(count_bits(left))
        if end > np.uint64(MOST_IN_COLUMNS):
            add_listed(search, node, np.int64(added))
            end -= added
            added = _0
        for k in range(LISTED):
            listed[added + np.uint64(k)] = playout + lowest_bit(left)
            left &= left - _1
        added += np.uint64(LISTED)
        while added < end:
            listed[added] = playout + lowest_bit(left)
            left &= left - _1
            added += _1
        added = end
    add_listed(search, node, np.int64(added))


@njit
def add_listed(search, node, added):
    """Add so many listed playouts to the edges."""
    listed = carray(as_pointer(search.listed), search.listed_length, np.uint32)
    for i in range(3):  # playouts without actions, that all steps are whole
        listed[added + i] = search.starts_length - 1
    words, player = search.set_words, np.int64(nodes_of(search)[node].player)
    step = 16 * search.players * words
    for k in range(words):
        pairs = search.set_pairs + 16 * (player * words + k)
        out = search.sums + 64 * k
        out_won = out + 64 * words
        count_in_columns(pairs, step, search.listed, added, out, out_won)
    add_sums(search, node, 64 * words, first_place(search, player, 0))


@njit
def add_sums(search, node, room, origin):
    """Add what was added up byte by byte to the edges.

    Args:
        search: The record.
        node: The node.
        room: How many bytes are for counts; sums follow.
        origin: The place to which the first byte belongs.
    """
    this = nodes_of(search)[node]
    first, count = np.int64(this.first), np.int64(this.count)
    if this.run:
        for k in range(search.set_words):
            counts, edge = search.sums + 64 * k, first + 64 * k
            permutations = search.edge_permutations + 4 * edge
            permuted = search.edge_permutation_sums + 8 * edge
            lanes = lanes_of(search, k)
            add_bytes(counts, counts + room, permutations, permuted, lanes)
        return
    permutations = int32_at(search.edge_permutations + 4 * first, count)
    permuted = float64_at(search.edge_permutation_sums + 8 * first, count)
    places = places_at(search, first, count)
    counts = carray(as_pointer(search.sums), room, np.uint8)
    sums = carray(as_pointer(search.sums + room), room, np.uint8)
    for i in range(count):
        at = places[i] - origin
        permutations[i] += counts[at]
        permuted[i] += sums[at]


@njit
def add_part(search, node, playout):
    """Add one playout, of any value, to the edges."""
    this = nodes_of(search)[node]
    value = playout_values_of(search)[playout * search.players + this.player]
    words = search.set_words
    if this.run:
        pairs = search.set_pairs + 16 * (playout * search.players + this.player) * words
        add_to_run(search, node, pairs, 16, value)
        return
    first, count = this.first, np.int64(this.count)
    places = places_at(search, first, count)
    permutations = int32_at(search.edge_permutations + 4 * first, count)
    permuted = float64_at(search.edge_permutation_sums + 8 * first, count)
    if search.set_words:
        pairs = pairs_at(search, playout)
        for i in range(count):
            place = np.int64(places[i]) - FIRST_PLACE
            if pairs[2 * (place >> 6)] & bit_of(place):
                permutations[i] += 1
                permuted[i] += value
        return
    room = search.place_room
    if search.rows_length > 0:
        row = carray(as_pointer(search.rows + playout * room), room, np.uint8)
        add_part_of_row(row, places, value, permutations, permuted)
        return
    row = carray(as_pointer(search.sums), room, np.uint8)
    moves = moves_at(search, playout)
    for i in range(len(moves)):
        row[np.uint64(moves[i])] = 1
    add_part_of_row(row, places, value, permutations, permuted)
    empty_places(row, row, moves)


@njit
def add_part_of_row(row, places, value, permutations, permuted):
    """Add one playout to the edges whose places its row has."""
    for i in range(len(permutations)):
        has = row[np.uint64(places[i])]
        permutations[i] += has
        permuted[i] += has * value
