"""What lies on the table of a game of Sushi Go!, as one player or everybody sees it."""

from dataclasses import dataclass

import numpy as np

from mcts_agents.envs.sushi_go.cards import (
    CARD_OF,
    ON_WASABI,
    PUDDING,
    SQUID,
    TYPES,
    USE_CHOPSTICKS,
    WASABI,
)
from mcts_agents.envs.sushi_go.notation import ACTION_NAMES
from mcts_agents.envs.sushi_go.rules import (
    COMMON_HAND_SIZE,
    COMMON_PENDING,
    COMMON_ROUND,
    SEAT_FIELD,
    SEAT_HAND,
    SEAT_KNOWN,
    SEAT_ON_WASABI,
    SEAT_USES_CHOPSTICKS,
)
from mcts_agents.envs.sushi_go.turns import ROUNDS
from mcts_agents.model import RESULT_NAMES, ForwardModel


@dataclass(frozen=True)
class Seat:
    """One player's place at the table.

    Attributes:
        player: Index of the player.
        points: Points so far.
        puddings: Puddings on the field.
        field: Cards on the field as (action, number); an action of 12 or more is a
            nigiri together with the wasabi below it.
        hand: Cards in the hand as (type, number), None where they are not known.
        hand_size: Number of cards in the hand.
        set_aside: The action chosen in secret, where the viewer is who chose; or None.
        last: The actions of the last turn.
        status: What the player is doing, or how the game ended.
        is_deciding: Whether the player decides now.
        is_viewer: Whether it is the place of the player who looks.
    """

    player: int
    points: int
    puddings: int
    field: list[tuple[int, int]]
    hand: list[tuple[int, int]] | None
    hand_size: int
    set_aside: int | None
    last: list[int]
    status: str
    is_deciding: bool
    is_viewer: bool


def headline(model: ForwardModel, state: np.ndarray) -> str:
    """Return the round, and how many cards each player holds."""
    *_, common = model.observe(state, 0)
    if common[COMMON_ROUND] == ROUNDS:
        return "game over"
    size = common[COMMON_HAND_SIZE]
    cards = "1 card" if size == 1 else f"{size} cards"
    return f"round {common[COMMON_ROUND] + 1} of {ROUNDS}, {cards} a hand"


def seats(model: ForwardModel, state: np.ndarray, observer: int | None) -> list[Seat]:
    """Return all places in seat order.

    What may be hidden is read from observations, so that it cannot slip in. With
    observer None all hands are shown, a card chosen in secret still among them: whoever
    sees the whole table is not told pending choices either.
    """
    return [_seat(model, state, observer, player) for player in range(model.players)]


def _seat(
    model: ForwardModel, state: np.ndarray, observer: int | None, player: int
) -> Seat:
    eyes = player if observer is None else observer
    seen = model.observe(state, eyes).astype(int)
    row, common = seen[(player - eyes) % model.players], seen[-1]
    hand = row[SEAT_HAND : SEAT_HAND + TYPES]
    set_aside = _set_aside(common) if player == eyes else None
    if observer is None and set_aside is not None:
        hand[CARD_OF[set_aside]] += 1
        set_aside = None
    is_known = bool(row[SEAT_KNOWN])
    is_deciding = player in model.movers(state)
    return Seat(
        player=player,
        points=int(model.scores(state)[player]),
        puddings=int(row[SEAT_FIELD + PUDDING]),
        field=_field(row),
        hand=_numbers(hand) if is_known else None,
        hand_size=int(hand.sum() if is_known else common[COMMON_HAND_SIZE]),
        set_aside=set_aside,
        last=_last(model, state, player),
        status=_status(model, state, player, is_deciding, row),
        is_deciding=is_deciding,
        is_viewer=player == observer,
    )


def _set_aside(common: np.ndarray) -> int | None:
    pending = np.flatnonzero(common[COMMON_PENDING:][: len(CARD_OF)])
    return int(pending[0]) if len(pending) else None


def _numbers(counts: np.ndarray) -> list[tuple[int, int]]:
    return [(kind, int(number)) for kind, number in enumerate(counts) if number]


def _field(row: np.ndarray) -> list[tuple[int, int]]:
    """Return the cards on a field, nigiri on wasabi taken from their types."""
    counts = np.zeros(len(CARD_OF), int)
    counts[:TYPES] = row[SEAT_FIELD : SEAT_FIELD + TYPES]
    combined = row[SEAT_ON_WASABI : SEAT_ON_WASABI + 3]
    counts[ON_WASABI:] = combined
    counts[SQUID : SQUID + 3] -= combined
    counts[WASABI] -= combined.sum()
    return _numbers(counts)


def _last(model: ForwardModel, state: np.ndarray, player: int) -> list[int]:
    """Return what a player revealed in the last turn, which all have seen."""
    actions = [int(choices) >> 4 * player & 15 for choices in model.view(state)["last"]]
    return [action for action in actions if action != USE_CHOPSTICKS]


def _status(
    model: ForwardModel,
    state: np.ndarray,
    player: int,
    is_deciding: bool,
    row: np.ndarray,
) -> str:
    if model.is_over(state):
        return RESULT_NAMES[model.results(state)[player]]
    if row[SEAT_USES_CHOPSTICKS]:
        return "uses chopsticks"
    return "chooses" if is_deciding else "has chosen"


def ansi(model: ForwardModel, state: np.ndarray, observer: int | None) -> str:
    """Return the table as text.

    Args:
        model: The forward model.
        state: The state.
        observer: Whose view it is; None shows all hands.
    """
    lines = [f"Sushi Go!  {headline(model, state)}"]
    for seat in seats(model, state, observer):
        lines += ["", *_seat_lines(seat)]
    return "\n".join(lines)


def _seat_lines(seat: Seat) -> list[str]:
    """Return a line of facts, the field and the hand of one player."""
    marker = ">" if seat.is_deciding else " "
    points = "1 point " if seat.points == 1 else f"{seat.points} points"
    puddings = "1 pudding " if seat.puddings == 1 else f"{seat.puddings} puddings"
    last = " + ".join(ACTION_NAMES[action] for action in seat.last)
    facts = f"{marker} player_{seat.player}  {points:>10}  {puddings:>11}"
    facts += f"  {seat.status:<15}" + (f"  last: {last}" if last else "")
    hand = f"{seat.hand_size} unknown" if seat.hand is None else _listed(seat.hand)
    if seat.set_aside is not None:
        hand += f"   (set aside: {ACTION_NAMES[seat.set_aside]})"
    return [facts.rstrip(), f"    field  {_listed(seat.field)}", f"    hand   {hand}"]


def _listed(cards: list[tuple[int, int]]) -> str:
    """Return cards as text, such as `tempura x2, egg`."""
    return (
        ", ".join(
            ACTION_NAMES[kind] + (f" x{number}" if number > 1 else "")
            for kind, number in cards
        )
        or "-"
    )
