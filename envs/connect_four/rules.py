"""The rules of Connect Four on boards of 4 to 9 columns, 7 by default, and 4 to 9 rows.

A column takes `height + 1` bits of a word, from the bottom up. Its top bit stays empty,
so that shifts along rows and diagonals never reach from one column into another. Bit 63
is free on every board.

Sources: J. Tromp, "John's Connect Four Playground" (1995 to 2010), for the layout; P.
Pons, "Solving Connect 4: how to build a perfect AI" (2015), for the key of a position
and the cells that complete a line; L. V. Allis, "A Knowledge-based Approach of
Connect-Four" (1988), on lines and threats.
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
from mcts_agents.model.bits import bit_of, count_bits, lowest_bit
from mcts_agents.model.hashing import mixed
from mcts_agents.model.symmetries import MIRROR, board_symmetries

SMALLEST, LARGEST = 4, 9
MOST_BITS = 63
LENGTH = 4  # of a line
NOBODY = -1
ZERO, ONE = np.uint64(0), np.uint64(1)

# `evaluate`: what an open line is worth by the number of own discs in it, 0 to 3.
LINE_WORTH = (1.0, 2.0, 8.0, 32.0)
# The lead at which a position is worth 0.75.
LEAD_SCALE = 64.0

STATE = np.dtype(
    [
        ("discs", np.uint64, 2),  # bit: the player's disc
        ("turn", np.int8),
        ("winner", np.int8),  # NOBODY yet, or a draw
        ("last", np.int8),  # column of the last disc, NOBODY before the first
    ]
)
GAME = np.dtype(
    [
        ("width", np.int64),
        ("height", np.int64),
        ("board", np.uint64),  # bit: a cell
        ("bottom", np.uint64),  # bit: a cell of the lowest row
        ("column", np.uint64, LARGEST),  # bit: a cell of that column
        ("steps", np.uint64, 4),  # from a cell to the next one of a line
        ("column_of", np.uint8, 64),  # of each bit
        ("worth", np.float64, 64),  # of each bit's cell in `action_values`
    ]
)

rules = Rules(
    "connect_four",
    state=STATE,
    game=GAME,
    chance=False,
    search_defaults={"value": "win"},
)


@rules.variant
def variant(game, *, players=2, width=7, height=6):
    """Fill the tables of one board.

    Args:
        game: The variant's record, filled in place.
        players: 2.
        width: Columns, 4 to 9.
        height: Rows, 4 to 9; `width * (height + 1)` is at most 63.
    """
    _check(players, width, height)
    span = height + 1
    game["width"], game["height"] = width, height
    game["steps"] = (1, height, height + 1, height + 2)
    for column in range(width):
        bits = ((1 << height) - 1) << (column * span)
        game["column"][column] = bits
        game["board"] |= np.uint64(bits)
        game["bottom"] |= np.uint64(1 << (column * span))
        game["column_of"][column * span : (column + 1) * span] = column
    lines = lines_through(width, height)
    # Below what completes or stops a line: 1 and 0.9, see `action_values`.
    game["worth"] = 0.8 * lines / lines.max()
    return Spec(players=2, actions=width, observation_shape=(3, height, width))


def _check(players, width, height):
    if players != 2:
        raise ValueError(f"players={players}: connect_four is for 2 players")
    for name, value, things in (
        ("width", width, "columns"),
        ("height", height, "rows"),
    ):
        whole = isinstance(value, int) and not isinstance(value, bool)
        if not whole or not SMALLEST <= value <= LARGEST:
            raise ValueError(
                f"{name}={value!r}: connect_four has boards of {SMALLEST} to {LARGEST} "
                f"{things}"
            )
    if width * (height + 1) > MOST_BITS:
        raise ValueError(
            f"width={width}, height={height}: connect_four has boards on which "
            f"width * (height + 1) is at most {MOST_BITS}, not {width * (height + 1)}"
        )


def lines_through(width, height):
    """Return how many lines of four each cell lies on, int64 of shape (64,), by bit."""
    found = np.zeros(64, np.int64)
    for column in range(width):
        for row in range(height):
            for right, up in ((0, 1), (1, -1), (1, 0), (1, 1)):
                cells = [(column + k * right, row + k * up) for k in range(LENGTH)]
                if all(c < width and 0 <= r < height for c, r in cells):
                    for c, r in cells:
                        found[c * (height + 1) + r] += 1
    return found


@njit
def has_line(game, discs):
    """Whether these discs contain a line of four."""
    for i in range(4):
        step = game.steps[i]
        pairs = discs & (discs >> step)
        if pairs & (pairs >> (step + step)) != ZERO:
            return True
    return False


@njit
def completing(game, discs):
    """The cells that would make a line of four with three of these discs, as bits.

    Cells that are taken, or that no disc can reach yet, are among them.
    """
    found = ZERO
    for i in range(4):
        step = game.steps[i]
        up, down = discs << step, discs >> step
        up_2, down_2 = up << step, down >> step
        pair_below, pair_above = up & up_2, down & down_2
        found |= pair_below & (up_2 << step)  # ***.
        found |= pair_above & (down_2 >> step)  # .***
        found |= pair_below & down  # **.*
        found |= pair_above & up  # *.**
    return found & game.board


@njit
def next_cells(game, state):
    """The lowest empty cell of each column that is not full, as bits."""
    return ((state.discs[0] | state.discs[1]) + game.bottom) & game.board


@rules.symmetries
def symmetries(game, spec):
    """Left and right may change places."""
    columns = range(game["width"])
    return board_symmetries(spec.observation_shape, MIRROR, lambda _: columns[::-1])


@rules.define
def reset(game, state, rng):
    """Empty the board; player 0 begins."""
    state.discs[0] = ZERO
    state.discs[1] = ZERO
    state.turn = 0
    state.winner = NOBODY
    state.last = NOBODY


@njit
def drop(game, state, cell):
    """Put the mover's disc on a cell, given as its bit; a line of four wins."""
    player = np.int64(state.turn)
    discs = state.discs[player] | cell
    state.discs[player] = discs
    state.last = game.column_of[lowest_bit(cell)]
    state.turn = 1 - player
    if has_line(game, discs):
        state.winner = player


@rules.define
def movers(game, state):
    """The player to move, nobody after a line of four or on a full board."""
    if state.winner != NOBODY or next_cells(game, state) == ZERO:
        return 0
    return 1 << state.turn


@rules.define
def legal_actions(game, state, player, out):
    """Every column that is not full."""
    cells = next_cells(game, state)
    n = 0
    while cells != ZERO:
        out[n] = game.column_of[lowest_bit(cells)]
        cells &= cells - ONE
        n += 1
    return n


@rules.define
def apply(game, state, joint_action, rng):
    """Drop a disc into a column."""
    column = joint_action[state.turn]
    drop(game, state, next_cells(game, state) & game.column[column])


@njit
def random_cell(game, cells, rng):
    """Return one of some cells of different columns, all equally likely, as its bit.

    By rejection: a column is drawn until it has one of them.
    """
    while True:
        cell = cells & game.column[random_below(rng, game.width)]
        if cell != ZERO:
            return cell


@rules.define
def random_action(game, state, player, rng):
    """A uniformly random column that is not full."""
    cell = random_cell(game, next_cells(game, state), rng)
    return np.int64(game.column_of[lowest_bit(cell)])


@rules.define
def playout(game, state, rng, limit):
    """Random play on words that stay in registers."""
    if state.winner != NOBODY:
        return 0
    mover = np.int64(state.turn)
    own, other = state.discs[mover], state.discs[1 - mover]
    cell = ZERO
    played = 0
    while played < limit:
        cells = ((own | other) + game.bottom) & game.board
        if cells == ZERO:
            break
        cell = random_cell(game, cells, rng)
        own, other = other, own | cell
        played += 1
        if has_line(game, other):
            state.winner = mover if played & 1 else 1 - mover
            break
    if played & 1:
        mover = 1 - mover
    state.discs[mover] = own
    state.discs[1 - mover] = other
    state.turn = mover
    if played:
        state.last = game.column_of[lowest_bit(cell)]
    return played


@rules.define
def scores(game, state, out):
    """No points: 1 for the winner."""
    for player in range(2):
        out[player] = 1.0 if state.winner == player else 0.0


@rules.define
def results(game, state, out):
    """Four in a line win; a full board without that is a draw."""
    over = next_cells(game, state) == ZERO
    for player in range(2):
        if state.winner != NOBODY:
            out[player] = WON if state.winner == player else LOST
        else:
            out[player] = DRAWN if over else PLAYING


@njit
def lines_worth(game, own, other):
    """What the lines that the other player has no disc in are worth."""
    free = game.board & ~other
    total = 0.0
    for i in range(4):
        step = game.steps[i]
        pairs = free & (free >> step)
        lines = pairs & (pairs >> (step + step))  # bit: the lowest cell of a line
        # How many of each line's cells are own ones, in binary: `ones` and `twos`.
        a, b = own, own >> step
        c, d = b >> step, (b >> step) >> step
        ones = a ^ b ^ c ^ d
        both_ab, both_cd = a & b, c & d
        twos = both_ab ^ both_cd ^ ((a ^ b) & (c ^ d))
        three = count_bits(lines & twos & ones)
        two = count_bits(lines & twos & ~ones)
        one = count_bits(lines & ones & ~twos)
        none = count_bits(lines) - one - two - three
        total += (
            none * LINE_WORTH[0]
            + one * LINE_WORTH[1]
            + two * LINE_WORTH[2]
            + three * LINE_WORTH[3]
        )
    return total


@rules.define
def evaluate(game, state, out):
    """Lead in open lines, those with more own discs being worth more; 0.5 is even."""
    first, second = state.discs[0], state.discs[1]
    lead = lines_worth(game, first, second) - lines_worth(game, second, first)
    out[0] = 0.5 + 0.5 * lead / (abs(lead) + LEAD_SCALE)
    out[1] = 1.0 - out[0]


@rules.define
def action_values(game, state, player, actions, n, out):
    """1 for a disc that wins, 0.9 for one that stops a line, else by lines through it.

    At most 0.8, for the cell that most lines of the board lead through.
    """
    wins = completing(game, state.discs[player])
    stops = completing(game, state.discs[1 - player])
    cells = next_cells(game, state)
    for i in range(n):
        cell = cells & game.column[actions[i]]
        if cell & wins != ZERO:
            out[i] = 1.0
        elif cell & stops != ZERO:
            out[i] = 0.9
        else:
            out[i] = game.worth[lowest_bit(cell)]


@rules.define
def pass_turn(game, state):
    """The opponent is to move."""
    state.turn = 1 - state.turn


@rules.define
def state_key(game, state, observer):
    """A hash of discs and mover, which two positions never share.

    Added to the next empty cell of its column, where there may be the bit above the
    column, player 0's discs tell all discs; the mover has bit 63.
    """
    key = state.discs[0] + (state.discs[0] | state.discs[1]) + game.bottom
    return np.int64(mixed(key | np.uint64(state.turn) << np.uint64(63), ZERO))


@njit
def discs_put(state):
    """Return the number of discs."""
    return count_bits(state.discs[0] | state.discs[1])


@rules.define
def turn(game, state):
    """Discs put."""
    return discs_put(state)


@rules.define
def round(game, state):
    """A round is a disc of each player."""
    return discs_put(state) // 2


@rules.define
def observe(game, state, player, out):
    """Planes, rows from the top: own discs, the opponent's, whether I am to move."""
    cells = game.width * game.height
    over = state.winner != NOBODY or next_cells(game, state) == ZERO
    my_turn = state.turn == player and not over
    own, other = state.discs[player], state.discs[1 - player]
    for row in range(game.height):
        cell = (game.height - 1 - row) * game.width
        for column in range(game.width):
            bit = bit_of(column * (game.height + 1) + row)
            out[cell + column] = own & bit != ZERO
            out[cells + cell + column] = other & bit != ZERO
    out[2 * cells : 3 * cells] = my_turn
