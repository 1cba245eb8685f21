"""The cards of Virus!, what lies on an organ, and the numbers of the actions."""

import numpy as np

COLOURS = 5  # heart, brain, stomach, bone and wild
WILD = 4
ORGAN, VIRUS, MEDICINE = 0, 5, 10  # the first kind of each; the colour is added
THIEF, TRANSPLANT, SPREADING, GLOVE, ERROR = range(15, 20)
KINDS = 20
NO_CARD = KINDS  # sorts behind all cards
COUNTS = np.array([5, 5, 5, 5, 1, 4, 4, 4, 4, 1, 4, 4, 4, 4, 4, 3, 3, 2, 1, 1])
CARDS = 68
HAND = 3
SORTED_DECK = np.repeat(np.arange(KINDS), COUNTS).astype(np.uint8)

# A slot of a body holds one number: the organ's state and the cards that lie on it.
NONE, NEUTRAL = 0, 1
INFECTED, VACCINATED = 2, 7  # the colour of the virus or medicine is added
IMMUNISED = 12  # 5 * colour of the first medicine + colour of the second is added

PLAY_ORGAN, PLAY_MEDICINE, PLAY_VIRUS = 0, 5, 30
PLAY_THIEF, PLAY_SPREADING, PLAY_TRANSPLANT = 155, 180, 305
PLAY_GLOVE, PLAY_ERROR, DISCARD, DRAW_HAND = 430, 435, 439, 447
ACTIONS = 448
