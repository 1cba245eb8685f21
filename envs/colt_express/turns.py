"""Setting up, planning and executing: how a game of Colt Express goes on."""

import numpy as np
from numba import njit

from mcts_agents.envs.colt_express.cards import (
    BULLETS,
    CAR_LOOT,
    COLLECT_KIND,
    COLLECT_NOTHING,
    COPIES,
    DOC,
    DOCTOR_HAND,
    DOUBLE,
    DRAW,
    DRAWN_AT_ONCE,
    END_ROUNDS,
    GHOST,
    HAND,
    HIDDEN,
    JEWEL,
    MARSHAL_LEFT,
    MARSHAL_RIGHT,
    MAX_CARS,
    MAX_SEATS,
    PLAYABLE,
    PUNCH_NOBODY,
    PUNCH_SEAT,
    PURSE_VALUES,
    PURSES,
    REGULAR_ROUNDS,
    REVERSE,
    ROUNDS,
    SHOOT_NOBODY,
    SHOOT_SEAT,
    STRONGBOX,
    TO_CAR,
    TURN_KINDS,
    TURN_NUMBERS,
    VERTICAL,
)
from mcts_agents.envs.colt_express.heaps import (
    heap_at,
    one_of,
    put_heap,
    random_kind,
    size_of,
)
from mcts_agents.envs.colt_express.train import (
    FACE_DOWN,
    NO_ACTION,
    arrive,
    end_round,
    place_marshal,
    punch,
    shoot,
    take_random,
)
from mcts_agents.model import random_below


@njit
def set_up(game, state, rng):
    """Lay out the train, deal characters and cards, and choose the round cards."""
    for seat in range(MAX_SEATS):
        state.places[seat] = 2 * (seat % 2)
        state.characters[seat] = seat
        state.bullets[seat] = BULLETS if seat < game.players else 0
        state.loot[seat] = 0
        state.hands[seat] = 0
        state.decks[seat] = 0
    for seat in range(MAX_SEATS):
        other = seat + random_below(rng, MAX_SEATS - seat)
        mine = state.characters[seat]
        state.characters[seat] = state.characters[other]
        state.characters[other] = mine
    state.unused[:] = PURSES
    for seat in range(game.players):
        state.loot[seat, 0] = 1
        state.unused[0] -= 1
        for card in range(PLAYABLE):
            state.decks[seat, card] = COPIES[card]
    load_train(game, state, rng)
    choose_rounds(state, rng)
    state.queued = 0
    state.executed = 0
    state.marshal = game.players
    state.ended = 0
    state.is_over = 0
    state.owners[:] = 0
    state.cards[:] = 0
    state.face_up[:] = 0
    state.last[:] = NO_ACTION
    begin_round(game, state, 0, rng)


@njit
def load_train(game, state, rng):
    """Put loot of a different configuration into each car, a strongbox in front."""
    for place in range(2 * MAX_CARS):
        state.on_train[place] = 0
    taken = np.int64(0)
    for car in range(game.players):
        layout = random_below(rng, len(CAR_LOOT))
        while taken >> layout & 1:
            layout = random_below(rng, len(CAR_LOOT))
        taken |= 1 << layout
        for _ in range(CAR_LOOT[layout, 0]):
            state.on_train[2 * car, random_purse(state, rng)] += 1
        state.on_train[2 * car, JEWEL] = CAR_LOOT[layout, 1]
    state.on_train[2 * game.players, STRONGBOX] = 1


@njit
def random_purse(state, rng):
    """Take a random purse from those outside of the game."""
    value = random_kind(unused_purses(state), rng)
    state.unused[value] -= 1
    return value


@njit
def unused_purses(state):
    """Return the heap of the purses outside of the game."""
    heap = np.uint64(0)
    for value in range(PURSE_VALUES):
        heap |= np.uint64(state.unused[value]) << np.uint64(8 * value)
    return heap


@njit
def choose_rounds(state, rng):
    """Draw four different round cards and one for the end."""
    taken = np.int64(0)
    for place in range(ROUNDS - 1):
        card = random_below(rng, REGULAR_ROUNDS)
        while taken >> card & 1:
            card = random_below(rng, REGULAR_ROUNDS)
        taken |= 1 << card
        state.rounds[place] = card
    state.rounds[ROUNDS - 1] = REGULAR_ROUNDS + random_below(rng, END_ROUNDS)


@njit
def draw_cards(state, seat, number, rng):
    """Move random cards from a deck to the hand, as many as are left."""
    deck, hand = heap_at(state.decks, seat), heap_at(state.hands, seat)
    for _ in range(min(number, size_of(deck))):
        card = one_of(random_kind(deck, rng))
        deck -= card
        hand += card
    put_heap(state.decks, seat, deck)
    put_heap(state.hands, seat, hand)


@njit
def begin_round(game, state, number, rng):
    """Take all hands back, shuffle, and deal."""
    state.round = number
    state.queued = 0
    state.executed = 0
    state.is_executing = 0
    state.turn = 0
    state.moved = 0
    state.is_second = 0
    state.player = first_player(game, state)
    for seat in range(game.players):
        take_back(state, seat)
        is_doctor = state.characters[seat] == DOC
        draw_cards(state, seat, DOCTOR_HAND if is_doctor else HAND, rng)


@njit
def first_player(game, state):
    """Return who begins the round: each is first in turn."""
    first = np.int64(state.round)
    while first >= game.players:
        first -= game.players
    return first


@njit
def take_back(state, seat):
    """Put a hand on the deck, which is shuffled."""
    both = heap_at(state.decks, seat) + heap_at(state.hands, seat)
    put_heap(state.decks, seat, both)
    put_heap(state.hands, seat, np.uint64(0))


@njit
def step(game, state, action, rng):
    """Do one action, forced ones included."""
    state.ended += 1
    is_known = state.is_executing or action == DRAW or is_face_up(game, state)
    state.last[state.player] = action if is_known else FACE_DOWN
    if state.is_executing:
        execute(game, state, action, rng)
    else:
        plan(game, state, action, rng)


@njit
def turn_kind(game, state):
    """Return whether the turn is normal, hidden, double or reverse."""
    return TURN_KINDS[np.int64(game.players > 4), state.rounds[state.round], state.turn]


@njit
def is_face_up(game, state):
    """Return whether all see the card that the player on turn plays."""
    if state.turn == 0 and state.characters[state.player] == GHOST:
        return False
    return turn_kind(game, state) != HIDDEN


@njit
def plan(game, state, action, rng):
    """Play a card face up or down, or draw."""
    player = np.int64(state.player)
    kind = turn_kind(game, state)
    if action == DRAW:
        draw_cards(state, player, DRAWN_AT_ONCE, rng)
    else:
        state.hands[player, action] -= 1
        state.owners[state.queued] = player
        state.cards[state.queued] = action
        state.face_up[state.queued] = is_face_up(game, state)
        state.queued += 1
    if kind == DOUBLE and not state.is_second:
        state.is_second = 1
        return
    state.is_second = 0
    state.moved += 1
    if state.moved == game.players:
        state.moved = 0
        state.turn += 1
        crowded = np.int64(game.players > 4)
        if state.turn == TURN_NUMBERS[crowded, state.rounds[state.round]]:
            begin_execution(game, state, rng)
            return
        kind = turn_kind(game, state)
    moved, players = np.int64(state.moved), np.int64(game.players)
    following = first_player(game, state) + (-moved if kind == REVERSE else moved)
    following += players if following < 0 else 0
    state.player = following - (players if following >= players else 0)


@njit
def begin_execution(game, state, rng):
    """Let the owner of the first card decide, if a card was played."""
    state.turn = 0
    state.is_executing = 1
    if state.queued == 0:
        finish_round(game, state, rng)
    else:
        state.player = state.owners[0]


@njit
def execute(game, state, action, rng):
    """Execute the first card of the queue."""
    player = np.int64(state.player)
    place = np.int64(state.places[player])
    if action < VERTICAL:
        arrive(state, player, action - TO_CAR, place & 1)
    elif action == VERTICAL:
        if game.published:
            arrive(state, player, place >> 1, 1 - (place & 1))
        else:
            state.places[player] = place ^ 1
    elif action <= MARSHAL_RIGHT:
        change = -1 if action == MARSHAL_LEFT else 1
        place_marshal(game, state, np.int64(state.marshal) + change)
    elif action < COLLECT_NOTHING:
        kind = action - COLLECT_KIND
        state.loot[player, take_random(state.on_train, place, kind, rng)] += 1
    elif SHOOT_SEAT <= action < SHOOT_NOBODY:
        shoot(game, state, player, action - SHOOT_SEAT)
    elif PUNCH_SEAT <= action < PUNCH_NOBODY:
        code = action - PUNCH_SEAT
        punch(game, state, player, code >> 3, code >> 2 & 1, code & 3, rng)
    state.decks[player, state.cards[state.executed]] += 1
    state.executed += 1
    if state.executed == state.queued:
        finish_round(game, state, rng)
    else:
        state.player = state.owners[state.executed]


@njit
def finish_round(game, state, rng):
    """Let the round's event happen, and begin the next round or end the game."""
    end_round(game, state, state.rounds[state.round], rng)
    if state.round + 1 < ROUNDS:
        begin_round(game, state, np.int64(state.round) + 1, rng)
    else:
        state.round = ROUNDS
        state.is_over = 1
