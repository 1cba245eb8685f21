"""A game drawn by lot: every position's actions, values and chances are hashes.

Positions of one level are few, so that many moves lead to the same one. All optional
functions that minimax searches know are there. `together` lets several decide at once,
`extra` lets some players move twice in a row, `chance` follows some actions by dice,
and the first player is skipped once no more than `out` levels are left.
"""

import numpy as np
from numba import njit

from mcts_agents.model import DRAWN, LOST, PLAYING, WON, Rules, Spec, random_below
from mcts_agents.model.hashing import mixed

ACTIONS, MOST = 8, 4
# What hashes are drawn for.
EVALUATIONS = ("shares", "all 0.5", "greater than 1")
HALVES = 1
LAST_RANKS = {"sound": 0.0, "nan": np.nan, "inf": np.inf, "-inf": -np.inf}
MOVERS, LEGAL, NEXT, SCORE, WORTH, RANK, EXTRA, SIDES, WEIGHT, WINNER, KEPT = range(11)

STATE = np.dtype([("node", np.int64), ("left", np.int64), ("turn", np.int64)])
GAME = np.dtype(
    [
        ("seed", np.int64),
        ("nodes", np.int64),
        ("levels", np.int64),
        ("together", np.int64),
        ("extra", np.int64),
        ("chance", np.int64),
        ("out", np.int64),
        ("scale", np.float64),
        ("shift", np.float64),
        ("evaluation", np.int64),  # of EVALUATIONS
        ("steps", np.int64),  # how many different values there are
        ("last_rank", np.float64),  # added to the rank of the last action
        ("keeps_none", np.int64),  # the filter, from the second move on
        ("team", np.int64, 4),
    ]
)


@njit
def lot(game, state, what, more, n):
    """Return a number below n that depends on the position."""
    key = mixed(np.uint64(game.seed), state.node)
    key = mixed(key, (state.left * 8 + state.turn) * 16 + what)
    return np.int64(mixed(key, more) >> np.uint64(20)) % n


@njit
def is_over(game, state):
    """Whether nobody decides any more, whoever's turn it is."""
    if state.left == 0:
        return True
    key = mixed(mixed(np.uint64(game.seed), state.node), state.left)
    return state.left < game.levels and np.int64(key >> np.uint64(20)) % 9 == 0


@njit
def joint_of(game, joint_action):
    """Return a number for a joint action."""
    joint = 0
    for player in range(game.players):
        joint = joint * (ACTIONS + 1) + joint_action[player] + 1
    return joint


@njit
def sides_of(game, state, joint):
    """Return how many things chance may do."""
    return 1 + lot(game, state, SIDES, joint, 3) if game.chance else 1


@njit
def weight(game, state, joint, side):
    """Return how likely one of them is, compared with others; maybe not at all."""
    return lot(game, state, WEIGHT, joint * 4 + side, 4) if side else 1


def variant(
    game,
    *,
    players=2,
    seed=1,
    nodes=40,
    levels=6,
    together=False,
    extra=False,
    chance=False,
    out=-1,
    scale=1.0,
    shift=0.0,
    steps=9,
    evaluation="shares",
    last_rank="sound",
    keeps_none=False,
    teams=(0, 1, 2, 3),
):
    game["seed"], game["nodes"], game["levels"] = seed, nodes, levels
    game["together"], game["extra"], game["chance"] = together, extra, chance
    game["out"] = out
    game["scale"], game["shift"], game["steps"] = scale, shift, steps
    game["evaluation"] = EVALUATIONS.index(evaluation)
    game["last_rank"], game["keeps_none"] = LAST_RANKS[last_rank], keeps_none
    game["team"] = teams
    return Spec(
        players=players, actions=ACTIONS, legal_limit=MOST, teams=teams[:players]
    )


def reset(game, state, rng):
    state.node = random_below(rng, game.nodes)
    state.left = game.levels
    state.turn = random_below(rng, game.players)


def movers(game, state):
    if is_over(game, state):
        return 0
    mask = 1 << state.turn
    if game.together:
        mask |= lot(game, state, MOVERS, 0, 1 << game.players)
    return mask


def legal_actions(game, state, player, out):
    n = 1 + lot(game, state, LEGAL, player, MOST)
    first = lot(game, state, LEGAL, 8 + player, ACTIONS)
    for i in range(n):
        out[i] = (first + 5 * i) % ACTIONS
    return n


@njit
def take_turns(game, state):
    """Let the next player who is not skipped be on turn."""
    state.turn = (state.turn + 1) % game.players
    if state.turn == 0 and state.left <= game.out:
        state.turn = 1


@njit
def go_on(game, state, joint, side):
    """Move to the next level."""
    stays = game.extra and lot(game, state, EXTRA, joint, 4) == 0
    state.node = lot(game, state, NEXT, joint * 4 + side, game.nodes)
    state.left -= 1
    if not stays:
        take_turns(game, state)


def apply(game, state, joint_action, rng):
    joint = joint_of(game, joint_action)
    n = sides_of(game, state, joint)
    total = 0
    for side in range(n):
        total += weight(game, state, joint, side)
    drawn = random_below(rng, total) if n > 1 else 0
    side = 0
    while drawn >= weight(game, state, joint, side):
        drawn -= weight(game, state, joint, side)
        side += 1
    go_on(game, state, joint, side)


def outcomes(game, state, joint_action, limit, out):
    joint = joint_of(game, joint_action)
    n = sides_of(game, state, joint)
    total = 0
    for side in range(n):
        total += weight(game, state, joint, side)
    for side in range(min(n, limit)):
        out[side] = weight(game, state, joint, side) / total
    return n


def apply_outcome(game, state, joint_action, outcome):
    go_on(game, state, joint_of(game, joint_action), outcome)


def pass_turn(game, state):
    take_turns(game, state)


def scores(game, state, out):
    for player in range(game.players):
        step = lot(game, state, SCORE, player, game.steps)
        out[player] = game.scale * step + game.shift


def results(game, state, out):
    # The team of one player wins, or all draw.
    winner = lot(game, state, WINNER, 0, game.players + 1)
    for player in range(game.players):
        if not is_over(game, state):
            out[player] = PLAYING
        elif winner == game.players:
            out[player] = DRAWN
        else:
            won = game.team[player] == game.team[winner]
            out[player] = WON if won else LOST


def evaluate(game, state, out):
    if game.evaluation > 0:
        out[:] = 0.5 if game.evaluation == HALVES else 1.5
        return
    # Adds up to 1, as shallow pruning wants it.
    total = 0.0
    for player in range(game.players):
        out[player] = lot(game, state, WORTH, player, game.steps) + 1.0
        total += out[player]
    for player in range(game.players):
        out[player] /= total


def action_values(game, state, player, actions, n, out):
    for i in range(n):
        out[i] = lot(game, state, RANK, player * ACTIONS + actions[i], 3) / 2
    out[n - 1] += game.last_rank


def filter_actions(game, state, player, actions, n):
    if game.keeps_none and state.left < game.levels:
        return 0
    kept = 0
    for i in range(n):
        if lot(game, state, KEPT, player * ACTIONS + actions[i], 3) > 0:
            actions[kept] = actions[i]
            kept += 1
    return max(kept, 1)


def state_key(game, state, observer):
    return (state.node * 16 + state.left) * 8 + state.turn


def made(name, chance, without=(), more=()):
    """Return rules of this game, without some of its functions, or with more."""
    rules = Rules(name, state=STATE, game=GAME, chance=chance)
    rules.variant(variant)
    for function in (
        *(reset, movers, legal_actions, apply, scores, results, evaluate),
        *(action_values, state_key),
        *((outcomes, apply_outcome) if chance else (pass_turn,)),
        *more,
    ):
        if function.__name__ not in without:
            rules.define(function)
    return rules


SURE = made("thicket", chance=False)
DICE = made("thicket_dice", chance=True)
SAMPLED = made("thicket_sampled", True, ("outcomes", "apply_outcome"))
FILTERED = made("thicket_filtered", False, more=(filter_actions,))
BARE = made("thicket_bare", False, ("evaluate", "action_values", "pass_turn"))
