"""The table of Dominion as a picture: the supply, then a row per player.

Cards of the hand are played, discarded and trashed, piles of the supply are bought and
gained from. What is no card, to end and to decline, is a button.
"""

from typing import Any

import numpy as np

from mcts_agents.envs.dominion.artwork import (
    COINS,
    HEIGHT,
    SMALL_HEIGHT,
    SMALL_WIDTH,
    WIDTH,
    back_picture,
    card_picture,
    small_picture,
)
from mcts_agents.envs.dominion.cards import (
    BUY,
    DISCARD,
    DONE,
    END,
    GAIN,
    KINGDOM,
    MOAT,
    PLAY,
    REVEAL,
    TRASH,
    TYPES,
)
from mcts_agents.envs.dominion.notation import format_action
from mcts_agents.envs.dominion.table import (
    Counts,
    Middle,
    Seat,
    headline,
    middle,
    money,
    question,
    seats,
)
from mcts_agents.envs.painting import (
    BACKGROUND,
    FAINT,
    HIGHLIGHT,
    INK,
    MUTED,
    PANEL,
    PLAYER_COLORS,
    circle,
    darker,
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

TOTAL_WIDTH = 1080
HEADER = 58
MARGIN = 14
ROW = HEIGHT + 26
ROW_GAP = 9

# The middle: treasures, victory cards and the trash above the kingdom cards.
SUPPLY_LEFT = MARGIN + 16
SUPPLY_TOP = HEADER + 14
SUPPLY_STEP = WIDTH + 14
SUPPLY_ROW = HEIGHT + 24
MIDDLE = 2 * SUPPLY_ROW + 18
ASKED_LEFT = SUPPLY_LEFT + 10 * SUPPLY_STEP + 8
TRASH_LEFT = SUPPLY_LEFT + KINGDOM * SUPPLY_STEP + 16
BUTTON = Rectangle(ASKED_LEFT, SUPPLY_TOP + SUPPLY_ROW + 50, 150, 44)

CARDS_LEFT = MARGIN + 200
CARDS_WIDTH = 450
PITCH = WIDTH + 6  # from one type of a hand to the next, if there is room
OPEN_LEFT = CARDS_LEFT + CARDS_WIDTH + 24
OPEN_WIDTH = TOTAL_WIDTH - MARGIN - 14 - OPEN_LEFT
OPEN_PITCH = SMALL_WIDTH + 18


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
            None shows all hands.
    """
    surface.fill(BACKGROUND)
    text(surface, "Dominion", (MARGIN + 4, HEADER / 2), 36, INK, "midleft")
    place = (CARDS_LEFT, HEADER / 2 + 1)
    text(surface, headline(model, state), place, 24, MUTED, "midleft")
    coins = money(model, state, observer)
    if coins is not None:
        place = (TOTAL_WIDTH - MARGIN - 20, HEADER / 2 + 1)
        written = text(surface, coins, place, 24, INK, "midright")
        spot = (written.left - 16, HEADER / 2)
        circle(surface, spot, 9, COINS[2], darker(COINS[2]), 2)
    chosen, label = set(), None
    for player in model.movers(state):
        if observer in (None, player):  # what can be bought tells of the hand
            legal = legal_actions(model, state, player)
            chosen = {pile for pile in map(_pile_of, legal) if pile is not None}
            label = _button_label(legal)
    _paint_middle(surface, middle(model, state), chosen)
    _paint_question(surface, model, state, label)
    for seat in seats(model, state, observer):
        _paint_seat(surface, seat, _row_top(seat.player))


def regions(
    model: ForwardModel, state: np.ndarray, observer: int | None, player: int
) -> list[Region]:
    """Return where a player's legal actions lie.

    Raises:
        ValueError: `observer` is another player.
    """
    check_observer(observer, player)
    boxes = _hand_boxes(seats(model, state, observer)[player])
    found = []
    for action in legal_actions(model, state, player):
        pile = _pile_of(action)
        if action in (END, DONE):
            shape = BUTTON
        elif pile is not None:
            shape = _supply_box(pile)
        else:
            shape = boxes[_card_of(action)]
        found.append(Region(action, shape, format_action(model, action)))
    return found


def _pile_of(action: int) -> int | None:
    """Return the pile of the supply that an action takes from, None for the others."""
    if BUY <= action < DISCARD:
        return action - (BUY if action < GAIN else GAIN)
    return None


def _card_of(action: int) -> int:
    """Return the card of the hand that is played, discarded, trashed or shown."""
    if action == REVEAL:
        return MOAT
    if action < BUY:
        return action - PLAY + KINGDOM
    return action - (DISCARD if action < TRASH else TRASH)


def _button_label(legal: list[int]) -> str | None:
    """Return what is written on the button, None if there is none."""
    if DONE in legal:
        return "no" if REVEAL in legal else "done"
    if END in legal:
        return "end turn" if any(action >= BUY for action in legal) else "end"
    return None


def _row_top(player: int) -> int:
    return HEADER + MIDDLE + ROW_GAP + int(player) * (ROW + ROW_GAP)


def _supply_box(card: int) -> Rectangle:
    """Return where a pile of the supply lies."""
    row, column = (0, card) if card < KINGDOM else (1, card - KINGDOM)
    left = SUPPLY_LEFT + column * SUPPLY_STEP
    return Rectangle(left, SUPPLY_TOP + row * SUPPLY_ROW, WIDTH, HEIGHT)


def _hand_boxes(seat: Seat) -> dict[int | None, Rectangle]:
    """Return where the cards of each type lie in a row, None for unknown cards."""
    cards: list[int | None] = [card for card, _ in seat.hand]
    if seat.unknown:
        cards.append(None)
    pitch = PITCH
    if len(cards) > 1:
        pitch = min(PITCH, (CARDS_WIDTH - WIDTH) // (len(cards) - 1))
    top = _row_top(seat.player) + (ROW - HEIGHT) // 2
    boxes = {}
    for place, card in enumerate(cards):
        is_last = place + 1 == len(cards)
        width = WIDTH if is_last else min(WIDTH, pitch)
        boxes[card] = Rectangle(CARDS_LEFT + place * pitch, top, width, HEIGHT)
    return boxes


def _paint_middle(surface: Any, between: Middle, chosen: set[int]) -> None:
    """Draw the supply, the piles that may be taken from in a frame, and the trash."""
    box = (MARGIN, HEADER, TOTAL_WIDTH - 2 * MARGIN, MIDDLE)
    rounded_rectangle(surface, box, 10, PANEL, FAINT, 1)
    for card in range(TYPES):
        pile, number = _supply_box(card), between.supply[card]
        left, top = round(pile.left), round(pile.top)
        if card in chosen:
            frame = (left - 4, top - 4, WIDTH + 8, HEIGHT + 8)
            rounded_rectangle(surface, frame, 9, HIGHLIGHT)
        surface.blit(card_picture(card), (left, top))
        if number == 0:
            veil = back_picture().copy()
            veil.fill((*PANEL, 190))
            surface.blit(veil, (left, top))
        words = f"{number} left" if number else "none left"
        place = (left + WIDTH / 2, top + HEIGHT + 4)
        text(surface, words, place, 16, MUTED if number else INK, "midtop")
    text(surface, "trash", (TRASH_LEFT, SUPPLY_TOP + 2), 18, MUTED, "topleft")
    width = TOTAL_WIDTH - MARGIN - 14 - TRASH_LEFT
    _paint_small(surface, between.trash, TRASH_LEFT, SUPPLY_TOP + 22, width)


def _paint_question(
    surface: Any, model: ForwardModel, state: np.ndarray, label: str | None
) -> None:
    """Write what is decided now, and draw the button for what is no card."""
    asked = question(model, state)
    if asked is None:
        return
    player = int(model.view(state)["player"])
    color = PLAYER_COLORS[player]
    name, *words = asked.split(" ")
    top = SUPPLY_TOP + SUPPLY_ROW - 12
    text(surface, name, (ASKED_LEFT, top), 20, color, "topleft")
    rows = [""]
    for word in words:
        if len(rows[-1]) + len(word) > 33:
            rows.append("")
        rows[-1] += f"{word} "
    for number, row in enumerate(rows):
        place = (ASKED_LEFT, top + 20 + 18 * number)
        text(surface, row.strip(), place, 19, INK, "topleft")
    if label is not None:
        box = (BUTTON.left, BUTTON.top, BUTTON.width, BUTTON.height)
        rounded_rectangle(surface, box, 8, color, darker(color), 2)
        spot = (BUTTON.left + BUTTON.width / 2, BUTTON.top + BUTTON.height / 2)
        text(surface, label, spot, 24, PANEL)


def _paint_small(
    surface: Any, cards: Counts, left: float, top: float, width: float
) -> None:
    """Draw small cards side by side, with their numbers on them."""
    pitch = float(OPEN_PITCH)
    if len(cards) > 1:
        pitch = min(pitch, (width - SMALL_WIDTH) / (len(cards) - 1))
    for place, (card, number) in enumerate(cards):
        x = round(left + place * pitch)
        surface.blit(small_picture(card), (x, top))
        if number > 1:
            paint_count(surface, number, (x + SMALL_WIDTH - 5, top + 5), 8)


def _paint_seat(surface: Any, seat: Seat, top: int) -> None:
    row = Rectangle(MARGIN, top, TOTAL_WIDTH - 2 * MARGIN, ROW)
    paint_row(surface, seat, row, divider=OPEN_LEFT - 14)
    _paint_facts(surface, seat, top)
    numbers = dict(seat.hand)
    for card, box in _hand_boxes(seat).items():
        number = seat.unknown if card is None else numbers[card]
        picture = back_picture() if card is None else card_picture(card)
        left = round(box.left)
        surface.blit(picture, (left, round(box.top)))
        if number > 1:
            spot = (left + round(box.width) - 11, round(box.top) + 11)
            paint_count(surface, number, spot)
    for row, (label, cards) in enumerate(
        (("played", seat.table), ("discards", seat.discards))
    ):
        y = top + 9 + row * (SMALL_HEIGHT + 9)
        spot = (OPEN_LEFT, y + SMALL_HEIGHT / 2)
        text(surface, label, spot, 17, MUTED, "midleft")
        _paint_small(surface, cards, OPEN_LEFT + 62, y, OPEN_WIDTH - 62)


def _paint_facts(surface: Any, seat: Seat, top: int) -> None:
    """Write name, points, number of cards, what the player does and did last."""
    left = MARGIN + 20
    paint_name(surface, seat, (left, top + 10))
    written = text(surface, str(seat.points), (left, top + 30), 38, INK, "topleft")
    beside = written.right + 8
    points = "point" if seat.points == 1 else "points"
    text(surface, points, (beside, top + 32), 17, MUTED, "topleft")
    words = f"pile {seat.pile}, hand {seat.unknown + sum(n for _, n in seat.hand)}"
    text(surface, words, (beside, top + 46), 17, MUTED, "topleft")
    paint_status(surface, seat, (left, top + 65), 20)
    if seat.last is not None:
        text(surface, f"last: {seat.last}", (left, top + 88), 17, MUTED, "topleft")
