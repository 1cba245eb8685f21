"""Sets of cells of a Gomoku board: five in a row, and random sets.

A board is one long row of bits, cell `row * size + column`, in as many words of 64 as
it takes; a set is an array of these words, uint64. Lines that would leave the board at
one side and come back at the other are taken out by masks.
"""

import numpy as np
from numba import njit

from mcts_agents.model import next_uint64, random_below
from mcts_agents.model.bits import bit_of, count_bits, lowest_bit, nth_bit
from mcts_agents.model.lanes import (
    any_bit,
    both,
    either,
    four_at,
    four_of,
    moved_down,
)

LARGEST = 19
WORDS = -(-LARGEST * LARGEST // 64)
SET_AS_INT32 = 2 * WORDS  # so long a set is
# Compiled functions take one of these, so that loops over words have a fixed length and
# short sets stay in registers: words of the smaller boards, and of all others.
FEW, MANY = (0,) * 2, (0,) * WORDS
LENGTH = 5  # of a line that wins
LINES = ((0, 1), (1, -1), (1, 0), (1, 1))  # rows and columns from a cell to the next
ZERO, ONE, ALL = np.uint64(0), np.uint64(1), ~np.uint64(0)
_64 = np.uint64(64)


@njit
def moved(word, later, step):
    """Return the bits of a word, moved forward by less than 64, from the next word."""
    return word >> step | later << (_64 - step)


@njit
def has_five(game, stones, words):
    """Whether these stones, a set of cells, contain five in a row.

    The words are looked at from the last to the first, since lines lead on into later
    ones: two in a row from each cell, then four, then five, in all four directions at
    once. That takes a tenth of the time of one direction after the other.
    """
    steps, doubled = four_at(game.steps), four_at(game.doubled)
    later = twos = fours = found = four_of(ZERO)
    for i in range(len(words) - 1, -1, -1):
        word = four_of(stones[i])
        two = both(word, moved_down(word, later, steps))
        four = both(two, moved_down(two, twos, doubled))
        five = both(four, moved_down(four, fours, steps))
        found = either(found, both(five, four_at(game.starts[i])))
        later, twos, fours = word, two, four
    return any_bit(found)


@njit
def nth_between(low, high, n, words):
    """Return the cell of `high` without `low` that `n` others of these lie below."""
    word, start = high[0] & ~low[0], 0
    for i in range(1, len(words)):
        here = count_bits(word)
        if n >= here:
            n -= here
            word, start = high[i] & ~low[i], 64 * i
    return start + nth_bit(word, n)


@njit
def toggle(cells, cell, words):
    """Put a cell into a set, or take it out."""
    for i in range(len(words)):
        cells[i] ^= bit_of(cell) if i == cell >> 6 else ZERO


@njit
def copy_set(cells, to, words):
    """Make a set equal to another one."""
    for i in range(len(words)):
        to[i] = cells[i]


@njit
def random_share(rng, chance, places):
    """Return 64 random bits, each of them set with a chance of `chance / 2**places`."""
    if chance >> places:
        return ALL
    bits = ZERO
    for place in range(lowest_bit(np.uint64(chance | 1 << places)), places):
        coins = next_uint64(rng)
        bits = bits | coins if chance >> place & 1 else bits & coins
    return bits


@njit
def draw(rng, low, high, n, k, drawn, words):
    """Draw a set between two others, all sets of its size equally likely.

    Every cell is thrown for by itself, until there are nearly as many as wanted. As
    long as the set is too large a random cell leaves it, too small one joins it. No
    step tells one cell from another, but by chance.

    Args:
        rng: The generator.
        low: Cells that are in the set anyway.
        high: All cells that may be in it, those of `low` among them.
        n: The number of cells of `high` without `low`.
        k: How many of these are drawn.
        drawn: Where the set is written.
        words: `FEW` or `MANY`.
    """
    if k == n:
        copy_set(high, drawn, words)
        return
    # Eighths, or on large boards sixteenths, come near enough to a chance of k / n.
    places = 3 if len(words) == len(FEW) else 4
    chance = ((k << places) + (n >> 1)) // n
    while True:
        missing = k
        for i in range(len(words)):
            some = random_share(rng, chance, places) & high[i] & ~low[i]
            drawn[i] = low[i] | some
            missing -= count_bits(some)
        # Half a standard deviation; without chance it would be the same set again.
        if 16 * missing * missing <= n or chance == 0 or chance >> places:
            break
    while missing > 0:
        at = random_below(rng, n - k + missing)
        toggle(drawn, nth_between(drawn, high, at, words), words)
        missing -= 1
    while missing < 0:
        at = random_below(rng, k - missing)
        toggle(drawn, nth_between(low, drawn, at, words), words)
        missing += 1


@njit
def narrow(game, rng, low, high, n, middle, words):
    """Put the `n` stones of `high` without `low` until five are in a row.

    They come in random order. Those that come first by a coin thrown for each are one
    half of them, and if these make five in a row, the search goes on among them, else
    among the others.

    Args:
        game: The variant's record.
        rng: The generator.
        low: Stones without five in a row. Changed to those before the winning one.
        high: Stones with five in a row, and all of `low`. Changed to those with the
            winning one.
        n: The number of stones of `high` without `low`.
        middle: Scratch space.
        words: `FEW` or `MANY`.

    Returns:
        How many stones are put before the winning one.
    """
    before, between = 0, n
    while between > 1:
        chosen = 0
        for i in range(len(words)):
            some = (high[i] ^ low[i]) & next_uint64(rng)
            middle[i] = low[i] | some
            chosen += count_bits(some)
        if chosen == 0 or chosen == between:
            continue
        # Both sets are written, by masks: a branch here could not be foreseen.
        five = np.int64(has_five(game, middle, words))
        wins = np.uint64(-five)
        for i in range(len(words)):
            high[i] ^= (high[i] ^ middle[i]) & wins
            low[i] ^= (low[i] ^ middle[i]) & ~wins
        before += chosen * (1 - five)
        between = chosen * five + (between - chosen) * (1 - five)
    return before
