"""How a turn of Exploding Kittens goes: cards played, the Nope window, draws."""

import numpy as np
from numba import njit

from mcts_agents.envs.exploding_kittens.cards import (
    CARD_OF,
    COPIES,
    DEALT,
    DEFUSE,
    DEFUSES,
    GIVE,
    GIVE_NOTHING,
    KITTEN,
    MAX_SEATS,
    MOST_IN_PILE,
    MOST_SEEN,
    NEXT,
    NOPE,
    NOPES,
    ONE,
    ORDER_OF,
    PLACE,
    PLAY_ATTACK,
    PLAY_FAVOR,
    PLAY_NOPE,
    PLAY_SEE,
    PLAY_SHUFFLE,
    PLAY_SKIP,
    PUT_BACK,
    any_card,
    count_of,
    size_of,
    types_of,
    without,
)
from mcts_agents.model import random_below

# What is decided now: a card to play or the draw; whether to nope; which card to give;
# the order of the top cards; where the kitten goes.
MAIN, ASKED, GIVING, ORDERING, PLACING, OVER = range(6)
DRAWS_AFTER_ATTACK = 2
NOBODY = NO_ACTION = -1
MOST_NOPES = COPIES[NOPE]

STATE = np.dtype(
    [
        ("hands", np.int64, MAX_SEATS),  # bunches; a card that is played has left
        ("discards", np.int64),  # bunch, the card in the Nope window included
        # known[observer, owner]: cards that the observer knows to be in the hand.
        ("known", np.int64, (MAX_SEATS, MAX_SEATS)),
        ("seen", np.int64, MAX_SEATS),  # masks: places of the pile that a player knows
        ("turn", np.int32),  # turns ended
        ("pile", np.uint8, MOST_IN_PILE),  # the next card at place pile_left - 1
        ("pile_left", np.uint8),
        ("order_of_death", np.uint8, MAX_SEATS),  # 1 for who was out first, 0 if in
        ("last", np.int8, MAX_SEATS),  # what all saw of the last action, NO_ACTION
        ("nopers", np.uint8, MOST_NOPES),  # who has noped in the open window, in order
        ("nopes", np.uint8),  # their number
        ("alive", np.uint8),  # mask
        ("phase", np.uint8),
        ("player", np.uint8),  # who decides
        ("turn_of", np.uint8),  # whose turn it is
        ("draws", np.uint8),  # that end it
        ("pending", np.uint8),  # action in the Nope window
    ]
)
GAME = np.dtype([("deck", np.int64), ("published", np.bool_)])


# -- the beginning


@njit
def deal(game, state, rng):
    """Deal seven cards and a defuse to each player, shuffle the rest into the pile."""
    special = (game.deck & DEFUSES) | (game.deck & (15 << 4 * KITTEN))
    rest = game.deck - special
    left = size_of(rest)
    for player in range(MAX_SEATS):
        state.hands[player] = 0
        if player < game.players:
            state.hands[player] = ONE[DEFUSE]
            special -= ONE[DEFUSE]
            for _ in range(DEALT):
                card = any_card(rest, left, rng)
                rest -= ONE[card]
                left -= 1
                state.hands[player] += ONE[card]
    rest += special
    left = size_of(rest)
    state.pile_left = left
    for place in range(MOST_IN_PILE):
        state.pile[place] = 0
    for place in range(left):
        card = any_card(rest, left - place, rng)
        rest -= ONE[card]
        state.pile[place] = card


@njit
def shuffle_pile(state, rng):
    """Shuffle the pile; all that players knew of it is lost."""
    for place in range(np.int64(state.pile_left) - 1, 0, -1):
        other = random_below(rng, place + 1)
        card = state.pile[place]
        state.pile[place] = state.pile[other]
        state.pile[other] = card
    for player in range(MAX_SEATS):
        state.seen[player] = 0


# -- what players see of each other


@njit
def discard(game, state, owner, card):
    """Put a card of a hand on the discard pile, before all eyes.

    Of two equal cards an observer cannot tell which one is left, so that it may be the
    one that was known.
    """
    state.hands[owner] -= ONE[card]
    state.discards += ONE[card]
    for observer in range(game.players):
        state.known[observer, owner] = without(state.known[observer, owner], card)


@njit
def hand_over(game, state, giver, taker, card):
    """Give a card to another player; both know it, the others see its back.

    Of each type that an observer knew the giver to hold it may be the one given.
    """
    state.hands[giver] -= ONE[card]
    state.hands[taker] += ONE[card]
    for observer in range(game.players):
        known = state.known[observer, giver]
        if observer == taker:
            state.known[observer, giver] = without(known, card)
        else:
            state.known[observer, giver] = known - types_of(known)
    state.known[giver, taker] += ONE[card]


@njit
def top_places(state):
    """Return the mask of the places of the top three cards."""
    left = np.int64(state.pile_left)
    return (1 << left) - (1 << max(left - MOST_SEEN, 0))


@njit
def next_holder(game, state, after, last):
    """Return the next player after `after`, up to `last`, who holds a Nope."""
    player = after
    for _ in range(game.players):
        player = 0 if player + 1 == game.players else player + 1
        if state.hands[player] & NOPES:
            return player
        if player == last:
            break
    return NOBODY


@njit
def ask(game, state, player):
    """Ask a player about a Nope; all see by it that he holds one."""
    state.phase = ASKED
    state.player = player
    for observer in range(game.players):
        known = state.known[observer, player]
        if observer != player and known & NOPES == 0:
            state.known[observer, player] = known + ONE[NOPE]


@njit
def last_actor(state):
    """Return who put the top card on the stack of the Nope window."""
    if state.nopes:
        return np.int64(state.nopers[state.nopes - 1])
    return np.int64(state.turn_of)


# -- a turn


@njit
def begin_turn(state, player, draws):
    """Let a player's turn begin."""
    state.turn += 1
    state.turn_of = player
    state.draws = draws
    go_on(state)


@njit
def go_on(state):
    """Let the player whose turn it is decide what to play."""
    state.phase = MAIN
    state.player = state.turn_of


@njit
def count_draw(state):
    """Count a draw; after the last one it is the next player's turn."""
    if state.draws > 1:
        state.draws -= 1
        go_on(state)
    else:
        begin_turn(state, NEXT[state.alive, state.turn_of], 1)


@njit
def play(game, state, action, rng):
    """Let the player who decides do it."""
    player = np.int64(state.player)
    state.last[player] = seen_by_all(action)
    if state.phase == MAIN:
        if action:
            play_card(game, state, player, action, rng)
        else:
            draw(game, state, player)
    elif state.phase == ASKED:
        answer(game, state, player, action, rng)
    elif state.phase == GIVING:
        if action != GIVE_NOTHING:
            taker = np.int64(state.turn_of)
            hand_over(game, state, player, taker, action - GIVE)
        go_on(state)
    elif state.phase == ORDERING:
        put_back(game, state, player, action - PUT_BACK)
    else:
        place_kitten(game, state, player, action - PLACE)


@njit
def seen_by_all(action):
    """Return what everybody sees of an action: not the card, the order, the place."""
    if action >= PLACE:
        return PLACE
    if action >= PUT_BACK:
        return PUT_BACK
    if GIVE <= action < GIVE_NOTHING:
        return GIVE
    return action


@njit
def play_card(game, state, player, action, rng):
    """Discard a card and ask who holds a Nope; without any it takes effect."""
    discard(game, state, player, CARD_OF[action])
    state.pending = action
    state.nopes = 0
    holder = next_holder(game, state, player, player)
    if holder >= 0:
        ask(game, state, holder)
    else:
        take_effect(game, state, rng)


@njit
def answer(game, state, player, action, rng):
    """Nope, which opens the window anew, or pass; at its end the card counts."""
    holder = NOBODY
    if action == PLAY_NOPE:
        discard(game, state, player, NOPE)
        state.nopers[state.nopes] = player
        state.nopes += 1
        holder = next_holder(game, state, player, player)
    else:
        last = last_actor(state)
        if player != last:
            holder = next_holder(game, state, player, last)
    if holder >= 0:
        ask(game, state, holder)
    elif state.nopes & 1:
        close_window(state)
        go_on(state)
    else:
        take_effect(game, state, rng)


@njit
def close_window(state):
    """Forget the stack of the Nope window."""
    state.pending = 0
    for place in range(MOST_NOPES):
        state.nopers[place] = 0
    state.nopes = 0


@njit
def take_effect(game, state, rng):
    """Do what a card does that was played and not cancelled."""
    action = np.int64(state.pending)
    close_window(state)
    if action >= PLAY_ATTACK:
        begin_turn(state, action - PLAY_ATTACK, DRAWS_AFTER_ATTACK)
    elif action >= PLAY_FAVOR:
        state.phase = GIVING
        state.player = action - PLAY_FAVOR
    elif action == PLAY_SKIP:
        count_draw(state)
    else:
        go_on(state)
        if action == PLAY_SHUFFLE:
            shuffle_pile(state, rng)
        elif action == PLAY_SEE:
            state.seen[state.turn_of] |= top_places(state)
            if not game.published:
                state.phase = ORDERING


@njit
def put_back(game, state, player, order):
    """Put the top cards back in an order; nobody else knows them any more."""
    left = np.int64(state.pile_left)
    number = min(left, MOST_SEEN)
    first = second = third = np.int64(state.pile[left - 1])
    if number > 1:
        second = np.int64(state.pile[left - 2])
    if number > 2:
        third = np.int64(state.pile[left - 3])
    for place in range(number):
        source = ORDER_OF[order, place]
        card = first if source == 0 else (second if source == 1 else third)
        state.pile[left - 1 - place] = card
    others = ~top_places(state)
    for observer in range(game.players):
        if observer != player:
            state.seen[observer] &= others
    go_on(state)


@njit
def draw(game, state, player):
    """Draw the top card; a kitten needs a defuse."""
    left = np.int64(state.pile_left) - 1
    card = np.int64(state.pile[left])
    state.pile[left] = 0
    state.pile_left = left
    below = (1 << left) - 1
    for observer in range(game.players):
        state.seen[observer] &= below
    if card != KITTEN:
        state.hands[player] += ONE[card]
        count_draw(state)
    elif count_of(state.hands[player], DEFUSE):
        discard(game, state, player, DEFUSE)
        state.phase = PLACING
    else:
        explode(game, state, player)


@njit
def explode(game, state, player):
    """Put a player out of the game; hand and kitten are discarded."""
    state.discards += state.hands[player] + ONE[KITTEN]
    state.hands[player] = 0
    state.seen[player] = 0
    for other in range(game.players):
        state.known[player, other] = 0
        state.known[other, player] = 0
    alive = np.int64(state.alive) & ~(1 << player)
    state.alive = alive
    out = 1
    for other in range(game.players):
        out += state.order_of_death[other] != 0
    state.order_of_death[player] = out
    if alive & (alive - 1) == 0:
        state.phase = OVER
        state.turn += 1
    else:
        begin_turn(state, NEXT[alive, player], 1)


@njit
def place_kitten(game, state, player, depth):
    """Put the kitten into the pile, under `depth` cards; the others know no place."""
    left = np.int64(state.pile_left)
    place = left - depth
    for above in range(left, place, -1):
        state.pile[above] = state.pile[above - 1]
    state.pile[place] = KITTEN
    state.pile_left = left + 1
    seen = state.seen[player]
    below = seen & ((1 << place) - 1)
    for observer in range(game.players):
        state.seen[observer] = 0
    state.seen[player] = below | ((seen >> place) << (place + 1)) | (1 << place)
    count_draw(state)
