"""The rules of Othello: 8x8 squares, a pass only where no move captures.

The squares on which the player to move can play are kept with the position: whether the
game is over depends on them anyway.
"""

import numpy as np
from numba import njit

from mcts_agents.envs.flanked import (
    ONE,
    SQUARES,
    ZERO,
    beside,
    captured,
    capturing,
)
from mcts_agents.envs.othello.stable import stable_on_edges
from mcts_agents.model import DRAWN, LOST, PLAYING, WON, Rules, Spec, random_below
from mcts_agents.model.bits import bit_of, count_bits, lowest_bit, nth_bit
from mcts_agents.model.hashing import mixed
from mcts_agents.model.symmetries import DIAGONALS, HALF_TURN, board_symmetries

PASS = SQUARES
NOBODY = -1
NO_ACTION = -1
# Discs at the start: player 0 on e4 and d5, player 1 on d4 and e5.
START = np.array([1 << 28 | 1 << 35, 1 << 27 | 1 << 36], np.uint64)

EVALUATIONS = ("mobility", "discs")
MOBILITY, DISCS = range(2)
# Shares of the evaluation `mobility`; they sum to 1.
MOVES_SHARE, FRONTIER_SHARE, STABLE_SHARE = 0.35, 0.15, 0.5

# P. Norvig, "Paradigms of Artificial Intelligence Programming" (1992), chapter 18: a
# quarter of the board, the others mirror it.
WEIGHTS = np.array(
    [[120, -20, 20, 5], [-20, -40, -5, -5], [20, -5, 15, 3], [5, -5, 3, 3]]
)
_HALF = np.hstack([WEIGHTS, WEIGHTS[:, ::-1]])
_BOARD = np.vstack([_HALF, _HALF[::-1]]).ravel()
SQUARE_VALUES = (_BOARD - _BOARD.min()) / (_BOARD.max() - _BOARD.min())

STATE = np.dtype(
    [
        ("discs", np.uint64, 2),  # bit: the player's disc
        ("moves", np.uint64),  # bit: a square on which the mover captures
        ("turn", np.int8),  # NOBODY once the game is over
        ("last", np.int8),  # action of the last move, NO_ACTION before the first
    ]
)
GAME = np.dtype([("evaluation", np.int64)])

rules = Rules(
    "othello", state=STATE, game=GAME, chance=False, search_defaults={"value": "win"}
)


@rules.variant
def variant(game, *, players=2, evaluation="mobility"):
    """Choose the evaluation; there is nothing else to choose.

    Args:
        game: The variant's record, filled in place.
        players: 2.
        evaluation: What unfinished positions are worth: `"mobility"` or `"discs"`; see
            the game's page.
    """
    if players != 2:
        raise ValueError(f"players={players}: othello is for 2 players")
    if evaluation not in EVALUATIONS:
        allowed = ", ".join(map(repr, EVALUATIONS))
        raise ValueError(f"evaluation={evaluation!r}: othello knows {allowed}")
    game["evaluation"] = EVALUATIONS.index(evaluation)
    return Spec(
        players=2, actions=SQUARES + 1, legal_limit=33, observation_shape=(3, 8, 8)
    )


@njit
def hand_over(state, player):
    """Let `player` be next: to move, to pass, or to see that the game is over."""
    own, other = state.discs[player], state.discs[1 - player]
    moves = capturing(own, other)
    state.moves = moves
    state.turn = player
    if moves == ZERO and capturing(other, own) == ZERO:
        state.turn = NOBODY


@rules.symmetries
def symmetries(game, spec):
    """Those that leave the opening as it is: quarter turns exchange its colors."""
    return board_symmetries(
        spec.observation_shape,
        (*HALF_TURN, *DIAGONALS),
        lambda cells: np.append(cells, PASS),
    )


@rules.define
def reset(game, state, rng):
    """Four discs in the middle; player 0 (X, black) begins."""
    state.discs[0] = START[0]
    state.discs[1] = START[1]
    state.last = NO_ACTION
    hand_over(state, 0)


@rules.define
def movers(game, state):
    """The player to move or to pass, nobody once neither player can capture."""
    return 0 if state.turn < 0 else 1 << state.turn


@rules.define
def legal_actions(game, state, player, out):
    """Every square on which a disc captures; to pass where there is none."""
    moves = state.moves
    if moves == ZERO:
        out[0] = PASS
        return 1
    n = 0
    while moves != ZERO:
        out[n] = lowest_bit(moves)
        moves &= moves - ONE
        n += 1
    return n


@rules.define
def random_action(game, state, player, rng):
    """A uniformly random square on which a disc captures, or to pass."""
    if state.moves == ZERO:
        return PASS
    return nth_bit(state.moves, random_below(rng, count_bits(state.moves)))


@rules.define
def apply(game, state, joint_action, rng):
    """Put a disc and turn over what it captures, or pass."""
    player = np.int64(state.turn)
    action = np.int64(joint_action[player])
    if action != PASS:
        own, other = state.discs[player], state.discs[1 - player]
        disc = bit_of(action)
        turned = captured(disc, own, other)
        state.discs[player] = own | turned | disc
        state.discs[1 - player] = other ^ turned
    state.last = action
    hand_over(state, 1 - player)


@rules.define
def playout(game, state, rng, limit):
    """Random play on words that stay in registers."""
    if state.turn < 0 or limit <= 0:
        return 0
    mover = np.int64(state.turn)
    own, other, moves = state.discs[mover], state.discs[1 - mover], state.moves
    last = np.int64(state.last)
    played = 0
    over = False
    while played < limit and not over:
        if moves == ZERO:
            last = PASS
        else:
            last = nth_bit(moves, random_below(rng, count_bits(moves)))
            disc = bit_of(last)
            turned = captured(disc, own, other)
            own |= turned | disc
            other ^= turned
        own, other = other, own
        mover = 1 - mover
        played += 1
        moves = capturing(own, other)
        over = moves == ZERO and capturing(other, own) == ZERO
    state.discs[mover] = own
    state.discs[1 - mover] = other
    state.moves = moves
    state.turn = NOBODY if over else mover
    state.last = last
    return played


@rules.define
def scores(game, state, out):
    """Own discs."""
    for player in range(2):
        out[player] = count_bits(state.discs[player])


@rules.define
def results(game, state, out):
    """Most discs win; equally many are a draw."""
    lead = count_bits(state.discs[0]) - count_bits(state.discs[1])
    for player in range(2):
        if state.turn >= 0:
            out[player] = PLAYING
        elif lead == 0:
            out[player] = DRAWN
        else:
            out[player] = WON if (lead > 0) == (player == 0) else LOST


@njit
def share_of(first, second):
    """Return which of two counts is greater, -1 to 1, as a share of both."""
    return 0.0 if first == second else (first - second) / (first + second)


@njit
def by_mobility(first, second):
    """Return player 0's lead by moves, open squares and stable discs, -1 to 1."""
    empty = ~(first | second)
    moves = share_of(
        count_bits(capturing(first, second)), count_bits(capturing(second, first))
    )
    # Empty squares beside the opponent's discs may become moves.
    frontier = share_of(
        count_bits(beside(second) & empty), count_bits(beside(first) & empty)
    )
    stable = share_of(
        count_bits(stable_on_edges(first)), count_bits(stable_on_edges(second))
    )
    return MOVES_SHARE * moves + FRONTIER_SHARE * frontier + STABLE_SHARE * stable


@rules.define
def evaluate(game, state, out):
    """Lead by mobility, or in discs, as the variant says; 0.5 is even."""
    first, second = state.discs[0], state.discs[1]
    if game.evaluation == DISCS:
        lead = (count_bits(first) - count_bits(second)) / SQUARES
    else:
        lead = by_mobility(first, second)
    out[0] = 0.5 + 0.5 * lead
    out[1] = 0.5 - 0.5 * lead


@rules.define
def action_values(game, state, player, actions, n, out):
    """The square's weight from 0 (diagonally beside a corner) to 1 (a corner)."""
    for i in range(n):
        out[i] = 0.5 if actions[i] == PASS else SQUARE_VALUES[actions[i]]


@rules.define
def pass_turn(game, state):
    """The opponent is to move, whoever can capture; the game goes on."""
    player = 1 - np.int64(state.turn)
    state.moves = capturing(state.discs[player], state.discs[1 - player])
    state.turn = player


@rules.define
def state_key(game, state, observer):
    """A hash of the discs and of who is to move."""
    # Hashed first: `mixed` would not tell a turn from discs on the first squares.
    key = mixed(mixed(np.uint64(0), state.turn), state.discs[0])
    return np.int64(mixed(key, state.discs[1]))


@njit
def discs_put(state):
    """Return the number of discs that were put on the board."""
    return count_bits(state.discs[0]) + count_bits(state.discs[1]) - 4


@rules.define
def turn(game, state):
    """Discs put; a pass is no turn."""
    return discs_put(state)


@rules.define
def round(game, state):
    """A round is two discs."""
    return discs_put(state) // 2


@rules.define
def observe(game, state, player, out):
    """Planes, rows from the top: own discs, the opponent's, whether I am to move."""
    for square in range(SQUARES):
        bit = bit_of(square)
        out[square] = state.discs[player] & bit != ZERO
        out[SQUARES + square] = state.discs[1 - player] & bit != ZERO
        out[2 * SQUARES + square] = state.turn == player
