"""The table of a game of Exploding Kittens, as one player or everybody sees it."""

from dataclasses import dataclass

import numpy as np

from mcts_agents.envs.exploding_kittens.cards import (
    GIVE,
    GIVEN_TYPES,
    PLACE,
    PUT_BACK,
    TYPES,
)
from mcts_agents.envs.exploding_kittens.notation import ACTION_NAMES, CARD_NAMES
from mcts_agents.envs.exploding_kittens.rules import (
    COMMON_DISCARDS,
    PILE_KNOWN,
    SEAT_CARDS,
    SEAT_HAND,
)
from mcts_agents.envs.exploding_kittens.turns import (
    ASKED,
    GIVING,
    MAIN,
    ORDERING,
    OVER,
)
from mcts_agents.model import RESULT_NAMES, ForwardModel

# What all see of an action whose card, order or place is hidden.
_VEILED = {GIVE: "give a card", PUT_BACK: "order", PLACE: "place the kitten"}
_DECISIONS = ("on turn", "nope?", "gives a card", "orders", "places the kitten")


@dataclass(frozen=True)
class Seat:
    """One player's place at the table.

    Attributes:
        player: Index of the player.
        hand: Cards in the hand as (type, how many), those that the viewer knows.
        unknown: Number of the other cards in the hand.
        last: The last action in the game as all saw it, None before the first.
        status: What the player is doing, or how the game ended.
        is_deciding: Whether the player decides now.
        is_out: Whether the player has exploded.
        is_viewer: Whether it is the place of the player who looks.
    """

    player: int
    hand: list[tuple[int, int]]
    unknown: int
    last: str | None
    status: str
    is_deciding: bool
    is_out: bool
    is_viewer: bool


@dataclass(frozen=True)
class Middle:
    """What belongs to nobody.

    Attributes:
        pile: The pile from the top, None for each card that the viewer does not know.
        kittens: How many of these cards are kittens; all players know it.
        discards: The discard pile as (type, how many).
    """

    pile: list[int | None]
    kittens: int
    discards: list[tuple[int, int]]


def headline(model: ForwardModel, state: np.ndarray) -> str:
    """Return whose turn it is, or who has won."""
    view = model.view(state)
    if model.is_over(state):
        (winner,) = (p for p in range(model.players) if view["alive"] >> p & 1)
        return f"player_{winner} is the last one"
    times = "once" if view["draws"] == 1 else "twice"
    return f"turn {view['turn'] + 1}, player_{view['turn_of']} has to draw {times}"


def question(model: ForwardModel, state: np.ndarray) -> str | None:
    """Return what is decided now, None if it is what to play or nothing."""
    view = model.view(state)
    phase, decider = int(view["phase"]), int(view["player"])
    if phase in (MAIN, OVER):
        return None
    if phase == ASKED:
        return f"player_{view['turn_of']} plays {stack(model, state)}"
    if phase == GIVING:
        return f"player_{decider} gives player_{view['turn_of']} a card"
    if phase == ORDERING:
        return f"player_{decider} orders the top cards"
    return f"player_{decider} puts the kitten back"


def stack(model: ForwardModel, state: np.ndarray) -> str:
    """Return the card that may be noped and who has noped."""
    view = model.view(state)
    nopers = [f"player_{seat}" for seat in view["nopers"][: view["nopes"]]]
    played = ACTION_NAMES[view["pending"]]
    return f"{played}, noped by {', '.join(nopers)}" if nopers else played


def middle(model: ForwardModel, state: np.ndarray, observer: int | None) -> Middle:
    """Return what lies between the players, as far as the observer knows it."""
    view = model.view(state)
    if observer is None:
        pile = [int(card) for card in view["pile"][: view["pile_left"]][::-1]]
        shown: list[int | None] = list(pile)
    else:
        row = model.observe(state, observer)[-1].astype(int)
        known = [card - PILE_KNOWN for card in row[: view["pile_left"]]]
        shown = [card if card >= 0 else None for card in known]
    common = model.observe(state, 0)[-2].astype(int)
    kittens = int(view["pile"][: view["pile_left"]].tolist().count(TYPES - 1))
    return Middle(shown, kittens, _numbers(common[COMMON_DISCARDS:], TYPES))


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
    view = model.view(state)
    row = model.observe(state, eyes).astype(int)[(player - eyes) % model.players]
    hand = _numbers(row[SEAT_HAND:], GIVEN_TYPES)
    last = int(view["last"][player])
    is_deciding = player in model.movers(state)
    return Seat(
        player=player,
        hand=hand,
        unknown=int(row[SEAT_CARDS]) - sum(number for _, number in hand),
        last=None if last < 0 else _VEILED.get(last, ACTION_NAMES[last]),
        status=_status(model, state, player, is_deciding),
        is_deciding=is_deciding,
        is_out=bool(view["order_of_death"][player]),
        is_viewer=player == observer,
    )


def _numbers(counts: np.ndarray, types: int) -> list[tuple[int, int]]:
    return [(n, int(number)) for n, number in enumerate(counts[:types]) if number]


def _status(
    model: ForwardModel, state: np.ndarray, player: int, is_deciding: bool
) -> str:
    view = model.view(state)
    if model.is_over(state):
        return RESULT_NAMES[model.results(state)[player]]
    if view["order_of_death"][player]:
        return "exploded"
    return _DECISIONS[view["phase"]] if is_deciding else "waits"


def ansi(model: ForwardModel, state: np.ndarray, observer: int | None) -> str:
    """Return the table as text.

    Args:
        model: The forward model.
        state: The state.
        observer: Whose view it is; None shows all hands and the pile.
    """
    between = middle(model, state, observer)
    asked = question(model, state)
    lines = [
        f"Exploding Kittens  {headline(model, state)}",
        *([] if asked is None else [asked]),
        f"{len(between.pile)} cards in the pile, kittens: {between.kittens}",
        f"from the top  {_pile_line(between.pile)}",
        f"discards      {_listed(between.discards)}",
    ]
    for seat in seats(model, state, observer):
        lines += ["", *_seat_lines(seat)]
    return "\n".join(lines)


def _pile_line(pile: list[int | None]) -> str:
    """Return the known cards of a pile, those after the last one left out."""
    known = [place for place, card in enumerate(pile) if card is not None]
    if not known:
        return "unknown"
    shown = pile[: known[-1] + 1]
    return " ".join("?" if card is None else CARD_NAMES[card] for card in shown)


def _seat_lines(seat: Seat) -> list[str]:
    """Return a line of facts and the hand of one player."""
    marker = ">" if seat.is_deciding else " "
    facts = f"{marker} player_{seat.player}  {seat.status:<18}"
    if seat.last is not None:
        facts += f"  last: {seat.last}"
    hand = [] if not seat.hand else [_listed(seat.hand)]
    if seat.unknown:
        hand.append(f"{seat.unknown} unknown")
    return [facts.rstrip(), f"    hand  {', '.join(hand) or '-'}"]


def _listed(cards: list[tuple[int, int]]) -> str:
    """Return cards as text, such as `skip x2, nope`."""
    return (
        ", ".join(
            CARD_NAMES[card] + (f" x{number}" if number > 1 else "")
            for card, number in cards
        )
        or "-"
    )
