"""The rules of Gomoku on boards of 5 to 19 cells a side: five or more in a row win.

A playout does not make its moves one after the other (see `play_words`): on 9x9 its 53
moves take as long as 15 that are made by `apply`.

Source of the codes of moves: T. Cazenave, "Monte Carlo Permutation Search" (2025).
"""

import numpy as np
from numba import carray, njit

from mcts_agents.envs.gomoku.cells import (
    FEW,
    LARGEST,
    LENGTH,
    LINES,
    MANY,
    ONE,
    SET_AS_INT32,
    WORDS,
    ZERO,
    copy_set,
    has_five,
    moved,
    nth_between,
    toggle,
)
from mcts_agents.envs.gomoku.playouts import NOBODY, play
from mcts_agents.model import (
    DRAWN,
    LOST,
    PLAYING,
    WON,
    Rules,
    Spec,
    random_below,
)
from mcts_agents.model.addresses import stack_int32
from mcts_agents.model.bits import bit_of, count_bits, lowest_bit
from mcts_agents.model.hashing import mixed
from mcts_agents.model.symmetries import EIGHT, board_symmetries

SMALLEST = 5
# Begins the hash if player 1 is to move; a small number would be taken for a stone.
TURN_KEY = np.uint64(0x9FB21C651E98DF25)
# `evaluate`: what an open line is worth by the number of own stones in it, 0 to 4.
LINE_WORTH = (1.0, 2.0, 8.0, 32.0, 128.0)
# The lead at which a position is worth 0.75.
LEAD_SCALE = 256.0

STATE = np.dtype(
    [
        ("stones", np.uint64, (2, WORDS)),  # bit: the player's stone
        ("free", np.int16),  # empty cells
        ("last", np.int16),  # cell of the last stone, NOBODY before the first
        ("turn", np.int8),
        ("winner", np.int8),  # NOBODY yet, or a draw
    ]
)
GAME = np.dtype(
    [
        ("size", np.int64),
        ("cells", np.int64),
        ("words", np.int64),  # that the board takes
        ("steps", np.uint64, 4),  # from a cell to the next one of a line
        ("doubled", np.uint64, 4),  # twice as far
        ("starts", np.uint64, (WORDS, 4)),  # bit: a line of five begins here
        ("board", np.uint64, WORDS),  # bit: a cell
        ("worth", np.float64, LARGEST**2),  # of each cell in `action_values`
    ]
)

rules = Rules(
    "gomoku",
    state=STATE,
    game=GAME,
    chance=False,
    search_defaults={"value": "win"},
    move_codes=("exact",),
)


@rules.variant
def variant(game, *, players=2, size=9):
    """Choose the board.

    Args:
        game: The variant's record, filled in place.
        players: 2.
        size: Cells a side, 5 to 19.
    """
    if players != 2:
        raise ValueError(f"players={players}: gomoku is for 2 players")
    whole = isinstance(size, int) and not isinstance(size, bool)
    if not whole or not SMALLEST <= size <= LARGEST:
        raise ValueError(
            f"size={size!r}: gomoku has boards of {SMALLEST} to {LARGEST} cells a side"
        )
    game["size"], game["cells"] = size, size * size
    game["words"] = -(-size * size // 64)
    game["steps"] = [down * size + right for down, right in LINES]
    game["doubled"] = 2 * game["steps"]
    for cell in range(size * size):
        word, bit = cell // 64, np.uint64(1 << cell % 64)
        game["board"][word] |= bit
        row, column = divmod(cell, size)
        for line, (down, right) in enumerate(LINES):
            end = row + (LENGTH - 1) * down, column + (LENGTH - 1) * right
            if all(0 <= place < size for place in end):
                game["starts"][word, line] |= bit
    lines = lines_through(size)
    # Below what completes or stops a line: 1 and 0.9, see `action_values`.
    game["worth"][: size * size] = 0.8 * lines / lines.max()
    return Spec(players=2, actions=size * size, observation_shape=(3, size, size))


def lines_through(size):
    """Return how many lines of five each cell lies on, int64 (size * size,)."""
    found = np.zeros(size * size, np.int64)
    for cell in range(size * size):
        for down, right in LINES:
            row, column = divmod(cell, size)
            cells = [(row + k * down, column + k * right) for k in range(LENGTH)]
            if all(0 <= r < size and 0 <= c < size for r, c in cells):
                found[[r * size + c for r, c in cells]] += 1
    return found


@rules.symmetries
def symmetries(game, spec):
    """All eight of the square."""
    return board_symmetries(spec.observation_shape, EIGHT)


@rules.define
def reset(game, state, rng):
    """Empty the board; player 0 (X, black) begins."""
    for player in range(2):
        for i in range(WORDS):
            state.stones[player, i] = ZERO
    state.free = game.cells
    state.last = NOBODY
    state.turn = 0
    state.winner = NOBODY


@rules.define
def movers(game, state):
    """The player to move, nobody after five in a row or on a full board."""
    if state.winner != NOBODY or state.free == 0:
        return 0
    return 1 << state.turn


@njit
def empty_in(game, state, i):
    """Return the empty cells of a word."""
    return game.board[i] & ~(state.stones[0, i] | state.stones[1, i])


@rules.define
def legal_actions(game, state, player, out):
    """Every empty cell."""
    n = 0
    for i in range(game.words):
        empty = empty_in(game, state, i)
        while empty != ZERO:
            out[n] = 64 * i + lowest_bit(empty)
            empty &= empty - ONE
            n += 1
    return n


@rules.define
def random_action(game, state, player, rng):
    """A uniformly random empty cell."""
    taken = carray(stack_int32(SET_AS_INT32), WORDS, np.uint64)
    for i in range(WORDS):
        taken[i] = state.stones[0, i] | state.stones[1, i]
    n = random_below(rng, np.int64(state.free))
    return nth_between(taken, game.board, n, MANY)


@njit
def wins(game, stones):
    """Whether a player with these stones has won."""
    if game.words <= len(FEW):
        return has_five(game, stones, FEW)
    return has_five(game, stones, MANY)


@rules.define
def apply(game, state, joint_action, rng):
    """Put a stone."""
    player = np.int64(state.turn)
    cell = np.int64(joint_action[player])
    own = state.stones[player]
    own[cell >> 6] |= bit_of(cell)
    state.free -= 1
    state.last = cell
    state.turn = 1 - player
    if wins(game, own):
        state.winner = player


@rules.define
def move_code(game, state, player, action, kind):
    """The player's stone on a cell."""
    return player * game.cells + action


@rules.define
def playout(game, state, rng, limit):
    """Random play to the end."""
    return play(game, state, rng, limit, None)


@rules.define
def playout_moves(game, state, rng, limit, kind, out):
    """Random play to the end; each move is recorded."""
    return play(game, state, rng, limit, out)


@rules.define
def scores(game, state, out):
    """No points: 1 for the winner."""
    for player in range(2):
        out[player] = 1.0 if state.winner == player else 0.0


@rules.define
def results(game, state, out):
    """Five in a row win; a full board without that is a draw."""
    for player in range(2):
        if state.winner != NOBODY:
            out[player] = WON if state.winner == player else LOST
        else:
            out[player] = DRAWN if state.free == 0 else PLAYING


@njit
def lines_worth(game, own, other):
    """What the lines of five are worth that hold no stone of the other player."""
    total = 0.0
    for line in range(4):
        step = game.steps[line]
        later, free_later = (ZERO, ZERO, ZERO, ZERO), (ZERO, ZERO, ZERO)
        for i in range(game.words - 1, -1, -1):
            free = game.board[i] & ~other[i]
            two = free & moved(free, free_later[0], step)
            four = two & moved(two, free_later[1], step + step)
            lines = four & moved(four, free_later[2], step) & game.starts[i, line]
            free_later = (free, two, four)
            # How many of each line's cells are own ones, in binary.
            a = own[i]
            b = moved(a, later[0], step)
            c = moved(b, later[1], step)
            d = moved(c, later[2], step)
            e = moved(d, later[3], step)
            later = (a, b, c, d)
            three = a ^ b ^ c
            ones = three ^ d ^ e
            first, second = a & b | c & (a ^ b), three & d | e & (three ^ d)
            twos, fours = first ^ second, first & second
            total += (
                count_bits(lines & ~(ones | twos | fours)) * LINE_WORTH[0]
                + count_bits(lines & ones & ~twos) * LINE_WORTH[1]
                + count_bits(lines & twos & ~ones) * LINE_WORTH[2]
                + count_bits(lines & twos & ones) * LINE_WORTH[3]
                + count_bits(lines & fours) * LINE_WORTH[4]
            )
    return total


@rules.define
def evaluate(game, state, out):
    """Lead in open lines, those with more own stones being worth more; 0.5 is even."""
    first, second = state.stones[0], state.stones[1]
    lead = lines_worth(game, first, second) - lines_worth(game, second, first)
    out[0] = 0.5 + 0.5 * lead / (abs(lead) + LEAD_SCALE)
    out[1] = 1.0 - out[0]


@rules.define
def action_values(game, state, player, actions, n, out):
    """1 for a stone that wins, 0.9 for one that stops five, else by lines through it.

    At most 0.8, for the cell that most lines of the board lead through.
    """
    own = carray(stack_int32(SET_AS_INT32), WORDS, np.uint64)
    other = carray(stack_int32(SET_AS_INT32), WORDS, np.uint64)
    copy_set(state.stones[player], own, MANY)
    copy_set(state.stones[1 - player], other, MANY)
    for i in range(n):
        cell = np.int64(actions[i])
        toggle(own, cell, MANY)
        toggle(other, cell, MANY)
        if wins(game, own):
            out[i] = 1.0
        elif wins(game, other):
            out[i] = 0.9
        else:
            out[i] = game.worth[cell]
        toggle(own, cell, MANY)
        toggle(other, cell, MANY)


@rules.define
def pass_turn(game, state):
    """The opponent is to move."""
    state.turn = 1 - state.turn


@rules.define
def state_key(game, state, observer):
    """A hash of the stones and of who is to move."""
    key = TURN_KEY if state.turn else ZERO
    for i in range(game.words):
        key = mixed(mixed(key, state.stones[0, i]), state.stones[1, i])
    return np.int64(key)


@rules.define
def turn(game, state):
    """Stones put."""
    return game.cells - state.free


@rules.define
def round(game, state):
    """A round is a stone of each player."""
    return (game.cells - state.free) // 2


@rules.define
def observe(game, state, player, out):
    """Planes, rows from the top: own stones, the opponent's, whether I am to move."""
    cells = game.cells
    over = state.winner != NOBODY or state.free == 0
    for cell in range(cells):
        bit = bit_of(cell)
        out[cell] = state.stones[player, cell >> 6] & bit != ZERO
        out[cells + cell] = state.stones[1 - player, cell >> 6] & bit != ZERO
        out[2 * cells + cell] = not over and state.turn == player
