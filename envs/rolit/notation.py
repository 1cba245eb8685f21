"""Fields of Rolit: a letter for the column, a number for the row from the top."""

import re

from mcts_agents.envs.flanked import SIDE, SQUARES
from mcts_agents.model import ForwardModel

COLUMNS = "abcdefgh"
_FIELD = re.compile(r"([a-h])([1-8])")


def format_action(model: ForwardModel, action: int) -> str:
    """Return a field such as `c2`: column 2, row 1, counted from 0.

    Raises:
        ValueError: The board has no such field.
    """
    if not 0 <= action < SQUARES:
        raise ValueError(f"{action}: expected a field, 0 to {SQUARES - 1}")
    row, column = divmod(int(action), SIDE)
    return f"{COLUMNS[column]}{row + 1}"


def parse_action(model: ForwardModel, text: str) -> int:
    """Return row * 8 + column of a field such as `c2`.

    Raises:
        ValueError: The text is no field.
    """
    found = _FIELD.fullmatch(text.strip().lower())
    if found is None:
        raise ValueError(
            f"{text!r}: expected a column a to h and a row 1 to {SIDE}, such as c2"
        )
    return (int(found[2]) - 1) * SIDE + COLUMNS.index(found[1])
