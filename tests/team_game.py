"""Stones, a small game of teams: four players in turn, no chance.

From a row of stones they take 1, 2 or 3 in turn. The team of who takes the last one
wins, but all draw if that was player 3.
"""

import numpy as np

from mcts_agents.model import DRAWN, LOST, PLAYING, WON, Rules, Spec

STONES = Rules(
    "stones",
    state=np.dtype([("left", np.int8), ("turn", np.int8)]),
    game=np.dtype([("left", np.int8), ("team", np.int8, 4)]),
    chance=False,
    search_defaults={"value": "win"},
)


@STONES.variant
def stones_variant(game, *, players=4, teams=(0, 1, 0, 1), left=9):
    game["left"] = left
    game["team"] = teams
    return Spec(players=players, actions=3, teams=teams)


@STONES.define
def reset(game, state, rng):
    state.left = game.left
    state.turn = 0


@STONES.define
def movers(game, state):
    return 0 if state.left == 0 else 1 << state.turn


@STONES.define
def legal_actions(game, state, player, out):
    for taken in range(min(3, state.left)):
        out[taken] = taken
    return min(3, state.left)


@STONES.define
def apply(game, state, joint_action, rng):
    state.left -= joint_action[state.turn] + 1
    state.turn = (state.turn + 1) % 4


@STONES.define
def scores(game, state, out):
    for player in range(4):
        out[player] = (player - state.turn) % 4 + 0.25 * player * state.left


@STONES.define
def results(game, state, out):
    last = (state.turn - 1) % 4
    for player in range(4):
        if state.left > 0:
            out[player] = PLAYING
        elif last == 3:
            out[player] = DRAWN
        else:
            out[player] = WON if game.team[player] == game.team[last] else LOST


@STONES.define
def evaluate(game, state, out):
    for player in range(4):
        out[player] = ((player - state.turn) % 4 + state.left) / 16
