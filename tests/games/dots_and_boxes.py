"""Dots and Boxes of 2 x 2 boxes for two as compiled rules; scores are own boxes.

Edges are numbered as in `tests.exact.dots_and_boxes`.
"""

import numpy as np

from mcts_agents.model import DRAWN, LOST, PLAYING, WON, Rules, Spec

EDGES = 12
ALL_DRAWN = (1 << EDGES) - 1
# The four edges of each box, as bit masks.
BOXES = np.array(
    [
        1 << 2 * r + c
        | 1 << 2 * (r + 1) + c
        | 1 << 6 + 3 * r + c
        | 1 << 6 + 3 * r + c + 1
        for r in range(2)
        for c in range(2)
    ],
    np.int16,
)

DOTS = Rules(
    "dots_and_boxes_2x2",
    state=np.dtype([("drawn", np.int16), ("boxes", np.int8, 2), ("turn", np.int8)]),
    chance=False,
    search_defaults={"value": "score", "score_bonus": 0.0},
)


@DOTS.variant
def variant(game, *, players=2):
    return Spec(players=2, actions=EDGES)


@DOTS.define
def reset(game, state, rng):
    state.drawn = 0
    state.boxes[:] = 0
    state.turn = 0


@DOTS.define
def movers(game, state):
    return 0 if state.drawn == ALL_DRAWN else 1 << state.turn


@DOTS.define
def legal_actions(game, state, player, out):
    n = 0
    for edge in range(EDGES):
        if not state.drawn >> edge & 1:
            out[n] = edge
            n += 1
    return n


@DOTS.define
def apply(game, state, joint_action, rng):
    edge = joint_action[state.turn]
    state.drawn |= 1 << edge
    gained = 0
    for box in BOXES:
        gained += (box >> edge & 1) and (state.drawn & box) == box
    state.boxes[state.turn] += gained
    if gained == 0:
        state.turn = 1 - state.turn


@DOTS.define
def scores(game, state, out):
    out[0] = state.boxes[0]
    out[1] = state.boxes[1]


@DOTS.define
def results(game, state, out):
    for player in range(2):
        lead = state.boxes[player] - state.boxes[1 - player]
        if state.drawn != ALL_DRAWN:
            out[player] = PLAYING
        elif lead == 0:
            out[player] = DRAWN
        else:
            out[player] = WON if lead > 0 else LOST
