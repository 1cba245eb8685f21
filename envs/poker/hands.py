"""The state of a game of Poker and the course of its hands.

Sets of seats are words of bits: bit `seat` of `folded`, for instance.
"""

import numpy as np
from numba import njit

from mcts_agents.envs.poker.cards import (
    BOARD,
    CARDS,
    HOLE_CARDS,
    bit_of_card,
    rank_of,
)
from mcts_agents.model import random_below
from mcts_agents.model.bits import count_bits, lowest_bit

FEWEST_PLAYERS, MOST_PLAYERS = 2, 14
RAISES = 4
FOLD, CHECK, CALL, BET, RAISE, ALL_IN = 0, 1, 2, 3, 4, 8
ACTIONS = 9
NO_ACTION = -1
PREFLOP, RIVER = 0, 3
# Cards on the board, by street.
ON_BOARD = np.array([0, 3, 4, 5], np.int64)

GAME = np.dtype(
    [
        ("stack", np.int64),  # of each player at the beginning
        ("small_blind", np.int64),
        ("big_blind", np.int64),
        ("bet", np.int64),
        ("raises", np.int64, RAISES),  # multiples of the highest bet
        ("deals", np.int64),  # hands to be played
        ("cards", np.int64),  # how many, the first ones of all 52
        ("loses_odd_chips", np.bool_),
    ]
)

STATE = np.dtype(
    [
        ("stacks", np.int32, MOST_PLAYERS),
        ("bets", np.int32, MOST_PLAYERS),  # of each player in this hand
        ("won", np.int32, MOST_PLAYERS),  # paid out at the end of the hand before
        ("highest", np.int32),  # of the bets
        ("turn", np.int32),  # actions played
        ("out", np.uint64),  # seats without chips when a hand ended
        ("folded", np.uint64),
        ("needs_call", np.uint64),
        ("acted", np.uint64),  # on this street
        ("hands", np.uint8, (MOST_PLAYERS, HOLE_CARDS)),
        ("community", np.uint8, BOARD),  # the board, as many as the street has
        ("deck", np.uint8, CARDS),  # the next card is the last of `deck_size`
        ("deck_size", np.uint8),
        ("hand", np.uint8),  # hands ended
        ("street", np.uint8),
        ("small_blind", np.uint8),  # the seat
        ("first", np.uint8),  # the seat that opens the next street
        ("player", np.uint8),  # on turn
        ("bet_made", np.bool_),  # somebody has bet, raised or gone all-in on the street
        ("over", np.bool_),
        ("last", np.int8, MOST_PLAYERS),  # each player's last action in this hand
    ]
)

_ZERO, _ONE = np.uint64(0), np.uint64(1)


@njit
def bit(seat):
    """Return the set of one seat."""
    return _ONE << np.uint64(seat)


@njit
def everybody(game):
    """Return the set of all seats."""
    return bit(game.players) - _ONE


@njit
def players_in(game, state):
    """Return the seats that can still win the hand."""
    return everybody(game) & ~(state.out | state.folded)


@njit
def next_of(seats, seat):
    """Return the next seat of a set that is not empty, after a seat and around."""
    above = seats & ~(bit(seat + 1) - _ONE)
    return lowest_bit(above if above else seats)


@njit
def with_chips(game, state):
    """Return the seats that have chips in their stacks."""
    found = _ZERO
    for seat in range(game.players):
        if state.stacks[seat] > 0:
            found |= bit(seat)
    return found


@njit
def set_up(game, state, rng):
    """Make the opening position."""
    for seat in range(MOST_PLAYERS):
        state.stacks[seat] = game.stack if seat < game.players else 0
        state.won[seat] = 0
        state.hands[seat, 0] = 0
        state.hands[seat, 1] = 0
    state.turn = 0
    state.hand = 0
    state.out = 0
    state.over = False
    state.small_blind = 0
    begin_hand(game, state, rng)
    go_on(game, state, 0, rng)


@njit
def deal(game, state, rng):
    """Shuffle all cards, as far as they can be seen in this hand, and deal."""
    number = game.cards
    for card in range(number):
        state.deck[card] = card
    living = everybody(game) & ~state.out
    for seat in range(game.players):
        if living & bit(seat):
            for place in range(HOLE_CARDS):
                state.hands[seat, place] = drawn(state, number, rng)
                number -= 1
        else:
            state.hands[seat, 0] = 0
            state.hands[seat, 1] = 0
    # The board is chosen now, but stays in the deck.
    for place in range(BOARD):
        drawn(state, number - place, rng)
    state.deck_size = number


@njit
def drawn(state, number, rng):
    """Bring one of the deck's first cards to their end, and return it."""
    place = random_below(rng, number)
    card = state.deck[place]
    state.deck[place] = state.deck[number - 1]
    state.deck[number - 1] = card
    return card


@njit
def begin_hand(game, state, rng):
    """Deal a hand, and take the blinds; the small blind acts first."""
    living = everybody(game) & ~state.out
    small = np.int64(state.small_blind)
    big = next_of(living, small)
    for seat in range(MOST_PLAYERS):
        state.bets[seat] = 0
        state.last[seat] = NO_ACTION
    for place in range(BOARD):
        state.community[place] = 0
    deal(game, state, rng)
    state.highest = 0
    pay(state, small, game.small_blind)
    pay(state, big, game.big_blind)
    state.folded = 0
    state.needs_call = living & ~bit(big) & with_chips(game, state)
    state.acted = 0
    state.bet_made = False
    state.street = PREFLOP
    state.first = small
    state.player = small


@njit
def pay(state, seat, chips):
    """Put chips into the pot, as many as the player has."""
    chips = min(chips, np.int64(state.stacks[seat]))
    state.stacks[seat] -= chips
    state.bets[seat] += chips
    state.highest = max(state.highest, state.bets[seat])


@njit
def legal_word(game, state, player):
    """Return the legal actions of the player on turn, as bits of a word."""
    stack = np.int64(state.stacks[player])
    to_call = np.int64(state.highest - state.bets[player])
    others = players_in(game, state) & ~bit(player)
    can_raise = others & with_chips(game, state) != 0
    word = _ONE << np.uint64(FOLD) | _ONE << np.uint64(ALL_IN)
    if state.needs_call & bit(player):
        if stack >= to_call:
            word |= _ONE << np.uint64(CALL)
        if can_raise:
            for number in range(RAISES):
                if stack >= to_call + game.raises[number] * state.highest:
                    word |= _ONE << np.uint64(RAISE + number)
    else:
        word |= _ONE << np.uint64(CHECK)
        if can_raise and not state.bet_made and stack >= game.bet:
            word |= _ONE << np.uint64(BET)
    return word


@njit
def play(game, state, action, rng):
    """Play an action of the player on turn, and all that nobody decides after it."""
    player = np.int64(state.player)
    state.turn += 1
    state.last[player] = action
    state.acted |= bit(player)
    state.needs_call &= ~bit(player)
    to_call = np.int64(state.highest - state.bets[player])
    if action == FOLD:
        state.folded |= bit(player)
        rest = players_in(game, state)
        if state.first == player:
            state.first = next_of(rest, player)
        if count_bits(rest) == 1:
            end_hand(game, state, rng)
            go_on(game, state, np.int64(state.small_blind), rng)
            return
    elif action == CALL:
        pay(state, player, to_call)
    elif action >= BET:
        if action == BET:
            chips = game.bet
        elif action < ALL_IN:
            chips = to_call + game.raises[action - RAISE] * state.highest
        else:
            chips = np.int64(state.stacks[player])
        pay(state, player, chips)
        state.bet_made = True
        others = players_in(game, state) & ~bit(player)
        state.needs_call = others & with_chips(game, state)
    go_on(game, state, next_of(players_in(game, state), player), rng)


@njit
def go_on(game, state, seat, rng):
    """Find who decides next, from a seat on; streets and hands end on the way.

    Players without chips check, which nobody has to ask them.
    """
    while not state.over:
        deciding = players_in(game, state) & with_chips(game, state)
        waiting = deciding & (state.needs_call | ~state.acted)
        if waiting:
            state.player = seat if waiting & bit(seat) else next_of(waiting, seat)
            return
        if state.street == RIVER:
            end_hand(game, state, rng)
            seat = np.int64(state.small_blind)
        else:
            begin_street(state)
            seat = np.int64(state.first)


@njit
def begin_street(state):
    """Lay the next cards on the board."""
    shown = ON_BOARD[state.street]
    state.street += 1
    for place in range(shown, ON_BOARD[state.street]):
        state.deck_size -= 1
        state.community[place] = state.deck[state.deck_size]
    state.acted = 0
    state.bet_made = False


@njit
def end_hand(game, state, rng):
    """Pay the pots; deal the next hand unless the game is over."""
    for seat in range(game.players):
        state.won[seat] = 0
    pay_pots(game, state)
    for seat in range(game.players):
        state.stacks[seat] += state.won[seat]
        state.bets[seat] = 0
        if state.stacks[seat] == 0:
            state.out |= bit(seat)
    state.highest = 0
    state.needs_call = 0
    state.hand += 1
    living = everybody(game) & ~state.out
    state.over = state.hand >= game.deals or count_bits(living) == 1
    if not state.over:
        state.small_blind = next_of(living, np.int64(state.small_blind))
        begin_hand(game, state, rng)


@njit
def pay_pots(game, state):
    """Split the bets into pots by levels, and pay each to the best of its hands.

    Chips of a level that only players who have folded reached are added to the pot
    below, so that they are not lost.
    """
    still_in = players_in(game, state)
    if count_bits(still_in) == 1:
        pot = np.int64(0)
        for seat in range(game.players):
            pot += state.bets[seat]
        state.won[lowest_bit(still_in)] = pot
        return
    board = np.uint64(0)
    for place in range(ON_BOARD[state.street]):
        board |= bit_of_card(np.int64(state.community[place]))
    below = 0
    while True:
        # The next level is the least bet above the last one of those still in.
        level = np.int64(-1)
        top = np.int64(-1)
        for seat in range(game.players):
            bet = np.int64(state.bets[seat])
            if still_in & bit(seat) and bet > below:
                level = bet if level < 0 else min(level, bet)
                top = max(top, bet)
        if level < 0:
            return
        pot = np.int64(0)
        contenders = _ZERO
        for seat in range(game.players):
            bet = np.int64(state.bets[seat])
            # The uppermost pot takes all that lies above it.
            upto = bet if level == top else min(bet, level)
            pot += max(np.int64(0), upto - below)
            if still_in & bit(seat) and bet >= level:
                contenders |= bit(seat)
        winners = contenders
        if count_bits(contenders) > 1:
            best = np.int64(-1)
            for seat in range(game.players):
                if contenders & bit(seat):
                    word = board | bit_of_card(np.int64(state.hands[seat, 0]))
                    word |= bit_of_card(np.int64(state.hands[seat, 1]))
                    worth = rank_of(word)
                    if worth > best:
                        best = worth
                        winners = _ZERO
                    if worth == best:
                        winners |= bit(seat)
        share_out(game, state, pot, winners)
        below = level


@njit
def share_out(game, state, pot, winners):
    """Pay a pot in equal parts; the odd chips go to the first winner, or are lost."""
    number = count_bits(winners)
    part = pot // number
    for seat in range(game.players):
        if winners & bit(seat):
            state.won[seat] += part
    if not game.loses_odd_chips:
        small = np.int64(state.small_blind)
        first = small if winners & bit(small) else next_of(winners, small)
        state.won[first] += pot - part * number
