"""The state of a game of Sushi Go! and the course of its turns, rounds and deals.

As in a real pile, the order of the cards of later rounds is fixed from the start. It is
kept as the seed by which the counts of the pile will be shuffled: sixteen hidden bytes
instead of a list of cards, nothing to shuffle before a round ends, and no chance after
the start.
"""

import numpy as np
from numba import njit

from mcts_agents.envs.sushi_go.cards import (
    ALL_PUDDINGS,
    ON_WASABI,
    ONE,
    ONE_CHOPSTICKS,
    POINTS,
    USE_CHOPSTICKS,
    WASABI_CHANGE,
    count_of,
    draw_hand,
    gather,
    spread,
)
from mcts_agents.envs.sushi_go.scoring import score_maki, score_puddings
from mcts_agents.model import next_uint64

MAX_SEATS = 5
ROUNDS = 3
HAND_SIZES = {2: 10, 3: 9, 4: 8, 5: 7}
NONE = -1
# Choices of all players are packed with four bits each. Where they are kept for
# display, USE_CHOPSTICKS (all bits set) stands for no card.
NO_CHOICES = 0xFFFFF

STATE = np.dtype(
    [
        ("hands", np.uint64, MAX_SEATS),  # packed; without the owner's pending card
        ("fields", np.uint64, MAX_SEATS),  # packed; cards played, chopsticks included
        ("pile", np.uint64),  # packed
        ("pile_order", np.uint64, 2),  # the generator that will shuffle the pile
        ("scores", np.int16, MAX_SEATS),
        ("wasabi", np.int8, MAX_SEATS),  # unused, the owner's pending card considered
        ("on_wasabi", np.int8, (MAX_SEATS, 3)),  # squid, salmon, egg
        ("pending", np.int8, MAX_SEATS),  # action chosen in secret this turn, or NONE
        ("users", np.int8),  # mask: uses chopsticks in this turn
        ("step", np.int8),  # 0: all choose; 1, 2: `users` choose that card
        ("passes", np.int8),  # how often the hands were passed in this round
        ("round", np.int8),  # 0, 1, 2; 3 when the game is over
        ("last", np.int32, 2),  # choices of the last turn: first and second cards
    ]
)
GAME = np.dtype([("hand_size", np.int64), ("deck", np.uint64), ("published", np.bool_)])


@njit
def shuffle_pile(state, rng):
    """Choose a new order of the pile."""
    state.pile_order[0] = next_uint64(rng)
    state.pile_order[1] = next_uint64(rng) | np.uint64(1)  # both 0 is no generator


@njit
def deal(game, state):
    """Give everybody a hand from the pile."""
    low, high = spread(state.pile)
    for player in range(game.players):
        hand, low, high = draw_hand(low, high, game.hand_size, state.pile_order)
        state.hands[player] = hand
    state.pile = gather(low, high)
    state.passes = 0


@njit
def clear_wasabi(state):
    """Forget all wasabi and what lies on it."""
    for player in range(MAX_SEATS):
        state.wasabi[player] = 0
        for nigiri in range(3):
            state.on_wasabi[player, nigiri] = 0


@njit
def moving(game, state):
    """Return the mask of the players who decide now."""
    if state.round == ROUNDS:
        return 0
    return (1 << game.players) - 1 if state.step == 0 else np.int64(state.users)


@njit
def chosen(choices, player):
    """Return the action of a player among choices of four bits each."""
    return (choices >> (4 * player)) & 15


@njit
def play(game, state, choices):
    """Carry out one joint decision, packed with four bits a player."""
    # USE_CHOPSTICKS is the one action with all of its four bits set.
    uses = choices & choices >> 1 & choices >> 2 & choices >> 3 & 0x11111
    if state.step == 0 and uses == 0:
        for player in range(game.players):
            action = chosen(choices, player)
            take(state, player, action)
            reveal(state, player, action)
        state.last[0] = choices
        state.last[1] = NO_CHOICES
        finish_turn(game, state)
    else:
        play_with_chopsticks(game, state, choices)


@njit
def play_with_chopsticks(game, state, choices):
    """Carry out a joint decision of a turn in which somebody uses chopsticks."""
    if state.step == 2:
        reveal_with_chopsticks(game, state, choices)
        finish_turn(game, state)
        return
    for player in range(game.players):
        action = chosen(choices, player)
        if state.step == 0 and action == USE_CHOPSTICKS:
            state.users |= 1 << player
        elif state.step == 0 or state.users >> player & 1:
            commit(state, player, action)
    state.step += 1


@njit
def reveal_with_chopsticks(game, state, second_choices):
    """Reveal all cards of a turn; used chopsticks go back into the hand."""
    state.last[0] = state.last[1] = NO_CHOICES
    for player in range(game.players):
        action = np.int64(state.pending[player])
        reveal(state, player, action)
        note_last(state, 0, player, action)
        state.pending[player] = NONE
        if state.users >> player & 1:
            action = chosen(second_choices, player)
            take(state, player, action)
            reveal(state, player, action)
            note_last(state, 1, player, action)
            state.fields[player] -= ONE_CHOPSTICKS
            state.hands[player] += ONE_CHOPSTICKS
    state.users = 0
    state.step = 0


@njit
def note_last(state, place, player, action):
    """Remember a card that was revealed, over the mark for none."""
    state.last[place] ^= (action ^ USE_CHOPSTICKS) << (4 * player)


@njit
def take(state, player, action):
    """Take the action's card from the hand; only its owner knows yet."""
    state.hands[player] -= ONE[action]
    state.wasabi[player] += WASABI_CHANGE[action]


@njit
def commit(state, player, action):
    """Choose a card that waits, face down, for those who use chopsticks."""
    take(state, player, action)
    state.pending[player] = action


@njit
def reveal(state, player, action):
    """Put a card that was taken on the field and score it."""
    state.fields[player] += ONE[action]
    state.scores[player] += POINTS[action, count_of(state.fields[player], action)]
    if action >= ON_WASABI:
        state.on_wasabi[player, action - ON_WASABI] += 1


@njit
def finish_turn(game, state):
    """Pass the hands, or end the round when they are empty."""
    state.passes += 1
    if state.passes == game.hand_size:
        finish_round(game, state)
        return
    first = state.hands[0]
    for player in range(game.players - 1):
        state.hands[player] = state.hands[player + 1]
    state.hands[game.players - 1] = first


@njit
def finish_round(game, state):
    """Score the maki, clear the fields, then deal again or end the game."""
    score_maki(game, state)
    for player in range(game.players):
        state.fields[player] &= ALL_PUDDINGS
    clear_wasabi(state)
    state.round += 1
    if state.round < ROUNDS:
        deal(game, state)
    else:
        score_puddings(game, state)
