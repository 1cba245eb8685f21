"""What lies on the table of a game of Diamant; all but the deck's order is public."""

from dataclasses import dataclass

import numpy as np

from mcts_agents.envs.diamant.cards import (
    COPIES,
    FIRST_HAZARD,
    HAZARDS,
    LOOKALIKES,
    TREASURES,
)
from mcts_agents.envs.diamant.caves import ALL_LEFT, CAVES, GOES_ON
from mcts_agents.model import RESULT_NAMES, ForwardModel


@dataclass(frozen=True)
class Seat:
    """One player's place.

    Attributes:
        player: Index of the player.
        chest: Gems in safety.
        carried: Gems in the hand.
        status: Where the player is, or how the game ended.
        is_deciding: Whether the player decides now, being in the cave.
        is_viewer: Whether it is the place of the player who looks.
    """

    player: int
    chest: int
    carried: int
    status: str
    is_deciding: bool
    is_viewer: bool


@dataclass(frozen=True)
class Table:
    """What lies on the table.

    Attributes:
        headline: The cave's number.
        news: What happened at the last decision; empty at the start.
        path: Faces of the cards on the path, in the order of drawing.
        on_path: Gems left on the path.
        deck: Number of cards in the deck.
        dangerous: How many of these would end the cave.
        removed: Hazards (0 to 4) of the cards that left the game, ascending.
        seats: The players' places.
    """

    headline: str
    news: str
    path: list[int]
    on_path: int
    deck: int
    dangerous: int
    removed: list[int]
    seats: list[Seat]


def table(model: ForwardModel, state: np.ndarray, observer: int | None) -> Table:
    """Return what lies on the table; `observer` is the player who looks, or None."""
    view = model.view(state)
    path = [int(face) for face in view["path"][: view["path_length"]]]
    deck, box = int(view["deck"]), int(view["box"])
    hazards = [face for face in path if face >= FIRST_HAZARD]
    over = model.is_over(state)
    return Table(
        headline="game over" if over else f"cave {view['cave'] + 1} of {CAVES}",
        news=_news(view),
        path=path,
        on_path=int(view["on_path"]),
        deck=deck.bit_count(),
        dangerous=sum((deck & int(LOOKALIKES[face])).bit_count() for face in hazards),
        removed=[
            hazard
            for hazard in range(len(HAZARDS))
            for _ in range(
                COPIES - (box & int(LOOKALIKES[FIRST_HAZARD + hazard])).bit_count()
            )
        ],
        seats=[
            _seat(model, state, player, observer) for player in range(model.players)
        ],
    )


def _seat(
    model: ForwardModel, state: np.ndarray, player: int, observer: int | None
) -> Seat:
    view = model.view(state)
    inside = player in model.movers(state)
    status = "in the cave" if inside else "has left"
    if model.is_over(state):
        status = RESULT_NAMES[model.results(state)[player]]
    return Seat(
        player=player,
        chest=int(view["chests"][player]),
        carried=int(view["carried"]) if inside else 0,
        status=status,
        is_deciding=inside,
        is_viewer=player == observer,
    )


def _news(view: np.void) -> str:
    leaving = [f"player_{p}" for p in range(8) if int(view["last_leaving"]) >> p & 1]
    end = int(view["last_end"])
    news = []
    if leaving:
        verb = "leaves" if len(leaving) == 1 else "leave"
        news.append(f"{_and(leaving)} {verb}")
    if end == ALL_LEFT:
        news.append(f"cave {view['cave']} is empty")
    elif end != GOES_ON:
        hazard = HAZARDS[end - FIRST_HAZARD]
        news.append(f"second {hazard} in cave {view['cave']}")
    elif not leaving and view["turn"]:
        news.append("all go on")
    return "; ".join(news)


def _and(names: list[str]) -> str:
    """Return names as people list them."""
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def ansi(model: ForwardModel, state: np.ndarray, observer: int | None) -> str:
    """Return the table as text.

    Args:
        model: The forward model.
        state: The state.
        observer: Whose view it is; all see the same.
    """
    shown = table(model, state, observer)
    lines = [
        f"Diamant  {shown.headline}" + (f"  ({shown.news})" if shown.news else ""),
        "",
        f"path     {', '.join(map(_face_name, shown.path)) or '-'}",
        f"on path  {_gems(shown.on_path)}",
        f"deck     {shown.deck} cards, {shown.dangerous} of them would end the cave",
        f"removed  {', '.join(HAZARDS[hazard] for hazard in shown.removed) or '-'}",
        "",
        *map(_seat_line, shown.seats),
    ]
    return "\n".join(lines)


def _face_name(face: int) -> str:
    if face < FIRST_HAZARD:
        return str(TREASURES[face])
    return HAZARDS[face - FIRST_HAZARD]


def _gems(number: int) -> str:
    return f"{number} gem" if number == 1 else f"{number} gems"


def _seat_line(seat: Seat) -> str:
    marker = ">" if seat.is_deciding else " "
    line = f"{marker} player_{seat.player}  chest {seat.chest:>3}  {seat.status}"
    return line + (f", carries {seat.carried}" if seat.is_deciding else "")
