"""Rows of a store as records; an error names the table, the row and the column.

SQLite keeps any value in any column, and anybody may edit a store, so all that is used
is checked where it is read.
"""

import json
from collections.abc import Sequence
from functools import lru_cache
from typing import Annotated, Any, Literal, TypeVar

import numpy as np
import pydantic_core
from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    Json,
    ValidationError,
)

from mcts_agents.arena.playing.budgets import budget_setting
from mcts_agents.arena.playing.fixtures import (
    Entrant,
    Failure,
    Fixture,
    GameRecord,
    SeatRecord,
    Setting,
)
from mcts_agents.arena.tournaments.store_tables import (
    FAILURE_COLUMNS,
    GAME_COLUMNS,
    SEAT_COLUMNS,
    Row,
)
from mcts_agents.model.contract import MAX_PLAYERS

M = TypeVar("M", bound=BaseModel)

# Whole numbers up to here are the same in SQLite, JSON and NumPy.
MOST = 2**53
# Characters of a wrong value that an error shows.
_SHOWN = 60


class RowError(ValueError):
    """A row holds what no store has; the message names table, row, column and value."""


def _budget(text: str) -> str:
    try:
        budget_setting(text or "1")
    except ValueError as error:
        raise ValueError("expected 40ms, 1s, 1000, 5000calls or the like") from error
    return text


@lru_cache(maxsize=1024)  # an agent has the same one in all games of a setting
def _spec(text: str) -> str:
    try:
        pydantic_core.from_json(text)  # refuses what is nested too deep
        found = json.loads(text)
    except ValueError as error:
        raise ValueError("expected a mapping as JSON") from error
    if not isinstance(found, dict):
        raise ValueError("expected a mapping as JSON")
    return text


def _times(content: bytes) -> bytes:
    if len(content) % 4 == 0:
        times = np.frombuffer(content, "<f4")
        if (np.isfinite(times) & (times >= 0)).all():
            return content
    raise ValueError("expected a time for each decision, in seconds, of 4 bytes each")


Count = Annotated[int, Field(ge=0, le=MOST)]
Positive = Annotated[int, Field(ge=1, le=MOST)]
Players = Annotated[int, Field(ge=1, le=MAX_PLAYERS)]
Player = Annotated[int, Field(ge=0, lt=MAX_PLAYERS)]
Seconds = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Budget = Annotated[str, AfterValidator(_budget)]
Spec = Annotated[str, AfterValidator(_spec)]


class _Checked(BaseModel):
    model_config = ConfigDict(strict=True)


class _Played(_Checked):
    """Columns that games have, and games that could not be played."""

    number: Positive
    game: str
    players: Players
    budget: Budget
    round: Count
    seed: Count

    def setting(self) -> Setting:
        return Setting(self.game, self.players, self.budget)


class _Game(_Played):
    moves: Json[list[tuple[Player, Count]]]
    seconds: Seconds
    version: str


class _Seat(_Checked):
    seat: Player
    agent: str
    spec: Spec
    seed: Count
    result: Literal["won", "drawn", "lost"]
    win: Annotated[float, Field(ge=0, le=1)]
    rank: Annotated[float, Field(ge=1, le=MAX_PLAYERS)]
    score: Annotated[float, Field(allow_inf_nan=False)]
    simulations: Count
    searches: Count
    depth: Annotated[float, Field(ge=0, le=MOST)]
    decision_seconds: Annotated[bytes, AfterValidator(_times)]
    team: Player

    def record(self) -> SeatRecord:
        fields = self.model_dump(exclude={"seat", "decision_seconds"})
        return SeatRecord(seconds=np.frombuffer(self.decision_seconds, "<f4"), **fields)


class _Failure(_Played):
    seats: Json[list[tuple[str, Spec]]]
    error: str
    details: str


class _Open(_Checked):
    """What a later version may have more of."""

    model_config = ConfigDict(extra="allow")


class _DescribedGame(_Open):
    game: str
    players: list[Players]
    search: dict[str, Any]


class _Description(_Open):
    """What `TournamentSpec.description` returns, as far as others use it.

    The options of its agents are not looked at: a later version may have others.
    """

    games: list[_DescribedGame]
    agents: dict[str, dict[str, Any]]
    field: dict[str, Any] | None
    budgets: list[Budget]
    design: str
    games_each: Positive
    seed: Count
    opening: Count = 0
    sources: dict[str, str] = {}  # SHA-256 of modules, by name


class _Tournament(_Checked):
    description: Json[_Description]
    total: Count


def described(row: Row) -> tuple[dict[str, Any], int]:
    """Return what is played, and how many games that are.

    Args:
        row: The columns description and total of `tournament`.

    Raises:
        RowError: The row holds what no store has.
    """
    found = _checked(_Tournament, ("description", "total"), row, "table tournament")
    return found.description.model_dump(exclude_unset=True), found.total


def game_of(row: Row, seats: list[Row]) -> GameRecord:
    """Return the game that rows of `games` and `seats` hold.

    Args:
        row: The columns `GAME_COLUMNS` of `games`.
        seats: The columns `SEAT_COLUMNS` of its rows of `seats`, by their numbers.

    Raises:
        RowError: A row holds what no store has, or a seat is missing.
    """
    place = f"table games, number {_shown(row[0])}"
    game = _checked(_Game, _names(GAME_COLUMNS), row, place)
    names, beside = _names(SEAT_COLUMNS), f"table seats, number {game.number}"
    found = [
        _checked(_Seat, names, seat, f"{beside}, seat {_shown(seat[1])}")
        for seat in seats
    ]
    if [seat.seat for seat in found] != list(range(game.players)):
        raise RowError(
            f"{place}: players={game.players}, and table seats has the seats "
            f"{[seat.seat for seat in found]} of it"
        )
    return GameRecord(
        number=game.number,
        setting=game.setting(),
        round=game.round,
        seed=game.seed,
        moves=tuple(game.moves),
        seconds=game.seconds,
        version=game.version,
        seats=tuple(seat.record() for seat in found),
    )


def failure_of(row: Row) -> Failure:
    """Return the failure that a row of `failures`, its `FAILURE_COLUMNS`, holds.

    Raises:
        RowError: The row holds what no store has.
    """
    place = f"table failures, number {_shown(row[0])}"
    checked = _checked(_Failure, _names(FAILURE_COLUMNS), row, place)
    fixture = Fixture(
        number=checked.number,
        setting=checked.setting(),
        round=checked.round,
        seed=checked.seed,
        seats=tuple(Entrant(*seat) for seat in checked.seats),
    )
    return Failure(fixture, checked.error, checked.details)


def _names(columns: str) -> list[str]:
    return columns.split(", ")


def _checked(kind: type[M], names: Sequence[str], row: Row, place: str) -> M:
    try:
        return kind.model_validate(dict(zip(names, row, strict=True)))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        at = ".".join(map(str, first["loc"]))
        if first["type"] == "missing":
            raise RowError(f"{place}: {at} is missing") from error
        value = _shown(first["input"])
        message = first["msg"].removeprefix("Value error, ")
        message = message.replace("Input should be", "expected")
        if first["type"] == "model_type":
            message = "expected a mapping as JSON"  # without the name of a class
        raise RowError(f"{place}: {at}={value}: {message}") from error


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
