"""Pictures of the cards and organs of Virus!, drawn from simple shapes."""

import functools
import itertools
import math
from collections.abc import Callable
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
from mcts_agents.envs.virus.cards import (
    COLOURS,
    ERROR,
    GLOVE,
    MEDICINE,
    SPREADING,
    THIEF,
    TRANSPLANT,
    VIRUS,
    WILD,
)
from mcts_agents.envs.virus.notation import CARD_NAMES, COLOUR_NAMES

WIDTH, HEIGHT = 60, 82
SMALL_WIDTH, SMALL_HEIGHT = 33, 45
CORNER = 7
PAPER: Color = (255, 254, 250)
DARK: Color = (52, 56, 70)
BACK: Color = (38, 128, 122)
TREATMENT: Color = (120, 104, 168)
# Heart, brain, stomach, bone, wild.
COLORS: tuple[Color, ...] = (
    (216, 66, 60),
    (62, 124, 204),
    (76, 162, 88),
    (235, 184, 50),
    (150, 104, 178),
)
_MIDDLE: Point = (WIDTH / 2, (HEIGHT - 15) / 2 + 1)


def card_picture(card: int) -> Any:
    """Return the face of a card, a `pygame.Surface`."""
    return _face(card, load_pygame())


def small_picture(card: int) -> Any:
    """Return the face of a card in little, a `pygame.Surface`."""
    return _small(card, load_pygame())


def back_picture() -> Any:
    """Return the back of a card, a `pygame.Surface`."""
    return _back(load_pygame())


@functools.lru_cache(maxsize=32)
def _face(card: int, pygame: Any) -> Any:
    surface = _blank(pygame)
    color = COLORS[card % COLOURS] if card < THIEF else TREATMENT
    ground, letters = lighter(color, 0.72), darker(color, 0.45)
    if VIRUS <= card < THIEF:
        ground, letters = DARK, lighter(color, 0.25)
    elif MEDICINE <= card < VIRUS:
        ground = PAPER
    area = (0, 0, WIDTH, HEIGHT)
    rounded_rectangle(surface, area, CORNER, ground, darker(color), 2.5)
    _icon(card)(surface, _MIDDLE)
    label = COLOUR_NAMES[card % COLOURS] if card < THIEF else CARD_NAMES[card]
    height = 13 if len(label) > len("stomach") else 15  # the longest name must fit, too
    text(surface, label, (WIDTH / 2, HEIGHT - 11), height, letters)
    return surface


@functools.lru_cache(maxsize=32)
def _small(card: int, pygame: Any) -> Any:
    size = (SMALL_WIDTH, SMALL_HEIGHT)
    return pygame.transform.smoothscale(_face(card, pygame), size)


@functools.lru_cache(maxsize=1)
def _back(pygame: Any) -> Any:
    surface = _blank(pygame)
    area = (0, 0, WIDTH, HEIGHT)
    rounded_rectangle(surface, area, CORNER, PAPER, darker(BACK), 1.5)
    rounded_rectangle(surface, (4, 4, WIDTH - 8, HEIGHT - 8), 5, BACK)
    paint_virus(surface, (WIDTH / 2, HEIGHT / 2), 13, lighter(BACK, 0.45))
    return surface


def _blank(pygame: Any) -> Any:
    surface = pygame.Surface((WIDTH, HEIGHT), pygame.SRCALPHA, 32)
    surface.fill((*PAPER, 0))
    return surface


def _icon(card: int) -> Callable[[Any, Point], None]:
    colour = card % COLOURS
    if card < MEDICINE:
        return functools.partial(paint_organ, slot=colour)
    if card < VIRUS:
        return functools.partial(paint_medicine, length=42, colour=colour)
    if card < THIEF:
        return functools.partial(
            paint_virus, radius=14, color=COLORS[colour], is_wild=colour == WILD
        )
    return {
        THIEF: _mask,
        SPREADING: _spreading,
        TRANSPLANT: _transplant,
        GLOVE: _glove,
        ERROR: _error,
    }[card]


def _arc(center: Point, radius: float, start: float, sweep: float) -> list[Point]:
    """Return points of an arc; angles in radians, clockwise on the picture."""
    steps = max(4, round(abs(sweep) * 8))
    angles = (start + sweep * step / steps for step in range(steps + 1))
    return [
        (center[0] + radius * math.cos(a), center[1] + radius * math.sin(a))
        for a in angles
    ]


def _curve(surface: Any, points: list[Point], color: Color, width: float) -> None:
    """Draw a line through points."""
    for begin, end in itertools.pairwise(points):
        line(surface, begin, end, color, width)


def _pie(surface: Any, center: Point, radius: float) -> None:
    """Draw a disc of the four colours, the sign of all wild cards."""
    circle(surface, center, radius + 1.2, darker(COLORS[WILD], 0.4))
    for number, color in enumerate(COLORS[:WILD]):
        quarter = _arc(center, radius, number * math.pi / 2, math.pi / 2)
        polygon(surface, [center, *quarter], color)


def paint_organ(surface: Any, center: Point, slot: int) -> None:
    """Draw an organ, 40 pixels high."""
    (_heart, _brain, _stomach, _bone, _wild_organ)[slot](surface, center)


def _heart(surface: Any, center: Point) -> None:
    x, y = center
    outline = [
        (
            x + 1.15 * 16 * math.sin(t) ** 3,
            y - 1.15 * (13 * math.cos(t) - 5 * math.cos(2 * t) - 2 * math.cos(3 * t)),
        )
        for t in (math.pi * step / 24 for step in range(48))
    ]
    polygon(surface, outline, COLORS[0], darker(COLORS[0], 0.4), 2)
    polygon(surface, _arc((x - 8, y - 7), 4.5, 0, 2 * math.pi), lighter(COLORS[0]))


def _brain(surface: Any, center: Point) -> None:
    x, y = center
    color, edge = COLORS[1], darker(COLORS[1], 0.4)
    polygon(
        surface,
        [(x - 2, y + 8), (x + 7, y + 8), (x + 9, y + 20), (x + 3, y + 20)],
        lighter(color, 0.2),
        edge,
        1.5,
    )
    lobes = [(-12, 2), (-9, -8), (0, -12), (9, -9), (13, 0), (8, 7), (-3, 6)]
    for across, down in lobes:
        circle(surface, (x + across, y + down), 9.5, edge)
    for across, down in lobes:
        circle(surface, (x + across, y + down), 8, color)
    circle(surface, (x, y - 2), 9, color)
    fold = lighter(color, 0.55)
    for across, down, start in ((-9, -4, 2.6), (2, -7, 3.4), (9, 0, 4.2), (-3, 4, 0.3)):
        _curve(surface, _arc((x + across, y + down), 5, start, 2.6), fold, 2)


def _stomach(surface: Any, center: Point) -> None:
    x, y = center
    color, edge = COLORS[2], darker(COLORS[2], 0.4)
    outline = [
        *((x - 5, y - 20), (x + 1, y - 20), (x + 1, y - 9)),
        *_arc((x + 8, y - 5), 10, -2.2, 2.4),
        *_arc((x + 1, y + 3), 17, 0.1, 1.9),
        *((x - 17, y + 20), (x - 19, y + 13)),
        *((x - 12, y + 10), (x - 5, y + 3)),
    ]
    polygon(surface, outline, color, edge, 2)
    shine = _arc((x + 4, y + 2), 10.5, 0.0, 1.3)
    _curve(surface, shine, lighter(color, 0.55), 2.5)


def _bone(surface: Any, center: Point) -> None:
    x, y = center
    color, edge = lighter(COLORS[3], 0.35), darker(COLORS[3], 0.4)
    ends = [(side * 12 + a, side * -12 + b) for side in (1, -1) for a, b in _knob(side)]
    for grown, filling in ((1.8, edge), (0, color)):
        line(surface, (x - 11, y + 11), (x + 11, y - 11), filling, 9 + 2 * grown)
        for across, down in ends:
            circle(surface, (x + across, y + down), 6 + grown, filling)


def _knob(side: int) -> tuple[Point, Point]:
    """Return where the two discs at one end of the bone lie."""
    return (-4 * side, -3 * side), (3 * side, 4 * side)


def _wild_organ(surface: Any, center: Point) -> None:
    _pie(surface, center, 18)
    x, y = center
    star = [
        (x + reach * math.sin(turn), y - reach * math.cos(turn))
        for turn, reach in ((math.pi * n / 5, (10, 4.5)[n % 2]) for n in range(10))
    ]
    polygon(surface, star, PAPER)


def paint_virus(
    surface: Any, center: Point, radius: float, color: Color, is_wild: bool = False
) -> None:
    """Draw a virus: a disc with knobs all around, and a face."""
    x, y = center
    edge = darker(color, 0.35)
    for number in range(8):
        turn = math.pi * (number + 0.5) / 4
        tip = x + 1.45 * radius * math.cos(turn), y + 1.45 * radius * math.sin(turn)
        knob = COLORS[number // 2] if is_wild else color
        line(surface, center, tip, knob, max(1.5, radius / 5))
        circle(surface, tip, radius / 4.5, knob)
    if is_wild:
        _pie(surface, center, radius)
    else:
        circle(surface, center, radius, color, edge, max(1, radius / 10))
    if radius < 10:
        return
    for side in (-1, 1):
        eye = x + side * radius * 0.38, y - radius * 0.15
        circle(surface, eye, radius * 0.25, PAPER)
        circle(surface, eye, radius * 0.12, DARK)
    mouth = _arc((x, y + radius * 0.7), radius * 0.35, math.pi * 1.15, math.pi * 0.7)
    _curve(surface, mouth, DARK, 2)


def paint_medicine(surface: Any, center: Point, length: float, colour: int) -> None:
    """Draw a capsule, one half of it coloured, that slants."""
    x, y = center
    across, down = math.cos(-0.7), math.sin(-0.7)
    half, radius = length / 2 - length / 5, length / 5
    far = x + across * half, y + down * half
    near = x - across * half, y - down * half
    turn = -0.7 + math.pi / 2
    edge = darker(COLORS[colour], 0.4)
    top = _arc(far, radius, turn, -math.pi)
    foot = _arc(near, radius, turn + math.pi, -math.pi)
    polygon(surface, [*top, *foot], PAPER, edge, max(1.4, length / 20))
    between = [(x - down * radius * s, y + across * radius * s) for s in (-1, 1)]
    polygon(surface, [*top, *between], COLORS[colour])
    if colour == WILD:
        for number, color in enumerate(COLORS[:WILD]):
            place = half * (0.2 + number * 0.4)
            middle = x + across * place, y + down * place
            reach = radius * (0.97, 0.97, 0.97, 0.6)[number]
            start = middle[0] - down * reach, middle[1] + across * reach
            end = middle[0] + down * reach, middle[1] - across * reach
            line(surface, start, end, color, half * 0.42)
    _curve(surface, [*top, *foot, top[0]], edge, max(1.2, length / 24))


def _arrow(surface: Any, start: Point, end: Point, color: Color, width: float) -> None:
    """Draw an arrow with a head three times as wide as its shaft."""
    length = math.dist(start, end)
    across, down = (end[0] - start[0]) / length, (end[1] - start[1]) / length
    neck = end[0] - across * 2.2 * width, end[1] - down * 2.2 * width
    line(surface, start, neck, color, width)
    reach = 1.5 * width
    sides = [
        (neck[0] - s * down * reach, neck[1] + s * across * reach) for s in (1, -1)
    ]
    polygon(surface, [end, *sides], color)


def _mask(surface: Any, center: Point) -> None:
    """Draw the mask of a thief."""
    x, y = center
    outline = [(x - 22, y - 8), (x - 8, y - 9), (x, y - 5), (x + 8, y - 9)]
    outline += [(x + 22, y - 8), (x + 18, y + 6), (x + 9, y + 10), (x, y + 3)]
    outline += [(x - 9, y + 10), (x - 18, y + 6)]
    polygon(surface, outline, DARK, darker(DARK), 1.5)
    for side in (-1, 1):
        eye = [(x + side * 15, y - 2), (x + side * 5, y - 1), (x + side * 9, y + 4)]
        polygon(surface, eye, PAPER)


def _spreading(surface: Any, center: Point) -> None:
    """Draw a virus from which arrows go."""
    x, y = center
    color = darker(TREATMENT, 0.25)
    for turn in (-2.3, -0.8, 0.8, 2.3):
        across, down = math.cos(turn), math.sin(turn)
        start = x + 8 * across, y + 8 * down
        _arrow(surface, start, (x + 27 * across, y + 27 * down), color, 4)
    paint_virus(surface, center, 9, COLORS[2])


def _transplant(surface: Any, center: Point) -> None:
    """Draw two arrows that pass each other, and a heart between."""
    x, y = center
    color = darker(TREATMENT, 0.25)
    _arrow(surface, (x - 20, y - 13), (x + 21, y - 13), color, 5)
    _arrow(surface, (x + 20, y + 13), (x - 21, y + 13), color, 5)
    circle(surface, (x - 8, y), 6, COLORS[0], darker(COLORS[0]), 1.5)
    circle(surface, (x + 8, y), 6, COLORS[1], darker(COLORS[1]), 1.5)


def _glove(surface: Any, center: Point) -> None:
    """Draw a glove with its five fingers."""
    x, y = center
    color, edge = (128, 200, 220), (52, 122, 146)
    fingers = [(-9, -14), (-3, -19), (3, -19), (9, -14)]
    for grown, filling in ((1.5, edge), (0, color)):
        for across, tip in fingers:
            line(
                surface, (x + across, y), (x + across, y + tip), filling, 6 + 2 * grown
            )
            circle(surface, (x + across, y + tip), 3 + grown, filling)
        line(surface, (x + 8, y + 8), (x + 18, y - 3), filling, 6 + 2 * grown)
        circle(surface, (x + 18, y - 3), 3 + grown, filling)
        area = (x - 12 - grown, y - 4 - grown, 24 + 2 * grown, 19 + 2 * grown)
        rounded_rectangle(surface, area, 5, filling)
    rounded_rectangle(surface, (x - 11, y + 15, 22, 7), 2, lighter(color), edge, 1.5)


def _error(surface: Any, center: Point) -> None:
    """Draw a warning sign."""
    x, y = center
    corners = [(x, y - 19), (x + 21, y + 16), (x - 21, y + 16)]
    polygon(surface, corners, COLORS[3], DARK, 3)
    line(surface, (x, y - 8), (x, y + 5), DARK, 4.5)
    circle(surface, (x, y + 11), 2.6, DARK)
