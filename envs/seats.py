"""Rows of players in pictures of card games: name, turn and action."""

from typing import Any, Protocol

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
    line,
    mixed,
    rounded_rectangle,
    text,
)
from mcts_agents.envs.regions import Rectangle

# Of up to 14 players.
SEAT_COLORS: tuple[Color, ...] = (
    *PLAYER_COLORS,
    (170, 120, 80),
    (226, 110, 160),
    (110, 120, 130),
    (130, 170, 50),
    (96, 70, 140),
    (60, 140, 150),
    (180, 60, 100),
    (90, 110, 60),
)


def seat_color(player: int) -> Color:
    """Return the colour of a player; beyond 14, colours repeat."""
    return SEAT_COLORS[player % len(SEAT_COLORS)]


class Seat(Protocol):
    """What all seats at a table have in common; each game adds its own parts.

    Attributes:
        player: Index of the player.
        status: What the player is doing, or how the game ended.
        is_deciding: Whether the player decides now.
        is_viewer: Whether it is the place of the player who looks.
    """

    player: int
    status: str
    is_deciding: bool
    is_viewer: bool


def paint_row(
    surface: Any,
    seat: Seat,
    box: Rectangle,
    divider: float | None = None,
    ground: Color | None = None,
) -> Color:
    """Draw the empty row of a player, framed in the player's colour on its turn.

    Args:
        surface: A `pygame.Surface`.
        seat: Whose row it is.
        box: Where it lies.
        divider: Where a line from top to bottom divides it, in pixels; None: no line.
        ground: Its colour; None for the usual ones.

    Returns:
        Its colour.
    """
    color = seat_color(seat.player)
    if ground is None:
        ground = mixed(PANEL, HIGHLIGHT, 0.1) if seat.is_viewer else PANEL
    outline = color if seat.is_deciding else FAINT
    area = (box.left, box.top, box.width, box.height)
    rounded_rectangle(surface, area, 10, ground, outline, 2 if seat.is_deciding else 1)
    rounded_rectangle(surface, (box.left, box.top, 8, box.height), 4, color)
    if divider is not None:
        top, bottom = box.top + 12, box.top + box.height - 12
        line(surface, (divider, top), (divider, bottom), FAINT, 2)
    return ground


def paint_name(
    surface: Any,
    seat: Seat,
    place: Point,
    height: int = 22,
    anchor: str = "topleft",
    ink: Color = INK,
) -> None:
    """Write the name of a player."""
    name = f"player_{seat.player}" + (" (you)" if seat.is_viewer else "")
    text(surface, name, place, height, ink, anchor)


def paint_status(surface: Any, seat: Seat, place: Point, height: int = 19) -> None:
    """Write a player's status, with a dot on the player's turn or for a winner.

    Args:
        surface: A `pygame.Surface`.
        seat: The player's place.
        place: The upper left corner.
        height: Height of the letters in pixels.
    """
    left, top = place
    color = seat_color(seat.player) if seat.is_deciding else MUTED
    if seat.is_deciding or seat.status == "won":
        dot = color if seat.is_deciding else HIGHLIGHT
        circle(surface, (left + 6, top + 7), 5, dot)
        left += 18
    text(surface, seat.status, (left, top), height, color, "topleft")


def paint_count(surface: Any, number: int, center: Point, radius: int = 10) -> None:
    """Write the number of equal cards on their pile."""
    circle(surface, center, radius, INK)
    text(surface, str(number), center, round(1.75 * radius), PANEL)
