"""What a player of Exploding Kittens knows, and worlds that agree with it."""

import numpy as np
from numba import njit

from mcts_agents.envs.exploding_kittens.cards import (
    DEFUSES,
    KITTEN,
    MAX_SEATS,
    NOPE,
    NOPES,
    ONE,
    any_card,
    size_of,
)
from mcts_agents.envs.exploding_kittens.turns import ASKED, PLACING
from mcts_agents.model.hashing import mixed

KITTENS = 15 << 4 * KITTEN
assert DEFUSES < KITTENS  # kittens have the highest bits of a bunch


@njit
def known_hand(state, observer, owner):
    """Return the bunch of cards that an observer knows to be in a hand."""
    if owner == observer:
        return state.hands[owner]
    known = state.known[observer, owner]
    if state.phase == ASKED and state.player == owner and known & NOPES == 0:
        return known + ONE[NOPE]  # or he would not be asked
    return known


@njit
def unseen_cards(game, state, observer):
    """Return the bunch of cards that a player cannot place: pile and hands."""
    unseen = game.deck - state.discards
    if state.phase == PLACING:
        unseen -= ONE[KITTEN]
    for owner in range(game.players):
        unseen -= known_hand(state, observer, owner)
    seen = state.seen[observer]
    place = 0
    while seen >> place:
        if seen >> place & 1:
            unseen -= ONE[state.pile[place]]
        place += 1
    return unseen


@njit
def resample(game, state, observer, rng):
    """Deal what a player cannot place anew, and drop what others may have seen.

    Hands get no kitten; the kittens lie among the unknown cards of the pile, in any
    places. What the others know is only kept as far as the observer is sure of it: the
    cards of the own hand that they gave or saw.
    """
    unseen = unseen_cards(game, state, observer)
    kittens = unseen & KITTENS
    unseen -= kittens
    left = size_of(unseen)
    for owner in range(game.players):
        if owner == observer or state.hands[owner] == 0:
            continue
        hand = known_hand(state, observer, owner)
        for _ in range(size_of(state.hands[owner]) - size_of(hand)):
            card = any_card(unseen, left, rng)
            unseen -= ONE[card]
            left -= 1
            hand += ONE[card]
        state.hands[owner] = hand
    unseen += kittens
    left += kittens >> 4 * KITTEN
    for place in range(np.int64(state.pile_left)):
        if not state.seen[observer] >> place & 1:
            card = any_card(unseen, left, rng)
            unseen -= ONE[card]
            left -= 1
            state.pile[place] = card
    for other in range(MAX_SEATS):
        if other != observer:
            state.seen[other] = 0
            for owner in range(MAX_SEATS):
                if owner != observer:
                    state.known[other, owner] = 0


@njit
def public_key(game, state):
    """Return a hash of what all can see and what the future depends on."""
    facts = np.int64(state.phase) | np.int64(state.player) << 8
    facts |= np.int64(state.turn_of) << 16 | np.int64(state.draws) << 24
    facts |= np.int64(state.pending) << 32 | np.int64(state.nopes) << 40
    facts |= np.int64(state.alive) << 48 | np.int64(state.pile_left) << 56
    key = mixed(np.uint64(0), facts)
    key = mixed(key, state.discards)
    last, deaths = np.int64(0), np.int64(0)
    if state.nopes:
        last = np.int64(state.nopers[state.nopes - 1])
    for player in range(game.players):
        deaths = deaths << 8 | np.int64(state.order_of_death[player])
    key = mixed(key, deaths << 8 | last)
    for player in range(game.players):
        key = mixed(key, size_of(state.hands[player]))
    return key


@njit
def key_for(game, state, observer):
    """Return a hash of what an observer knows, of all for observer -1."""
    key = public_key(game, state)
    for owner in range(game.players):
        if observer < 0:
            key = mixed(key, state.hands[owner])
            key = mixed(key, state.seen[owner])
            for other in range(game.players):
                key = mixed(key, state.known[other, owner])
        else:
            key = mixed(key, known_hand(state, observer, owner))
            if owner != observer:
                key = mixed(key, state.known[owner, observer])
    seen = np.int64(-1) if observer < 0 else np.int64(state.seen[observer])
    for place in range(np.int64(state.pile_left)):
        if seen >> place & 1:
            key = mixed(key, np.int64(place) << 8 | np.int64(state.pile[place]))
    return np.int64(key)
