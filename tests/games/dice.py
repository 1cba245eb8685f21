"""Two players choose a die each turn; after some turns the greater sum wins.

Its chances are listed, so exact expectations can be computed. Variants with a fault are
for the checks of rules.
"""

import numpy as np
from numba import njit

from mcts_agents.model import (
    DRAWN,
    LOST,
    PLAYING,
    WON,
    Rules,
    Spec,
    random_below,
)

FAULTS = ("none", "sum", "outcome", "zero", "pass_two", "pass_results")
SUM, OUTCOME, ZERO, PASS_TWO, PASS_RESULTS = range(1, len(FAULTS))

rules = Rules(
    "dice",
    state=np.dtype([("sums", np.int64, 2), ("turns", np.int64), ("mover", np.int64)]),
    game=np.dtype(
        [
            ("turns", np.int64),
            ("faces", np.int64, (3, 3)),
            ("sides", np.int64, 3),
            ("fault", np.int64),
        ]
    ),
    chance=True,
)


@njit
def play(state, points):
    """Let the mover win points, and the turn go on."""
    state.sums[state.mover] += points
    state.turns -= 1
    state.mover = 1 - state.mover


@rules.variant
def variant(game, *, players=2, turns=4, fault="none"):
    game["turns"] = turns
    game["fault"] = FAULTS.index(fault)
    # A sure 3; 1 or 4; 0, 2 or 6.
    game["sides"] = 1, 2, 3
    game["faces"] = [(3, 0, 0), (1, 4, 0), (0, 2, 6)]
    return Spec(players=2, actions=3)


@rules.define
def reset(game, state, rng):
    state.sums[:] = 0
    state.turns = game.turns
    state.mover = 0


@rules.define
def movers(game, state):
    if state.turns == 0:
        return 0
    return 3 if state.mover == 5 else 1 << state.mover


@rules.define
def legal_actions(game, state, player, out):
    for die in range(3):
        out[die] = die
    return 3


@rules.define
def outcomes(game, state, joint_action, limit, out):
    die = joint_action[state.mover]
    n = game.sides[die]
    for side in range(min(n, limit)):
        out[side] = 1.0 / n
    if game.fault == SUM and n > 1:
        out[0] = 0.9
    if game.fault == ZERO:
        return 0
    return n


@rules.define
def apply_outcome(game, state, joint_action, outcome):
    die = joint_action[state.mover]
    play(state, game.faces[die, 0 if game.fault == OUTCOME else outcome])


@rules.define
def apply(game, state, joint_action, rng):
    die = joint_action[state.mover]
    play(state, game.faces[die, random_below(rng, game.sides[die])])


@rules.define
def pass_turn(game, state):
    state.mover = 1 - state.mover
    if game.fault == PASS_TWO:
        state.mover = 5
    if game.fault == PASS_RESULTS:
        state.turns = 0


@rules.define
def scores(game, state, out):
    out[:] = state.sums


@rules.define
def results(game, state, out):
    out[:] = PLAYING
    if state.turns == 0:
        for player in range(2):
            more = state.sums[player] - state.sums[1 - player]
            out[player] = WON if more > 0 else LOST if more < 0 else DRAWN
