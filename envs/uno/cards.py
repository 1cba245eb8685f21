"""The cards and actions of Uno, and how hands are packed.

A card is a number: `13 * colour + value` for coloured cards, with the colours red,
yellow, green and blue and the values 0 to 9, skip, reverse and draw two; then the wild
and the wild draw four, 54 kinds in all.

A *hand* is two words of 64 bits. Bit `card` of the first word says that there is at
least one copy of a coloured card, bit `card` of the second that there are two. There
are four copies of each wild: the first word has a bit for each, from 52 up for wilds
and from 56 up for wild draw fours, filled from the lowest. So equal hands are equal
words, and the bits of the first word lie where the actions that play them lie.
"""

from itertools import product

import numpy as np
from numba import njit

from mcts_agents.model.bits import bit_of, count_bits, lowest_bit

COLOURS = 4
NUMBERS = 10
VALUES = 13
SKIP, REVERSE, DRAW_TWO = 10, 11, 12
COLOURED = COLOURS * VALUES
WILD, WILD_DRAW_FOUR = COLOURED, COLOURED + 1
KINDS = COLOURED + 2
NO_COLOUR = COLOURS

# Actions: a coloured card, a wild with the colour called, a wild draw four with it, or
# to draw a card.
WILD_AT = COLOURED
WILD_DRAW_FOUR_AT = WILD_AT + COLOURS
DRAW = WILD_DRAW_FOUR_AT + COLOURS
ACTIONS = DRAW + 1

COPIES_OF_WILDS = 4
# By kind: one zero, two of the rest, four of each wild.
COPIES = np.array(
    [1 if card % VALUES == 0 else 2 for card in range(COLOURED)]
    + [COPIES_OF_WILDS] * 2,
    np.int64,
)
CARDS = int(COPIES.sum())
POINTS = np.array(
    [min(value, NUMBERS) for _ in range(COLOURS) for value in range(VALUES)] + [0, 0],
    np.int64,
)
POINTS[[card for card in range(COLOURED) if card % VALUES >= SKIP]] = 20
POINTS[[WILD, WILD_DRAW_FOUR]] = 50

# By action: the card that it plays, and the colour that is in force then.
CARD_OF = np.array(
    [*range(COLOURED), *[WILD] * COLOURS, *[WILD_DRAW_FOUR] * COLOURS], np.uint8
)
COLOUR_OF = np.array(
    [
        *(card // VALUES for card in range(COLOURED)),
        *range(COLOURS),
        *range(COLOURS),
    ],
    np.uint8,
)

_ONE = np.uint64(1)
_FOUR_BITS = np.uint64(0xF)
_WILDS_AT = np.uint64(WILD_AT)
_DRAW_FOURS_AT = np.uint64(WILD_DRAW_FOUR_AT)
WILD_BITS = np.uint64(0xF << WILD_AT)
DRAW_FOUR_BITS = np.uint64(0xF << WILD_DRAW_FOUR_AT)
# By colour: the bits of its cards, none for no colour.
COLOUR_BITS = np.array(
    [((1 << VALUES) - 1) << VALUES * colour for colour in range(COLOURS)] + [0],
    np.uint64,
)


def bits_of(card: int) -> int:
    """Return the bits that a card has in the first word of a hand."""
    if card < COLOURED:
        return 1 << card
    return int(WILD_BITS if card == WILD else DRAW_FOUR_BITS)


def whole_deck() -> np.ndarray:
    """Return all cards as one hand, uint64 (2,)."""
    twice = [card for card in range(COLOURED) if COPIES[card] == 2]
    return np.array(
        [sum(map(bits_of, range(KINDS))), sum(map(bits_of, twice))], np.uint64
    )


def match_table(*, numbered_wilds: bool, match_symbols: bool) -> np.ndarray:
    """Return which coloured cards may be put on a card, by colour in force and card.

    Args:
        numbered_wilds: A wild counts as a 0 and a wild draw four as a 4.
        match_symbols: A skip may be put on any skip, and so on.

    Returns:
        uint64 (5, 54): the bits of the cards that may be played; wilds are not there.
    """
    table = np.zeros((COLOURS + 1, KINDS), np.uint64)
    for colour, top in product(range(COLOURS + 1), range(KINDS)):
        value = top % VALUES
        if top >= COLOURED:
            value = 4 * (top - WILD) if numbered_wilds else VALUES
        word = int(COLOUR_BITS[colour])
        if value < NUMBERS or (match_symbols and value < VALUES):
            word |= sum(1 << VALUES * other + value for other in range(COLOURS))
        table[colour, top] = word
    return table


def point_masks(points: np.ndarray) -> np.ndarray:
    """Return which bits of a hand's words are worth 1, 2, 4, ... points, uint64 (6,).

    Args:
        points: What each kind of card is worth, less than 64.
    """
    return np.array(
        [
            sum(bits_of(card) for card in range(KINDS) if points[card] >> digit & 1)
            for digit in range(6)
        ],
        np.uint64,
    )


@njit
def number_of(hand, card):
    """Return how many copies of a card a hand has."""
    if card < COLOURED:
        bit = np.uint64(card)
        return np.int64((hand[0] >> bit & _ONE) + (hand[1] >> bit & _ONE))
    shift = _WILDS_AT if card == WILD else _DRAW_FOURS_AT
    return count_bits(hand[0] >> shift & _FOUR_BITS)


@njit
def add_card(hand, card):
    """Put a card into a hand; modified in place."""
    if card < COLOURED:
        bit = bit_of(card)
        hand[1] |= hand[0] & bit
        hand[0] |= bit
    else:
        first = WILD_AT if card == WILD else WILD_DRAW_FOUR_AT
        hand[0] |= bit_of(first + number_of(hand, card))


@njit
def remove_card(hand, card):
    """Take a card out of a hand that has it; modified in place."""
    if card < COLOURED:
        bit = bit_of(card)
        hand[0] ^= bit & ~hand[1]
        hand[1] &= ~bit
    else:
        first = WILD_AT if card == WILD else WILD_DRAW_FOUR_AT
        hand[0] ^= bit_of(first + number_of(hand, card) - 1)


@njit
def size_of(hand):
    """Return how many cards a hand has."""
    return count_bits(hand[0]) + count_bits(hand[1])


@njit
def value_of(game, hand):
    """Return the points of the cards in a hand."""
    points = 0
    for digit in range(6):
        mask = game.point_masks[digit]
        cards = count_bits(hand[0] & mask) + count_bits(hand[1] & mask)
        points += cards << digit
    return points


@njit
def write_cards(first, second, out, n):
    """Write the cards of a hand's two words in ascending order.

    Args:
        first: The first word.
        second: The second word.
        out: Array of cards; written from place `n` on.
        n: Where to begin.

    Returns:
        The place after the last card.
    """
    while first:
        place = lowest_bit(first)
        first &= first - _ONE
        out[n] = CARD_OF[place]
        n += 1
    while second:
        place = lowest_bit(second)
        second &= second - _ONE
        out[n] = CARD_OF[place]
        n += 1
    return n
