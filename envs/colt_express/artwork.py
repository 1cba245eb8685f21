"""What pictures of Colt Express are made of: cards, bandits, loot, cars, landscape."""

import functools
import math
from typing import Any

from mcts_agents.envs.colt_express.cards import (
    BULLET,
    CARD_NAMES,
    CLIMB,
    COLLECT,
    DOUBLE,
    HIDDEN,
    JEWEL_KIND,
    MARSHAL,
    MOVE,
    PUNCH,
    PURSE_KIND,
    REVERSE,
    SHOOT,
)
from mcts_agents.envs.painting import (
    Color,
    Point,
    circle,
    darker,
    lighter,
    line,
    load_pygame,
    mixed,
    polygon,
    rounded_rectangle,
    text,
)

WIDTH, HEIGHT = 46, 62
PAPER: Color = (250, 243, 226)
DARK: Color = (58, 44, 38)
SKIN: Color = (238, 196, 156)
GOLD: Color = (232, 180, 60)
RED: Color = (186, 52, 44)
IRON: Color = (62, 66, 74)
SKY: tuple[Color, Color] = (246, 206, 150), (250, 232, 196)
SAND: Color = (228, 190, 132)
WALLS: tuple[Color, ...] = (
    (150, 70, 52),
    (62, 110, 112),
    (160, 116, 52),
    (100, 78, 122),
    (84, 116, 66),
    (142, 84, 40),
)


# -- cards


def card_picture(card: int) -> Any:
    """Return the face of a card, a `pygame.Surface`."""
    return _face(card, load_pygame())


def back_picture() -> Any:
    """Return the back of a card, a `pygame.Surface`."""
    return _back(load_pygame())


@functools.lru_cache(maxsize=16)
def _face(card: int, pygame: Any) -> Any:
    surface = _blank(pygame, PAPER)
    paint_symbol(surface, card, (WIDTH / 2, HEIGHT / 2 - 5))
    text(surface, CARD_NAMES[card], (WIDTH / 2, HEIGHT - 11), 14, DARK)
    return surface


@functools.lru_cache(maxsize=1)
def _back(pygame: Any) -> Any:
    surface = _blank(pygame, (116, 62, 44))
    color = mixed((116, 62, 44), GOLD, 0.7)
    rounded_rectangle(surface, (5, 5, WIDTH - 10, HEIGHT - 10), 4, (98, 50, 36), color)
    _star(surface, (WIDTH / 2, HEIGHT / 2), 12, color)
    return surface


def _blank(pygame: Any, color: Color) -> Any:
    surface = pygame.Surface((WIDTH, HEIGHT), pygame.SRCALPHA, 32)
    surface.fill((*color, 0))
    rounded_rectangle(surface, (0, 0, WIDTH, HEIGHT), 6, color, darker(color, 0.4), 1.4)
    return surface


def paint_symbol(surface: Any, card: int, center: Point) -> None:
    """Draw what a card does, about 30 pixels wide."""
    drawn = {
        MOVE: _arrows_across,
        CLIMB: _ladder,
        PUNCH: _fist,
        MARSHAL: _badge,
        SHOOT: _revolver,
        COLLECT: _bag_with_dollar,
        BULLET: _cartridge,
    }
    drawn[card](surface, center)


def _arrow(surface: Any, start: Point, end: Point, color: Color, width: float) -> None:
    length = math.dist(start, end)
    across, down = (end[0] - start[0]) / length, (end[1] - start[1]) / length
    neck = end[0] - across * 2.2 * width, end[1] - down * 2.2 * width
    line(surface, start, neck, color, width)
    reach = 1.6 * width
    sides = [
        (neck[0] - s * down * reach, neck[1] + s * across * reach) for s in (1, -1)
    ]
    polygon(surface, [end, *sides], color)


def _arrows_across(surface: Any, center: Point) -> None:
    x, y = center
    color = (44, 106, 150)
    _arrow(surface, (x - 12, y - 7), (x + 16, y - 7), color, 5)
    _arrow(surface, (x + 12, y + 8), (x - 16, y + 8), color, 5)


def _ladder(surface: Any, center: Point) -> None:
    x, y = center
    color = (146, 98, 46)
    for side in (-9, 3):
        line(surface, (x + side, y - 17), (x + side, y + 16), color, 3)
    for step in range(-12, 15, 7):
        line(surface, (x - 9, y + step), (x + 3, y + step), color, 3)
    _arrow(surface, (x + 13, y + 14), (x + 13, y - 17), (68, 130, 80), 4)


def _fist(surface: Any, center: Point) -> None:
    x, y = center[0] - 3, center[1]
    edge = darker(SKIN, 0.45)
    rounded_rectangle(surface, (x - 17, y + 1, 12, 13), 2, RED, darker(RED), 1.2)
    rounded_rectangle(surface, (x - 8, y - 9, 22, 22), 6, SKIN, edge, 1.5)
    for finger in range(4):
        top = y - 10 + 6 * finger
        rounded_rectangle(surface, (x + 6, top, 11, 6), 3, SKIN, edge, 1.2)
    for turn in (-0.9, 0.0, 0.9):
        start = x + 18 + 2 * math.cos(turn), y + 12 * math.sin(turn)
        end = start[0] + 5 * math.cos(turn), start[1] + 6 * math.sin(turn)
        line(surface, start, end, GOLD, 2)


def _badge(surface: Any, center: Point) -> None:
    circle(surface, center, 17, lighter(GOLD, 0.45), darker(GOLD), 1.6)
    _star(surface, center, 14, darker(GOLD, 0.12))


def _star(surface: Any, center: Point, reach: float, color: Color) -> None:
    x, y = center
    corners = []
    for n in range(10):
        radius = reach if n % 2 == 0 else reach * 0.42
        corners.append(
            (
                x + radius * math.sin(math.pi * n / 5),
                y - radius * math.cos(math.pi * n / 5),
            )
        )
    polygon(surface, corners, color)


def _revolver(surface: Any, center: Point) -> None:
    x, y = center
    steel, wood = (84, 90, 100), (130, 80, 44)
    grip = [(x - 15, y - 4), (x - 6, y - 4), (x - 9, y + 14), (x - 18, y + 13)]
    polygon(surface, grip, wood, darker(wood, 0.4), 1.2)
    rounded_rectangle(surface, (x - 14, y - 11, 31, 6), 2, steel, darker(steel), 1.2)
    rounded_rectangle(
        surface, (x - 9, y - 10, 13, 10), 3, lighter(steel, 0.3), steel, 1.4
    )
    line(surface, (x - 15, y - 11), (x - 18, y - 15), steel, 3)
    line(surface, (x - 3, y + 1), (x + 3, y + 5), steel, 2)
    line(surface, (x + 3, y + 5), (x + 4, y), steel, 2)


def _bag_with_dollar(surface: Any, center: Point) -> None:
    _bag(surface, (center[0], center[1] + 2), 1.45)


def _cartridge(surface: Any, center: Point) -> None:
    x, y = center
    brass, lead = (214, 170, 74), (120, 110, 108)
    tip = [
        (x - 6, y - 6),
        (x - 5, y - 13),
        (x, y - 18),
        (x + 5, y - 13),
        (x + 6, y - 6),
    ]
    polygon(surface, tip, lead, darker(lead), 1.2)
    rounded_rectangle(surface, (x - 7, y - 6, 14, 19), 1, brass, darker(brass), 1.2)
    rounded_rectangle(surface, (x - 9, y + 12, 18, 5), 1, brass, darker(brass), 1.2)


def paint_bullet(surface: Any, center: Point, is_left: bool) -> None:
    """Draw a small bullet, or the empty place of one that was shot."""
    x, y = center
    color = (204, 156, 62) if is_left else (222, 216, 204)
    rounded_rectangle(surface, (x - 3, y - 2, 6, 9), 1, color)
    polygon(surface, [(x - 3, y - 2), (x, y - 8), (x + 3, y - 2)], darker(color, 0.25))


def turn_picture(
    surface: Any, kind: int, area: tuple[float, float, float, float]
) -> None:
    """Draw a turn of a round card: an open card, a tunnel, two cards or a way back."""
    left, top, width, height = area
    x, y = left + width / 2, top + height / 2
    color = (70, 62, 58) if kind == HIDDEN else (206, 224, 232)
    rounded_rectangle(surface, area, 5, color, DARK, 1.2)
    if kind == HIDDEN:
        arch = [
            (
                x - 9 * math.cos(math.pi * n / 12),
                y + 1 - 10 * math.sin(math.pi * n / 12),
            )
            for n in range(13)
        ]
        polygon(
            surface, [*arch, (x + 9, y + 9), (x - 9, y + 9)], (18, 16, 18), GOLD, 1.6
        )
    elif kind == REVERSE:
        _arrow(surface, (x + 11, y), (x - 12, y), RED, 5)
    else:
        shifts = (-5, 5) if kind == DOUBLE else (0,)
        for shift in shifts:
            box = (x - 6 + shift, y - 9, 12, 18)
            rounded_rectangle(surface, box, 2, PAPER, DARK, 1.2)


# -- loot


def paint_loot(surface: Any, center: Point, kind: int, scale: float = 1.0) -> None:
    """Draw a purse, a jewel or a strongbox, about 22 pixels wide."""
    if kind == PURSE_KIND:
        _bag(surface, center, scale)
    elif kind == JEWEL_KIND:
        _jewel(surface, center, scale)
    else:
        _strongbox(surface, center, scale)


def _bag(surface: Any, center: Point, scale: float) -> None:
    x, y = center
    color = (196, 152, 88)
    around = [
        (x + scale * 10 * math.cos(turn), y + scale * (3 + 9 * math.sin(turn)))
        for turn in (2 * math.pi * step / 20 for step in range(20))
    ]
    polygon(surface, around, color, darker(color, 0.4), 1.3)
    neck = [
        (x + scale * a, y + scale * b)
        for a, b in ((-4, -5), (-6, -11), (6, -11), (4, -5))
    ]
    polygon(surface, neck, lighter(color, 0.2), darker(color, 0.4), 1.3)
    line(
        surface, (x - 5 * scale, y - 5 * scale), (x + 5 * scale, y - 5 * scale), RED, 2
    )
    text(surface, "$", (x, y + 4 * scale), round(15 * scale), darker(color, 0.55))


def _jewel(surface: Any, center: Point, scale: float) -> None:
    x, y = center
    color = (198, 44, 92)
    top = [(-6, -8), (6, -8), (11, -2)]
    corners = [(x + scale * a, y + scale * b) for a, b in (*top, (0, 11), (-11, -2))]
    polygon(surface, corners, color, darker(color, 0.35), 1.3)
    shine = [
        (x + scale * a, y + scale * b) for a, b in ((-4, -2), (0, -7), (4, -2), (0, 9))
    ]
    polygon(surface, shine, lighter(color, 0.45))


def _strongbox(surface: Any, center: Point, scale: float) -> None:
    x, y = center
    color = (88, 94, 104)
    box = (x - 11 * scale, y - 7 * scale, 22 * scale, 17 * scale)
    rounded_rectangle(surface, box, 2, color, darker(color, 0.45), 1.4)
    line(surface, (x - 10 * scale, y - scale), (x + 10 * scale, y - scale), GOLD, 2)
    circle(surface, (x, y + 2 * scale), 3.6 * scale, GOLD, darker(GOLD), 1)


# -- people


def paint_bandit(surface: Any, foot: Point, color: Color, number: int) -> None:
    """Draw a bandit of 44 pixels, who wears the player's colour and number."""
    x, y = foot
    for side in (-4, 4):
        rounded_rectangle(surface, (x + side - 3, y - 9, 6, 9), 1, DARK)
    poncho = [(x - 5, y - 27), (x + 5, y - 27), (x + 12, y - 7), (x - 12, y - 7)]
    polygon(surface, poncho, color, darker(color, 0.4), 1.3)
    circle(surface, (x, y - 30), 6.5, SKIN, darker(SKIN, 0.4), 1)
    scarf = [(x - 6, y - 29), (x + 6, y - 29), (x, y - 21)]
    polygon(surface, scarf, lighter(color, 0.35), darker(color, 0.3), 1)
    _hat(surface, (x, y - 34), (92, 60, 40), color)
    text(surface, str(number), (x, y - 13), 16, PAPER)


def paint_marshal(surface: Any, foot: Point) -> None:
    """Draw the marshal, of 46 pixels, with his star."""
    x, y = foot
    coat: Color = (226, 178, 58)
    for side in (-4, 4):
        rounded_rectangle(surface, (x + side - 3, y - 10, 6, 10), 1, DARK)
    body = [(x - 7, y - 28), (x + 7, y - 28), (x + 10, y - 8), (x - 10, y - 8)]
    polygon(surface, body, coat, darker(coat, 0.4), 1.3)
    _star(surface, (x, y - 17), 7, PAPER)
    circle(surface, (x, y - 31), 6.5, SKIN, darker(SKIN, 0.4), 1)
    line(surface, (x - 4, y - 28), (x + 4, y - 28), DARK, 2.4)
    _hat(surface, (x, y - 35), (244, 238, 222), (120, 90, 50))


def _hat(surface: Any, center: Point, color: Color, band: Color) -> None:
    x, y = center
    crown = [(x - 6, y + 1), (x - 5, y - 8), (x, y - 6), (x + 5, y - 8), (x + 6, y + 1)]
    polygon(surface, crown, color, darker(color, 0.35), 1)
    line(surface, (x - 5.5, y - 1), (x + 5.5, y - 1), band, 2)
    brim = [(x - 12, y), (x - 9, y + 3), (x + 9, y + 3), (x + 12, y), (x + 6, y + 1)]
    polygon(surface, [*brim, (x - 6, y + 1)], color, darker(color, 0.35), 1)


# -- the train and the land


def paint_land(surface: Any, area: tuple[int, int, int, int], ground: float) -> None:
    """Draw the sky, the hills and the sand; the rails are at the height `ground`."""
    left, top, width, height = area
    horizon = top + 0.62 * height
    stripe = 6
    for y in range(top, round(horizon), stripe):
        share = (y - top) / (horizon - top)
        surface.fill(mixed(SKY[0], SKY[1], share), (left, y, width, stripe))
    sun = left + 0.83 * width, top + 0.3 * height
    circle(surface, sun, 34, lighter(SKY[1], 0.3))
    circle(surface, sun, 25, (255, 244, 214))
    for share, wide, tall in (
        (0.05, 150, 62),
        (0.3, 210, 44),
        (0.62, 170, 70),
        (0.9, 240, 50),
    ):
        middle, color = left + share * width, mixed(SAND, (196, 116, 84), 0.55)
        mesa = [
            (-0.5, 0),
            (-0.38, -0.75),
            (-0.34, -1),
            (0.3, -1),
            (0.36, -0.7),
            (0.5, 0),
        ]
        corners = [
            (min(max(middle + a * wide, left), left + width - 1), horizon + b * tall)
            for a, b in mesa
        ]
        polygon(surface, corners, color)
    surface.fill(SAND, (left, round(horizon), width, round(top + height - horizon)))
    for share, size in ((0.02, 1.0), (0.985, 0.8)):
        _cactus(surface, (left + share * width, ground + 4), size)
    for x in range(left + 4, left + width - 8, 22):
        surface.fill((134, 100, 66), (x, round(ground) + 3, 12, 5))
    surface.fill((104, 98, 98), (left, round(ground), width, 3))


def _cactus(surface: Any, foot: Point, size: float) -> None:
    x, y = foot
    color = (92, 134, 84)
    branches = [((0, 0), (0, -40)), ((-10, -18), (0, -18)), ((-10, -28), (-10, -18))]
    branches += [((0, -13), (10, -13)), ((10, -26), (10, -13))]
    for (a, b), (c, d) in branches:
        line(
            surface,
            (x + size * a, y + size * b),
            (x + size * c, y + size * d),
            color,
            5 * size,
        )


def paint_car(
    surface: Any, area: tuple[float, float, float, float], number: int, is_first: bool
) -> None:
    """Draw a car with its windows, or the locomotive with what is in front of it.

    Args:
        surface: What to draw on.
        area: Left, top (the roof), width and height without wheels.
        number: The car, from the caboose on; it gives the colour.
        is_first: Whether it is the locomotive.
    """
    left, top, width, height = area
    wall = IRON if is_first else WALLS[number % len(WALLS)]
    edge = darker(wall, 0.4)
    bottom = top + height
    line(surface, (left - 8, bottom - 6), (left, bottom - 6), DARK, 4)
    if is_first:
        _paint_boiler(surface, left + width, top, bottom)
    for share in (0.16, 0.32, 0.68, 0.84):
        _wheel(surface, (left + share * width, bottom + 6), 9)
    rounded_rectangle(surface, (left, top + 3, width, height - 3), 4, wall, edge, 1.6)
    inside = (left + 5, top + 14, width - 10, height - 26)
    rounded_rectangle(surface, inside, 4, mixed(PAPER, wall, 0.22), edge, 1.2)
    for place in range(1, 4):
        x = left + 5 + place * (width - 10) / 4
        line(surface, (x, top + 15), (x, top + 24), mixed(PAPER, wall, 0.5), 2)
    line(
        surface,
        (left + 6, top + 24),
        (left + width - 6, top + 24),
        mixed(PAPER, wall, 0.5),
        2,
    )
    line(
        surface,
        (left + 4, bottom - 6),
        (left + width - 4, bottom - 6),
        lighter(wall),
        2,
    )
    roof = (left - 3, top - 1, width + 6, 8)
    rounded_rectangle(surface, roof, 3, darker(wall, 0.25), edge, 1.2)


def _wheel(surface: Any, center: Point, radius: float) -> None:
    x, y = center
    circle(surface, center, radius, (70, 66, 66), DARK, 2)
    for turn in (0, math.pi / 2):
        across, down = radius * 0.7 * math.cos(turn), radius * 0.7 * math.sin(turn)
        line(
            surface,
            (x - across, y - down),
            (x + across, y + down),
            (150, 146, 142),
            1.5,
        )
    circle(surface, center, 2.5, GOLD)


def _paint_boiler(surface: Any, left: float, top: float, bottom: float) -> None:
    """Draw the boiler, the chimney with its smoke, the lamp and the cow-catcher."""
    middle = (top + bottom) / 2
    smoke = ((27, -34, 9), (16, -48, 11), (0, -58, 13), (-20, -64, 11))
    for across, up, radius in smoke:
        circle(surface, (left + across, top + up), radius, (240, 232, 222))
    rounded_rectangle(surface, (left - 4, middle - 18, 52, 44), 7, IRON, DARK, 1.6)
    for across in (10, 28):
        line(
            surface, (left + across, middle - 16), (left + across, middle + 24), GOLD, 2
        )
    chimney = [(22, 0), (24, -34), (16, -50), (40, -50), (32, -34), (34, 0)]
    corners = [(left + a, middle - 16 + b) for a, b in chimney]
    polygon(surface, corners, darker(IRON, 0.2), DARK, 1.5)
    circle(surface, (left + 46, middle - 12), 6, (255, 240, 170), darker(GOLD), 1.6)
    _wheel(surface, (left + 16, bottom + 4), 11)
    frame = (left - 4, bottom - 14, 50, 7)
    rounded_rectangle(surface, frame, 2, darker(IRON, 0.2), DARK, 1.2)
    slope = [(left + 38, bottom - 8), (left + 47, bottom - 8), (left + 61, bottom + 14)]
    catcher = [*slope, (left + 38, bottom + 14)]
    polygon(surface, catcher, RED, darker(RED, 0.4), 1.4)
    for across in (43, 49):
        end = (left + across + 4, bottom + 12)
        line(surface, (left + across, bottom - 3), end, PAPER, 1.5)
