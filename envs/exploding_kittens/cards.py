"""The cards and actions of Exploding Kittens, and how bunches of cards are packed.

A *bunch* counts cards without order: four bits for each type, type `t` at bits `4 * t`
and up of an int64, so that bunches are added and subtracted whole. No type has more
than six cards.
"""

import itertools

import numpy as np
from numba import njit

from mcts_agents.model import random_below

MAX_SEATS = 5
TYPES = 13
(
    ATTACK,
    SKIP,
    FAVOR,
    SHUFFLE,
    SEE,
    TACOCAT,
    MELONCAT,
    BEARDCAT,
    RAINBOWCAT,
    FURRYCAT,
    NOPE,
    DEFUSE,
    KITTEN,
) = range(TYPES)
GIVEN_TYPES = KITTEN  # types that hands hold and players give
# Cards of each type in the box; one kitten fewer than players is used.
COPIES = (4, 4, 4, 4, 5, 4, 4, 4, 4, 4, 5, 6, 4)
DEALT = 7  # cards of each hand beside its defuse
MOST_IN_PILE = 40

# The first action of each kind. Seats, card types, orders and places are added.
DRAW, PLAY_SKIP, PLAY_SHUFFLE, PLAY_SEE = range(4)
PLAY_FAVOR, PLAY_ATTACK = 4, 9
PLAY_NOPE, PASS = 14, 15
GIVE, GIVE_NOTHING = 16, 28
PUT_BACK = 29  # the top cards, in one of six orders
PLACE = 35  # the kitten, so many cards from the top
ACTIONS = PLACE + MOST_IN_PILE
MOST_SEEN = 3


def _card_of() -> np.ndarray:
    """Return the type of card that each action before GIVE plays, -1 for none."""
    cards = np.full(GIVE, -1, np.int64)
    cards[[PLAY_SKIP, PLAY_SHUFFLE, PLAY_SEE]] = SKIP, SHUFFLE, SEE
    cards[PLAY_FAVOR : PLAY_FAVOR + MAX_SEATS] = FAVOR
    cards[PLAY_ATTACK : PLAY_ATTACK + MAX_SEATS] = ATTACK
    cards[PLAY_NOPE] = NOPE
    return cards


CARD_OF = _card_of()

# ORDER_OF[order, place]: where the card lay, from the top, that an order of the top
# three cards puts at a place. In lexicographic order.
ORDER_OF = np.array(list(itertools.permutations(range(MOST_SEEN))), np.int64)


def _different_orders() -> np.ndarray:
    """Return the orders that differ, as masks of actions from PUT_BACK on.

    Entry [n, equal] is for `n` cards, the others stay where they are. Of the orders
    that give equal cards it has the first. Bits of `equal`: the first and second card
    are equal, the second and third, the first and third.
    """
    masks = np.zeros((MOST_SEEN + 1, 8), np.int64)
    for number, equal in itertools.product(range(1, MOST_SEEN + 1), range(8)):
        cards = list(range(MOST_SEEN))
        for bit, (one, other) in enumerate(((0, 1), (1, 2), (0, 2))):
            if equal >> bit & 1:
                cards[other] = cards[one]
        shown = set()
        for order, places in enumerate(ORDER_OF.tolist()):
            stays = all(places[n] == n for n in range(number, MOST_SEEN))
            contents = tuple(cards[place] for place in places)
            if stays and contents not in shown:
                masks[number, equal] |= 1 << (PUT_BACK + order)
                shown.add(contents)
    return masks


DIFFERENT = _different_orders()

# ONE[card]: a bunch of that card.
ONE = np.array([1 << 4 * card for card in range(TYPES)], np.int64)
_UNITS = sum(1 << 4 * card for card in range(TYPES))
NOPES = 15 << 4 * NOPE
DEFUSES = 15 << 4 * DEFUSE
# Nibbles of even and of odd types in a byte each; sums of all cards stay below 128.
_BYTES = 0x000F0F0F0F0F0F0F
_BYTE_UNITS = 0x0001010101010101
_BYTE_HIGHS = 0x0080808080808080


def _seat_table() -> np.ndarray:
    """Return the next player of a mask after a player, himself last."""
    following = np.zeros((1 << MAX_SEATS, MAX_SEATS), np.uint8)
    for mask in range(1, 1 << MAX_SEATS):
        players = [player for player in range(MAX_SEATS) if mask >> player & 1]
        for player in range(MAX_SEATS):
            later = [other for other in players if other > player]
            following[mask, player] = (later or players)[0]
    return following


# NEXT[mask, player].
NEXT = _seat_table()


@njit
def count_of(bunch, card):
    """Return how many cards of one type a bunch holds."""
    return (bunch >> 4 * card) & 15


@njit
def size_of(bunch):
    """Return how many cards a bunch holds."""
    pairs = (bunch & _BYTES) + (bunch >> 4 & _BYTES)
    return ((pairs * _BYTE_UNITS) >> 48) & 255


@njit
def types_of(bunch):
    """Return a bunch with one card of each type that a bunch holds."""
    return (bunch | bunch >> 1 | bunch >> 2) & _UNITS


@njit
def without(bunch, card):
    """Return a bunch with one card of a type fewer, if it holds any."""
    return bunch - (np.int64((bunch >> 4 * card) & 15 != 0) << 4 * card)


@njit
def any_card(bunch, number, rng):
    """Return the type of a random one of the `number` cards of a bunch."""
    place = random_below(rng, number)
    even = bunch & _BYTES
    evens = ((even * _BYTE_UNITS) >> 48) & 255
    if place < evens:
        return 2 * _passed(even, place)
    return 2 * _passed(bunch >> 4 & _BYTES, place - evens) + 1


@njit
def _passed(counts, place):
    """Return how many bytes have a sum, with those before, of at most `place`."""
    sums = (counts * _BYTE_UNITS) & 0x00FFFFFFFFFFFFFF
    high = (place * _BYTE_UNITS + _BYTE_HIGHS - sums) & _BYTE_HIGHS
    return (((high >> 7) * _BYTE_UNITS) >> 48) & 255
