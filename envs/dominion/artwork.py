"""Pictures of the cards of Dominion, drawn from simple shapes."""

import functools
import math
from collections.abc import Callable
from typing import Any

from mcts_agents.envs.dominion.cards import (
    CELLAR,
    COPPER,
    COST,
    DUCHY,
    ESTATE,
    GOLD,
    KINGDOM,
    MARKET,
    MERCHANT,
    MILITIA,
    MINE,
    MOAT,
    POINTS,
    PROVINCE,
    REMODEL,
    SILVER,
    SMITHY,
    VILLAGE,
    WORKSHOP,
)
from mcts_agents.envs.dominion.notation import CARD_NAMES
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
    ring,
    rounded_rectangle,
    text,
)

WIDTH, HEIGHT = 62, 86
SMALL_WIDTH, SMALL_HEIGHT = 30, 42
CORNER = 7
FACE: Color = (255, 253, 247)
BACK: Color = (54, 74, 110)
INK: Color = (46, 42, 40)
WOOD: Color = (150, 104, 62)
STONE: Color = (158, 156, 152)
STEEL: Color = (120, 132, 146)
ROOF: Color = (178, 76, 54)
WATER: Color = (78, 144, 196)
GRASS: Color = (112, 160, 88)
COINS: tuple[Color, ...] = ((196, 122, 70), (178, 184, 192), (234, 180, 44))
COST_COIN: Color = (238, 196, 84)

TREASURE_FRAME: Color = (198, 152, 48)
VICTORY_FRAME: Color = (84, 142, 78)
ACTION_FRAME: Color = (128, 118, 108)
ATTACK_FRAME: Color = (182, 70, 62)
REACTION_FRAME: Color = (66, 122, 182)


def frame_of(card: int) -> Color:
    """Return the colour of a card's kind."""
    if card <= GOLD:
        return TREASURE_FRAME
    if card < KINGDOM:
        return VICTORY_FRAME
    return {MILITIA: ATTACK_FRAME, MOAT: REACTION_FRAME}.get(card, ACTION_FRAME)


def card_picture(card: int) -> Any:
    """Return the face of a card by its type, a `pygame.Surface`."""
    return _face(card, load_pygame())


def small_picture(card: int | None) -> Any:
    """Return a card at half size, its back for None, a `pygame.Surface`."""
    return _small(card, load_pygame())


def back_picture() -> Any:
    """Return the back of a card, a `pygame.Surface`."""
    return _back(load_pygame())


@functools.lru_cache(maxsize=16)
def _face(card: int, pygame: Any) -> Any:
    color = frame_of(card)
    surface = _blank(pygame)
    rounded_rectangle(surface, (0, 0, WIDTH, HEIGHT), CORNER, FACE, darker(color), 1.5)
    rounded_rectangle(surface, (4, 4, WIDTH - 8, HEIGHT - 23), 5, lighter(color, 0.72))
    _ICONS[card](surface, (WIDTH / 2, (HEIGHT - 13) / 2))
    place = (WIDTH / 2, HEIGHT - 11)
    text(surface, CARD_NAMES[card], place, 16, darker(color, 0.4))
    circle(surface, (12, 12), 8, COST_COIN, darker(COST_COIN), 1.5)
    text(surface, str(COST[card]), (12, 12), 16, INK)
    return surface


@functools.lru_cache(maxsize=32)
def _small(card: int | None, pygame: Any) -> Any:
    picture = back_picture() if card is None else _face(card, pygame)
    return pygame.transform.smoothscale(picture, (SMALL_WIDTH, SMALL_HEIGHT))


@functools.lru_cache(maxsize=1)
def _back(pygame: Any) -> Any:
    surface = _blank(pygame)
    rounded_rectangle(surface, (0, 0, WIDTH, HEIGHT), CORNER, FACE, darker(BACK), 1.5)
    rounded_rectangle(surface, (4, 4, WIDTH - 8, HEIGHT - 8), 5, BACK)
    center = (WIDTH / 2, HEIGHT / 2)
    circle(surface, center, 21, lighter(BACK, 0.2), COST_COIN, 2)
    _crown(surface, center, COST_COIN)
    return surface


def _blank(pygame: Any) -> Any:
    surface = pygame.Surface((WIDTH, HEIGHT), pygame.SRCALPHA, 32)
    surface.fill((*FACE, 0))
    return surface


def _crown(surface: Any, center: Point, color: Color) -> None:
    x, y = center
    points = [(x - 13, y + 9), (x - 14, y - 8), (x - 6, y), (x, y - 12)]
    points += [(x + 6, y), (x + 14, y - 8), (x + 13, y + 9)]
    polygon(surface, points, color, darker(color), 1.5)


def _box(
    surface: Any, left: float, top: float, width: float, height: float, color: Color
) -> None:
    """Draw an upright rectangle with a dark edge."""
    right, bottom = left + width, top + height
    corners = [(left, top), (right, top), (right, bottom), (left, bottom)]
    polygon(surface, corners, color, darker(color, 0.45), 1.5)


def _coin(surface: Any, center: Point, card: int) -> None:
    """Draw a coin with its value."""
    x, y = center[0], center[1] + 3
    color = COINS[card - COPPER]
    circle(surface, (x, y), 21, color, darker(color, 0.4), 2)
    ring(surface, (x, y), 17, lighter(color, 0.45), 2)
    text(surface, str(card - COPPER + 1), (x, y + 1), 34, darker(color, 0.55))


def _shield(surface: Any, card: int) -> None:
    """Draw a card's victory points."""
    place = (WIDTH - 13, HEIGHT - 33)
    circle(surface, place, 8, VICTORY_FRAME, darker(VICTORY_FRAME), 1.5)
    text(surface, str(POINTS[card]), place, 16, FACE)


def _house(surface: Any, center: Point, size: float, roof: Color = ROOF) -> None:
    """Draw a house of so many pixels width."""
    x, y = center
    half = size / 2
    _box(surface, x - half * 0.8, y, size * 0.8, half * 1.1, (240, 222, 186))
    _box(surface, x - half * 0.2, y + half * 0.45, size * 0.2, half * 0.65, WOOD)
    points = [(x - half, y + 1), (x + half, y + 1), (x, y - half)]
    polygon(surface, points, roof, darker(roof, 0.4), 1.5)


def _tower(
    surface: Any, left: float, top: float, width: float, height: float, color: Color
) -> None:
    """Draw a tower with battlements."""
    _box(surface, left, top, width, height, color)
    tooth = width / 5
    for step in (0, 2, 4):
        _box(surface, left + step * tooth, top - 5, tooth, 6, color)


def _flag(surface: Any, foot: Point, color: Color) -> None:
    x, y = foot
    line(surface, (x, y), (x, y - 15), INK, 1.5)
    polygon(surface, [(x, y - 15), (x + 11, y - 11), (x, y - 7)], color)


def _ground(surface: Any, center: Point) -> None:
    """Draw a hill under a building."""
    x, y = center
    hill = [
        (x + 26 * math.cos(angle), y + 28 - 10 * math.sin(angle))
        for angle in (math.pi * step / 16 for step in range(17))
    ]
    polygon(surface, hill, GRASS)


def _estate(surface: Any, center: Point) -> None:
    """Draw a country house."""
    x, y = center
    _ground(surface, center)
    _house(surface, (x, y + 3), 32)
    _shield(surface, ESTATE)


def _duchy(surface: Any, center: Point) -> None:
    """Draw a manor between two towers."""
    x, y = center
    _ground(surface, center)
    _box(surface, x - 14, y + 1, 28, 19, (236, 220, 190))
    roof = [(x - 15, y + 2), (x + 15, y + 2), (x, y - 11)]
    polygon(surface, roof, ROOF, darker(ROOF, 0.4), 1.5)
    for left in (x - 22, x + 12):
        _tower(surface, left, y - 6, 10, 26, STONE)
    _box(surface, x - 4, y + 9, 8, 11, WOOD)
    _shield(surface, DUCHY)


def _province(surface: Any, center: Point) -> None:
    """Draw a castle with a flag."""
    x, y = center
    _ground(surface, center)
    _flag(surface, (x, y - 12), ROOF)
    for left in (x - 24, x + 12):
        _tower(surface, left, y - 8, 12, 29, mixed(STONE, INK, 0.1))
    _tower(surface, x - 9, y - 12, 18, 33, STONE)
    _box(surface, x - 4, y + 8, 8, 13, darker(WOOD))
    _shield(surface, PROVINCE)


def _cellar(surface: Any, center: Point) -> None:
    """Draw three barrels."""
    x, y = center
    for across, down in ((-11, 14), (11, 14), (0, -5)):
        place = (x + across, y + down)
        circle(surface, place, 11, WOOD, darker(WOOD, 0.45), 2)
        circle(surface, place, 7, lighter(WOOD, 0.25))
        for step in (-3, 1, 5):
            top = (place[0] + step - 1, place[1] - 6)
            line(surface, top, (top[0], place[1] + 6), darker(WOOD, 0.2), 1)


def _market(surface: Any, center: Point) -> None:
    """Draw a stall under a striped awning."""
    x, y = center
    for side in (-19, 17):
        _box(surface, x + side, y - 8, 2, 32, WOOD)
    _box(surface, x - 21, y + 9, 42, 9, WOOD)
    for step in range(6):
        left = x - 24 + 8 * step
        color = ROOF if step % 2 == 0 else FACE
        stripe = [(left + 3, y - 14), (left + 9, y - 14), (left + 8, y), (left, y)]
        polygon(surface, stripe, color, darker(ROOF, 0.3), 1)
    fruits = ((206, 62, 54), (232, 164, 40), (110, 164, 76))
    for step in range(5):
        circle(surface, (x - 16 + 8 * step, y + 6), 4, fruits[step % 3])


def _merchant(surface: Any, center: Point) -> None:
    """Draw a pair of scales with coins."""
    x, y = center
    brass = darker(COST_COIN, 0.25)
    line(surface, (x, y - 13), (x, y + 22), brass, 3)
    line(surface, (x - 20, y - 9), (x + 20, y - 9), brass, 3)
    _box(surface, x - 9, y + 20, 18, 4, brass)
    circle(surface, (x, y - 14), 4, brass)
    for side in (-18, 18):
        place = x + side
        for edge in (-9, 9):
            line(surface, (place, y - 9), (place + edge, y + 7), INK, 1)
        dish = [(place - 11, y + 7), (place + 11, y + 7), (place + 5, y + 13)]
        polygon(surface, [*dish, (place - 5, y + 13)], brass)
    circle(surface, (x - 18, y + 4), 4, COINS[1], darker(COINS[1]), 1)
    circle(surface, (x + 18, y + 4), 4, COINS[2], darker(COINS[2]), 1)


def _militia(surface: Any, center: Point) -> None:
    """Draw crossed swords behind a shield."""
    x, y = center
    for side in (-1, 1):
        line(surface, (x - side * 21, y + 22), (x + side * 19, y - 16), STEEL, 4)
        high = (x - side * 19, y + 9)
        line(surface, high, (x - side * 7, y + 21), darker(WOOD), 4)
    points = [(x - 13, y - 9), (x + 13, y - 9), (x + 12, y + 7)]
    points += [(x, y + 20), (x - 12, y + 7)]
    polygon(surface, points, ATTACK_FRAME, darker(ATTACK_FRAME, 0.5), 2)
    line(surface, (x, y - 8), (x, y + 17), FACE, 3)
    line(surface, (x - 12, y + 1), (x + 12, y + 1), FACE, 3)


def _mine(surface: Any, center: Point) -> None:
    """Draw a pickaxe over gold ore."""
    x, y = center
    rock = [(x - 22, y + 25), (x - 15, y + 9), (x - 3, y + 5), (x + 12, y + 10)]
    polygon(surface, [*rock, (x + 22, y + 25)], STONE, darker(STONE, 0.45), 1.5)
    for across, down in ((-11, 18), (2, 13), (11, 20)):
        circle(surface, (x + across, y + down), 3.5, COINS[2], darker(COINS[2]), 1)
    line(surface, (x - 12, y + 9), (x + 12, y - 13), WOOD, 4)
    head = [(x - 6, y - 16), (x + 8, y - 14), (x + 18, y - 6), (x + 21, y + 7)]
    head += [(x + 13, y - 2), (x + 5, y - 9)]
    polygon(surface, head, STEEL, darker(STEEL, 0.5), 1.5)


def _moat(surface: Any, center: Point) -> None:
    """Draw a gate behind water."""
    x, y = center
    _tower(surface, x - 16, y - 9, 32, 24, STONE)
    _box(surface, x - 7, y - 1, 14, 16, darker(WOOD))
    _box(surface, x - 25, y + 13, 50, 14, WATER)
    for row in (17, 22):
        for step in range(5):
            left = x - 22 + 9 * step + row % 2 * 4
            line(surface, (left, y + row), (left + 5, y + row), FACE, 1.5)
    bridge = [(x - 6, y + 13), (x + 6, y + 13), (x + 10, y + 27), (x - 10, y + 27)]
    polygon(surface, bridge, WOOD, darker(WOOD, 0.45), 1.5)


def _remodel(surface: Any, center: Point) -> None:
    """Draw a hammer across a saw."""
    x, y = center
    blade = [(x - 22, y - 7), (x - 16, y - 13), (x + 12, y + 11), (x + 6, y + 19)]
    polygon(surface, blade, lighter(STEEL, 0.4), darker(STEEL, 0.4), 1.5)
    circle(surface, (x + 14, y + 18), 8, WOOD, darker(WOOD, 0.45), 2)
    circle(surface, (x + 14, y + 18), 3, lighter(ACTION_FRAME, 0.72))
    line(surface, (x - 17, y + 24), (x + 11, y - 8), WOOD, 5)
    head = [(x + 1, y - 14), (x + 8, y - 19), (x + 23, y - 6), (x + 17, y + 1)]
    polygon(surface, head, STEEL, darker(STEEL, 0.5), 1.5)


def _smithy(surface: Any, center: Point) -> None:
    """Draw an anvil with a glowing iron."""
    x, y = center
    steel = darker(STEEL, 0.25)
    body = [(x - 24, y + 1), (x + 21, y + 1), (x + 19, y + 8), (x + 8, y + 11)]
    body += [(x + 7, y + 17), (x + 14, y + 25), (x - 14, y + 25), (x - 7, y + 17)]
    body += [(x - 8, y + 11), (x - 17, y + 9)]
    polygon(surface, body, steel, darker(steel, 0.5), 1.5)
    line(surface, (x - 14, y - 2), (x + 15, y - 2), (238, 112, 44), 4)
    for across, down in ((-2, -9), (5, -15), (11, -8)):
        circle(surface, (x + across, y + down), 2.5, COINS[2])
    line(surface, (x - 9, y - 19), (x - 4, y - 6), WOOD, 4)


def _village(surface: Any, center: Point) -> None:
    """Draw three houses."""
    x, y = center
    _ground(surface, center)
    _house(surface, (x + 1, y - 4), 22, (96, 120, 160))
    _house(surface, (x - 13, y + 8), 22)
    _house(surface, (x + 13, y + 9), 22, (170, 128, 60))


def _workshop(surface: Any, center: Point) -> None:
    """Draw a cogwheel on a bench."""
    x, y = center
    _box(surface, x - 23, y + 14, 46, 5, WOOD)
    for left in (x - 19, x + 14):
        _box(surface, left, y + 19, 5, 8, WOOD)
    teeth = []
    for step in range(32):
        away = 16 if step % 4 < 2 else 12
        angle = math.pi * (step - 0.5) / 16
        teeth.append((x + away * math.cos(angle), y - 3 + away * math.sin(angle)))
    polygon(surface, teeth, STEEL, darker(STEEL, 0.5), 1.5)
    circle(surface, (x, y - 3), 5, lighter(ACTION_FRAME, 0.72), darker(STEEL, 0.5), 1.5)


_ICONS: dict[int, Callable[[Any, Point], None]] = {
    **{card: functools.partial(_coin, card=card) for card in (COPPER, SILVER, GOLD)},
    ESTATE: _estate,
    DUCHY: _duchy,
    PROVINCE: _province,
    CELLAR: _cellar,
    MARKET: _market,
    MERCHANT: _merchant,
    MILITIA: _militia,
    MINE: _mine,
    MOAT: _moat,
    REMODEL: _remodel,
    SMITHY: _smithy,
    VILLAGE: _village,
    WORKSHOP: _workshop,
}
