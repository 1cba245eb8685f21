"""The table of a game of Love Letter, as one player or everybody sees it."""

from dataclasses import dataclass

import numpy as np

from mcts_agents.envs.love_letter.cards import TYPES
from mcts_agents.envs.love_letter.notation import ACTION_NAMES, CARD_NAMES
from mcts_agents.envs.love_letter.rules import (
    COMMON_DRAWN,
    COMMON_FACE_UP,
    COMMON_PILE,
    SEAT_DISCARDS,
    SEAT_HAND,
    SEAT_HAS_SEEN,
    SEAT_ON_TURN,
    SEAT_OUT,
    SEAT_PROTECTED,
)
from mcts_agents.model import RESULT_NAMES, ForwardModel


@dataclass(frozen=True)
class Seat:
    """One player's place at the table.

    Attributes:
        player: Index of the player.
        tokens: Tokens won.
        discards: Cards before the player as (number on the card, how many).
        hand: Cards in the hand by number, None for each that the viewer cannot see.
        last: The last action in the game, None before the first.
        status: What the player is doing, or how the game ended.
        is_deciding: Whether the player is on turn.
        is_viewer: Whether it is the place of the player who looks.
        has_seen: Whether the player has seen the viewer's hand, as both know.
    """

    player: int
    tokens: int
    discards: list[tuple[int, int]]
    hand: list[int | None]
    last: int | None
    status: str
    is_deciding: bool
    is_viewer: bool
    has_seen: bool


@dataclass(frozen=True)
class Middle:
    """What belongs to nobody.

    Attributes:
        pile: Number of cards to draw, without the reserve.
        has_reserve: Whether the card that was laid aside is still there.
        face_up: Cards laid aside for all to see, as (number on the card, how many).
    """

    pile: int
    has_reserve: bool
    face_up: list[tuple[int, int]]


def headline(model: ForwardModel, state: np.ndarray) -> str:
    """Return the round, and who won the one before."""
    view = model.view(state)
    winners = [f"player_{p}" for p in range(model.players) if view["winners"] >> p & 1]
    if model.is_over(state):
        return f"game over after {view['round']} rounds"
    current = f"round {view['round'] + 1}"
    if not winners:
        return current
    return f"{current}, the last one won by {' and '.join(winners)}"


def middle(model: ForwardModel, state: np.ndarray) -> Middle:
    """Return what lies between the players; all can see it."""
    *_, common = model.observe(state, 0).astype(int)
    return Middle(
        pile=int(common[COMMON_PILE]),
        has_reserve=bool(model.view(state)["pile_left"] > 0),
        face_up=_numbers(common[COMMON_FACE_UP:]),
    )


def seats(model: ForwardModel, state: np.ndarray, observer: int | None) -> list[Seat]:
    """Return all places in seat order.

    Hands are read from observations, so that nothing hidden can slip in. With observer
    None all are shown.
    """
    return [_seat(model, state, observer, player) for player in range(model.players)]


def _seat(
    model: ForwardModel, state: np.ndarray, observer: int | None, player: int
) -> Seat:
    eyes = player if observer is None else observer
    seen = model.observe(state, eyes).astype(int)
    row, common = seen[(player - eyes) % model.players], seen[-1]
    last = int(model.view(state)["last"][player])
    return Seat(
        player=player,
        tokens=int(model.scores(state)[player]),
        discards=_numbers(row[SEAT_DISCARDS:]),
        hand=_hand(row, int(common[COMMON_DRAWN]) if player == eyes else None),
        last=None if last < 0 else last,
        status=_status(model, state, player, row),
        is_deciding=bool(row[SEAT_ON_TURN]),
        is_viewer=player == observer,
        has_seen=observer is not None and bool(row[SEAT_HAS_SEEN]),
    )


def _numbers(counts: np.ndarray) -> list[tuple[int, int]]:
    return [(n + 1, int(number)) for n, number in enumerate(counts[:TYPES]) if number]


def _hand(row: np.ndarray, drawn: int | None) -> list[int | None]:
    """Return the card kept from before and the one drawn, of those that there are."""
    if row[SEAT_OUT]:
        return []
    cards: list[int | None] = [
        card for card, n in _numbers(row[SEAT_HAND:]) for _ in range(n)
    ]
    if drawn in cards:  # the new card goes last
        cards.remove(drawn)
        cards.append(drawn)
    return cards + [None] * (1 + int(row[SEAT_ON_TURN]) - len(cards))


def _status(
    model: ForwardModel, state: np.ndarray, player: int, row: np.ndarray
) -> str:
    if model.is_over(state):
        return RESULT_NAMES[model.results(state)[player]]
    if row[SEAT_OUT]:
        return "out of the round"
    if row[SEAT_PROTECTED]:
        return "protected"
    return "on turn" if row[SEAT_ON_TURN] else "waits"


def ansi(model: ForwardModel, state: np.ndarray, observer: int | None) -> str:
    """Return the table as text.

    Args:
        model: The forward model.
        state: The state.
        observer: Whose view it is; None shows all hands.
    """
    between = middle(model, state)
    cards = "1 card" if between.pile == 1 else f"{between.pile} cards"
    line = f"{cards} in the pile, {'1' if between.has_reserve else '0'} laid aside"
    if between.face_up:
        line += f", face up: {_listed(between.face_up)}"
    lines = [f"Love Letter  {headline(model, state)}", line]
    for seat in seats(model, state, observer):
        lines += ["", *_seat_lines(seat)]
    return "\n".join(lines)


def _seat_lines(seat: Seat) -> list[str]:
    """Return a line of facts, the discards and the hand of one player."""
    marker = ">" if seat.is_deciding else " "
    tokens = "1 token " if seat.tokens == 1 else f"{seat.tokens} tokens"
    facts = f"{marker} player_{seat.player}  {tokens:>9}  {seat.status:<16}"
    if seat.last is not None:
        facts += f"  last: {ACTION_NAMES[seat.last]}"
    hand = ", ".join("unknown" if c is None else CARD_NAMES[c] for c in seat.hand)
    if seat.has_seen:
        hand += "   (has seen your card)"
    return [
        facts.rstrip(),
        f"    discards  {_listed(seat.discards)}",
        f"    hand      {hand or '-'}",
    ]


def _listed(cards: list[tuple[int, int]]) -> str:
    """Return cards as text, such as `guard x2, king`."""
    return (
        ", ".join(
            CARD_NAMES[card] + (f" x{number}" if number > 1 else "")
            for card, number in cards
        )
        or "-"
    )
