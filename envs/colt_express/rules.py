"""The rules of Colt Express as the TAG framework plays it, without its slips.

Sources: the rules of C. Raimbault's game (2014); the TAG framework (Gaina et al., "TAG:
A Tabletop Games Framework", 2020) as of April 2022, which the MultiTree paper used.
"""

import numpy as np
from numba import njit

from mcts_agents.envs.colt_express.cards import (
    ACTIONS,
    DRAW,
    MAX_SEATS,
    MIN_SEATS,
    ROUNDS,
)
from mcts_agents.envs.colt_express.choices import (
    LEGAL_LIMIT,
    choices,
    forced_action,
    nth_choice,
    number_of_choices,
    write_legal,
)
from mcts_agents.envs.colt_express.knowledge import (
    MOST_SEEN,
    SEAT_COLUMNS,
    SEATS_AT,
    describe,
    key_of,
    resample_cards,
    resample_purses,
    resample_rounds,
)
from mcts_agents.envs.colt_express.train import (
    GAME,
    STATE,
    hits_of,
    score_of,
)
from mcts_agents.envs.colt_express.turns import (
    is_face_up,
    set_up,
    step,
)
from mcts_agents.model import LOST, PLAYING, WON, Rules, Spec, random_below

PLAYER_COUNTS = tuple(range(MIN_SEATS, MAX_SEATS + 1))
RULEBOOKS = ("tag", "published")
MOST_HITS = 1024  # more bullets than a bandit can receive

rules = Rules(
    "colt_express",
    state=STATE,
    game=GAME,
    search_defaults={"value": "score", "rollout": 30},
)


@rules.variant
def variant(game, *, players=4, rulebook="tag", asks_forced=False):
    """Check the options."""
    if players not in PLAYER_COUNTS:
        raise ValueError(
            f"players={players}: colt_express is for {MIN_SEATS} to {MAX_SEATS} players"
        )
    if rulebook not in RULEBOOKS:
        raise ValueError(f"rulebook={rulebook!r}: colt_express has 'tag', 'published'")
    if not isinstance(asks_forced, bool):
        raise ValueError(f"asks_forced={asks_forced!r}: expected true or false")
    game["published"] = rulebook == "published"
    game["asks_forced"] = asks_forced
    return Spec(
        players=players,
        actions=ACTIONS,
        legal_limit=LEGAL_LIMIT,
        observation_shape=(SEATS_AT + SEAT_COLUMNS * players,),
        observation_bounds=(0, MOST_SEEN),
    )


@rules.define
def reset(game, state, rng):
    """Lay out the train, deal characters and cards, and choose the round cards."""
    set_up(game, state, rng)


@rules.define
def movers(game, state):
    """The player on turn."""
    return np.int64(0) if state.is_over else 1 << np.int64(state.player)


@rules.define
def apply(game, state, joint_action, rng):
    """Do an action, and those after it that have no alternative."""
    step(game, state, np.int64(joint_action[state.player]), rng)
    if not game.asks_forced:
        action = forced_action(game, state)
        while action >= 0:
            step(game, state, action, rng)
            action = forced_action(game, state)


@rules.define
def legal_actions(game, state, player, out):
    """What the player may do, ascending."""
    if state.is_over or player != state.player:
        return 0
    return write_legal(game, state, out)


@rules.define
def playout(game, state, rng, limit):
    """Random play until the game is over or `limit` actions were chosen."""
    played = 0
    while not state.is_over:
        first, mask = choices(game, state)
        n = number_of_choices(mask)
        is_choice = n > 1 or game.asks_forced
        if is_choice and played == limit:
            break
        played += is_choice
        step(game, state, nth_choice(first, mask, random_below(rng, n)), rng)
    return played


# -- values


@rules.define
def scores(game, state, out):
    """Dollars."""
    for player in range(game.players):
        out[player] = score_of(game, state, player)


@rules.define
def results(game, state, out):
    """Most dollars, then fewest bullets received; all who are still tied win."""
    best = np.int64(-1)
    for player in range(game.players):
        best = max(best, rank_of(game, state, player))
    for player in range(game.players):
        if not state.is_over:
            out[player] = PLAYING
        else:
            is_best = rank_of(game, state, player) == best
            out[player] = WON if is_best else LOST


@njit
def rank_of(game, state, player):
    """Return a number that is higher for who is better at the end."""
    return score_of(game, state, player) * MOST_HITS - hits_of(state, player)


@rules.define
def turn(game, state):
    """Actions done, forced ones included."""
    return np.int64(state.ended)


@rules.define
def round(game, state):
    """Rounds ended."""
    return np.int64(state.round)


@rules.define
def visible_action(game, state, joint_action, actor, observer):
    """A card played face down is seen by nobody else."""
    action = np.int64(joint_action[actor])
    if actor == observer or state.is_executing or action == DRAW:
        return action
    return action if is_face_up(game, state) else np.int64(ACTIONS)


@rules.define
def redeterminise(game, state, observer, rng):
    """Deal again what is hidden: cards of others, values of purses, later rounds."""
    if state.is_over:
        return  # everything is laid open, since the results are known
    for seat in range(game.players):
        if seat != observer:
            resample_cards(state, seat, rng)
    resample_purses(game, state, observer, rng)
    if state.round < ROUNDS - 1:
        resample_rounds(state, rng)


@rules.define
def state_key(game, state, observer):
    """A hash of all that matters for what follows; for observer -1 the hidden cards."""
    return np.int64(key_of(game, state, observer))


@rules.define
def observe(game, state, player, out):
    """What the player has, the train and the queue, then each seat from the own on."""
    describe(game, state, player, out)
