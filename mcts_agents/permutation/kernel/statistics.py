"""What playouts leave behind: AMAF statistics, and sets of playouts with given moves.

Definitions (section 2.1), with P(s) the playouts that went through s:

- N~(s, a): playouts of P(s) that have the move a after s, however often
- N^(s, a): playouts of P(root) that have a and all moves by which s was first reached,
  in any order

Both come with the sum of these playouts' values to the player who makes the move.

For each move a set of bits says which playouts have it; `permutations` counts in these.

A node has AMAF statistics from when it first serves as a reference. Until then it only
remembers which playouts went through it.
"""

import numpy as np
from numba import carray, njit

from mcts_agents.model.addresses import as_pointer
from mcts_agents.model.bits import bit_of
from mcts_agents.permutation.kernel.codes import FIRST_PLACE, first_place, padded
from mcts_agents.permutation.kernel.lanes import (
    count_where,
    set_where,
)
from mcts_agents.permutation.kernel.records import (
    LACKS_BLOCKS,
    NARROW_TYPES,
    NONE,
    WIDE_TYPES,
    amaf_at,
    bits_of,
    columns_at,
    entries_of,
    lack,
    moves_of,
    node_at,
    own_at,
    parts_of,
    place_players_of,
    place_seen_of,
    playout_values_of,
    starts_of,
    trace_of,
    values_of,
    won_of,
)

_0, _1, _6, _63 = (np.uint64(n) for n in (0, 1, 6, 63))


@njit(forceinline=True)
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
    if search.narrow:
        fill_block(search, node, block, NARROW_TYPES)
    else:
        fill_block(search, node, block, WIDE_TYPES)
    node_at(search, node).block = block
    return True


@njit(forceinline=True)
def fill_block(search, node, block, kinds):
    """Write AMAF statistics of the playouts that a node remembers."""
    # Only where there are places: there may be room for very many more.
    counts, sums = columns_at(amaf_at(search, block, 0), search.place_count, kinds)
    counts[:] = 0
    sums[:] = 0
    entries, starts, moves = entries_of(search), starts_of(search), moves_of(search)
    values, players = playout_values_of(search), place_players_of(search)
    entry = np.int64(node_at(search, node).entry)
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


@njit(forceinline=True)
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


@njit(forceinline=True)
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
            pair = amaf_at(search, block, first_place(search, player, word))
            members = address + 8 * (player * words + word)
            count_where(search.narrow, pair, members, value, lanes_of(search, word))


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


@njit(forceinline=True)
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
    keep_sets(search)
    set_worth(search, word, bit)


@njit(forceinline=True)
def keep_sets(search):
    """Keep the sets of all actions of the playout that ends."""
    kept = kept_sets_at(search, search.simulations)
    sets = all_actions_at(search)
    for i in range(len(sets)):
        kept[i] = sets[i]


@njit
def kept_sets_at(search, playout):
    """View the sets of all actions of a playout, of each player one."""
    words = search.players * search.set_words
    return set_at(search.kept_sets, playout * words, words)


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


@njit(forceinline=True)
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


@njit(forceinline=True)
def add_to_block(search, node, depth, count):
    """Add the iteration's moves from `depth` on to a node's AMAF statistics."""
    block = np.int64(node_at(search, node).block)
    if search.set_words:  # which earlier moves are not in yet; see `add_move`
        add_set(search, block, search.all_sets, search.simulations)
        return
    pair = amaf_at(search, block, 0)
    counts, sums = columns_at(pair, search.place_room, WIDE_TYPES)
    trace, values = trace_of(search), values_of(search)
    start = search.move_count - count
    moves = carray(as_pointer(search.moves + 4 * start), count, np.uint32)
    for i in range(depth, count):
        counts[moves[i]] += 1
        sums[moves[i]] += values[trace[i].player]


@njit
def add_choice(search, edge, value):
    """Add a playout that is worth a value to N(s, a) of an edge, and to its sum."""
    if search.narrow:
        visits, sums = columns_at(own_at(search, edge), 1, NARROW_TYPES)
        sums[0] += np.int16(value)
        visits[0] += np.int16(1)
    else:
        visits, sums = columns_at(own_at(search, edge), 1, WIDE_TYPES)
        sums[0] += value
        visits[0] += np.int32(1)


@njit
def set_at(address, word, count):
    """View some words of a set of playouts."""
    return carray(as_pointer(address + 8 * word), count, np.uint64)
