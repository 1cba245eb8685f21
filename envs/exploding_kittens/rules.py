"""The rules of Exploding Kittens as the TAG framework plays it.

Sources: the rules of the game by E. Lee, M. Inman and S. Small (2015); the TAG
framework (Gaina et al., "TAG: A Tabletop Games Framework", 2020) as of April 2022,
which the MultiTree paper used.
"""

import numpy as np
from numba import njit

from mcts_agents.envs.exploding_kittens.cards import (
    ACTIONS,
    ATTACK,
    COPIES,
    DEFUSE,
    DIFFERENT,
    FAVOR,
    GIVE,
    GIVE_NOTHING,
    GIVEN_TYPES,
    KITTEN,
    MAX_SEATS,
    MOST_IN_PILE,
    MOST_SEEN,
    NEXT,
    ONE,
    PASS,
    PLACE,
    PLAY_ATTACK,
    PLAY_FAVOR,
    PLAY_NOPE,
    PLAY_SEE,
    PLAY_SHUFFLE,
    PLAY_SKIP,
    PUT_BACK,
    SEE,
    SHUFFLE,
    SKIP,
    TYPES,
    count_of,
    size_of,
    types_of,
)
from mcts_agents.envs.exploding_kittens.knowledge import (
    key_for,
    known_hand,
    resample,
)
from mcts_agents.envs.exploding_kittens.turns import (
    ASKED,
    GAME,
    GIVING,
    MAIN,
    NO_ACTION,
    OVER,
    PLACING,
    STATE,
    begin_turn,
    close_window,
    deal,
    play,
    seen_by_all,
)
from mcts_agents.model import LOST, PLAYING, WON, Rules, Spec, random_below
from mcts_agents.model.bits import count_bits, lowest_bit, nth_bit

PLAYER_COUNTS = (2, 3, 4, 5)
LEGAL_LIMIT = MOST_IN_PILE  # a kitten's places
RULEBOOKS = ("tag", "published")

# Rows of an observation: the seats from the observer on, then a common one, then the
# pile from the top.
SEAT_HAND, SEAT_CARDS, SEAT_OUT, SEAT_TURN, SEAT_DECIDES = 0, 12, 13, 14, 15
COMMON_DISCARDS, COMMON_PILE, COMMON_DRAWS, COMMON_PHASE = 0, 13, 14, 15
COMMON_PENDING, COMMON_NOPES = 21, 22
PILE_UNKNOWN, PILE_KNOWN = 1, 2
COLUMNS = MOST_IN_PILE
MOST_OBSERVED = 40

rules = Rules(
    "exploding_kittens",
    state=STATE,
    game=GAME,
    search_defaults={"value": "score", "score_bonus": 0.0, "rollout": 30},
)


@rules.variant
def variant(game, *, players=4, rulebook="tag"):
    """Fill in the deck and the rule book."""
    if players not in PLAYER_COUNTS:
        raise ValueError(f"players={players}: exploding_kittens is for 2 to 5 players")
    if rulebook not in RULEBOOKS:
        raise ValueError(
            f"rulebook={rulebook!r}: exploding_kittens has 'tag', 'published'"
        )
    copies = (*COPIES[:KITTEN], players - 1)
    game["deck"] = sum(number << 4 * card for card, number in enumerate(copies))
    game["published"] = rulebook == "published"
    return Spec(
        players=players,
        actions=ACTIONS,
        legal_limit=LEGAL_LIMIT,
        observation_shape=(players + 2, COLUMNS),
        observation_bounds=(0, MOST_OBSERVED),
    )


@rules.define
def reset(game, state, rng):
    """Deal; player 0 begins."""
    for player in range(MAX_SEATS):
        state.seen[player] = 0
        state.order_of_death[player] = 0
        state.last[player] = NO_ACTION
        for other in range(MAX_SEATS):
            state.known[player, other] = 0
    state.discards = 0
    state.alive = (1 << game.players) - 1
    close_window(state)
    deal(game, state, rng)
    for player in range(game.players):
        for other in range(game.players):
            if other != player:
                state.known[player, other] = ONE[DEFUSE]
    begin_turn(state, 0, 1)
    state.turn = 0


@rules.define
def movers(game, state):
    """The player who plays, is asked for a Nope, gives, orders or places."""
    return np.int64(0) if state.phase == OVER else 1 << np.int64(state.player)


@rules.define
def apply(game, state, joint_action, rng):
    """Play a card or draw, or decide what a card asks for."""
    play(game, state, np.int64(joint_action[state.player]), rng)


@rules.define
def scores(game, state, out):
    """Other players who are out; for a player who is out those who were out before."""
    number = 0
    for player in range(game.players):
        number += state.order_of_death[player] != 0
    for player in range(game.players):
        order = np.int64(state.order_of_death[player])
        out[player] = order - 1 if order else number


@rules.define
def results(game, state, out):
    """Who explodes has lost; the last player wins."""
    for player in range(game.players):
        if state.order_of_death[player]:
            out[player] = LOST
        else:
            out[player] = WON if state.phase == OVER else PLAYING


@rules.define
def evaluate(game, state, out):
    """The score as a share of all other players."""
    number = 0
    for player in range(game.players):
        number += state.order_of_death[player] != 0
    for player in range(game.players):
        order = np.int64(state.order_of_death[player])
        out[player] = (order - 1 if order else number) / (game.players - 1)


@rules.define
def is_out(game, state, player):
    """Whether a player has exploded."""
    return 1 if state.order_of_death[player] else 0


@rules.define
def turn(game, state):
    """Turns ended."""
    return np.int64(state.turn)


@rules.define
def round(game, state):
    """As many turns as there are players are a round, whoever is out."""
    return np.int64(state.turn) // game.players


@rules.define
def visible_action(game, state, joint_action, actor, observer):
    """All but the card given, the order of the top cards and the kitten's place.

    Who takes a card sees it. What is hidden has a number that no action has.
    """
    action = np.int64(joint_action[actor])
    if observer == actor:
        return action
    if observer == state.turn_of and GIVE <= action < GIVE_NOTHING:
        return action
    hidden = GIVE <= action < GIVE_NOTHING or action >= PUT_BACK
    return np.int64(ACTIONS + seen_by_all(action) if hidden else action)


# -- choosing


@njit
def has_card(hand, card):
    """Return 1 if a hand holds a card of a type, else 0."""
    return np.int64(count_of(hand, card) != 0)


@njit
def main_mask(game, state, player):
    """Return the mask of what a player may do in the own turn: draw, or play a card."""
    hand = state.hands[player]
    others = np.int64(state.alive) & ~(1 << player)
    attacked = others
    if game.published:
        attacked = 1 << np.int64(NEXT[state.alive, player])
    asked = 0
    for other in range(game.players):
        asked |= np.int64(state.hands[other] != 0) << other
    return (
        1
        | has_card(hand, SKIP) << PLAY_SKIP
        | has_card(hand, SHUFFLE) << PLAY_SHUFFLE
        | has_card(hand, SEE) << PLAY_SEE
        | has_card(hand, FAVOR) * (asked & others) << PLAY_FAVOR
        | has_card(hand, ATTACK) * attacked << PLAY_ATTACK
    )


@njit
def given_mask(hand):
    """Return the mask of the actions that give a card of a hand."""
    if hand == 0:
        return 1 << GIVE_NOTHING
    mask = 0
    types = np.uint64(types_of(hand))
    while types:
        place = lowest_bit(types)
        types &= types - np.uint64(1)
        mask |= 1 << (GIVE + (place >> 2))
    return mask


@njit
def order_mask(state):
    """Return the mask of the orders of the top cards that differ."""
    left = np.int64(state.pile_left)
    first = second = third = np.int64(state.pile[left - 1])
    if left > 1:
        second = np.int64(state.pile[left - 2])
    if left > 2:
        third = np.int64(state.pile[left - 3])
    equal = np.int64(first == second)
    equal |= np.int64(second == third) << 1 | np.int64(first == third) << 2
    return DIFFERENT[min(left, MOST_SEEN), equal]


@njit
def simple_mask(game, state, player):
    """Return the mask of the legal actions, if no kitten is to be placed."""
    if state.phase == MAIN:
        return main_mask(game, state, player)
    if state.phase == ASKED:
        return 1 << PLAY_NOPE | 1 << PASS
    if state.phase == GIVING:
        return given_mask(state.hands[player])
    return order_mask(state)


@rules.define
def legal_actions(game, state, player, out):
    """Write them in ascending order."""
    if player != state.player or state.phase == OVER:
        return 0
    if state.phase == PLACING:
        places = np.int64(state.pile_left) + 1
        for place in range(places):
            out[place] = PLACE + place
        return places
    mask = np.uint64(simple_mask(game, state, player))
    n = 0
    while mask:
        out[n] = lowest_bit(mask)
        mask &= mask - np.uint64(1)
        n += 1
    return n


@njit
def random_choice(game, state, player, rng):
    """Return a uniformly random legal action of the player who decides."""
    if state.phase == PLACING:
        return PLACE + random_below(rng, np.int64(state.pile_left) + 1)
    mask = np.uint64(simple_mask(game, state, player))
    number = count_bits(mask)
    if number == 1:
        return lowest_bit(mask)
    return nth_bit(mask, random_below(rng, number))


@rules.define
def random_action(game, state, player, rng):
    """A uniformly random legal action."""
    return random_choice(game, state, player, rng)


@rules.define
def playout(game, state, rng, limit):
    """Random play until the game is over or `limit` actions were played."""
    played = 0
    while played < limit and state.phase != OVER:
        player = np.int64(state.player)
        play(game, state, random_choice(game, state, player, rng), rng)
        played += 1
    return played


# -- what a player knows


@rules.define
def redeterminise(game, state, observer, rng):
    """Shuffle the cards that the observer cannot place, and deal them anew."""
    resample(game, state, observer, rng)


@rules.define
def state_key(game, state, observer):
    """Hash of the position; the last actions and what was before do not count."""
    return key_for(game, state, observer)


@rules.define
def observe(game, state, player, out):
    """A row per seat from the player's own on, one of common facts, and the pile."""
    for seat in range(game.players):
        owner = (player + seat) % game.players
        row = out[seat * COLUMNS : (seat + 1) * COLUMNS]
        known = known_hand(state, player, owner)
        for card in range(GIVEN_TYPES):
            row[SEAT_HAND + card] = count_of(known, card)
        row[SEAT_CARDS] = size_of(state.hands[owner])
        row[SEAT_OUT] = state.order_of_death[owner]
        row[SEAT_TURN] = state.turn_of == owner and state.phase != OVER
        row[SEAT_DECIDES] = state.player == owner and state.phase != OVER
    row = out[game.players * COLUMNS : (game.players + 1) * COLUMNS]
    for card in range(TYPES):
        row[COMMON_DISCARDS + card] = count_of(state.discards, card)
    row[COMMON_PILE] = state.pile_left
    row[COMMON_DRAWS] = state.draws
    row[COMMON_PHASE + state.phase] = 1
    if state.phase == ASKED:
        row[COMMON_PENDING] = state.pending
        row[COMMON_NOPES] = state.nopes
    row = out[(game.players + 1) * COLUMNS : (game.players + 2) * COLUMNS]
    left = np.int64(state.pile_left)
    for depth in range(left):
        place = left - 1 - depth
        row[depth] = PILE_UNKNOWN
        if state.seen[player] >> place & 1:
            row[depth] = PILE_KNOWN + state.pile[place]
