"""The state of a game of Uno and the course of its rounds."""

import numpy as np
from numba import njit

from mcts_agents.envs.uno.cards import (
    CARD_OF,
    CARDS,
    COLOUR_BITS,
    COLOUR_OF,
    COLOURED,
    COLOURS,
    DRAW,
    DRAW_FOUR_BITS,
    DRAW_TWO,
    KINDS,
    NO_COLOUR,
    REVERSE,
    SKIP,
    VALUES,
    WILD,
    WILD_BITS,
    WILD_DRAW_FOUR,
    add_card,
    remove_card,
    value_of,
    write_cards,
)
from mcts_agents.model import shuffle
from mcts_agents.model.bits import bit_of

FEWEST_PLAYERS, MOST_PLAYERS = 2, 10
HAND_SIZE = 7
NO_ACTION = -1
# How points are given at the end of a round.
INCREMENTAL, CLASSIC = 0, 1
# What became of the last card drawn by choice.
NOTHING_DRAWN, KEPT, PLAYED = 0, 1, 2

GAME = np.dtype(
    [
        (
            "match",
            np.uint64,
            (COLOURS + 1, KINDS),
        ),  # cards that fit, by colour and card
        ("point_masks", np.uint64, 6),  # see `point_masks`
        ("deck", np.uint64, 2),  # all cards as one hand
        ("target", np.int64),  # points that end the game
        ("scoring", np.int64),
        ("quirks", np.bool_),  # the wild draw four is a wild with another number
    ]
)

STATE = np.dtype(
    [
        ("hands", np.uint64, (MOST_PLAYERS, 2)),
        ("discards", np.uint64, 2),  # the card on top included
        ("points", np.int32, MOST_PLAYERS),  # of the rounds ended
        ("turn", np.int32),  # actions played
        ("round", np.int32),  # rounds ended
        ("pile", np.uint8, CARDS),  # the next card is the last of `pile_size`
        ("pile_size", np.uint8),
        ("top", np.uint8),  # the card on the pile of discards
        ("colour", np.uint8),  # in force; NO_COLOUR after a wild that was drawn
        ("player", np.uint8),  # on turn
        ("direction", np.int8),  # 1 or -1
        ("over", np.bool_),
        ("last", np.int8, MOST_PLAYERS),  # each player's last action
        ("last_draw", np.uint8, MOST_PLAYERS),  # and what became of a card drawn
    ]
)


@njit
def set_up(game, state, rng):
    """Make the opening position."""
    for player in range(MOST_PLAYERS):
        state.points[player] = 0
        state.last[player] = NO_ACTION
        state.last_draw[player] = NOTHING_DRAWN
    state.turn = 0
    state.round = 0
    state.direction = 1
    state.over = False
    begin_round(game, state, 0, rng)


@njit
def begin_round(game, state, first, rng):
    """Deal, turn up a card that is no wild, and let it act on the first player."""
    for place in range(CARDS):
        state.pile[place] = 0
    number = write_cards(game.deck[0], game.deck[1], state.pile, 0)
    shuffle(rng, state.pile, number)
    for player in range(MOST_PLAYERS):
        state.hands[player, 0] = 0
        state.hands[player, 1] = 0
    for player in range(game.players):
        for _ in range(HAND_SIZE):
            number -= 1
            add_card(state.hands[player], np.int64(state.pile[number]))
    while state.pile[number - 1] >= COLOURED:
        shuffle(rng, state.pile, number)
    number -= 1
    top = np.int64(state.pile[number])
    state.pile_size = number
    state.discards[0] = 0
    state.discards[1] = 0
    add_card(state.discards, top)
    state.top = top
    state.colour = top // VALUES
    state.player = first
    value = top % VALUES
    if value == REVERSE:
        state.direction = -state.direction
    if value == DRAW_TWO:
        draw_cards(state, first, 2, rng)
    if value >= SKIP:
        state.player = next_player(game, state, 1)


@njit
def next_player(game, state, steps):
    """Return who sits so many places on, 1 or 2, in the present direction."""
    place = np.int64(state.player) + steps * np.int64(state.direction)
    # At most one round of the table, and no division, which would take longer.
    place += game.players * (place < 0)
    return place - game.players * (place >= game.players)


@njit
def playable(game, state, hand):
    """Return the actions that play a card of a hand, as bits of a word."""
    word = hand[0] & game.match[state.colour, state.top]
    if hand[0] & WILD_BITS:
        word |= WILD_BITS
    if hand[0] & DRAW_FOUR_BITS:
        if game.quirks or not hand[0] & COLOUR_BITS[state.colour]:
            word |= DRAW_FOUR_BITS
    return word


@njit
def fits(game, state, card):
    """Whether a card just drawn, when nothing else could be played, may be played."""
    if card >= COLOURED:
        return True
    return game.match[state.colour, state.top] & bit_of(card) != 0


@njit
def take_card(state, rng):
    """Take the next card of the pile; return -1 if there is none anywhere.

    An empty pile is made of the discards, but for the one on top.
    """
    if state.pile_size == 0:
        remove_card(state.discards, np.int64(state.top))
        number = write_cards(state.discards[0], state.discards[1], state.pile, 0)
        shuffle(rng, state.pile, number)
        state.discards[0] = 0
        state.discards[1] = 0
        add_card(state.discards, np.int64(state.top))
        state.pile_size = number
        if number == 0:
            return np.int64(-1)
    state.pile_size -= 1
    return np.int64(state.pile[state.pile_size])


@njit
def draw_cards(state, player, number, rng):
    """Let a player draw cards, as many as there are."""
    for _ in range(number):
        card = take_card(state, rng)
        if card >= 0:
            add_card(state.hands[player], card)


@njit
def draw(game, state, rng):
    """Draw a card; put it on the discards, without effect, if it may be played."""
    player = np.int64(state.player)
    state.last_draw[player] = KEPT
    card = take_card(state, rng)
    if card >= 0:
        if fits(game, state, card):
            state.last_draw[player] = PLAYED
            add_card(state.discards, card)
            state.top = card
            if card < COLOURED:
                state.colour = card // VALUES
            elif game.quirks:
                state.colour = NO_COLOUR
        else:
            add_card(state.hands[player], card)
    state.player = next_player(game, state, 1)


@njit
def play(game, state, action, rng):
    """Play one action; a new round begins if a hand is empty, or the game is over."""
    player = np.int64(state.player)
    state.turn += 1
    state.last[player] = action
    if action == DRAW:
        draw(game, state, rng)
        return
    state.last_draw[player] = NOTHING_DRAWN
    card = np.int64(CARD_OF[action])
    remove_card(state.hands[player], card)
    add_card(state.discards, card)
    state.top = card
    state.colour = COLOUR_OF[action]
    steps = 1
    value = card % VALUES
    if card >= WILD:
        if card == WILD_DRAW_FOUR and not game.quirks:
            draw_cards(state, next_player(game, state, 1), 4, rng)
            steps = 2
    elif value >= SKIP:
        if value == DRAW_TWO:
            draw_cards(state, next_player(game, state, 1), 2, rng)
        if value == REVERSE and game.players > 2:
            state.direction = -state.direction
        else:
            steps = 2
    if state.hands[player, 0] == 0:
        end_round(game, state, player, rng)
    else:
        state.player = next_player(game, state, steps)


@njit
def end_round(game, state, winner, rng):
    """Count the points; begin the next round unless somebody has enough of them."""
    highest = 0
    for player in range(game.players):
        points = value_of(game, state.hands[player])
        counts_for = winner if game.scoring == CLASSIC else player
        state.points[counts_for] += points
    for player in range(game.players):
        highest = max(highest, state.points[player])
    state.round += 1
    state.over = highest >= game.target
    if not state.over:
        state.player = 0
        begin_round(game, state, next_player(game, state, 1), rng)
