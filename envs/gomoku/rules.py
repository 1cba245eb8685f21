"""The rules of Gomoku on boards of 5 to 19 cells a side: five or more in a row win.

A board is one long row of bits, cell `row * size + column`, in as many words of 64 as
it takes. Lines that would leave the board at one side and come back at the other are
taken out by masks.

A playout does not make its moves one after the other (see `play`), so it takes about as
long as a dozen moves. Source of the codes of moves: T. Cazenave, "Monte Carlo
Permutation Search" (2025).
"""

import numpy as np
from numba import carray, njit

from mcts_agents.model import (
    DRAWN,
    LOST,
    PLAYING,
    WON,
    Rules,
    Spec,
    next_uint64,
    random_below,
)
from mcts_agents.model.addresses import stack_int32
from mcts_agents.model.bits import bit_of, count_bits, lowest_bit, nth_bit
from mcts_agents.model.hashing import mixed

SMALLEST, LARGEST = 5, 19
WORDS = -(-LARGEST * LARGEST // 64)
SET_AS_INT32 = 2 * WORDS  # so long a set of cells is
NOBODY = -1
ZERO, ONE, ALL = np.uint64(0), np.uint64(1), ~np.uint64(0)
_64 = np.uint64(64)

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
        ("starts", np.uint64, (WORDS, 4)),  # bit: a line of five begins here
        ("board", np.uint64, WORDS),  # bit: a cell
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
    for cell in range(size * size):
        word, bit = cell // 64, np.uint64(1 << cell % 64)
        game["board"][word] |= bit
        row, column = divmod(cell, size)
        for line, (down, right) in enumerate(LINES):
            end = row + 4 * down, column + 4 * right
            if all(0 <= place < size for place in end):
                game["starts"][word, line] |= bit
    return Spec(players=2, actions=size * size, observation_shape=(3, size, size))


# -- sets of cells


LINES = ((0, 1), (1, -1), (1, 0), (1, 1))  # rows and columns from a cell to the next


@njit
def moved(word, later, step):
    """Return the bits of a word, moved forward by less than 64, from the next word."""
    return word >> step | later << (_64 - step)


@njit
def has_five(game, stones):
    """Whether these stones, a set of cells, contain five in a row.

    The words are looked at from the last to the first, since lines lead on into later
    ones: two in a row from each cell, then four, then five, all four directions alike.
    """
    later = ZERO
    twos = (ZERO, ZERO, ZERO, ZERO)
    fours = (ZERO, ZERO, ZERO, ZERO)
    found = ZERO
    steps = game.steps
    for i in range(game.words - 1, -1, -1):
        word = stones[i]
        a, b, c, d = steps[0], steps[1], steps[2], steps[3]
        two = (
            word & moved(word, later, a),
            word & moved(word, later, b),
            word & moved(word, later, c),
            word & moved(word, later, d),
        )
        four = (
            two[0] & moved(two[0], twos[0], a + a),
            two[1] & moved(two[1], twos[1], b + b),
            two[2] & moved(two[2], twos[2], c + c),
            two[3] & moved(two[3], twos[3], d + d),
        )
        starts = game.starts[i]
        found |= four[0] & moved(four[0], fours[0], a) & starts[0]
        found |= four[1] & moved(four[1], fours[1], b) & starts[1]
        found |= four[2] & moved(four[2], fours[2], c) & starts[2]
        found |= four[3] & moved(four[3], fours[3], d) & starts[3]
        later, twos, fours = word, two, four
    return found != ZERO


@njit
def count(game, cells):
    """Return how many cells a set has."""
    n = 0
    for i in range(game.words):
        n += count_bits(cells[i])
    return n


@njit
def lowest_in(game, cells):
    """Return the lowest cell of a set that is not empty."""
    i = 0
    while cells[i] == ZERO:
        i += 1
    return 64 * i + lowest_bit(cells[i])


@njit
def nth_between(low, high, n):
    """Return the cell of `high` without `low` that `n` others lie below."""
    i = 0
    while True:
        between = high[i] & ~low[i]
        here = count_bits(between)
        if n < here:
            return 64 * i + nth_bit(between, n)
        n -= here
        i += 1


@njit
def toggle(cells, cell):
    """Put a cell into a set, or take it out."""
    cells[cell >> 6] ^= bit_of(cell)


# -- moves


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
    n = random_below(rng, np.int64(state.free))
    i = 0
    while True:
        empty = empty_in(game, state, i)
        here = count_bits(empty)
        if n < here:
            return 64 * i + nth_bit(empty, n)
        n -= here
        i += 1


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
    if has_five(game, own):
        state.winner = player


@rules.define
def move_code(game, state, player, action, kind):
    """The player's stone on a cell."""
    return player * game.cells + action


# -- playouts


@rules.define
def playout(game, state, rng, limit):
    """Random play to the end."""
    return play(game, state, rng, limit, None)


@rules.define
def playout_moves(game, state, rng, limit, kind, out):
    """Random play to the end; each move is recorded."""
    return play(game, state, rng, limit, out)


@njit
def play(game, state, rng, limit, moves):
    """Play at random, all sequences of empty cells equally likely.

    Were the game to go on after five in a row, the players would share the empty cells,
    each share equally likely, and each would come to its stones in an order of its own,
    any order equally likely. So both shares are drawn at once. The first player's is
    searched for the stone that completes five: `narrow` halves it at random again and
    again. The second player has so many stones by then, any of its share; among these
    its own five are looked for in the same way. No order is drawn for the stones before
    the last one, unless the moves are recorded: none changes how the game ends.

    Args:
        game: The variant's record.
        state: The position, changed in place.
        rng: The generator.
        limit: The most moves.
        moves: Where moves are recorded with their codes; None for nowhere.

    Returns:
        How many moves were made.
    """
    most = min(np.int64(state.free), np.int64(limit))
    if state.winner != NOBODY or most <= 0:
        return 0
    first = np.int64(state.turn)
    own, other = state.stones[first], state.stones[1 - first]
    own_high = carray(stack_int32(SET_AS_INT32), WORDS, np.uint64)
    other_high = carray(stack_int32(SET_AS_INT32), WORDS, np.uint64)
    low = carray(stack_int32(SET_AS_INT32), WORDS, np.uint64)
    taken = carray(stack_int32(SET_AS_INT32), WORDS, np.uint64)
    own_count, other_count = (most + 1) >> 1, most >> 1
    for i in range(game.words):
        taken[i] = own[i] | other[i]
    free = np.int64(state.free)
    draw(game, rng, taken, game.board, free, own_count, own_high)
    for i in range(game.words):
        taken[i] |= own_high[i]
    draw(game, rng, taken, game.board, free - own_count, other_count, other_high)
    for i in range(game.words):
        own_high[i] |= own[i]
        other_high[i] |= other[i]

    last = np.int64(NOBODY)
    winner = NOBODY
    if has_five(game, own_high):
        for i in range(game.words):
            low[i] = own[i]
        before = narrow(game, rng, low, own_high, own_count, taken)
        last = nth_between(low, own_high, 0)
        winner = first
        own_count = before + 1
        cut(game, rng, other, other_high, other_count, before, taken)
        other_count = before
    if has_five(game, other_high):
        for i in range(game.words):
            low[i] = other[i]
        before = narrow(game, rng, low, other_high, other_count, taken)
        if winner == first:  # its last stone is not reached
            toggle(own_high, last)
            own_count -= 1
        last = nth_between(low, other_high, 0)
        winner = 1 - first
        other_count = before + 1
        cut(game, rng, own, own_high, own_count, other_count, taken)
        own_count = other_count
    played = own_count + other_count
    if winner == NOBODY:
        if played & 1:
            last = nth_between(own, own_high, random_below(rng, own_count))
        else:
            last = nth_between(other, other_high, random_below(rng, other_count))
    if moves is not None:
        record(game, rng, first, 0, own, own_high, last, moves)
        record(game, rng, 1 - first, 1, other, other_high, last, moves)
    for i in range(game.words):
        own[i] = own_high[i]
        other[i] = other_high[i]
    state.free = free - played
    state.last = last
    state.turn = first ^ (played & 1)
    state.winner = winner
    return played


@njit
def draw(game, rng, low, high, n, k, drawn):
    """Draw `k` of the `n` cells of `high` without `low`, all sets equally likely.

    A fair coin for every cell gives a random set; as long as it is too large a random
    member leaves it, too small a random other cell joins. Where far fewer or far more
    than half are wanted, no cell or every cell is what that begins with.
    """
    coins, certain = ALL, ZERO
    if 4 * k < n:
        coins = ZERO
    elif 4 * k > 3 * n:
        certain = ALL
    missing = k
    for i in range(game.words):
        bits = (next_uint64(rng) & coins | certain) & high[i] & ~low[i]
        drawn[i] = bits
        missing -= count_bits(bits)
    while missing > 0:
        at = random_below(rng, n - k + missing)
        i = 0
        while True:
            left = high[i] & ~low[i] & ~drawn[i]
            here = count_bits(left)
            if at < here:
                drawn[i] |= bit_of(nth_bit(left, at))
                break
            at -= here
            i += 1
        missing -= 1
    while missing < 0:
        at = random_below(rng, k - missing)
        i = 0
        while True:
            here = count_bits(drawn[i])
            if at < here:
                drawn[i] ^= bit_of(nth_bit(drawn[i], at))
                break
            at -= here
            i += 1
        missing += 1


@njit
def cut(game, rng, low, high, n, k, drawn):
    """Leave `k` of the `n` stones of `high` without `low`, all sets equally likely."""
    draw(game, rng, low, high, n, k, drawn)
    for i in range(game.words):
        high[i] = low[i] | drawn[i]


@njit
def narrow(game, rng, low, high, n, middle):
    """Put the `n` stones of `high` without `low` until five are in a row.

    They come in random order. Those that come first by a coin thrown for each are one
    half of them, and if these make five in a row, the search goes on among them, else
    among the others.

    Args:
        game: The variant's record.
        rng: The generator.
        low: Stones without five in a row. Changed to those before the winning one.
        high: Stones with five in a row, and all of `low`. Changed to those with the
            winning one.
        n: The number of stones of `high` without `low`.
        middle: Scratch space.

    Returns:
        How many stones are put before the winning one.
    """
    before, between = 0, n
    while between > 1:
        chosen = 0
        for i in range(game.words):
            some = (high[i] ^ low[i]) & next_uint64(rng)
            middle[i] = low[i] | some
            chosen += count_bits(some)
        if chosen == 0 or chosen == between:
            continue
        # Both sets are written, by masks: a branch here could not be foreseen.
        five = np.int64(has_five(game, middle))
        wins = np.uint64(-five)
        for i in range(game.words):
            high[i] ^= (high[i] ^ middle[i]) & wins
            low[i] ^= (low[i] ^ middle[i]) & ~wins
        before += chosen * (1 - five)
        between = chosen * five + (between - chosen) * (1 - five)
    return before


@njit
def record(game, rng, player, place, low, high, last, moves):
    """Record a player's new stones in random order, the last stone of all at the end.

    Args:
        game: The variant's record.
        rng: The generator.
        player: Whose stones these are.
        place: Of the player's first move: 0 or 1.
        low: The player's stones before.
        high: The player's stones after.
        last: Cell of the last stone, of either player.
        moves: The moves of both players, one after the other.
    """
    n = 0
    for i in range(game.words):
        cells = high[i] & ~low[i]
        while cells != ZERO:
            code = player * game.cells + 64 * i + lowest_bit(cells)
            cells &= cells - ONE
            other = place + 2 * random_below(rng, n + 1)
            at = place + 2 * n
            moves[at].player = player
            moves[at].code = moves[other].code
            moves[other].code = code
            n += 1
    ends = player * game.cells + last
    for at in range(place, place + 2 * n, 2):
        if moves[at].code == ends:
            moves[at].code = moves[place + 2 * n - 2].code
            moves[place + 2 * n - 2].code = ends


# -- what positions are worth, and how they are seen


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


@rules.define
def pass_turn(game, state):
    """The opponent is to move."""
    state.turn = 1 - state.turn


@rules.define
def state_key(game, state, observer):
    """A hash of the stones and of who is to move."""
    key = np.uint64(state.turn)
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
