"""Permutation statistics, brought up to date where a descent comes through.

N^(s, a), from section 2.1: playouts of P(root) that have a and all moves by which s was
first reached, in any order.

The playouts that have all of a path's moves are in the sets of all these moves, and
what they add to a node is counted when the node is visited: from the playout on at
which that ended last time (section 3.4). Where a game hands over sets of actions, a
playout that went through the node by its own path is added as it ends, so that mostly
nothing is left.
"""

import numpy as np
from numba import carray, njit

from mcts_agents.model.addresses import as_pointer
from mcts_agents.model.bits import (
    MOST_IN_COLUMNS,
    bit_of,
    count_bits,
    count_in_columns,
    lowest_bit,
)
from mcts_agents.permutation.kernel.codes import FIRST_PLACE, first_place
from mcts_agents.permutation.kernel.lanes import (
    MOST_ADDED,
    add_bytes,
    add_in_columns,
    add_playouts,
    count_where,
    counts_columns_fast,
    write_common,
)
from mcts_agents.permutation.kernel.records import (
    NARROW_TYPES,
    WIDE_TYPES,
    bits_of,
    columns_at,
    columns_of,
    node_at,
    permuted_at,
    playout_values_of,
    starts_of,
    trace_of,
    values_of,
)
from mcts_agents.permutation.kernel.statistics import (
    address_of_columns,
    kept_sets_at,
    lanes_of,
    set_at,
)
from mcts_agents.permutation.kernel.weights import (
    ALL,
    places_at,
)

_0, _1, _6, _63 = (np.uint64(n) for n in (0, 1, 6, 63))
# A list of playouts may be followed by so many.
ROOM_BEHIND = 7
ROOM_LISTED = max(2 * (MOST_IN_COLUMNS + ROOM_BEHIND), MOST_ADDED)
# So many playouts of a word, where processors count the bits of several words in one
# step, and elsewhere, are rather added one by one than counted in columns: more if
# statistics are narrow.
FEW, FEW_ELSEWHERE, FEW_NARROW = 0, 8, 10
# What an edge, or a playout, takes besides its words, in words; and what a move takes
# where there are no rows.
WORDS_OF_EDGE, WORDS_OF_PLAYOUT, WORDS_OF_MOVE = 10, 5, 4


@njit(forceinline=True)
def count_permutations(search, node, latest):
    """Bring a node's permutation statistics up to date.

    Args:
        search: The record.
        node: The node.
        latest: Which of the playouts in the last word have all moves of the node's
            path, unless nodes are found by path.
    """
    this = node_at(search, node)
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
        path_in_words(search, node, first, count)
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
        this = node_at(search, at)
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


@njit(forceinline=True)
def path_in_words(search, node, first, count):
    """Write what `path_in_latest` returns, for some words from one on, into `masks`.

    The sets of three moves are read at once, and then those of two at a time.

    Args:
        search: The record.
        node: The node.
        first: The first word.
        count: How many words.
    """
    out = search.masks
    this = node_at(search, node)
    before = address_of_bits(search, this.place, first)
    at = np.int64(this.parent)
    while True:
        one = other = before
        if at != 0:
            one = other = address_of_bits(search, node_at(search, at).place, first)
            at = np.int64(node_at(search, at).parent)
        if at != 0:
            other = address_of_bits(search, node_at(search, at).place, first)
            at = np.int64(node_at(search, at).parent)
        write_common(out, (before, one, other), count)
        if at == 0:
            break
        before = out


@njit
def address_of_bits(search, place, first):
    """Return where the set of the playouts with a move is, from word `first` on."""
    return search.bits + 8 * (np.int64(place) * search.words + first)


@njit(forceinline=True)
def keep_playouts_with(search, place, first, masks):
    """Take the playouts that lack a move out of a set, which begins at word `first`."""
    bits = set_at(search.bits, place * search.words + first, len(masks))
    for i in range(len(masks)):
        masks[i] &= bits[i]


@njit(forceinline=True)
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
    this, words = node_at(search, node), (search.place_count + 7) >> 3
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
    this = node_at(search, node)
    edge, count, words = this.first, np.int64(this.count), len(masks)
    places = places_at(search, edge, count)
    pair = permuted_at(search, edge)
    permutations, permuted = columns_at(pair, count, WIDE_TYPES)
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
    player = np.int64(node_at(search, node).player)
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
    player, room = np.int64(node_at(search, node).player), search.place_room
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


@njit(forceinline=True)
def add_columns_or_sets(search, node, first, masks):
    """Do what `add_whole` does, where there are sets of actions."""
    this, words = node_at(search, node), len(masks)
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
    if search.narrow and not counts_columns_fast():
        few = FEW_NARROW
    if this.run and playouts > few * kept_words:
        add_in_run(search, node, first, kept_words)
    elif this.run and search.narrow and search.set_words == 1:
        add_one_by_one(search, node, first, playouts)
    else:
        add_sets(search, node, first, kept_words, playouts)


@njit(forceinline=True)
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
    this = node_at(search, node)
    masks = search.masks
    marked, chosen = masks + 8 * search.words, masks + 16 * search.words
    rows, step = address_of_columns(search, first), 8 * search.place_room
    for k in range(search.set_words):
        at = rows + 8 * first_place(search, np.int64(this.player), k)
        outs, lanes = permuted_at(search, this.first + 64 * k), lanes_of(search, k)
        both = masks, marked
        add_in_columns(search.narrow, (at, step), chosen, both, count, outs, lanes)


@njit(forceinline=True)
def add_one_by_one(search, node, first, playouts):
    """Do what `add_in_run` does for narrow statistics and sets of one word, one by one.

    Args:
        search: The record.
        node: The node.
        first: The first word of the playouts of which there are masks.
        playouts: How many are in the masks, which `add_columns_or_sets` describes.
    """
    this, step = node_at(search, node), 8 * search.players
    sets = search.kept_sets + 64 * first * step + 8 * np.int64(this.player)
    masks = search.masks
    words = masks, masks + 8 * search.words, masks + 16 * search.words
    pair, lanes = permuted_at(search, this.first), lanes_of(search, 0)
    add_playouts(pair, sets, step, words, playouts, lanes)


@njit(forceinline=True)
def add_own(search, node):
    """Add the playout that ends to the edges of a node that it has come through.

    Nothing else is missing there, since the node was brought up to date on the way.
    """
    this = node_at(search, node)
    if this.run:
        sets = search.all_sets + 8 * np.int64(this.player) * search.set_words
        add_to_run(search, node, sets, values_of(search)[this.player])
        this.counted = search.simulations + 1


@njit(forceinline=True)
def add_to_run(search, node, sets, value):
    """Add a playout to the edges of a node, which are a run.

    Args:
        search: The record.
        node: The node.
        sets: Where the first word of the set of the player's actions is.
        value: What the playout is worth to the player.
    """
    this = node_at(search, node)
    for k in range(search.set_words):
        pair, lanes = permuted_at(search, this.first + 64 * k), lanes_of(search, k)
        count_where(search.narrow, pair, sets + 8 * k, value, lanes)


@njit
def add_sets(search, node, first, count, playouts):
    """Do what `add_in_run` does for any edges: add up the sets of single playouts.

    Nothing depends on how many bits a mask has, which the processor had to guess.
    """
    lost, won = listed_at(search)
    # The first one behind is read, too.
    masks = set_at(search.masks, 0, count + 1)
    marked = set_at(search.masks, search.words, count)
    chosen = set_at(search.masks, 2 * search.words, count)
    at, left = _0, masks[0]
    while playouts > 0:
        lost_count = won_count = _0
        for _ in range(min(playouts, MOST_IN_COLUMNS)):
            playout = 64 * (first + np.int64(chosen[at])) + lowest_bit(left)
            # Both lists get it, and one of them forgets it.
            lost[lost_count] = won[won_count] = playout
            rest = left & (left - _1)
            is_won = np.uint64(marked[at] & (left ^ rest) != _0)
            won_count += is_won
            lost_count += _1 - is_won
            done = np.uint64(rest == _0)
            at += done
            left = rest | masks[at] & (_0 - done)
        playouts -= MOST_IN_COLUMNS
        add_listed(search, node, np.int64(lost_count), np.int64(won_count))


@njit
def listed_at(search):
    """View two lists of playouts, uint32."""
    room = MOST_IN_COLUMNS + ROOM_BEHIND
    lists = carray(as_pointer(search.listed), 2 * room, np.uint32)
    return lists[:room], lists[room:]


@njit
def add_listed(search, node, lost_count, won_count):
    """Add so many listed playouts to the edges."""
    lost, won = listed_at(search)
    for i in range(ROOM_BEHIND):  # playouts without actions, that all steps are whole
        lost[lost_count + i] = won[won_count + i] = search.starts_length - 1
    words, player = search.set_words, np.int64(node_at(search, node).player)
    step = 8 * search.players * words
    lists = search.listed, search.listed + 4 * (MOST_IN_COLUMNS + ROOM_BEHIND)
    for k in range(words):
        sets = search.kept_sets + 8 * (player * words + k)
        out = search.sums + 64 * k
        counts = lost_count, won_count
        count_in_columns(sets, step, lists, counts, out, out + 64 * words)
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
    this = node_at(search, node)
    first, count = np.int64(this.first), np.int64(this.count)
    if this.run:
        for k in range(search.set_words):
            added = search.sums + 64 * k, search.sums + 64 * k + room
            pair, lanes = permuted_at(search, first + 64 * k), lanes_of(search, k)
            add_bytes(search.narrow, added, pair, lanes)
    elif search.narrow:
        add_sums_to_edges(search, first, count, room, origin, NARROW_TYPES)
    else:
        add_sums_to_edges(search, first, count, room, origin, WIDE_TYPES)


@njit
def add_sums_to_edges(search, first, count, room, origin, kinds):
    """Do what `add_sums` does for edges in any order, of two types."""
    permutations, permuted = columns_at(permuted_at(search, first), count, kinds)
    places = places_at(search, first, count)
    counts = carray(as_pointer(search.sums), room, np.uint8)
    sums = carray(as_pointer(search.sums + room), room, np.uint8)
    for i in range(count):
        at = places[i] - origin
        permutations[i] += counts[at]
        permuted[i] += sums[at]


@njit
def add_part(search, node, playout):
    """Add one playout, of any value, to the edges, whose statistics are wide."""
    this = node_at(search, node)
    value = playout_values_of(search)[playout * search.players + this.player]
    words = search.set_words
    if this.run:
        sets = search.kept_sets + 8 * (playout * search.players + this.player) * words
        add_to_run(search, node, sets, value)
        return
    first, count = this.first, np.int64(this.count)
    places = places_at(search, first, count)
    pair = permuted_at(search, first)
    permutations, permuted = columns_at(pair, count, WIDE_TYPES)
    if search.set_words:
        sets = kept_sets_at(search, playout)
        for i in range(count):
            place = np.int64(places[i]) - FIRST_PLACE
            if sets[place >> 6] & bit_of(place):
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
