"""The cards, loot and actions of Colt Express, and how they are numbered."""

import numpy as np

MIN_SEATS, MAX_SEATS = 2, 6
MAX_CARS = MAX_SEATS + 1  # with the locomotive

# Cards of a player.
MOVE, CLIMB, PUNCH, MARSHAL, SHOOT, COLLECT, BULLET = range(7)
PLAYABLE = 6  # all but bullets
CARD_NAMES = ("move", "climb", "punch", "marshal", "shoot", "collect", "bullet")
COPIES = np.array((2, 2, 1, 1, 2, 2, 0), np.int64)
BULLETS = 6
HAND, DOCTOR_HAND, DRAWN_AT_ONCE = 6, 7, 3

CHARACTERS = ("Ghost", "Cheyenne", "Django", "Tuco", "Doc", "Belle")
GHOST, CHEYENNE, DJANGO, TUCO, DOC, BELLE = range(6)

# Loot: purses by value, then jewels and strongboxes.
VALUES = np.array((250, 300, 350, 400, 450, 500, 500, 1000), np.int64)
PURSE_VALUES, JEWEL, STRONGBOX, ITEMS = 6, 6, 7, 8
PURSES = np.array((8, 2, 2, 2, 2, 2), np.int64)
PURSE_KIND, JEWEL_KIND, STRONGBOX_KIND, NO_KIND = range(4)
KIND_NAMES = ("purse", "jewel", "strongbox", "nothing")
FIRST_OF_KIND = np.array((0, JEWEL, STRONGBOX, ITEMS), np.int64)
END_OF_KIND = np.array((PURSE_VALUES, JEWEL + 1, STRONGBOX + 1, ITEMS), np.int64)
CAR_LOOT = np.array(((1, 0), (2, 0), (3, 0), (1, 1), (4, 1), (0, 3)), np.int64)

# Round cards: the turns with up to four players and with more, and the event.
ROUNDS = 5
NORMAL, HIDDEN, DOUBLE, REVERSE = range(4)
TURN_LETTERS = "NHDR"
ROUND_CARDS = (
    ("AngryMarshall", "NNHR", "NNR"),
    ("Braking", "NHNH", "NHHH"),
    ("Bridge", "NDN", "ND"),
    ("PassengerRebellion", "NNHNN", "NHNR"),
    ("SwivelArm", "NHNN", "NHN"),
    ("TakeItAll", "NHDR", "NDR"),
    ("Tunnel", "NHNHN", "NHNH"),
    ("MarshallsRevenge", "NNHN", "NNHN"),
    ("Hostage", "NNHN", "NNHN"),
    ("PickPocket", "NNHN", "NNHN"),
)
(
    ANGRY_MARSHAL,
    BRAKING,
    BRIDGE,
    REBELLION,
    SWIVEL_ARM,
    TAKE_IT_ALL,
    TUNNEL,
    REVENGE,
    HOSTAGE,
    PICKPOCKET,
) = range(len(ROUND_CARDS))
REGULAR_ROUNDS, END_ROUNDS = 7, 3
MOST_TURNS, MOST_QUEUED = 5, 24


def _turns() -> tuple[np.ndarray, np.ndarray]:
    kinds = np.zeros((2, len(ROUND_CARDS), MOST_TURNS), np.int64)
    numbers = np.zeros((2, len(ROUND_CARDS)), np.int64)
    for card, (_, *rows) in enumerate(ROUND_CARDS):
        for is_crowded, letters in enumerate(rows):
            numbers[is_crowded, card] = len(letters)
            for turn, letter in enumerate(letters):
                kinds[is_crowded, card, turn] = TURN_LETTERS.index(letter)
    return kinds, numbers


# [more than four players, round card, turn] and [more than four players, round card].
TURN_KINDS, TURN_NUMBERS = _turns()

# Actions.
DRAW, TO_CAR, VERTICAL, MARSHAL_LEFT, MARSHAL_RIGHT = 6, 7, 14, 15, 16
COLLECT_KIND, COLLECT_NOTHING, SHOOT_SEAT, SHOOT_NOBODY = 17, 20, 21, 27
PUNCH_SEAT, PUNCH_NOBODY, ACTIONS = 28, 76, 77
LEFT, RIGHT = 0, 1  # towards the caboose, towards the locomotive
