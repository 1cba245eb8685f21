"""What lies and walks on a board of Pommerman, drawn from simple shapes.

Each function draws into the middle of one cell, on a surface that has the cell's floor.
"""

from typing import Any

import numpy as np

from mcts_agents.envs.painting import (
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
    polygon,
    rounded_rectangle,
    text,
)

CELL = 48
FLOOR: Color = (228, 234, 218)
STONE: Color = (110, 116, 124)
TIMBER: Color = (188, 132, 78)
FIRE: Color = (236, 106, 38)
EMBERS: Color = (168, 60, 34)
POWDER: Color = (52, 54, 62)
FOG: Color = (176, 183, 194)
ITEM_COLORS: tuple[Color, ...] = ((86, 104, 190), (222, 120, 20), (40, 150, 120))
_AHEAD = ((0, 0), (0, -1), (0, 1), (-1, 0), (1, 0))
# Of flames by the steps that they still burn: how far they reach, and their layers.
_FLAMES: dict[int, tuple[float, tuple[Color, ...]]] = {
    3: (23, (FIRE, HIGHLIGHT, PANEL)),
    2: (20, (FIRE, HIGHLIGHT, lighter(HIGHLIGHT, 0.5))),
    1: (15, (EMBERS, FIRE, HIGHLIGHT)),
}


def floor(surface: Any, box: tuple[float, float, float, float], heat: float) -> None:
    """Draw a passage; the hotter (0 to 1), the sooner a bomb will burn there."""
    rounded_rectangle(surface, box, 3, mixed(FLOOR, FIRE, heat))


def rigid(surface: Any, box: tuple[float, float, float, float]) -> None:
    """Draw what never burns."""
    rounded_rectangle(surface, box, 5, STONE, darker(STONE), 3)


def wood(surface: Any, box: tuple[float, float, float, float], heat: float) -> None:
    """Draw planks; the hotter (0 to 1), the sooner a bomb will burn them."""
    color = mixed(TIMBER, FIRE, heat)
    rounded_rectangle(surface, box, 4, color, darker(color), 2)
    left, top, width, height = box
    for part in (1, 2):
        y = top + part * height / 3
        line(surface, (left + 3, y), (left + width - 3, y), darker(color, 0.2), 2)


def flame(surface: Any, center: Point, steps: int) -> None:
    """Draw a star that shrinks and dims as the flame ends, and its steps."""
    x, y = center
    reach, layers = _FLAMES[steps]
    for color, share in zip(layers, (1.0, 0.72, 0.48), strict=True):
        points = []
        for corner in range(16):
            radius = reach * share * (1.0 if corner % 2 == 0 else 0.68)
            angle = corner * np.pi / 8
            points.append((x + radius * np.cos(angle), y + radius * np.sin(angle)))
        polygon(surface, points, color)
    text(surface, str(steps), center, 20, darker(EMBERS))


def item(surface: Any, center: Point, kind: int) -> None:
    """Draw an extra bomb (0), more reach (1) or the kick (2)."""
    x, y = center
    box = (x - 17, y - 17, 34, 34)
    color = ITEM_COLORS[kind]
    rounded_rectangle(surface, box, 8, lighter(color, 0.75), color, 3)
    if kind == 0:
        circle(surface, (x - 2, y + 2), 9, POWDER)
        text(surface, "+", (x + 9, y - 8), 24, color)
    elif kind == 1:  # flames in four directions
        for width, height in ((26, 8), (8, 26)):
            arm = (x - width / 2, y - height / 2, width, height)
            rounded_rectangle(surface, arm, 4, FIRE)
        circle(surface, center, 4, HIGHLIGHT)
    else:
        boot = [(-7, -11), (1, -11), (1, 2), (10, 5), (10, 10), (-7, 10)]
        polygon(surface, [(x + a, y + b) for a, b in boot], color)


def bomb(
    surface: Any,
    center: Point,
    life: int,
    reach: int,
    direction: int,
    owner: int | None,
) -> None:
    """Draw a bomb: its remaining steps, its reach, where it rolls, and whose it is."""
    x, y = center
    right, down = _AHEAD[direction]

    def beside(ahead: float, across: float) -> Point:
        return x + right * ahead + down * across, y + down * ahead + right * across

    if direction:
        for across in (-9, 0, 9):  # what a thing that moves leaves behind it
            line(surface, beside(-23, across), beside(-9, across), MUTED, 2)
        tip = [beside(23, 0), beside(9, 13), beside(9, -13)]
        polygon(surface, tip, HIGHLIGHT, INK, 1.5)
    else:
        line(surface, (x + 9, y - 10), (x + 15, y - 17), darker(TIMBER), 4)
        circle(surface, (x + 15, y - 17), 3, HIGHLIGHT)
    ring = lighter(POWDER, 0.25) if owner is None else PLAYER_COLORS[owner]
    circle(surface, center, 14 if direction else 16, POWDER, ring, 3)
    text(surface, str(life), (x, y + 1), 26, PANEL)
    side = 14 if right < 0 else -14  # not over the arrow
    _badge(surface, (x + side, y + 15), reach)


def underfoot(
    surface: Any, center: Point, life: int, reach: int, owner: int | None
) -> None:
    """Draw the bomb under an agent: its remaining steps, and its reach."""
    x, y = center
    ring = PANEL if owner is None else PLAYER_COLORS[owner]
    circle(surface, (x + 14, y + 13), 10, POWDER, ring, 2)
    text(surface, str(life), (x + 14, y + 14), 18, PANEL)
    _badge(surface, (x - 15, y + 15), reach)


def _badge(surface: Any, center: Point, number: int) -> None:
    circle(surface, center, 7.5, FIRE, PANEL, 1.5)
    text(surface, str(number), (center[0], center[1] + 1), 15, PANEL)


def agent(surface: Any, center: Point, player: int, masked: bool) -> None:
    """Draw an agent with its number; those of one team wear a mask."""
    x, y = center
    color = PLAYER_COLORS[player]
    rounded_rectangle(surface, (x - 13, y - 3, 26, 24), 9, color, darker(color), 2)
    face(surface, (x, y - 9), player, masked)
    text(surface, str(player), (x, y + 12), 22, PANEL)


def face(surface: Any, center: Point, player: int, masked: bool) -> None:
    """Draw the head of an agent."""
    x, y = center
    color = PLAYER_COLORS[player]
    circle(surface, center, 12, lighter(color, 0.72), darker(color), 2)
    if masked:
        rounded_rectangle(surface, (x - 11, y - 6, 22, 9), 3, INK)
    for side in (-4, 4):
        circle(surface, (x + side, y - 1), 2, PANEL if masked else INK)


def dead(surface: Any, center: Point, player: int) -> None:
    """Draw an agent in the step in which it dies."""
    x, y = center
    color = PLAYER_COLORS[player]
    circle(surface, center, 15, lighter(color, 0.72), darker(color), 2)
    for eye in (x - 6, x + 6):
        for slope in (-3, 3):
            line(surface, (eye - 3, y - 4 - slope), (eye + 3, y - 4 + slope), INK, 2)
    text(surface, str(player), (x, y + 8), 18, darker(color))
