"""Games of few moves, or of no end, in which every action is always legal.

- `three_moves`: one player, whose values may be any numbers, and none.
- `two_then_one`: a simultaneous decision above one player's.
- `circles`: goes on for ever, and back to the beginning.

`tests.toy_games` has games that are harder to search.
"""

from functools import cache

import numpy as np

from mcts_agents.model import DRAWN, PLAYING, CompiledModel, Rules, Spec

POINTS = {"value": "score", "score_bonus": 0.0}


def legal_actions(game, state, player, out):
    for action in range(game.actions):
        out[action] = action
    return game.actions


@cache
def three_moves(worth: float) -> CompiledModel:
    """One player moves three times; a move is 0, 1 or 2, and 1 is worth something."""
    rules = Rules(
        "three_moves",
        state=np.dtype([("moves", np.int64), ("points", np.float64)]),
        game=np.dtype([("worth", np.float64)]),
        chance=False,
        search_defaults=POINTS,
    )
    rules.define(legal_actions)

    @rules.variant
    def variant(game, *, players=1, worth=worth):
        game["worth"] = worth
        return Spec(players=players, actions=3)

    @rules.define
    def reset(game, state, rng):
        state.moves = 0
        state.points = 0

    @rules.define
    def movers(game, state):
        return 1 if state.moves < 3 else 0

    @rules.define
    def apply(game, state, joint_action, rng):
        if joint_action[0] == 1:
            state.points += game.worth
        state.moves += 1

    @rules.define
    def scores(game, state, out):
        out[0] = state.points

    @rules.define
    def results(game, state, out):
        out[0] = PLAYING if state.moves < 3 else DRAWN

    @rules.define
    def evaluate(game, state, out):
        out[0] = state.points

    @rules.define
    def action_values(game, state, player, actions, n, out):
        for i in range(n):
            out[i] = game.worth if actions[i] == 1 else 0.0

    # Its default, so that it may be not-a-number, which nobody may choose.
    return rules.model()


@cache
def two_then_one() -> CompiledModel:
    """Both players move, then only the second; each move is worth 1 or 10 points."""
    rules = Rules(
        "two_then_one",
        state=np.dtype([("moves", np.int64), ("points", np.float64, 2)]),
        chance=False,
        search_defaults=POINTS,
    )
    rules.define(legal_actions)

    @rules.variant
    def variant(game, *, players=2):
        return Spec(players=players, actions=2)

    @rules.define
    def reset(game, state, rng):
        state.moves = 0
        state.points[:] = 0

    @rules.define
    def movers(game, state):
        return 3 if state.moves == 0 else 2 if state.moves == 1 else 0

    @rules.define
    def apply(game, state, joint_action, rng):
        for player in range(2):
            if joint_action[player] >= 0:  # -1: does not move
                state.points[player] += 10.0 if joint_action[player] else 1.0
        state.moves += 1

    @rules.define
    def scores(game, state, out):
        out[0] = state.points[0]
        out[1] = state.points[1]

    @rules.define
    def results(game, state, out):
        out[:] = DRAWN if state.moves == 2 else PLAYING

    return rules.model()


@cache
def circles(players: int, actions: int) -> CompiledModel:
    """All decide at once, for ever; the last action leads back to the beginning."""
    rules = Rules(
        "circles",
        state=np.dtype([("place", np.int64)]),
        chance=False,
        search_defaults={"value": "win"},
    )
    rules.define(legal_actions)

    @rules.variant
    def variant(game, *, players=1, actions=2):
        return Spec(players=players, actions=actions)

    @rules.define
    def reset(game, state, rng):
        state.place = 0

    @rules.define
    def movers(game, state):
        return (1 << game.players) - 1

    @rules.define
    def apply(game, state, joint_action, rng):
        if joint_action[0] == game.actions - 1:
            state.place = 0
        else:
            state.place += 1

    @rules.define
    def results(game, state, out):
        out[:] = PLAYING

    @rules.define
    def scores(game, state, out):
        out[:] = 0.0

    @rules.define
    def state_key(game, state, observer):
        return state.place if game.players == 1 else 0

    return rules.model(players=players, actions=actions)
