"""The cards and actions of Dominion, and how bunches of cards are packed.

A *bunch* counts cards without order: two int64 with eight bits for each type, type `t`
at bits `8 * (t % 8)` and up of word `t // 8`. No type has more than 60 cards, so that
bunches are added and subtracted word by word.
"""

import numpy as np
from numba import njit

MAX_SEATS = 4
TYPES = 16
(
    COPPER,
    SILVER,
    GOLD,
    ESTATE,
    DUCHY,
    PROVINCE,
    CELLAR,
    MARKET,
    MERCHANT,
    MILITIA,
    MINE,
    MOAT,
    REMODEL,
    SMITHY,
    VILLAGE,
    WORKSHOP,
) = range(TYPES)
KINGDOM = CELLAR  # the first type of the kingdom cards, which are played
KINGDOM_TYPES = TYPES - KINGDOM
TREASURES = 1 << COPPER | 1 << SILVER | 1 << GOLD

COST = np.array([0, 3, 6, 2, 5, 8, 2, 5, 3, 4, 5, 2, 4, 4, 3, 3], np.int64)
POINTS = np.array([0, 0, 0, 1, 3, 6] + [0] * KINGDOM_TYPES, np.int64)
# What a card gives at once when it is played, by type.
DRAWN = np.array([0] * KINGDOM + [0, 1, 1, 0, 0, 2, 0, 3, 1, 0], np.int64)
MORE_ACTIONS = np.array([0] * KINGDOM + [1, 1, 1, 0, 0, 0, 0, 0, 2, 0], np.int64)
MORE_BUYS = np.array([0] * KINGDOM + [0, 1, 0, 0, 0, 0, 0, 0, 0, 0], np.int64)
MORE_MONEY = np.array([0] * KINGDOM + [0, 1, 0, 2, 0, 0, 0, 0, 0, 0], np.int64)

START = {COPPER: 7, ESTATE: 3}  # of each player
HAND = 5
KINGDOM_PILE = 10
MOST_CARDS = 280  # more than a game has

# The first action of each kind. Card types are added; kingdom cards count from 0.
END, PLAY, BUY, GAIN, DISCARD, TRASH = 0, 1, 11, 27, 43, 59
REVEAL, DONE = 75, 76
ACTIONS = 77

WORDS = 2
# ONE[card]: what a card of that type adds to its word.
ONE = np.array([1 << 8 * (card & 7) for card in range(TYPES)], np.int64)
MOST_COST = int(COST.max())
# AFFORDABLE[money]: the types, as bits, that cost at most so much.
AFFORDABLE = np.array(
    [
        sum(1 << card for card in range(TYPES) if COST[card] <= money)
        for money in range(MOST_COST + 1)
    ],
    np.int64,
)

_LOWS = np.uint64(0x7F7F7F7F7F7F7F7F)
_TOPS = np.uint64(0x8080808080808080)
_GATHER = np.uint64(0x0102040810204080)  # moves the first bit of each byte to the top
_56, _7 = np.uint64(56), np.uint64(7)


@njit
def count_of(bunch, card):
    """Return how many cards of one type a bunch, int64 (2,), holds."""
    return (bunch[card >> 3] >> 8 * (card & 7)) & 127


@njit
def add(bunch, card):
    """Put one card into a bunch."""
    bunch[card >> 3] += ONE[card]


@njit
def remove(bunch, card):
    """Take one card out of a bunch."""
    bunch[card >> 3] -= ONE[card]


@njit
def clear(bunch):
    """Empty a bunch."""
    bunch[0] = 0
    bunch[1] = 0


@njit
def types_in(bunch):
    """Return the types that a bunch holds as bits, int64."""
    return _bits(bunch[0]) | _bits(bunch[1]) << 8


@njit
def _bits(word):
    """Return which bytes of a word are not 0, as bits."""
    tops = (np.uint64(word) + _LOWS) & _TOPS
    return np.int64(((tops >> _7) * _GATHER) >> _56)


@njit
def money_in(bunch):
    """Return what the treasures of a bunch are worth."""
    word = bunch[0]
    return (word & 127) + 2 * (word >> 8 & 127) + 3 * (word >> 16 & 127)


def bunch_of(counts: dict[int, int]) -> np.ndarray:
    """Return so many cards of each type as a bunch, int64 (2,)."""
    bunch = np.zeros(WORDS, np.int64)
    for card, number in counts.items():
        bunch[card >> 3] += number * ONE[card]
    return bunch
