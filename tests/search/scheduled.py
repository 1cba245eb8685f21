"""A game whose every move is laid down: who decides when, whose turn, which round.

Nobody wins before the schedule is over; each of the two actions scores itself. The
state keeps what everybody did, so that a leaf heuristic in Python sees where an
iteration ended and how it came there.
"""

import numpy as np

from mcts_agents.model import DRAWN, PLAYING, Rules, Spec

LENGTH = 24

RULES = Rules(
    "scheduled",
    state=np.dtype([("moves", np.int8), ("played", np.int8, (LENGTH, 4))]),
    game=np.dtype(
        [
            ("length", np.int8),
            ("movers", np.int8, LENGTH),
            ("turns", np.int8, LENGTH + 1),
            ("rounds", np.int8, LENGTH + 1),
        ]
    ),
    chance=False,
    search_defaults={"value": "score", "score_bonus": 0.0},
)


@RULES.variant
def variant(game, *, players=3, movers=(1, 2, 4), turns=None, rounds=None):
    """`movers` are bit masks; `turns` and `rounds` count those that ended before."""
    length = len(movers)
    game["length"] = length
    game["movers"][:length] = movers
    game["turns"][: length + 1] = range(length + 1) if turns is None else turns
    game["rounds"][: length + 1] = 0 if rounds is None else rounds
    return Spec(players=players, actions=2)


@RULES.define
def reset(game, state, rng):
    state.moves = 0
    state.played[:] = -1


@RULES.define
def movers(game, state):
    return game.movers[state.moves] if state.moves < game.length else 0


@RULES.define
def legal_actions(game, state, player, out):
    out[0], out[1] = 0, 1
    return 2


@RULES.define
def apply(game, state, joint_action, rng):
    for player in range(game.players):
        state.played[state.moves, player] = joint_action[player]
    state.moves += 1


@RULES.define
def turn(game, state):
    return game.turns[state.moves]


@RULES.define
def round(game, state):
    return game.rounds[state.moves]


@RULES.define
def scores(game, state, out):
    for player in range(game.players):
        out[player] = 0.0
        for move in range(state.moves):
            out[player] += max(state.played[move, player], 0)


@RULES.define
def results(game, state, out):
    out[:] = DRAWN if state.moves == game.length else PLAYING


@RULES.policy
def always_one(game, state, player, rng):
    return 1


@RULES.policy
def always_zero(game, state, player, rng):
    return 0


def players_of(mask: int) -> list[int]:
    """Return the players in a bit mask."""
    return [player for player in range(4) if mask >> player & 1]
