"""Tic-Tac-Toe as text and as a picture."""

from typing import Any

import numpy as np

from mcts_agents.envs.painting import (
    BACKGROUND,
    FAINT,
    INK,
    MUTED,
    PANEL,
    PLAYER_COLORS,
    line,
    mixed,
    ring,
    rounded_rectangle,
    text,
)
from mcts_agents.envs.regions import Rectangle, Region, legal_actions
from mcts_agents.envs.tictactoe.notation import COLUMNS, ROWS, format_action
from mcts_agents.envs.tictactoe.rules import LINES
from mcts_agents.model import ForwardModel

MARKS = "XO"
CELL = 120
GAP = 12
MARGIN = 48
FOOTER = 56
STROKE = 14


def size(model: ForwardModel) -> tuple[int, int]:
    """Return width and height of the picture in pixels."""
    side = 2 * MARGIN + 3 * CELL + 2 * GAP
    return side, side + FOOTER - MARGIN // 2


def ansi(model: ForwardModel, state: np.ndarray, observer: int | None) -> str:
    """Return the board with its coordinates, and whose turn it is."""
    record = model.view(state)
    marks = [_mark(record, cell) or "." for cell in range(9)]
    rows = [f"{ROWS[row]} {' '.join(marks[3 * row : 3 * row + 3])}" for row in range(3)]
    return "\n".join([f"  {' '.join(COLUMNS)}", *rows, _status(model, state)])


def paint(
    surface: Any, model: ForwardModel, state: np.ndarray, observer: int | None
) -> None:
    """Draw the board; a finished line is coloured."""
    record = model.view(state)
    surface.fill(BACKGROUND)
    won = _winning_cells(record)
    for cell in range(9):
        left, top, *_ = box = _box(cell)
        color = PANEL
        if won >> cell & 1:
            color = mixed(PANEL, PLAYER_COLORS[record["winner"]], 0.25)
        rounded_rectangle(surface, box, 14, color, FAINT, 2)
        _paint_mark(surface, _mark(record, cell), (left + CELL / 2, top + CELL / 2))
    for index in range(3):
        middle = MARGIN + index * (CELL + GAP) + CELL / 2
        text(surface, COLUMNS[index], (middle, MARGIN / 2), 26, MUTED)
        text(surface, ROWS[index], (MARGIN / 2, middle), 26, MUTED)
    width, height = size(model)
    text(surface, _status(model, state), (width / 2, height - FOOTER / 2), 32, INK)


def regions(
    model: ForwardModel, state: np.ndarray, observer: int | None, player: int
) -> list[Region]:
    """Return the cells that a player may mark."""
    return [
        Region(cell, Rectangle(*_box(cell)), format_action(model, cell))
        for cell in legal_actions(model, state, player)
    ]


def _box(cell: int) -> tuple[int, int, int, int]:
    """Return left, top, width and height of a cell."""
    row, column = divmod(cell, 3)
    return MARGIN + column * (CELL + GAP), MARGIN + row * (CELL + GAP), CELL, CELL


def _paint_mark(surface: Any, mark: str, center: tuple[float, float]) -> None:
    x, y = center
    reach = CELL * 0.28
    if mark == "X":
        for slope in (-1, 1):
            start, end = (x - reach, y - slope * reach), (x + reach, y + slope * reach)
            line(surface, start, end, PLAYER_COLORS[0], STROKE)
    elif mark == "O":
        ring(surface, center, reach + STROKE / 2, PLAYER_COLORS[1], STROKE)


def _mark(record: np.void, cell: int) -> str:
    """Return the mark on a cell, an empty text if there is none."""
    for player in range(2):
        if int(record["stones"][player]) >> cell & 1:
            return MARKS[player]
    return ""


def _winning_cells(record: np.void) -> int:
    """Return the cells of the winner's lines, bit c for cell c."""
    if record["winner"] < 0:
        return 0
    stones = int(record["stones"][record["winner"]])
    lines = [int(line) for line in LINES if stones & line == line]
    return int(np.bitwise_or.reduce(lines))


def _status(model: ForwardModel, state: np.ndarray) -> str:
    record = model.view(state)
    if record["winner"] >= 0:
        return f"{MARKS[record['winner']]} wins"
    if model.is_over(state):
        return "A draw"
    return f"{MARKS[record['turn']]} to move"
