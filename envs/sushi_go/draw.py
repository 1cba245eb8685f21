"""The table of Sushi Go! as a picture: a row per player, field left, hand right."""

from collections import Counter
from typing import Any

import numpy as np

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
from mcts_agents.envs.seats import paint_count, paint_name, paint_row, paint_status
from mcts_agents.envs.sushi_go.artwork import (
    CORNER,
    HEIGHT,
    WIDTH,
    back_picture,
    card_picture,
)
from mcts_agents.envs.sushi_go.cards import (
    CARD_OF,
    CHOPSTICKS,
    ON_WASABI,
    USE_CHOPSTICKS,
    WASABI,
)
from mcts_agents.envs.sushi_go.notation import ACTION_NAMES, format_action
from mcts_agents.envs.sushi_go.table import Seat, headline, seats
from mcts_agents.model import ForwardModel

TOTAL_WIDTH = 1240
HEADER = 58
MARGIN = 14
ROW = HEIGHT + 40
ROW_GAP = 10
FACTS_WIDTH = 190
FIELD_LEFT = MARGIN + FACTS_WIDTH
FIELD_WIDTH = 560
HAND_LEFT = FIELD_LEFT + FIELD_WIDTH + 30
HAND_WIDTH = TOTAL_WIDTH - MARGIN - HAND_LEFT - 12

# Cards of one kind overlap; groups of different kinds do not, if there is room.
STACK_STEP = 13
WASABI_STEP = 27
GROUP_GAP = 8


def size(model: ForwardModel) -> tuple[int, int]:
    """Return width and height of a picture in pixels."""
    return TOTAL_WIDTH, HEADER + model.players * (ROW + ROW_GAP) + MARGIN - ROW_GAP


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
    text(surface, "Sushi Go!", (MARGIN + 4, HEADER / 2), 34, INK, "midleft")
    text(
        surface, headline(model, state), (FIELD_LEFT, HEADER / 2), 24, MUTED, "midleft"
    )
    text(surface, "hands", (HAND_LEFT, HEADER / 2), 24, MUTED, "midleft")
    for seat in seats(model, state, observer):
        _paint_seat(surface, seat, _row_top(seat.player))


def regions(
    model: ForwardModel, state: np.ndarray, observer: int | None, player: int
) -> list[Region]:
    """Return the cards that a player may take: those of the hand.

    A nigiri that may go on a wasabi or beside it is taken to the wasabi or to the field
    beside it by a second click. Chopsticks on the field stand for their use.

    Raises:
        ValueError: `observer` is another player.
    """
    check_observer(observer, player)
    seat, top = seats(model, state, observer)[player], _row_top(player)
    in_hand = _boxes(_hand_groups(seat), HAND_LEFT, top, HAND_WIDTH)
    on_field = _boxes(_field_groups(seat), FIELD_LEFT, top, FIELD_WIDTH)
    # Of the same type a card that is set aside lies last.
    hand, field = dict(reversed(in_hand)), dict(on_field)
    # A wasabi that was chosen with chopsticks in this turn is not on the field yet.
    wasabi = field.get(WASABI, dict(in_hand).get(WASABI))
    actions = legal_actions(model, state, player)
    ways = Counter(int(CARD_OF[a]) for a in actions if a != USE_CHOPSTICKS)
    found = []
    for action in actions:
        label = format_action(model, action)
        if action == USE_CHOPSTICKS:
            found.append(Region(action, field[CHOPSTICKS], label))
            continue
        kind, until = int(CARD_OF[action]), None
        if ways[kind] == 2:
            until = wasabi if action >= ON_WASABI else _beside(wasabi, top)
        found.append(Region(action, hand[kind], label, until))
    return found


def _beside(wasabi: Rectangle, top: int) -> Rectangle:
    """Return the field, or the larger part of it beside a wasabi that lies there."""
    right = FIELD_LEFT + FIELD_WIDTH
    if wasabi.left >= right:
        return Rectangle(FIELD_LEFT, top, FIELD_WIDTH, ROW)
    end = wasabi.left + wasabi.width
    if right - end > wasabi.left - FIELD_LEFT:
        return Rectangle(end, top, right - end, ROW)
    return Rectangle(FIELD_LEFT, top, wasabi.left - FIELD_LEFT, ROW)


def _row_top(player: int) -> int:
    return HEADER + player * (ROW + ROW_GAP)


def _paint_seat(surface: Any, seat: Seat, top: int) -> None:
    row = Rectangle(MARGIN, top, TOTAL_WIDTH - 2 * MARGIN, ROW)
    paint_row(surface, seat, row, divider=HAND_LEFT - 16)
    _paint_facts(surface, seat, top)
    _paint_groups(surface, _field_groups(seat), FIELD_LEFT, top, FIELD_WIDTH)
    _paint_groups(surface, _hand_groups(seat), HAND_LEFT, top, HAND_WIDTH)


def _paint_facts(surface: Any, seat: Seat, top: int) -> None:
    """Write name, score, puddings, what the player does and did last."""
    left = MARGIN + 20
    paint_name(surface, seat, (left, top + 12))
    text(surface, str(seat.points), (left, top + 34), 40, INK, "topleft")
    puddings = "1 pudding" if seat.puddings == 1 else f"{seat.puddings} puddings"
    text(surface, "points", (left + 58, top + 36), 17, MUTED, "topleft")
    text(surface, puddings, (left + 58, top + 50), 17, MUTED, "topleft")
    paint_status(surface, seat, (left, top + 70))
    for row, action in enumerate(seat.last):
        string = ("last: " if row == 0 else "       + ") + ACTION_NAMES[action]
        text(surface, string, (left, top + 86 + 13 * row), 17, MUTED, "topleft")


# A group is what overlaps: (the cards from the lowest up as types, None face down;
# the step from each to the next in pixels; number to show on it; whether it is marked).
Group = tuple[list[int | None], int, int, bool]


def _field_groups(seat: Seat) -> list[Group]:
    groups: list[Group] = []
    for action, number in seat.field:
        marked = action in seat.last
        if action >= ON_WASABI:
            groups += [
                ([WASABI, int(CARD_OF[action])], WASABI_STEP, 1, marked)
            ] * number
        else:
            groups.append(([action] * number, STACK_STEP, number, marked))
    return groups


def _hand_groups(seat: Seat) -> list[Group]:
    if seat.hand is None:
        return [([None] * seat.hand_size, 2 * STACK_STEP, 1, False)]
    groups: list[Group] = [
        ([kind] * number, STACK_STEP, number, False) for kind, number in seat.hand
    ]
    if seat.set_aside is not None:
        groups.append(([int(CARD_OF[seat.set_aside])], STACK_STEP, 1, True))
    return groups


def _paint_groups(
    surface: Any, groups: list[Group], left: int, top: int, room: int
) -> None:
    if groups and groups[0][0]:
        for group, place in zip(groups, _places(groups, left, room), strict=True):
            _paint_group(surface, group, place, _cards_top(top))


def _places(groups: list[Group], left: int, room: int) -> list[int]:
    """Return the left edges of groups that lie side by side.

    Where there is no room for that they move together, and the later ones lie on top.
    """
    widths = [_width(group) for group in groups]
    gap = float(GROUP_GAP)
    if len(groups) > 1:
        gap = min(gap, (room - sum(widths)) / (len(groups) - 1))
    places, x = [], float(left)
    for width in widths:
        places.append(round(x))
        x += width + gap
    return places


def _width(group: Group) -> int:
    cards, step, *_ = group
    return WIDTH + step * (len(cards) - 1)


def _cards_top(top: int) -> int:
    """Return the upper edge of the cards in the row of a player."""
    return top + (ROW - HEIGHT) // 2


def _boxes(
    groups: list[Group], left: int, top: int, room: int
) -> list[tuple[int, Rectangle]]:
    """Return the type of each group of equal cards, and what no later group covers."""
    found = []
    places = _places(groups, left, room)
    for number, group in enumerate(groups):
        kind, *others = group[0]
        width = _width(group)
        if number + 1 < len(groups):
            width = min(width, places[number + 1] - places[number])
        if all(other == kind for other in others):
            box = Rectangle(places[number], _cards_top(top), width, HEIGHT)
            found.append((kind, box))
    return found


def _paint_group(surface: Any, group: Group, left: int, top: int) -> None:
    cards, step, number, marked = group
    if marked:
        width = WIDTH + step * (len(cards) - 1)
        frame = (left - 4, top - 4, width + 8, HEIGHT + 8)
        rounded_rectangle(surface, frame, CORNER + 3, HIGHLIGHT)
    for place, kind in enumerate(cards):
        picture = back_picture() if kind is None else card_picture(kind)
        surface.blit(picture, (left + place * step, top))
    if number > 1:
        corner = (left + step * (len(cards) - 1) + WIDTH - 9, top + 9)
        paint_count(surface, number, corner)
