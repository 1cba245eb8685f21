"""Dots and Boxes as text and as a picture."""

from typing import Any

import numpy as np

from mcts_agents.envs.dots_and_boxes.notation import (
    format_action,
    join_action,
    split_action,
)
from mcts_agents.envs.dots_and_boxes.rules import SIDES
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
    rounded_rectangle,
    text,
)
from mcts_agents.envs.regions import Polygon, Region, legal_actions
from mcts_agents.model import DRAWN, WON, ForwardModel

MARKS = "ABCDEF"
NAMES = ("Red", "Blue", "Green", "Orange", "Purple", "Cyan")
CELL = 68
MARGIN = 56
LEAST_WIDTH = 440
CHIP, CHIP_GAP, CHIP_HEIGHT = 76, 10, 40
FOOTER = 108
DOT, STROKE = 7, 8


def ansi(model: ForwardModel, state: np.ndarray, observer: int | None) -> str:
    """Return dots, edges and owners with the coordinates of dots, scores, the turn."""
    width, height = model.variant["width"], model.variant["height"]
    drawn = _drawn(model, state)
    owners = _owners(model, state)
    lines = ["   " + "".join(f"{column:<4d}" for column in range(width + 1)).rstrip()]
    for row in range(height + 1):
        edges = [join_action(model, "h", row, column) for column in range(width)]
        marks = "+" + "".join(("---" if e in drawn else "   ") + "+" for e in edges)
        lines.append(f"{row:2d} {marks}")
        if row < height:
            cells = [
                ("|" if join_action(model, "v", row, column) in drawn else " ")
                + f" {_mark(owners.get((row, column)))} "
                for column in range(width + 1)
            ]
            lines.append(f"   {''.join(cells)}".rstrip())
    scores = model.view(state)["scores"]
    lines.append(", ".join(f"{MARKS[p]} {scores[p]}" for p in range(model.players)))
    return "\n".join([*lines, _status(model, state)])


def size(model: ForwardModel) -> tuple[int, int]:
    """Return width and height of the picture in pixels."""
    board = model.variant["width"] * CELL + 2 * MARGIN
    chips = model.players * (CHIP + CHIP_GAP) - CHIP_GAP + 2 * CHIP_GAP
    height = model.variant["height"] * CELL + 2 * MARGIN + FOOTER - MARGIN // 2
    return max(board, chips, LEAST_WIDTH), height


def paint(
    surface: Any, model: ForwardModel, state: np.ndarray, observer: int | None
) -> None:
    """Draw the board, each box in its owner's colour, the last edge highlighted."""
    width, height = model.variant["width"], model.variant["height"]
    left = _left(model)
    surface.fill(BACKGROUND)
    board = (left - 24, MARGIN - 24, width * CELL + 48, height * CELL + 48)
    rounded_rectangle(surface, board, 14, PANEL, FAINT, 2)
    for (row, column), owner in _owners(model, state).items():
        x, y = left + column * CELL, MARGIN + row * CELL
        color = PLAYER_COLORS[owner]
        rounded_rectangle(surface, (x, y, CELL, CELL), 0, mixed(PANEL, color, 0.35))
        center = (x + CELL / 2, y + CELL / 2 + 1)
        text(surface, MARKS[owner], center, 40, darker(color, 0.35))
    _paint_edges(surface, model, state)
    for row in range(height + 1):
        for column in range(width + 1):
            circle(surface, (left + column * CELL, MARGIN + row * CELL), DOT, INK)
    for column in range(width + 1):
        center = (left + column * CELL, MARGIN - 38)
        text(surface, str(column), center, 22, MUTED)
    for row in range(height + 1):
        text(surface, str(row), (left - 38, MARGIN + row * CELL), 22, MUTED)
    _paint_scores(surface, model, state)
    total, bottom = size(model)
    text(surface, _status(model, state), (total / 2, bottom - 26), 28, INK)


def regions(
    model: ForwardModel, state: np.ndarray, observer: int | None, player: int
) -> list[Region]:
    """Return the edges that a player may draw.

    The region of an edge reaches to the middles of the boxes beside it, so that regions
    leave no gaps between them.
    """
    found = []
    for action in legal_actions(model, state, player):
        (x0, y0), (x1, y1) = start, end = _ends(model, action)
        x, y = (x0 + x1) / 2, (y0 + y1) / 2
        across, down = (y1 - y0) / 2, (x1 - x0) / 2
        corners = (start, (x + across, y - down), end, (x - across, y + down))
        found.append(Region(action, Polygon(corners), format_action(model, action)))
    return found


def _left(model: ForwardModel) -> float:
    """Return where the leftmost dots lie."""
    return (size(model)[0] - model.variant["width"] * CELL) / 2


def _ends(model: ForwardModel, action: int) -> tuple[Point, Point]:
    """Return the two dots of an edge."""
    kind, row, column = split_action(model, action)
    x, y = _left(model) + column * CELL, MARGIN + row * CELL
    return (x, y), (x + CELL, y) if kind == "h" else (x, y + CELL)


def _paint_edges(surface: Any, model: ForwardModel, state: np.ndarray) -> None:
    drawn = _drawn(model, state)
    last = int(model.view(state)["last"])
    # The highlighted edge lies on top.
    for action in sorted(range(model.actions), key=lambda a: (a in drawn, a == last)):
        start, end = _ends(model, action)
        if action not in drawn:
            line(surface, start, end, FAINT, 2)
        else:
            line(surface, start, end, HIGHLIGHT if action == last else INK, STROKE)


def _paint_scores(surface: Any, model: ForwardModel, state: np.ndarray) -> None:
    """Draw a chip with letter and boxes of each player; the mover's has a frame."""
    total, bottom = size(model)
    scores = model.view(state)["scores"]
    movers = model.movers(state)
    x = (total - model.players * (CHIP + CHIP_GAP) + CHIP_GAP) / 2
    y = bottom - FOOTER + 10
    for player in range(model.players):
        color = PLAYER_COLORS[player]
        outline = INK if player in movers else mixed(PANEL, color, 0.5)
        area = (x, y, CHIP, CHIP_HEIGHT)
        ground = mixed(PANEL, color, 0.25)
        rounded_rectangle(surface, area, 8, ground, outline, 3)
        words = f"{MARKS[player]}  {scores[player]}"
        center = (x + CHIP / 2, y + CHIP_HEIGHT / 2 + 1)
        text(surface, words, center, 28, darker(color, 0.35))
        x += CHIP + CHIP_GAP


def _drawn(model: ForwardModel, state: np.ndarray) -> set[int]:
    """Return the actions of the drawn edges."""
    words = [int(word) for word in model.view(state)["drawn"]]
    slots = [int(slot) for slot in model.game["slot"][0][: model.actions]]
    return {a for a, slot in enumerate(slots) if words[slot // 64] >> slot % 64 & 1}


def _owners(model: ForwardModel, state: np.ndarray) -> dict[tuple[int, int], int]:
    """Return the owner of each box that has one, by row and column."""
    width, height = model.variant["width"], model.variant["height"]
    boxes = model.view(state)["boxes"][: width * height].astype(int) - SIDES
    return {divmod(box, width): int(p) for box, p in enumerate(boxes) if p >= 0}


def _mark(owner: int | None) -> str:
    return " " if owner is None else MARKS[owner]


def _status(model: ForwardModel, state: np.ndarray) -> str:
    if model.is_over(state):
        results = model.results(state).tolist()
        if WON in results:
            winner = results.index(WON)
            return f"{NAMES[winner]} ({MARKS[winner]}) wins"
        tied = [MARKS[p] for p, result in enumerate(results) if result == DRAWN]
        return f"A draw of {', '.join(tied[:-1])} and {tied[-1]}"
    record = model.view(state)
    mover, last = int(record["mover"]), int(record["last"])
    moved = f"{format_action(model, last)} drawn, " if last >= 0 else ""
    return f"{moved}{NAMES[mover]} ({MARKS[mover]}) to move"
