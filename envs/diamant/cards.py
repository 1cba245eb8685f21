"""The cards of Diamant, and sets of them as bit masks.

Cards 0 to 14 are the treasures, ascending; then come three cards of each hazard. The
three look alike. Where one of them leaves a set it is always the lowest, so that sets
that look alike are equal masks.

A *face* is what a card shows: 0 to 14 a treasure, 15 to 19 a hazard.
"""

import numpy as np
from numba import njit

from mcts_agents.model import next_uint64
from mcts_agents.model.bits import count_bits

TREASURES = (1, 2, 3, 4, 5, 7, 9, 10, 11, 12, 13, 14, 15, 16, 17)
HAZARDS = ("explosion", "gas", "rockfall", "scorpions", "snakes")
COPIES = 3  # cards of each hazard
FIRST_HAZARD = len(TREASURES)
FACES = FIRST_HAZARD + len(HAZARDS)
CARDS = FIRST_HAZARD + COPIES * len(HAZARDS)
ALL_CARDS = (1 << CARDS) - 1

# FACE[card]
FACE = np.array(
    [*range(FIRST_HAZARD)]
    + [FIRST_HAZARD + hazard for hazard in range(len(HAZARDS)) for _ in range(COPIES)],
    np.int64,
)
# GEMS[face]
GEMS = np.array([*TREASURES] + [0] * len(HAZARDS), np.int64)
# LOOKALIKES[face]: the mask of the cards that show it.
LOOKALIKES = np.array(
    [sum(1 << c for c in range(CARDS) if FACE[c] == face) for face in range(FACES)],
    np.int64,
)
# HAZARD_CARDS[hazards]: the mask of all cards of a set of hazards, bit h for hazard h.
HAZARD_CARDS = np.array(
    [
        sum(
            int(LOOKALIKES[FIRST_HAZARD + h])
            for h in range(len(HAZARDS))
            if hazards >> h & 1
        )
        for hazards in range(1 << len(HAZARDS))
    ],
    np.int64,
)
MOST_GEMS = sum(TREASURES)
# Division by a number of players through a multiplication, exact for 0..MOST_GEMS.
_RECIPROCAL = np.array([0] + [-(-65536 // n) for n in range(1, 7)], np.int64)


@njit
def share_of(gems, number):
    """Return `gems // number`, for up to `MOST_GEMS` gems and one to six players."""
    return gems * _RECIPROCAL[number] >> 16


@njit
def without(cards, face):
    """Return a set of cards without one card that shows `face`, which must be in it."""
    alike = cards & LOOKALIKES[face]
    return cards ^ (alike & -alike)


@njit
def draw_face(deck, order):
    """Return the face of the deck's next card; `order` is the deck's generator.

    Every card is equally likely: numbers of five bits are tried until one is a card of
    the deck, twelve of them from one draw. The deck never runs out inside a cave.
    """
    while True:
        numbers = np.int64(next_uint64(order) >> np.uint64(4))
        for _ in range(12):
            card = numbers & 31
            if deck >> card & 1:
                return FACE[card]
            numbers >>= 5


@njit
def dangerous_cards(deck, hazards):
    """Return how many cards of a deck show a hazard of the set `hazards`."""
    return count_bits(deck & HAZARD_CARDS[hazards])


@njit
def shares_in(deck, number):
    """Return the gems each of `number` players would get, summed over the treasures."""
    total = np.int64(0)
    for card in range(FIRST_HAZARD):
        total += (deck >> card & 1) * share_of(GEMS[card], number)
    return total
