"""What a player of Dominion knows, and worlds that agree with it."""

import numpy as np
from numba import njit

from mcts_agents.envs.dominion.cards import (
    GOLD,
    MINE,
    TREASURES,
    WORDS,
    add,
    types_in,
)
from mcts_agents.envs.dominion.turns import TRASHING, shuffle_into
from mcts_agents.model.hashing import mixed


@njit
def known_word(state, observer, owner, word):
    """Return one word of the bunch that an observer knows to be in a hand."""
    if owner == observer:
        return state.hands[owner, word]
    return state.known[owner, word]


@njit
def has_to_hold_treasure(game, state, observer, owner):
    """Whether a Mine shows that there is a treasure in a hand, but not which one."""
    if owner == observer or state.phase != TRASHING or state.player != owner:
        return False
    if state.effect != MINE or game.published:
        return False
    return types_in(state.known[owner]) & TREASURES == 0


@njit
def resample(game, state, observer, rng):
    """Shuffle what a player cannot know: the own pile, other hands with their piles.

    All piles are filled in the order of the types and then shuffled.
    """
    for owner in range(game.players):
        low = known_word(state, observer, owner, 0)
        high = known_word(state, observer, owner, 1)
        hidden_low = state.owned[owner, 0] - state.discards[owner, 0] - low
        hidden_high = state.owned[owner, 1] - state.discards[owner, 1] - high
        if owner == state.turn_of:
            hidden_low -= state.table[0]
            hidden_high -= state.table[1]
        pile = state.piles[owner]
        left = shuffle_into(hidden_low, hidden_high, pile, rng)
        pile_left = np.int64(state.pile_left[owner])
        if has_to_hold_treasure(game, state, observer, owner):
            # Any other hand could not have been dealt.
            while not has_treasure(pile, pile_left, left):
                left = shuffle_into(hidden_low, hidden_high, pile, rng)
        hand = state.hands[owner]
        hand[0] = low
        hand[1] = high
        for place in range(pile_left, left):
            add(hand, np.int64(pile[place]))
            pile[place] = 0


@njit
def has_treasure(pile, first, end):
    """Whether a treasure lies at the places from `first` to before `end`."""
    for place in range(first, end):
        if pile[place] <= GOLD:
            return True
    return False


@njit
def key_for(game, state, observer):
    """Return a hash of what an observer knows, of all for observer -1.

    What has no influence on the rest of the game, such as the last actions, is left
    out.
    """
    facts = np.int64(state.phase) | np.int64(state.player) << 4
    facts |= np.int64(state.turn_of) << 8 | np.int64(state.actions) << 12
    facts |= np.int64(state.buys) << 20 | np.int64(state.merchants) << 28
    facts |= np.int64(state.effect) << 36 | np.int64(state.discarded) << 40
    facts |= np.int64(np.uint8(state.trashed)) << 48
    facts |= np.int64(state.defended) << 56
    key = mixed(np.uint64(0), facts)
    key = mixed(key, np.int64(state.money) - np.int64(state.spent))
    for word in range(WORDS):
        key = mixed(key, state.supply[word])
        key = mixed(key, state.table[word])
        for owner in range(game.players):
            key = mixed(key, state.owned[owner, word])
            key = mixed(key, state.discards[owner, word])
            key = mixed(key, state.known[owner, word])
            if observer < 0 or observer == owner:
                key = mixed(key, state.hands[owner, word])
    for owner in range(game.players):
        key = mixed(key, np.int64(state.hand_sizes[owner]))
        if observer < 0:
            for place in range(np.int64(state.pile_left[owner])):
                key = mixed(key, np.int64(state.piles[owner, place]))
    return np.int64(key)
