"""MultiTree MCTS (Goodman et al., CoG 2022, Algorithm 1) against a run traced by hand.

Two players move in turn, twice each, and choose 0 or 1: a0, b0, a1, b1. The first
gets 2 a0 + a1 (1 - 2 b0), the second b0 + 2 b1. Untried actions are tried in ascending
order (an action heuristic), rollouts play 0, so that nothing is left to chance. UCB1
with K = 1 and values scaled by the range seen, of all players together.
"""

import numpy as np

from mcts_agents.model import PLAYING, WON, Rules, Spec, new_generator
from mcts_agents.search import Search, SearchSettings

RULES = Rules(
    "four_bits",
    state=np.dtype([("moves", np.int8), ("bits", np.int8, 4)]),
    chance=False,
    search_defaults={"value": "score", "score_bonus": 0.0},
)


@RULES.variant
def variant(game, *, players=2):
    return Spec(players=players, actions=2)


@RULES.define
def reset(game, state, rng):
    state.moves = 0
    for i in range(4):
        state.bits[i] = 0


@RULES.define
def movers(game, state):
    return 0 if state.moves == 4 else 1 << state.moves % 2


@RULES.define
def legal_actions(game, state, player, out):
    out[0], out[1] = 0, 1
    return 2


@RULES.define
def apply(game, state, joint_action, rng):
    state.bits[state.moves] = joint_action[state.moves % 2]
    state.moves += 1


@RULES.define
def scores(game, state, out):
    a0, b0, a1, b1 = state.bits
    out[0] = 2 * a0 + a1 * (1 - 2 * b0)
    out[1] = b0 + 2 * b1


@RULES.define
def results(game, state, out):
    for player in range(2):
        out[player] = WON if state.moves == 4 else PLAYING


# After each iteration, {action: (visits, mean)} at the root and below its action 1 (0
# is never taken twice), of both trees. Scores of the iterations:
#   1. untried 0 and 0, rollout 0 0:  0000 -> (0, 0)
#   2. untried 1 and 1, rollout 0 0:  1100 -> (2, 1); the range is 0 to 2
#   3. a0: 0 against 1, both explored alike: 1. b0: 0 against 1/2: 1. Untried 0 and 0
#      below: 1100 -> (2, 1)
#   4. a0: 0 + sqrt(ln 3) = 1.048 against 1 + sqrt(ln 3 / 2) = 1.741: 1. b0: 1.048
#      against 1.241: 1. Untried 1 and 1: 1111 -> (1, 3); the range is 0 to 3
#   5. a0, b0: 0 + sqrt(ln 4) = 1.177 against 5/9 + sqrt(ln 4 / 3) = 1.235: 1. a1: 2/3
#      against 1/3: 0. b1: 1/3 against 1: 1.  1101 -> (2, 3)
TRACE = [
    (({0: (1, 0)}, {}), ({0: (1, 0)}, {})),
    (({0: (1, 0), 1: (1, 2)}, {}), ({0: (1, 0), 1: (1, 1)}, {})),
    (
        ({0: (1, 0), 1: (2, 2)}, {0: (1, 2)}),
        ({0: (1, 0), 1: (2, 1)}, {0: (1, 1)}),
    ),
    (
        ({0: (1, 0), 1: (3, 5 / 3)}, {0: (1, 2), 1: (1, 1)}),
        ({0: (1, 0), 1: (3, 5 / 3)}, {0: (1, 1), 1: (1, 3)}),
    ),
    (
        ({0: (1, 0), 1: (4, 7 / 4)}, {0: (2, 2), 1: (1, 1)}),
        ({0: (1, 0), 1: (4, 2)}, {0: (1, 1), 1: (2, 3)}),
    ),
]


def statistics(node, player):
    """Return {action: (visits, mean)} of the visited actions of a player's node."""
    (bandit,) = node["bandits"]
    assert bandit["player"] == player
    return {
        entry["action"]: (entry["visits"], round(entry["value"], 12))
        for entry in bandit["actions"]
        if entry["visits"] > 0
    }


def trees_after(iterations):
    """Return (root, below action 1) of each player's tree."""
    model = RULES.model()
    settings = SearchSettings(
        simulations=iterations,
        tree="multi",
        exploration=1.0,
        action_heuristic=lambda model, state, player, actions: -actions,
        rollout_policy=lambda model, state, player: 0,
    )
    search = Search(model, settings)
    rng = new_generator(0)
    search.run(model.reset(rng), 0, rng)
    found = []
    for player in range(2):
        root = search.read_tree(player)
        below = [c["node"] for c in root["children"] if c["actions"] == {player: 1}]
        found.append(
            (
                statistics(root, player),
                statistics(below[0], player) if below else {},
            )
        )
    return found


def test_the_run_traced_by_hand():
    for iterations, expected in enumerate(TRACE, start=1):
        for player, (root, below) in enumerate(trees_after(iterations)):
            rounded = [
                {a: (n, round(mean, 12)) for a, (n, mean) in part.items()}
                for part in expected[player]
            ]
            assert [root, below] == rounded, (iterations, player)
