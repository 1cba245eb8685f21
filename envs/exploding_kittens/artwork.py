"""Pictures of the cards of Exploding Kittens, drawn from simple shapes."""

import functools
import math
from collections.abc import Callable
from typing import Any

from mcts_agents.envs.exploding_kittens.cards import (
    ATTACK,
    BEARDCAT,
    DEFUSE,
    FAVOR,
    FURRYCAT,
    KITTEN,
    MELONCAT,
    NOPE,
    RAINBOWCAT,
    SEE,
    SHUFFLE,
    SKIP,
    TACOCAT,
)
from mcts_agents.envs.exploding_kittens.notation import CARD_NAMES
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

WIDTH, HEIGHT = 56, 80
SMALL_WIDTH, SMALL_HEIGHT = 28, 40
CORNER = 7
FACE: Color = (255, 253, 247)
BACK: Color = (44, 46, 58)
INK: Color = (40, 38, 44)
GOLD: Color = (240, 178, 46)
RED: Color = (206, 48, 52)

# The color of each type of card.
COLORS: tuple[Color, ...] = (
    (214, 118, 34),
    (58, 122, 196),
    (124, 92, 168),
    (146, 104, 66),
    (200, 74, 150),
    (222, 164, 60),
    (86, 158, 78),
    (128, 96, 70),
    (98, 140, 206),
    (150, 142, 136),
    (190, 44, 50),
    (70, 150, 84),
    (36, 36, 42),
)


def card_picture(card: int) -> Any:
    """Return the face of a card by its type, a `pygame.Surface`."""
    return _face(card, load_pygame())


def small_picture(card: int | None) -> Any:
    """Return a card at half size, its back for None, a `pygame.Surface`."""
    return _small(card, load_pygame())


@functools.lru_cache(maxsize=16)
def _face(card: int, pygame: Any) -> Any:
    color = COLORS[card]
    surface = _blank(pygame)
    rounded_rectangle(surface, (0, 0, WIDTH, HEIGHT), CORNER, FACE, darker(color), 1.5)
    ground = lighter(color, 0.74) if card != KITTEN else (250, 206, 92)
    rounded_rectangle(surface, (4, 4, WIDTH - 8, HEIGHT - 22), 5, ground)
    _ICONS[card](surface, (WIDTH / 2, (HEIGHT - 14) / 2), color)
    place = (WIDTH / 2, HEIGHT - 10)
    size = 15 if len(CARD_NAMES[card]) < 9 else 13
    text(surface, CARD_NAMES[card], place, size, darker(color, 0.35))
    return surface


@functools.lru_cache(maxsize=16)
def _small(card: int | None, pygame: Any) -> Any:
    picture = back_picture() if card is None else _face(card, pygame)
    return pygame.transform.smoothscale(picture, (SMALL_WIDTH, SMALL_HEIGHT))


def back_picture() -> Any:
    """Return the back of a card, a `pygame.Surface`."""
    return _back(load_pygame())


@functools.lru_cache(maxsize=1)
def _back(pygame: Any) -> Any:
    surface = _blank(pygame)
    rounded_rectangle(surface, (0, 0, WIDTH, HEIGHT), CORNER, FACE, darker(BACK), 1.5)
    rounded_rectangle(surface, (4, 4, WIDTH - 8, HEIGHT - 8), 5, BACK)
    _flash(surface, (WIDTH / 2, HEIGHT / 2), 20, RED, 9)
    _flash(surface, (WIDTH / 2, HEIGHT / 2), 13, GOLD, 9)
    _cat(surface, (WIDTH / 2, HEIGHT / 2), BACK, 0.42)
    return surface


def _blank(pygame: Any) -> Any:
    surface = pygame.Surface((WIDTH, HEIGHT), pygame.SRCALPHA, 32)
    surface.fill((*FACE, 0))
    return surface


def _flash(
    surface: Any, center: Point, radius: float, color: Color, points: int
) -> None:
    """Draw a star of an explosion."""
    edge = []
    for step in range(2 * points):
        away = radius * (1 if step % 2 == 0 else 0.62)
        angle = math.pi * step / points - math.pi / 2
        edge.append(
            (center[0] + away * math.cos(angle), center[1] + away * math.sin(angle))
        )
    polygon(surface, edge, color)


def _cat(surface: Any, center: Point, color: Color, size: float = 1.0) -> None:
    """Draw the head of a cat."""
    x, y = center
    y += 3 * size
    for side in (-1, 1):
        ear = [(x + side * 17 * size, y - 20 * size)]
        ear += [(x + side * 17 * size, y), (x + side * 3 * size, y - 12 * size)]
        polygon(surface, ear, color)
    circle(surface, (x, y), 17 * size, color)
    if size < 0.6:
        return
    for side in (-1, 1):
        circle(surface, (x + side * 7 * size, y - 3 * size), 4.5 * size, FACE)
        circle(surface, (x + side * 6 * size, y - 3 * size), 2 * size, INK)
        for rise in (-2, 2):
            start = (x + side * 8 * size, y + 6 * size)
            end = (x + side * 21 * size, y + (6 + rise) * size)
            line(surface, start, end, darker(color, 0.6), 1)
    nose = [(x - 3, y + 3), (x + 3, y + 3), (x, y + 6)]
    polygon(surface, nose, (232, 130, 140))


def _attack(surface: Any, center: Point, color: Color) -> None:
    """Draw a flash of lightning in an explosion."""
    x, y = center
    _flash(surface, center, 23, lighter(color, 0.35), 10)
    bolt = [(x + 4, y - 20), (x - 10, y + 3), (x - 1, y + 3), (x - 5, y + 20)]
    bolt += [(x + 11, y - 5), (x + 2, y - 5)]
    polygon(surface, bolt, color, darker(color), 1.5)


def _skip(surface: Any, center: Point, color: Color) -> None:
    """Draw two arrows that hurry past."""
    x, y = center
    for across in (-14, 2):
        tip = [(x + across, y - 15), (x + across + 14, y), (x + across, y + 15)]
        polygon(surface, [*tip, (x + across + 5, y)], color, darker(color), 1.5)


def _favor(surface: Any, center: Point, color: Color) -> None:
    """Draw a present."""
    x, y = center
    rounded_rectangle(surface, (x - 16, y - 4, 32, 22), 3, color)
    rounded_rectangle(surface, (x - 19, y - 10, 38, 8), 3, darker(color))
    rounded_rectangle(surface, (x - 3, y - 10, 6, 28), 0, GOLD)
    for side in (-1, 1):
        ring(surface, (x + side * 7, y - 16), 7, GOLD, 3)


def _shuffle(surface: Any, center: Point, color: Color) -> None:
    """Draw two arrows that cross."""
    x, y = center
    for side in (-1, 1):
        low, high = (x - 17, y + side * 11), (x + 11, y - side * 11)
        line(surface, low, high, color if side > 0 else darker(color), 5)
        point = [(x + 21, y - side * 14), (x + 6, y - side * 17)]
        polygon(
            surface,
            [*point, (x + 14, y - side * 3)],
            color if side > 0 else darker(color),
        )


def _see(surface: Any, center: Point, color: Color) -> None:
    """Draw a crystal ball on its foot."""
    x, y = center
    foot = [(x - 15, y + 20), (x + 15, y + 20), (x + 9, y + 9), (x - 9, y + 9)]
    polygon(surface, foot, GOLD, darker(GOLD, 0.35), 1.5)
    circle(surface, (x, y - 3), 17, lighter(color, 0.25), darker(color), 2)
    circle(surface, (x - 5, y - 9), 5, lighter(color, 0.8))
    circle(surface, (x + 4, y + 1), 4, FACE)
    circle(surface, (x + 4, y + 1), 2, INK)


def _tacocat(surface: Any, center: Point, color: Color) -> None:
    """Draw a cat in the shell of a taco."""
    x, y = center
    _cat(surface, (x, y - 5), darker(color, 0.15), 0.9)
    shell = [
        (x + 23 * math.cos(a), y + 14 - 15 * math.sin(a))
        for a in (math.pi * step / 20 for step in range(21))
    ]
    polygon(
        surface,
        [(px, y + 26 - (py - y) * 0.9) for px, py in shell],
        (244, 206, 110),
        darker(color),
        1.5,
    )
    for across in (-12, -4, 4, 12):
        circle(surface, (x + across, y + 13), 4, (112, 176, 82))


def _meloncat(surface: Any, center: Point, color: Color) -> None:
    """Draw a cat with a slice of melon."""
    x, y = center
    _cat(surface, (x, y - 3), color, 0.95)
    slice_ = [(x - 18, y + 10), (x + 18, y + 10), (x, y + 24)]
    polygon(surface, slice_, (228, 76, 84), darker(color), 2.5)
    for across, down in ((-6, 13), (5, 13), (0, 18)):
        circle(surface, (x + across, y + down), 1.5, INK)


def _beardcat(surface: Any, center: Point, color: Color) -> None:
    """Draw a cat with a beard."""
    x, y = center
    _cat(surface, (x, y - 4), lighter(color, 0.35), 0.95)
    beard = [(x - 16, y + 2), (x + 16, y + 2), (x + 11, y + 16)]
    beard += [(x + 4, y + 19), (x, y + 25), (x - 4, y + 19), (x - 11, y + 16)]
    polygon(surface, beard, darker(color, 0.2))
    polygon(surface, [(x - 5, y + 7), (x + 5, y + 7), (x, y + 11)], (214, 96, 104))


def _rainbowcat(surface: Any, center: Point, color: Color) -> None:
    """Draw a cat under a rainbow."""
    x, y = center
    bands = ((222, 66, 66), (240, 166, 50), (246, 222, 84), (94, 176, 92), color)
    for step, band in enumerate(bands):
        ring(surface, (x, y + 8), 25 - 3 * step, band, 3)
    _cat(surface, (x, y + 5), FACE, 0.72)
    _cat(surface, (x, y + 5), lighter(color, 0.35), 0.66)


def _furrycat(surface: Any, center: Point, color: Color) -> None:
    """Draw a cat with wild fur."""
    _flash(surface, (center[0], center[1] + 2), 24, lighter(color, 0.25), 17)
    _cat(surface, center, color, 0.82)


def _nope(surface: Any, center: Point, color: Color) -> None:
    """Draw a sign that forbids."""
    x, y = center
    circle(surface, center, 21, FACE)
    ring(surface, center, 21, color, 6)
    line(surface, (x - 13, y - 13), (x + 13, y + 13), color, 6)


def _defuse(surface: Any, center: Point, color: Color) -> None:
    """Draw pliers that cut a wire."""
    x, y = center
    line(surface, (x - 21, y - 12), (x + 21, y - 12), RED, 3)
    for side in (-1, 1):
        line(surface, (x + side * 6, y - 19), (x, y - 2), darker(color, 0.5), 5)
        line(surface, (x, y - 2), (x + side * 11, y + 20), color, 6)
    circle(surface, (x, y - 2), 4, GOLD, darker(color, 0.5), 1.5)


def _kitten(surface: Any, center: Point, color: Color) -> None:
    """Draw a kitten that is a bomb."""
    x, y = center
    _flash(surface, (x, y), 25, (238, 112, 44), 11)
    _cat(surface, (x, y + 2), color, 0.85)
    line(surface, (x, y - 10), (x + 8, y - 20), (120, 92, 60), 3)
    _flash(surface, (x + 9, y - 21), 6, GOLD, 6)


_ICONS: dict[int, Callable[[Any, Point, Color], None]] = {
    ATTACK: _attack,
    SKIP: _skip,
    FAVOR: _favor,
    SHUFFLE: _shuffle,
    SEE: _see,
    TACOCAT: _tacocat,
    MELONCAT: _meloncat,
    BEARDCAT: _beardcat,
    RAINBOWCAT: _rainbowcat,
    FURRYCAT: _furrycat,
    NOPE: _nope,
    DEFUSE: _defuse,
    KITTEN: _kitten,
}
