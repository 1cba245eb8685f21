"""Cells of Hex: a letter for the column, a number for the row from the top."""

import re
from collections.abc import Mapping

from mcts_agents.model import ForwardModel

COLUMNS = "abcdefghijklmnopqrs"


def format_cell(cell: int, size: int) -> str:
    """Return a cell's name, such as `c2`: column 2, row 1, counted from 0."""
    row, column = divmod(int(cell), size)
    return f"{COLUMNS[column]}{row + 1}"


def parse_cell(text: str, size: int) -> int:
    """Return `row * size + column`; ValueError says what was expected."""
    found = re.fullmatch(r"([a-s])([0-9]{1,2})", text.strip().lower())
    if found:
        column, row = COLUMNS.index(found[1]), int(found[2]) - 1
        if column < size and 0 <= row < size:
            return row * size + column
    raise ValueError(
        f"{text!r}: expected a column a to {COLUMNS[size - 1]} and a row 1 to {size}, "
        "such as b2"
    )


def format_action(model: ForwardModel, action: int) -> str:
    """Return the cell of an action, such as `c2`."""
    return format_cell(action, model.variant["size"])


def parse_action(model: ForwardModel, text: str) -> int:
    """Return the action of a cell; ValueError says what was expected."""
    return parse_cell(text, model.variant["size"])


def recorded_variant(header: Mapping[str, object]) -> dict[str, object]:
    """Return the variant of a recorded file; ValueError if it is of another game."""
    if not str(header.get("openspiel")).startswith("hex("):
        raise ValueError(f"a record of {header.get('game')!r}, not of hex")
    sides = re.search(r"board_size=(\d+)", str(header.get("openspiel")))
    variant: dict[str, object] = {"size": int(sides[1]) if sides else 11}
    setup = re.search(r"player 0's stone on ([a-s]\d+)", str(header.get("setup", "")))
    if setup:
        variant["first_cell"] = setup[1]
    return variant
