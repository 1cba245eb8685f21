"""The rules of Hex on rhombic boards of 3 to 19 cells a side, without the swap move.

Player 0 joins the top and bottom rows, player 1 the left and right columns. Cell (r, c)
touches (r-1, c), (r-1, c+1), (r, c-1), (r, c+1), (r+1, c-1) and (r+1, c).

Rows are bit masks, bit c for column c. Each player's cells that are linked to the
player's first border are kept, so that a move costs a look at its neighbours; only a
stone that links further stones floods them. A move of a random game on 7x7 takes 18 ns
so, 30 ns with a union-find of cells and 40 ns with a full flood; on 19x19 29, 31, 87.
Forced first stone: T. Cazenave, "Monte Carlo Permutation Search" (2025).
"""

import numpy as np
from numba import carray, njit

from mcts_agents.envs.hex.notation import parse_cell
from mcts_agents.envs.hex.one_word import ALL_CELLS, MOST_SIZE, play_to_the_win, word_of
from mcts_agents.model import (
    LOST,
    PLAYING,
    WON,
    Rules,
    Spec,
    next_uint64,
    random_below,
)
from mcts_agents.model.addresses import stack_int32
from mcts_agents.model.bits import bit_of, count_bits
from mcts_agents.model.hashing import mixed
from mcts_agents.model.symmetries import HALF_TURN, board_symmetries

SMALLEST, LARGEST = 3, 19
NOBODY = -1


def _row_keys() -> np.ndarray:
    """Return a random odd number for each player's stones in each row."""
    numbers = [mixed.py_func(np.uint64(n), np.uint64(0)) for n in range(2 * LARGEST)]
    return np.array(numbers, np.uint64).reshape(2, LARGEST) | np.uint64(1)


# The hash of a board is the sum over its rows of the row's bits times its number.
with np.errstate(over="ignore"):
    ROW_KEYS = _row_keys()

STATE = np.dtype(
    [
        ("stones", np.uint32, (2, LARGEST)),
        ("linked", np.uint32, (2, LARGEST)),  # stones linked to the first border
        ("key", np.uint64),  # `hash_of` the stones, while there are empty cells
        ("free", np.int16),  # empty cells
        ("last", np.int16),  # cell of the last stone, -1 before the first
        ("turn", np.int8),
        ("winner", np.int8),
    ]
)
GAME = np.dtype([("size", np.int64), ("first_cell", np.int64)])

rules = Rules(
    "hex", state=STATE, game=GAME, chance=False, search_defaults={"value": "win"}
)


@rules.variant
def variant(game, *, players=2, size=7, first_cell=None):
    """Choose the board.

    Args:
        game: The variant's record, filled in place.
        players: 2.
        size: Cells a side, 3 to 19.
        first_cell: Where player 0's first stone lies already, as a name such as `c3`
            or as `row * size + column`; player 1 moves first then.
    """
    if players != 2:
        raise ValueError(f"players={players}: hex is for 2 players")
    if not isinstance(size, int) or not SMALLEST <= size <= LARGEST:
        raise ValueError(f"size={size!r}: hex has boards of {SMALLEST} to {LARGEST}")
    game["size"] = size
    game["first_cell"] = NOBODY if first_cell is None else _cell(first_cell, size)
    return Spec(players=2, actions=size * size, observation_shape=(3, size, size))


def _cell(first_cell, size):
    if isinstance(first_cell, str):
        try:
            return parse_cell(first_cell, size)
        except ValueError as error:
            raise ValueError(f"first_cell={first_cell!r}: {error}") from None
    whole = isinstance(first_cell, int) and not isinstance(first_cell, bool)
    if not whole or first_cell not in range(size * size):
        raise ValueError(
            f"first_cell={first_cell!r}: expected a cell such as 'c3', or 0 to "
            f"{size * size - 1}"
        )
    return first_cell


@rules.symmetries
def symmetries(game, spec):
    """Half a turn joins the same borders; a forced first stone has to stay in place."""
    last = game["size"] ** 2 - 1
    if game["first_cell"] not in (NOBODY, last - game["first_cell"]):
        return []
    return board_symmetries(spec.observation_shape, HALF_TURN)


@rules.define
def reset(game, state, rng):
    """Empty the board, but for a forced first stone."""
    for player in range(2):
        for row in range(LARGEST):
            state.stones[player, row] = 0
            state.linked[player, row] = 0
    state.key = 0
    state.free = game.size * game.size
    state.last = NOBODY
    state.turn = 0
    state.winner = NOBODY
    if game.first_cell != NOBODY:
        place(game, state, game.first_cell)


@njit
def row_of(bits, player, row):
    """Return a row as int64, so that shifts do not lose bits."""
    return np.int64(bits[player, row])


@njit
def around(bits, player, row, size):
    """Return the cells of `row` that touch a cell of `bits`, itself in rows nearby."""
    own = row_of(bits, player, row)
    near = own << 1 | own >> 1
    if row > 0:
        above = row_of(bits, player, row - 1)
        near |= above | above >> 1
    if row < size - 1:
        below = row_of(bits, player, row + 1)
        near |= below | below << 1
    return near


@njit
def flood_row(game, state, player, row):
    """Link the stones of one row that touch linked ones; return whether any did."""
    stones = row_of(state.stones, player, row)
    before = row_of(state.linked, player, row)
    reached = before | (around(state.linked, player, row, game.size) & stones)
    if reached == before:
        return False
    while True:  # along the row
        grown = reached | ((reached << 1 | reached >> 1) & stones)
        if grown == reached:
            break
        reached = grown
    state.linked[player, row] = reached
    return True


@njit
def flood(game, state, player):
    """Link all stones that touch linked ones, sweeping down and up."""
    changed = True
    while changed:
        changed = False
        for row in range(game.size):
            changed |= flood_row(game, state, player, row)
        if not changed:
            return
        changed = False
        for row in range(game.size - 2, -1, -1):
            changed |= flood_row(game, state, player, row)


@njit
def has_joined(game, state, player):
    """Whether a linked stone lies on the player's second border."""
    if player == 0:
        return state.linked[0, game.size - 1] != 0
    for row in range(game.size):
        if row_of(state.linked, 1, row) >> (game.size - 1):
            return True
    return False


@njit
def place(game, state, cell):
    """Put the mover's stone on a cell; it wins if it joins the player's borders."""
    row = cell // game.size
    place_at(game, state, row, cell - row * game.size)


@njit
def place_at(game, state, row, column):
    """Put the mover's stone on the cell of a row and a column; see `place`."""
    player = np.int64(state.turn)
    cell = row * game.size + column
    bit = 1 << column
    state.stones[player, row] |= bit
    state.key += ROW_KEYS[player, row] << np.uint64(column)
    state.free -= 1
    state.last = cell
    state.turn = 1 - player
    on_border = row == 0 if player == 0 else column == 0
    if on_border or around(state.linked, player, row, game.size) & bit:
        state.linked[player, row] |= bit
        flood(game, state, player)
        if has_joined(game, state, player):
            state.winner = player


@rules.define
def movers(game, state):
    """The player to move, nobody once somebody has won; there are no draws."""
    return 0 if state.winner != NOBODY else 1 << state.turn


@njit
def empty_in(game, state, row):
    """Return the empty cells of a row as bits."""
    stones = row_of(state.stones, 0, row) | row_of(state.stones, 1, row)
    return ~stones & ((1 << game.size) - 1)


@rules.define
def legal_actions(game, state, player, out):
    """Every empty cell."""
    n = 0
    for row in range(game.size):
        empty = empty_in(game, state, row)
        for column in range(game.size):  # written always, counted if empty
            out[n] = row * game.size + column
            n += empty >> column & 1
    return n


@njit
def random_empty(game, state, rng):
    """Return a uniformly random empty cell, by rejection."""
    while True:
        cell = random_below(rng, game.size * game.size)
        row = cell // game.size
        if empty_in(game, state, row) >> (cell - row * game.size) & 1:
            return cell


@rules.define
def random_action(game, state, player, rng):
    """A uniformly random empty cell; while nobody has won one is empty."""
    return random_empty(game, state, rng)


@rules.define
def apply(game, state, joint_action, rng):
    """Put a stone."""
    place(game, state, np.int64(joint_action[state.turn]))


@rules.define
def playout(game, state, rng, limit):
    """Random play; a whole playout fills the board and looks once who has won.

    Stones after the winning one change nothing, since on a full board exactly one
    player has joined the borders. So the finished state may hold more stones than the
    game would have, all counted in what is returned. A playout that `limit` cuts short
    is played move by move.
    """
    played = np.int64(state.free)
    if state.winner == NOBODY and played <= limit:
        fill(game, state, rng)
        return played
    played = 0
    while played < limit and state.winner == NOBODY:
        place(game, state, random_empty(game, state, rng))
        played += 1
    return played


@njit
def fill(game, state, rng):
    """Give each empty cell to a player, all ways to share them equally likely.

    A fair coin for every cell gives a random set; as long as it is too large a random
    member leaves it, too small a random other cell joins. Whichever cells these are,
    all sets of the right size stay equally likely.
    """
    player = np.int64(state.turn)
    missing = (np.int64(state.free) + 1) // 2  # cells that the mover still lacks
    mine, shared = state.linked[0], state.linked[1]  # scratch: links are made anew
    bits = np.uint64(0)
    for row in range(game.size):
        bits = next_uint64(rng) if row % 3 == 0 else bits >> np.uint64(LARGEST)
        shared[row] = empty_in(game, state, row)
        mine[row] = np.int64(bits) & np.int64(shared[row])
        missing -= count_bits(mine[row])
    while missing:
        cell = random_below(rng, game.size * game.size)
        row = cell // game.size
        bit = 1 << (cell - row * game.size)
        if missing > 0 and np.int64(shared[row]) & ~np.int64(mine[row]) & bit:
            mine[row] |= bit
            missing -= 1
        elif missing < 0 and mine[row] & bit:
            mine[row] ^= bit
            missing += 1
    for row in range(game.size):
        state.stones[player, row] |= mine[row]
        state.stones[1 - player, row] |= shared[row] ^ mine[row]
        mine[row] = shared[row] = 0
    state.free = 0
    state.linked[0, 0] = state.stones[0, 0]
    flood(game, state, 0)
    state.winner = 0 if has_joined(game, state, 0) else 1


# Of the moves of a random game so many, of 8, hardly ever end it.
SAFE_EIGHTHS = 5
_COLUMN_BITS = 5
_MOST_CELLS, _ALL_ROWS = LARGEST * LARGEST, 2 * LARGEST
_32, _LOW = np.uint64(32), np.uint64((1 << 32) - 1)


@rules.define
def playout_moves(game, state, rng, limit, kind, out):
    """Random play to the winning move: empty cells in a random order.

    Most stones are put at once, and then each player's linked ones are looked for; the
    others one by one.
    """
    if state.winner != NOBODY:
        return 0
    cells = carray(stack_int32(_MOST_CELLS), _MOST_CELLS, np.int32)
    count = draw_cells(game, state, rng, limit, cells)
    player = np.int64(state.turn)
    for i in range(count):
        out[i].player = player
        out[i].code = row_in(cells, i) * game.size + column_in(cells, i)
        player = 1 - player
    return put_cells(game, state, cells, count)


@rules.define
def playout_sets(game, state, rng, limit, out):
    """Random play to the winning move, as sets of cells.

    A whole playout on a board of up to 64 cells only leaves the winner behind in the
    state; others are those of `playout_moves`.
    """
    if state.winner != NOBODY:
        return 0
    if game.size <= MOST_SIZE and state.free <= limit:
        size = np.int64(game.size)
        stones = word_of(state.stones[0], size)
        other = word_of(state.stones[1], size)
        free = ~(stones | other) & ALL_CELLS[size]
        out[0], out[1], winner = play_to_the_win(
            rng, stones, other, free, np.int64(state.turn), size
        )
        state.winner = winner
        return count_bits(out[0]) + count_bits(out[1])
    cells = carray(stack_int32(_MOST_CELLS), _MOST_CELLS, np.int32)
    count = draw_cells(game, state, rng, limit, cells)
    player = np.int64(state.turn)
    played = put_cells(game, state, cells, count)
    words = len(out) >> 1
    for i in range(played):
        cell = row_in(cells, i) * game.size + column_in(cells, i)
        out[player * words + (cell >> 6)] |= bit_of(cell)
        player = 1 - player
    return played


@njit
def draw_cells(game, state, rng, limit, cells):
    """Draw empty cells in the order in which they are played; return how many."""
    n = 0
    for row in range(game.size):
        empty = empty_in(game, state, row)
        for column in range(game.size):
            cells[n] = row << _COLUMN_BITS | column  # no division to tell them apart
            n += empty >> column & 1
    count = min(n, limit)
    draw_first(rng, cells, n, count)
    return count


@njit
def put_cells(game, state, cells, count):
    """Put stones on drawn cells to the winning move; return how many were put."""
    played = put_safely(game, state, cells, SAFE_EIGHTHS * count >> 3)
    while played < count and state.winner == NOBODY:
        place_at(game, state, row_in(cells, played), column_in(cells, played))
        played += 1
    return played


@njit
def row_in(cells, i):
    """Return the row of a cell in a list of rows and columns."""
    return np.int64(cells[i]) >> _COLUMN_BITS


@njit
def column_in(cells, i):
    """Return the column of a cell in a list of rows and columns."""
    return np.int64(cells[i]) & ((1 << _COLUMN_BITS) - 1)


@njit
def draw_first(rng, values, n, count):
    """Bring `count` of `n` values to the front, all orders equally likely."""
    bits = np.uint64(0)
    for i in range(count):
        if i & 1 == 0:
            bits = next_uint64(rng)
        j = i + np.int64(((bits & _LOW) * np.uint64(n - i)) >> _32)
        bits >>= _32
        values[i], values[j] = values[j], values[i]


@njit
def put_safely(game, state, cells, count):
    """Put the first stones of a random game, unless one of them wins.

    Returns:
        How many were put: `count`, or none.
    """
    player = np.int64(state.turn)
    for i in range(count):
        put_or_take(game, state, player, row_in(cells, i), column_in(cells, i))
        player = 1 - player
    linked = carray(stack_int32(_ALL_ROWS), _ALL_ROWS, np.int32)
    joined = False
    for player in range(2):
        for row in range(game.size):
            linked[player * LARGEST + row] = state.linked[player, row]
        link_borders(game, state, player)
        joined |= has_joined(game, state, player)
    if not joined:
        if count > 0:
            state.free -= count
            last = count - 1
            state.last = row_in(cells, last) * game.size + column_in(cells, last)
            state.turn ^= count & 1
        return count
    player = np.int64(state.turn)
    for i in range(count):
        put_or_take(game, state, player, row_in(cells, i), column_in(cells, i))
        player = 1 - player
    for player in range(2):
        for row in range(game.size):
            state.linked[player, row] = linked[player * LARGEST + row]
    return 0


@njit
def put_or_take(game, state, player, row, column):
    """Put a stone on an empty cell, or take it away; nothing else is brought along."""
    bit = 1 << column
    stones = row_of(state.stones, player, row) ^ bit
    state.stones[player, row] = stones
    number = ROW_KEYS[player, row] << np.uint64(column)
    if stones & bit:
        state.key += number
    else:
        state.key -= number


@njit
def link_borders(game, state, player):
    """Link a player's stones on the first border, and all that touch them."""
    if player == 0:
        state.linked[0, 0] = state.stones[0, 0]
    else:
        for row in range(game.size):
            state.linked[1, row] |= state.stones[1, row] & 1
    flood(game, state, player)


@rules.define
def scores(game, state, out):
    """No points: 1 for the winner."""
    for player in range(2):
        out[player] = 1.0 if state.winner == player else 0.0


@rules.define
def results(game, state, out):
    """Who joins the borders wins."""
    for player in range(2):
        if state.winner == NOBODY:
            out[player] = PLAYING
        else:
            out[player] = WON if state.winner == player else LOST


@njit
def hash_of(game, state):
    """Return the hash of the board, uint64, from its rows."""
    key = np.uint64(0)
    for row in range(game.size):
        for player in range(2):
            key += ROW_KEYS[player, row] * np.uint64(state.stones[player, row])
    return key


@rules.define
def state_key(game, state, observer):
    """A hash of the board; who is to move follows from it.

    It is kept from move to move; only a playout fills the board without that.
    """
    key = hash_of(game, state) if state.free == 0 else state.key
    return np.int64(mixed(key, np.uint64(0)))


@njit
def stones_put(game, state):
    """Return the number of moves: stones but for a forced first one."""
    forced = np.int64(game.first_cell != NOBODY)
    return game.size * game.size - state.free - forced


@rules.define
def turn(game, state):
    """Moves made; those of a finished playout may fill the board."""
    return stones_put(game, state)


@rules.define
def round(game, state):
    """A round is a move of each player."""
    return stones_put(game, state) // 2


@rules.define
def observe(game, state, player, out):
    """Planes over the cells: own stones, the opponent's, whether I am to move."""
    cells = game.size * game.size
    my_turn = state.turn == player and state.winner == NOBODY
    size = game.size
    for row in range(size):
        own = row_of(state.stones, player, row)
        other = row_of(state.stones, 1 - player, row)
        for column in range(size):
            cell = row * size + column
            out[cell] = own >> column & 1
            out[cells + cell] = other >> column & 1
            out[2 * cells + cell] = my_turn
