"""The rules of Love Letter as the TAG framework plays it.

Sources: the rules of S. Kanai's game (2012); the TAG framework (Gaina et al., "TAG: A
Tabletop Games Framework", 2020) as of April 2022, which the MultiTree paper used.
"""

import numpy as np
from numba import njit

from mcts_agents.envs.love_letter.advice import best_action, write_values
from mcts_agents.envs.love_letter.cards import (
    ACTIONS,
    MAX_SEATS,
    PLAY,
    PLAYABLE,
    PLAYS,
    PRINCE,
    TYPES,
    count_of,
)
from mcts_agents.envs.love_letter.knowledge import (
    key_for,
    knows_hand,
    resample,
    unseen_cards,
)
from mcts_agents.envs.love_letter.rounds import (
    GAME,
    NO_ACTION,
    NOBODY,
    STATE,
    TARGETS,
    begin_round,
    play,
)
from mcts_agents.model import LOST, PLAYING, WON, Rules, Spec, random_below

# A guard at three targets, and a prince at four.
LEGAL_LIMIT = 25

# Rows of an observation: the seats from the observer on, then a common one.
SEAT_HAND, SEAT_KNOWN, SEAT_DISCARDS, SEAT_TOKENS = 0, 8, 9, 17
SEAT_OUT, SEAT_PROTECTED, SEAT_ON_TURN, SEAT_HAS_SEEN = 18, 19, 20, 21
COMMON_UNSEEN, COMMON_PILE, COMMON_FACE_UP, COMMON_DRAWN = 0, 8, 9, 17
COLUMNS = 22
MOST_OBSERVED = 127

rules = Rules(
    "love_letter",
    state=STATE,
    game=GAME,
    search_defaults={"value": "score", "rollout": 30},
)


@rules.variant
def variant(game, *, players=4, baron_shows=False):
    """Fill in the tokens that win and what a tie at the baron shows."""
    if players not in TARGETS:
        raise ValueError(f"players={players}: love_letter is for 2 to 4 players")
    if not isinstance(baron_shows, bool):
        raise ValueError(f"baron_shows={baron_shows!r}: expected true or false")
    game["target"] = TARGETS[players]
    game["baron_shows"] = baron_shows
    return Spec(
        players=players,
        actions=ACTIONS,
        legal_limit=LEGAL_LIMIT,
        observation_shape=(players + 1, COLUMNS),
        observation_bounds=(0, MOST_OBSERVED),
    )


@rules.define
def reset(game, state, rng):
    """Deal the first round, which player 0 starts."""
    for player in range(MAX_SEATS):
        state.tokens[player] = 0
        state.hands[player] = 0
        state.discards[player] = 0
        state.last[player] = NO_ACTION
    state.turn = 0
    state.round = 0
    state.winners = 0
    state.winner = NOBODY
    begin_round(game, state, 0, rng)


@rules.define
def movers(game, state):
    """The player on turn."""
    return np.int64(0) if state.winner >= 0 else 1 << np.int64(state.player)


@rules.define
def apply(game, state, joint_action, rng):
    """Play a card; the next player draws, in a new round if this one is over."""
    play(game, state, np.int64(joint_action[state.player]), rng)


@rules.define
def scores(game, state, out):
    """Tokens."""
    for player in range(game.players):
        out[player] = state.tokens[player]


@rules.define
def results(game, state, out):
    """One player wins, all others lose; being out of a round is no result."""
    for player in range(game.players):
        if state.winner < 0:
            out[player] = PLAYING
        else:
            out[player] = WON if state.winner == player else LOST


@rules.define
def evaluate(game, state, out):
    """Tokens as a share of those that win (at most 1), half of it while out."""
    for player in range(game.players):
        out[player] = min(1.0, state.tokens[player] / game.target)
        if not state.alive >> player & 1:
            out[player] *= 0.5


@rules.define
def turn(game, state):
    """Cards played; drawing belongs to the turn."""
    return np.int64(state.turn)


@rules.define
def round(game, state):
    """Rounds after which tokens were given."""
    return np.int64(state.round)


@rules.define
def visible_action(game, state, joint_action, actor, observer):
    """All plays are public."""
    return np.int64(joint_action[actor])


# -- choosing


@njit
def targets_of(state, player, card):
    """Return the mask of the players at whom a card may be played."""
    alive = np.int64(state.alive)
    return alive if card == PRINCE else alive & ~(1 << player)


@rules.define
def legal_actions(game, state, player, out):
    """Each of the two cards at each target, ascending; the countess where she must."""
    if player != state.player or state.winner >= 0:
        return 0
    n = 0
    for place in range(2):
        card = np.int64(PLAYABLE[place, state.hands[player], state.drawn])
        targets = targets_of(state, player, card)
        for choice in range(PLAYS[card, targets]):
            out[n] = PLAY[card, targets, choice]
            n += 1
    return n


@njit
def random_choice(state, player, rng):
    """Return a uniformly random legal action of the player on turn."""
    hand, drawn = state.hands[player], state.drawn
    first = np.int64(PLAYABLE[0, hand, drawn])
    second = np.int64(PLAYABLE[1, hand, drawn])
    targets = targets_of(state, player, first)
    others = targets_of(state, player, second)
    plays = np.int64(PLAYS[first, targets])
    n = random_below(rng, plays + PLAYS[second, others])
    is_second = np.int64(
        n >= plays
    )  # arithmetic: a branch would be missed half the time
    card = first + is_second * (second - first)
    mask = targets + is_second * (others - targets)
    return np.int64(PLAY[card, mask, n - is_second * plays])


@rules.define
def random_action(game, state, player, rng):
    """A uniformly random legal action."""
    return random_choice(state, player, rng)


@rules.define
def playout(game, state, rng, limit):
    """Random play until the game is over or `limit` actions were played."""
    played = 0
    while played < limit and state.winner < 0:
        action = random_choice(state, np.int64(state.player), rng)
        play(game, state, action, rng)
        played += 1
    return played


@rules.define
def action_values(game, state, player, actions, n, out):
    """Chances by the cards that the player has not seen; see `advice`."""
    write_values(game, state, player, actions, n, out)


@rules.policy
def sensible(game, state, player, rng):
    """Plays the action that looks best by `action_values`."""
    return best_action(game, state, player, rng)


# -- what a player knows


@rules.define
def redeterminise(game, state, observer, rng):
    """Shuffle the cards that the observer cannot place, and deal them anew."""
    resample(game, state, observer, rng)


@rules.define
def state_key(game, state, observer):
    """Hash of the position; the last plays and what was before do not count."""
    return key_for(game, state, observer)


@rules.define
def observe(game, state, player, out):
    """A table of a row per seat from the player's own on, and one of common facts."""
    for seat in range(game.players):
        owner = (player + seat) % game.players
        row = out[seat * COLUMNS : (seat + 1) * COLUMNS]
        is_known = owner == player or knows_hand(state, player, owner)
        if is_known and state.hands[owner] > 0:
            row[SEAT_HAND + state.hands[owner] - 1] += 1
            row[SEAT_KNOWN] = 1
        write_counts(state.discards[owner], row, SEAT_DISCARDS)
        row[SEAT_TOKENS] = min(state.tokens[owner], MOST_OBSERVED)
        row[SEAT_OUT] = ~state.alive >> owner & 1
        row[SEAT_PROTECTED] = state.protected >> owner & 1
        row[SEAT_ON_TURN] = state.winner < 0 and state.player == owner
        row[SEAT_HAS_SEEN] = state.aware >> (4 * player + owner) & 1
    row = out[game.players * COLUMNS :]
    write_counts(unseen_cards(game, state, player), row, COMMON_UNSEEN)
    row[COMMON_PILE] = max(state.pile_left - 1, 0)
    write_counts(state.face_up, row, COMMON_FACE_UP)
    if state.player == player and state.drawn > 0:
        out[SEAT_HAND + state.drawn - 1] += 1
        row[COMMON_DRAWN] = state.drawn


@njit
def write_counts(bunch, row, start):
    """Write the eight counts of a bunch into `row[start:start + 8]`."""
    for card in range(1, TYPES + 1):
        row[start + card - 1] = count_of(bunch, card)
