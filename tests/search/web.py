"""A game played on any web of positions: who moves, where to, and what it is worth.

The state also keeps how it was reached, which `state_key` leaves out, so that a leaf
heuristic in Python sees the whole trajectory of an iteration.
"""

import numpy as np

from mcts_agents.model import DRAWN, PLAYING, Rules, Spec

PLACES, ACTIONS, PATH = 16, 3, 120

RULES = Rules(
    "web",
    state=np.dtype(
        [
            ("place", np.int8),
            ("moves", np.int16),
            ("places", np.int8, PATH),
            ("joint", np.int8, (PATH, 2)),
        ]
    ),
    game=np.dtype(
        [
            ("movers", np.int8, PLACES),
            ("target", np.int8, (PLACES, ACTIONS, ACTIONS)),
            ("payoffs", np.float64, (PLACES, 2)),
        ]
    ),
    chance=False,
    search_defaults={"value": "score", "score_bonus": 0.0},
)


@RULES.variant
def variant(game, *, players=2, movers=(1, 0), targets=((1,),), payoffs=None):
    """Movers of each place, and the targets of its (joint) actions, -1 for none.

    `targets[place]` lists the targets of actions 0, 1, 2; of joint actions (0, 0),
    (0, 1), ... (2, 2) where both move.
    """
    game["movers"][: len(movers)] = movers
    game["target"] = -1
    for place, row in enumerate(targets):
        for i, target in enumerate(row):
            if movers[place] == 3:
                game["target"][place, i // ACTIONS, i % ACTIONS] = target
            else:
                game["target"][place, i, 0] = target
    if payoffs is not None:
        game["payoffs"][: len(payoffs)] = payoffs
    return Spec(players=players, actions=ACTIONS)


@RULES.define
def reset(game, state, rng):
    state.place = 0
    state.moves = 0
    state.places[:] = -1
    state.joint[:] = -1
    state.places[0] = 0


@RULES.define
def movers(game, state):
    return game.movers[state.place] if state.moves < PATH - 1 else 0


@RULES.define
def legal_actions(game, state, player, out):
    both = game.movers[state.place] == 3
    n = 0
    for action in range(ACTIONS):
        if both or game.target[state.place, action, 0] >= 0:
            out[n] = action
            n += 1
    return n


@RULES.define
def apply(game, state, joint_action, rng):
    mask = game.movers[state.place]
    first = joint_action[0] if mask & 1 else joint_action[1]
    second = joint_action[1] if mask == 3 else 0
    for player in range(2):
        state.joint[state.moves, player] = joint_action[player]
    state.place = game.target[state.place, first, second]
    state.moves += 1
    state.places[state.moves] = state.place


@RULES.define
def state_key(game, state, observer):
    return np.int64(state.place)


@RULES.define
def scores(game, state, out):
    for player in range(2):
        out[player] = game.payoffs[state.place, player]


@RULES.define
def results(game, state, out):
    out[:] = PLAYING if game.movers[state.place] else DRAWN


def trajectory(model, state):
    """Return (places, joint actions by player) of a state of this game."""
    view = model.view(state)
    moves = int(view["moves"])
    joints = [
        {p: int(a) for p, a in enumerate(row) if a >= 0}
        for row in view["joint"][:moves].tolist()
    ]
    return view["places"][: moves + 1].tolist(), joints
