"""The rules that Breakthrough and Knightthrough share, for any steps that go forward.

Squares are numbered `row * columns + column` from the top left, and each player's
pieces are the bits of a word. Player 0 begins on the upper two rows and moves down,
player 1 on the lower two and moves up. A step is a shift of the whole word: the same
number of squares for both players, in opposite directions, so that left and right are
as the mover sees them.

Somebody who is to move always can: what lies before the foremost own piece holds none,
and boards are wide enough for a step to one of the sides.
"""

import numpy as np
from numba import njit

from mcts_agents.envs.through.steps import MOST_STEPS, QUIET, STEPS, target_of
from mcts_agents.model import LOST, PLAYING, WON, Rules, Spec, random_below
from mcts_agents.model.bits import bit_of, count_bits, highest_bit, lowest_bit, nth_bit
from mcts_agents.model.hashing import mixed
from mcts_agents.model.symmetries import MIRROR, board_symmetries

SQUARES = 64  # at most
# OpenSpiel's Breakthrough has two rows of pieces from 6 rows on, and one on fewer.
FEWEST_ROWS, MOST_ROWS = 6, 16
FEWEST_COLUMNS, MOST_COLUMNS = 4, 10
HOME_ROWS = 2
NOBODY = -1
NO_ACTION = -1
ZERO, ONE = np.uint64(0), np.uint64(1)

# Shares of the evaluation; they sum to 1.
PIECES_SHARE, FOREMOST_SHARE = 0.7, 0.3
# What a capture and the way gone are worth to `action_values`; a move that wins is 1.
CAPTURE_VALUE, WAY_VALUE = 0.5, 0.4

STATE = np.dtype(
    [
        ("pieces", np.uint64, 2),  # bit: the player's piece
        ("plies", np.int16),
        ("last", np.int16),  # action of the last move, NO_ACTION before the first
        ("turn", np.int8),
        ("winner", np.int8),
    ]
)
GAME = np.dtype(
    [
        ("rows", np.int64),
        ("columns", np.int64),
        ("squares", np.int64),
        ("steps", np.int64),  # of a piece
        ("shifts", np.uint64, MOST_STEPS),  # squares from origin to target
        # Origins from which a player's step stays on the board.
        ("origins", np.uint64, (2, MOST_STEPS)),
        ("quiet", np.uint64, MOST_STEPS),  # all bits where the step cannot capture
        ("begin", np.uint64, 2),  # pieces at the start
        ("goal", np.uint64, 2),  # the row that a player wants to reach
    ]
)


def set_board(game, name, players, rows, columns):
    """Fill the record of a variant and return its sizes.

    Args:
        game: The variant's record, filled in place.
        name: The game's name.
        players: 2.
        rows: Rows of the board.
        columns: Columns of the board.

    Raises:
        ValueError: A board that is not allowed, or other than two players.
    """
    if players != 2:
        raise ValueError(f"players={players}: {name} is for 2 players")
    for option, given, least, most in (
        ("rows", rows, FEWEST_ROWS, MOST_ROWS),
        ("columns", columns, FEWEST_COLUMNS, MOST_COLUMNS),
    ):
        if type(given) is not int or not least <= given <= most:
            raise ValueError(
                f"{option}={given!r}: {name} has boards of {least} to {most} {option}"
            )
    squares = rows * columns
    if squares > SQUARES:
        raise ValueError(
            f"rows={rows}, columns={columns}: {name} has boards of at most {SQUARES} "
            "squares"
        )
    game["rows"], game["columns"], game["squares"] = rows, columns, squares
    steps = STEPS[name]
    game["steps"] = len(steps)
    home = (1 << HOME_ROWS * columns) - 1
    row = (1 << columns) - 1
    game["begin"][0], game["begin"][1] = home, home << (squares - HOME_ROWS * columns)
    game["goal"][0], game["goal"][1] = row << (squares - columns), row
    for step, (forward, right) in enumerate(steps):
        game["shifts"][step] = forward * columns - right
        game["quiet"][step] = 2**64 - 1 if (forward, right) in QUIET else 0
        for player in range(2):
            game["origins"][player, step] = sum(
                1 << square
                for square in range(squares)
                if target_of(square, player, (forward, right), rows, columns)
                is not None
            )
    return Spec(
        players=2,
        actions=2 * squares * len(steps),
        legal_limit=HOME_ROWS * columns * len(steps),
        observation_shape=(3, rows, columns),
    )


def mirrored(spec, name):
    """Return the symmetry of a board: left and right may change places.

    Args:
        spec: The sizes of the variant.
        name: The game's name.
    """
    steps = STEPS[name]
    across = [steps.index((forward, -right)) for forward, right in steps]

    def actions(cells):
        numbers = np.arange(spec.actions).reshape(2, len(cells), len(steps))
        return numbers[:, cells][:, :, across].reshape(-1)

    return board_symmetries(spec.observation_shape, MIRROR, actions)


@njit
def shifted(squares, player, shift):
    """Return the squares to which a player's step leads from these."""
    return squares >> shift if player else squares << shift


@njit
def targets(game, own, other, player, step):
    """Return the squares that a player's pieces can reach by one kind of step."""
    there = shifted(own & game.origins[player, step], player, game.shifts[step])
    return there & ~(own | (other & game.quiet[step]))


@njit
def action_of(game, player, target, step):
    """Return the number of a move, from the square that it leads to."""
    shift = np.int64(game.shifts[step])
    origin = target + shift if player else target - shift
    return (player * game.squares + origin) * game.steps + step


@njit
def random_move(game, own, other, player, rng):
    """Return a uniformly random legal move, as its target and its step."""
    # Words of all steps, so that they stay in registers; nothing moves by a step that
    # the game lacks, since it has no origins.
    first = targets(game, own, other, player, 0)
    second = targets(game, own, other, player, 1)
    third = targets(game, own, other, player, 2)
    fourth = targets(game, own, other, player, 3)
    below_second = count_bits(first)
    below_third = below_second + count_bits(second)
    below_fourth = below_third + count_bits(third)
    n = random_below(rng, below_fourth + count_bits(fourth))
    word, step, below = first, 0, 0
    if n >= below_second:
        word, step, below = second, 1, below_second
    if n >= below_third:
        word, step, below = third, 2, below_third
    if n >= below_fourth:
        word, step, below = fourth, 3, below_fourth
    return nth_bit(word, n - below), step


def reset(game, state, rng):
    """Two rows of pieces each; player 0 begins."""
    for player in range(2):
        state.pieces[player] = game.begin[player]
    state.plies = 0
    state.last = NO_ACTION
    state.turn = 0
    state.winner = NOBODY


def movers(game, state):
    """The player to move, nobody once somebody has won; there are no draws."""
    return 0 if state.winner != NOBODY else 1 << state.turn


def legal_actions(game, state, player, out):
    """Each step of each piece onto a square where it may go."""
    own, other = state.pieces[player], state.pieces[1 - player]
    n = 0
    for step in range(game.steps):
        there = targets(game, own, other, player, step)
        while there != ZERO:
            out[n] = action_of(game, player, lowest_bit(there), step)
            there &= there - ONE
            n += 1
    return n


def random_action(game, state, player, rng):
    """A uniformly random legal action."""
    own, other = state.pieces[player], state.pieces[1 - player]
    target, step = random_move(game, own, other, player, rng)
    return action_of(game, player, target, step)


@njit
def ends_of(game, action):
    """Return the origin and the target of a move, and its step."""
    origin = action // game.steps
    step = action - origin * game.steps
    shift = np.int64(game.shifts[step])
    if origin >= game.squares:
        origin -= game.squares
        return origin, origin - shift, step
    return origin, origin + shift, step


def apply(game, state, joint_action, rng):
    """Move a piece; it takes what it comes upon."""
    player = np.int64(state.turn)
    action = np.int64(joint_action[player])
    origin, target, _ = ends_of(game, action)
    there = bit_of(target)
    state.pieces[player] ^= bit_of(origin) | there
    state.pieces[1 - player] &= ~there
    if there & game.goal[player] != ZERO or state.pieces[1 - player] == ZERO:
        state.winner = player
    state.plies += 1
    state.last = action
    state.turn = 1 - player


@njit
def random_play(game, state, rng, limit, moves):
    """Play random moves on words that stay in registers; return how many.

    Args:
        game: The variant's record.
        state: The position, changed in place.
        rng: The generator.
        limit: The most moves.
        moves: Where moves are recorded with their exact codes; None for nowhere.
    """
    if state.winner != NOBODY or limit <= 0:
        return 0
    player = np.int64(state.turn)
    own, other = state.pieces[player], state.pieces[1 - player]
    action = np.int64(state.last)
    played = 0
    over = False
    while played < limit and not over:
        target, step = random_move(game, own, other, player, rng)
        there = bit_of(target)
        action = action_of(game, player, target, step)
        if moves is not None:
            moves[played].player = player
            moves[played].code = 2 * action + (other & there != ZERO)
        # Back by the same step the target is the origin.
        own ^= there | shifted(there, 1 - player, game.shifts[step])
        other &= ~there
        over = there & game.goal[player] != ZERO or other == ZERO
        own, other = other, own
        player = 1 - player
        played += 1
    state.pieces[player] = own
    state.pieces[1 - player] = other
    state.plies += played
    state.last = action
    state.turn = player
    if over:
        state.winner = 1 - player
    return played


def playout(game, state, rng, limit):
    """Random play to the end."""
    return random_play(game, state, rng, limit, None)


def playout_moves(game, state, rng, limit, kind, out):
    """Random play to the end; each move is recorded."""
    return random_play(game, state, rng, limit, out)


def move_code(game, state, player, action, kind):
    """The action, and whether it captures: that changes what a move is worth."""
    _, target, _ = ends_of(game, action)
    return 2 * action + (state.pieces[1 - player] & bit_of(target) != ZERO)


def scores(game, state, out):
    """No points: 1 for the winner."""
    for player in range(2):
        out[player] = 1.0 if state.winner == player else 0.0


def results(game, state, out):
    """Who reaches the far row or takes all pieces wins."""
    for player in range(2):
        if state.winner == NOBODY:
            out[player] = PLAYING
        else:
            out[player] = WON if state.winner == player else LOST


@njit
def rows_gone(game, state, player):
    """Return how many rows the foremost piece is away from its player's first row."""
    if player == 0:
        return highest_bit(state.pieces[0]) // game.columns
    return game.rows - 1 - lowest_bit(state.pieces[1]) // game.columns


def evaluate(game, state, out):
    """Lead in pieces, and the lead of the foremost piece; 0.5 is even."""
    first, second = count_bits(state.pieces[0]), count_bits(state.pieces[1])
    pieces = (first - second) / (first + second)
    way = rows_gone(game, state, 0) - rows_gone(game, state, 1)
    lead = PIECES_SHARE * pieces + FOREMOST_SHARE * way / (game.rows - 1)
    out[0] = 0.5 + 0.5 * lead
    out[1] = 0.5 - 0.5 * lead


def action_values(game, state, player, actions, n, out):
    """1 for a move to the far row, else a share for a capture and one for the way."""
    other = state.pieces[1 - player]
    for i in range(n):
        _, target, _ = ends_of(game, np.int64(actions[i]))
        there = bit_of(target)
        row = target // game.columns
        gone = game.rows - 1 - row if player else row
        value = WAY_VALUE * gone / (game.rows - 1)
        if other & there != ZERO:
            value += CAPTURE_VALUE
        out[i] = 1.0 if there & game.goal[player] != ZERO else value


def pass_turn(game, state):
    """The opponent is to move."""
    state.turn = 1 - state.turn


def state_key(game, state, observer):
    """A hash of the pieces and of who is to move.

    Three words: to hash them takes no longer than to bring a hash forward by each move.
    """
    # Hashed first: `mixed` would not tell a turn from a piece on the first squares.
    key = mixed(mixed(np.uint64(0), state.turn), state.pieces[0])
    return np.int64(mixed(key, state.pieces[1]))


def turn(game, state):
    """Moves made."""
    return np.int64(state.plies)


def round(game, state):
    """A round is a move of each player."""
    return np.int64(state.plies) // 2


def observe(game, state, player, out):
    """Planes, rows from the top: own pieces, the opponent's, whether I am to move."""
    squares = game.squares
    for square in range(squares):
        bit = bit_of(square)
        out[square] = state.pieces[player] & bit != ZERO
        out[squares + square] = state.pieces[1 - player] & bit != ZERO
        out[2 * squares + square] = state.winner == NOBODY and state.turn == player


def rules_of(name):
    """Return the rules of a game without its board, which `set_board` makes."""
    rules = Rules(
        name, state=STATE, game=GAME, chance=False, search_defaults={"value": "win"}
    )
    for function in (
        reset,
        movers,
        legal_actions,
        random_action,
        apply,
        playout,
        playout_moves,
        move_code,
        scores,
        results,
        evaluate,
        action_values,
        pass_turn,
        state_key,
        turn,
        round,
        observe,
    ):
        rules.define(function)
    return rules
