"""The rules of Uno as the TAG framework plays it.

Sources: the rules of M. Robbins' game (1971); the TAG framework (Gaina et al., "TAG: A
Tabletop Games Framework", 2020) as of April 2022, which the MultiTree paper used.
"""

import numpy as np
from numba import njit

from mcts_agents.envs.uno.cards import (
    ACTIONS,
    COLOURS,
    DRAW,
    KINDS,
    NO_COLOUR,
    POINTS,
    add_card,
    match_table,
    number_of,
    point_masks,
    size_of,
    value_of,
    whole_deck,
)
from mcts_agents.envs.uno.rounds import (
    CLASSIC,
    FEWEST_PLAYERS,
    GAME,
    INCREMENTAL,
    MOST_PLAYERS,
    STATE,
    play,
    playable,
    set_up,
)
from mcts_agents.model import (
    LOST,
    PLAYING,
    WON,
    Rules,
    Spec,
    random_below,
    shuffle,
)
from mcts_agents.model.bits import count_bits, lowest_bit, nth_bit
from mcts_agents.model.hashing import mixed

SCORINGS = {"incremental": INCREMENTAL, "classic": CLASSIC}
MOST_TARGET = 5000

# An observation: counts of the own hand and of the discards by kind, the card on top
# and the colour in force as one of so many, then SEAT_COLUMNS for each seat.
HAND_AT, DISCARDS_AT, TOP_AT, COLOUR_AT = 0, KINDS, 2 * KINDS, 3 * KINDS
DIRECTION_AT = COLOUR_AT + COLOURS
PILE_AT = DIRECTION_AT + 1
SEATS_AT = PILE_AT + 1
SEAT_CARDS, SEAT_ON_TURN, SEAT_POINTS, SEAT_COLUMNS = 0, 1, 2, 4
DIGITS = 100  # int8 holds no points: hundreds and the rest stand in two columns
MOST_SEEN = 127

rules = Rules(
    "uno", state=STATE, game=GAME, search_defaults={"value": "score", "rollout": 0}
)


@rules.variant
def variant(
    game,
    *,
    players=4,
    target=500,
    scoring="incremental",
    quirks=True,
    match_symbols=False,
):
    """Check the options and fill in the tables of cards."""
    if not FEWEST_PLAYERS <= players <= MOST_PLAYERS:
        raise ValueError(f"players={players}: uno is for 2 to 10 players")
    whole = isinstance(target, int) and not isinstance(target, bool)
    if not whole or not 1 <= target <= MOST_TARGET:
        raise ValueError(f"target={target!r}: expected 1 to {MOST_TARGET} points")
    if scoring not in SCORINGS:
        raise ValueError(
            f"scoring={scoring!r}: expected {' or '.join(map(repr, SCORINGS))}"
        )
    for name, value in (("quirks", quirks), ("match_symbols", match_symbols)):
        if not isinstance(value, bool):
            raise ValueError(f"{name}={value!r}: expected true or false")
    game["match"] = match_table(numbered_wilds=quirks, match_symbols=match_symbols)
    game["point_masks"] = point_masks(POINTS)
    game["deck"] = whole_deck()
    game["target"] = target
    game["scoring"] = SCORINGS[scoring]
    game["quirks"] = quirks
    return Spec(
        players=players,
        actions=ACTIONS,
        observation_shape=(SEATS_AT + SEAT_COLUMNS * players,),
        observation_bounds=(0, MOST_SEEN),
    )


@rules.define
def reset(game, state, rng):
    """Deal the first round, in which player 0 is the first."""
    set_up(game, state, rng)


@rules.define
def movers(game, state):
    """The player on turn."""
    return np.int64(0) if state.over else 1 << np.int64(state.player)


@rules.define
def apply(game, state, joint_action, rng):
    """Play a card, or draw one."""
    play(game, state, np.int64(joint_action[state.player]), rng)


@rules.define
def scores(game, state, out):
    """Points; where these are bad, negative and with those of the hand.

    With incremental scoring the cards in a hand count already, as long as a round goes
    on; what is worth to get rid of lowers the score from the beginning.
    """
    for player in range(game.players):
        points = np.int64(state.points[player])
        if game.scoring == INCREMENTAL:
            if not state.over:
                points += value_of(game, state.hands[player])
            points = -points
        out[player] = points


@rules.define
def results(game, state, out):
    """Fewest points win, or with classic scoring most; all of those who tie win."""
    sign = 1 if game.scoring == CLASSIC else -1
    best = sign * np.int64(state.points[0])
    for player in range(1, game.players):
        best = max(best, sign * np.int64(state.points[player]))
    for player in range(game.players):
        if not state.over:
            out[player] = PLAYING
        else:
            out[player] = WON if sign * state.points[player] == best else LOST


@rules.define
def turn(game, state):
    """Cards played and cards drawn by players on turn."""
    return np.int64(state.turn)


@rules.define
def round(game, state):
    """Rounds ended."""
    return np.int64(state.round)


@rules.define
def visible_action(game, state, joint_action, actor, observer):
    """All see what is played and that a card is drawn; which card the state hides."""
    return np.int64(joint_action[actor])


# -- choosing


@rules.define
def legal_actions(game, state, player, out):
    """Each card that may be played, a wild once for each colour; else to draw."""
    if state.over or player != state.player:
        return 0
    word = playable(game, state, state.hands[player])
    n = 0
    while word:
        out[n] = lowest_bit(word)
        word &= word - np.uint64(1)
        n += 1
    if n == 0:
        out[0] = DRAW
        n = 1
    return n


@njit
def random_choice(game, state, rng):
    """Return a uniformly random legal action of the player on turn."""
    word = playable(game, state, state.hands[state.player])
    if word == 0:
        return np.int64(DRAW)
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
    """Shuffle the other hands and the pile together, and deal them anew.

    The cards are those of the deck that are neither in the own hand nor discarded,
    taken in ascending order, so that nothing of where they were is left.
    """
    number = 0
    own, discards = state.hands[observer], state.discards
    for card in range(KINDS):
        hidden = number_of(game.deck, card) - number_of(discards, card)
        for _ in range(hidden - number_of(own, card)):
            state.pile[number] = card
            number += 1
    shuffle(rng, state.pile, number)
    for player in range(game.players):
        if player != observer:
            hand = state.hands[player]
            size = size_of(hand)
            hand[0] = 0
            hand[1] = 0
            for _ in range(size):
                number -= 1
                add_card(hand, np.int64(state.pile[number]))
    for place in range(number, len(state.pile)):
        state.pile[place] = 0


@rules.define
def state_key(game, state, observer):
    """A hash of all that matters for what follows; for observer -1 the hidden cards."""
    facts = np.int64(state.player) | np.int64(state.top) << 8
    facts |= np.int64(state.colour) << 16 | np.int64(state.over) << 24
    facts |= np.int64(state.direction > 0) << 32
    key = mixed(mixed(np.uint64(game.players), facts), state.discards[0])
    key = mixed(key, state.discards[1])
    for player in range(game.players):
        key = mixed(key, np.int64(state.points[player]))
        if observer < 0 or player == observer:
            key = mixed(mixed(key, state.hands[player, 0]), state.hands[player, 1])
        else:
            key = mixed(key, size_of(state.hands[player]))
    if observer < 0:
        for place in range(state.pile_size):
            key = mixed(key, np.int64(state.pile[place]))
    return np.int64(key)


@rules.define
def observe(game, state, player, out):
    """Counts of cards that the player sees, then each seat from the own on."""
    for card in range(KINDS):
        out[HAND_AT + card] = number_of(state.hands[player], card)
        out[DISCARDS_AT + card] = number_of(state.discards, card)
    out[TOP_AT + state.top] = 1
    if state.colour != NO_COLOUR:
        out[COLOUR_AT + state.colour] = 1
    out[DIRECTION_AT] = state.direction > 0
    out[PILE_AT] = state.pile_size
    for seat in range(game.players):
        owner = (player + seat) % game.players
        row = out[SEATS_AT + SEAT_COLUMNS * seat :]
        row[SEAT_CARDS] = size_of(state.hands[owner])
        row[SEAT_ON_TURN] = not state.over and state.player == owner
        row[SEAT_POINTS] = state.points[owner] // DIGITS
        row[SEAT_POINTS + 1] = state.points[owner] % DIGITS
