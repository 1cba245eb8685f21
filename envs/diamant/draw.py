"""The table of Diamant as a picture: the path above, a row for each player below."""

from typing import Any

import numpy as np

from mcts_agents.envs.diamant.artwork import (
    EMERALD,
    HEIGHT,
    RUBY,
    TREASURE,
    WIDTH,
    back_picture,
    card_picture,
    diamond,
)
from mcts_agents.envs.diamant.cards import FIRST_HAZARD
from mcts_agents.envs.diamant.notation import CONTINUE, format_action
from mcts_agents.envs.diamant.table import Seat, Table, table
from mcts_agents.envs.painting import (
    BACKGROUND,
    FAINT,
    HIGHLIGHT,
    INK,
    MUTED,
    PLAYER_COLORS,
    circle,
    load_pygame,
    rounded_rectangle,
    text,
)
from mcts_agents.envs.regions import Rectangle, Region, legal_actions
from mcts_agents.envs.seats import paint_name, paint_row
from mcts_agents.model import ForwardModel

MARGIN = 14
HEADER = 58
GAP = 8
IN_A_ROW = 10  # cards; the longest path has twenty
DECK_WIDTH = 150
PATH_LEFT = MARGIN + DECK_WIDTH
TOTAL_WIDTH = PATH_LEFT + IN_A_ROW * (WIDTH + GAP) + MARGIN + 6
CAVE_HEIGHT = 2 * HEIGHT + 3 * GAP + 10
REMOVED_TOP = HEADER + CAVE_HEIGHT + 10
REMOVED_HEIGHT = 62
SEATS_TOP = REMOVED_TOP + REMOVED_HEIGHT + 10
ROW, ROW_GAP = 54, 8
CAVE: tuple[int, int, int] = (226, 217, 201)
# Where the columns of a player's row begin.
NAME_LEFT, STATUS_LEFT, CHEST_LEFT, HAND_LEFT = MARGIN + 22, 190, 400, 620
DECK_LEFT, CARDS_TOP = MARGIN + 14, HEADER + GAP + 4
GEM = 13  # radius of the gem before a number


def size(model: ForwardModel) -> tuple[int, int]:
    """Return width and height of a picture in pixels."""
    return TOTAL_WIDTH, SEATS_TOP + model.players * (ROW + ROW_GAP) - ROW_GAP + MARGIN


def paint(
    surface: Any, model: ForwardModel, state: np.ndarray, observer: int | None
) -> None:
    """Draw the table.

    Args:
        surface: A `pygame.Surface` of `size(model)`.
        model: The forward model.
        state: The state.
        observer: Whose view it is; all see the same, and their own row marked.
    """
    shown = table(model, state, observer)
    surface.fill(BACKGROUND)
    middle = HEADER / 2
    text(surface, "Diamant", (MARGIN + 4, middle), 34, INK, "midleft")
    text(surface, shown.headline, (PATH_LEFT, middle), 24, MUTED, "midleft")
    right = (TOTAL_WIDTH - MARGIN - 4, middle)
    text(surface, shown.news, right, 20, MUTED, "midright")
    _paint_cave(surface, shown)
    _paint_removed(surface, shown)
    for seat in shown.seats:
        _paint_seat(surface, seat, _row_top(seat.player))


def regions(
    model: ForwardModel, state: np.ndarray, observer: int | None, player: int
) -> list[Region]:
    """Return a player's choices: the deck to go on, the own chest to leave."""
    deck = Rectangle(DECK_LEFT, CARDS_TOP, WIDTH, HEIGHT)
    width = HAND_LEFT - CHEST_LEFT - GEM
    chest = Rectangle(CHEST_LEFT - GEM, _row_top(player), width, ROW)
    return [
        Region(a, deck if a == CONTINUE else chest, format_action(model, a))
        for a in legal_actions(model, state, player)
    ]


def _row_top(player: int) -> int:
    return SEATS_TOP + player * (ROW + ROW_GAP)


def _paint_cave(surface: Any, shown: Table) -> None:
    """Draw deck and path; a frame marks the newest card."""
    area = (MARGIN, HEADER, TOTAL_WIDTH - 2 * MARGIN, CAVE_HEIGHT)
    rounded_rectangle(surface, area, 10, CAVE, FAINT, 1)
    left, top = DECK_LEFT, CARDS_TOP
    surface.blit(back_picture(), (left, top))
    cards = "1 card" if shown.deck == 1 else f"{shown.deck} cards"
    lines = [(cards, INK), (f"{shown.dangerous} end the cave", MUTED)]
    for row, (string, color) in enumerate(lines):
        text(
            surface, string, (left, top + HEIGHT + 10 + 18 * row), 19, color, "topleft"
        )
    gem = (left + 10, top + HEIGHT + 66)
    diamond(surface, gem, 11, EMERALD)
    on_path = f"{shown.on_path} on the path"
    text(surface, on_path, (left + 28, gem[1]), 19, INK, "midleft")
    for place, face in enumerate(shown.path):
        row, column = divmod(place, IN_A_ROW)
        x = PATH_LEFT + column * (WIDTH + GAP)
        y = top + row * (HEIGHT + GAP)
        if place == len(shown.path) - 1:
            frame = (x - 4, y - 4, WIDTH + 8, HEIGHT + 8)
            rounded_rectangle(surface, frame, 11, HIGHLIGHT)
        surface.blit(card_picture(face), (x, y))


def _paint_removed(surface: Any, shown: Table) -> None:
    """Draw the hazards that have left the game, as small cards."""
    middle = REMOVED_TOP + REMOVED_HEIGHT / 2
    text(surface, "removed", (MARGIN + 14, middle), 20, MUTED, "midleft")
    small = (round(WIDTH * 0.6), round(HEIGHT * 0.6))
    for place, hazard in enumerate(shown.removed):
        x = PATH_LEFT + place * (small[0] + GAP)
        surface.blit(_shrunk(FIRST_HAZARD + hazard, small), (x, REMOVED_TOP + 2))


def _shrunk(face: int, wanted: tuple[int, int]) -> Any:
    return load_pygame().transform.smoothscale(card_picture(face), wanted)


def _paint_seat(surface: Any, seat: Seat, top: int) -> None:
    row = Rectangle(MARGIN, top, TOTAL_WIDTH - 2 * MARGIN, ROW)
    paint_row(surface, seat, row)
    color = PLAYER_COLORS[seat.player]
    middle = top + ROW / 2
    paint_name(surface, seat, (NAME_LEFT, middle), anchor="midleft")
    if seat.is_deciding or seat.status == "won":
        dot = color if seat.is_deciding else HIGHLIGHT
        circle(surface, (STATUS_LEFT + 6, middle), 5, dot)
    status_color = color if seat.is_deciding else MUTED
    text(surface, seat.status, (STATUS_LEFT + 20, middle), 20, status_color, "midleft")
    _paint_gems(surface, seat.chest, "in the chest", (CHEST_LEFT, middle), TREASURE)
    if seat.is_deciding:
        _paint_gems(surface, seat.carried, "carried", (HAND_LEFT, middle), RUBY)


def _paint_gems(
    surface: Any, number: int, words: str, place: tuple[float, float], color: Any
) -> None:
    """Write a number of gems beside a gem."""
    left, middle = place
    diamond(surface, (left, middle), GEM, color)
    written = text(surface, str(number), (left + 22, middle), 34, INK, "midleft")
    text(surface, words, (written.right + 8, middle + 2), 18, MUTED, "midleft")
