"""Moves as OpenSpiel writes them: `a7b6`, from a square to a square.

The letter is the column from the left, the number the row from the bottom. Actions that
would leave the board, which are never legal, are written with a direction: `a7-SW`.
"""

import re

from mcts_agents.envs.through.steps import STEPS, target_of
from mcts_agents.model import ForwardModel

COLUMNS = "abcdefghij"
_MOVE = re.compile(r"([a-j])([0-9]{1,2})-?([a-j])([0-9]{1,2})\*?")
_OFF = re.compile(r"([a-j])([0-9]{1,2})-([nesw]{1,3})")


def format_square(model: ForwardModel, square: int) -> str:
    """Return a square's name, such as `a7`."""
    row, column = divmod(square, model.variant["columns"])
    return f"{COLUMNS[column]}{model.variant['rows'] - row}"


def ends(model: ForwardModel, action: int) -> tuple[int, int | None]:
    """Return the squares that a move leaves and comes to, None for none."""
    rows, columns = model.variant["rows"], model.variant["columns"]
    steps = STEPS[model.name]
    place, step = divmod(int(action), len(steps))
    player, square = divmod(place, rows * columns)
    return square, target_of(square, player, steps[step], rows, columns)


def format_action(model: ForwardModel, action: int) -> str:
    """Return a move as text."""
    origin, target = ends(model, action)
    name = format_square(model, origin)
    if target is not None:
        return f"{name}{format_square(model, target)}"
    steps = STEPS[model.name]
    player = int(action) // (model.actions // 2)
    return f"{name}-{direction(player, steps[int(action) % len(steps)])}"


def direction(player: int, step: tuple[int, int]) -> str:
    """Return the point of the compass to which a step leads; north is at the top."""
    forward, right = step
    along = "N" if player else "S"
    across = "" if not right else "E" if (right > 0) == (player == 1) else "W"
    if forward > abs(right) > 0:
        return along + along + across
    return (across if abs(right) > forward else "") + along + across


def parse_action(model: ForwardModel, text: str) -> int:
    """Return the action of a move; ValueError says what was expected.

    Signs that some write are understood: `a7-b6`, and `a7b6*` for a capture.
    """
    rows, columns = model.variant["rows"], model.variant["columns"]
    word = text.strip().lower()
    move, off = _MOVE.fullmatch(word), _OFF.fullmatch(word)
    found = move or off
    origin = _square(model, found[1], found[2]) if found else None
    if origin is not None:
        target = _square(model, move[3], move[4]) if move else None
        for player in range(2):
            for number, step in enumerate(STEPS[model.name]):
                there = target_of(origin, player, step, rows, columns)
                named = off and off[3] == direction(player, step).lower()
                if there == target and (target is not None or named):
                    place = player * rows * columns + origin
                    return place * len(STEPS[model.name]) + number
    forward = 1 if model.name == "breakthrough" else 2
    example = f"a{rows - 1}b{rows - 1 - forward}"
    raise ValueError(
        f"{text!r}: expected two squares that a step joins, such as {example}; columns "
        f"are a to {COLUMNS[columns - 1]}, rows 1 to {rows}"
    )


def _square(model: ForwardModel, letter: str, number: str) -> int | None:
    """Return the square of a column and a row in text, None if there is none."""
    rows, columns = model.variant["rows"], model.variant["columns"]
    row, column = rows - int(number), COLUMNS.index(letter)
    return row * columns + column if 0 <= row < rows and column < columns else None
