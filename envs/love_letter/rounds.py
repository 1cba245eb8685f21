"""The state of a game of Love Letter and the course of its turns and rounds."""

import numpy as np
from numba import njit

from mcts_agents.envs.love_letter.cards import (
    BARON,
    CARD_OF,
    CARDS,
    GUARD,
    GUESS_OF,
    HANDMAID,
    KING,
    MAX_SEATS,
    NEXT,
    NO_CARD,
    NTH,
    ONE,
    PRIEST,
    PRINCE,
    PRINCESS,
    SORTED_DECK,
    TARGET_OF,
    shuffled,
    top_card,
    without_top,
)
from mcts_agents.model import random_below

# Tokens that win the game, by the number of players.
TARGETS = {2: 7, 3: 5, 4: 4}
FACE_UP_CARDS = 3  # with two players
NOBODY = NO_ACTION = -1

STATE = np.dtype(
    [
        ("pile", np.uint64),  # next card lowest; the last one is the reserve
        ("discards", np.int64, MAX_SEATS),  # bunches, played cards included
        ("face_up", np.int64),  # bunch laid aside for all to see
        ("tokens", np.int32, MAX_SEATS),
        ("turn", np.int32),  # turns ended
        ("round", np.int32),  # rounds ended
        # Bit 4 * owner + player: the player knows the card in the owner's hand ...
        ("known", np.int32),
        ("aware", np.int32),  # ... and the owner knows that
        ("hands", np.uint8, MAX_SEATS),  # the card kept from before, NO_CARD if out
        ("last", np.int8, MAX_SEATS),  # last action in the game, NO_ACTION
        ("drawn", np.uint8),  # the second card of the player on turn
        ("player", np.uint8),  # on turn
        ("alive", np.uint8),  # mask: not knocked out in this round
        ("protected", np.uint8),  # mask: by their handmaid
        ("pile_left", np.uint8),  # cards of `pile`, the reserve included
        ("winners", np.uint8),  # mask: of the last round that ended
        ("winner", np.int8),  # of the game, NOBODY while it runs
    ]
)
GAME = np.dtype([("target", np.int64), ("baron_shows", np.bool_)])


@njit
def begin_round(game, state, starter, rng):
    """Shuffle all cards, deal, and let `starter` draw."""
    pile = shuffled(SORTED_DECK, CARDS, rng)
    left = CARDS
    for player in range(game.players):
        state.hands[player] = top_card(pile)
        state.discards[player] = 0
        pile = without_top(pile)
        left -= 1
    state.face_up = 0
    if game.players == 2:
        for _ in range(FACE_UP_CARDS):
            state.face_up += ONE[top_card(pile)]
            pile = without_top(pile)
            left -= 1
    state.pile = pile
    state.pile_left = left
    state.alive = (1 << game.players) - 1
    state.protected = 0
    state.known = 0
    state.aware = 0
    begin_turn(state, starter)


@njit
def begin_turn(state, player):
    """Let a player draw; the protection by the own handmaid ends."""
    state.player = player
    state.protected &= ~(1 << player)
    state.drawn = draw(state)


@njit
def draw(state):
    """Take the next card; it is the reserve if the pile has no more."""
    card = top_card(state.pile)
    state.pile = without_top(state.pile)
    state.pile_left -= 1
    return card


@njit
def play(game, state, action, rng):
    """Let the player on turn play a card; end the turn, the round and the game."""
    player = np.int64(state.player)
    card = np.int64(CARD_OF[action])
    keep_drawn(state, player, card)
    state.discards[player] += ONE[card]
    state.last[player] = action
    state.turn += 1
    take_effect(game, state, player, card, action)
    alive = np.int64(state.alive)
    if alive & (alive - 1) == 0 or state.pile_left <= 1:
        finish_round(game, state, rng)
    else:
        begin_turn(state, np.int64(NEXT[alive, player]))


@njit
def keep_drawn(state, player, card):
    """Let the drawn card take the place of the one in the hand, if that was played.

    Who knew the hand does not know what is left, then. No branch: it is as likely as
    not, and a wrong guess of the processor costs more than all the rest.
    """
    hand = np.int64(state.hands[player])
    was_hand = np.int64(card == hand)
    state.hands[player] = hand + was_hand * (state.drawn - hand)
    others = ~((was_hand * 15) << 4 * player)
    state.known &= others
    state.aware &= others
    state.drawn = NO_CARD


@njit
def take_effect(game, state, player, card, action):
    """Do what a card does that was played; nothing to a protected target."""
    target = np.int64(TARGET_OF[action])
    is_open = state.protected >> target & 1 == 0
    if card == GUARD:
        if is_open and state.hands[target] == GUESS_OF[action]:
            knock_out(state, target)
    elif card == HANDMAID:
        state.protected |= 1 << player
    elif card == PRINCESS:
        knock_out(state, player)
    elif card == PRINCE:
        if is_open:
            change_card(state, target)
    elif is_open:
        if card == BARON:
            compare(game, state, player, target)
        elif card == PRIEST:
            show(state, target, player)
        elif card == KING:
            swap(state, player, target)


@njit
def knock_out(state, player):
    """Put a player out of the round; the hand is discarded."""
    state.discards[player] += ONE[state.hands[player]]
    state.hands[player] = NO_CARD
    state.alive &= ~(1 << player)
    forget(state, player)


@njit
def compare(game, state, player, target):
    """Knock out whoever holds the lower card."""
    own, other = state.hands[player], state.hands[target]
    if own < other:
        knock_out(state, player)
    elif other < own:
        knock_out(state, target)
    elif game.baron_shows:
        show(state, target, player)
        show(state, player, target)


@njit
def change_card(state, target):
    """Let a player discard the hand and draw; the princess knocks him out."""
    if state.hands[target] == PRINCESS:
        knock_out(state, target)
        return
    forget(state, target)
    state.discards[target] += ONE[state.hands[target]]
    state.hands[target] = draw(state)


@njit
def swap(state, player, target):
    """Exchange hands: both know what they gave, and others what they knew."""
    own = state.hands[player]
    state.hands[player] = state.hands[target]
    state.hands[target] = own
    knew_own = state.known >> 4 * player & 15
    knew_other = state.known >> 4 * target & 15
    forget(state, player)
    forget(state, target)
    state.known |= (knew_other & ~(1 << player)) << 4 * player
    state.known |= (knew_own & ~(1 << target)) << 4 * target
    show(state, player, target)
    show(state, target, player)


@njit
def show(state, owner, player):
    """Let a player see the owner's hand."""
    bit = 1 << (4 * owner + player)
    state.known |= bit
    state.aware |= bit


@njit
def forget(state, owner):
    """Let nobody know the owner's hand any more."""
    others = ~(15 << 4 * owner)
    state.known &= others
    state.aware &= others


@njit
def finish_round(game, state, rng):
    """Give tokens to the winners, then end the game or begin the next round."""
    winners = round_winners(game, state)
    state.winners = winners
    state.round += 1
    most, number = 0, 0
    for player in range(game.players):
        won = winners >> player & 1
        number += won
        state.tokens[player] += won
        most = max(most, np.int64(state.tokens[player]))
    if most >= game.target:
        state.winner = only_leader(game, state, most)
        if state.winner >= 0:
            return
    starter = 0
    if number > 1:
        starter = random_below(rng, number)
    begin_round(game, state, np.int64(NTH[winners, starter]), rng)


@njit
def only_leader(game, state, most):
    """Return the player who has `most` tokens, NOBODY if several have."""
    leader, number = NOBODY, 0
    for player in range(game.players):
        if state.tokens[player] == most:
            leader = player
            number += 1
    return leader if number == 1 else NOBODY


@njit
def round_winners(game, state):
    """Return the mask of the survivors with the highest card, then discard pile."""
    best, winners = 0, 0
    for player in range(game.players):
        best = max(best, showdown_rank(state, player))
    for player in range(game.players):
        winners |= np.int64(showdown_rank(state, player) == best) << player
    return winners


@njit
def showdown_rank(state, player):
    """Return what players are compared by; all who are out rank below the others."""
    # All cards of the box make 54.
    return np.int64(state.hands[player]) * 64 + numbers_total(state.discards[player])


@njit
def numbers_total(bunch):
    """Return the sum of the numbers on the cards of a bunch."""
    # Counts of odd and even numbers in a byte each; a product adds them up, weighted.
    odd = (bunch >> 4) & 0x0F0F0F0F
    even = (bunch >> 8) & 0x0F0F0F0F
    return ((odd * 0x01030507 + even * 0x02040608) >> 24) & 0xFF
