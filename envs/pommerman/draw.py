"""Pictures of Pommerman, drawn from simple shapes."""

from typing import Any

import numpy as np

from mcts_agents.envs.painting import (
    BACKGROUND,
    FAINT,
    HIGHLIGHT,
    INK,
    MUTED,
    PANEL,
    PLAYER_COLORS,
    Color,
    circle,
    darker,
    lighter,
    line,
    polygon,
    rounded_rectangle,
    text,
)
from mcts_agents.envs.pommerman.official import (
    BOMB_CODE,
    FIRST_AGENT_CODE,
    FIRST_ITEM_CODE,
    FLAMES_CODE,
    RIGID_CODE,
    WOOD_CODE,
)
from mcts_agents.envs.pommerman.table import Seen, headline, seen
from mcts_agents.model import RESULT_NAMES, ForwardModel

CELL = 48
MARGIN = 20
HEADER = 44
ROW = 58  # of the list of players
FLOOR: Color = (236, 240, 228)
STONE: Color = (110, 116, 124)
TIMBER: Color = (188, 132, 78)
FIRE: Color = (236, 106, 38)
POWDER: Color = (52, 54, 62)
FOG: Color = (198, 203, 210)
ITEM_COLORS: tuple[Color, ...] = ((86, 104, 190), (222, 150, 20), (40, 150, 120))
_AHEAD = ((0, 0), (0, -1), (0, 1), (-1, 0), (1, 0))


def size(model: ForwardModel) -> tuple[int, int]:
    """Return width and height of the picture in pixels."""
    board = int(model.game["size"][0]) * CELL
    rows = -(-model.players // 2)
    return board + 2 * MARGIN, HEADER + board + rows * ROW + MARGIN


def paint(
    surface: Any, model: ForwardModel, state: np.ndarray, observer: int | None
) -> None:
    """Draw the board with bombs and their remaining steps, and a line a player."""
    sight = seen(model, state, observer)
    board = len(sight.is_visible)
    surface.fill(BACKGROUND)
    text(surface, headline(model, state), (MARGIN, HEADER / 2), 26, INK, "midleft")
    for row in range(board):
        for column in range(board):
            corner = (MARGIN + column * CELL, HEADER + row * CELL)
            _paint_cell(surface, sight, row, column, corner)
    results = model.results(state)
    for player in range(model.players):
        left = MARGIN + player % 2 * (board * CELL + MARGIN) // 2
        top = HEADER + board * CELL + 8 + player // 2 * ROW
        known = observer in (None, player)
        _paint_player(surface, sight, player, results[player], (left, top), known)


def _paint_cell(
    surface: Any, sight: Seen, row: int, column: int, corner: tuple[int, int]
) -> None:
    left, top = corner
    center = (left + CELL / 2, top + CELL / 2)
    box = (left + 1, top + 1, CELL - 2, CELL - 2)
    if not sight.is_visible[row, column]:
        rounded_rectangle(surface, box, 3, FOG)
        return
    code = int(sight.position.board[row, column])
    if code == RIGID_CODE:
        rounded_rectangle(surface, box, 5, STONE, darker(STONE), 3)
        return
    if code == WOOD_CODE:
        _paint_wood(surface, box)
        return
    rounded_rectangle(surface, box, 3, FLOOR)
    if code == FLAMES_CODE:
        _paint_flame(surface, center, int(sight.flames[row, column]))
    elif FIRST_ITEM_CODE <= code < FIRST_AGENT_CODE:
        _paint_item(surface, center, code - FIRST_ITEM_CODE)
    bomb = sight.bombs.get((row, column))
    if code >= FIRST_AGENT_CODE:
        _paint_agent(surface, center, code - FIRST_AGENT_CODE, bomb)
    elif code == BOMB_CODE and bomb is not None:
        _paint_bomb(surface, center, *bomb)


def _paint_wood(surface: Any, box: tuple[float, float, float, float]) -> None:
    rounded_rectangle(surface, box, 4, TIMBER, darker(TIMBER), 2)
    left, top, width, height = box
    for part in (1, 2):
        y = top + part * height / 3
        line(surface, (left + 3, y), (left + width - 3, y), darker(TIMBER, 0.2), 2)


def _paint_flame(surface: Any, center: tuple[float, float], steps: int) -> None:
    """Draw a star that shrinks as the flame ends."""
    x, y = center
    reach = CELL * (0.24 + 0.08 * steps)
    for color, share in ((FIRE, 1.0), (HIGHLIGHT, 0.62), (PANEL, 0.28)):
        points = []
        for corner in range(16):
            radius = reach * share * (1.0 if corner % 2 == 0 else 0.62)
            angle = corner * np.pi / 8
            points.append((x + radius * np.cos(angle), y + radius * np.sin(angle)))
        polygon(surface, points, color)


def _paint_item(surface: Any, center: tuple[float, float], kind: int) -> None:
    x, y = center
    box = (x - 16, y - 16, 32, 32)
    color = ITEM_COLORS[kind]
    rounded_rectangle(surface, box, 8, lighter(color, 0.75), color, 3)
    if kind == 0:  # one more bomb
        circle(surface, (x - 2, y + 2), 9, POWDER)
        text(surface, "+", (x + 9, y - 8), 24, color)
    elif kind == 1:  # reach: a flame
        polygon(surface, [(x, y - 12), (x + 9, y + 9), (x - 9, y + 9)], FIRE)
    else:  # kick: a boot
        boot = [(-7, -11), (1, -11), (1, 2), (10, 5), (10, 10), (-7, 10)]
        polygon(surface, [(x + a, y + b) for a, b in boot], color)


def _paint_bomb(
    surface: Any, center: tuple[float, float], life: int, direction: int
) -> None:
    x, y = center
    right, down = _AHEAD[direction]
    if direction:  # where it rolls
        tip = (x + right * 22, y + down * 22)
        sides = [
            (x + down * a + right * 12, y + right * a + down * 12) for a in (7, -7)
        ]
        polygon(surface, [tip, *sides], FIRE)
    line(surface, (x + 9, y - 10), (x + 15, y - 17), darker(TIMBER), 4)
    circle(surface, center, 16, POWDER, lighter(POWDER, 0.25), 2)
    text(surface, str(life), center, 24, PANEL)


def _paint_agent(
    surface: Any,
    center: tuple[float, float],
    player: int,
    bomb: tuple[int, int] | None,
) -> None:
    x, y = center
    color = PLAYER_COLORS[player]
    body = (x - 13, y - 3, 26, 22)
    rounded_rectangle(surface, body, 9, color, darker(color), 2)
    circle(surface, (x, y - 8), 12, lighter(color, 0.72), darker(color), 2)
    for side in (-4, 4):
        circle(surface, (x + side, y - 9), 2, INK)
    text(surface, str(player), (x, y + 10), 20, PANEL)
    if bomb is not None:  # the one underfoot
        circle(surface, (x + 15, y + 14), 9, POWDER, PANEL, 1.5)
        text(surface, str(bomb[0]), (x + 15, y + 14), 16, PANEL)


def _paint_player(
    surface: Any,
    sight: Seen,
    player: int,
    result: int,
    corner: tuple[float, float],
    known: bool,
) -> None:
    """Write what a player has; of others only who looks at everything knows it."""
    left, top = corner
    here = sight.position
    alive = bool(here.agent_alive[player])
    color = PLAYER_COLORS[player] if alive else FAINT
    circle(surface, (left + 12, top + 22), 12, color)
    text(surface, str(player), (left + 12, top + 22), 18, PANEL if alive else MUTED)
    state = RESULT_NAMES[result] if alive or RESULT_NAMES[result] == "won" else "dead"
    text(surface, state, (left + 32, top + 13), 20, INK if alive else MUTED, "midleft")
    if alive and known:
        facts = f"bombs {here.agent_ammo[player]}  reach {here.agent_blast[player] - 1}"
        facts += "  kicks" if here.agent_kick[player] else ""
        text(surface, facts, (left + 32, top + 33), 20, MUTED, "midleft")
