"""The cards of Poker, and how hands of up to seven cards are ranked.

A card is a number: `4 * rank + suit`, with the ranks 2 to ace as 0 to 12 and the suits
clubs, diamonds, hearts, spades. So 52 cards in ascending order go from the twos to the
aces.

To be ranked, cards are put together into a *word* of 64 bits, 16 for each suit, in
which bit `rank` says that the card is there. What a hand holds is then read off by a
few operations on the four suits at once, without looking at choices of five cards.
"""

import numpy as np
from numba import njit

from mcts_agents.model.bits import count_bits, highest_bit

RANKS, SUITS = 13, 4
CARDS = RANKS * SUITS
HOLE_CARDS = 2
BOARD = 5

# What five cards make, the least first.
(
    HIGH_CARD,
    PAIR,
    TWO_PAIRS,
    THREE,
    STRAIGHT,
    FLUSH,
    FULL_HOUSE,
    FOUR,
    STRAIGHT_FLUSH,
) = range(9)

_ONE = np.uint64(1)
_SUIT_BITS = np.uint64(16)
_ALL_RANKS = np.uint64((1 << RANKS) - 1)
_ACE = np.uint64(RANKS - 1)
_MAIN_AT, _KIND_AT = np.uint64(13), np.uint64(26)


@njit
def bit_of_card(card):
    """Return the bit of a card in a word that is ranked."""
    return _ONE << np.uint64((card & 3) * 16 + (card >> 2))


@njit
def _top(ranks):
    """Return the highest of some ranks alone, as a bit."""
    return _ONE << np.uint64(highest_bit(ranks))


@njit
def _highest(ranks, number):
    """Return the highest ranks of a set, so many of them."""
    left = count_bits(ranks)
    while left > number:
        ranks &= ranks - _ONE
        left -= 1
    return ranks


@njit
def _straight(ranks):
    """Return where straights begin, as bits one place above their lowest ranks.

    The ace stands below the two as well, at place 0. There are none if it is 0.
    """
    line = ranks << _ONE | ranks >> _ACE
    line &= line >> _ONE  # two in a row from here on
    line &= line >> np.uint64(2)  # four
    return line & (ranks << _ONE | ranks >> _ACE) >> np.uint64(4)


@njit
def _worth(kind, main, others):
    """Return a rank of a kind, by the ranks that make it and the kickers."""
    return np.int64(np.uint64(kind) << _KIND_AT | main << _MAIN_AT | others)


@njit
def rank_of(word):
    """Return how good the best five cards of a word are; more is better.

    Two hands of equal worth have equal ranks. Ranks of one kind are compared by sets of
    as many card ranks, the highest first, so a comparison of these as numbers is right.

    Args:
        word: Five to seven cards, uint64.

    Returns:
        int64: the kind from bit 26 on, what makes it from bit 13 on, the kickers below.
    """
    none = np.uint64(0)
    clubs = word & _ALL_RANKS
    diamonds = word >> _SUIT_BITS & _ALL_RANKS
    hearts = word >> np.uint64(32) & _ALL_RANKS
    spades = word >> np.uint64(48)
    any_suit = clubs | diamonds | hearts | spades
    flush = none
    for suit in (clubs, diamonds, hearts, spades):
        if count_bits(suit) >= 5:
            flush = suit
    if flush:
        line = _straight(flush)
        if line:
            return _worth(STRAIGHT_FLUSH, none, _top(line))
        return _worth(FLUSH, none, _highest(flush, 5))
    two_low, two_high = clubs & diamonds, hearts & spades
    one_low, one_high = clubs | diamonds, hearts | spades
    four = two_low & two_high
    three = two_low & one_high | one_low & two_high
    two = two_low | two_high | one_low & one_high
    if four:
        return _worth(FOUR, four, _highest(any_suit ^ four, 1))
    if three:
        best = _top(three)
        if two ^ best:
            return _worth(FULL_HOUSE, best, _top(two ^ best))
    line = _straight(any_suit)
    if line:
        return _worth(STRAIGHT, none, _top(line))
    if three:
        return _worth(THREE, three, _highest(any_suit ^ three, 2))
    pairs = _highest(two, 2)
    kinds = count_bits(pairs)
    return _worth(kinds, pairs, _highest(any_suit ^ pairs, 5 - 2 * kinds))
