"""Squares of Othello: a letter for the column, a number for the row from the top."""

import re
from collections.abc import Mapping

from mcts_agents.envs.flanked import SIDE
from mcts_agents.envs.othello.rules import PASS
from mcts_agents.model import ForwardModel

COLUMNS = "abcdefgh"
PASS_TEXT = "pass"


def format_action(model: ForwardModel, action: int) -> str:
    """Return the square of an action, such as `c2`, or `pass`."""
    if action == PASS:
        return PASS_TEXT
    row, column = divmod(int(action), SIDE)
    return f"{COLUMNS[column]}{row + 1}"


def parse_action(model: ForwardModel, text: str) -> int:
    """Return the action of a square or of `pass`; ValueError says what was expected."""
    word = text.strip().lower()
    if word == PASS_TEXT:
        return PASS
    if re.fullmatch(r"[a-h][1-8]", word):
        return (int(word[1]) - 1) * SIDE + COLUMNS.index(word[0])
    raise ValueError(
        f"{text!r}: expected a column a to h and a row 1 to 8, such as d3, or pass"
    )


def recorded_variant(header: Mapping[str, object]) -> dict[str, object]:
    """Return the variant of a recorded file; ValueError if it is of another game."""
    if not re.match(r"othello\b", str(header.get("openspiel"))):
        raise ValueError(f"a record of {header.get('game')!r}, not of othello")
    return {}
