"""What a player of Sushi Go! knows: hands, cards without a place, choices."""

import numpy as np
from numba import njit

from mcts_agents.envs.sushi_go.cards import ACTIONS, ONE, USE_CHOPSTICKS
from mcts_agents.envs.sushi_go.turns import NONE
from mcts_agents.model.hashing import mixed

# Codes of `visible_action` beyond the actions: a card that lies face down; from
# BOTH_CARDS on the two cards of a player who used chopsticks.
FACE_DOWN = ACTIONS
BOTH_CARDS = 2 * ACTIONS


@njit
def knows_hand(game, state, observer, owner):
    """Whether the observer has held the cards that the owner holds now.

    Hands go to the previous seat, and all that was taken from them was shown: after r
    passes the hands of the r seats before the observer are known exactly.
    """
    return (observer - owner + game.players) % game.players <= state.passes


@njit
def shown_hand(state, owner):
    """Return a hand as all but its owner know it: with the card chosen in secret."""
    if state.pending[owner] == NONE:
        return state.hands[owner]
    return state.hands[owner] + ONE[state.pending[owner]]


@njit
def unseen_cards(game, state, observer):
    """Return the cards that the observer cannot place: pile and hands not known."""
    unseen = state.pile
    for owner in range(game.players):
        if not knows_hand(game, state, observer, owner):
            unseen += shown_hand(state, owner)
    return unseen


@njit
def visible_choice(game, state, joint_action, actor, observer):
    """Return what the observer sees of a choice: all of it, or that a card was chosen.

    Cards are shown when all are complete: at once if nobody uses chopsticks in the
    turn, else together with the second cards.
    """
    action = np.int64(joint_action[actor])
    if actor == observer:
        return action
    if state.step == 2:
        return action + ACTIONS * np.int64(state.pending[actor]) + BOTH_CARDS
    if action == USE_CHOPSTICKS:
        return action
    if state.step == 1:
        return np.int64(FACE_DOWN)
    for player in range(game.players):
        if joint_action[player] == USE_CHOPSTICKS:
            return np.int64(FACE_DOWN)
    return action


@njit
def key_of_table(game, state):
    """Return a hash of what all can see: fields, points, the course of the round."""
    word = np.uint64(state.users) | np.uint64(state.step) << np.uint64(8)
    word |= np.uint64(state.passes) << np.uint64(16)
    word |= np.uint64(state.round) << np.uint64(24)
    key = mixed(np.uint64(game.players), word)
    for player in range(game.players):
        word = np.uint64(state.scores[player] + 1000)  # may be negative
        for nigiri in range(3):
            on_wasabi = np.uint64(state.on_wasabi[player, nigiri])
            word |= on_wasabi << np.uint64(16 + 8 * nigiri)
        key = mixed(mixed(key, state.fields[player]), word)
    return key


@njit
def key_of_knowledge(game, state, observer):
    """Return a hash of what the observer can see, own pending choice included."""
    key = key_of_table(game, state)
    key = mixed(key, unseen_cards(game, state, observer))
    for owner in range(game.players):
        if owner == observer:
            key = mixed(key, state.hands[owner])
            key = mixed(key, np.uint64(state.pending[owner] + 1))
        elif knows_hand(game, state, observer, owner):
            key = mixed(key, shown_hand(state, owner))
    return key


@njit
def key_of_all(game, state):
    """Return a hash of the whole state but for the choices of the last turn."""
    key = key_of_table(game, state)
    for owner in range(game.players):
        key = mixed(key, state.hands[owner])
        key = mixed(key, np.uint64(state.pending[owner] + 1))
    key = mixed(key, state.pile)
    return mixed(mixed(key, state.pile_order[0]), state.pile_order[1])
