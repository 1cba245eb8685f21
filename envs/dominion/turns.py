"""How a turn of Dominion goes: cards played and what they ask for, buys, clean-up."""

import numpy as np
from numba import njit

from mcts_agents.envs.dominion.cards import (
    AFFORDABLE,
    BUY,
    CELLAR,
    COPPER,
    COST,
    DISCARD,
    DRAWN,
    END,
    ESTATE,
    GAIN,
    HAND,
    KINGDOM,
    MAX_SEATS,
    MERCHANT,
    MILITIA,
    MINE,
    MOAT,
    MORE_ACTIONS,
    MORE_BUYS,
    MORE_MONEY,
    MOST_CARDS,
    MOST_COST,
    PLAY,
    POINTS,
    PROVINCE,
    REMODEL,
    REVEAL,
    SILVER,
    START,
    TRASH,
    TREASURES,
    TYPES,
    WORDS,
    WORKSHOP,
    add,
    clear,
    count_of,
    money_in,
    remove,
    types_in,
)
from mcts_agents.model import random_below
from mcts_agents.model.bits import count_bits

# What is decided: a card to play; one to buy; one more to discard for a Cellar; one to
# gain; one to trash; one to discard because of a Militia; whether to show a Moat.
(
    PLAYING_CARDS,
    BUYING,
    CELLAR_DISCARDS,
    GAINING,
    TRASHING,
    MILITIA_DISCARDS,
    ATTACKED,
    OVER,
) = range(8)
PHASES = OVER + 1
HAND_AFTER_MILITIA = 3
REMODEL_MORE, MINE_MORE, WORKSHOP_COST = 2, 3, 4
EMPTY_PILES = 3  # that end the game
NO_ACTION = -1
NOTHING_TRASHED = -1

STATE = np.dtype(
    [
        ("owned", np.int64, (MAX_SEATS, WORDS)),  # bunches: all cards of a player
        ("hands", np.int64, (MAX_SEATS, WORDS)),
        ("discards", np.int64, (MAX_SEATS, WORDS)),
        # Cards of a hand that all players know to be there.
        ("known", np.int64, (MAX_SEATS, WORDS)),
        ("table", np.int64, WORDS),  # cards that the player on turn has played
        ("supply", np.int64, WORDS),
        ("turn", np.int32),  # turns ended
        ("hand_sizes", np.int16, MAX_SEATS),
        ("pile_left", np.int16, MAX_SEATS),
        ("points", np.int16, MAX_SEATS),
        ("money", np.int16),  # beside treasures
        ("spent", np.int16),
        ("stocked", np.uint16),  # the types of the supply that are left, as bits
        ("phase", np.uint8),
        ("player", np.uint8),  # who decides
        ("turn_of", np.uint8),
        ("actions", np.uint8),  # left in the turn
        ("buys", np.uint8),
        ("merchants", np.uint8),  # played in the turn and not yet paid
        ("effect", np.uint8),  # the card that asks, 0 if none does
        ("discarded", np.uint8),  # for the Cellar
        ("trashed", np.int8),  # for the Mine or Remodel, NOTHING_TRASHED before
        ("defended", np.uint8),  # mask of who has shown a Moat
        ("last", np.int8, MAX_SEATS),  # each player's last action, NO_ACTION
        # The next card at place pile_left - 1.
        ("piles", np.uint8, (MAX_SEATS, MOST_CARDS)),
    ]
)
GAME = np.dtype(
    [
        ("cards", np.int64, WORDS),  # bunch: all cards of a game
        ("supply", np.int64, WORDS),  # bunch: at the beginning
        ("published", np.bool_),
    ]
)

START_COPPERS, START_ESTATES = START[COPPER], START[ESTATE]


# -- the beginning


@njit
def set_up(game, state, rng):
    """Shuffle and deal the first hands; player 0 begins."""
    clear(state.table)
    for word in range(WORDS):
        state.supply[word] = game.supply[word]
    state.stocked = types_in(state.supply)
    for player in range(MAX_SEATS):
        clear(state.owned[player])
        clear(state.hands[player])
        clear(state.discards[player])
        clear(state.known[player])
        state.hand_sizes[player] = 0
        state.pile_left[player] = 0
        state.points[player] = 0
        state.last[player] = NO_ACTION
        for place in range(MOST_CARDS):
            state.piles[player, place] = 0
        if player < game.players:
            for _ in range(START_COPPERS):
                add(state.discards[player], COPPER)
            for _ in range(START_ESTATES):
                add(state.discards[player], ESTATE)
            for word in range(WORDS):
                state.owned[player, word] = state.discards[player, word]
            state.points[player] = START_ESTATES * POINTS[ESTATE]
            draw(state, player, HAND, rng)
    begin_turn(state, 0)
    state.turn = 0


@njit
def begin_turn(state, player):
    """Let a player's turn begin."""
    state.turn_of = player
    state.actions = 1
    state.buys = 1
    state.money = 0
    state.spent = 0
    state.merchants = 0
    state.defended = 0
    state.discarded = 0
    state.trashed = NOTHING_TRASHED
    decide(state, PLAYING_CARDS, player, 0)


@njit
def decide(state, phase, player, effect):
    """Let a player decide something, because of a card if `effect` is not 0."""
    state.phase = phase
    state.player = player
    state.effect = effect


# -- piles and hands


@njit
def draw(state, player, number, rng):
    """Draw cards; where the pile is empty, the discard pile is shuffled first."""
    left = np.int64(state.pile_left[player])
    pile = state.piles[player]
    hand = state.hands[player]
    drawn = 0
    while drawn < number:
        if left == 0:
            left = shuffle_discards(state, player, rng)
            if left == 0:
                break
        left -= 1
        add(hand, np.int64(pile[left]))
        pile[left] = 0
        drawn += 1
    state.pile_left[player] = left
    state.hand_sizes[player] += drawn


@njit
def shuffle_discards(state, player, rng):
    """Make the discards the new pile; returns how many cards it has."""
    discards = state.discards[player]
    left = shuffle_into(discards[0], discards[1], state.piles[player], rng)
    clear(discards)
    return left


@njit
def shuffle_into(low, high, pile, rng):
    """Write the cards of a bunch, given as two words, into a pile in random order.

    Returns their number.
    """
    left = 0
    for card in range(TYPES):
        word = low if card < 8 else high
        for _ in range((word >> 8 * (card & 7)) & 127):
            # Each card goes to a random place, the card there to the end.
            place = random_below(rng, left + 1)
            pile[left] = pile[place]
            pile[place] = card
            left += 1
    return left


@njit
def leave_hand(state, player, card):
    """Take a card out of a hand, before all eyes.

    Of two equal cards nobody else can tell which one is left, so that it may be the
    one that was known.
    """
    remove(state.hands[player], card)
    state.hand_sizes[player] -= 1
    if count_of(state.known[player], card):
        remove(state.known[player], card)


@njit
def obtain(state, player, card):
    """Take a card from the supply; where it goes is up to the caller."""
    remove(state.supply, card)
    if count_of(state.supply, card) == 0:
        state.stocked &= ~(1 << card)
    add(state.owned[player], card)
    state.points[player] += POINTS[card]


@njit
def coins(state):
    """Return what the player on turn has left to spend.

    In a sample for somebody else its hand may be worth less than it has spent.
    """
    treasure = money_in(state.hands[state.turn_of])
    return max(treasure + np.int64(state.money) - np.int64(state.spent), 0)


@njit
def gainable(state, most):
    """Return the types, as bits, that the supply has and that cost at most so much."""
    return np.int64(state.stocked) & AFFORDABLE[min(most, MOST_COST)]


@njit
def gain_choice(state):
    """Return the types, as bits, that the card that was played lets a player gain."""
    if state.effect == WORKSHOP:
        return gainable(state, WORKSHOP_COST)
    cost = COST[state.trashed]
    if state.effect == MINE:
        return gainable(state, cost + MINE_MORE) & TREASURES
    return gainable(state, cost + REMODEL_MORE)


# -- a turn


@njit
def play(game, state, action, rng):
    """Let the player who decides do it."""
    player = np.int64(state.player)
    state.last[player] = action
    if action < BUY:
        if action != END:
            play_card(game, state, player, action - PLAY + KINGDOM, rng)
        elif state.phase == PLAYING_CARDS:
            begin_buying(state, player)
        else:
            end_turn(game, state, rng)
    elif action < GAIN:
        buy(game, state, player, action - BUY, rng)
    elif action < DISCARD:
        gain(state, player, action - GAIN)
    elif action < TRASH:
        discard(game, state, player, action - DISCARD)
    elif action < REVEAL:
        trash(state, player, action - TRASH)
    elif state.phase == CELLAR_DISCARDS:
        draw(state, player, np.int64(state.discarded), rng)
        go_on(state)
    elif state.phase == TRASHING:
        go_on(state)  # the published Mine need not be used
    else:
        answer(game, state, player, action)


@njit
def go_on(state):
    """End an effect; without actions left the buys begin."""
    player = np.int64(state.turn_of)
    state.discarded = 0
    state.trashed = NOTHING_TRASHED
    if state.actions == 0:
        begin_buying(state, player)
    else:
        decide(state, PLAYING_CARDS, player, 0)


@njit
def play_card(game, state, player, card, rng):
    """Play a kingdom card; it may ask for more."""
    leave_hand(state, player, card)
    add(state.table, card)
    state.actions += MORE_ACTIONS[card] - 1
    state.buys += MORE_BUYS[card]
    state.money += MORE_MONEY[card]
    if DRAWN[card]:
        draw(state, player, DRAWN[card], rng)
    if card == CELLAR:
        decide(state, CELLAR_DISCARDS, player, CELLAR)
    elif card == MILITIA:
        state.effect = MILITIA
        attack_after(game, state, player)
    elif card == WORKSHOP and gainable(state, WORKSHOP_COST):
        decide(state, GAINING, player, WORKSHOP)
    elif card == REMODEL and state.hand_sizes[player]:
        decide(state, TRASHING, player, REMODEL)
    elif card == MINE and may_be_used(game, state, player):
        decide(state, TRASHING, player, MINE)
    else:
        state.merchants += card == MERCHANT
        go_on(state)


@njit
def may_be_used(game, state, player):
    """Whether a Mine asks: the published one for any hand, so that it tells nothing."""
    if game.published:
        return state.hand_sizes[player] != 0
    return types_in(state.hands[player]) & TREASURES != 0


@njit
def discard(game, state, player, card):
    """Discard a card, for the Cellar or because of a Militia."""
    leave_hand(state, player, card)
    add(state.discards[player], card)
    if state.phase == CELLAR_DISCARDS:
        state.discarded += 1
    elif state.hand_sizes[player] <= HAND_AFTER_MILITIA:
        attack_after(game, state, player)


@njit
def trash(state, player, card):
    """Trash a card of the hand, and gain another if there is one."""
    leave_hand(state, player, card)
    remove(state.owned[player], card)
    state.points[player] -= POINTS[card]
    state.trashed = card
    if gain_choice(state):
        state.phase = GAINING
    else:
        go_on(state)


@njit
def gain(state, player, card):
    """Gain a card, by the Mine into the hand."""
    obtain(state, player, card)
    if state.effect == MINE:
        add(state.hands[player], card)
        add(state.known[player], card)
        state.hand_sizes[player] += 1
    else:
        add(state.discards[player], card)
    go_on(state)


@njit
def attack_after(game, state, player):
    """Attack the seats after a player's in turn; at the end the turn goes on.

    Who holds a Moat is asked first, by which all see that there is one. Who has at most
    three cards otherwise has nothing to decide, nor who has shown a Moat.
    """
    seat = player + 1
    for _ in range(game.players):
        if seat == game.players:
            seat = 0
        if seat == state.turn_of:
            break
        if state.defended >> seat & 1 == 0:
            if count_of(state.hands[seat], MOAT):
                decide(state, ATTACKED, seat, MILITIA)
                if count_of(state.known[seat], MOAT) == 0:
                    add(state.known[seat], MOAT)
                return
            if state.hand_sizes[seat] > HAND_AFTER_MILITIA:
                decide(state, MILITIA_DISCARDS, seat, MILITIA)
                return
        seat += 1
    if game.published:
        state.defended = 0
    go_on(state)


@njit
def answer(game, state, player, action):
    """Show a Moat, or not."""
    if action == REVEAL:
        state.defended |= 1 << player
    is_open = state.defended >> player & 1 == 0
    if is_open and state.hand_sizes[player] > HAND_AFTER_MILITIA:
        decide(state, MILITIA_DISCARDS, player, MILITIA)
    else:
        attack_after(game, state, player)


@njit
def begin_buying(state, player):
    """Pay for Merchants, and let a player buy."""
    if count_of(state.hands[player], SILVER):
        state.money += state.merchants
    state.merchants = 0
    decide(state, BUYING, player, 0)


@njit
def buy(game, state, player, card, rng):
    """Buy a card; without buys left the turn ends."""
    obtain(state, player, card)
    add(state.discards[player], card)
    state.spent += COST[card]
    state.buys -= 1
    if state.buys == 0:
        end_turn(game, state, rng)


@njit
def end_turn(game, state, rng):
    """End the game, or clean up and let the next player's turn begin."""
    player = np.int64(state.turn_of)
    stocked = np.int64(state.stocked)
    state.turn += 1
    empty = TYPES - count_bits(np.uint64(stocked))
    if stocked >> PROVINCE & 1 == 0 or empty >= EMPTY_PILES:
        state.phase = OVER
        return
    for word in range(WORDS):
        state.discards[player, word] += state.hands[player, word] + state.table[word]
    clear(state.table)
    clear(state.hands[player])
    clear(state.known[player])
    state.hand_sizes[player] = 0
    draw(state, player, HAND, rng)
    begin_turn(state, 0 if player + 1 == game.players else player + 1)
