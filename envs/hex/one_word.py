"""Random games of Hex on boards of up to 64 cells: each set of cells is one word.

Bit `row * size + column` stands for a cell, so that a code of a move is a bit, too.
"""

import numpy as np
from numba import njit

from mcts_agents.model.bits import bit_of, count_bits, nth_bit
from mcts_agents.model.random import next_uint64, random_below

# The largest board whose cells fit into one word.
MOST_SIZE = 8
_0, _1 = np.uint64(0), np.uint64(1)
# The cells of a board of each size, as a word.
ALL_CELLS = np.array(
    [(1 << size * size) - 1 for size in range(MOST_SIZE + 1)], np.uint64
)


@njit
def word_of(rows, size):
    """Return the cells of some rows, uint32 each, as one word."""
    word = _0
    for row in range(size):
        word |= np.uint64(rows[row]) << np.uint64(row * size)
    return word


@njit
def first_column(size):
    """Return the cells of column 0."""
    column = _0
    for row in range(size):
        column |= bit_of(row * size)
    return column


@njit
def random_half(rng, cells, count, wanted):
    """Return `wanted` of the `count` cells of a set, all choices equally likely.

    A fair coin for every cell gives a random set; as long as it is too large a random
    member leaves it, too small a random other cell joins.
    """
    half = cells & next_uint64(rng)
    having = count_bits(half)
    while having < wanted:
        half |= bit_of(nth_bit(cells & ~half, random_below(rng, count - having)))
        having += 1
    while having > wanted:
        half ^= bit_of(nth_bit(half, random_below(rng, having)))
        having -= 1
    return half


@njit
def linked(stones, player, size, left):
    """Return a player's stones that are near its borders, if they join these.

    Args:
        stones: The player's stones.
        player: 0 joins the top and bottom rows, 1 the left and right columns.
        size: Cells a side.
        left: The cells of column 0.

    Returns:
        As many of the stones that are linked to one border or the other as join both;
        no cells if none do.
    """
    across = np.uint64(size - 1)
    right = left << across
    # Both borders' stones grow until they meet, which the processor does side by side.
    if player == 0:
        near = stones & (_1 << np.uint64(size)) - _1
        far = stones & ~_0 << np.uint64(size * (size - 1))
    else:
        near, far = stones & left, stones & right
    while near & far == 0:
        near_before, far_before = near, far
        near = grown(near, stones, size, left, right)
        far = grown(far, stones, size, left, right)
        if near == near_before or far == far_before:
            return _0
    return near | far


@njit
def grown(cells, stones, size, left, right):
    """Return some of a player's stones, and those next to them."""
    along, across = np.uint64(size), np.uint64(size - 1)
    near = cells << along | cells >> along
    near |= (cells << _1 | cells >> across) & ~left
    near |= (cells >> _1 | cells << across) & ~right
    return near & stones | cells


@njit
def play_to_the_win(rng, stones, other, free, turn, size):
    """Play a random game to its winning move.

    All empty cells are shared out first, which tells who wins: on a full board exactly
    one player has joined the borders. Then moves are taken back, the last one first,
    as long as that player still joins them.

    Args:
        rng: The generator, advanced.
        stones: Those of player 0.
        other: Those of player 1.
        free: The empty cells.
        turn: Who moves first.
        size: Cells a side, up to 8.

    Returns:
        The cells that each player takes, two words, and the winner.
    """
    count = count_bits(free)
    firsts = random_half(rng, free, count, (count + 1) >> 1)
    seconds = free ^ firsts
    mine, others = (firsts, seconds) if turn == 0 else (seconds, firsts)
    left = first_column(size)
    winner = np.int64(0)
    all_stones = stones | mine
    joining = linked(all_stones, 0, size, left)
    if joining == 0:
        winner = np.int64(1)
        all_stones = other | others
        joining = linked(all_stones, 1, size, left)
    # Whose moves they are does not matter while they are taken back, but who wins.
    winning, losing = (mine, others) if winner == 0 else (others, mine)
    wins, losses = count_bits(winning), count_bits(losing)
    if (count & 1 == 0) == (turn == winner):  # the loser moves last
        losing ^= bit_of(nth_bit(losing, random_below(rng, losses)))
        losses -= 1
    while True:
        stone = bit_of(nth_bit(winning, random_below(rng, wins)))
        if stone & joining:
            joining = linked(all_stones ^ stone, winner, size, left)
            if joining == 0:
                break
        all_stones ^= stone
        winning ^= stone
        wins -= 1
        losing ^= bit_of(nth_bit(losing, random_below(rng, losses)))
        losses -= 1
    if winner == 0:
        return winning, losing, winner
    return losing, winning, winner
