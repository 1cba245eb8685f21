"""The rules of Tic-Tac-Toe; source: shared rules sheet of the MultiTree paper's games.

Cells are numbered row by row from the top left; each player's stones are a bit board.
"""

import numpy as np
from numba import njit

from mcts_agents.model import DRAWN, LOST, PLAYING, WON, Rules, Spec, random_below
from mcts_agents.model.bits import count_bits
from mcts_agents.model.symmetries import EIGHT, board_symmetries

STATE = np.dtype(
    [
        ("stones", np.int16, 2),  # bit c: the player has a stone on cell c
        ("turn", np.int8),
        ("winner", np.int8),  # -1 nobody yet
    ]
)

FULL = 0b111_111_111
LINES = np.array(
    [0b111, 0b111000, 0b111000000, 0b1001001, 0b10010010, 0b100100100,
     0b100010001, 0b001010100],
    np.int16,
)  # fmt: skip
# HAS_LINE[stones]: whether these stones contain a line.
HAS_LINE = np.array(
    [any(stones & line == line for line in LINES) for stones in range(512)], np.bool_
)

rules = Rules("tictactoe", state=STATE, chance=False, search_defaults={"value": "win"})


@rules.variant
def variant(game, *, players=2):
    """Check the number of players; there is nothing else to choose."""
    if players != 2:
        raise ValueError(f"players={players}: tictactoe is for 2 players")
    return Spec(players=2, actions=9, observation_shape=(3, 3, 3))


@njit
def is_over(state):
    """Whether a line was made or the board is full."""
    return state.winner >= 0 or (state.stones[0] | state.stones[1]) == FULL


@rules.symmetries
def symmetries(game, spec):
    """All eight of the square."""
    return board_symmetries(spec.observation_shape, EIGHT)


@rules.define
def reset(game, state, rng):
    """Empty the board; player 0 (X) begins."""
    state.stones[0] = 0
    state.stones[1] = 0
    state.turn = 0
    state.winner = -1


@rules.define
def movers(game, state):
    """The player to move, nobody once the game is over."""
    return 0 if is_over(state) else 1 << state.turn


@rules.define
def legal_actions(game, state, player, out):
    """Every empty cell."""
    free = FULL & ~(state.stones[0] | state.stones[1])
    n = 0
    for cell in range(9):
        if free >> cell & 1:
            out[n] = cell
            n += 1
    return n


@rules.define
def random_action(game, state, player, rng):
    """A uniformly random empty cell, by rejection: at least one of nine is empty."""
    taken = state.stones[0] | state.stones[1]
    while True:
        cell = random_below(rng, 9)
        if not taken >> cell & 1:
            return cell


@rules.define
def apply(game, state, joint_action, rng):
    """Put a stone; a line wins."""
    player = state.turn
    state.stones[player] |= 1 << joint_action[player]
    if HAS_LINE[state.stones[player]]:
        state.winner = player
    state.turn = 1 - player


@rules.define
def scores(game, state, out):
    """The paper's value of this game: win 1, draw 0.5, loss -1, running 0."""
    for player in range(2):
        if not is_over(state):
            out[player] = 0.0
        elif state.winner < 0:
            out[player] = 0.5
        else:
            out[player] = 1.0 if state.winner == player else -1.0


@rules.define
def results(game, state, out):
    """Won and lost with a line, drawn on a full board without one."""
    for player in range(2):
        if state.winner >= 0:
            out[player] = WON if state.winner == player else LOST
        else:
            out[player] = DRAWN if is_over(state) else PLAYING


@rules.define
def state_key(game, state, observer):
    """The board itself; who is to move follows from it."""
    return np.int64(state.stones[0]) | np.int64(state.stones[1]) << 9


@njit
def stones_on_board(state):
    """Return the number of stones."""
    return count_bits(state.stones[0] | state.stones[1])


@rules.define
def turn(game, state):
    """Stones put."""
    return stones_on_board(state)


@rules.define
def round(game, state):
    """A round is a stone of each player."""
    return stones_on_board(state) // 2


@rules.define
def observe(game, state, player, out):
    """Planes of 3x3: own stones, the opponent's stones, whether I am to move."""
    my_turn = state.turn == player and not is_over(state)
    for cell in range(9):
        out[cell] = state.stones[player] >> cell & 1
        out[9 + cell] = state.stones[1 - player] >> cell & 1
        out[18 + cell] = my_turn
