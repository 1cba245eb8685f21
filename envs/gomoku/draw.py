"""Gomoku as text and as a picture."""

from typing import Any

import numpy as np

from mcts_agents.envs.gomoku.cells import LENGTH, LINES
from mcts_agents.envs.hex.notation import COLUMNS, format_cell
from mcts_agents.envs.painting import (
    BACKGROUND,
    FAINT,
    HIGHLIGHT,
    INK,
    MUTED,
    PANEL,
    PLAYER_COLORS,
    Color,
    Point,
    circle,
    line,
    mixed,
    ring,
    rounded_rectangle,
    text,
)
from mcts_agents.envs.regions import Rectangle, Region, legal_actions
from mcts_agents.model import ForwardModel

MARKS = "XO"
NAMES = ("Black", "White")
COLORS: tuple[Color, Color] = ((52, 54, 61), (255, 255, 255))
LARGEST_CELL, LONGEST_SIDE = 72, 720
MARGIN = 48
FOOTER = 64


def ansi(model: ForwardModel, state: np.ndarray, observer: int | None) -> str:
    """Return the board with its coordinates, and whose turn it is."""
    size = model.variant["size"]
    stones = stones_of(model, state)
    letters = "   " + " ".join(COLUMNS[:size])
    lines = [letters]
    for row in range(size):
        owners = (stones.get(row * size + column) for column in range(size))
        marks = " ".join("." if owner is None else MARKS[owner] for owner in owners)
        lines.append(f"{row + 1:2d} {marks} {row + 1}")
    return "\n".join([*lines, letters, _status(model, state)])


def size(model: ForwardModel) -> tuple[int, int]:
    """Return width and height of the picture in pixels."""
    side = model.variant["size"] * _cell(model) + 2 * MARGIN
    return side, side + FOOTER - MARGIN // 2


def paint(
    surface: Any, model: ForwardModel, state: np.ndarray, observer: int | None
) -> None:
    """Draw the board; the last stone is marked, a line of five or more is ringed."""
    surface.fill(BACKGROUND)
    _paint_board(surface, model)
    radius, last = 0.4 * _cell(model), int(model.view(state)["last"])
    winning = winning_cells(model, state)
    for cell, owner in stones_of(model, state).items():
        center = _center(model, cell)
        edge = mixed(COLORS[owner], INK, 0.6)
        circle(surface, center, radius, COLORS[owner], edge, max(1.5, radius / 14))
        if cell in winning:
            ring(surface, center, radius * 1.1, HIGHLIGHT, radius * 0.22)
        if cell == last:
            circle(surface, center, radius * 0.28, PLAYER_COLORS[0])
    width, height = size(model)
    text(surface, _status(model, state), (width / 2, height - FOOTER / 2), 30, INK)


def regions(
    model: ForwardModel, state: np.ndarray, observer: int | None, player: int
) -> list[Region]:
    """Return the cells that are empty."""
    size, side = model.variant["size"], _cell(model)
    found = []
    for cell in legal_actions(model, state, player):
        row, column = divmod(cell, size)
        box = Rectangle(MARGIN + column * side, MARGIN + row * side, side, side)
        found.append(Region(cell, box, format_cell(cell, size)))
    return found


def stones_of(model: ForwardModel, state: np.ndarray) -> dict[int, int]:
    """Return the owner of each cell that holds a stone."""
    words = model.view(state)["stones"].tolist()
    return {
        cell: player
        for player in range(2)
        for cell in range(model.variant["size"] ** 2)
        if words[player][cell // 64] >> cell % 64 & 1
    }


def winning_cells(model: ForwardModel, state: np.ndarray) -> set[int]:
    """Return the cells of the winner's lines of five or more."""
    winner, size = int(model.view(state)["winner"]), model.variant["size"]
    stones = stones_of(model, state)
    own = {divmod(cell, size) for cell, player in stones.items() if player == winner}
    found = set()
    for row, column in own:
        for down, right in LINES:
            cells = {(row + k * down, column + k * right) for k in range(LENGTH)}
            if cells <= own:
                found |= cells
    return {row * size + column for row, column in found}


def _cell(model: ForwardModel) -> int:
    """Return the side of a cell in pixels."""
    return min(LARGEST_CELL, LONGEST_SIDE // model.variant["size"])


def _center(model: ForwardModel, cell: int) -> Point:
    row, column = divmod(cell, model.variant["size"])
    side = _cell(model)
    return MARGIN + (column + 0.5) * side, MARGIN + (row + 0.5) * side


def _paint_board(surface: Any, model: ForwardModel) -> None:
    """Draw the cells and their coordinates."""
    size, side = model.variant["size"], _cell(model)
    end = MARGIN + size * side
    area = (MARGIN, MARGIN, size * side, size * side)
    rounded_rectangle(surface, area, 6, PANEL, mixed(FAINT, INK, 0.3), 3)
    for index in range(size):
        at = MARGIN + index * side
        if index:
            line(surface, (MARGIN, at), (end, at), FAINT, 2)
            line(surface, (at, MARGIN), (at, end), FAINT, 2)
        for far in (MARGIN - 20, end + 20):
            text(surface, COLUMNS[index], (at + side / 2, far), 24, MUTED)
            text(surface, str(index + 1), (far, at + side / 2), 24, MUTED)


def _status(model: ForwardModel, state: np.ndarray) -> str:
    record = model.view(state)
    winner, turn, last = (int(record[key]) for key in ("winner", "turn", "last"))
    if winner >= 0:
        return f"{NAMES[winner]} ({MARKS[winner]}) has five in a row and wins"
    if model.is_over(state):
        return "A draw"
    moved = f"{format_cell(last, model.variant['size'])} played, " if last >= 0 else ""
    return f"{moved}{NAMES[turn]} ({MARKS[turn]}) to move"
