"""The cards of Virus!, what lies on an organ, and the numbers of the actions."""

import numpy as np

COLOURS = 5  # heart, brain, stomach, bone and wild
WILD = 4
ORGAN, MEDICINE, VIRUS = 0, 5, 10  # the first kind of each; the colour is added
THIEF, SPREADING, TRANSPLANT, GLOVE, ERROR = range(15, 20)
KINDS = 20
NO_CARD = KINDS  # sorts behind all cards
COUNTS = np.array([5, 5, 5, 5, 1, 4, 4, 4, 4, 4, 4, 4, 4, 4, 1, 3, 2, 3, 1, 1])
CARDS = 68
HAND = 3
SORTED_DECK = np.repeat(np.arange(KINDS), COUNTS).astype(np.uint8)
MAX_SEATS = 6
OTHERS = MAX_SEATS - 1

# A slot of a body holds one number: the organ's state and the cards that lie on it.
NONE, NEUTRAL = 0, 1
INFECTED, VACCINATED = 2, 7  # the colour of the virus or medicine is added
IMMUNISED = 12  # 5 * colour of the first medicine + colour of the second is added
SLOT_NUMBERS = IMMUNISED + COLOURS * COLOURS

# Actions stand in the order of the cards that they play, so that the legal ones of a
# sorted hand are ascending. Other players are counted from the next seat.
PLAY_ORGAN, PLAY_MEDICINE, PLAY_VIRUS = 0, 5, 30
PLAY_THIEF, PLAY_SPREADING, PLAY_TRANSPLANT = 155, 180, 305
PLAY_GLOVE, PLAY_ERROR, DISCARD, DRAW_HAND = 430, 435, 439, 447
ACTIONS = 448


def _parts() -> list[tuple[int, int, int, int]]:
    """Return for each action the card, the other player, the own slot and the slot."""
    slots = others = range(COLOURS)
    return [
        *((ORGAN + slot, 0, 0, slot) for slot in slots),
        *((MEDICINE + colour, 0, 0, slot) for colour in slots for slot in slots),
        *(
            (VIRUS + colour, other, 0, slot)
            for colour in slots
            for other in others
            for slot in slots
        ),
        *((THIEF, other, 0, slot) for other in others for slot in slots),
        *(
            (card, other, own, slot)
            for card in (SPREADING, TRANSPLANT)
            for own in slots
            for other in others
            for slot in slots
        ),
        *((card, other, 0, 0) for card in (GLOVE, ERROR) for other in others),
        *((NO_CARD, 0, 0, 0) for _ in range(PLAY_ERROR + OTHERS, ACTIONS)),
    ]


# By action: the kind of card that it plays, NO_CARD if none; the other player, counted
# from 0 for the next seat; the slot of the own body that it names beside a slot of
# another's; the slot that it is played on.
CARD_OF, OTHER_OF, OWN_OF, SLOT_OF = np.array(_parts(), np.int64).T.copy()
assert len(CARD_OF) == ACTIONS
