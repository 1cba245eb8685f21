"""Moves as text: `ROW.INDEX>ROW.INDEX`, rows from the top, index from the left.

Both count from 0, as in OpenSpiel's recorded games. The rows of the board with 73
fields have lengths 1 2 3 10 9 8 7 8 9 10 3 2 1.
"""

import re
from collections.abc import Mapping

from mcts_agents.envs.chinese_checkers.board import Star, star
from mcts_agents.model import ForwardModel

_MOVE = re.compile(r"(\d+)\.(\d+)>(\d+)\.(\d+)")


def format_field(board: Star, field: int) -> str:
    """Return a field as `ROW.INDEX`."""
    row = board.arm * 2 - board.coordinates[field][0]
    return f"{row}.{field - board.rows[row][0]}"


def format_action(model: ForwardModel, action: int) -> str:
    """Return an action as `ROW.INDEX>ROW.INDEX`."""
    board = star(model.variant["fields"])
    origin, target = divmod(int(action), board.fields)
    return f"{format_field(board, origin)}>{format_field(board, target)}"


def parse_action(model: ForwardModel, text: str) -> int:
    """Return the action written as `ROW.INDEX>ROW.INDEX`.

    Raises:
        ValueError: The text is no pair of fields of this board.
    """
    board = star(model.variant["fields"])
    match = _MOVE.fullmatch(text.strip())
    if match is None:
        example = format_action(
            model, board.corners[0][-1] * board.fields + board.pieces
        )
        raise ValueError(
            f"{text!r} is not a move; expected ROW.INDEX>ROW.INDEX such as {example}, "
            "rows from the top and indices from the left, both from 0"
        )
    numbers = [int(number) for number in match.groups()]
    origin, target = _field(board, *numbers[:2]), _field(board, *numbers[2:])
    return origin * board.fields + target


def _field(board: Star, row: int, index: int) -> int:
    if row >= len(board.rows):
        raise ValueError(
            f"no row {row}: the board of {board.fields} fields has rows 0 to "
            f"{len(board.rows) - 1}"
        )
    if index >= len(board.rows[row]):
        raise ValueError(
            f"no field {row}.{index}: row {row} of the board of {board.fields} fields "
            f"has indices 0 to {len(board.rows[row]) - 1}"
        )
    return board.rows[row][index]


def recorded_variant(header: Mapping[str, object]) -> dict:
    """Return the variant of a file of recorded OpenSpiel games in whole turns.

    Raises:
        ValueError: The file is of another game, or records single hops.
    """
    if header.get("game") != "chinese_checkers":
        raise ValueError(f"a file of {header.get('game')!r}, not of chinese_checkers")
    if "WHOLE turn" not in str(header.get("notation")):
        raise ValueError(
            "these games record hop by hop; chinese_checkers is verified on files in "
            "which one move is a whole turn"
        )
    return {"players": header["players"], "fields": 121, "win_rule": "strict"}
