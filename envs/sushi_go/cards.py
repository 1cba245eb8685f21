"""The cards of Sushi Go!, and hands of them packed into one integer.

A bunch of cards is twelve counts of five bits in a `uint64`: type `t` at bits `5 * t`
and up. Nobody ever holds, and no type ever has, more than 14 cards, so that counts of
disjoint bunches can be added and subtracted whole, sixteen fits into a field, and one
multiplication forms all prefix sums.
"""

import numpy as np
from numba import njit

from mcts_agents.model import random_below

TYPES = 12
(
    MAKI_1,
    MAKI_2,
    MAKI_3,
    TEMPURA,
    SASHIMI,
    DUMPLING,
    SQUID,
    SALMON,
    EGG,
    WASABI,
    CHOPSTICKS,
    PUDDING,
) = range(TYPES)
# Actions 0-11 play a card of that type; then three nigiri on a wasabi, and this:
ON_WASABI = TYPES  # 12 squid, 13 salmon, 14 egg
USE_CHOPSTICKS = 15
ACTIONS = 16

# Cards of each type in the box. TAG exchanged the numbers of Maki-2 and Maki-3.
DECKS = {
    "tag2022": (6, 8, 12, 14, 14, 14, 5, 10, 5, 6, 4, 10),
    "published": (6, 12, 8, 14, 14, 14, 5, 10, 5, 6, 4, 10),
}

# CARD_OF[action]: the type of the card that an action plays.
CARD_OF = np.array([*range(TYPES), SQUID, SALMON, EGG], np.int64)
SHIFT = (5 * CARD_OF).astype(np.uint64)
ONE = np.uint64(1) << SHIFT
# WASABI_CHANGE[action]: what an action does to the number of unused wasabi.
WASABI_CHANGE = np.array([0] * 9 + [1, 0, 0, -1, -1, -1], np.int8)


def _points() -> np.ndarray:
    """Return the points of each action that makes the n-th card of its type."""
    points = np.zeros((len(CARD_OF), 16), np.int16)
    points[TEMPURA, 2::2] = 5
    points[SASHIMI, 3::3] = 10
    points[DUMPLING, 1:6] = 1, 2, 3, 4, 5
    for nigiri, value in enumerate((3, 2, 1)):
        points[SQUID + nigiri] = value
        points[ON_WASABI + nigiri] = 3 * value
    return points


# POINTS[action, cards of the type on the field, this one included].
POINTS = _points()

_FIELD = np.uint64(31)
_UNITS = np.uint64(sum(1 << 5 * t for t in range(TYPES)))  # a one in every field
_FIFTEENS = np.uint64(15) * _UNITS
_SIXTEENS = np.uint64(16) * _UNITS
_4, _55 = np.uint64(4), np.uint64(55)
NIGIRI = np.uint64(sum(1 << 5 * t for t in (SQUID, SALMON, EGG)))
ONE_CHOPSTICKS = np.uint64(1 << 5 * CHOPSTICKS)
ALL_PUDDINGS = np.uint64(31 << 5 * PUDDING)

_BYTE = np.uint64(255)
_BYTE_UNITS = np.uint64(0x0101010101010101)
_BYTE_HIGHS = np.uint64(0x8080808080808080)
_7, _8, _56 = np.uint64(7), np.uint64(8), np.uint64(56)
_LOW_TYPES = 8  # types in the first word of a pile; the rest lie in the second


def pack(counts: tuple[int, ...]) -> np.uint64:
    """Return twelve counts, each 0 to 15, as one packed bunch of cards."""
    return np.uint64(sum(int(n) << 5 * t for t, n in enumerate(counts)))


def unpack(bunch: int) -> np.ndarray:
    """Return the counts of a packed bunch, shape (12,), int64."""
    return np.array([int(bunch) >> 5 * t & 31 for t in range(TYPES)])


@njit
def count_of(bunch, action):
    """Return how many cards of an action's type a bunch holds."""
    return np.int64((bunch >> SHIFT[action]) & _FIELD)


@njit
def kinds_in(bunch):
    """Return a bunch with one card of each type that `bunch` holds."""
    return ((bunch + _FIFTEENS) >> _4) & _UNITS


@njit
def kinds_total(kinds):
    """Return the number of types in what `kinds_in` returned."""
    return np.int64(((kinds * _UNITS) >> _55) & _FIELD)


@njit
def nth_kind(kinds, n):
    """Return the type at place `n`, from 0, among those of `kinds`."""
    # Of the prefix sums of `kinds`, those up to n leave bit 4 of their field set: as
    # many as there are types before the wanted one.
    not_passed = ((np.uint64(n) * _UNITS) | _SIXTEENS) - kinds * _UNITS
    not_passed = (not_passed & _SIXTEENS) >> _4
    return np.int64(((not_passed * _UNITS) >> _55) & _FIELD)


@njit
def spread(bunch):
    """Return a bunch as a pile to draw from: two words of eight counts of a byte."""
    low = high = np.uint64(0)
    for card in range(TYPES):
        number = (bunch >> np.uint64(5 * card)) & _FIELD
        if card < _LOW_TYPES:
            low |= number << np.uint64(8 * card)
        else:
            high |= number << np.uint64(8 * (card - _LOW_TYPES))
    return low, high


@njit
def gather(low, high):
    """Return a pile as a bunch; the inverse of `spread`."""
    bunch = np.uint64(0)
    for card in range(TYPES):
        if card < _LOW_TYPES:
            number = (low >> np.uint64(8 * card)) & _BYTE
        else:
            number = (high >> np.uint64(8 * (card - _LOW_TYPES))) & _BYTE
        bunch |= number << np.uint64(5 * card)
    return bunch


@njit
def pile_total(low, high):
    """Return the number of cards of a pile."""
    return np.int64(((low + high) * _BYTE_UNITS) >> _56)


@njit
def _place_of(word, n):
    """Return the byte of `word` in which the n-th card lies, 8 if it has too few."""
    not_passed = ((np.uint64(n) * _BYTE_UNITS) | _BYTE_HIGHS) - word * _BYTE_UNITS
    not_passed = (not_passed & _BYTE_HIGHS) >> _7
    return (not_passed * _BYTE_UNITS) >> _56


@njit
def draw_hand(low, high, size, rng):
    """Draw `size` cards at random from a pile that has as many.

    Returns:
        The cards drawn, and the two words of what is left.
    """
    hand = np.uint64(0)
    one = np.uint64(1)
    total = pile_total(low, high)
    in_low = np.int64((low * _BYTE_UNITS) >> _56)
    for left in range(total, total - size, -1):
        n = random_below(rng, left)
        if n < in_low:
            place = _place_of(low, n)
            low -= one << (_8 * place)
            hand += one << (np.uint64(5) * place)
            in_low -= 1
        else:
            place = _place_of(high, n - in_low)
            high -= one << (_8 * place)
            hand += one << (np.uint64(5) * (place + _8))
    return hand, low, high
