"""Hex as text and as a picture."""

import math
from typing import Any

import numpy as np

from mcts_agents.envs.hex.notation import COLUMNS, format_cell
from mcts_agents.envs.painting import (
    BACKGROUND,
    FAINT,
    HIGHLIGHT,
    INK,
    MUTED,
    PANEL,
    PLAYER_COLORS,
    circle,
    mixed,
    polygon,
    ring,
    text,
)
from mcts_agents.envs.regions import Polygon, Region, legal_actions
from mcts_agents.model import ForwardModel

MARKS = "XO"
NAMES = ("Red", "Blue")
SIDES = ("top to bottom", "left to right")
WIDEST = 760  # pixels of the board
MARGIN = 52
FOOTER = 60


def ansi(model: ForwardModel, state: np.ndarray, observer: int | None) -> str:
    """Return the slanted board with its coordinates, and whose turn it is."""
    size = model.variant["size"]
    stones = _stones(model, state)
    lines = ["   " + " ".join(COLUMNS[:size])]
    for row in range(size):
        cells = (stones.get(row * size + column) for column in range(size))
        marks = " ".join("." if owner is None else MARKS[owner] for owner in cells)
        lines.append(f"{' ' * row}{row + 1:2d} {marks} {row + 1}")
    lines.append(" " * (size + 3) + " ".join(COLUMNS[:size]))
    return "\n".join([*lines, _status(model, state)])


def size(model: ForwardModel) -> tuple[int, int]:
    """Return width and height of the picture in pixels."""
    cells = model.variant["size"]
    radius = _radius(cells)
    width = math.sqrt(3) * radius * (1.5 * cells - 0.5) + 2 * MARGIN
    height = radius * (1.5 * cells + 0.5) + 2 * MARGIN + FOOTER - MARGIN // 2
    return round(width), round(height)


def paint(
    surface: Any, model: ForwardModel, state: np.ndarray, observer: int | None
) -> None:
    """Draw the board; the last stone is marked, a winning chain is ringed."""
    cells = model.variant["size"]
    radius = _radius(cells)
    stones = _stones(model, state)
    surface.fill(BACKGROUND)
    _paint_borders(surface, cells, radius)
    for cell in range(cells * cells):
        center = _center(cell, cells, radius)
        polygon(surface, _corners(center, radius), PANEL, FAINT, 2)
    chain = winning_chain(model, state)
    last = int(model.view(state)["last"])
    for cell, owner in stones.items():
        center = _center(cell, cells, radius)
        color = PLAYER_COLORS[owner]
        circle(surface, center, radius * 0.68, color, mixed(color, INK, 0.35), 2)
        if cell in chain:
            ring(surface, center, radius * 0.68, HIGHLIGHT, radius * 0.14)
        if cell == last:
            circle(surface, center, radius * 0.2, PANEL)
    _paint_coordinates(surface, cells, radius)
    width, height = size(model)
    text(surface, _status(model, state), (width / 2, height - FOOTER / 2), 30, INK)


def regions(
    model: ForwardModel, state: np.ndarray, observer: int | None, player: int
) -> list[Region]:
    """Return the cells that a player may take."""
    cells = model.variant["size"]
    radius = _radius(cells)
    return [
        Region(
            cell,
            Polygon(tuple(_corners(_center(cell, cells, radius), radius))),
            format_cell(cell, cells),
        )
        for cell in legal_actions(model, state, player)
    ]


def winning_chain(model: ForwardModel, state: np.ndarray) -> set[int]:
    """Return the winner's stones that are linked to both of its borders."""
    winner = int(model.view(state)["winner"])
    if winner < 0:
        return set()
    cells = model.variant["size"]
    own = {cell for cell, owner in _stones(model, state).items() if owner == winner}

    def along(cell: int) -> int:
        return cell // cells if winner == 0 else cell % cells

    def linked_to(border: int) -> set[int]:
        reached = {cell for cell in own if along(cell) == border}
        waiting = list(reached)
        while waiting:
            near = set(_neighbours(waiting.pop(), cells)) & own - reached
            reached |= near
            waiting += near
        return reached

    return linked_to(0) & linked_to(cells - 1)


def _neighbours(cell: int, cells: int) -> list[int]:
    row, column = divmod(cell, cells)
    steps = ((-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0))
    places = ((row + down, column + right) for down, right in steps)
    return [r * cells + c for r, c in places if 0 <= r < cells and 0 <= c < cells]


def _stones(model: ForwardModel, state: np.ndarray) -> dict[int, int]:
    """Return the owner of each cell that holds a stone."""
    cells = model.variant["size"]
    rows = model.view(state)["stones"]
    return {
        row * cells + column: player
        for player in range(2)
        for row in range(cells)
        for column in range(cells)
        if int(rows[player, row]) >> column & 1
    }


def _status(model: ForwardModel, state: np.ndarray) -> str:
    record = model.view(state)
    if record["winner"] >= 0:
        winner = int(record["winner"])
        return f"{NAMES[winner]} ({MARKS[winner]}) has joined {SIDES[winner]} and wins"
    turn = int(record["turn"])
    last = int(record["last"])
    moved = f"{format_cell(last, model.variant['size'])} played, " if last >= 0 else ""
    return f"{moved}{NAMES[turn]} ({MARKS[turn]}) to move, {SIDES[turn]}"


def _radius(cells: int) -> float:
    """Return the distance from a cell's centre to its corners."""
    return min(34.0, WIDEST / (math.sqrt(3) * (1.5 * cells - 0.5)))


def _center(cell: int, cells: int, radius: float) -> tuple[float, float]:
    row, column = divmod(cell, cells)
    x = MARGIN + math.sqrt(3) * radius * (column + row / 2 + 0.5)
    return x, MARGIN + radius * (1.5 * row + 1)


def _corners(center: tuple[float, float], radius: float) -> list[tuple[float, float]]:
    """Return the six corners, from the top one clockwise."""
    angles = [math.radians(60 * k - 90) for k in range(6)]
    x, y = center
    return [(x + radius * math.cos(a), y + radius * math.sin(a)) for a in angles]


def _paint_borders(surface: Any, cells: int, radius: float) -> None:
    """Draw a coloured band behind the outer edges of the cells of each border."""
    last = cells - 1
    borders = [
        (0, list(range(cells))),
        (0, [last * cells + column for column in range(cells)]),
        (1, [row * cells for row in range(cells)]),
        (1, [row * cells + last for row in range(cells)]),
    ]
    # Outer edges of a cell, as corners from the top one clockwise.
    edges = [(5, 0, 1), (2, 3, 4), (3, 4, 5), (0, 1, 2)]
    for (player, border), corners in zip(borders, edges, strict=True):
        for cell in border:
            x, y = _center(cell, cells, radius)
            inner = _corners((x, y), radius)
            outer = _corners((x, y), radius * 1.28)
            shape = [outer[k] for k in corners] + [inner[k] for k in reversed(corners)]
            polygon(surface, shape, PLAYER_COLORS[player])


def _paint_coordinates(surface: Any, cells: int, radius: float) -> None:
    for index in range(cells):
        x, y = _center(index, cells, radius)
        text(surface, COLUMNS[index], (x - radius * 0.5, y - radius * 1.7), 22, MUTED)
        x, y = _center(index * cells, cells, radius)
        text(surface, str(index + 1), (x - radius * 1.7, y), 22, MUTED)
