"""Breakthrough and Knightthrough as text and as pictures."""

from typing import Any

import numpy as np

from mcts_agents.envs.painting import (
    BACKGROUND,
    FAINT,
    HIGHLIGHT,
    INK,
    MUTED,
    PANEL,
    Color,
    Point,
    circle,
    darker,
    mixed,
    polygon,
    rounded_rectangle,
    text,
)
from mcts_agents.envs.regions import Rectangle, Region, legal_actions
from mcts_agents.envs.through.notation import COLUMNS, ends, format_action
from mcts_agents.model import ForwardModel

MARKS = "bw"
NAMES = ("Black", "White")
COLORS: tuple[Color, Color] = ((58, 60, 68), PANEL)
LIGHT: Color = (238, 228, 207)
DARK: Color = (196, 168, 131)
LARGEST_CELL, LONGEST_SIDE = 68, 760
EDGE = 12  # of the board around the squares
MARGIN = 48
NARROWEST = 384  # picture, for the words below the board
FOOTER = 128
CHIP_WIDTH, CHIP_HEIGHT, CHIP_GAP = 104, 44, 14

# Outlines in cells around a square's middle, y downwards; a pawn's head comes on top.
PAWN = (
    (-0.27, 0.34), (-0.27, 0.27), (-0.16, 0.2), (-0.09, 0.02), (-0.07, -0.1),
    (0.07, -0.1), (0.09, 0.02), (0.16, 0.2), (0.27, 0.27), (0.27, 0.34),
)  # fmt: skip
HEAD, HEAD_RADIUS = (0.0, -0.17), 0.155
KNIGHT = (
    (-0.28, 0.36), (-0.28, 0.29), (-0.2, 0.24), (-0.14, 0.1), (-0.02, 0.0),
    (-0.1, 0.02), (-0.19, 0.05), (-0.26, 0.14), (-0.33, 0.08), (-0.32, -0.01),
    (-0.18, -0.22), (-0.1, -0.29), (-0.06, -0.39), (0.0, -0.31), (0.12, -0.25),
    (0.21, -0.11), (0.24, 0.06), (0.22, 0.24), (0.29, 0.29), (0.29, 0.36),
)  # fmt: skip
EYE, EYE_RADIUS = (-0.11, -0.16), 0.032


def ansi(model: ForwardModel, state: np.ndarray, observer: int | None) -> str:
    """Return the board with its coordinates, how many pieces each has, the turn."""
    rows, columns = model.variant["rows"], model.variant["columns"]
    owners = pieces_of(model, state)
    letters = "   " + " ".join(COLUMNS[:columns])
    lines = [letters]
    for row in range(rows):
        squares = range(row * columns, (row + 1) * columns)
        marks = (MARKS[owners[s]] if s in owners else "." for s in squares)
        lines.append(f"{rows - row:2d} {' '.join(marks)} {rows - row}")
    counts = (f"{MARKS[p]} {list(owners.values()).count(p)}" for p in range(2))
    return "\n".join([*lines, letters, ", ".join(counts), _status(model, state)])


def size(model: ForwardModel) -> tuple[int, int]:
    """Return width and height of the picture in pixels."""
    cell = _cell(model)
    around = 2 * (MARGIN + EDGE)
    width = model.variant["columns"] * cell + around
    return max(NARROWEST, width), model.variant[
        "rows"
    ] * cell + around - MARGIN + FOOTER + MARGIN // 2


def paint(
    surface: Any, model: ForwardModel, state: np.ndarray, observer: int | None
) -> None:
    """Draw the board and the pieces; squares of the last move are marked."""
    rows, columns = model.variant["rows"], model.variant["columns"]
    cell = _cell(model)
    surface.fill(BACKGROUND)
    left, top, *_ = _box(model, 0)
    frame = (left - EDGE, MARGIN, columns * cell + 2 * EDGE, rows * cell + 2 * EDGE)
    rounded_rectangle(surface, frame, 12, darker(DARK, 0.45))
    last = int(model.view(state)["last"])
    moved = ends(model, last) if last >= 0 else ()
    for square in range(rows * columns):
        color = DARK if sum(divmod(square, columns)) % 2 else LIGHT
        if square in moved:
            color = mixed(color, HIGHLIGHT, 0.55)
        rounded_rectangle(surface, _box(model, square), 0, color)
    for square, owner in pieces_of(model, state).items():
        _paint_piece(surface, model, _center(model, square), cell, owner)
    for column in range(columns):
        middle = left + (column + 0.5) * cell
        text(surface, COLUMNS[column], (middle, MARGIN / 2 + 4), 24, MUTED)
        below = top + EDGE + rows * cell + MARGIN / 2 - 4
        text(surface, COLUMNS[column], (middle, below), 24, MUTED)
    for row in range(rows):
        middle = top + (row + 0.5) * cell
        beside = left - EDGE - MARGIN / 2 + 4
        text(surface, str(rows - row), (beside, middle), 24, MUTED)
    _paint_counts(surface, model, state)
    width, height = size(model)
    text(surface, _status(model, state), (width / 2, height - 30), 28, INK)


def regions(
    model: ForwardModel, state: np.ndarray, observer: int | None, player: int
) -> list[Region]:
    """Return from-to pairs of squares."""
    found = []
    for action in legal_actions(model, state, player):
        origin, target = (Rectangle(*_box(model, s)) for s in ends(model, action))
        found.append(Region(action, origin, format_action(model, action), target))
    return found


def pieces_of(model: ForwardModel, state: np.ndarray) -> dict[int, int]:
    """Return the owner of each square that holds a piece."""
    pieces = [int(bits) for bits in model.view(state)["pieces"]]
    squares = model.variant["rows"] * model.variant["columns"]
    return {s: p for p in range(2) for s in range(squares) if pieces[p] >> s & 1}


def _cell(model: ForwardModel) -> int:
    """Return the side of a square in pixels."""
    longer = max(model.variant["rows"], model.variant["columns"])
    return min(LARGEST_CELL, LONGEST_SIDE // longer)


def _box(model: ForwardModel, square: int) -> tuple[int, int, int, int]:
    """Return left, top, width and height of a square."""
    cell = _cell(model)
    columns = model.variant["columns"]
    row, column = divmod(square, columns)
    left = (size(model)[0] - columns * cell) // 2
    return left + column * cell, MARGIN + EDGE + row * cell, cell, cell


def _center(model: ForwardModel, square: int) -> Point:
    left, top, width, height = _box(model, square)
    return left + width / 2, top + height / 2


def _paint_piece(
    surface: Any, model: ForwardModel, center: Point, cell: float, owner: int
) -> None:
    """Draw a pawn or a knight around a point, as large as in a cell of that side."""
    color = COLORS[owner]
    outline, width = darker(INK, 0.3), max(1.5, cell / 34)

    def at(place: Point) -> Point:
        return center[0] + place[0] * cell, center[1] + place[1] * cell

    if model.name == "breakthrough":
        polygon(surface, [at(place) for place in PAWN], color, outline, width)
        circle(surface, at(HEAD), HEAD_RADIUS * cell, color, outline, width)
        return
    polygon(surface, [at(place) for place in KNIGHT], color, outline, width)
    eye = mixed(PANEL, INK, 0.15) if owner == 0 else INK
    circle(surface, at(EYE), max(1.5, EYE_RADIUS * cell), eye)


def _paint_counts(surface: Any, model: ForwardModel, state: np.ndarray) -> None:
    """Draw a chip with the pieces of each player; the mover's is framed."""
    width, height = size(model)
    movers = model.movers(state)
    owners = list(pieces_of(model, state).values())
    top = height - FOOTER + 22
    for player in range(2):
        middle = width / 2 + (player - 0.5) * (CHIP_WIDTH + CHIP_GAP)
        left = middle - CHIP_WIDTH / 2
        outline = INK if player in movers else FAINT
        area = (left, top, CHIP_WIDTH, CHIP_HEIGHT)
        rounded_rectangle(surface, area, 8, mixed(PANEL, LIGHT, 0.6), outline, 3)
        center = (left + 32, top + CHIP_HEIGHT / 2)
        _paint_piece(surface, model, center, 44, player)
        count = str(owners.count(player))
        text(surface, count, (left + 70, top + CHIP_HEIGHT / 2 + 1), 30, INK)


def _status(model: ForwardModel, state: np.ndarray) -> str:
    record = model.view(state)
    last, winner = int(record["last"]), int(record["winner"])
    moved = f"{format_action(model, last)} played, " if last >= 0 else ""
    if winner >= 0:
        return f"{moved}{NAMES[winner]} ({MARKS[winner]}) wins"
    turn = int(record["turn"])
    return f"{moved}{NAMES[turn]} ({MARKS[turn]}) to move"
