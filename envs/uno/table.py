"""The table of a game of Uno, as one player or everybody sees it."""

from dataclasses import dataclass

import numpy as np

from mcts_agents.envs.uno.cards import KINDS, NO_COLOUR
from mcts_agents.envs.uno.notation import (
    ACTION_NAMES,
    CARD_NAMES,
    COLOUR_NAMES,
    NO_COLOUR_NAME,
)
from mcts_agents.envs.uno.rounds import KEPT, NO_ACTION, PLAYED
from mcts_agents.envs.uno.rules import HAND_AT, SEAT_CARDS, SEAT_COLUMNS, SEATS_AT
from mcts_agents.model import RESULT_NAMES, ForwardModel

_DRAWN = {KEPT: "drew a card", PLAYED: "drew and played a card"}


@dataclass(frozen=True)
class Seat:
    """One player's place at the table.

    Attributes:
        player: Index of the player.
        points: Points of the rounds ended.
        hand: The cards by kind, ascending; None for each if the viewer cannot see them.
        last: The last action, as text; None before the first.
        status: What the player is doing, or how the game ended.
        is_deciding: Whether the player is on turn.
        is_viewer: Whether it is the place of the player who looks.
    """

    player: int
    points: int
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
        discards: Number of cards played, the one on top included.
        top: The kind of the card on top.
        colour: The colour in force, None if there is none.
        direction: 1 if play goes on to the next higher seat, else -1.
    """

    pile: int
    discards: int
    top: int
    colour: int | None
    direction: int

    @property
    def colour_name(self) -> str:
        """The colour in force as text."""
        return NO_COLOUR_NAME if self.colour is None else COLOUR_NAMES[self.colour]


def headline(model: ForwardModel, state: np.ndarray) -> str:
    """Return the round and the points that end the game."""
    rounds, target = int(model.view(state)["round"]), int(model.game["target"][0])
    if model.is_over(state):
        return f"game over after {rounds} {'round' if rounds == 1 else 'rounds'}"
    return f"round {rounds + 1}, {target} points end the game"


def middle(model: ForwardModel, state: np.ndarray) -> Middle:
    """Return what lies between the players; all can see it."""
    view = model.view(state)
    colour = int(view["colour"])
    return Middle(
        pile=int(view["pile_size"]),
        discards=sum(int(word).bit_count() for word in view["discards"]),
        top=int(view["top"]),
        colour=None if colour == NO_COLOUR else colour,
        direction=int(view["direction"]),
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
    last = int(view["last"][player])
    status = "on turn" if is_deciding else "waits"
    if model.is_over(state):
        status = RESULT_NAMES[model.results(state)[player]]
    return Seat(
        player=player,
        points=int(view["points"][player]),
        hand=hand,
        last=None if last == NO_ACTION else _last(last, int(view["last_draw"][player])),
        status=status,
        is_deciding=is_deciding,
        is_viewer=player == observer,
    )


def _last(action: int, last_draw: int) -> str:
    return _DRAWN.get(last_draw, ACTION_NAMES[action])


def ansi(model: ForwardModel, state: np.ndarray, observer: int | None) -> str:
    """Return the table as text.

    Args:
        model: The forward model.
        state: The state.
        observer: Whose view it is; None shows all hands.
    """
    between = middle(model, state)
    way = "up" if between.direction > 0 else "down"
    lines = [
        f"Uno  {headline(model, state)}",
        f"on top: {CARD_NAMES[between.top]}, colour: {between.colour_name}, "
        f"seats go {way}, pile: {between.pile}, discards: {between.discards}",
    ]
    for seat in seats(model, state, observer):
        lines += ["", *_seat_lines(seat)]
    return "\n".join(lines)


def _seat_lines(seat: Seat) -> list[str]:
    """Return a line of facts and the hand of one player."""
    marker = ">" if seat.is_deciding else " "
    cards = "1 card" if len(seat.hand) == 1 else f"{len(seat.hand)} cards"
    facts = f"{marker} player_{seat.player}  {seat.points:>4} points  {cards:>8}  "
    facts += f"{seat.status:<8}"
    if seat.last is not None:
        facts += f"  last: {seat.last}"
    return [facts.rstrip(), f"    {_listed(seat.hand)}"]


def _listed(hand: list[int | None]) -> str:
    """Return cards as text, such as `red 5 x2, wild`; `unknown` if they are hidden."""
    counts: dict[str, int] = {}
    for card in hand:
        name = "unknown" if card is None else CARD_NAMES[card]
        counts[name] = counts.get(name, 0) + 1
    listed = (name + (f" x{n}" if n > 1 else "") for name, n in counts.items())
    return ", ".join(listed) or "-"
