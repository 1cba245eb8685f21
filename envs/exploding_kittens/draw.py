"""The table of Exploding Kittens as a picture: the pile, then a row per player.

The pile lies spread from its top, so that a player sees the cards that are known to be
there. What a decision asks for that is no card of the hand (to pass, an order, a place
for the kitten) is shown between pile and players.
"""

from typing import Any

import numpy as np

from mcts_agents.envs.exploding_kittens.artwork import (
    HEIGHT,
    SMALL_HEIGHT,
    SMALL_WIDTH,
    WIDTH,
    back_picture,
    card_picture,
    small_picture,
)
from mcts_agents.envs.exploding_kittens.cards import (
    CARD_OF,
    DRAW,
    GIVE,
    GIVE_NOTHING,
    KITTEN,
    MOST_SEEN,
    ORDER_OF,
    PASS,
    PLACE,
    PLAY_ATTACK,
    PLAY_FAVOR,
    PLAY_NOPE,
    PUT_BACK,
)
from mcts_agents.envs.exploding_kittens.notation import format_action
from mcts_agents.envs.exploding_kittens.table import (
    Middle,
    Seat,
    headline,
    middle,
    question,
    seats,
)
from mcts_agents.envs.exploding_kittens.turns import ASKED, GIVING, ORDERING, PLACING
from mcts_agents.envs.painting import (
    BACKGROUND,
    FAINT,
    INK,
    MUTED,
    PANEL,
    PLAYER_COLORS,
    darker,
    mixed,
    polygon,
    rounded_rectangle,
    text,
)
from mcts_agents.envs.regions import (
    Rectangle,
    Region,
    check_observer,
    legal_actions,
)
from mcts_agents.envs.seats import paint_count, paint_name, paint_row, paint_status
from mcts_agents.model import ForwardModel

TOTAL_WIDTH = 1020
HEADER = 58
MARGIN = 14
ROW = HEIGHT + 26
ROW_GAP = 9
CARDS_LEFT = MARGIN + 210
CARDS_WIDTH = TOTAL_WIDTH - MARGIN - 14 - CARDS_LEFT
PITCH = WIDTH + 8  # from one type of a hand to the next, if there is room

# The middle: the spread pile, the discards and what is decided, from top to bottom.
PILE_LEFT = MARGIN + 150
PILE_TOP = HEADER + 16
PILE_STEP = 21
DISCARDS_TOP = PILE_TOP + SMALL_HEIGHT + 24
DISCARDS_STEP = 50
CHOICE_TOP = DISCARDS_TOP + SMALL_HEIGHT + 16
CHOICE_HEIGHT = SMALL_HEIGHT + 14
MIDDLE = CHOICE_TOP + CHOICE_HEIGHT + 12 - HEADER
BUTTON = Rectangle(PILE_LEFT, CHOICE_TOP + 6, 150, CHOICE_HEIGHT - 12)
ORDER_WIDTH = MOST_SEEN * (SMALL_WIDTH + 3) + 13
ORDER_STEP = ORDER_WIDTH + 12


def size(model: ForwardModel) -> tuple[int, int]:
    """Return width and height of a picture in pixels."""
    return TOTAL_WIDTH, _row_top(model.players) + MARGIN - ROW_GAP


def paint(
    surface: Any, model: ForwardModel, state: np.ndarray, observer: int | None
) -> None:
    """Draw the table.

    Args:
        surface: A `pygame.Surface` of `size(model)`.
        model: The forward model.
        state: The state.
        observer: Whose view it is: cards that this player does not know lie face down;
            None shows all hands and the pile.
    """
    surface.fill(BACKGROUND)
    text(surface, "Exploding Kittens", (MARGIN + 4, HEADER / 2), 34, INK, "midleft")
    place = (CARDS_LEFT + 26, HEADER / 2 + 1)
    text(surface, headline(model, state), place, 22, MUTED, "midleft")
    between = middle(model, state, observer)
    _paint_middle(surface, between)
    _paint_choice(surface, model, state, between)
    for seat in seats(model, state, observer):
        _paint_seat(surface, seat, _row_top(seat.player))


def regions(
    model: ForwardModel, state: np.ndarray, observer: int | None, player: int
) -> list[Region]:
    """Return where a player's legal actions lie.

    The pile is drawn from, a card of the hand is played or given; a favor or an attack
    is taken to the row of the other player by a second click. To pass is a button,
    orders of the top cards are shown side by side, and the kitten goes between two
    cards of the spread pile.

    Raises:
        ValueError: `observer` is another player.
    """
    check_observer(observer, player)
    boxes = _hand_boxes(seats(model, state, observer)[player])
    found = []
    legal = legal_actions(model, state, player)
    for number, action in enumerate(legal):
        until = None
        if action == DRAW:
            shape = Rectangle(MARGIN + 16, PILE_TOP - 4, WIDTH, HEIGHT)
        elif action in (PASS, GIVE_NOTHING):
            shape = BUTTON
        elif action >= PLACE:
            left = PILE_LEFT + (action - PLACE) * PILE_STEP - PILE_STEP / 2
            shape = Rectangle(left, PILE_TOP - 8, PILE_STEP, SMALL_HEIGHT + 22)
        elif action >= PUT_BACK:
            shape = _order_box(number)
        elif action >= GIVE:
            shape = boxes[action - GIVE]
        else:
            shape = boxes[int(CARD_OF[action])]
            if action != PLAY_NOPE and action >= PLAY_FAVOR:
                first = PLAY_ATTACK if action >= PLAY_ATTACK else PLAY_FAVOR
                until = Rectangle(*_row_box(action - first))
        found.append(Region(action, shape, format_action(model, action), until))
    return found


def _row_top(player: int) -> int:
    return HEADER + MIDDLE + ROW_GAP + int(player) * (ROW + ROW_GAP)


def _row_box(player: int) -> tuple[int, int, int, int]:
    """Return left, top, width and height of a player's row."""
    return MARGIN, _row_top(player), TOTAL_WIDTH - 2 * MARGIN, ROW


def _order_box(number: int) -> Rectangle:
    """Return where the n-th of the legal orders is shown."""
    left = PILE_LEFT + number * ORDER_STEP
    return Rectangle(left, CHOICE_TOP, ORDER_WIDTH, CHOICE_HEIGHT)


def _hand_boxes(seat: Seat) -> dict[int | None, Rectangle]:
    """Return where the cards of each type lie in a row, None for unknown cards."""
    cards: list[int | None] = [card for card, _ in seat.hand]
    if seat.unknown:
        cards.append(None)
    pitch = min(PITCH, CARDS_WIDTH / max(len(cards), 1))
    top = _row_top(seat.player) + (ROW - HEIGHT) // 2
    width = min(WIDTH, pitch)
    return {
        card: Rectangle(CARDS_LEFT + place * pitch, top, width, HEIGHT)
        for place, card in enumerate(cards)
    }


def _paint_middle(surface: Any, between: Middle) -> None:
    """Draw the pile, its cards side by side from the top, and the discards."""
    box = (MARGIN, HEADER, TOTAL_WIDTH - 2 * MARGIN, MIDDLE)
    rounded_rectangle(surface, box, 10, PANEL, FAINT, 1)
    number = len(between.pile)
    for layer in range(min(number, 4)):
        place = (MARGIN + 16 + 2 * layer, PILE_TOP - 4 + 2 * layer)
        surface.blit(back_picture(), place)
    place = (MARGIN + 16, PILE_TOP + HEIGHT + 8)
    text(surface, f"{number} cards", place, 20, INK, "topleft")
    kittens = "1 kitten" if between.kittens == 1 else f"{between.kittens} kittens"
    place = (MARGIN + 16, PILE_TOP + HEIGHT + 26)
    text(surface, f"{kittens} in it", place, 18, MUTED, "topleft")
    place = (PILE_LEFT - 10, PILE_TOP + SMALL_HEIGHT / 2)
    text(surface, "top", place, 18, MUTED, "midright")
    for depth, card in enumerate(between.pile):
        left = PILE_LEFT + depth * PILE_STEP
        surface.blit(small_picture(card), (left, PILE_TOP))
    place = (PILE_LEFT - 10, DISCARDS_TOP + SMALL_HEIGHT / 2)
    text(surface, "discards", place, 18, MUTED, "midright")
    for group, (card, copies) in enumerate(between.discards):
        left = PILE_LEFT + group * DISCARDS_STEP
        surface.blit(small_picture(card), (left, DISCARDS_TOP))
        if copies > 1:
            spot = (left + SMALL_WIDTH + 3, DISCARDS_TOP + SMALL_HEIGHT / 2)
            text(surface, f"x{copies}", spot, 17, MUTED, "midleft")


def _paint_choice(
    surface: Any, model: ForwardModel, state: np.ndarray, between: Middle
) -> None:
    """Draw what is decided now, if it is not simply a turn."""
    view = model.view(state)
    phase, player = int(view["phase"]), int(view["player"])
    left = PILE_LEFT
    if phase == ORDERING:
        top = between.pile[:MOST_SEEN]
        for number, action in enumerate(legal_actions(model, state, player)):
            _paint_order(surface, number, action, top, player)
            if None in top:
                break  # how many orders differ would tell of the cards
        return
    if phase == ASKED or (phase == GIVING and not view["hands"][player]):
        _paint_button(surface, "pass" if phase == ASKED else "give nothing", player)
        left += BUTTON.width + 16
    elif phase == PLACING:
        surface.blit(small_picture(KITTEN), (left, CHOICE_TOP + 6))
        left += SMALL_WIDTH + 12
        color = PLAYER_COLORS[player]
        for depth in range(len(between.pile) + 1):
            x, y = PILE_LEFT + depth * PILE_STEP, PILE_TOP + SMALL_HEIGHT + 3
            polygon(surface, [(x - 5, y + 9), (x + 5, y + 9), (x, y)], color)
    asked = question(model, state)
    if asked is not None:
        place = (left, CHOICE_TOP + CHOICE_HEIGHT / 2)
        text(surface, asked, place, 20, INK, "midleft")


def _paint_button(surface: Any, label: str, player: int) -> None:
    box = (BUTTON.left, BUTTON.top, BUTTON.width, BUTTON.height)
    color = PLAYER_COLORS[player]
    rounded_rectangle(surface, box, 8, color, darker(color), 2)
    middle_ = (BUTTON.left + BUTTON.width / 2, BUTTON.top + BUTTON.height / 2)
    text(surface, label, middle_, 24, PANEL)


def _paint_order(
    surface: Any, number: int, action: int, top: list[int | None], player: int
) -> None:
    """Draw one order of the top cards, the next one first."""
    box = _order_box(number)
    area = (box.left, box.top, box.width, box.height)
    rounded_rectangle(surface, area, 8, BACKGROUND, PLAYER_COLORS[player], 2)
    for place, source in enumerate(ORDER_OF[action - PUT_BACK][: len(top)]):
        left = box.left + 8 + place * (SMALL_WIDTH + 3)
        surface.blit(small_picture(top[source]), (left, box.top + 7))


def _paint_seat(surface: Any, seat: Seat, top: int) -> None:
    ground = mixed(PANEL, MUTED, 0.25) if seat.is_out else None
    paint_row(surface, seat, Rectangle(*_row_box(seat.player)), ground=ground)
    _paint_facts(surface, seat, top)
    numbers = dict(seat.hand)
    for card, box in _hand_boxes(seat).items():
        number = seat.unknown if card is None else numbers[card]
        picture = back_picture() if card is None else card_picture(card)
        surface.blit(picture, (round(box.left), round(box.top)))
        if number > 1:
            spot = (round(box.left) + WIDTH - 10, round(box.top) + 10)
            paint_count(surface, number, spot, 11)


def _paint_facts(surface: Any, seat: Seat, top: int) -> None:
    """Write name, number of cards, what the player does and did last."""
    left = MARGIN + 20
    paint_name(surface, seat, (left, top + 12))
    if seat.is_out:
        surface.blit(small_picture(KITTEN), (CARDS_LEFT, top + (ROW - 40) // 2))
    else:
        cards = seat.unknown + sum(number for _, number in seat.hand)
        words = "1 card" if cards == 1 else f"{cards} cards"
        text(surface, words, (left, top + 34), 18, MUTED, "topleft")
    paint_status(surface, seat, (left, top + 54), 20)
    if seat.last is not None:
        last = f"last: {seat.last}"
        text(surface, last, (left, top + 76), 17, MUTED, "topleft")
