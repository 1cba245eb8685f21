"""Chinese Checkers as a picture: a star of holes with marbles, and the players."""

import itertools
import math
from typing import Any

import numpy as np

from mcts_agents.envs.chinese_checkers.board import SEATS, Star, star
from mcts_agents.envs.chinese_checkers.notation import format_action
from mcts_agents.envs.chinese_checkers.view import (
    Position,
    last_move,
    name,
    position,
    status,
)
from mcts_agents.envs.marbles import paint_marble
from mcts_agents.envs.painting import (
    BACKGROUND,
    FAINT,
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
    ring,
    rounded_rectangle,
    text,
)
from mcts_agents.envs.regions import Circle, Region, legal_actions
from mcts_agents.model import RESULT_NAMES, WON, ForwardModel

HEIGHT = 760
MARGIN = 34
FOOTER = 56
SIDE = 274
CARD, CARD_GAP = 74, 12
WOOD: Color = (231, 206, 164)
EDGE: Color = (173, 137, 88)
ROW_HEIGHT = math.sqrt(3) / 2
# What belongs to a field, a little less than half of the way to the next one.
REACH = 0.48


def size(model: ForwardModel) -> tuple[int, int]:
    """Return width and height of the picture in pixels."""
    board = star(model.variant["fields"])
    return round(2 * _middle(board)[0]) + SIDE, HEIGHT


def paint(
    surface: Any, model: ForwardModel, state: np.ndarray, observer: int | None
) -> None:
    """Draw the board with the last move's path, and what each player has done."""
    shown = position(model, state)
    surface.fill(BACKGROUND)
    _paint_star(surface, shown.board, SEATS[model.players])
    radius = 0.4 * _spacing(shown.board)
    for field in range(shown.board.fields):
        _paint_hole(surface, shown, field, radius)
    for field, player in shown.owner.items():
        paint_marble(surface, _place(shown.board, field), radius, PLAYER_COLORS[player])
    _paint_path(surface, shown, radius)
    for player in range(model.players):
        _paint_player(surface, shown, player, observer)
    x, _ = _middle(shown.board)
    text(surface, status(shown), (x, HEIGHT - FOOTER / 2), 32, INK)


def regions(
    model: ForwardModel, state: np.ndarray, observer: int | None, player: int
) -> list[Region]:
    """Return the moves of a player: first the piece's field, then where it goes."""
    board = star(model.variant["fields"])
    reach = REACH * _spacing(board)
    circles = [Circle(*_place(board, field), reach) for field in range(board.fields)]
    found = []
    for action in legal_actions(model, state, player):
        origin, target = divmod(action, board.fields)
        label = format_action(model, action)
        found.append(Region(action, circles[origin], label, until=circles[target]))
    return found


# -- where things lie


def _spacing(board: Star) -> float:
    """Return the distance between neighbouring fields in pixels."""
    return (HEIGHT - FOOTER - 2 * MARGIN) / (4 * board.arm * ROW_HEIGHT + 1.6)


def _middle(board: Star) -> Point:
    """Return the middle of the star."""
    across = (3 * board.arm + 1.8) * _spacing(board)
    return MARGIN + across / 2, (HEIGHT - FOOTER) / 2 + MARGIN / 4


def _point(board: Star, x: float, y: float) -> Point:
    """Return the place of the cube coordinates (x, y)."""
    left, top = _middle(board)
    spacing = _spacing(board)
    return left + (y + x / 2) * spacing, top - x * ROW_HEIGHT * spacing


def _place(board: Star, field: int) -> Point:
    return _point(board, *board.coordinates[field])


def _corner(board: Star, corner: int) -> list[Point]:
    """Return the outline of a corner's triangle, from its tip on, clockwise.

    It ends half-way between the corner's last row and the hexagon.
    """
    tip, deep = board.tips[corner], board.arm - 0.5
    before, after = board.tips[(corner - 2) % 6], board.tips[(corner + 2) % 6]
    share = deep / (3 * board.arm)
    ends = [
        tuple(t + (o - t) * share for t, o in zip(tip, other, strict=True))
        for other in (after, before)
    ]
    center = [sum(values) / 3 for values in zip(tip, *ends, strict=True)]
    wider = 1 + 0.95 / deep
    return [
        _point(board, *(c + (v - c) * wider for c, v in zip(center, end, strict=True)))
        for end in (tip, *ends)
    ]


# -- the board


def _paint_star(surface: Any, board: Star, seats: tuple[int, ...]) -> None:
    """Draw the wooden star; corners have the colour of the player who wants them."""
    for color, grown in ((EDGE, 1.62), (WOOD, 1.48)):
        for first in (0, 1):
            corners = [board.tips[corner] for corner in range(first, 6, 2)]
            wider = 1 + grown / (2 * board.arm)
            outline = [_point(board, x * wider, y * wider) for x, y in corners]
            polygon(surface, outline, color)
    for player, corner in enumerate(seats):
        tint = mixed(WOOD, PLAYER_COLORS[player], 0.42)
        polygon(surface, _corner(board, (corner + 3) % 6), tint)


def _paint_hole(surface: Any, shown: Position, field: int, radius: float) -> None:
    """Draw a hole, shaded as if the light came from the upper left."""
    x, y = _place(shown.board, field)
    ground = WOOD
    if field in shown.goal_of:
        ground = mixed(WOOD, PLAYER_COLORS[shown.goal_of[field]], 0.5)
    deep = radius * 0.62
    circle(surface, (x + 1, y + 1), deep + 1, lighter(ground, 0.55))
    circle(surface, (x, y), deep, darker(ground, 0.38))
    circle(surface, (x + 1, y + 1.5), deep * 0.8, darker(ground, 0.24))


# -- the last move


def _paint_path(surface: Any, shown: Position, radius: float) -> None:
    """Draw the last move: a straight step, or an arc for each hop, and an arrow."""
    if not shown.path:
        return
    color = darker(PLAYER_COLORS[shown.last_player], 0.35)
    places = [_place(shown.board, field) for field in shown.path]
    hops = shown.path[1] not in shown.board.neighbours(shown.path[0])
    bend = 0.32 if hops else 0.0
    ring(surface, places[0], radius * 0.9, color, 2.5)
    trace = [places[0]]
    for start, end in itertools.pairwise(places):
        trace += _arc(start, end, bend)
    # The arrow's point touches the marble's middle, its line stops behind the head.
    head = trace[-1]
    far = [point for point in trace if math.dist(point, head) > radius * 0.6]
    body = [point for point in trace if math.dist(point, head) > radius * 0.5]
    for width, stroke in ((7.5, PANEL), (3.5, color)):
        for start, end in itertools.pairwise(body):
            line(surface, start, end, stroke, width)
        for place in places[1:-1]:
            circle(surface, place, width, stroke)
    _paint_head(surface, far[-1], head, radius * 0.7, color)
    ring(surface, places[-1], radius * 1.12, HIGHLIGHT, 3.5)


def _arc(start: Point, end: Point, bend: float) -> list[Point]:
    """Return points of a curve that rises by a share of its length."""
    (x0, y0), (x1, y1) = start, end
    # To the left of the way or to the right, whichever is higher on the picture.
    sign = 1 if x1 > x0 else -1
    x = (x0 + x1) / 2 + sign * bend * (y1 - y0)
    y = (y0 + y1) / 2 - sign * bend * (x1 - x0)
    shares = [step / 12 for step in range(1, 13)]
    return [
        (
            (1 - t) ** 2 * x0 + 2 * t * (1 - t) * x + t**2 * x1,
            (1 - t) ** 2 * y0 + 2 * t * (1 - t) * y + t**2 * y1,
        )
        for t in shares
    ]


def _paint_head(
    surface: Any, tail: Point, head: Point, length: float, color: Color
) -> None:
    angle = math.atan2(head[1] - tail[1], head[0] - tail[0])
    wings = [
        (head[0] - length * math.cos(angle + s), head[1] - length * math.sin(angle + s))
        for s in (-0.5, 0.5)
    ]
    polygon(surface, [head, *wings], color, PANEL, 2)


# -- the players


def _paint_player(
    surface: Any, shown: Position, player: int, observer: int | None
) -> None:
    """Draw a card with the player's marble, pieces at home and way to go."""
    left = 2 * _middle(shown.board)[0]
    above = player - len(shown.home) / 2  # cards between this one and the middle
    top = (HEIGHT - FOOTER) / 2 + above * (CARD + CARD_GAP)
    color = PLAYER_COLORS[player]
    stands_out = shown.turn == player or shown.results[player] == WON
    outline = (color, 3) if stands_out else (FAINT, 1.5)
    rounded_rectangle(surface, (left, top, SIDE - MARGIN, CARD), 12, PANEL, *outline)
    paint_marble(surface, (left + 36, top + CARD / 2), 20, color)
    text(surface, name(player, observer), (left + 70, top + 22), 25, INK, "midleft")
    facts = (
        f"{shown.home[player]} of {shown.board.pieces} home, "
        f"{shown.steps_left[player]} to go"
    )
    if shown.turn < 0:
        facts = f"{RESULT_NAMES[shown.results[player]]}, {facts.partition(',')[0]}"
    text(surface, facts, (left + 70, top + 43), 20, MUTED, "midleft")
    if shown.last_player == player:
        moved = last_move(shown)
        if len(shown.path) > 3:
            moved = f"{moved.split(' > ')[0]} > ... > {moved.split(' > ')[-1]}"
        text(surface, moved, (left + 70, top + 60), 18, MUTED, "midleft")
