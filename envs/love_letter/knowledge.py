"""What a player of Love Letter knows, and worlds that agree with it."""

import numpy as np
from numba import njit

from mcts_agents.envs.love_letter.cards import (
    DECK,
    NO_CARD,
    ONE,
    in_order,
    shuffled,
    top_card,
    without_top,
)
from mcts_agents.model.hashing import mixed

# In `known` and `aware`: what player 0 knows of all, and what all know of player 0.
BY_ONE, OF_ONE = 0x1111, 0xF


@njit
def knows_hand(state, observer, owner):
    """Whether a player knows the card that another one has kept in the hand."""
    return state.known >> (4 * owner + observer) & 1 != 0


@njit
def unseen_cards(game, state, observer):
    """Return the bunch of cards that a player cannot place: piles and hands."""
    unseen = DECK - state.face_up
    for owner in range(game.players):
        unseen -= state.discards[owner]
        if owner == observer or knows_hand(state, observer, owner):
            unseen -= ONE[state.hands[owner]]
    if state.player == observer:
        unseen -= ONE[state.drawn]
    return unseen


@njit
def unseen_number(game, state, observer):
    """Return how many cards a player cannot place."""
    number = np.int64(state.pile_left)
    for owner in range(game.players):
        if owner != observer and not knows_hand(state, observer, owner):
            number += state.hands[owner] != NO_CARD
    return number + (state.player != observer and state.drawn != NO_CARD)


@njit
def resample(game, state, observer, rng):
    """Deal what a player cannot place anew, and drop what others may have seen.

    Whether a player whose card was seen has played that card is known to those two
    alone. Of what others know, only what the observer is aware of is kept, therefore.
    """
    number = unseen_number(game, state, observer)
    pile = in_order(unseen_cards(game, state, observer))
    pile = shuffled(pile, number, rng)
    for owner in range(game.players):
        if owner == observer or state.hands[owner] == NO_CARD:
            continue
        if not knows_hand(state, observer, owner):
            state.hands[owner] = top_card(pile)
            pile = without_top(pile)
    if state.player != observer and state.drawn != NO_CARD:
        state.drawn = top_card(pile)
        pile = without_top(pile)
    state.pile = pile
    by_observer = BY_ONE << observer
    of_observer = OF_ONE << 4 * observer
    state.known = (state.known & by_observer) | (state.aware & of_observer)
    state.aware &= by_observer | of_observer


@njit
def public_key(game, state):
    """Return a hash of what all can see and what the future depends on."""
    facts = np.int64(state.player) | np.int64(state.alive) << 8
    facts |= np.int64(state.protected) << 16 | np.int64(state.pile_left) << 24
    facts |= (np.int64(state.winner) + 1) << 32
    key = mixed(np.uint64(0), facts)
    key = mixed(key, state.face_up)
    for player in range(game.players):
        key = mixed(key, state.discards[player])
        key = mixed(key, np.int64(state.tokens[player]))
    return key


@njit
def key_for(game, state, observer):
    """Return a hash of what an observer knows, of all for observer -1."""
    hands = 0
    for owner in range(game.players):
        if observer < 0 or owner == observer or knows_hand(state, observer, owner):
            hands |= np.int64(state.hands[owner]) << 4 * owner
    if observer < 0 or state.player == observer:
        hands |= np.int64(state.drawn) << 16
    known, aware = np.int64(state.known), np.int64(state.aware)
    if observer >= 0:
        known &= BY_ONE << observer
        aware &= BY_ONE << observer | OF_ONE << 4 * observer
    key = mixed(public_key(game, state), hands)
    key = mixed(key, known << 16 | aware)
    if observer < 0:
        key = mixed(key, np.int64(state.pile))
    return np.int64(key)
