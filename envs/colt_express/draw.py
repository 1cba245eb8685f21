"""Colt Express as a picture: the train, the round, the queue, a row for each player."""

from typing import Any

import numpy as np

from mcts_agents.envs.colt_express.artwork import (
    HEIGHT,
    WIDTH,
    back_picture,
    card_picture,
    paint_bandit,
    paint_bullet,
    paint_car,
    paint_land,
    paint_loot,
    paint_marshal,
    turn_picture,
)
from mcts_agents.envs.colt_express.cards import (
    BULLETS,
    COLLECT_KIND,
    COLLECT_NOTHING,
    DRAW,
    MARSHAL_LEFT,
    MARSHAL_RIGHT,
    NO_KIND,
    PLAYABLE,
    PUNCH_NOBODY,
    RIGHT,
    SHOOT_NOBODY,
    SHOOT_SEAT,
    TO_CAR,
    VERTICAL,
)
from mcts_agents.envs.colt_express.notation import format_action, punch_parts
from mcts_agents.envs.colt_express.table import (
    EVENTS,
    ROUND_TITLES,
    Seat,
    Train,
    at,
    car_name,
    headline,
    seats,
    train,
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
    font,
    line,
    mixed,
    rounded_rectangle,
    text,
)
from mcts_agents.envs.regions import (
    Rectangle,
    Region,
    Shape,
    check_observer,
    legal_actions,
)
from mcts_agents.envs.seats import paint_name, paint_row
from mcts_agents.model import ForwardModel

TOTAL_WIDTH = 1150
MARGIN, HEADER = 14, 52
# The train. A figure stands in a slot, and so does each kind of loot.
SCENE_HEIGHT = 252
ROOF = HEADER + 108  # where bandits on roofs stand
ABOVE, INSIDE = 52, 94  # heights of what can be clicked above and below the roof
FLOOR = ROOF + 80
GROUND = ROOF + 108
MOST_CAR, BOILER, LAND = 190, 64, 26
MOST_SLOT = 32
# The round card and the queue.
QUEUE_TOP = HEADER + SCENE_HEIGHT + 8
QUEUE_HEIGHT = HEIGHT + 28
QUEUE_LEFT = MARGIN + 250
TURN_STEP, TURN_SIZE = 34, 29
# The rows of the players.
SEATS_TOP = QUEUE_TOP + QUEUE_HEIGHT + 8
ROW, ROW_GAP = 84, 8
RAISED = 6  # pixels by which a card that may be played stands out of the hand
LOOT_LEFT, LOOT_STEP, LOOT_WIDTH = MARGIN + 258, 52, 48
BULLETS_LEFT = LOOT_LEFT + 3 * LOOT_STEP + 14
HAND_LEFT = BULLETS_LEFT + 130
DECK_LEFT = TOTAL_WIDTH - MARGIN - WIDTH - 22
HAND_WIDTH = DECK_LEFT - HAND_LEFT - 34
PORTRAIT = MARGIN + 36


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
    text(surface, "Colt Express", (MARGIN + 4, HEADER / 2), 38, INK, "midleft")
    place = (QUEUE_LEFT, HEADER / 2)
    text(surface, headline(model, state), place, 24, MUTED, "midleft")
    now, bandits = train(model, state, observer), seats(model, state, observer)
    _paint_train(surface, now, bandits)
    _paint_round(surface, now, model.is_over(state))
    actions: list[int] = []
    for seat in bandits:
        if seat.is_deciding and (now.turn is None or None not in seat.hand):
            actions = legal_actions(model, state, seat.player)
    for seat in bandits:
        played = {action for action in actions if action < PLAYABLE}
        raised = played if seat.is_deciding else set()
        _paint_seat(surface, seat, raised, _row_top(seat.player))
    for seat in bandits:
        if seat.is_deciding:
            _paint_choices(surface, now, bandits, actions, seat)


def regions(
    model: ForwardModel, state: np.ndarray, observer: int | None, player: int
) -> list[Region]:
    """Return where the legal actions of a player lie.

    Cards of the hand are clicked to play them, the deck to draw. A bandit goes where
    the roof or the inside of a car is clicked, and so does the marshal. Loot on the
    train is clicked to collect it, a bandit to shoot. For a punch the loot in the row
    of another player is clicked, or the bandit's picture there if there is none, and
    then the place that the bandit goes to. The first card of the queue stands for what
    has no effect.

    Raises:
        ValueError: `observer` is another player.
    """
    check_observer(observer, player)
    now, bandits = train(model, state, observer), seats(model, state, observer)
    found = []
    for action in legal_actions(model, state, player):
        shape, until = _shapes(now, bandits, player, action)
        found.append(Region(action, shape, format_action(model, action), until))
    return found


def _shapes(
    now: Train, bandits: list[Seat], player: int, action: int
) -> tuple[Shape, Shape | None]:
    """Return what to click for an action, and then, if one click is not enough."""
    mine, players = bandits[player], len(bandits)
    if action < PLAYABLE:
        return _card_box(mine.hand, action, _row_top(player)), None
    if action == DRAW:
        return Rectangle(DECK_LEFT, _cards_top(_row_top(player)), WIDTH, HEIGHT), None
    if action in (COLLECT_NOTHING, SHOOT_NOBODY, PUNCH_NOBODY):
        return Rectangle(QUEUE_LEFT, QUEUE_TOP + 22, WIDTH, HEIGHT), None
    if action < VERTICAL:
        return _zone(players, 2 * (action - TO_CAR) + mine.is_on_roof), None
    if action == VERTICAL:
        return _zone(players, at(mine) ^ 1), None
    if action <= MARSHAL_RIGHT:
        step = -1 if action == MARSHAL_LEFT else 1
        return _zone(players, 2 * (now.marshal + step)), None
    if action < COLLECT_NOTHING:
        slots = _slots(now, bandits, at(mine))
        return slots["loot", action - COLLECT_KIND], None
    if action < SHOOT_NOBODY:
        target = action - SHOOT_SEAT
        return _slots(now, bandits, at(bandits[target]))["bandit", target], None
    target, side, kind = punch_parts(action)
    step = 2 if side == RIGHT else -2
    until = _zone(players, at(bandits[target]) + step)
    return (_portrait(target) if kind == NO_KIND else _own_loot(target, kind)), until


# -- where things are


def _car_width(players: int) -> int:
    room = TOTAL_WIDTH - 2 * (MARGIN + LAND) - BOILER
    return min(MOST_CAR, room // (players + 1))


def _car_left(players: int, car: int) -> int:
    """Return the left edge of a car; the train stands in the middle."""
    width = _car_width(players)
    return (TOTAL_WIDTH - BOILER - width * (players + 1)) // 2 + width * car


def _zone(players: int, place: int) -> Rectangle:
    """Return the roof or the inside of a car."""
    left, width = _car_left(players, place >> 1), _car_width(players)
    if place & 1:
        return Rectangle(left, ROOF - ABOVE, width, ABOVE)
    return Rectangle(left, ROOF, width, INSIDE)


def _slots(
    now: Train, bandits: list[Seat], place: int
) -> dict[tuple[str, int], Rectangle]:
    """Return where the bandits, the marshal and the loot of a place stand."""
    there = [("bandit", seat.player) for seat in bandits if at(seat) == place]
    there += [("marshal", 0)] if place == 2 * now.marshal else []
    there += [("loot", kind) for kind in range(NO_KIND) if now.loot[place][kind]]
    if not there:
        return {}
    zone = _zone(len(bandits), place)
    step = min(MOST_SLOT, (zone.width - 18) / len(there))
    left = zone.left + (zone.width - step * len(there)) / 2
    foot = ROOF - 1 if place & 1 else FLOOR
    return {
        what: Rectangle(left + number * step, foot - 47, step, 48)
        for number, what in enumerate(there)
    }


def _row_top(player: int) -> int:
    return SEATS_TOP + int(player) * (ROW + ROW_GAP)


def _cards_top(top: int) -> int:
    """Return the upper edge of the cards in a row that do not stand out."""
    return top + (ROW - HEIGHT + RAISED) // 2


def _card_lefts(number: int) -> list[int]:
    """Return the left edges of the cards of a hand; later ones lie on earlier ones."""
    step = float(WIDTH + 5)
    if number > 1:
        step = min(step, (HAND_WIDTH - WIDTH) / (number - 1))
    return [round(HAND_LEFT + step * place) for place in range(number)]


def _card_box(hand: list[int | None], card: int, top: int) -> Rectangle:
    """Return where the copies of a card that may be played can be seen."""
    lefts = _card_lefts(len(hand))
    first, last = hand.index(card), len(hand) - 1 - hand[::-1].index(card)
    right = lefts[last] + WIDTH
    if last + 1 < len(hand):
        right = min(right, lefts[last + 1])
    return Rectangle(
        lefts[first], _cards_top(top) - RAISED, right - lefts[first], HEIGHT
    )


def _own_loot(player: int, kind: int) -> Rectangle:
    """Return a kind of loot in the row of the player who has it."""
    left = LOOT_LEFT + kind * LOOT_STEP
    return Rectangle(left, _row_top(player) + 12, LOOT_WIDTH, ROW - 24)


def _portrait(player: int) -> Rectangle:
    """Return the bandit in the row of the player."""
    return Rectangle(PORTRAIT - 18, _row_top(player) + 8, 36, ROW - 16)


# -- painting


def _paint_train(surface: Any, now: Train, bandits: list[Seat]) -> None:
    """Draw the land, the cars, and what stands in and on them."""
    players = len(bandits)
    width = TOTAL_WIDTH - 2 * MARGIN
    paint_land(surface, (MARGIN, HEADER, width, SCENE_HEIGHT), GROUND)
    wide = _car_width(players)
    for car in range(players + 1):
        left = _car_left(players, car)
        area = (left + 5, ROOF, wide - 10, 96)
        paint_car(surface, area, car, car == players)
        name = car_name(car, players)
        text(surface, name, (left + wide / 2, GROUND + 18), 17, (112, 84, 52))
    for place in range(2 * (players + 1)):
        for (what, number), box in _slots(now, bandits, place).items():
            foot = (box.left + box.width / 2, box.top + box.height - 1)
            if what == "bandit":
                color = PLAYER_COLORS[number]
                if bandits[number].is_deciding:
                    circle(
                        surface,
                        (foot[0], foot[1] - 22),
                        23,
                        mixed(HIGHLIGHT, PANEL, 0.45),
                    )
                paint_bandit(surface, foot, color, number)
            elif what == "marshal":
                paint_marshal(surface, foot)
            else:
                _paint_heap(surface, foot, number, now.loot[place][number])


def _paint_heap(
    surface: Any, foot: tuple[float, float], kind: int, number: int
) -> None:
    """Draw loot on the train with its number."""
    paint_loot(surface, (foot[0], foot[1] - 13), kind)
    if number > 1:
        place = (foot[0] + 9, foot[1] - 27)
        circle(surface, place, 8, PANEL, INK, 1)
        text(surface, str(number), (place[0], place[1] + 1), 16, INK)


def _paint_round(surface: Any, now: Train, is_over: bool) -> None:
    """Draw the round card, and the queue of the cards that were played."""
    area = (MARGIN, QUEUE_TOP, TOTAL_WIDTH - 2 * MARGIN, QUEUE_HEIGHT)
    rounded_rectangle(surface, area, 10, PANEL, FAINT, 1)
    left = MARGIN + 14
    text(surface, ROUND_TITLES[now.card], (left, QUEUE_TOP + 9), 22, INK, "topleft")
    for number, kind in enumerate(now.turns):
        box = (left + number * TURN_STEP, QUEUE_TOP + 31, TURN_SIZE, TURN_SIZE)
        if number == now.turn:
            frame = (box[0] - 3, box[1] - 3, TURN_SIZE + 6, TURN_SIZE + 6)
            rounded_rectangle(surface, frame, 7, HIGHLIGHT)
        turn_picture(surface, kind, box)
    place = (left, QUEUE_TOP + QUEUE_HEIGHT - 20)
    text(surface, EVENTS[now.card], place, 15, MUTED, "topleft")
    words = "cards played" if now.turn is not None else "cards to carry out"
    if not is_over:
        number = f"{words}: {len(now.queue)}"
        text(surface, number, (QUEUE_LEFT, QUEUE_TOP + 4), 17, MUTED, "topleft")
    room = TOTAL_WIDTH - MARGIN - 12 - QUEUE_LEFT - WIDTH
    step = min(WIDTH + 5.0, room / max(len(now.queue) - 1, 1))
    for number, (seat, card) in enumerate(now.queue):
        corner = (round(QUEUE_LEFT + number * step), QUEUE_TOP + 22)
        picture = back_picture() if card is None else card_picture(card)
        surface.blit(picture, corner)
        mark = (corner[0] + 11, corner[1] + 11)
        circle(surface, mark, 9, PLAYER_COLORS[seat], PANEL, 1.5)
        text(surface, str(seat), (mark[0], mark[1] + 1), 16, PANEL)


def _paint_seat(surface: Any, seat: Seat, raised: set[int], top: int) -> None:
    color = PLAYER_COLORS[seat.player]
    row = Rectangle(MARGIN, top, TOTAL_WIDTH - 2 * MARGIN, ROW)
    ground = paint_row(surface, seat, row, divider=HAND_LEFT - 14)
    paint_bandit(surface, (PORTRAIT, top + ROW // 2 + 22), color, seat.player)
    _paint_facts(surface, seat, top)
    for kind, number in enumerate(seat.loot):
        _paint_own_loot(surface, kind, number, _own_loot(seat.player, kind))
    _paint_bullets(surface, seat, top)
    cards_top = _cards_top(top)
    for left, card in zip(_card_lefts(len(seat.hand)), seat.hand, strict=True):
        picture = back_picture() if card is None else card_picture(card)
        surface.blit(picture, (left, cards_top - RAISED * (card in raised)))
    if seat.deck:
        for layer in reversed(range(min(seat.deck, 3))):
            surface.blit(back_picture(), (DECK_LEFT + 3 * layer, cards_top - 2 * layer))
    else:
        box = (DECK_LEFT, cards_top, WIDTH, HEIGHT)
        rounded_rectangle(surface, box, 6, ground, FAINT, 2)
    place = (DECK_LEFT - 6, top + ROW / 2)
    text(surface, str(seat.deck), place, 20, MUTED, "midright")


def _paint_facts(surface: Any, seat: Seat, top: int) -> None:
    """Write names, dollars, what the player does and did last."""
    left, color = PORTRAIT + 24, PLAYER_COLORS[seat.player]
    paint_name(surface, seat, (left, top + 8), 21)
    text(surface, seat.name, (LOOT_LEFT - 14, top + 10), 18, MUTED, "topright")
    dollars = "$ ?" if seat.dollars is None else f"${seat.dollars}"
    text(surface, dollars, (left, top + 26), 32, INK, "topleft")
    words = color if seat.is_deciding else MUTED
    text(surface, seat.status, (LOOT_LEFT - 14, top + 33), 18, words, "topright")
    if seat.last is not None:
        fits = font(16).size(seat.last)[0] <= LOOT_LEFT - 10 - left
        height = 16 if fits else 13
        text(surface, seat.last, (left, top + 58), height, MUTED, "topleft")


def _paint_own_loot(surface: Any, kind: int, number: int, box: Rectangle) -> None:
    """Draw how much loot of a kind a player has."""
    middle = box.left + box.width / 2
    if number:
        area = (box.left, box.top, box.width, box.height)
        rounded_rectangle(surface, area, 8, mixed(PANEL, HIGHLIGHT, 0.16))
        paint_loot(surface, (middle, box.top + 20), kind, 1.15)
    color = INK if number else FAINT
    text(surface, str(number), (middle, box.top + box.height - 10), 20, color)


def _paint_bullets(surface: Any, seat: Seat, top: int) -> None:
    """Draw the bullets left to shoot, and say how many were received."""
    for number in range(BULLETS):
        center = (BULLETS_LEFT + 8 + number * 15, top + 34)
        paint_bullet(surface, center, number < seat.bullets)
    place = (BULLETS_LEFT + 2, top + 52)
    text(surface, f"received: {seat.hits}", place, 17, MUTED, "topleft")


def _paint_choices(
    surface: Any, now: Train, bandits: list[Seat], actions: list[int], seat: Seat
) -> None:
    """Mark what can be clicked when a card is carried out."""
    shapes: set[Shape] = set()
    for action in actions:
        if action > DRAW:
            pair = _shapes(now, bandits, seat.player, action)
            shapes.update(shape for shape in pair if shape is not None)
    for shape in shapes:
        if isinstance(shape, Rectangle):
            _paint_frame(surface, shape)


def _paint_frame(surface: Any, box: Rectangle) -> None:
    """Draw a frame around what can be clicked."""
    left, top = box.left + 2, box.top + 2
    right, bottom = box.left + box.width - 2, box.top + box.height - 2
    corners = [(left, top), (right, top), (right, bottom), (left, bottom)]
    for begin, end in zip(corners, [*corners[1:], corners[0]], strict=True):
        line(surface, begin, end, HIGHLIGHT, 3)
