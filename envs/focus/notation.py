"""Moves as text: `c1-c3`, two pieces from c1 two squares on; `*c3` from the reserve.

As many pieces move as squares, so the two squares say everything. Columns are letters
from the left, rows numbers from the top. Actions that would leave the board, which are
never legal, are written with pieces and direction: `c1-2N`.
"""

import re

from mcts_agents.envs.focus.board import (
    NOWHERE,
    PLACES,
    SQUARE_AT,
    STEPS,
    targets,
)
from mcts_agents.envs.focus.rules import RESERVE_MOVES
from mcts_agents.model import ForwardModel

_MOVE = re.compile(r"(?:([a-h])([1-8])-|\*)([a-h])([1-8])")
_OFF = re.compile(r"([a-h])([1-8])-([1-5])([nesw])")
_LETTERS = "NESW"
_TARGETS = targets()


def name(square: int) -> str:
    """Return a square's name, such as `c1`."""
    row, column = PLACES[square]
    return f"{'abcdefgh'[column]}{row + 1}"


def ends(action: int) -> tuple[int | None, int]:
    """Return the squares that a move leaves, None for the reserve, and comes to."""
    if action >= RESERVE_MOVES:
        return None, action - RESERVE_MOVES
    square, step = divmod(action, STEPS)
    return square, int(_TARGETS[square, step])


def format_action(model: ForwardModel, action: int) -> str:
    """Return a move as text."""
    origin, target = ends(int(action))
    if target == NOWHERE:
        pieces, direction = divmod(int(action) % STEPS, len(_LETTERS))
        return f"{name(origin)}-{pieces + 1}{_LETTERS[direction]}"
    return f"*{name(target)}" if origin is None else f"{name(origin)}-{name(target)}"


def parse_action(model: ForwardModel, text: str) -> int:
    """Return the action of a move; ValueError says what was expected."""
    off = _OFF.fullmatch(text.strip().lower())
    if off:
        square = SQUARE_AT.get((int(off[2]) - 1, "abcdefgh".index(off[1])))
        if square is not None:
            step = 4 * (int(off[3]) - 1) + _LETTERS.lower().index(off[4])
            return square * STEPS + step
    found = _MOVE.fullmatch(text.strip().lower())
    if found:
        squares = [
            SQUARE_AT.get((int(row) - 1, "abcdefgh".index(column)))
            for column, row in ((found[1], found[2]), (found[3], found[4]))
            if column
        ]
        if None not in squares:
            *origin, target = squares
            if not origin:
                return RESERVE_MOVES + target
            (steps,) = (_TARGETS[origin[0]] == target).nonzero()
            if len(steps):
                return origin[0] * STEPS + int(steps[0])
    raise ValueError(
        f"{text!r}: expected two squares of one row or column, at most five apart, "
        "such as c1-c3, or a square for a piece of the reserve, such as *c3; the "
        "corners have no squares"
    )
