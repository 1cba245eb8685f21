"""The state of a game of Diamant and the course of its caves.

As in a real deck, the order of the cards is fixed when the deck is shuffled. It is kept
as the seed of the generator that will choose each next card among those left: sixteen
hidden bytes instead of a list of cards, and nothing to shuffle.

Who is in the cave has been there for all of its treasures and has got the same share of
each, so that one number tells what each of these players carries.
"""

import numpy as np
from numba import njit

from mcts_agents.envs.diamant.cards import (
    ALL_CARDS,
    FACES,
    FIRST_HAZARD,
    GEMS,
    draw_face,
    share_of,
    without,
)
from mcts_agents.model import next_uint64
from mcts_agents.model.bits import count_bits

FEWEST_PLAYERS, MOST_PLAYERS = 2, 6
CAVES = 5
# All treasures, a hazard of each kind and one that ends the cave is the longest path,
# but that last card is never on it.
LONGEST_PATH = FACES

# What happened to the cave at the last decision: it goes on, all left it, or the
# second hazard of a kind (15 to 19) ended it.
GOES_ON, ALL_LEFT = -2, -1

STATE = np.dtype(
    [
        ("deck_order", np.uint64, 2),  # the generator that chooses the next cards
        ("deck", np.uint32),  # mask of the cards in it
        ("box", np.uint32),  # mask of the cards not removed for good
        ("chests", np.int16, MOST_PLAYERS),  # gems in safety
        ("carried", np.int16),  # gems in the hand of each player in the cave
        ("on_path", np.int16),  # gems left on the path
        ("inside", np.uint8),  # mask of the players in the cave, 0 at the game's end
        ("hazards", np.uint8),  # mask of the hazards on the path
        ("cave", np.int8),  # caves ended, 5 when the game is over
        ("turn", np.int16),  # joint decisions made
        ("path", np.uint8, LONGEST_PATH),  # faces in the order of drawing
        ("path_length", np.int8),
        ("last_leaving", np.uint8),  # mask: chose Exit at the last decision
        ("last_end", np.int8),  # what became of the cave at the last decision
    ]
)


@njit
def shuffle_deck(state, rng):
    """Choose a new order of the deck."""
    state.deck_order[0] = next_uint64(rng)
    state.deck_order[1] = next_uint64(rng) | np.uint64(1)  # both 0 is no generator


@njit
def set_up(game, state, rng):
    """Make the opening position: everybody is in the first cave."""
    for player in range(MOST_PLAYERS):
        state.chests[player] = 0
    for place in range(LONGEST_PATH):
        state.path[place] = 0
    state.box = ALL_CARDS
    state.cave = 0
    state.turn = 0
    state.last_leaving = 0
    state.last_end = GOES_ON
    clear_cave(state)
    enter_cave(game, state, rng)


@njit
def clear_cave(state):
    """Put the path's cards back into the deck; gems that nobody took are lost."""
    state.deck = state.box
    state.carried = 0
    state.on_path = 0
    state.inside = 0
    state.hazards = 0
    state.path_length = 0


@njit
def enter_cave(game, state, rng):
    """Shuffle, let everybody in, and turn the first card, which ends no cave."""
    shuffle_deck(state, rng)
    state.inside = (1 << game.players) - 1
    turn_card(state)


@njit
def turn_card(state):
    """Draw the next card; return whether it is the second of its hazard."""
    face = draw_face(np.int64(state.deck), state.deck_order)
    if face >= FIRST_HAZARD:
        bit = 1 << (face - FIRST_HAZARD)
        if state.hazards & bit:
            state.box = without(np.int64(state.box), face)
            state.last_end = face
            return True
        state.hazards |= bit
    else:
        number = count_bits(state.inside)
        share = share_of(GEMS[face], number)
        state.carried += share
        state.on_path += GEMS[face] - share * number
    state.deck = without(np.int64(state.deck), face)
    state.path[state.path_length] = face
    state.path_length += 1
    return False


@njit
def leave(state, leaving):
    """Bring the leaving players' gems, and their shares of the path's, into chests."""
    number = count_bits(leaving)
    share = share_of(np.int64(state.on_path), number)
    state.on_path -= share * number
    gems = state.carried + share
    state.inside ^= leaving
    player = 0
    while leaving:
        state.chests[player] += (leaving & 1) * gems
        leaving >>= 1
        player += 1


@njit
def decide(game, state, leaving, rng):
    """Carry out a joint decision: `leaving` is the mask of the players who exit."""
    state.turn += 1
    state.last_leaving = leaving
    state.last_end = GOES_ON
    if leaving:
        leave(state, leaving)
    if state.inside == 0:
        state.last_end = ALL_LEFT
    elif not turn_card(state):
        return
    clear_cave(state)
    state.cave += 1
    if state.cave < CAVES:
        enter_cave(game, state, rng)
