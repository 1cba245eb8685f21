"""Zero-sum matrix games as compiled rules: both players choose at once, one round.

With `value=score, score_bonus=0` a search gets the payoffs themselves, with a constant
(`shift`) added to those of both players.
"""

from collections.abc import Sequence

import numpy as np

from mcts_agents.model import DRAWN, LOST, PLAYING, WON, CompiledModel, Rules, Spec

LARGEST = 4

ZERO_SUM = Rules(
    "zero_sum_matrix",
    state=np.dtype([("over", np.int8), ("payoff", np.float64)]),
    game=np.dtype(
        [
            ("rows", np.int64),
            ("columns", np.int64),
            ("payoffs", np.float64, (LARGEST, LARGEST)),
            ("shift", np.float64),
        ]
    ),
    chance=False,
    search_defaults={"value": "score", "score_bonus": 0.0},
)


@ZERO_SUM.variant
def variant(game, *, players=2, payoffs=((0.0,),), shift=0.0):
    """`payoffs[i][j]` goes from the second player to the first; at most 4 x 4."""
    payoffs = np.asarray(payoffs, np.float64)
    if payoffs.ndim != 2 or not 1 <= min(payoffs.shape) <= max(payoffs.shape) <= 4:
        raise ValueError(f"payoffs={payoffs.tolist()}: expected 1 x 1 to 4 x 4 numbers")
    game["rows"], game["columns"] = payoffs.shape
    game["shift"] = shift
    game["payoffs"][: payoffs.shape[0], : payoffs.shape[1]] = payoffs
    return Spec(players=2, actions=LARGEST)


@ZERO_SUM.define
def reset(game, state, rng):
    state.over = 0
    state.payoff = 0.0


@ZERO_SUM.define
def movers(game, state):
    return 0 if state.over else 3


@ZERO_SUM.define
def legal_actions(game, state, player, out):
    n = game.rows if player == 0 else game.columns
    for action in range(n):
        out[action] = action
    return n


@ZERO_SUM.define
def apply(game, state, joint_action, rng):
    state.payoff = game.payoffs[joint_action[0], joint_action[1]]
    state.over = 1


@ZERO_SUM.define
def scores(game, state, out):
    out[0] = game.shift + state.payoff
    out[1] = game.shift - state.payoff


@ZERO_SUM.define
def results(game, state, out):
    for player in range(2):
        payoff = state.payoff if player == 0 else -state.payoff
        if not state.over:
            out[player] = PLAYING
        elif payoff == 0:
            out[player] = DRAWN
        else:
            out[player] = WON if payoff > 0 else LOST


def matrix_game(
    payoffs: Sequence[Sequence[float]], shift: float = 0.0
) -> CompiledModel:
    """Return the model of one matrix game; `payoffs` as in `tests.exact.matrix`."""
    payoffs = tuple(tuple(row) for row in payoffs)
    return ZERO_SUM.model(payoffs=payoffs, shift=shift)
