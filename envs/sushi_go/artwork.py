"""Pictures of the cards of Sushi Go!, drawn from simple shapes."""

import functools
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
from mcts_agents.envs.sushi_go.cards import (
    CHOPSTICKS,
    DUMPLING,
    EGG,
    MAKI_1,
    MAKI_3,
    PUDDING,
    SALMON,
    SASHIMI,
    SQUID,
    TEMPURA,
    WASABI,
)
from mcts_agents.envs.sushi_go.notation import CARD_NAMES

WIDTH, HEIGHT = 58, 78
CORNER = 7
FACE: Color = (255, 253, 247)
RICE: Color = (250, 247, 240)
RICE_EDGE: Color = (206, 198, 184)
SEAWEED: Color = (41, 66, 54)
BROWN: Color = (139, 90, 53)
BACK: Color = (196, 62, 58)

_BANDS: tuple[Color, ...] = (
    *[(200, 66, 62)] * 3,
    (150, 104, 178),
    (88, 158, 88),
    (64, 120, 188),
    *[(232, 186, 52)] * 3,
    (232, 186, 52),
    (70, 176, 190),
    (228, 130, 160),
)
_LABELS = ("maki", "maki", "maki", *CARD_NAMES[TEMPURA:])


def card_picture(kind: int) -> Any:
    """Return the face of a card of type `kind`, a `pygame.Surface`."""
    return _face(kind, load_pygame())


@functools.lru_cache(maxsize=32)
def _face(kind: int, pygame: Any) -> Any:
    band = _BANDS[kind]
    surface = _blank(pygame)
    rounded_rectangle(surface, (0, 0, WIDTH, HEIGHT), CORNER, FACE, darker(band), 1.5)
    inside = (4, 4, WIDTH - 8, HEIGHT - 22)
    rounded_rectangle(surface, inside, 5, lighter(band, 0.68))
    _icon(kind)(surface, (WIDTH / 2, (HEIGHT - 14) / 2))
    letters = 13 if kind == CHOPSTICKS else 15  # the longest name must fit, too
    place = (WIDTH / 2, HEIGHT - 10)
    text(surface, _LABELS[kind], place, letters, darker(band, 0.45))
    return surface


def back_picture() -> Any:
    """Return the back of a card, a `pygame.Surface`."""
    return _back(load_pygame())


@functools.lru_cache(maxsize=1)
def _back(pygame: Any) -> Any:
    surface = _blank(pygame)
    rounded_rectangle(surface, (0, 0, WIDTH, HEIGHT), CORNER, FACE, darker(BACK), 1.5)
    rounded_rectangle(surface, (4, 4, WIDTH - 8, HEIGHT - 8), 5, BACK)
    for row in range(5):
        for column in range(3 + row % 2):
            x = WIDTH / 2 + (column - 1 - row % 2 / 2) * 13
            circle(surface, (x, 13 + row * 13), 4, lighter(BACK, 0.35))
    return surface


def _blank(pygame: Any) -> Any:
    surface = pygame.Surface((WIDTH, HEIGHT), pygame.SRCALPHA, 32)
    surface.fill((*FACE, 0))
    return surface


def _icon(kind: int) -> Callable[[Any, Point], None]:
    if MAKI_1 <= kind <= MAKI_3:
        return functools.partial(_maki, rolls=kind - MAKI_1 + 1)
    return {
        TEMPURA: _tempura,
        SASHIMI: _sashimi,
        DUMPLING: _dumpling,
        SQUID: _squid,
        SALMON: _salmon,
        EGG: _egg,
        WASABI: _wasabi,
        CHOPSTICKS: _chopsticks,
        PUDDING: _pudding,
    }[kind]


def _maki(surface: Any, center: Point, rolls: int) -> None:
    """Draw one to three rolls: seaweed, rice, and fish in the middle."""
    x, y = center
    places = (
        [(0, 0)],
        [(-9, -9), (9, 9)],
        [(0, -13), (-11, 8), (11, 8)],
    )[rolls - 1]
    radius = (16, 12, 11)[rolls - 1]
    for across, down in places:
        place = (x + across, y + down)
        circle(surface, place, radius, RICE, SEAWEED, radius * 0.28)
        circle(surface, place, radius * 0.34, (226, 92, 74))


def _tempura(surface: Any, center: Point) -> None:
    """Draw a fried prawn with its tail."""
    x, y = center
    tail = (216, 76, 52)
    for side in (-1, 1):
        fin = [
            (x + 11, y - 15),
            (x + 19, y - 17 + side * 6),
            (x + 21, y - 21 + side * 4),
        ]
        polygon(surface, fin, tail)
    for step in range(9):  # an arc of crust, thinner towards the tail
        angle = math.radians(200 - step * 22)
        place = (x + 1 + 15 * math.cos(angle), y + 4 - 15 * math.sin(angle) * 1.05)
        circle(surface, place, 9.5 - 0.6 * step, (206, 142, 44))
    for step in range(9):
        angle = math.radians(200 - step * 22)
        place = (x + 1 + 15 * math.cos(angle), y + 3 - 15 * math.sin(angle) * 1.05)
        circle(surface, place, 7.5 - 0.5 * step, (244, 190, 84))


def _sashimi(surface: Any, center: Point) -> None:
    """Draw three slices of fish, leaning on each other."""
    x, y = center
    for across in (-12, 0, 12):
        slice_ = [
            (x + across - 2, y - 17),
            (x + across + 10, y - 17),
            (x + across + 2, y + 17),
            (x + across - 10, y + 17),
        ]
        polygon(surface, slice_, (240, 122, 98), (196, 82, 66), 1.5)
        for down in (-8, 0, 8):
            left = x + across - 5 - down * 0.24
            polygon(surface, _stripe(left, y + down, 9, 4), (255, 214, 196))


def _stripe(x: float, y: float, width: float, lean: float) -> list[Point]:
    """Return a thin band that falls by `lean` over its width."""
    return [(x, y), (x + width, y + lean), (x + width, y + lean + 2), (x, y + 2)]


def _dumpling(surface: Any, center: Point) -> None:
    """Draw a half moon of dough with pleats."""
    x, y = center
    edge = [
        (x + 21 * math.cos(a), y + 10 - 24 * math.sin(a))
        for a in (math.pi * step / 24 for step in range(25))
    ]
    polygon(surface, edge, (249, 236, 207), (190, 160, 112), 1.8)
    for across in (-12, -6, 0, 6, 12):
        foot = (x + across * 0.7, y + 0.2 * abs(across))
        line(
            surface,
            (x + across, y - 10 + 0.5 * abs(across)),
            foot,
            (190, 160, 112),
            1.8,
        )


def _rice(surface: Any, center: Point) -> None:
    x, y = center
    rounded_rectangle(surface, (x - 20, y - 1, 40, 18), 8, RICE, RICE_EDGE, 1.5)


def _topping(surface: Any, center: Point, color: Color) -> list[Point]:
    """Draw a slice that lies on the rice; return its outline."""
    x, y = center
    slice_ = [
        (x - 23, y + 5),
        (x - 17, y - 9),
        (x - 8, y - 14),
        (x + 8, y - 14),
        (x + 17, y - 9),
        (x + 23, y + 5),
        (x + 10, y + 2),
        (x - 10, y + 2),
    ]
    polygon(surface, slice_, color, darker(color, 0.25), 1.5)
    return slice_


def _squid(surface: Any, center: Point) -> None:
    """Draw a nigiri with a white slice, scored crosswise, and a belt of seaweed."""
    x, y = center
    _rice(surface, center)
    _topping(surface, center, (236, 226, 238))
    for across in (-14, -8, 8, 14):
        line(surface, (x + across, y - 9), (x + across * 1.1, y), (180, 160, 190), 1.5)
    rounded_rectangle(surface, (x - 4, y - 15, 8, 33), 2, SEAWEED)


def _salmon(surface: Any, center: Point) -> None:
    """Draw a nigiri with an orange slice and its pale lines."""
    x, y = center
    _rice(surface, center)
    _topping(surface, center, (244, 132, 82))
    for across in (-11, -3, 5, 13):
        line(
            surface, (x + across - 3, y + 1), (x + across, y - 11), (255, 208, 178), 2.2
        )


def _egg(surface: Any, center: Point) -> None:
    """Draw a nigiri with a block of omelette and a belt of seaweed."""
    x, y = center
    _rice(surface, center)
    block = (x - 22, y - 14, 44, 18)
    rounded_rectangle(surface, block, 4, (250, 208, 76), (206, 158, 40), 1.5)
    rounded_rectangle(surface, (x - 4, y - 15, 8, 33), 2, SEAWEED)


def _wasabi(surface: Any, center: Point) -> None:
    """Draw a green heap on a dish."""
    x, y = center
    rounded_rectangle(surface, (x - 21, y + 10, 42, 8), 4, (92, 104, 120))
    heap = [(x - 17, y + 12), (x - 12, y), (x - 4, y - 6), (x - 1, y - 16)]
    heap += [(x + 5, y - 13), (x + 6, y - 4), (x + 13, y + 1), (x + 17, y + 12)]
    polygon(surface, heap, (138, 184, 74), (94, 138, 44), 1.8)
    line(surface, (x - 7, y + 6), (x + 1, y - 1), (184, 216, 124), 2.5)


def _chopsticks(surface: Any, center: Point) -> None:
    """Draw two sticks, crossed at the tips."""
    x, y = center
    for lean in (-1, 1):
        top, foot = (x + lean * 13, y - 20), (x - lean * 3, y + 20)
        line(surface, top, foot, BROWN, 4.5)
        middle = ((2 * top[0] + foot[0]) / 3, (2 * top[1] + foot[1]) / 3)
        line(surface, top, middle, (196, 62, 58), 4.5)


def _pudding(surface: Any, center: Point) -> None:
    """Draw a custard with caramel on a plate."""
    x, y = center
    rounded_rectangle(surface, (x - 22, y + 13, 44, 5), 2, (214, 208, 200))
    custard = [(x - 12, y - 12), (x + 12, y - 12), (x + 18, y + 13), (x - 18, y + 13)]
    polygon(surface, custard, (250, 216, 124), (206, 158, 70), 1.5)
    caramel = [(x - 12, y - 13), (x + 12, y - 13), (x + 14, y - 4), (x + 7, y - 1)]
    caramel += [(x + 2, y - 5), (x - 5, y), (x - 14, y - 4)]
    polygon(surface, caramel, BROWN)
    circle(surface, (x, y - 15), 4, (214, 64, 68))
