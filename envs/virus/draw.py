"""The table of Virus! as a picture: pile and discards, then a row for each player."""

from typing import Any

import numpy as np

from mcts_agents.envs.painting import (
    BACKGROUND,
    FAINT,
    HIGHLIGHT,
    INK,
    MUTED,
    PANEL,
    font,
    mixed,
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
from mcts_agents.envs.virus.artwork import (
    COLORS,
    HEIGHT,
    SMALL_HEIGHT,
    SMALL_WIDTH,
    WIDTH,
    back_picture,
    card_picture,
    paint_medicine,
    paint_organ,
    paint_virus,
    small_picture,
)
from mcts_agents.envs.virus.cards import (
    CARD_OF,
    COLOURS,
    DISCARD,
    DRAW_HAND,
    GLOVE,
    HAND,
    MEDICINE,
    NO_CARD,
    OTHER_OF,
    OWN_OF,
    PLAY_GLOVE,
    SLOT_OF,
    SPREADING,
    TRANSPLANT,
    VIRUS,
    WILD,
)
from mcts_agents.envs.virus.notation import COLOUR_NAMES, format_action, is_published
from mcts_agents.envs.virus.rules import (
    SEEN_IMMUNISED,
    SEEN_INFECTED,
    SEEN_NONE,
)
from mcts_agents.envs.virus.table import (
    Middle,
    Organ,
    Seat,
    headline,
    middle,
    seats,
)
from mcts_agents.model import ForwardModel

HEADER = 54
MARGIN = 14
FACTS = 246  # width of what is written about a player
SLOT_WIDTH, SLOT_HEIGHT, SLOT_STEP = 76, 92, 82
TOKENS = 32  # the lower part of a slot, where viruses and medicines lie
BODY_LEFT = MARGIN + FACTS + 16
HAND_LEFT = BODY_LEFT + COLOURS * SLOT_STEP + 18
CARD_STEP = WIDTH + 6
RAISED = 7  # pixels by which a card that may be played stands out of the hand
BUTTONS_LEFT = HAND_LEFT + HAND * CARD_STEP + 10
BUTTON_WIDTH, BUTTON_HEIGHT, BUTTON_STEP = 34, 16, 38
BUTTON_COLUMNS, BUTTON_ROW = 2, 19
TOTAL_WIDTH = BUTTONS_LEFT + BUTTON_COLUMNS * BUTTON_STEP + MARGIN + 6
ROW = SLOT_HEIGHT + 16
ROW_GAP = 8
PILE_LEFT = MARGIN + 130
DISCARDS_STEP = SMALL_WIDTH + 2
_TOKEN_STEP = 30


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
        observer: Whose view it is: other hands lie face down; None shows all hands.
    """
    surface.fill(BACKGROUND)
    text(surface, "Virus!", (MARGIN + 4, HEADER / 2), 38, INK, "midleft")
    place = (BODY_LEFT, HEADER / 2)
    text(surface, headline(model, state), place, 24, MUTED, "midleft")
    _paint_middle(surface, middle(model, state))
    for seat in seats(model, state, observer):
        actions = []
        if seat.is_deciding and None not in seat.hand:
            actions = legal_actions(model, state, seat.player)
        _paint_seat(surface, seat, actions, _row_top(seat.player))


def regions(
    model: ForwardModel, state: np.ndarray, observer: int | None, player: int
) -> list[Region]:
    """Return where the legal actions of a player lie.

    A card is clicked first, then the organ that it is played on; the name of the other
    player for a Medical Error, and for a Latex Glove that is for one player. A
    Spreading begins with the virus that lies on an own organ and a Transplant with the
    own organ, followed by the other organ. The buttons beside the hand discard the
    cards that they show; a click on the pile draws a new hand.

    Raises:
        ValueError: `observer` is another player.
    """
    check_observer(observer, player)
    hand = seats(model, state, observer)[player].hand
    found = []
    actions = legal_actions(model, state, player)
    masks = _masks(actions)
    for action in actions:
        card, until = int(CARD_OF[action]), None
        other = (player + 1 + int(OTHER_OF[action])) % model.players
        if action == DRAW_HAND:
            shape = Rectangle(PILE_LEFT, _cards_top(HEADER), WIDTH, HEIGHT)
        elif card == NO_CARD:
            shape = _button(masks.index(action - DISCARD), player)
        elif card == SPREADING:
            shape = _tokens(player, int(OWN_OF[action]))
        elif card == TRANSPLANT:
            shape = _organ(player, int(OWN_OF[action]))
        else:
            shape = _card(hand.index(card), player)
        if action == PLAY_GLOVE and is_published(model):
            until = None
        elif GLOVE <= card < NO_CARD:
            until = _facts(other)
        elif VIRUS <= card < GLOVE:
            until = _slot(other, int(SLOT_OF[action]))
        elif MEDICINE <= card < VIRUS:
            until = _slot(player, int(SLOT_OF[action]))
        found.append(Region(action, shape, format_action(model, action), until))
    return found


def _row_top(player: int) -> int:
    return HEADER + (int(player) + 1) * (ROW + ROW_GAP)


def _cards_top(top: int) -> int:
    """Return the upper edge of the cards in a row that do not stand out."""
    return top + (ROW - HEIGHT + RAISED) // 2


def _facts(player: int) -> Rectangle:
    """Return where it is written who a player is."""
    return Rectangle(MARGIN, _row_top(player), FACTS, ROW)


def _slot(player: int, slot: int) -> Rectangle:
    """Return a slot of a body."""
    top = _row_top(player) + (ROW - SLOT_HEIGHT) // 2
    return Rectangle(BODY_LEFT + slot * SLOT_STEP, top, SLOT_WIDTH, SLOT_HEIGHT)


def _organ(player: int, slot: int) -> Rectangle:
    """Return the upper part of a slot, where the organ is."""
    whole = _slot(player, slot)
    return Rectangle(whole.left, whole.top, SLOT_WIDTH, SLOT_HEIGHT - TOKENS)


def _tokens(player: int, slot: int) -> Rectangle:
    """Return the lower part of a slot, where viruses and medicines are."""
    whole = _slot(player, slot)
    top = whole.top + SLOT_HEIGHT - TOKENS
    return Rectangle(whole.left, top, SLOT_WIDTH, TOKENS)


def _card(place: int, player: int) -> Rectangle:
    """Return a card of a hand that may be played."""
    top = _cards_top(_row_top(player)) - RAISED
    return Rectangle(HAND_LEFT + place * CARD_STEP, top, WIDTH, HEIGHT)


def _masks(actions: list[int]) -> list[int]:
    """Return the sets of places that may be discarded."""
    return [action - DISCARD for action in actions if DISCARD < action < DRAW_HAND]


def _button(number: int, player: int) -> Rectangle:
    """Return a button that discards cards; they are counted from 0."""
    row, column = divmod(number, BUTTON_COLUMNS)
    left = BUTTONS_LEFT + column * BUTTON_STEP
    top = _row_top(player) + 30 + row * BUTTON_ROW
    return Rectangle(left, top, BUTTON_WIDTH, BUTTON_HEIGHT)


def _paint_middle(surface: Any, between: Middle) -> None:
    """Draw the pile, and the discards by kind."""
    left, cards_top = MARGIN + 20, _cards_top(HEADER)
    text(surface, "pile", (left, HEADER + 34), 22, INK, "topleft")
    number = "1 card" if between.pile == 1 else f"{between.pile} cards"
    text(surface, number, (left, HEADER + 56), 19, MUTED, "topleft")
    if between.pile == 0:
        area = (PILE_LEFT, cards_top, WIDTH, HEIGHT)
        rounded_rectangle(surface, area, 7, BACKGROUND, FAINT, 2)
    for layer in reversed(range(min(between.pile, 4))):
        surface.blit(back_picture(), (PILE_LEFT + 3 * layer, cards_top - 2 * layer))
    total = sum(number for _, number in between.discards)
    words = "1 discard" if total == 1 else f"{total} discards"
    text(surface, words, (BODY_LEFT, HEADER + 10), 19, MUTED, "topleft")
    for place, (card, number) in enumerate(between.discards):
        corner = (BODY_LEFT + place * DISCARDS_STEP, HEADER + 30)
        surface.blit(small_picture(card), corner)
        below = (corner[0] + SMALL_WIDTH / 2, corner[1] + SMALL_HEIGHT + 11)
        text(surface, str(number), below, 19, INK)


def _paint_seat(surface: Any, seat: Seat, actions: list[int], top: int) -> None:
    row = Rectangle(MARGIN, top, TOTAL_WIDTH - 2 * MARGIN, ROW)
    paint_row(surface, seat, row, divider=HAND_LEFT - 14)
    _paint_facts(surface, seat, top)
    for slot, organ in enumerate(seat.body):
        _paint_slot(surface, slot, organ, _slot(seat.player, slot))
    raised = {int(CARD_OF[action]) for action in actions}
    for place, card in enumerate(seat.hand):
        picture = back_picture() if card is None else card_picture(card)
        box = _card(place, seat.player)
        surface.blit(picture, (box.left, box.top + RAISED * (card not in raised)))
    masks = _masks(actions)
    if masks:
        words = (BUTTONS_LEFT + BUTTON_STEP - 2, top + 18)
        text(surface, "discard", words, 17, MUTED)
    for number, mask in enumerate(masks):
        _paint_button(surface, mask, _button(number, seat.player))


def _paint_facts(surface: Any, seat: Seat, top: int) -> None:
    """Write name, healthy organs, what the player does and did last."""
    left = MARGIN + 20
    paint_name(surface, seat, (left, top + 12))
    written = text(surface, str(seat.healthy), (left, top + 33), 38, INK, "topleft")
    place = (written.right + 8, top + 42)
    text(surface, "healthy", place, 17, MUTED, "topleft")
    paint_status(surface, seat, (left, top + 66))
    if seat.last is not None:
        place = (left, top + 87)
        height = 17 if font(17).size(seat.last)[0] < FACTS - 20 else 15
        text(surface, seat.last, place, height, MUTED, "topleft")


def _paint_slot(surface: Any, slot: int, organ: Organ, box: Rectangle) -> None:
    """Draw an organ with what lies on it, or the empty place for it."""
    color = COLORS[slot]
    area = (box.left, box.top, box.width, box.height)
    center = (box.left + box.width / 2, box.top + (SLOT_HEIGHT - TOKENS) / 2 + 2)
    if organ.state == SEEN_NONE:
        rounded_rectangle(surface, area, 8, mixed(PANEL, FAINT, 0.25), FAINT, 1)
        place = (center[0], box.top + box.height / 2)
        text(surface, COLOUR_NAMES[slot], place, 17, mixed(FAINT, MUTED, 0.4))
        return
    is_immunised = organ.state == SEEN_IMMUNISED
    outline = HIGHLIGHT if is_immunised else mixed(PANEL, color, 0.7)
    ground = mixed(PANEL, color, 0.16)
    rounded_rectangle(surface, area, 8, ground, outline, 3.5 if is_immunised else 2)
    paint_organ(surface, center, slot)
    number = len(organ.colours)
    for place, colour in enumerate(organ.colours):
        across = (place - (number - 1) / 2) * _TOKEN_STEP
        token = (center[0] + across, box.top + SLOT_HEIGHT - TOKENS / 2 - 3)
        if organ.state == SEEN_INFECTED:
            paint_virus(surface, token, 10, COLORS[colour], colour == WILD)
        else:
            paint_medicine(surface, token, 28, colour)


def _paint_button(surface: Any, mask: int, box: Rectangle) -> None:
    """Draw a button with a mark for each place of the hand, full if discarded."""
    area = (box.left, box.top, box.width, box.height)
    rounded_rectangle(surface, area, 5, mixed(PANEL, INK, 0.06), FAINT, 1)
    for place in range(HAND):
        left = box.left + 5 + place * 9
        color = INK if mask >> place & 1 else mixed(PANEL, INK, 0.18)
        rounded_rectangle(surface, (left, box.top + 3, 6, 10), 1, color)
