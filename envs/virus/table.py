"""The table of a game of Virus!, as one player or everybody sees it."""

from collections import Counter
from dataclasses import dataclass

import numpy as np

from mcts_agents.envs.virus.cards import COLOURS, DISCARD, DRAW_HAND, KINDS
from mcts_agents.envs.virus.notation import (
    CARD_NAMES,
    COLOUR_NAMES,
    action_text,
    is_published,
)
from mcts_agents.envs.virus.rules import (
    HAND_AT,
    SEAT_BODY,
    SEAT_CARDS,
    SEAT_COLUMNS,
    SEATS_AT,
    SEEN_IMMUNISED,
    SEEN_INFECTED,
    SEEN_NEUTRAL,
    SEEN_NONE,
    SEEN_VACCINATED,
    SLOT_COLUMNS,
    SLOT_FIRST,
    SLOT_SECOND,
    SLOT_STATE,
)
from mcts_agents.envs.virus.turns import DRAWN_GAME, MOST_ROUNDS, NO_ACTION
from mcts_agents.model import RESULT_NAMES, ForwardModel

_CARDS_DISCARDED = ("1 card", "2 cards", "3 cards")


@dataclass(frozen=True)
class Organ:
    """What lies in a slot of a body.

    Attributes:
        state: `SEEN_NONE` for an empty slot, or `SEEN_NEUTRAL` to `SEEN_IMMUNISED`.
        colours: The colours of the viruses or medicines on it.
    """

    state: int
    colours: tuple[int, ...]


@dataclass(frozen=True)
class Seat:
    """One player's place at the table.

    Attributes:
        player: Index of the player.
        body: The five slots.
        healthy: Number of healthy organs.
        hand: The cards by kind, ascending; None for each if the viewer cannot see them.
        last: The last action, as text; None before the first.
        status: What the player is doing, or how the game ended.
        is_deciding: Whether the player is on turn.
        is_viewer: Whether it is the place of the player who looks.
    """

    player: int
    body: list[Organ]
    healthy: int
    hand: list[int | None]
    last: str | None
    status: str
    is_deciding: bool
    is_viewer: bool


@dataclass(frozen=True)
class Middle:
    """What belongs to nobody.

    Attributes:
        pile: Number of cards to draw.
        discards: The discards as (kind, how many).
    """

    pile: int
    discards: list[tuple[int, int]]


def headline(model: ForwardModel, state: np.ndarray) -> str:
    """Return the round, or how the game ended."""
    view = model.view(state)
    if view["winner"] == DRAWN_GAME:
        return f"a draw after {MOST_ROUNDS} rounds"
    if model.is_over(state):
        return f"player_{int(view['winner'])} has four healthy organs"
    return f"round {model.round(state) + 1}, four healthy organs win"


def middle(model: ForwardModel, state: np.ndarray) -> Middle:
    """Return what lies between the players; all can see it."""
    view = model.view(state)
    numbers = enumerate(view["discards"].tolist())
    return Middle(
        pile=int(view["pile_left"]),
        discards=[(card, number) for card, number in numbers if number],
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
    row = seen[SEATS_AT + SEAT_COLUMNS * ((player - eyes) % model.players) :]
    hand: list[int | None] = [None] * int(row[SEAT_CARDS])
    if player == eyes:
        counts = seen[HAND_AT : HAND_AT + KINDS]
        hand = [card for card in range(KINDS) for _ in range(counts[card])]
    view, is_deciding = model.view(state), player in model.movers(state)
    status = "waits"
    if is_deciding:
        status = "spreads on" if view["spreading"] else "on turn"
    elif model.is_over(state):
        status = RESULT_NAMES[model.results(state)[player]]
    return Seat(
        player=player,
        body=[_organ(row[SEAT_BODY + SLOT_COLUMNS * n :]) for n in range(COLOURS)],
        healthy=int(model.scores(state)[player]),
        hand=hand,
        last=_last(model, player, int(view["last"][player])),
        status=status,
        is_deciding=is_deciding,
        is_viewer=player == observer,
    )


def _organ(seen: np.ndarray) -> Organ:
    colours = (int(seen[place]) - 1 for place in (SLOT_FIRST, SLOT_SECOND))
    return Organ(int(seen[SLOT_STATE]), tuple(c for c in colours if c >= 0))


def _last(model: ForwardModel, player: int, action: int) -> str | None:
    """Return what a player did last as all have seen it."""
    if action == NO_ACTION:
        return None
    if DISCARD < action < DRAW_HAND:
        return f"discard {_CARDS_DISCARDED[(action - DISCARD).bit_count() - 1]}"
    players = model.players
    return action_text(
        action,
        lambda distance: f"player_{(player + distance) % players}",
        is_published(model),
    )


def organ_text(slot: int, organ: Organ) -> str:
    """Return an organ as text, such as `brain, infected (wild)`."""
    name = COLOUR_NAMES[slot]
    lying = ", ".join(COLOUR_NAMES[colour] for colour in organ.colours)
    words = {
        SEEN_NEUTRAL: name,
        SEEN_INFECTED: f"{name} infected ({lying})",
        SEEN_VACCINATED: f"{name} vaccinated ({lying})",
        SEEN_IMMUNISED: f"{name} immunised ({lying})",
    }
    return words[organ.state]


def ansi(model: ForwardModel, state: np.ndarray, observer: int | None) -> str:
    """Return the table as text.

    Args:
        model: The forward model.
        state: The state.
        observer: Whose view it is; None shows all hands.
    """
    between = middle(model, state)
    lines = [
        f"Virus!  {headline(model, state)}",
        f"pile: {between.pile}, discards: {_listed(dict(between.discards))}",
    ]
    for seat in seats(model, state, observer):
        lines += ["", *_seat_lines(seat)]
    return "\n".join(lines)


def _seat_lines(seat: Seat) -> list[str]:
    """Return a line of facts, the body and the hand of one player."""
    marker = ">" if seat.is_deciding else " "
    facts = f"{marker} player_{seat.player}  {seat.healthy} healthy  {seat.status:<10}"
    if seat.last is not None:
        facts += f"  last: {seat.last}"
    organs = [
        organ_text(slot, organ)
        for slot, organ in enumerate(seat.body)
        if organ.state != SEEN_NONE
    ]
    return [
        facts.rstrip(),
        f"    body: {', '.join(organs) or '-'}",
        f"    hand: {_listed(Counter(seat.hand))}",
    ]


def _listed(numbers: dict[int | None, int]) -> str:
    """Return cards as text, such as `organ heart x2, thief`; `unknown` if hidden."""
    listed = (
        ("unknown" if card is None else CARD_NAMES[card])
        + (f" x{number}" if number > 1 else "")
        for card, number in numbers.items()
    )
    return ", ".join(listed) or "-"
