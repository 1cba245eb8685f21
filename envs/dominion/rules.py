"""The rules of Dominion, first game, as the TAG framework plays it.

Sources: the rules of D. X. Vaccarino's game (2008, second edition 2016); the TAG
framework (Gaina et al., "TAG: A Tabletop Games Framework", 2020) as of April 2022,
which the MultiTree paper used.
"""

import numpy as np
from numba import njit

from mcts_agents.envs.dominion.cards import (
    ACTIONS,
    BUY,
    COPPER,
    DISCARD,
    DONE,
    DUCHY,
    END,
    ESTATE,
    GAIN,
    GOLD,
    KINGDOM,
    KINGDOM_PILE,
    MINE,
    PLAY,
    PROVINCE,
    REVEAL,
    SILVER,
    START,
    TRASH,
    TREASURES,
    TYPES,
    bunch_of,
    count_of,
    types_in,
)
from mcts_agents.envs.dominion.knowledge import key_for, known_word, resample
from mcts_agents.envs.dominion.turns import (
    ATTACKED,
    BUYING,
    CELLAR_DISCARDS,
    GAINING,
    GAME,
    OVER,
    PHASES,
    PLAYING_CARDS,
    STATE,
    TRASHING,
    coins,
    gain_choice,
    gainable,
    play,
    set_up,
)
from mcts_agents.model import LOST, PLAYING, WON, Rules, Spec, random_below
from mcts_agents.model.bits import count_bits, lowest_bit, nth_bit

PLAYER_COUNTS = (2, 3, 4)
LEGAL_LIMIT = TYPES + 1  # every type, and to end
RULEBOOKS = ("tag", "published")
TAG_COPPERS = 32
PUBLISHED_COPPERS = 60  # with those that players start with

# Rows of an observation: for each seat from the observer on what is known of the hand,
# the discards, all cards of the player, and facts; then the supply, the table, the
# trash, and common facts.
SEAT_HAND, SEAT_DISCARDS, SEAT_OWNED, SEAT_FACTS, SEAT_ROWS = range(5)
FACT_HAND, FACT_TURN, FACT_DECIDES, FACT_DEFENDED = range(4)
COMMON_SUPPLY, COMMON_TABLE, COMMON_TRASH, COMMON_FACTS, COMMON_ROWS = range(5)
COMMON_ACTIONS, COMMON_BUYS, COMMON_MONEY, COMMON_SPENT = range(4)
COMMON_MERCHANTS, COMMON_DISCARDED, COMMON_EFFECT, COMMON_TRASHED = range(4, 8)
COMMON_PHASE = 8
MOST_SEEN = 127

rules = Rules(
    "dominion",
    state=STATE,
    game=GAME,
    search_defaults={"value": "score", "rollout": 30},
)


def _supply(players: int, coppers: int) -> dict[int, int]:
    """Return the supply of a game, cards of each type."""
    victory = 8 if players == 2 else 12
    supply = {COPPER: coppers, SILVER: 40, GOLD: 30}
    supply |= dict.fromkeys((ESTATE, DUCHY, PROVINCE), victory)
    return supply | dict.fromkeys(range(KINGDOM, TYPES), KINGDOM_PILE)


@rules.variant
def variant(game, *, players=4, rulebook="tag"):
    """Fill in the supply and the rule book."""
    if players not in PLAYER_COUNTS:
        raise ValueError(f"players={players}: dominion is for 2 to 4 players")
    if rulebook not in RULEBOOKS:
        raise ValueError(f"rulebook={rulebook!r}: dominion has 'tag', 'published'")
    coppers = TAG_COPPERS
    if rulebook == "published":
        coppers = PUBLISHED_COPPERS - players * START[COPPER]
    game["supply"] = bunch_of(_supply(players, coppers))
    game["cards"] = game["supply"] + players * bunch_of(START)
    game["published"] = rulebook == "published"
    return Spec(
        players=players,
        actions=ACTIONS,
        legal_limit=LEGAL_LIMIT,
        observation_shape=(SEAT_ROWS * players + COMMON_ROWS, TYPES),
        observation_bounds=(0, MOST_SEEN),
    )


@rules.define
def reset(game, state, rng):
    """Shuffle and deal; player 0 begins."""
    set_up(game, state, rng)


@rules.define
def movers(game, state):
    """The player on turn, or the one whom a Militia attacks."""
    return np.int64(0) if state.phase == OVER else 1 << np.int64(state.player)


@rules.define
def apply(game, state, joint_action, rng):
    """Play, buy, gain, discard, trash or show a card, or end that."""
    play(game, state, np.int64(joint_action[state.player]), rng)


@rules.define
def scores(game, state, out):
    """Victory points of all cards of a player."""
    for player in range(game.players):
        out[player] = state.points[player]


@rules.define
def results(game, state, out):
    """Most points win, tied players all win; published: of these who had fewer turns.

    The seats up to the last one on turn have had a turn more than the others.
    """
    best = np.int64(-1)
    for player in range(game.players):
        best = max(best, standing(game, state, player))
    for player in range(game.players):
        if state.phase != OVER:
            out[player] = PLAYING
        else:
            out[player] = WON if standing(game, state, player) == best else LOST


@njit
def standing(game, state, player):
    """Return a number that is greater for who is ahead."""
    points = 2 * np.int64(state.points[player])
    if game.published and player > state.turn_of:
        points += 1
    return points


@rules.define
def turn(game, state):
    """Turns ended."""
    return np.int64(state.turn)


@rules.define
def round(game, state):
    """Rounds ended."""
    return np.int64(state.turn) // game.players


# -- choosing


@njit
def first_action(state):
    """Return the action that the first bit of a mask of actions stands for."""
    phase = state.phase
    if phase <= BUYING:
        return END
    if phase == GAINING:
        return GAIN
    if phase == TRASHING:
        return TRASH
    return REVEAL if phase == ATTACKED else DISCARD


@njit
def action_mask(game, state):
    """Return the legal actions of who decides as bits, from `first_action` on."""
    phase = state.phase
    if phase == BUYING:
        return 1 << END | gainable(state, coins(state)) << BUY
    if phase == ATTACKED:
        return 3
    if phase == GAINING:
        return gain_choice(state)
    held = types_in(state.hands[state.player])
    if phase == PLAYING_CARDS:
        return 1 << END | held >> KINGDOM << PLAY
    if phase == TRASHING:
        if state.effect != MINE:
            return held
        return (held & TREASURES) | np.int64(game.published) << (DONE - TRASH)
    return held | np.int64(phase == CELLAR_DISCARDS) << (DONE - DISCARD)


@rules.define
def legal_actions(game, state, player, out):
    """Write them in ascending order."""
    if player != state.player or state.phase == OVER:
        return 0
    mask = np.uint64(action_mask(game, state))
    first = first_action(state)
    n = 0
    while mask:
        out[n] = first + lowest_bit(mask)
        mask &= mask - np.uint64(1)
        n += 1
    return n


@njit
def random_choice(game, state, rng):
    """Return a uniformly random legal action of the player who decides."""
    mask = np.uint64(action_mask(game, state))
    number = count_bits(mask)
    if number == 1:
        return first_action(state) + lowest_bit(mask)
    return first_action(state) + nth_bit(mask, random_below(rng, number))


@rules.define
def random_action(game, state, player, rng):
    """A uniformly random legal action."""
    return random_choice(game, state, rng)


@rules.define
def playout(game, state, rng, limit):
    """Random play until the game is over or `limit` actions were played."""
    played = 0
    while played < limit and state.phase != OVER:
        play(game, state, random_choice(game, state, rng), rng)
        played += 1
    return played


# -- what a player knows


@rules.define
def redeterminise(game, state, observer, rng):
    """Shuffle the own pile, and the others' hands with their piles."""
    resample(game, state, observer, rng)


@rules.define
def state_key(game, state, observer):
    """Hash of the position; the last actions do not count."""
    return key_for(game, state, observer)


@rules.define
def observe(game, state, player, out):
    """Four rows per seat from the player's own on, and four of what all share."""
    known = np.zeros(2, np.int64)
    trash = game.cards - state.supply
    for seat in range(game.players):
        owner = (player + seat) % game.players
        rows = out[seat * SEAT_ROWS * TYPES : (seat + 1) * SEAT_ROWS * TYPES]
        for word in range(len(known)):
            known[word] = known_word(state, player, owner, word)
            trash[word] -= state.owned[owner, word]
        for card in range(TYPES):
            rows[SEAT_HAND * TYPES + card] = count_of(known, card)
            discards = count_of(state.discards[owner], card)
            rows[SEAT_DISCARDS * TYPES + card] = discards
            rows[SEAT_OWNED * TYPES + card] = count_of(state.owned[owner], card)
        facts = rows[SEAT_FACTS * TYPES : (SEAT_FACTS + 1) * TYPES]
        facts[FACT_HAND] = min(np.int64(state.hand_sizes[owner]), MOST_SEEN)
        facts[FACT_TURN] = state.turn_of == owner and state.phase != OVER
        facts[FACT_DECIDES] = state.player == owner and state.phase != OVER
        facts[FACT_DEFENDED] = state.defended >> owner & 1
    rows = out[game.players * SEAT_ROWS * TYPES :]
    for card in range(TYPES):
        rows[COMMON_SUPPLY * TYPES + card] = count_of(state.supply, card)
        rows[COMMON_TABLE * TYPES + card] = count_of(state.table, card)
        rows[COMMON_TRASH * TYPES + card] = count_of(trash, card)
    facts = rows[COMMON_FACTS * TYPES : (COMMON_FACTS + 1) * TYPES]
    facts[COMMON_ACTIONS] = min(np.int64(state.actions), MOST_SEEN)
    facts[COMMON_BUYS] = state.buys
    facts[COMMON_MONEY] = state.money
    facts[COMMON_SPENT] = min(np.int64(state.spent), MOST_SEEN)
    facts[COMMON_MERCHANTS] = state.merchants
    facts[COMMON_DISCARDED] = min(np.int64(state.discarded), MOST_SEEN)
    facts[COMMON_EFFECT] = state.effect
    facts[COMMON_TRASHED] = state.trashed + 1
    facts[COMMON_PHASE + state.phase] = 1


assert COMMON_PHASE + PHASES <= TYPES
