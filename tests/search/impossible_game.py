"""A game that means no possible actions and movers after some rounds; or very many."""

import numpy as np

from mcts_agents.model import DRAWN, PLAYING, Rules, Spec

ROUNDS = 6

impossible = Rules(
    "impossible",
    state=np.dtype([("round", np.int64), ("points", np.float64, 2)]),
    game=np.dtype(
        [("action", np.int64), ("mask", np.int64), ("count", np.int64)], align=True
    ),
    chance=True,
)


@impossible.variant
def variant(game, *, players=2, action=1, mask=3, wide=0):
    game["action"], game["mask"] = action, mask
    game["count"] = wide or 3
    return Spec(players=players, actions=wide or 4)


@impossible.define
def reset(game, state, rng):
    state.round = 0
    state.points[:] = 0


@impossible.define
def movers(game, state):
    if state.round == ROUNDS:
        return 0
    return game.mask if state.round >= 2 else 3


@impossible.define
def legal_actions(game, state, player, out):
    for action in range(game.count):
        out[action] = action
    if state.round >= 2:
        out[1] = game.action
    return game.count


@impossible.define
def apply(game, state, joint_action, rng):
    for player in range(2):
        state.points[player] += joint_action[player] % 3
    state.round += 1


@impossible.define
def scores(game, state, out):
    out[:] = state.points


@impossible.define
def results(game, state, out):
    out[:] = DRAWN if state.round == ROUNDS else PLAYING
