"""A simultaneous decision above decisions in turn, of which one ends the game at once.

First both players choose one of three actions at once. Who is next depends on what
player 0 chose, 1 or else; whoever is next can win at once by action 2. Otherwise the
players choose in turn for some more moves, and the game is drawn.
"""

import numpy as np

from mcts_agents.model import DRAWN, LOST, PLAYING, WON, Rules, Spec

MOVES = 8

CLASH = Rules(
    "clash",
    state=np.dtype([("moves", np.int8), ("next", np.int8), ("won", np.int8)]),
    chance=False,
    search_defaults={"value": "win"},
)


@CLASH.variant
def variant(game, *, players=2):
    return Spec(players, actions=3)


@CLASH.define
def reset(game, state, rng):
    state.moves = 0
    state.next = 0
    state.won = 0


@CLASH.define
def movers(game, state):
    if state.won or state.moves > MOVES:
        return 0
    return 3 if state.moves == 0 else 1 << state.next


@CLASH.define
def legal_actions(game, state, player, out):
    for action in range(3):
        out[action] = action
    return 3


@CLASH.define
def apply(game, state, joint_action, rng):
    if state.moves == 0:
        state.next = 0 if joint_action[0] == 1 else 1
    elif state.moves == 1 and joint_action[state.next] == 2:
        state.won = 1
    else:
        state.next = 1 - state.next
    state.moves += 1


@CLASH.define
def scores(game, state, out):
    out[:] = 0.0


@CLASH.define
def results(game, state, out):
    for player in range(2):
        if state.won:
            out[player] = WON if player == state.next else LOST
        else:
            out[player] = DRAWN if state.moves > MOVES else PLAYING
