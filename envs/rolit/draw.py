"""Rolit as text and as a picture: a tray of balls, and how many each player has."""

from typing import Any

import numpy as np

from mcts_agents.envs.flanked import SIDE, SQUARES
from mcts_agents.envs.marbles import paint_marble
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
    lighter,
    line,
    mixed,
    ring,
    rounded_rectangle,
    text,
)
from mcts_agents.envs.regions import Rectangle, Region, legal_actions
from mcts_agents.envs.rolit.notation import COLUMNS, format_action
from mcts_agents.envs.rolit.rules import COLORS
from mcts_agents.model import DRAWN, WON, ForwardModel

NAMES = ("Red", "Green", "Yellow", "Blue")
MARKS = "RGYB"
NEUTRAL_MARK = "n"
BALLS: tuple[Color, ...] = (
    PLAYER_COLORS[0],
    PLAYER_COLORS[2],
    (240, 196, 48),
    PLAYER_COLORS[1],
)
NEUTRAL: Color = (158, 160, 166)
TRAY: Color = (72, 78, 92)
CELL = 66
MARGIN = 56
RIM = 12
RADIUS = 25
CHIP, CHIP_GAP, CHIP_HEIGHT = 118, 12, 46
FOOTER = 118


def ansi(model: ForwardModel, state: np.ndarray, observer: int | None) -> str:
    """Return the board with its coordinates, each player's balls, and whose turn it is.

    A player's colour is a letter, a neutral ball `n`, an empty field `.`.
    """
    owners = _owners(model, state)
    letters = "   " + " ".join(COLUMNS)
    lines = [letters]
    for row in range(SIDE):
        fields = range(row * SIDE, (row + 1) * SIDE)
        marks = " ".join(_mark(model, owners.get(field)) for field in fields)
        lines.append(f"{row + 1:2d} {marks} {row + 1}")
    lines.append(letters)
    counts = model.scores(state)
    lines.append(", ".join(f"{MARKS[p]} {counts[p]:.0f}" for p in range(model.players)))
    return "\n".join([*lines, _status(model, state)])


def size(model: ForwardModel) -> tuple[int, int]:
    """Return width and height of the picture in pixels."""
    board = SIDE * CELL + 2 * MARGIN
    return board, board + FOOTER - MARGIN // 2


def paint(
    surface: Any, model: ForwardModel, state: np.ndarray, observer: int | None
) -> None:
    """Draw the tray; the last ball is ringed, fields of the mover have a small dot."""
    surface.fill(BACKGROUND)
    _paint_tray(surface)
    owners = _owners(model, state)
    for field in range(SQUARES):
        x, y = _center(field)
        circle(surface, (x, y + 1), RADIUS * 0.92, lighter(TRAY, 0.12))
        circle(surface, (x, y), RADIUS * 0.9, darker(TRAY, 0.22))
    for player in model.movers(state):
        dot = mixed(darker(TRAY, 0.22), BALLS[player], 0.75)
        for field in legal_actions(model, state, player):
            circle(surface, _center(field), RADIUS * 0.22, dot)
    for field, color in owners.items():
        ball = BALLS[color] if color < model.players else NEUTRAL
        paint_marble(surface, _center(field), RADIUS, ball)
    last = int(model.view(state)["last"])
    if last >= 0:
        ring(surface, _center(last), RADIUS + 5, HIGHLIGHT, 3.5)
    _paint_players(surface, model, state)
    width, height = size(model)
    text(surface, _status(model, state), (width / 2, height - 28), 28, INK)


def regions(
    model: ForwardModel, state: np.ndarray, observer: int | None, player: int
) -> list[Region]:
    """Return the fields on which a player may put a ball."""
    found = []
    for field in legal_actions(model, state, player):
        x, y = _center(field)
        shape = Rectangle(x - CELL / 2, y - CELL / 2, CELL, CELL)
        found.append(Region(field, shape, format_action(model, field)))
    return found


def _center(field: int) -> Point:
    row, column = divmod(field, SIDE)
    return MARGIN + (column + 0.5) * CELL, MARGIN + (row + 0.5) * CELL


def _owners(model: ForwardModel, state: np.ndarray) -> dict[int, int]:
    """Return the colour of each field with a ball."""
    words = [int(word) for word in model.view(state)["balls"]]
    return {
        field: color
        for color in range(COLORS)
        for field in range(SQUARES)
        if words[color] >> field & 1
    }


def _mark(model: ForwardModel, color: int | None) -> str:
    if color is None:
        return "."
    return MARKS[color] if color < model.players else NEUTRAL_MARK


def _paint_tray(surface: Any) -> None:
    """Draw the tray with its lines and coordinates."""
    side = SIDE * CELL
    outside = (MARGIN - RIM, MARGIN - RIM, side + 2 * RIM, side + 2 * RIM)
    rounded_rectangle(surface, outside, 16, TRAY, darker(TRAY, 0.3), 3)
    for index in range(1, SIDE):
        place = MARGIN + index * CELL
        for start, end in (
            ((place, MARGIN), (place, MARGIN + side)),
            ((MARGIN, place), (MARGIN + side, place)),
        ):
            line(surface, start, end, lighter(TRAY, 0.12), 1.5)
    for index in range(SIDE):
        x, y = _center(index * (SIDE + 1))
        text(surface, COLUMNS[index], (x, MARGIN - RIM - 15), 22, MUTED)
        text(surface, str(index + 1), (MARGIN - RIM - 15, y), 22, MUTED)


def _paint_players(surface: Any, model: ForwardModel, state: np.ndarray) -> None:
    """Draw a chip with the ball and the count of each player; the mover's is framed."""
    width, height = size(model)
    counts = model.scores(state)
    movers = model.movers(state)
    x = (width - model.players * (CHIP + CHIP_GAP) + CHIP_GAP) / 2
    y = height - FOOTER + 6
    for player in range(model.players):
        frame = (INK, 3) if player in movers else (FAINT, 2)
        rounded_rectangle(surface, (x, y, CHIP, CHIP_HEIGHT), 10, PANEL, *frame)
        middle = y + CHIP_HEIGHT / 2
        paint_marble(surface, (x + 26, middle), 14, BALLS[player])
        text(surface, f"{counts[player]:.0f}", (x + 78, middle + 1), 30, INK)
        x += CHIP + CHIP_GAP


def _status(model: ForwardModel, state: np.ndarray) -> str:
    if model.is_over(state):
        results = model.results(state).tolist()
        if WON in results:
            return f"{NAMES[results.index(WON)]} wins"
        tied = [NAMES[p] for p, result in enumerate(results) if result == DRAWN]
        return f"A draw of {', '.join(tied[:-1])} and {tied[-1]}"
    record = model.view(state)
    turn, last = int(record["turn"]), int(record["last"])
    moved = f"{format_action(model, last)} played, " if last >= 0 else ""
    return f"{moved}{NAMES[turn]} to move"
