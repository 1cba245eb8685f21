"""Pictures of the cards of Diamant, drawn from simple shapes."""

import functools
import math
from typing import Any

from mcts_agents.envs.diamant.cards import FIRST_HAZARD, HAZARDS, TREASURES
from mcts_agents.envs.painting import (
    INK,
    PANEL,
    Color,
    Point,
    circle,
    darker,
    lighter,
    line,
    load_pygame,
    polygon,
    rounded_rectangle,
    text,
)

WIDTH, HEIGHT = 76, 98
CORNER = 8
TREASURE: Color = (52, 132, 196)
HAZARD: Color = (176, 62, 50)
BACK: Color = (92, 76, 66)
RUBY: Color = (208, 58, 92)
EMERALD: Color = (46, 158, 110)


def card_picture(face: int) -> Any:
    """Return the picture of a face, 0 to 19, a `pygame.Surface`."""
    return _card(face, load_pygame())


@functools.lru_cache(maxsize=32)
def _card(face: int, pygame: Any) -> Any:
    if face < FIRST_HAZARD:
        surface = _blank(pygame, TREASURE)
        gems = TREASURES[face]
        text(surface, str(gems), (WIDTH / 2, 36), 50, darker(TREASURE, 0.45))
        diamond(surface, (WIDTH / 2, 72), 13, (RUBY, EMERALD, TREASURE)[face % 3])
        return surface
    surface = _blank(pygame, HAZARD)
    name = HAZARDS[face - FIRST_HAZARD]
    _ICONS[name](surface, (WIDTH / 2, 42))
    text(surface, name, (WIDTH / 2, HEIGHT - 14), 17, darker(HAZARD, 0.35))
    return surface


@functools.lru_cache(maxsize=1)
def _back(pygame: Any) -> Any:
    surface = _blank(pygame, BACK)
    rounded_rectangle(surface, (4, 4, WIDTH - 8, HEIGHT - 8), 6, BACK)
    diamond(surface, (WIDTH / 2, HEIGHT / 2), 20, lighter(BACK, 0.45))
    return surface


def back_picture() -> Any:
    """Return the back of a card, a `pygame.Surface`."""
    return _back(load_pygame())


def _blank(pygame: Any, band: Color) -> Any:
    surface = pygame.Surface((WIDTH, HEIGHT), pygame.SRCALPHA, 32)
    surface.fill((*PANEL, 0))
    rounded_rectangle(surface, (0, 0, WIDTH, HEIGHT), CORNER, PANEL, darker(band), 1.5)
    inside = (4, 4, WIDTH - 8, HEIGHT - 8)
    rounded_rectangle(surface, inside, 6, lighter(band, 0.78))
    return surface


def diamond(surface: Any, center: Point, radius: float, color: Color) -> None:
    """Draw a cut gem, twice `radius` wide."""
    x, y = center
    crown = y - 0.3 * radius
    outline = [
        (x - 0.55 * radius, y - 0.8 * radius),
        (x + 0.55 * radius, y - 0.8 * radius),
        (x + radius, crown),
        (x, y + radius),
        (x - radius, crown),
    ]
    polygon(surface, outline, color, darker(color, 0.35), 1.5)
    facet = [(x - 0.4 * radius, crown), (x + 0.4 * radius, crown), (x, y + radius)]
    polygon(surface, facet, lighter(color, 0.45))
    line(surface, outline[2], outline[4], lighter(color, 0.6), 1.2)


def _explosion(surface: Any, center: Point) -> None:
    """Draw two stars with many rays, one in the other."""
    for radius, color in ((30, (236, 120, 40)), (18, (252, 208, 72))):
        points = []
        for ray in range(20):
            far = radius if ray % 2 == 0 else radius * 0.58
            angle = math.pi * ray / 10
            points.append(
                (center[0] + far * math.sin(angle), center[1] - far * math.cos(angle))
            )
        polygon(surface, points, color, darker(color, 0.25), 1.5)


def _gas(surface: Any, center: Point) -> None:
    """Draw a green cloud."""
    x, y = center
    color = (132, 168, 70)
    puffs = ((-16, 6, 13), (16, 6, 13), (-6, -10, 15), (12, -8, 12), (0, 9, 15))
    for across, down, radius in puffs:
        circle(surface, (x + across, y + down), radius, darker(color, 0.3))
    for across, down, radius in puffs:
        circle(surface, (x + across, y + down), radius - 2, color)
    for across, down, radius in ((-12, 3, 4), (3, -10, 5), (13, 6, 4)):
        circle(surface, (x + across, y + down), radius, lighter(color, 0.4))


def _rockfall(surface: Any, center: Point) -> None:
    """Draw three stones that fall."""
    x, y = center
    for across, down, scale in ((-13, 14, 15), (15, 12, 13), (1, -12, 17)):
        color = (134, 126, 120)
        stone = [
            (x + across + scale * a, y + down + scale * b)
            for a, b in (
                (-0.9, 0.2),
                (-0.5, -0.8),
                (0.3, -0.95),
                (0.95, -0.2),
                (0.7, 0.7),
                (-0.3, 0.9),
            )
        ]
        polygon(surface, stone, color, darker(color, 0.4), 1.8)
        top = [stone[1], stone[2], (x + across, y + down - 0.2 * scale)]
        polygon(surface, top, lighter(color, 0.35))
    for across in (-24, 25):
        line(surface, (x + across, y - 28), (x + across, y - 12), (134, 126, 120), 2)


def _scorpions(surface: Any, center: Point) -> None:
    """Draw a body with legs, two claws and a raised tail with a sting."""
    x, y = center
    color = (86, 62, 48)
    for across in (-9, 0, 9):
        for side in (-1, 1):
            knee = (x + across * 1.5 + side * 3, y + 22)
            line(surface, (x + across, y + 12), knee, color, 2.5)
    for side in (-1, 1):
        claw = (x - 22, y + 6 + side * 7)
        line(surface, (x - 12, y + 10), claw, color, 3)
        circle(surface, claw, 5.5, color)
        circle(surface, (claw[0] - 4, claw[1]), 3, lighter(HAZARD, 0.78))
    for step in range(8):  # the tail, thinner towards the sting
        angle = math.radians(-50 + 28 * step)
        place = (x + 9 + 16 * math.cos(angle), y - 6 - 17 * math.sin(angle))
        circle(surface, place, 6 - 0.45 * step, color)
    sting = [(x - 9, y - 12), (x - 2, y - 11), (x - 9, y - 2)]
    polygon(surface, sting, HAZARD)
    for across, radius in ((-11, 8), (-1, 9.5), (9, 8)):
        circle(surface, (x + across, y + 10), radius, color)
    circle(surface, (x - 14, y + 7), 1.8, PANEL)


def _snakes(surface: Any, center: Point) -> None:
    """Draw a winding body with a head, an eye and a tongue."""
    x, y = center
    color = (64, 138, 82)
    for radius, shade in ((6.5, darker(color, 0.35)), (5, color)):
        for step in range(49):
            down = 26 - step * 46 / 48
            across = 17 * math.sin(step * math.pi / 12)
            circle(surface, (x + across, y + down), radius, shade)
    head = (x, y - 22)
    for side in (-1, 1):
        tongue = (head[0] + 18, head[1] - 2 + side * 4)
        line(surface, (head[0] + 12, head[1] - 2), tongue, HAZARD, 2)
    line(surface, head, (head[0] + 13, head[1] - 2), HAZARD, 2)
    circle(surface, head, 9, color, darker(color, 0.35), 1.5)
    circle(surface, (head[0] + 3, head[1] - 3), 2.5, PANEL)
    circle(surface, (head[0] + 3, head[1] - 3), 1.2, INK)


_ICONS = {
    "explosion": _explosion,
    "gas": _gas,
    "rockfall": _rockfall,
    "scorpions": _scorpions,
    "snakes": _snakes,
}
