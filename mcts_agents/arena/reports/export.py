"""Games as rows of a table, one per seat, as CSV or Parquet.

Columns (a game's are repeated in the rows of its seats):

    number            number of the game in the tournament, from 1
    game              spec of the game
    players           number of players
    budget            budget of each decision as it was written; empty if agents have
                      their own
    round             number of the game within its setting, from 0
    game_seed         seed of the game
    game_seconds      time that the game took
    version           version of mcts-agents that played it
    moves             `player:action` of each decision, with a space between two
    seat              number of the seat, from 0; the player's number in `moves`
    agent             name of the agent
    spec              mapping from which the agent is made, as JSON
    agent_seed        seed of the agent
    team              number of its team, from 0; that of the seat without teams
    result            `won`, `drawn` or `lost`
    win               share of the win, 0 to 1
    rank              place from 1, equals at their mean
    score             score at the end
    decisions         number of decisions of the seat
    seconds           time of them together
    simulations       simulations of them together
    searches          decisions that were searched for
    depth             mean over these of the longest path in the tree
    decision_seconds  time of each decision, as text with a space between two

In CSV a text that a spreadsheet could take for a formula is written with an apostrophe
before it: one that begins with `=`, `+`, `-`, `@` (also those of full width), a tab, a
carriage return or a line feed, and one that begins with an apostrophe, so that this can
be undone. To read the text itself, remove one apostrophe at its beginning:
`text.removeprefix("'")`. Numbers and Parquet are written as they are.
"""

import csv
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from mcts_agents.arena.playing.fixtures import GameRecord, SeatRecord
from mcts_agents.extras import from_extra
from mcts_agents.writing import replacing

_COLUMNS = {
    "number": int,
    "game": str,
    "players": int,
    "budget": str,
    "round": int,
    "game_seed": int,
    "game_seconds": float,
    "version": str,
    "moves": str,
    "seat": int,
    "agent": str,
    "spec": str,
    "agent_seed": int,
    "team": int,
    "result": str,
    "win": float,
    "rank": float,
    "score": float,
    "decisions": int,
    "seconds": float,
    "simulations": int,
    "searches": int,
    "depth": float,
    "decision_seconds": str,
}
COLUMNS = tuple(_COLUMNS)
SUFFIXES = (".csv", ".parquet")

# What makes a cell a formula in some spreadsheet, as OWASP lists it ("CSV Injection"),
# and the mark that says that a cell is none.
_FORMULA = tuple("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20")
_MARK = "'"


def check_suffix(path: str | os.PathLike[str]) -> str:
    """Return the suffix of a file to export to.

    Raises:
        ValueError: It is unknown, or what writes such files is not installed.
    """
    suffix = Path(path).suffix.lower()
    if suffix not in SUFFIXES:
        raise ValueError(
            f"{os.fspath(path)}: cannot export to {suffix or 'a name without suffix'}; "
            f"allowed: {', '.join(SUFFIXES)}"
        )
    if suffix == ".parquet":
        with from_extra("parquet", "Parquet files need pyarrow"):
            import pyarrow  # noqa: F401
    return suffix


def export_rows(games: Iterable[GameRecord], path: str | os.PathLike[str]) -> int:
    """Write a row for each seat of each game; the suffix selects the format.

    The file is there as a whole or not at all; one of this name is replaced.

    Returns:
        The number of rows.

    Raises:
        ValueError: See `check_suffix`.
        OSError: The file cannot be written.
    """
    write = _write_csv if check_suffix(path) == ".csv" else _write_parquet
    with replacing(path) as temporary:
        return write(_rows(games), temporary)


def _rows(games: Iterable[GameRecord]) -> Iterator[dict[str, Any]]:
    for game in games:
        of_game = {
            "number": game.number,
            "game": game.setting.game,
            "players": game.setting.players,
            "budget": game.setting.budget,
            "round": game.round,
            "game_seed": game.seed,
            "game_seconds": game.seconds,
            "version": game.version,
            "moves": " ".join(f"{player}:{action}" for player, action in game.moves),
        }
        for number, seat in enumerate(game.seats):
            yield {**of_game, "seat": number, **_of_seat(seat)}


def _of_seat(seat: SeatRecord) -> dict[str, Any]:
    return {
        "agent": seat.agent,
        "spec": seat.spec,
        "agent_seed": seat.seed,
        "team": seat.team,
        "result": seat.result,
        "win": seat.win,
        "rank": seat.rank,
        "score": seat.score,
        "decisions": len(seat.seconds),
        "seconds": float(np.sum(seat.seconds, dtype=np.float64)),
        "simulations": seat.simulations,
        "searches": seat.searches,
        "depth": seat.depth,
        "decision_seconds": " ".join(f"{seconds:.9g}" for seconds in seat.seconds),
    }


def _write_csv(rows: Iterator[dict[str, Any]], path: Path) -> int:
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        count = 0
        for row in rows:
            writer.writerow({name: _cell(value) for name, value in row.items()})
            count += 1
    return count


def _cell(value: Any) -> Any:
    """Return what stands in a cell, so that no spreadsheet computes a text."""
    if isinstance(value, str) and value.startswith((*_FORMULA, _MARK)):
        return f"{_MARK}{value}"
    return value


def _write_parquet(rows: Iterator[dict[str, Any]], path: Path) -> int:
    import pyarrow
    from pyarrow import parquet

    types = {int: pyarrow.int64(), float: pyarrow.float64(), str: pyarrow.string()}
    schema = pyarrow.schema([(name, types[kind]) for name, kind in _COLUMNS.items()])
    table = pyarrow.Table.from_pylist(list(rows), schema)
    parquet.write_table(table, path)
    return table.num_rows
