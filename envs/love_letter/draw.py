"""The table of Love Letter as a picture: the piles, then a row per player."""

from typing import Any

import numpy as np

from mcts_agents.envs.love_letter.artwork import (
    CORNER,
    HEIGHT,
    WIDTH,
    back_picture,
    card_picture,
)
from mcts_agents.envs.love_letter.cards import (
    CARD_OF,
    GUARD,
    GUESS_OF,
    GUESSES,
    PRIEST,
    TARGET_OF,
    WITH_TARGET,
)
from mcts_agents.envs.love_letter.notation import ACTION_NAMES, format_action
from mcts_agents.envs.love_letter.table import Middle, Seat, headline, middle, seats
from mcts_agents.envs.painting import (
    BACKGROUND,
    HIGHLIGHT,
    INK,
    MUTED,
    rounded_rectangle,
    text,
)
from mcts_agents.envs.regions import (
    Rectangle,
    Region,
    check_observer,
    legal_actions,
)
from mcts_agents.envs.seats import paint_name, paint_row, paint_status
from mcts_agents.model import ForwardModel

TOTAL_WIDTH = 1020
HEADER = 58
MARGIN = 14
ROW = HEIGHT + 34
ROW_GAP = 10
CARDS_LEFT = MARGIN + 226
DISCARDS_WIDTH = 580
HAND_LEFT = CARDS_LEFT + DISCARDS_WIDTH + 34

# Cards of one type overlap; groups of different types do not, if there is room.
STACK_STEP = 13
GROUP_GAP = 8


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
        observer: Whose view it is: other hands lie face down unless that player knows
            them; None shows all hands.
    """
    surface.fill(BACKGROUND)
    text(surface, "Love Letter", (MARGIN + 4, HEADER / 2), 34, INK, "midleft")
    place = (CARDS_LEFT, HEADER / 2)
    text(surface, headline(model, state), place, 24, MUTED, "midleft")
    _paint_middle(surface, middle(model, state), HEADER)
    for seat in seats(model, state, observer):
        _paint_seat(surface, model, seat, _row_top(seat.player))


def regions(
    model: ForwardModel, state: np.ndarray, observer: int | None, player: int
) -> list[Region]:
    """Return the cards that a player may play: those of the hand.

    A card with a target is taken to the target's row by a second click. For a guard
    that row has seven parts side by side, one for each card that may be named, in the
    order of their numbers; the picture does not show them.

    Raises:
        ValueError: `observer` is another player.
    """
    check_observer(observer, player)
    hand = seats(model, state, observer)[player].hand
    found = []
    for action in legal_actions(model, state, player):
        card, until = int(CARD_OF[action]), None
        if card == GUARD:
            until = _guess_box(TARGET_OF[action], GUESS_OF[action])
        elif card in WITH_TARGET:
            until = Rectangle(*_row_box(TARGET_OF[action]))
        label = format_action(model, action)
        found.append(Region(action, _hand_box(hand, card, player), label, until))
    return found


def _row_top(player: int) -> int:
    return HEADER + (int(player) + 1) * (ROW + ROW_GAP)


def _row_box(player: int) -> tuple[int, int, int, int]:
    """Return left, top, width and height of a player's row."""
    return MARGIN, _row_top(player), TOTAL_WIDTH - 2 * MARGIN, ROW


def _hand_left(place: int) -> int:
    """Return the left edge of a card in a hand."""
    return HAND_LEFT + place * (WIDTH + GROUP_GAP)


def _hand_box(hand: list[int | None], card: int, player: int) -> Rectangle:
    """Return where a card lies in a player's hand, twice perhaps."""
    first, last = hand.index(card), len(hand) - 1 - hand[::-1].index(card)
    left, right = _hand_left(first), _hand_left(last) + WIDTH
    return Rectangle(left, _cards_top(_row_top(player)), right - left, HEIGHT)


def _guess_box(target: int, guess: int) -> Rectangle:
    """Return the part of a target's row that stands for a card which a guard names."""
    width = DISCARDS_WIDTH / GUESSES
    left = CARDS_LEFT + (int(guess) - PRIEST) * width
    return Rectangle(left, _row_top(target), width, ROW)


def _cards_top(top: int) -> int:
    """Return the upper edge of the cards in a row."""
    return top + (ROW - HEIGHT) // 2


def _paint_middle(surface: Any, between: Middle, top: int) -> None:
    """Draw the pile, the card laid aside, and those laid aside face up."""
    left, cards_top = MARGIN + 20, _cards_top(top)
    text(surface, "pile", (left, top + 20), 22, INK, "topleft")
    number = "1 card" if between.pile == 1 else f"{between.pile} cards"
    text(surface, number, (left, top + 42), 19, MUTED, "topleft")
    if between.pile:
        depth = min(between.pile, 4)
        for layer in range(depth):
            place = (left + 88 + 3 * layer, cards_top + 4 - 2 * layer)
            surface.blit(back_picture(), place)
    if between.has_reserve:
        surface.blit(back_picture(), (CARDS_LEFT, cards_top))
        place = (CARDS_LEFT + WIDTH + 10, top + ROW / 2)
        text(surface, "laid aside", place, 19, MUTED, "midleft")
    if between.face_up:
        groups = [(card, number) for card, number in between.face_up]
        _paint_groups(surface, groups, None, CARDS_LEFT + 180, cards_top, 300)
    text(surface, "hand", (HAND_LEFT, top + ROW - 8), 19, MUTED, "bottomleft")
    text(surface, "discards", (HAND_LEFT - 44, top + ROW - 8), 19, MUTED, "bottomright")


def _paint_seat(surface: Any, model: ForwardModel, seat: Seat, top: int) -> None:
    row = Rectangle(*_row_box(seat.player))
    paint_row(surface, seat, row, divider=HAND_LEFT - 18)
    _paint_facts(surface, model, seat, top)
    cards_top = _cards_top(top)
    marked = None if seat.last is None else int(CARD_OF[seat.last])
    _paint_groups(surface, seat.discards, marked, CARDS_LEFT, cards_top, DISCARDS_WIDTH)
    for place, card in enumerate(seat.hand):
        picture = back_picture() if card is None else card_picture(card)
        surface.blit(picture, (_hand_left(place), cards_top))


def _paint_facts(surface: Any, model: ForwardModel, seat: Seat, top: int) -> None:
    """Write name, tokens, what the player does, did last and has seen."""
    left = MARGIN + 20
    paint_name(surface, seat, (left, top + 10))
    text(surface, str(seat.tokens), (left, top + 30), 40, INK, "topleft")
    target = int(model.game["target"][0])
    text(surface, f"of {target} tokens", (left + 38, top + 40), 18, MUTED, "topleft")
    paint_status(surface, seat, (left, top + 62))
    if seat.last is not None:
        last = f"last: {ACTION_NAMES[seat.last]}"
        text(surface, last, (left, top + 80), 17, MUTED, "topleft")
    if seat.has_seen:
        text(surface, "has seen your card", (left, top + 97), 17, INK, "topleft")


def _paint_groups(
    surface: Any,
    groups: list[tuple[int, int]],
    marked: int | None,
    left: int,
    top: int,
    room: int,
) -> None:
    """Lay groups side by side; where there is no room for that they move together."""
    widths = [WIDTH + STACK_STEP * (number - 1) for _, number in groups]
    gap = float(GROUP_GAP)
    if len(groups) > 1:
        gap = min(gap, (room - sum(widths)) / (len(groups) - 1))
    x = float(left)
    for (card, number), width in zip(groups, widths, strict=True):
        if card == marked:
            frame = (round(x) - 4, top - 4, width + 8, HEIGHT + 8)
            rounded_rectangle(surface, frame, CORNER + 3, HIGHLIGHT)
        for place in range(number):
            spot = (round(x) + place * STACK_STEP, top)
            surface.blit(card_picture(card), spot)
        x += width + gap
