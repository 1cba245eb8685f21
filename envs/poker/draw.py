"""The table of Poker as a picture: the board and the pot, then a row per player."""

import functools
from typing import Any

import numpy as np

from mcts_agents.envs.painting import (
    BACKGROUND,
    FAINT,
    INK,
    MUTED,
    PANEL,
    Color,
    Point,
    circle,
    darker,
    load_pygame,
    mixed,
    polygon,
    rounded_rectangle,
    text,
)
from mcts_agents.envs.poker.cards import BOARD, SUITS
from mcts_agents.envs.poker.hands import ACTIONS, CHECK, FOLD
from mcts_agents.envs.poker.notation import ACTION_NAMES, RANK_LETTERS
from mcts_agents.envs.poker.table import (
    Seat,
    board,
    headline,
    made,
    pot,
    seats,
)
from mcts_agents.envs.regions import (
    Rectangle,
    Region,
    check_observer,
    legal_actions,
)
from mcts_agents.envs.seats import paint_name, paint_row, paint_status
from mcts_agents.model import ForwardModel

TOTAL_WIDTH = 880
HEADER, MARGIN = 54, 14
CARD_WIDTH, CARD_HEIGHT, CARD_STEP = 50, 70, 57
FELT_HEIGHT = 108
BUTTONS_HEIGHT = 56
ROW, ROW_GAP = 86, 7
ROWS_TOP = HEADER + FELT_HEIGHT + BUTTONS_HEIGHT
CARDS_LEFT = 196
CHIPS_LEFT = 340
BET_LEFT = 590
FELT: Color = (38, 110, 82)
CREAM: Color = (250, 247, 236)
RED: Color = (196, 44, 44)
BLACK: Color = (36, 38, 44)
BACK: Color = (44, 74, 130)
GOLD: Color = (222, 172, 52)
BUTTON_GAP = 6
BUTTON_WIDTH = (TOTAL_WIDTH - 2 * MARGIN - (ACTIONS - 1) * BUTTON_GAP) / ACTIONS


def size(model: ForwardModel) -> tuple[int, int]:
    """Return width and height of a picture in pixels."""
    return TOTAL_WIDTH, ROWS_TOP + model.players * (ROW + ROW_GAP) + MARGIN - ROW_GAP


def paint(
    surface: Any, model: ForwardModel, state: np.ndarray, observer: int | None
) -> None:
    """Draw the table.

    Args:
        surface: A `pygame.Surface` of `size(model)`.
        model: The forward model.
        state: The state.
        observer: Whose view it is: other hands lie face down; None shows all hands.
    """
    surface.fill(BACKGROUND)
    text(surface, "Poker", (MARGIN + 4, HEADER / 2), 38, INK, "midleft")
    place = (CARDS_LEFT, HEADER / 2)
    text(surface, headline(model, state), place, 24, MUTED, "midleft")
    cards = board(model, state)
    _paint_felt(surface, cards, pot(model, state))
    places = seats(model, state, observer)
    legal = [
        int(action)
        for seat in places
        if seat.is_deciding
        for action in legal_actions(model, state, seat.player)
    ]
    for action in range(ACTIONS):
        _paint_button(surface, action, action in legal)
    for seat in places:
        _paint_seat(surface, seat, made(seat.hand, cards), _row_top(seat.player))


def regions(
    model: ForwardModel, state: np.ndarray, observer: int | None, player: int
) -> list[Region]:
    """Return the buttons under the board, one for each legal action.

    Raises:
        ValueError: `observer` is another player.
    """
    check_observer(observer, player)
    return [
        Region(action, _button(action), ACTION_NAMES[action])
        for action in map(int, legal_actions(model, state, player))
    ]


def _row_top(player: int) -> int:
    return ROWS_TOP + player * (ROW + ROW_GAP)


def _button(action: int) -> Rectangle:
    left = round(MARGIN + action * (BUTTON_WIDTH + BUTTON_GAP))
    top = HEADER + FELT_HEIGHT + 10
    return Rectangle(left, top, round(BUTTON_WIDTH), BUTTONS_HEIGHT - 20)


def _paint_button(surface: Any, action: int, is_legal: bool) -> None:
    """Draw the button of an action, pale if it cannot be chosen."""
    box = _button(action)
    color = GOLD
    if action == FOLD:
        color = RED
    elif action == CHECK or ACTION_NAMES[action] == "call":
        color = (72, 150, 90)
    ground = mixed(PANEL, color, 0.3) if is_legal else BACKGROUND
    area = (box.left, box.top, box.width, box.height)
    edge = color if is_legal else FAINT
    rounded_rectangle(surface, area, 9, ground, edge, 2 if is_legal else 1)
    center = (box.left + box.width / 2, box.top + box.height / 2)
    color = INK if is_legal else mixed(FAINT, MUTED, 0.3)
    text(surface, ACTION_NAMES[action], center, 22, color)


def _paint_felt(surface: Any, cards: list[int], chips: int) -> None:
    """Draw the board with places for five cards, and the pot."""
    area = (MARGIN, HEADER, TOTAL_WIDTH - 2 * MARGIN, FELT_HEIGHT)
    rounded_rectangle(surface, area, 44, FELT, darker(FELT, 0.35), 5)
    top = HEADER + (FELT_HEIGHT - CARD_HEIGHT) // 2
    for place in range(BOARD):
        left = CARDS_LEFT + place * CARD_STEP
        if place < len(cards):
            surface.blit(card_picture(cards[place]), (left, top))
        else:
            empty = (left, top, CARD_WIDTH, CARD_HEIGHT)
            edge = mixed(FELT, CREAM, 0.3)
            rounded_rectangle(surface, empty, 6, darker(FELT, 0.1), edge, 1)
    middle = HEADER + FELT_HEIGHT / 2
    text(surface, "board", (MARGIN + 40, middle), 24, CREAM, "midleft")
    text(surface, f"pot {chips}", (BET_LEFT, middle), 34, CREAM, "midleft")
    _paint_chips(surface, chips, (BET_LEFT + 122, middle + 16))


def _paint_chips(surface: Any, chips: int, place: Point) -> None:
    """Draw piles of chips worth 25, 5 and 1, no more of each than there is room for."""
    x, y = place
    for worth, color in ((25, (62, 128, 84)), (5, RED), (1, CREAM)):
        number, chips = divmod(chips, worth)
        while number > 0:
            for layer in range(min(number, 6)):
                center = (x, y - 5 * layer)
                circle(surface, center, 9, color, darker(color, 0.45), 1.5)
                circle(surface, center, 4, mixed(color, CREAM, 0.45))
            number -= 6
            x += 21


def _paint_seat(surface: Any, seat: Seat, kind: str | None, top: int) -> None:
    row = Rectangle(MARGIN, top, TOTAL_WIDTH - 2 * MARGIN, ROW)
    paint_row(surface, seat, row, divider=BET_LEFT - 18)
    left, ink = MARGIN + 20, INK if seat.is_in else MUTED
    paint_name(surface, seat, (left, top + 10), ink=ink)
    paint_status(surface, seat, (left, top + 33), 20)
    if seat.last is not None:
        text(surface, f"last: {seat.last}", (left, top + 58), 18, MUTED, "topleft")
    for place, card in enumerate(seat.hand):
        picture = back_picture() if card is None else card_picture(card)
        picture.set_alpha(255 if seat.is_in else 95)
        surface.blit(picture, (CARDS_LEFT + place * CARD_STEP, top + 8))
        picture.set_alpha(255)
    written = text(surface, str(seat.stack), (CHIPS_LEFT, top + 8), 36, ink, "topleft")
    text(surface, "chips", (written.right + 6, top + 18), 18, MUTED, "topleft")
    if kind is not None:
        text(surface, kind, (CHIPS_LEFT, top + 40), 19, ink, "topleft")
    if seat.won:
        words = f"won {seat.won} in the hand before"
        if seat.status in ("won", "lost"):
            words = f"won {seat.won} in the last hand"
        text(surface, words, (CHIPS_LEFT, top + 62), 17, MUTED, "topleft")
    text(surface, f"bet {seat.bet}", (BET_LEFT, top + 12), 24, ink, "topleft")
    if seat.is_small_blind:
        text(surface, "small blind", (BET_LEFT, top + 52), 18, MUTED, "topleft")
    _paint_chips(surface, seat.bet, (BET_LEFT + 122, top + 52))


@functools.lru_cache(maxsize=64)
def _face(card: int, pygame: Any) -> Any:
    surface = _blank(pygame, CREAM)
    rank, suit = divmod(card, SUITS)
    color = RED if suit in (1, 2) else BLACK
    letter = RANK_LETTERS[rank].replace("T", "10")
    text(surface, letter, (14, 16), 27, color)
    _paint_suit(surface, suit, (14, 35), 0.5, color)
    _paint_suit(surface, suit, (33, 46), 1.15, color)
    return surface


@functools.lru_cache(maxsize=1)
def _back(pygame: Any) -> Any:
    surface = _blank(pygame, CREAM)
    inner = (4, 4, CARD_WIDTH - 8, CARD_HEIGHT - 8)
    rounded_rectangle(surface, inner, 4, BACK)
    for row in range(6):
        for column in range(4):
            x, y = 10 + 10 * column, 10 + 10 * row
            corners = [(x, y - 4), (x + 4, y), (x, y + 4), (x - 4, y)]
            polygon(surface, corners, mixed(BACK, CREAM, 0.3))
    return surface


def card_picture(card: int) -> Any:
    """Return the face of a card, a `pygame.Surface`."""
    return _face(int(card), load_pygame())


def back_picture() -> Any:
    """Return the back of a card, a `pygame.Surface`."""
    return _back(load_pygame())


def _blank(pygame: Any, color: Color) -> Any:
    surface = pygame.Surface((CARD_WIDTH, CARD_HEIGHT), pygame.SRCALPHA, 32)
    surface.fill((*color, 0))
    area = (0, 0, CARD_WIDTH, CARD_HEIGHT)
    rounded_rectangle(surface, area, 6, color, darker(color, 0.35), 1.2)
    return surface


def _paint_suit(
    surface: Any, suit: int, center: Point, scale: float, color: Color
) -> None:
    """Draw a club, diamond, heart or spade."""
    x, y = center

    def at(right: float, down: float) -> Point:
        return x + right * scale, y + down * scale

    if suit == 1:
        polygon(surface, [at(0, -13), at(9, 0), at(0, 13), at(-9, 0)], color)
        return
    if suit == 0:
        for place in ((0, -6), (-6, 3), (6, 3)):
            circle(surface, at(*place), 5.6 * scale, color)
    else:
        down = 1 if suit == 2 else -1
        for side in (-5, 5):
            circle(surface, at(side, -4 * down), 6 * scale, color)
        tip = [at(-10.5, -1.5 * down), at(10.5, -1.5 * down), at(0, 12 * down)]
        polygon(surface, tip, color)
    if suit != 2:
        polygon(surface, [at(0, -2), at(5, 12), at(-5, 12)], color)
