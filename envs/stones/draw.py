"""Nogo and Atarigo as text and as pictures."""

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
    Color,
    Point,
    circle,
    darker,
    line,
    mixed,
    ring,
    rounded_rectangle,
    text,
)
from mcts_agents.envs.regions import Circle, Region, legal_actions
from mcts_agents.model import ForwardModel

MARKS = "XO#"
NAMES = ("Black", "White", "Red")
COLORS: tuple[Color, ...] = ((52, 54, 61), PANEL, PLAYER_COLORS[0])
WOOD: Color = (226, 194, 143)
LARGEST_CELL, LONGEST_SIDE = 68, 700
RADIUS = 0.45  # of a stone, in cells
MARGIN = 44
NARROWEST = 340  # between the margins, for the words below the board
FOOTER = 122
CHIP_WIDTH, CHIP_HEIGHT, CHIP_GAP = 132, 42, 12


def ansi(model: ForwardModel, state: np.ndarray, observer: int | None) -> str:
    """Return the board with its coordinates, and whose turn it is."""
    size = model.variant["size"]
    stones = stones_of(model, state)
    letters = "   " + " ".join(COLUMNS[:size])
    lines = [letters]
    for row in range(size):
        places = range(row * size, (row + 1) * size)
        marks = (MARKS[stones[p]] if p in stones else "." for p in places)
        lines.append(f"{row + 1:2d} {' '.join(marks)} {row + 1}")
    return "\n".join([*lines, letters, _status(model, state)])


def size(model: ForwardModel) -> tuple[int, int]:
    """Return width and height of the picture in pixels."""
    board = model.variant["size"] * _cell(model)
    chips = model.players * (CHIP_WIDTH + CHIP_GAP) - CHIP_GAP
    width = max(board, chips, NARROWEST) + 2 * MARGIN
    return width, board + 2 * MARGIN + FOOTER


def paint(
    surface: Any, model: ForwardModel, state: np.ndarray, observer: int | None
) -> None:
    """Draw the board; the last stone is marked, and crosses are illegal points."""
    points = model.variant["size"] ** 2
    cell = _cell(model)
    surface.fill(BACKGROUND)
    _paint_board(surface, model)
    stones, last = stones_of(model, state), int(model.view(state)["last"])
    legal = {
        action
        for player in model.movers(state)
        for action in legal_actions(model, state, player)
    }
    captured = _captured(model, state)
    for place in range(points):
        center = _center(model, place)
        if place in stones:
            _paint_stone(surface, center, RADIUS * cell, stones[place])
            if place in captured:
                ring(surface, center, RADIUS * cell, HIGHLIGHT, 0.1 * cell)
            if place == last:
                circle(surface, center, 0.13 * cell, HIGHLIGHT)
        elif legal and place not in legal:
            _paint_cross(surface, center, 0.16 * cell)
    _paint_players(surface, model, state)
    width, height = size(model)
    text(surface, _status(model, state), (width / 2, height - 28), 26, INK)


def regions(
    model: ForwardModel, state: np.ndarray, observer: int | None, player: int
) -> list[Region]:
    """Return discs around the points where a player may put a stone."""
    radius = RADIUS * _cell(model)
    cells = model.variant["size"]
    return [
        Region(
            place,
            Circle(*_center(model, place), radius),
            format_cell(place, cells),
        )
        for place in legal_actions(model, state, player)
    ]


def stones_of(model: ForwardModel, state: np.ndarray) -> dict[int, int]:
    """Return the owner of each point that holds a stone."""
    words = model.view(state)["stones"].tolist()
    return {
        place: player
        for player in range(model.players)
        for place in range(model.variant["size"] ** 2)
        if words[player][place >> 6] >> (place & 63) & 1
    }


def _captured(model: ForwardModel, state: np.ndarray) -> set[int]:
    """Return the stones of the losers whose group has no liberty at the end."""
    stones, winner = stones_of(model, state), int(model.view(state)["winner"])
    size = model.variant["size"]

    def beside(place: int) -> list[int]:
        row, column = divmod(place, size)
        steps = ((-1, 0), (1, 0), (0, -1), (0, 1))
        places = ((row + down, column + right) for down, right in steps)
        return [r * size + c for r, c in places if 0 <= r < size and 0 <= c < size]

    waiting = [p for p in stones if any(q not in stones for q in beside(p))]
    alive = set(waiting)
    while waiting:
        place = waiting.pop()
        linked = {q for q in beside(place) if stones.get(q) == stones[place]} - alive
        alive |= linked
        waiting += linked
    return {p for p in stones.keys() - alive if winner >= 0 and stones[p] != winner}


def _cell(model: ForwardModel) -> int:
    """Return the distance between neighbouring lines in pixels."""
    return min(LARGEST_CELL, LONGEST_SIDE // model.variant["size"])


def _center(model: ForwardModel, place: int) -> Point:
    """Return where a point lies on the picture."""
    cells, cell = model.variant["size"], _cell(model)
    row, column = divmod(place, cells)
    left = (size(model)[0] - cells * cell) / 2
    return left + (column + 0.5) * cell, MARGIN + (row + 0.5) * cell


def _paint_board(surface: Any, model: ForwardModel) -> None:
    """Draw the wood, the lines and the coordinates."""
    cells, cell = model.variant["size"], _cell(model)
    x, y = _center(model, 0)
    side = cells * cell
    area = (x - cell / 2, y - cell / 2, side, side)
    rounded_rectangle(surface, area, 10, WOOD, darker(WOOD, 0.35), 3)
    end = (cells - 1) * cell
    color = darker(WOOD, 0.55)
    for index in range(cells):
        at = index * cell
        line(surface, (x, y + at), (x + end, y + at), color, 2)
        line(surface, (x + at, y), (x + at, y + end), color, 2)
        for far in (-cell / 2 - 18, end + cell / 2 + 18):
            text(surface, COLUMNS[index], (x + at, y + far), 24, MUTED)
            text(surface, str(index + 1), (x + far, y + at), 24, MUTED)


def _paint_stone(surface: Any, center: Point, radius: float, owner: int) -> None:
    edge = darker(INK, 0.4) if owner == 0 else mixed(COLORS[owner], INK, 0.55)
    circle(surface, center, radius, COLORS[owner], edge, max(1.5, radius / 14))


def _paint_cross(surface: Any, center: Point, reach: float) -> None:
    x, y = center
    for side in (1, -1):
        start, end = (x - reach, y - side * reach), (x + reach, y + side * reach)
        line(surface, start, end, darker(WOOD, 0.45), max(2, reach / 4))


def _paint_players(surface: Any, model: ForwardModel, state: np.ndarray) -> None:
    """Draw a chip for each player; the mover's is framed, lost ones are crossed out."""
    width, height = size(model)
    record, movers = model.view(state), model.movers(state)
    top = height - FOOTER + 20
    whole = model.players * (CHIP_WIDTH + CHIP_GAP) - CHIP_GAP
    for player in range(model.players):
        left = (width - whole) / 2 + player * (CHIP_WIDTH + CHIP_GAP)
        middle = top + CHIP_HEIGHT / 2
        area = (left, top, CHIP_WIDTH, CHIP_HEIGHT)
        outline = INK if player in movers else FAINT
        rounded_rectangle(surface, area, 8, mixed(PANEL, WOOD, 0.3), outline, 3)
        _paint_stone(surface, (left + 26, middle), 13, player)
        out = int(record["out"]) >> player & 1
        color = MUTED if out else INK
        text(surface, NAMES[player], (left + 82, middle + 1), 26, color)
        if out:
            line(surface, (left + 48, middle), (left + 116, middle), MUTED, 3)


def _status(model: ForwardModel, state: np.ndarray) -> str:
    """Return what happened last, and who is to move or has won."""
    record = model.view(state)
    last, winner, out = (int(record[name]) for name in ("last", "winner", "out"))
    point = format_cell(last, model.variant["size"]) if last >= 0 else ""
    lost = [_called(p) for p in range(model.players) if out >> p & 1]
    stuck = f"{' and '.join(lost)} had no legal move"
    if winner >= 0:
        reason = stuck if lost else f"{point} captures"
        return f"{reason}, {_called(winner)} wins"
    said = [f"{point} played"] if point else []
    said += [stuck] if lost else []
    return ", ".join([*said, f"{_called(int(record['turn']))} to move"])


def _called(player: int) -> str:
    return f"{NAMES[player]} ({MARKS[player]})"
