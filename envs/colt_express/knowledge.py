"""What a player of Colt Express knows, and worlds that agree with it."""

import numpy as np
from numba import njit

from mcts_agents.envs.colt_express.cards import (
    BULLET,
    END_ROUNDS,
    JEWEL,
    MAX_CARS,
    MOST_QUEUED,
    NO_KIND,
    PLAYABLE,
    PURSE_KIND,
    PURSE_VALUES,
    REGULAR_ROUNDS,
    ROUNDS,
    STRONGBOX,
)
from mcts_agents.envs.colt_express.heaps import (
    heap_at,
    one_of,
    put_heap,
    random_kind,
    size_of,
)
from mcts_agents.envs.colt_express.train import (
    PURSES_HEAP,
    hits_of,
    number_of,
)
from mcts_agents.envs.colt_express.turns import (
    draw_cards,
    take_back,
    turn_kind,
    unused_purses,
)
from mcts_agents.model import random_below
from mcts_agents.model.bits import bit_of, lowest_bit
from mcts_agents.model.hashing import mixed

PLAYABLE_HEAP = np.uint64((1 << 8 * PLAYABLE) - 1)


@njit
def is_shown(state, place):
    """Return whether all know a card of the queue; the first is turned up at last."""
    return state.face_up[place] or (state.is_executing and place == state.executed)


@njit
def resample_cards(state, seat, rng):
    """Shuffle a bandit's deck, hand and cards played face down, and deal them again."""
    size = size_of(heap_at(state.hands, seat))
    take_back(state, seat)
    deck = heap_at(state.decks, seat)
    hidden = np.uint64(0)  # places of the queue
    for place in range(state.executed, state.queued):
        if state.owners[place] == seat and not is_shown(state, place):
            hidden |= bit_of(place)
            deck += one_of(state.cards[place])
    while hidden:
        card = random_kind(deck & PLAYABLE_HEAP, rng)
        deck -= one_of(card)
        state.cards[lowest_bit(hidden)] = card
        hidden &= hidden - np.uint64(1)
    put_heap(state.decks, seat, deck)
    draw_cards(state, seat, size, rng)


@njit
def resample_purses(game, state, observer, rng):
    """Shuffle the values of all purses that the observer does not have."""
    places = 2 * (np.int64(game.players) + 1)
    pool = unused_purses(state)
    for place in range(places):
        pool += heap_at(state.on_train, place) & PURSES_HEAP
    for seat in range(game.players):
        if seat != observer:
            pool += heap_at(state.loot, seat) & PURSES_HEAP
    for place in range(places):
        pool = deal_purses(state.on_train, place, pool, rng)
    for seat in range(game.players):
        if seat != observer:
            pool = deal_purses(state.loot, seat, pool, rng)
    for value in range(PURSE_VALUES):
        state.unused[value] = pool >> np.uint64(8 * value) & np.uint64(255)


@njit
def deal_purses(rows, number, pool, rng):
    """Give a row as many purses as it has, from a pool; return what is left of it."""
    items = heap_at(rows, number)
    purses = size_of(items & PURSES_HEAP)
    if purses == 0:
        return pool
    items &= ~PURSES_HEAP
    for _ in range(purses):
        purse = one_of(random_kind(pool, rng))
        pool -= purse
        items += purse
    put_heap(rows, number, items)
    return pool


@njit
def resample_rounds(state, rng):
    """Draw the round cards after the open one again."""
    taken = np.int64(0)
    for place in range(state.round + 1):
        taken |= 1 << np.int64(state.rounds[place])
    for place in range(state.round + 1, ROUNDS - 1):
        card = random_below(rng, REGULAR_ROUNDS)
        while taken >> card & 1:
            card = random_below(rng, REGULAR_ROUNDS)
        taken |= 1 << card
        state.rounds[place] = card
    state.rounds[ROUNDS - 1] = REGULAR_ROUNDS + random_below(rng, END_ROUNDS)


# -- observations: the own cards and purses, the train, the queue, the seats

OWN_HAND_AT, OWN_DECK_AT = 0, BULLET + 1
PURSES_AT = 2 * (BULLET + 1)
(
    MARSHAL_AT,
    ROUND_AT,
    CARD_AT,
    TURN_AT,
    KIND_AT,
    SECOND_AT,
    EXECUTING_AT,
    QUEUED_AT,
) = range(PURSES_AT + PURSE_VALUES, PURSES_AT + PURSE_VALUES + 8)
OPENED_AT = QUEUED_AT + 1
QUEUE_AT = OPENED_AT + REGULAR_ROUNDS + END_ROUNDS
LOOT_AT = QUEUE_AT + 2 * MOST_QUEUED
SEATS_AT = LOOT_AT + NO_KIND * 2 * MAX_CARS
(
    SEAT_CAR,
    SEAT_ROOF,
    SEAT_CHARACTER,
    SEAT_BULLETS,
    SEAT_HAND,
    SEAT_DECK,
    SEAT_HITS,
    SEAT_LOOT,
) = range(8)
SEAT_ON_TURN = SEAT_LOOT + NO_KIND
SEAT_COLUMNS = SEAT_ON_TURN + 1
MOST_SEEN = 127


@njit
def describe(game, state, player, out):
    """Write what a player sees; `out` arrives filled with zeros."""
    for card in range(BULLET + 1):
        out[OWN_HAND_AT + card] = min(state.hands[player, card], MOST_SEEN)
        out[OWN_DECK_AT + card] = min(state.decks[player, card], MOST_SEEN)
    for value in range(PURSE_VALUES):
        out[PURSES_AT + value] = state.loot[player, value]
    out[MARSHAL_AT] = state.marshal
    out[ROUND_AT] = state.round
    open_round = min(np.int64(state.round), ROUNDS - 1)
    out[CARD_AT] = state.rounds[open_round]
    for number in range(open_round + 1):
        out[OPENED_AT + state.rounds[number]] = 1
    if not state.is_executing and not state.is_over:
        out[TURN_AT] = state.turn
        out[KIND_AT] = 1 + turn_kind(game, state)
        out[SECOND_AT] = state.is_second
    out[EXECUTING_AT] = state.is_executing
    out[QUEUED_AT] = state.queued - state.executed
    for place in range(state.executed, state.queued):
        row = out[QUEUE_AT + 2 * (place - state.executed) :]
        owner = np.int64(state.owners[place])
        row[0] = 1 + (owner - player + game.players) % game.players
        if owner == player or is_shown(state, place):
            row[1] = 1 + state.cards[place]
    for place in range(2 * (game.players + 1)):
        for kind in range(NO_KIND):
            number = number_of(state.on_train[place], kind)
            out[LOOT_AT + NO_KIND * place + kind] = number
    for seat in range(game.players):
        owner = (player + seat) % game.players
        describe_seat(state, owner, out[SEATS_AT + SEAT_COLUMNS * seat :])


@njit
def describe_seat(state, owner, row):
    """Write what all see of a bandit."""
    row[SEAT_CAR] = state.places[owner] >> 1
    row[SEAT_ROOF] = state.places[owner] & 1
    row[SEAT_CHARACTER] = state.characters[owner]
    row[SEAT_BULLETS] = state.bullets[owner]
    row[SEAT_HAND] = min(size_of(heap_at(state.hands, owner)), MOST_SEEN)
    row[SEAT_DECK] = min(size_of(heap_at(state.decks, owner)), MOST_SEEN)
    row[SEAT_HITS] = min(hits_of(state, owner), MOST_SEEN)
    for kind in range(NO_KIND):
        row[SEAT_LOOT + kind] = number_of(state.loot[owner], kind)
    row[SEAT_ON_TURN] = not state.is_over and state.player == owner


# -- keys


@njit
def key_of(game, state, observer):
    """Return a hash of what an observer knows, of everything for observer -1."""
    key = np.uint64(game.players)
    facts = np.int64(state.marshal) | np.int64(state.round) << 8
    facts |= np.int64(state.turn) << 16 | np.int64(state.moved) << 24
    facts |= np.int64(state.is_second) << 32 | np.int64(state.is_executing) << 33
    facts |= np.int64(state.is_over) << 34 | np.int64(state.player) << 40
    facts |= (np.int64(state.queued) - np.int64(state.executed)) << 48
    key = mixed(key, facts)
    opened = np.int64(0)
    for number in range(ROUNDS):
        if observer < 0 or number <= state.round:
            opened = opened << 8 | np.int64(state.rounds[number]) + 1
    key = mixed(key, opened)
    for place in range(state.executed, state.queued):
        owner = np.int64(state.owners[place])
        queued = owner << 8 | np.int64(state.face_up[place]) << 16
        if observer < 0 or owner == observer or is_shown(state, place):
            queued |= np.int64(state.cards[place]) + 1
        key = mixed(key, queued)
    for place in range(2 * (game.players + 1)):
        key = mixed(key, items_word(state.on_train[place], observer < 0))
    for seat in range(game.players):
        key = mixed(key, seat_word(state, seat))
        is_own = observer < 0 or seat == observer
        key = mixed(key, items_word(state.loot[seat], is_own))
        if is_own:
            for card in range(BULLET + 1):
                held = np.int64(state.hands[seat, card])
                key = mixed(key, held << 8 | np.int64(state.decks[seat, card]))
    return key


@njit
def items_word(items, knows_values):
    """Return loot as a number; without values purses are only counted."""
    word = np.int64(items[JEWEL]) << 8 | np.int64(items[STRONGBOX])
    if not knows_values:
        return word << 8 | number_of(items, PURSE_KIND)
    for value in range(PURSE_VALUES):
        word = word << 8 | np.int64(items[value])
    return word


@njit
def seat_word(state, seat):
    """Return what all see of a bandit but loot, as a number."""
    word = np.int64(state.places[seat]) | np.int64(state.characters[seat]) << 8
    word |= np.int64(state.bullets[seat]) << 16
    word |= size_of(heap_at(state.hands, seat)) << 24
    return word | hits_of(state, seat) << 32
