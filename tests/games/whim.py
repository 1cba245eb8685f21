"""One decision of the first of three players, between a draw and two ways to lose."""

import numpy as np

from mcts_agents.model import DRAWN, LOST, PLAYING, WON, Rules, Spec

# Player 0 may draw, or let player 1 or player 2 win.
WHIM = Rules(
    "whim",
    state=np.dtype([("action", np.int8)]),
    chance=False,
    search_defaults={"value": "win"},
)


@WHIM.variant
def variant(game, *, players=3):
    return Spec(players, actions=3)


@WHIM.define
def reset(game, state, rng):
    state.action = -1


@WHIM.define
def movers(game, state):
    return 0 if state.action >= 0 else 1


@WHIM.define
def legal_actions(game, state, player, out):
    for action in range(3):
        out[action] = action
    return 3


@WHIM.define
def apply(game, state, joint_action, rng):
    state.action = joint_action[0]


@WHIM.define
def scores(game, state, out):
    out[:] = 0.0


@WHIM.define
def results(game, state, out):
    for player in range(3):
        if state.action < 0:
            out[player] = PLAYING
        elif state.action == 0:
            out[player] = DRAWN
        else:
            out[player] = WON if player == state.action else LOST
