"""Othello as text and as a picture."""

from typing import Any

import numpy as np

from mcts_agents.envs.flanked import SIDE, SQUARES
from mcts_agents.envs.othello.notation import COLUMNS, format_action
from mcts_agents.envs.othello.rules import PASS
from mcts_agents.envs.painting import (
    BACKGROUND,
    FAINT,
    HIGHLIGHT,
    INK,
    MUTED,
    PANEL,
    Color,
    circle,
    darker,
    line,
    mixed,
    rounded_rectangle,
    text,
)
from mcts_agents.envs.regions import Rectangle, Region, legal_actions
from mcts_agents.model import WON, ForwardModel

MARKS = "XO"
NAMES = ("Black", "White")
BOARD: Color = (84, 150, 108)
DISCS: tuple[Color, Color] = (INK, PANEL)
CELL = 68
RADIUS = 27
EDGE = 16  # of the board around the squares
MARGIN = 48
FOOTER = 128
CHIP_WIDTH, CHIP_HEIGHT, CHIP_GAP = 96, 44, 14
PASS_WIDTH = 108


def ansi(model: ForwardModel, state: np.ndarray, observer: int | None) -> str:
    """Return the board with its coordinates, the discs of each, and whose turn it is.

    Squares on which the player to move can play are `*`.
    """
    owners, open_ones = discs_of(model, state), _moves(model, state)
    lines = ["  " + " ".join(COLUMNS)]
    for row in range(SIDE):
        squares = range(row * SIDE, (row + 1) * SIDE)
        empty = ("*" if square in open_ones else "." for square in squares)
        marks = (
            MARKS[owners[square]] if square in owners else mark
            for square, mark in zip(squares, empty, strict=True)
        )
        lines.append(f"{row + 1} {' '.join(marks)} {row + 1}")
    lines.append("  " + " ".join(COLUMNS))
    first, second = _counts(model, state)
    lines.append(f"{MARKS[0]} {first}, {MARKS[1]} {second}")
    return "\n".join([*lines, _status(model, state)])


def size(model: ForwardModel) -> tuple[int, int]:
    """Return width and height of the picture in pixels."""
    side = SIDE * CELL + 2 * MARGIN + 2 * EDGE
    return side, side - MARGIN + FOOTER


def paint(
    surface: Any, model: ForwardModel, state: np.ndarray, observer: int | None
) -> None:
    """Draw the board; the last disc is marked, and where the mover can play."""
    side = SIDE * CELL
    surface.fill(BACKGROUND)
    frame = (MARGIN, MARGIN, side + 2 * EDGE, side + 2 * EDGE)
    rounded_rectangle(surface, frame, 14, darker(BOARD, 0.45))
    first = MARGIN + EDGE
    rounded_rectangle(surface, (first, first, side, side), 0, BOARD)
    for index in range(SIDE + 1):
        at = first + index * CELL
        line(surface, (first, at), (first + side, at), darker(BOARD, 0.25), 2)
        line(surface, (at, first), (at, first + side), darker(BOARD, 0.25), 2)
    for row in (2, 6):
        for column in (2, 6):
            spot = first + column * CELL, first + row * CELL
            circle(surface, spot, 5, darker(BOARD, 0.35))
    for square, owner in discs_of(model, state).items():
        color = DISCS[owner]
        circle(surface, _center(square), RADIUS, color, mixed(color, INK, 0.5), 2)
    _paint_moves(surface, model, state)
    last = int(model.view(state)["last"])
    if 0 <= last < SQUARES:
        circle(surface, _center(last), RADIUS * 0.24, HIGHLIGHT)
    for index in range(SIDE):
        middle = first + (index + 0.5) * CELL
        text(surface, COLUMNS[index], (middle, MARGIN / 2 + 4), 24, MUTED)
        text(surface, str(index + 1), (MARGIN / 2 + 4, middle), 24, MUTED)
    _paint_counts(surface, model, state)
    width, height = size(model)
    text(surface, _status(model, state), (width / 2, height - 34), 30, INK)


def regions(
    model: ForwardModel, state: np.ndarray, observer: int | None, player: int
) -> list[Region]:
    """Return the squares on which a player can play, or the chip that says `pass`."""
    return [
        Region(action, Rectangle(*_box(model, action)), format_action(model, action))
        for action in legal_actions(model, state, player)
    ]


def discs_of(model: ForwardModel, state: np.ndarray) -> dict[int, int]:
    """Return the owner of each square that holds a disc."""
    discs = [int(bits) for bits in model.view(state)["discs"]]
    return {s: p for p in range(2) for s in range(SQUARES) if discs[p] >> s & 1}


def _moves(model: ForwardModel, state: np.ndarray) -> list[int]:
    """Return what the player to move can do, nothing once the game is over."""
    movers = model.movers(state)
    return legal_actions(model, state, movers[0]) if movers else []


def _counts(model: ForwardModel, state: np.ndarray) -> tuple[int, int]:
    owners = list(discs_of(model, state).values())
    return owners.count(0), owners.count(1)


def _center(square: int) -> tuple[float, float]:
    row, column = divmod(square, SIDE)
    first = MARGIN + EDGE + CELL / 2
    return first + column * CELL, first + row * CELL


def _box(model: ForwardModel, action: int) -> tuple[float, float, float, float]:
    """Return left, top, width and height of a square, or of the chip for `pass`."""
    if action != PASS:
        x, y = _center(action)
        return x - CELL / 2, y - CELL / 2, CELL, CELL
    width, height = size(model)
    return (width - PASS_WIDTH) / 2, height - FOOTER + 14, PASS_WIDTH, CHIP_HEIGHT


def _paint_moves(surface: Any, model: ForwardModel, state: np.ndarray) -> None:
    """Mark the squares on which the mover can play; show the chip for `pass`."""
    for action in _moves(model, state):
        if action == PASS:
            left, top, width, height = box = _box(model, action)
            rounded_rectangle(surface, box, 8, mixed(PANEL, HIGHLIGHT, 0.4), INK, 2)
            text(surface, "pass", (left + width / 2, top + height / 2), 28, INK)
        else:
            circle(surface, _center(action), RADIUS * 0.3, darker(BOARD, 0.3))


def _paint_counts(surface: Any, model: ForwardModel, state: np.ndarray) -> None:
    """Draw a chip with the discs of each player at the sides; the mover's is framed."""
    width, height = size(model)
    movers = model.movers(state)
    top = height - FOOTER + 14
    for player, count in enumerate(_counts(model, state)):
        middle = width / 2 + (2 * player - 1) * (PASS_WIDTH + CHIP_WIDTH + CHIP_GAP) / 2
        left = middle - CHIP_WIDTH / 2
        outline = INK if player in movers else FAINT
        area = (left, top, CHIP_WIDTH, CHIP_HEIGHT)
        rounded_rectangle(surface, area, 8, PANEL, outline, 3)
        center = (left + 26, top + CHIP_HEIGHT / 2)
        circle(surface, center, 14, DISCS[player], INK, 2)
        text(surface, str(count), (left + 64, top + CHIP_HEIGHT / 2 + 1), 30, INK)


def _status(model: ForwardModel, state: np.ndarray) -> str:
    if model.is_over(state):
        results = model.results(state).tolist()
        if WON not in results:
            return "A draw"
        winner = results.index(WON)
        return f"{NAMES[winner]} ({MARKS[winner]}) wins"
    record = model.view(state)
    turn, last = int(record["turn"]), int(record["last"])
    played = "passed" if last == PASS else format_action(model, last)
    moved = f"{NAMES[1 - turn]} {played}, " if last >= 0 else ""
    todo = "pass" if _moves(model, state) == [PASS] else "move"
    return f"{moved}{NAMES[turn]} ({MARKS[turn]}) to {todo}"
