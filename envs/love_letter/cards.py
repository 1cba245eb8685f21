"""The cards and actions of Love Letter, and how bunches and piles are packed.

A card is its published number, 1 to 8; 0 is no card. A *bunch* counts cards without
order: four bits for each type, type `t` at bits `4 * t` and up of an int64, so that
bunches are added and subtracted whole. A *pile* has an order: four bits a card in a
`uint64`, the next card lowest.
"""

import numpy as np
from numba import njit

from mcts_agents.model import next_uint64

MAX_SEATS = 4
NO_CARD = 0
GUARD, PRIEST, BARON, HANDMAID, PRINCE, KING, COUNTESS, PRINCESS = range(1, 9)
TYPES = 8
CARDS = 16
# Cards in the box by number; there is no card 0.
COPIES = (0, 5, 2, 2, 2, 2, 1, 1, 1)

# Actions: a first one for each card, `GUESSES` a target for the guard, then one for
# each target, or one in all where a card has no target.
ACTIONS = 47
GUESSES = 7
FIRST_ACTION = (0, 0, 28, 32, 36, 37, 41, 45, 46)
WITH_TARGET = (PRIEST, BARON, PRINCE, KING)

# ONE[card]: a bunch of that card; of none for no card.
ONE = np.array([0, *(1 << 4 * card for card in range(1, TYPES + 1))], np.int64)
DECK = sum(number << 4 * card for card, number in enumerate(COPIES))
SORTED_DECK = np.uint64(
    int("".join(str(card) * number for card, number in enumerate(COPIES)), 16)
)


def _action_tables() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return card, target (0 if there is none) and guess (0) of each action."""
    cards = np.zeros(ACTIONS, np.uint8)
    targets = np.zeros(ACTIONS, np.uint8)
    guesses = np.zeros(ACTIONS, np.uint8)
    for card in range(1, TYPES + 1):
        cards[FIRST_ACTION[card] :] = card
    for target in range(MAX_SEATS):
        for guess in range(GUESSES):
            targets[target * GUESSES + guess] = target
            guesses[target * GUESSES + guess] = guess + PRIEST
        for card in WITH_TARGET:
            targets[FIRST_ACTION[card] + target] = target
    return cards, targets, guesses


CARD_OF, TARGET_OF, GUESS_OF = _action_tables()


def _choice_tables() -> tuple[np.ndarray, np.ndarray]:
    """Return the number of plays of a card at a mask of targets, and the plays."""
    counts = np.zeros((TYPES + 1, 1 << MAX_SEATS), np.uint8)
    actions = np.zeros((TYPES + 1, 1 << MAX_SEATS, MAX_SEATS * GUESSES), np.uint8)
    for card in range(1, TYPES + 1):
        for mask in range(1 << MAX_SEATS):
            plays = [
                action
                for action in np.flatnonzero(CARD_OF == card)
                if card not in (GUARD, *WITH_TARGET) or mask >> TARGET_OF[action] & 1
            ]
            counts[card, mask] = len(plays)
            actions[card, mask, : len(plays)] = plays
    return counts, actions


# PLAYS[card, mask]: in how many ways the card can be played at the players of a mask;
# PLAY[card, mask, n]: the n-th of them. Cards without target take no notice of it.
PLAYS, PLAY = _choice_tables()


def _playable() -> np.ndarray:
    """Return the types that may be played from two cards, ascending, 0 for no more."""
    playable = np.zeros((2, TYPES + 1, TYPES + 1), np.uint8)
    for hand in range(1, TYPES + 1):
        for drawn in range(1, TYPES + 1):
            kinds = sorted({hand, drawn})
            if COUNTESS in kinds and (PRINCE in kinds or KING in kinds):
                kinds = [COUNTESS]
            playable[: len(kinds), hand, drawn] = kinds
    return playable


# PLAYABLE[0, hand, drawn], PLAYABLE[1, hand, drawn]: see above.
PLAYABLE = _playable()


def _seat_tables() -> tuple[np.ndarray, np.ndarray]:
    """Return the n-th player of a mask, and the next one in it after a player."""
    nth = np.zeros((1 << MAX_SEATS, MAX_SEATS), np.uint8)
    following = np.zeros((1 << MAX_SEATS, MAX_SEATS), np.uint8)
    for mask in range(1, 1 << MAX_SEATS):
        players = [p for p in range(MAX_SEATS) if mask >> p & 1]
        nth[mask, : len(players)] = players
        for player in range(MAX_SEATS):
            later = [p for p in players if p > player]
            following[mask, player] = (later or players)[0]
    return nth, following


# NTH[mask, n] and NEXT[mask, player].
NTH, NEXT = _seat_tables()

_4, _32 = np.uint64(4), np.uint64(32)
_ONE, _CARD = np.uint64(1), np.uint64(15)
_LOW = np.uint64((1 << 32) - 1)
# n cards of number 1, as a pile.
_REPEATED = np.array([int("1" * n or "0", 16) for n in range(8)], np.uint64)


@njit
def count_of(bunch, card):
    """Return how many cards of one type a bunch holds."""
    return (bunch >> (4 * card)) & 15


@njit
def top_card(pile):
    """Return the next card of a pile."""
    return np.int64(pile & _CARD)


@njit
def without_top(pile):
    """Return a pile without its next card."""
    return pile >> _4


@njit
def in_order(bunch):
    """Return the cards of a bunch as a pile, sorted: the same for equal bunches."""
    pile = np.uint64(0)
    for card in range(1, TYPES + 1):
        number = count_of(bunch, card)
        pile <<= np.uint64(4 * number)
        pile |= _REPEATED[number] * np.uint64(card)
    return pile


@njit
def shuffled(pile, size, rng):
    """Return the `size` cards of a pile (at most 16) in a random order.

    The n-th card is inserted at one of n places. Several places are taken from 32
    random bits, as long as the product of their numbers stays below 2**16: no more
    bias than `random_below` has.
    """
    bits = next_uint64(rng)
    order = pile & _CARD
    order, pile = _inserted(order, pile >> _4, 1, min(size, 8), bits >> _32)
    if size > 8:
        order, pile = _inserted(order, pile, 8, min(size, 12), bits & _LOW)
        if size > 12:
            order, pile = _inserted(order, pile, 12, size, next_uint64(rng) >> _32)
    return order


@njit
def _inserted(order, pile, start, stop, bits):
    """Insert cards of `pile` into `order` until it has `stop` cards; return both."""
    for held in range(start, stop):
        bits *= np.uint64(held + 1)
        place = _4 * (bits >> _32)
        bits &= _LOW
        below = (_ONE << place) - _ONE
        card = (pile & _CARD) << place
        order = ((order & ~below) << _4) | ((order & below) | card)
        pile >>= _4
    return order, pile
