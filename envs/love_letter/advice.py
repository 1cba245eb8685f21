"""How good plays of Love Letter look to a player, from what that player knows.

The worth of a play is 3/4 what it does and 1/4 the number on the card that is kept.
What it does is measured around 1/2, which is nothing: a knock-out for certain is 1, to
be knocked out 0. An unknown card is any unseen one, all equally likely.
"""

import numpy as np
from numba import njit

from mcts_agents.envs.love_letter.cards import (
    BARON,
    CARD_OF,
    COUNTESS,
    GUARD,
    GUESS_OF,
    HANDMAID,
    KING,
    NO_CARD,
    ONE,
    PLAY,
    PLAYABLE,
    PLAYS,
    PRIEST,
    PRINCE,
    PRINCESS,
    TARGET_OF,
    TYPES,
    count_of,
)
from mcts_agents.envs.love_letter.knowledge import (
    knows_hand,
    unseen_cards,
    unseen_number,
)
from mcts_agents.model import random_below

NOTHING = 0.5
FAILS = 0.4  # a card wasted on a protected player
LOOK = 0.55
PROTECTION = 0.6


@njit
def possible_cards(game, state, player, target, unseen, number):
    """Return the bunch of cards that a target may hold, and their number."""
    if knows_hand(state, player, target):
        return ONE[state.hands[target]], 1
    return unseen, number


@njit
def kept_card(state, player, card):
    """Return the card that stays in the hand when one is played."""
    if state.hands[player] == card:
        return np.int64(state.drawn)
    return np.int64(state.hands[player])


@njit
def action_value(game, state, player, action, unseen, number):
    """Return how good an action looks, 0 to 1.

    Args:
        game: The variant.
        state: The state.
        player: Who is on turn and plays the action.
        action: The action.
        unseen: The bunch of cards that the player cannot place.
        number: Their number.
    """
    card = np.int64(CARD_OF[action])
    if card == PRINCESS:
        return 0.0
    kept = kept_card(state, player, card)
    effect = NOTHING
    if card == HANDMAID:
        effect = PROTECTION
    elif card == PRINCE and TARGET_OF[action] == player:
        # The worse, the better the card that goes.
        effect = 0.0 if kept == PRINCESS else NOTHING - 0.04 * kept
        kept = NO_CARD
    elif card != COUNTESS:
        target = np.int64(TARGET_OF[action])
        if state.protected >> target & 1:
            effect = FAILS
        else:
            bunch, total = possible_cards(game, state, player, target, unseen, number)
            effect = attack_value(card, kept, np.int64(GUESS_OF[action]), bunch, total)
            if card == PRIEST and knows_hand(state, player, target):
                effect = NOTHING
            if card == KING:
                kept = NO_CARD
    return 0.75 * effect + 0.25 * kept / TYPES


@njit
def attack_value(card, kept, guess, bunch, total):
    """Return what a card does to a target that holds any card of a bunch."""
    if card == GUARD:
        return NOTHING + 0.5 * count_of(bunch, guess) / total
    if card == PRIEST:
        return LOOK
    if card == PRINCE:
        return NOTHING + 0.5 * count_of(bunch, PRINCESS) / total
    lower, higher, numbers = 0, 0, 0
    for other in range(1, TYPES + 1):
        here = count_of(bunch, other)
        numbers += here * other
        if other < kept:
            lower += here
        elif other > kept:
            higher += here
    if card == BARON:
        return NOTHING + 0.5 * (lower - higher) / total
    # The king: what is gained, the number on the new card counted as if kept.
    return NOTHING + 0.05 * (numbers / total - kept)


@njit
def write_values(game, state, player, actions, n, out):
    """Write the value of each of `n` actions."""
    unseen = unseen_cards(game, state, player)
    number = unseen_number(game, state, player)
    for place in range(n):
        action = np.int64(actions[place])
        out[place] = action_value(game, state, player, action, unseen, number)


@njit
def best_action(game, state, player, rng):
    """Return an action of the greatest value, any of them with equal chance."""
    unseen = unseen_cards(game, state, player)
    number = unseen_number(game, state, player)
    alive = np.int64(state.alive)
    best, equal, chosen = -1.0, 0, 0
    for place in range(2):
        card = np.int64(PLAYABLE[place, state.hands[player], state.drawn])
        targets = alive if card == PRINCE else alive & ~(1 << player)
        for n in range(PLAYS[card, targets]):
            action = np.int64(PLAY[card, targets, n])
            value = action_value(game, state, player, action, unseen, number)
            if value > best:
                best, equal = value, 0
            if value == best:
                equal += 1
                if random_below(rng, equal) == 0:
                    chosen = action
    return chosen
