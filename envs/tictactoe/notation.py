"""Cells of Tic-Tac-Toe: a letter for the column, a number for the row from the top."""

from collections.abc import Mapping

from mcts_agents.model import ForwardModel

COLUMNS = "abc"
ROWS = "123"


def format_action(model: ForwardModel, action: int) -> str:
    """Return a cell such as `b2`, the middle."""
    row, column = divmod(action, 3)
    return COLUMNS[column] + ROWS[row]


def parse_action(model: ForwardModel, text: str) -> int:
    """Return the action of a cell; ValueError says what was expected."""
    cell = text.strip().lower()
    if len(cell) != 2 or cell[0] not in COLUMNS or cell[1] not in ROWS:
        raise ValueError(
            f"{text!r}: expected a column a to c and a row 1 to 3, such as b2"
        )
    return 3 * ROWS.index(cell[1]) + COLUMNS.index(cell[0])


def recorded_variant(header: Mapping[str, object]) -> dict[str, object]:
    """Return the variant of a recorded file; ValueError if it is of another game."""
    if header.get("game") != "tic_tac_toe":
        raise ValueError(f"a record of {header.get('game')!r}, not of tic_tac_toe")
    return {}
