"""The table of Uno as a picture: the piles and the colours, then a row per player."""

import math
from typing import Any

import numpy as np

from mcts_agents.envs.painting import (
    BACKGROUND,
    FAINT,
    INK,
    MUTED,
    PANEL,
    Point,
    circle,
    line,
    mixed,
    polygon,
    rounded_rectangle,
    text,
)
from mcts_agents.envs.regions import (
    Circle,
    Rectangle,
    Region,
    check_observer,
    legal_actions,
)
from mcts_agents.envs.seats import paint_name, paint_row, paint_status
from mcts_agents.envs.uno.artwork import (
    COLORS,
    HEIGHT,
    NO_COLOR,
    WIDTH,
    back_picture,
    card_picture,
    colour_disc,
)
from mcts_agents.envs.uno.cards import (
    CARD_OF,
    COLOUR_OF,
    COLOURED,
    COLOURS,
    DRAW,
)
from mcts_agents.envs.uno.notation import CARD_NAMES, format_action
from mcts_agents.envs.uno.table import Middle, Seat, headline, middle, seats
from mcts_agents.model import ForwardModel

TOTAL_WIDTH = 1080
HEADER = 58
MARGIN = 14
RAISED = 8  # pixels by which a card that may be played stands out of the hand
ROW = HEIGHT + RAISED + 24
ROW_GAP = 8
CARDS_LEFT = MARGIN + 268
CARDS_WIDTH = TOTAL_WIDTH - MARGIN - CARDS_LEFT - 14
STEP = WIDTH + 5  # from card to card, if there is room

PILE_LEFT = CARDS_LEFT
TOP_LEFT = CARDS_LEFT + 150
DISC_RADIUS, DISC_STEP = 17, 48
DISCS_LEFT = TOP_LEFT + WIDTH + 150


def size(model: ForwardModel) -> tuple[int, int]:
    """Return width and height of a picture in pixels."""
    rows = model.players + 1
    return TOTAL_WIDTH, HEADER + rows * (ROW + ROW_GAP) + MARGIN - ROW_GAP


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
    text(surface, "Uno", (MARGIN + 4, HEADER / 2), 38, INK, "midleft")
    place = (CARDS_LEFT, HEADER / 2)
    text(surface, headline(model, state), place, 24, MUTED, "midleft")
    _paint_middle(surface, middle(model, state), HEADER)
    for seat in seats(model, state, observer):
        raised = set()
        if seat.is_deciding and None not in seat.hand:
            actions = legal_actions(model, state, seat.player)
            raised = {int(CARD_OF[action]) for action in actions if action != DRAW}
        _paint_seat(surface, seat, raised, _row_top(seat.player))


def regions(
    model: ForwardModel, state: np.ndarray, observer: int | None, player: int
) -> list[Region]:
    """Return the cards that a player may play, which stand out of the hand.

    A wild is taken to a colour's disc by a second click. A click on the pile draws.

    Raises:
        ValueError: `observer` is another player.
    """
    check_observer(observer, player)
    hand, top = seats(model, state, observer)[player].hand, _row_top(player)
    found = []
    for action in legal_actions(model, state, player):
        label, until = format_action(model, action), None
        if action == DRAW:
            shape = Rectangle(PILE_LEFT, _cards_top(HEADER), WIDTH, HEIGHT)
        else:
            shape = _card_box(hand, int(CARD_OF[action]), top)
        if COLOURED <= action < DRAW:
            until = Circle(*_disc_center(int(COLOUR_OF[action])), DISC_RADIUS)
        found.append(Region(action, shape, label, until))
    return found


def _row_top(player: int) -> int:
    return HEADER + (int(player) + 1) * (ROW + ROW_GAP)


def _cards_top(top: int) -> int:
    """Return the upper edge of the cards in a row that do not stand out."""
    return top + (ROW - HEIGHT + RAISED) // 2


def _card_lefts(number: int) -> list[int]:
    """Return the left edges of the cards of a hand; later ones lie on earlier ones."""
    step = float(STEP)
    if number > 1:
        step = min(step, (CARDS_WIDTH - WIDTH) / (number - 1))
    return [round(CARDS_LEFT + step * place) for place in range(number)]


def _card_box(hand: list[int | None], card: int, top: int) -> Rectangle:
    """Return where the copies of a card that may be played can be seen."""
    lefts = _card_lefts(len(hand))
    first, last = hand.index(card), len(hand) - 1 - hand[::-1].index(card)
    right = lefts[last] + WIDTH
    if last + 1 < len(hand):
        right = min(right, lefts[last + 1])
    left = lefts[first]
    return Rectangle(left, _cards_top(top) - RAISED, right - left, HEIGHT)


def _disc_center(colour: int) -> Point:
    """Return the centre of the disc of a colour."""
    return DISCS_LEFT + colour * DISC_STEP, HEADER + ROW / 2 - 8


def _paint_middle(surface: Any, between: Middle, top: int) -> None:
    """Draw the pile, the card on top, the colour in force, and the direction."""
    cards_top = _cards_top(top)
    left = MARGIN + 20
    text(surface, "pile", (left, top + 22), 22, INK, "topleft")
    number = "1 card" if between.pile == 1 else f"{between.pile} cards"
    text(surface, number, (left, top + 44), 19, MUTED, "topleft")
    number = "1 discard" if between.discards == 1 else f"{between.discards} discards"
    text(surface, number, (left, top + 62), 19, MUTED, "topleft")
    if between.pile == 0:
        area = (PILE_LEFT, cards_top, WIDTH, HEIGHT)
        rounded_rectangle(surface, area, 7, BACKGROUND, FAINT, 2)
    for layer in reversed(range(min(between.pile, 4))):
        surface.blit(back_picture(), (PILE_LEFT + 3 * layer, cards_top - 2 * layer))
    color = NO_COLOR if between.colour is None else COLORS[between.colour]
    frame = (TOP_LEFT - 6, cards_top - 6, WIDTH + 12, HEIGHT + 12)
    rounded_rectangle(surface, frame, 11, mixed(PANEL, color, 0.55))
    surface.blit(card_picture(between.top), (TOP_LEFT, cards_top))
    place = (TOP_LEFT + WIDTH + 16, top + ROW / 2 - 8)
    text(surface, CARD_NAMES[between.top], place, 19, INK, "midleft")
    for colour in range(COLOURS):
        center = _disc_center(colour)
        if colour == between.colour:
            circle(surface, center, DISC_RADIUS + 5, BACKGROUND, INK, 2.5)
        colour_disc(surface, center, DISC_RADIUS, colour)
    words = f"colour: {between.colour_name}"
    place = (DISCS_LEFT + 1.5 * DISC_STEP, top + ROW - 12)
    text(surface, words, place, 18, MUTED, "midbottom")
    _paint_direction(surface, between.direction, top)


def _paint_direction(surface: Any, direction: int, top: int) -> None:
    """Draw an arrow that points the way in which the seats take their turns."""
    x, y = TOTAL_WIDTH - MARGIN - 120, top + ROW / 2
    reach = 24 * direction
    line(surface, (x, y - reach), (x, y + reach / 2), INK, 5)
    head = [(x, y + reach), (x - 11, y + reach / 3), (x + 11, y + reach / 3)]
    polygon(surface, head, INK)
    words = "down the seats" if direction > 0 else "up the seats"
    for row, word in enumerate(("play goes", words)):
        text(surface, word, (x + 20, y - 9 + 18 * row), 17, MUTED, "midleft")


def _paint_seat(surface: Any, seat: Seat, raised: set[int], top: int) -> None:
    row = Rectangle(MARGIN, top, TOTAL_WIDTH - 2 * MARGIN, ROW)
    paint_row(surface, seat, row, divider=CARDS_LEFT - 16)
    _paint_facts(surface, seat, top)
    cards_top = _cards_top(top)
    for left, card in zip(_card_lefts(len(seat.hand)), seat.hand, strict=True):
        picture = back_picture() if card is None else card_picture(card)
        surface.blit(picture, (left, cards_top - RAISED * (card in raised)))


def _paint_facts(surface: Any, seat: Seat, top: int) -> None:
    """Write name, points, number of cards, what the player does and did last."""
    left = MARGIN + 20
    paint_name(surface, seat, (left, top + 10))
    written = text(surface, str(seat.points), (left, top + 30), 38, INK, "topleft")
    beside = math.ceil(written.right) + 8
    text(surface, "points", (beside, top + 33), 17, MUTED, "topleft")
    cards = "1 card" if len(seat.hand) == 1 else f"{len(seat.hand)} cards"
    text(surface, cards, (beside, top + 46), 17, MUTED, "topleft")
    paint_status(surface, seat, (left, top + 62))
    if seat.last is not None:
        text(surface, f"last: {seat.last}", (left, top + 82), 17, MUTED, "topleft")
