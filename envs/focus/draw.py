"""Focus as text and as a picture: stacks, and what everybody holds."""

from typing import Any

import numpy as np

from mcts_agents.envs.focus.board import PLACES, SIDE
from mcts_agents.envs.focus.notation import ends, format_action, name
from mcts_agents.envs.painting import (
    BACKGROUND,
    FAINT,
    HIGHLIGHT,
    INK,
    MUTED,
    PANEL,
    PLAYER_COLORS,
    Point,
    circle,
    darker,
    line,
    mixed,
    ring,
    rounded_rectangle,
    text,
)
from mcts_agents.envs.regions import Circle, Rectangle, Region, legal_actions
from mcts_agents.model import WON, ForwardModel

MARKS = "ABCD"
NAMES = ("Red", "Blue", "Green", "Orange")
CELL = 76
MARGIN = 52
BOARD = SIDE * CELL
# Pieces of a stack lie over one another, each a little higher than the one below.
PIECE, LIFT = 23, 7
CHIP, CHIP_GAP, CHIP_HEIGHT = 142, 12, 62
FOOTER = 132


def ansi(model: ForwardModel, state: np.ndarray, observer: int | None) -> str:
    """Return the stacks, bottom first, with coordinates, what is held, the turn."""
    stacks = _stacks(model, state)
    lines = ["   " + "".join(f"{column:<6}" for column in "abcdefgh").rstrip()]
    for row in range(SIDE):
        cells = []
        for column in range(SIDE):
            pieces = stacks.get((row, column))
            marks = "" if pieces is None else "".join(MARKS[p] for p in pieces) or "."
            cells.append(f"{marks:<6}")
        lines.append(f"{row + 1}  {''.join(cells)}".rstrip())
    for player in range(model.players):
        held, taken = _held(model, state, player)
        lines.append(f"{MARKS[player]}: {held} in reserve, {taken} captured")
    return "\n".join([*lines, _status(model, state)])


def size(model: ForwardModel) -> tuple[int, int]:
    """Return width and height of the picture in pixels."""
    return BOARD + 2 * MARGIN, BOARD + MARGIN + FOOTER + 24


def paint(
    surface: Any, model: ForwardModel, state: np.ndarray, observer: int | None
) -> None:
    """Draw the board, the stacks, the last move, and a chip for each player."""
    surface.fill(BACKGROUND)
    last = int(model.view(state)["last"])
    shown = [] if last < 0 else [s for s in ends(last) if s is not None]
    for square, (row, column) in enumerate(PLACES):
        area = (MARGIN + column * CELL + 2, MARGIN + row * CELL + 2, CELL - 4, CELL - 4)
        outline, width = (HIGHLIGHT, 4) if square in shown else (FAINT, 2)
        rounded_rectangle(surface, area, 10, PANEL, outline, width)
    if len(shown) == 2:
        line(surface, _center(shown[0]), _center(shown[1]), HIGHLIGHT, 6)
    for (row, column), pieces in _stacks(model, state).items():
        _paint_stack(surface, row, column, pieces)
    for place in range(SIDE):
        along = MARGIN + (place + 0.5) * CELL
        text(surface, "abcdefgh"[place], (along, MARGIN - 22), 24, MUTED)
        text(surface, str(place + 1), (MARGIN - 24, along), 24, MUTED)
    for player in range(model.players):
        _paint_chip(surface, model, state, player)
    total, bottom = size(model)
    text(surface, _status(model, state), (total / 2, bottom - 26), 26, INK)


def regions(
    model: ForwardModel, state: np.ndarray, observer: int | None, player: int
) -> list[Region]:
    """Return from-to pairs: from a stack, or from the chip with the reserve."""
    found = []
    for action in legal_actions(model, state, player):
        origin, target = ends(action)
        row, column = PLACES[target]
        until = Rectangle(MARGIN + column * CELL, MARGIN + row * CELL, CELL, CELL)
        if origin is None:
            shape = Rectangle(*_chip(model, player))
        else:
            shape = Circle(*_center(origin), CELL / 2 - 2)
        found.append(Region(action, shape, format_action(model, action), until))
    return found


def _center(square: int) -> Point:
    row, column = PLACES[square]
    return MARGIN + (column + 0.5) * CELL, MARGIN + (row + 0.5) * CELL


def _paint_stack(surface: Any, row: int, column: int, pieces: list[int]) -> None:
    x, y = MARGIN + (column + 0.5) * CELL, MARGIN + (row + 0.5) * CELL
    y += LIFT * (len(pieces) - 1) / 2
    for level, player in enumerate(pieces):
        color = PLAYER_COLORS[player]
        center = (x, y - LIFT * level)
        circle(surface, center, PIECE, color, darker(color, 0.45), 2)
    if pieces:
        top = (x, y - LIFT * (len(pieces) - 1))
        ring(surface, top, PIECE - 5, mixed(PLAYER_COLORS[pieces[-1]], PANEL, 0.35), 2)
        if len(pieces) > 1:
            text(surface, str(len(pieces)), (top[0], top[1] + 1), 24, PANEL)


def _chip(model: ForwardModel, player: int) -> tuple[float, float, float, float]:
    """Return left, top, width and height of a player's chip."""
    total, bottom = size(model)
    left = (total - model.players * (CHIP + CHIP_GAP) + CHIP_GAP) / 2
    top = bottom - FOOTER + 14
    return left + player * (CHIP + CHIP_GAP), top, CHIP, CHIP_HEIGHT


def _paint_chip(
    surface: Any, model: ForwardModel, state: np.ndarray, player: int
) -> None:
    color = PLAYER_COLORS[player]
    left, top, width, _ = area = _chip(model, player)
    outline = INK if player in model.movers(state) else mixed(PANEL, color, 0.5)
    rounded_rectangle(surface, area, 8, mixed(PANEL, color, 0.25), outline, 3)
    held, taken = _held(model, state, player)
    middle, ink = left + width / 2, darker(color, 0.35)
    text(surface, f"{MARKS[player]}  reserve {held}", (middle, top + 21), 24, ink)
    text(surface, f"captured {taken}", (middle, top + 43), 20, ink)


def _stacks(model: ForwardModel, state: np.ndarray) -> dict[tuple[int, int], list[int]]:
    """Return the colours on each square, the bottom one first."""
    record = model.view(state)
    return {
        place: [int(stack) >> 2 * level & 3 for level in range(int(height))]
        for place, stack, height in zip(
            PLACES, record["stacks"], record["heights"], strict=True
        )
    }


def _held(model: ForwardModel, state: np.ndarray, player: int) -> tuple[int, str]:
    """Return a player's reserve, and what it has captured of each opponent."""
    record = model.view(state)
    taken = [
        f"{record['captured'][player, other]}{MARKS[other]}"
        for other in range(model.players)
        if other != player
    ]
    return int(record["reserves"][player]), " ".join(taken)


def _status(model: ForwardModel, state: np.ndarray) -> str:
    if model.is_over(state):
        results = model.results(state).tolist()
        if WON not in results:
            return "A draw: too many moves"
        winner = results.index(WON)
        return f"{NAMES[winner]} ({MARKS[winner]}) wins"
    record = model.view(state)
    mover, last = int(record["mover"]), int(record["last"])
    moved = "" if last < 0 else f"{_told(last)}, "
    return f"{moved}{NAMES[mover]} ({MARKS[mover]}) to move"


def _told(action: int) -> str:
    origin, target = ends(action)
    if origin is None:
        return f"A piece put on {name(target)}"
    return f"{name(origin)} to {name(target)}"
