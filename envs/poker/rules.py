"""The rules of no-limit Texas Hold'em with the fixed bet sizes of the TAG framework.

Sources: the rules of Texas Hold'em; the TAG framework (Gaina et al., "TAG: A Tabletop
Games Framework", 2020) as of April 2022, which the MultiTree paper used.
"""

import numpy as np
from numba import njit

from mcts_agents.envs.poker.cards import BOARD, CARDS, HOLE_CARDS
from mcts_agents.envs.poker.hands import (
    ACTIONS,
    FEWEST_PLAYERS,
    GAME,
    MOST_PLAYERS,
    ON_BOARD,
    STATE,
    bit,
    drawn,
    legal_word,
    play,
    set_up,
)
from mcts_agents.model import LOST, PLAYING, WON, Rules, Spec, random_below
from mcts_agents.model.bits import count_bits, lowest_bit, nth_bit
from mcts_agents.model.hashing import mixed

STACK, SMALL_BLIND, BIG_BLIND, BET_SIZE = 50, 5, 10, 5
RAISE_MULTIPLES = (1, 2, 3, 4)
DEALS, MOST_DEALS = 11, 100
ODD_CHIPS = {"first": False, "lost": True}

# An observation: the own cards and the board by card, the street as one of four, hands
# ended, the highest bet, then SEAT_COLUMNS for each seat.
OWN_AT, BOARD_AT, STREET_AT = 0, CARDS, 2 * CARDS
HAND_AT = STREET_AT + 4
HIGHEST_AT = HAND_AT + 1
BET_MADE_AT = HIGHEST_AT + 2
SEATS_AT = BET_MADE_AT + 1
SEAT_STACK, SEAT_BET, SEAT_IN, SEAT_NEEDS_CALL, SEAT_ACTED = 0, 2, 4, 5, 6
SEAT_SMALL_BLIND, SEAT_FIRST, SEAT_ON_TURN, SEAT_COLUMNS = 7, 8, 9, 10
DIGITS = 100  # int8 holds no such sums: hundreds and the rest stand in two columns
MOST_SEEN = 100

rules = Rules(
    "poker", state=STATE, game=GAME, search_defaults={"value": "score", "rollout": 30}
)


@rules.variant
def variant(game, *, players=4, hands=DEALS, odd_chips="first"):
    """Check the options and fill in the sizes of blinds and bets."""
    if not FEWEST_PLAYERS <= players <= MOST_PLAYERS:
        raise ValueError(f"players={players}: poker is for 2 to 14 players")
    is_number = isinstance(hands, int) and not isinstance(hands, bool)
    if not is_number or not 1 <= hands <= MOST_DEALS:
        raise ValueError(f"hands={hands!r}: expected 1 to {MOST_DEALS} hands")
    if odd_chips not in ODD_CHIPS:
        expected = " or ".join(map(repr, ODD_CHIPS))
        raise ValueError(f"odd_chips={odd_chips!r}: expected {expected}")
    game["stack"] = STACK
    game["small_blind"] = SMALL_BLIND
    game["big_blind"] = BIG_BLIND
    game["bet"] = BET_SIZE
    game["raises"] = RAISE_MULTIPLES
    game["deals"] = hands
    game["cards"] = CARDS
    game["loses_odd_chips"] = ODD_CHIPS[odd_chips]
    return Spec(
        players=players,
        actions=ACTIONS,
        observation_shape=(SEATS_AT + SEAT_COLUMNS * players,),
        observation_bounds=(0, MOST_SEEN),
    )


@rules.define
def reset(game, state, rng):
    """Deal the first hand, in which player 0 is the small blind."""
    set_up(game, state, rng)


@rules.define
def movers(game, state):
    """The player on turn."""
    return np.int64(0) if state.over else 1 << np.int64(state.player)


@rules.define
def apply(game, state, joint_action, rng):
    """Fold, check, call, bet, raise or go all-in."""
    play(game, state, np.int64(joint_action[state.player]), rng)


@rules.define
def scores(game, state, out):
    """The chips in the stack; those in the pot belong to nobody yet."""
    for player in range(game.players):
        out[player] = state.stacks[player]


@rules.define
def results(game, state, out):
    """Most chips win, and all of those who tie for most."""
    best = state.stacks[0]
    for player in range(1, game.players):
        best = max(best, state.stacks[player])
    for player in range(game.players):
        if not state.over:
            out[player] = PLAYING
        else:
            out[player] = WON if state.stacks[player] == best else LOST


@rules.define
def is_out(game, state, player):
    """Whether a player had no chips when a hand ended."""
    return 1 if state.out & bit(player) else 0


@rules.define
def turn(game, state):
    """Actions played."""
    return np.int64(state.turn)


@rules.define
def round(game, state):
    """Hands ended."""
    return np.int64(state.hand)


@rules.define
def visible_action(game, state, joint_action, actor, observer):
    """All see what is done."""
    return np.int64(joint_action[actor])


# -- choosing


@rules.define
def legal_actions(game, state, player, out):
    """What the rules of betting and the player's stack allow."""
    if state.over or player != state.player:
        return 0
    word = legal_word(game, state, player)
    n = 0
    while word:
        out[n] = lowest_bit(word)
        word &= word - np.uint64(1)
        n += 1
    return n


@njit
def random_choice(game, state, rng):
    """Return a uniformly random legal action of the player on turn."""
    word = legal_word(game, state, np.int64(state.player))
    return nth_bit(word, random_below(rng, count_bits(word)))


@rules.define
def random_action(game, state, player, rng):
    """A uniformly random legal action."""
    return random_choice(game, state, rng)


@rules.define
def playout(game, state, rng, limit):
    """Random play until the game is over or `limit` actions were played."""
    played = 0
    while played < limit and not state.over:
        play(game, state, random_choice(game, state, rng), rng)
        played += 1
    return played


# -- what a player knows


@rules.define
def redeterminise(game, state, observer, rng):
    """Deal all cards anew that are neither in the own hand nor on the board.

    They are taken in ascending order, so that nothing of where they were is left. When
    the game is over, all cards lie open.
    """
    if state.over:
        return
    known = np.uint64(0)
    for place in range(HOLE_CARDS):
        if not state.out & bit(observer):
            known |= bit(state.hands[observer, place])
    shown = ON_BOARD[state.street]
    for place in range(shown):
        known |= bit(state.community[place])
    number = 0
    for card in range(game.cards):
        if not known & bit(card):
            state.deck[number] = card
            number += 1
    for place in range(number, CARDS):
        state.deck[place] = 0
    for player in range(game.players):
        if player != observer and not state.out & bit(player):
            for place in range(HOLE_CARDS):
                state.hands[player, place] = drawn(state, number, rng)
                number -= 1
    for place in range(BOARD - shown):
        drawn(state, number - place, rng)
    state.deck_size = number


@rules.define
def state_key(game, state, observer):
    """A hash of all that matters for what follows; for observer -1 the hidden cards."""
    facts = np.int64(state.player) | np.int64(state.first) << 8
    facts |= np.int64(state.small_blind) << 16 | np.int64(state.street) << 24
    facts |= np.int64(state.hand) << 32 | np.int64(state.over) << 40
    facts |= np.int64(state.bet_made) << 48
    key = mixed(mixed(np.uint64(game.players), facts), state.folded)
    key = mixed(mixed(mixed(key, state.needs_call), state.acted), state.out)
    board = np.uint64(0)
    for place in range(ON_BOARD[state.street]):
        board |= bit(state.community[place])
    key = mixed(key, board)
    for player in range(game.players):
        chips = np.int64(state.stacks[player]) | np.int64(state.bets[player]) << 32
        key = mixed(key, chips)
        if (observer < 0 or player == observer) and not state.out & bit(player):
            hand = bit(state.hands[player, 0]) | bit(state.hands[player, 1])
            key = mixed(key, hand)
    if observer < 0:
        for place in range(BOARD - ON_BOARD[state.street]):
            key = mixed(key, np.int64(state.deck[state.deck_size - 1 - place]))
    return np.int64(key)


@rules.define
def observe(game, state, player, out):
    """The own cards and the board, then each seat from the own on."""
    if not state.out & bit(player):
        for place in range(HOLE_CARDS):
            out[OWN_AT + state.hands[player, place]] = 1
    for place in range(ON_BOARD[state.street]):
        out[BOARD_AT + state.community[place]] = 1
    out[STREET_AT + state.street] = 1
    out[HAND_AT] = state.hand
    out[HIGHEST_AT] = state.highest // DIGITS
    out[HIGHEST_AT + 1] = state.highest % DIGITS
    out[BET_MADE_AT] = state.bet_made
    for seat in range(game.players):
        owner = (player + seat) % game.players
        own = bit(owner)
        row = out[SEATS_AT + SEAT_COLUMNS * seat :]
        row[SEAT_STACK] = state.stacks[owner] // DIGITS
        row[SEAT_STACK + 1] = state.stacks[owner] % DIGITS
        row[SEAT_BET] = state.bets[owner] // DIGITS
        row[SEAT_BET + 1] = state.bets[owner] % DIGITS
        row[SEAT_IN] = not (state.out | state.folded) & own
        row[SEAT_NEEDS_CALL] = state.needs_call & own != 0
        row[SEAT_ACTED] = state.acted & own != 0
        row[SEAT_SMALL_BLIND] = state.small_blind == owner
        row[SEAT_FIRST] = state.first == owner
        row[SEAT_ON_TURN] = not state.over and state.player == owner
