"""Pictures of the cards of Uno, drawn from simple shapes."""

import functools
import itertools
import math
from typing import Any

from mcts_agents.envs.painting import (
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
from mcts_agents.envs.uno.cards import (
    COLOURED,
    NUMBERS,
    REVERSE,
    SKIP,
    VALUES,
    WILD,
)

WIDTH, HEIGHT = 50, 74
CORNER = 7
PAPER: Color = (255, 254, 250)
BLACK: Color = (38, 38, 44)
NO_COLOR: Color = (150, 150, 156)
# Red, yellow, green, blue.
COLORS: tuple[Color, ...] = (
    (214, 59, 49),
    (236, 178, 32),
    (64, 152, 76),
    (38, 110, 190),
)
_CENTER: Point = (WIDTH / 2, HEIGHT / 2)
_SLANT = math.radians(62)  # of the oval, from the horizontal
_LONG, _SHORT = 30.0, 17.5


def card_picture(card: int) -> Any:
    """Return the face of a card, a `pygame.Surface`."""
    return _face(card, load_pygame())


def back_picture() -> Any:
    """Return the back of a card, a `pygame.Surface`."""
    return _back(load_pygame())


@functools.lru_cache(maxsize=64)
def _face(card: int, pygame: Any) -> Any:
    color = COLORS[card // VALUES] if card < COLOURED else BLACK
    surface = _blank(pygame, color)
    if card >= COLOURED:
        for number, quarter in enumerate(COLORS):
            polygon(surface, _oval(number * math.pi / 2, math.pi / 2), quarter)
        if card > WILD:
            _word(surface, "+4", _CENTER, 30, PAPER)
    else:
        polygon(surface, _oval(0.0, 2 * math.pi), PAPER)
        _symbol(surface, card % VALUES, _CENTER, 1.0, color)
    for place in ((10.5, 11.5), (WIDTH - 10.5, HEIGHT - 11.5)):
        if card >= COLOURED:
            text(surface, "+4" if card > WILD else "W", place, 14, PAPER)
        else:
            _symbol(surface, card % VALUES, place, 0.36, PAPER)
    return surface


@functools.lru_cache(maxsize=1)
def _back(pygame: Any) -> Any:
    surface = _blank(pygame, BLACK)
    polygon(surface, _oval(0.0, 2 * math.pi), COLORS[0])
    rise = pygame.transform.rotozoom(_written("UNO", pygame), 24, 1.0)
    surface.blit(rise, rise.get_rect(center=(WIDTH // 2, HEIGHT // 2)))
    return surface


def _written(word: str, pygame: Any) -> Any:
    """Return a word on a transparent surface of its own."""
    surface = pygame.Surface((WIDTH, 24), pygame.SRCALPHA, 32)
    surface.fill((*PAPER, 0))
    _word(surface, word, (WIDTH / 2, 12), 25, lighter(COLORS[1], 0.25))
    return surface


def _blank(pygame: Any, color: Color) -> Any:
    """Return a card of one colour within a border of paper."""
    surface = pygame.Surface((WIDTH, HEIGHT), pygame.SRCALPHA, 32)
    surface.fill((*PAPER, 0))
    edge = darker(PAPER, 0.3)
    rounded_rectangle(surface, (0, 0, WIDTH, HEIGHT), CORNER, PAPER, edge, 1.2)
    rounded_rectangle(surface, (3, 3, WIDTH - 6, HEIGHT - 6), CORNER - 2, color)
    return surface


def _oval(start: float, sweep: float) -> list[Point]:
    """Return the slanting oval in the middle of a card, or a sector of it.

    Args:
        start: Where the sector begins, in radians along the oval.
        sweep: How far it goes; all of the oval at 2 pi.
    """
    steps = max(8, round(40 * sweep / (2 * math.pi)))
    corners = [_CENTER] if sweep < 2 * math.pi else []
    for step in range(steps + 1):
        angle = start + sweep * step / steps
        along, across = _LONG * math.cos(angle), _SHORT * math.sin(angle)
        x = along * math.cos(_SLANT) + across * math.sin(_SLANT)
        y = along * math.sin(_SLANT) - across * math.cos(_SLANT)
        corners.append((_CENTER[0] + x, _CENTER[1] - y))
    return corners


def _symbol(
    surface: Any, value: int, center: Point, scale: float, color: Color
) -> None:
    """Draw what a coloured card shows, a number or the sign of an action."""
    if value < NUMBERS:
        _word(surface, str(value), center, max(18, round(44 * scale)), color)
        if value in (6, 9) and scale == 1.0:  # which side is up
            x, y = center
            line(surface, (x - 8, y + 16), (x + 8, y + 16), color, 2.5)
    elif value == SKIP:
        _skip(surface, center, 12.5 * scale, color)
    elif value == REVERSE:
        _reverse(surface, center, scale, color)
    else:
        _word(surface, "+2", center, max(15, round(33 * scale)), color)


def _word(surface: Any, word: str, center: Point, size: int, color: Color) -> None:
    """Write bold, with a thin shadow where the letters are large."""
    x, y = center
    if size > 20:
        text(surface, word, (x + 1, y + 2), size, darker(color, 0.55))
    text(surface, word, (x, y + 1), size, color)


def _skip(surface: Any, center: Point, radius: float, color: Color) -> None:
    """Draw a circle with a slanting bar."""
    x, y = center
    ring = max(1.6, radius * 0.3)
    rim = [
        (x + radius * math.cos(a), y + radius * math.sin(a))
        for a in (math.pi * step / 20 for step in range(41))
    ]
    for begin, end in itertools.pairwise(rim):
        line(surface, begin, end, color, ring)
    reach = radius * 0.7
    line(surface, (x - reach, y + reach), (x + reach, y - reach), color, ring)


def _reverse(surface: Any, center: Point, scale: float, color: Color) -> None:
    """Draw two arrows side by side that point opposite ways."""
    x, y = center
    for side in (-1, 1):
        middle = x + side * 6.5 * scale
        tip, tail = y - side * 14 * scale, y + side * 12 * scale
        neck = tip + side * 10 * scale
        line(surface, (middle, tail), (middle, neck), color, max(1.8, 5 * scale))
        head = [
            (middle, tip),
            (middle - 6.5 * scale, neck),
            (middle + 6.5 * scale, neck),
        ]
        polygon(surface, head, color)


def colour_disc(surface: Any, center: Point, radius: float, colour: int) -> None:
    """Draw the disc that stands for a colour when it is called."""
    color = COLORS[colour]
    circle(surface, center, radius, color, darker(color, 0.35), 1.5)
