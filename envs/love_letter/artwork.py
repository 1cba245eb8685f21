"""Pictures of the cards of Love Letter, drawn from simple shapes."""

import functools
import math
from collections.abc import Callable
from typing import Any

from mcts_agents.envs.love_letter.cards import (
    BARON,
    COUNTESS,
    GUARD,
    HANDMAID,
    KING,
    PRIEST,
    PRINCE,
    PRINCESS,
)
from mcts_agents.envs.love_letter.notation import CARD_NAMES
from mcts_agents.envs.painting import (
    Color,
    Point,
    circle,
    darker,
    lighter,
    line,
    load_pygame,
    polygon,
    ring,
    rounded_rectangle,
    text,
)

WIDTH, HEIGHT = 62, 86
CORNER = 7
FACE: Color = (255, 253, 247)
BACK: Color = (122, 34, 58)
GOLD: Color = (236, 190, 62)
STEEL: Color = (176, 184, 196)

# By number; there is no card 0.
_BANDS: tuple[Color, ...] = (
    (0, 0, 0),
    (96, 112, 134),
    (112, 92, 164),
    (54, 118, 110),
    (90, 152, 84),
    (52, 112, 184),
    (198, 140, 28),
    (176, 70, 140),
    (206, 54, 70),
)


def card_picture(card: int) -> Any:
    """Return the face of a card by its number, a `pygame.Surface`."""
    return _face(card, load_pygame())


@functools.lru_cache(maxsize=16)
def _face(card: int, pygame: Any) -> Any:
    band = _BANDS[card]
    surface = _blank(pygame)
    rounded_rectangle(surface, (0, 0, WIDTH, HEIGHT), CORNER, FACE, darker(band), 1.5)
    inside = (4, 4, WIDTH - 8, HEIGHT - 23)
    rounded_rectangle(surface, inside, 5, lighter(band, 0.72))
    _ICONS[card](surface, (WIDTH / 2 + 3, (HEIGHT - 10) / 2 + 1), band)
    circle(surface, (13, 13), 10, band)
    text(surface, str(card), (13, 14), 20, FACE)
    place = (WIDTH / 2, HEIGHT - 11)
    text(surface, CARD_NAMES[card], place, 15, darker(band, 0.45))
    return surface


def back_picture() -> Any:
    """Return the back of a card, a `pygame.Surface`."""
    return _back(load_pygame())


@functools.lru_cache(maxsize=1)
def _back(pygame: Any) -> Any:
    surface = _blank(pygame)
    rounded_rectangle(surface, (0, 0, WIDTH, HEIGHT), CORNER, FACE, darker(BACK), 1.5)
    rounded_rectangle(surface, (4, 4, WIDTH - 8, HEIGHT - 8), 5, BACK)
    # A letter with its seal.
    left, top, width, height = 12, 28, WIDTH - 24, 30
    rounded_rectangle(surface, (left, top, width, height), 3, (246, 234, 208))
    for side in (left + 1, left + width - 1):
        line(surface, (side, top + 2), (WIDTH / 2, top + 18), lighter(BACK, 0.4), 2)
    _heart(surface, (WIDTH / 2, top + 18), (206, 54, 70), 0.32)
    return surface


def _blank(pygame: Any) -> Any:
    surface = pygame.Surface((WIDTH, HEIGHT), pygame.SRCALPHA, 32)
    surface.fill((*FACE, 0))
    return surface


def _guard(surface: Any, center: Point, color: Color) -> None:
    """Draw a shield."""
    x, y = center
    edge = [(x - 16, y - 17), (x + 16, y - 17), (x + 16, y + 2)]
    edge += [(x + 9, y + 13), (x, y + 20), (x - 9, y + 13), (x - 16, y + 2)]
    polygon(surface, edge, STEEL, darker(color), 2)
    line(surface, (x, y - 16), (x, y + 18), color, 4)
    line(surface, (x - 15, y - 4), (x + 15, y - 4), color, 4)


def _priest(surface: Any, center: Point, color: Color) -> None:
    """Draw an eye, since he looks."""
    x, y = center
    edge = [
        (x + 20 * math.cos(a), y + 3 + 13 * math.sin(a) * abs(math.sin(a)))
        for a in (math.tau * step / 48 for step in range(48))
    ]
    polygon(surface, edge, FACE, darker(color), 2)
    circle(surface, (x, y + 3), 8, color)
    circle(surface, (x, y + 3), 3.5, darker(color, 0.6))


def _baron(surface: Any, center: Point, color: Color) -> None:
    """Draw two crossed swords."""
    x, y = center
    for side in (-1, 1):
        point, grip = (x + side * 16, y - 15), (x - side * 13, y + 16)
        line(surface, point, grip, darker(color), 4)
        middle = (x - side * 8, y + 10.5)
        across = ((middle[0] - 7, middle[1] - side * 7.5),)
        across += ((middle[0] + 7, middle[1] + side * 7.5),)
        line(surface, across[0], across[1], GOLD, 4)


def _handmaid(surface: Any, center: Point, color: Color) -> None:
    """Draw a fan, behind which to hide."""
    x, y = center
    foot = (x, y + 16)
    for step in range(7):
        angle = math.radians(30 + 20 * step)
        rib = (foot[0] + 24 * math.cos(angle), foot[1] - 30 * math.sin(angle))
        line(surface, foot, rib, color if step % 2 else darker(color), 6)
    ring(surface, foot, 5, darker(color), 3)


def _crown(surface: Any, center: Point, points: int, size: float) -> None:
    """Draw a crown with so many points."""
    x, y = center
    width, height = 19 * size, 14 * size
    edge = [(x + width, y + height), (x - width, y + height)]
    for step in range(points):
        across = -width + 2 * width * step / (points - 1)
        edge.append((x + across, y - height))
        if step < points - 1:
            between = across + width / (points - 1)
            edge.append((x + between, y + height * 0.1))
    polygon(surface, edge, GOLD, darker(GOLD, 0.35), 2)
    for step in range(points):
        across = -width + 2 * width * step / (points - 1)
        circle(surface, (x + across, y - height), 3.5, darker(GOLD, 0.35))


def _prince(surface: Any, center: Point, color: Color) -> None:
    """Draw a small crown on a cushion."""
    x, y = center
    rounded_rectangle(surface, (x - 20, y + 9, 40, 12), 6, color)
    _crown(surface, (x, y), 3, 0.75)


def _king(surface: Any, center: Point, color: Color) -> None:
    """Draw a large crown with jewels."""
    x, y = center
    _crown(surface, (x, y + 3), 5, 1.0)
    for across in (-10, 0, 10):
        circle(surface, (x + across, y + 11), 3, (206, 54, 70))


def _countess(surface: Any, center: Point, color: Color) -> None:
    """Draw a mask on a stick."""
    x, y = center
    line(surface, (x + 17, y), (x + 19, y + 21), GOLD, 3)
    for side in (-1, 1):
        circle(surface, (x + side * 9, y), 11, color)
        circle(surface, (x + side * 9, y + 1), 5, FACE)
    for side in (-1, 1):
        feather = [
            (x + side * 6, y - 9),
            (x + side * 14, y - 9),
            (x + side * 17, y - 19),
        ]
        polygon(surface, feather, darker(color))


def _heart(surface: Any, center: Point, color: Color, size: float = 1.0) -> None:
    x, y = center
    edge = []
    for step in range(60):
        a = math.tau * step / 60
        across = 16 * math.sin(a) ** 3
        down = 13 * math.cos(a) - 5 * math.cos(2 * a) - 2 * math.cos(3 * a)
        edge.append(
            (x + 1.2 * size * across, y - 1.2 * size * (down - math.cos(4 * a)))
        )
    polygon(surface, edge, color, darker(color), 2 * size)


def _princess(surface: Any, center: Point, color: Color) -> None:
    """Draw a heart with a little crown."""
    x, y = center
    _heart(surface, (x, y + 4), color)
    _crown(surface, (x, y + 1), 3, 0.42)


_ICONS: dict[int, Callable[[Any, Point, Color], None]] = {
    GUARD: _guard,
    PRIEST: _priest,
    BARON: _baron,
    HANDMAID: _handmaid,
    PRINCE: _prince,
    KING: _king,
    COUNTESS: _countess,
    PRINCESS: _princess,
}
