"""The table of a game of Dominion, as one player or everybody sees it."""

from dataclasses import dataclass

import numpy as np

from mcts_agents.envs.dominion.cards import COST, MINE, TYPES, WORKSHOP
from mcts_agents.envs.dominion.notation import ACTION_NAMES, CARD_NAMES
from mcts_agents.envs.dominion.rules import (
    COMMON_SUPPLY,
    COMMON_TABLE,
    COMMON_TRASH,
    SEAT_DISCARDS,
    SEAT_HAND,
    SEAT_ROWS,
)
from mcts_agents.envs.dominion.turns import (
    ATTACKED,
    BUYING,
    CELLAR_DISCARDS,
    MILITIA_DISCARDS,
    MINE_MORE,
    OVER,
    PLAYING_CARDS,
    REMODEL_MORE,
    TRASHING,
    WORKSHOP_COST,
)
from mcts_agents.model import RESULT_NAMES, ForwardModel

Counts = list[tuple[int, int]]  # types of cards with their numbers


@dataclass(frozen=True)
class Seat:
    """One player's place at the table.

    Attributes:
        player: Index of the player.
        points: Victory points of all cards.
        hand: Cards in the hand as (type, how many), those that the viewer knows.
        unknown: Number of the other cards in the hand.
        pile: Number of cards to draw.
        discards: The discard pile as (type, how many).
        table: Cards played in this turn as (type, how many).
        last: The last action, as text; None before the first.
        status: What the player is doing, or how the game ended.
        is_deciding: Whether the player decides now.
        is_viewer: Whether it is the place of the player who looks.
    """

    player: int
    points: int
    hand: Counts
    unknown: int
    pile: int
    discards: Counts
    table: Counts
    last: str | None
    status: str
    is_deciding: bool
    is_viewer: bool


@dataclass(frozen=True)
class Middle:
    """What belongs to nobody.

    Attributes:
        supply: Number of cards of each type that are left.
        trash: The trash as (type, how many).
    """

    supply: list[int]
    trash: Counts


def headline(model: ForwardModel, state: np.ndarray) -> str:
    """Return whose turn it is and what is left of it, or that the game is over."""
    view = model.view(state)
    if model.is_over(state):
        return f"game over after {view['turn']} turns"
    actions, buys = int(view["actions"]), int(view["buys"])
    left = f"{buys} {'buy' if buys == 1 else 'buys'}"
    if view["phase"] != BUYING:
        left = f"{actions} {'action' if actions == 1 else 'actions'}, {left}"
    return f"turn {view['turn'] + 1}, player_{view['turn_of']}: {left}"


def money(model: ForwardModel, state: np.ndarray, observer: int | None) -> str | None:
    """Return what can be spent, as text; None at the end.

    What other players' hands are worth is hidden: for them only the money of the cards
    played is told.
    """
    view = model.view(state)
    if model.is_over(state):
        return None
    turn_of = int(view["turn_of"])
    left = int(view["money"]) - int(view["spent"])
    if observer not in (None, turn_of):
        return f"{left} coins beside the treasures" if left > 0 else None
    hand = model.observe(state, turn_of)[SEAT_HAND].astype(int)
    left += int(hand[:3] @ np.arange(1, 4))
    return f"{left} coin" if left == 1 else f"{left} coins"


def question(model: ForwardModel, state: np.ndarray) -> str | None:
    """Return what a player is asked; None at the end."""
    view = model.view(state)
    phase, effect = int(view["phase"]), int(view["effect"])
    if phase == OVER:
        return None
    if phase == PLAYING_CARDS:
        what = "plays a card or ends the actions"
    elif phase == BUYING:
        what = "buys a card or ends the turn"
    elif phase == CELLAR_DISCARDS:
        what = f"discards for the cellar, {view['discarded']} so far"
    elif phase == MILITIA_DISCARDS:
        what = "discards down to three cards"
    elif phase == ATTACKED:
        what = "is attacked and may show a moat"
    elif phase == TRASHING:
        what = f"trashes a card for the {CARD_NAMES[effect]}"
    elif effect == WORKSHOP:
        what = f"gains a card that costs at most {WORKSHOP_COST}"
    else:
        more, kind = (
            (MINE_MORE, "treasure") if effect == MINE else (REMODEL_MORE, "card")
        )
        most = COST[view["trashed"]] + more
        what = f"gains a {kind} that costs at most {most}"
    return f"player_{view['player']} {what}"


def middle(model: ForwardModel, state: np.ndarray) -> Middle:
    """Return what lies between the players; all can see it."""
    common = model.observe(state, 0)[SEAT_ROWS * model.players :].astype(int)
    return Middle(common[COMMON_SUPPLY].tolist(), _counts(common[COMMON_TRASH]))


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
    view, seen = model.view(state), model.observe(state, eyes).astype(int)
    rows = seen[SEAT_ROWS * ((player - eyes) % model.players) :]
    hand = _counts(rows[SEAT_HAND])
    table = seen[SEAT_ROWS * model.players + COMMON_TABLE]
    last = int(view["last"][player])
    is_deciding = player in model.movers(state)
    is_on_turn = player == view["turn_of"]
    status = "decides" if is_deciding else "on turn" if is_on_turn else "waits"
    if model.is_over(state):
        status = RESULT_NAMES[model.results(state)[player]]
    return Seat(
        player=player,
        points=int(view["points"][player]),
        hand=hand,
        unknown=int(view["hand_sizes"][player]) - sum(number for _, number in hand),
        pile=int(view["pile_left"][player]),
        discards=_counts(rows[SEAT_DISCARDS]),
        table=_counts(table) if is_on_turn else [],
        last=None if last < 0 else ACTION_NAMES[last],
        status=status,
        is_deciding=is_deciding,
        is_viewer=player == observer,
    )


def _counts(numbers: np.ndarray) -> Counts:
    return [(n, int(number)) for n, number in enumerate(numbers[:TYPES]) if number]


def ansi(model: ForwardModel, state: np.ndarray, observer: int | None) -> str:
    """Return the table as text.

    Args:
        model: The forward model.
        state: The state.
        observer: Whose view it is; None shows all hands.
    """
    between = middle(model, state)
    coins = money(model, state, observer)
    first = f"Dominion  {headline(model, state)}"
    asked = question(model, state)
    lines = [
        first if coins is None else f"{first}, {coins}",
        *([] if asked is None else [asked]),
        f"supply  {_supply_line(between.supply)}",
        f"trash   {listed(between.trash)}",
    ]
    for seat in seats(model, state, observer):
        lines += ["", *_seat_lines(seat)]
    return "\n".join(lines)


def _supply_line(supply: list[int]) -> str:
    piles = (f"{CARD_NAMES[card]} {number}" for card, number in enumerate(supply))
    return ", ".join(piles)


def _seat_lines(seat: Seat) -> list[str]:
    """Return a line of facts, the hand, the table and the discards of one player."""
    marker = ">" if seat.is_deciding else " "
    points = f"{seat.points} {'point' if seat.points == 1 else 'points'}"
    facts = f"{marker} player_{seat.player}  {points:>10}  {seat.status:<8}"
    if seat.last is not None:
        facts += f"  last: {seat.last}"
    hand = [] if not seat.hand else [listed(seat.hand)]
    if seat.unknown:
        hand.append(f"{seat.unknown} unknown")
    lines = [facts.rstrip(), f"    hand      {', '.join(hand) or '-'}"]
    if seat.table:
        lines.append(f"    played    {listed(seat.table)}")
    lines.append(f"    discards  {listed(seat.discards)}")
    return [*lines, f"    pile      {seat.pile} cards"]


def listed(cards: Counts) -> str:
    """Return cards as text, such as `copper x3, moat`."""
    names = (CARD_NAMES[card] + (f" x{n}" if n > 1 else "") for card, n in cards)
    return ", ".join(names) or "-"
