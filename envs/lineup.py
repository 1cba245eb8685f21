"""Pictures of units in columns, with a row for each player, in one or more bands.

Units have a number from 0 to 3 in sight, such as their health: so many marks of three
are filled.
"""

import math
from dataclasses import dataclass
from typing import Any

from mcts_agents.envs.painting import (
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
    line,
    mixed,
    polygon,
    ring,
    rounded_rectangle,
    text,
)

MARKS = "ABC"
NAMES = ("Red", "Blue", "Green")
MOST_COLUMNS = 11
CELL, CELL_HEIGHT = 66, 88
MARGIN, TOP, BAND_GAP, FOOTER = 46, 24, 34, 126
RADIUS, LIFT = 23, 9  # of a unit, and how much it lies above the middle of its cell
CHIP, CHIP_HEIGHT, CHIP_GAP = 206, 46, 14
GREATEST = 3


@dataclass(frozen=True)
class Lineup:
    """The positions of units on a picture.

    Attributes:
        players: Number of players: rows of a band.
        units: Units of each player.
    """

    players: int
    units: int

    @property
    def bands(self) -> int:
        """Number of bands, one below another."""
        return math.ceil(self.units / MOST_COLUMNS)

    @property
    def columns(self) -> int:
        """Number of units per player in a band; the last band may have fewer."""
        return math.ceil(self.units / self.bands)

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the picture in pixels."""
        chips = self.players * (CHIP + CHIP_GAP) - CHIP_GAP
        width = max(self.columns * CELL, chips) + 2 * MARGIN
        bands = self.bands * (self.players * CELL_HEIGHT + BAND_GAP)
        return width, TOP + bands + FOOTER

    def box(self, player: int, unit: int) -> tuple[float, float, float, float]:
        """Return left, top, width and height of a unit's cell."""
        band, column = divmod(unit, self.columns)
        left = (self.size[0] - self.columns * CELL) / 2 + column * CELL
        top = TOP + BAND_GAP * (band + 1)
        top += (band * self.players + player) * CELL_HEIGHT
        return left, top, CELL, CELL_HEIGHT

    def center(self, player: int, unit: int) -> Point:
        """Return the middle of a unit's disc."""
        left, top, width, height = self.box(player, unit)
        return left + width / 2, top + height / 2 - LIFT

    def chip(self, player: int) -> tuple[float, float, float, float]:
        """Return left, top, width and height of a player's chip."""
        width, height = self.size
        left = (width - self.players * (CHIP + CHIP_GAP) + CHIP_GAP) / 2
        left += player * (CHIP + CHIP_GAP)
        return left, height - FOOTER + 14, CHIP, CHIP_HEIGHT


def paint_cells(surface: Any, lineup: Lineup) -> None:
    """Draw the empty cells, the numbers of units and the players' letters."""
    for unit in range(lineup.units):
        left, top, width, _ = lineup.box(0, unit)
        text(surface, str(unit + 1), (left + width / 2, top - 13), 22, MUTED)
        for player in range(lineup.players):
            left, top, width, height = lineup.box(player, unit)
            area = (left + 2, top + 2, width - 4, height - 4)
            color = mixed(PANEL, PLAYER_COLORS[player], 0.06)
            rounded_rectangle(surface, area, 10, color, FAINT, 2)
            if unit % lineup.columns == 0:
                middle = top + height / 2
                text(surface, MARKS[player], (left - 20, middle), 26, MUTED)


def paint_move(
    surface: Any, lineup: Lineup, actor: tuple[int, int], target: tuple[int, int]
) -> None:
    """Mark the cell of the last target, and draw an arrow to it from the actor.

    Both are (player, unit).
    """
    left, top, width, height = lineup.box(*target)
    area = (left + 2, top + 2, width - 4, height - 4)
    color = mixed(PANEL, PLAYER_COLORS[actor[0]], 0.3)
    rounded_rectangle(surface, area, 10, color, HIGHLIGHT, 3)
    start, end = lineup.center(*actor), lineup.center(*target)
    length = math.dist(start, end)
    if length == 0:  # to itself
        return
    across, down = (end[0] - start[0]) / length, (end[1] - start[1]) / length
    tip = end[0] - across * (RADIUS + 3), end[1] - down * (RADIUS + 3)
    back = tip[0] - across * 13, tip[1] - down * 13
    line(surface, start, back, HIGHLIGHT, 5)
    sides = [(back[0] - s * down * 8, back[1] + s * across * 8) for s in (1, -1)]
    polygon(surface, [tip, *sides], HIGHLIGHT)


def paint_unit(
    surface: Any,
    center: Point,
    color: Color,
    label: str,
    number: int,
    filling: Color,
    radius: float = RADIUS,
) -> None:
    """Draw a unit and, below it, three marks of which `number` are filled."""
    circle(surface, center, radius, color, darker(color, 0.4), 2)
    text(surface, label, (center[0], center[1] + 1), round(radius * 1.15), PANEL)
    for index in range(GREATEST):
        middle = center[0] + (index - 1) * radius * 0.68, center[1] + radius * 1.42
        full = index < number
        inside = filling if full else mixed(PANEL, INK, 0.06)
        edge = darker(filling, 0.35) if full else mixed(PANEL, INK, 0.3)
        circle(surface, middle, radius * 0.27, inside, edge, 1.5)


def paint_next(surface: Any, center: Point, radius: float = RADIUS) -> None:
    """Ring the unit that acts next."""
    ring(surface, center, radius + 5, INK, 3.5)


def paint_chip(
    surface: Any,
    area: tuple[float, float, float, float],
    player: int,
    words: str,
    framed: bool,
) -> None:
    """Draw a player's chip with some words; framed if the player is to move."""
    color = PLAYER_COLORS[player]
    outline = INK if framed else mixed(PANEL, color, 0.5)
    rounded_rectangle(surface, area, 8, mixed(PANEL, color, 0.25), outline, 3)
    left, top, width, height = area
    middle = left + width / 2, top + height / 2 + 1
    text(surface, words, middle, 22, darker(color, 0.35))


def paint_status(surface: Any, size: tuple[int, int], words: str) -> None:
    """Write the last event and the player to move at the bottom."""
    text(surface, words, (size[0] / 2, size[1] - 32), 26, INK)
