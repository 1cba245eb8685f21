"""Connect Four as text and as a picture."""

from typing import Any

import numpy as np

from mcts_agents.envs.connect_four.notation import format_action
from mcts_agents.envs.connect_four.rules import LENGTH
from mcts_agents.envs.painting import (
    BACKGROUND,
    FAINT,
    HIGHLIGHT,
    INK,
    MUTED,
    PANEL,
    PLAYER_COLORS,
    Color,
    circle,
    darker,
    lighter,
    mixed,
    ring,
    rounded_rectangle,
    text,
)
from mcts_agents.envs.regions import Rectangle, Region, legal_actions
from mcts_agents.model import ForwardModel

MARKS = "XO"
NAMES = ("Red", "Yellow")
COLORS: tuple[Color, Color] = (PLAYER_COLORS[0], (245, 195, 50))
BOARD: Color = mixed(PLAYER_COLORS[1], PANEL, 0.15)
CELL = 76
RADIUS = 30
EDGE = 14  # of the board around the cells
MARGIN = 40
HEAD = 52  # column numbers above the board
FOOTER = 64
LINES = ((0, 1), (1, -1), (1, 0), (1, 1))  # columns and rows from a cell to the next


def ansi(model: ForwardModel, state: np.ndarray, observer: int | None) -> str:
    """Return the board with the numbers of its columns, and whose turn it is."""
    width, height = model.variant["width"], model.variant["height"]
    discs = discs_of(model, state)
    lines = [
        " ".join(_mark(discs.get((column, row))) for column in range(width))
        for row in reversed(range(height))
    ]
    numbers = " ".join(format_action(model, column) for column in range(width))
    return "\n".join([*lines, numbers, _status(model, state)])


def size(model: ForwardModel) -> tuple[int, int]:
    """Return width and height of the picture in pixels."""
    width, height = model.variant["width"] * CELL, model.variant["height"] * CELL
    return width + 2 * (EDGE + MARGIN), HEAD + height + 2 * EDGE + FOOTER


def paint(
    surface: Any, model: ForwardModel, state: np.ndarray, observer: int | None
) -> None:
    """Draw the board; the last disc is marked, discs of a finished line are ringed."""
    width, height = model.variant["width"], model.variant["height"]
    surface.fill(BACKGROUND)
    board = (MARGIN, HEAD, width * CELL + 2 * EDGE, height * CELL + 2 * EDGE)
    rounded_rectangle(surface, board, 18, BOARD, darker(BOARD, 0.35), 3)
    discs = discs_of(model, state)
    for column in range(width):
        for row in range(height):
            center = _center(model, column, row)
            circle(surface, center, RADIUS, PANEL, darker(BOARD, 0.25), 2)
            if (column, row) in discs:
                _paint_disc(surface, center, COLORS[discs[column, row]])
    last = int(model.view(state)["last"])
    if last >= 0:
        top = max(row for column, row in discs if column == last)
        circle(surface, _center(model, last, top), RADIUS * 0.2, PANEL)
    for cell in winning_cells(model, state):
        ring(surface, _center(model, *cell), RADIUS + 3, HIGHLIGHT, 8)
        ring(surface, _center(model, *cell), RADIUS - 4, PANEL, 3)
    _paint_numbers(surface, model, state)
    total, bottom = size(model)
    text(surface, _status(model, state), (total / 2, bottom - FOOTER / 2), 30, INK)


def regions(
    model: ForwardModel, state: np.ndarray, observer: int | None, player: int
) -> list[Region]:
    """Return the columns that are not full, with the number above each."""
    height = HEAD + EDGE + model.variant["height"] * CELL
    return [
        Region(
            column,
            Rectangle(MARGIN + EDGE + column * CELL, 0, CELL, height),
            format_action(model, column),
        )
        for column in legal_actions(model, state, player)
    ]


def discs_of(model: ForwardModel, state: np.ndarray) -> dict[tuple[int, int], int]:
    """Return who owns the disc in each (column, row) with one, rows from below."""
    width, height = model.variant["width"], model.variant["height"]
    discs = [int(bits) for bits in model.view(state)["discs"]]
    return {
        (column, row): player
        for player in range(2)
        for column in range(width)
        for row in range(height)
        if discs[player] >> (column * (height + 1) + row) & 1
    }


def winning_cells(model: ForwardModel, state: np.ndarray) -> set[tuple[int, int]]:
    """Return the (column, row) of the discs in the winner's lines of four or more."""
    winner = int(model.view(state)["winner"])
    own = {cell for cell, p in discs_of(model, state).items() if p == winner}
    found = set()
    for column, row in own:
        for right, up in LINES:
            line = {(column + k * right, row + k * up) for k in range(LENGTH)}
            if line <= own:
                found |= line
    return found


def _center(model: ForwardModel, column: int, row: int) -> tuple[float, float]:
    x = MARGIN + EDGE + (column + 0.5) * CELL
    return x, HEAD + EDGE + (model.variant["height"] - row - 0.5) * CELL


def _paint_disc(surface: Any, center: tuple[float, float], color: Color) -> None:
    circle(surface, center, RADIUS, color, darker(color, 0.25), 3)
    ring(surface, center, RADIUS * 0.72, lighter(color, 0.3), 2)


def _paint_numbers(surface: Any, model: ForwardModel, state: np.ndarray) -> None:
    """Write the number of each column; of full ones, and at the end, faintly."""
    movers = model.movers(state)
    open_ones = legal_actions(model, state, movers[0]) if movers else []
    for column in range(model.variant["width"]):
        x = MARGIN + EDGE + (column + 0.5) * CELL
        color = MUTED if column in open_ones else FAINT
        text(surface, format_action(model, column), (x, HEAD / 2 + 4), 26, color)


def _mark(owner: int | None) -> str:
    return "." if owner is None else MARKS[owner]


def _status(model: ForwardModel, state: np.ndarray) -> str:
    record = model.view(state)
    winner, turn, last = (int(record[key]) for key in ("winner", "turn", "last"))
    if winner >= 0:
        return f"{NAMES[winner]} ({MARKS[winner]}) wins"
    if model.is_over(state):
        return "A draw"
    moved = f"{format_action(model, last)} played, " if last >= 0 else ""
    return f"{moved}{NAMES[turn]} ({MARKS[turn]}) to move"
