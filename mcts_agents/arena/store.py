"""Results in one SQLite file: a row for each game, written when the game ends.

Tables: `tournament` (what is played, as JSON), `games` (one row a game), `seats` (one
row for each seat of it) and `failures` (games that could not be played). A row of
`games` and its `seats` are one transaction, so a process that is killed at any moment
leaves whole games behind. Only the process that runs the tournament writes; others may
read meanwhile.
"""

import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from urllib.parse import quote

import numpy as np
from filelock import FileLock, Timeout

from mcts_agents.arena.records import (
    Entrant,
    Failure,
    Fixture,
    GameRecord,
    SeatRecord,
    Setting,
)

# Version of the tables, in SQLite's `user_version`.
FORMAT = 1
# Marks a store among SQLite files: "mcts" in ASCII, in SQLite's `application_id`.
APPLICATION = 0x6D637473

# Seconds to wait for another process that reads or writes at this moment.
PATIENCE = 30.0

_TABLES = """
CREATE TABLE tournament (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    description TEXT NOT NULL,
    total INTEGER NOT NULL
);
CREATE TABLE games (
    number INTEGER PRIMARY KEY,
    game TEXT NOT NULL,
    players INTEGER NOT NULL,
    budget TEXT NOT NULL,
    round INTEGER NOT NULL,
    seed INTEGER NOT NULL,
    moves TEXT NOT NULL,
    decisions INTEGER NOT NULL,
    seconds REAL NOT NULL,
    version TEXT NOT NULL,
    ended TEXT NOT NULL,
    UNIQUE (game, players, budget, round)
);
CREATE TABLE seats (
    number INTEGER NOT NULL REFERENCES games,
    seat INTEGER NOT NULL,
    agent TEXT NOT NULL,
    spec TEXT NOT NULL,
    seed INTEGER NOT NULL,
    result TEXT NOT NULL,
    win REAL NOT NULL,
    rank REAL NOT NULL,
    score REAL NOT NULL,
    decisions INTEGER NOT NULL,
    seconds REAL NOT NULL,
    simulations INTEGER NOT NULL,
    searches INTEGER NOT NULL,
    depth REAL NOT NULL,
    decision_seconds BLOB NOT NULL,
    PRIMARY KEY (number, seat)
) WITHOUT ROWID;
CREATE TABLE failures (
    number INTEGER PRIMARY KEY,
    game TEXT NOT NULL,
    players INTEGER NOT NULL,
    budget TEXT NOT NULL,
    round INTEGER NOT NULL,
    seed INTEGER NOT NULL,
    seats TEXT NOT NULL,
    error TEXT NOT NULL,
    details TEXT NOT NULL,
    ended TEXT NOT NULL
);
"""

_GAME_COLUMNS = (
    "number, game, players, budget, round, seed, moves, decisions, seconds, version, "
    "ended"
)
_SEAT_COLUMNS = (
    "number, seat, agent, spec, seed, result, win, rank, score, decisions, seconds, "
    "simulations, searches, depth, decision_seconds"
)


class StoreError(ValueError):
    """A store cannot be opened, read or written; the message says why."""


class Store:
    """The results of one tournament; see `Store.write` and `Store.read`."""

    def __init__(self, path: Path, connection: sqlite3.Connection):
        self.path = path
        self.connection = connection
        self._lock: FileLock | None = None

    @classmethod
    def write(cls, path: str | os.PathLike[str]) -> "Store":
        """Open a store to add to it, and make it if there is none.

        One process at a time holds a store; the lock is a file beside it, `PATH.lock`,
        and ends with the process however that ends.

        Raises:
            StoreError: Another process holds it; the file is no store, or one of a
                newer version; or it cannot be written.
        """
        path = Path(path)
        if not path.parent.is_dir():
            raise StoreError(f"{path}: there is no folder {path.parent}")
        if path.exists() and path.stat().st_size:
            cls.read(path).close()  # refuses what is no store before locking it
        lock = FileLock(f"{path}.lock", timeout=0)
        try:
            lock.acquire()
        except Timeout as error:
            raise StoreError(
                f"{path}: another process is writing to it; wait for that one, or take "
                "another store"
            ) from error
        except OSError as error:
            raise StoreError(
                f"{path}: cannot be written: {error.strerror or error}"
            ) from error
        try:
            new = not path.exists() or path.stat().st_size == 0
            store = cls(path, _connect(path, "rwc"))
            store._lock = lock
            if new:
                store._create()
            else:
                store._check()
        except BaseException:
            lock.release()
            raise
        return store

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> "Store":
        """Open a store to look at it, also while a tournament is writing to it.

        Raises:
            StoreError: There is no such file; it is no store, or one of a newer
                version.
        """
        path = Path(path)
        if not path.is_file():
            raise StoreError(f"{path}: there is no such file")
        # Where it is allowed, with the right to mend what a killed process left.
        mode = "rw" if os.access(path, os.W_OK) else "ro"
        store = cls(path, _connect(path, mode))
        store._check()
        return store

    def close(self) -> None:
        """Close the file, and let other processes write to it."""
        self.connection.close()
        if self._lock is not None:
            self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    # -- what is played

    def description(self) -> dict[str, Any] | None:
        """Return what is played, as `TournamentSpec.description` gave it, if anything.

        Raises:
            StoreError: The file cannot be read.
        """
        row = self._one("SELECT description FROM tournament")
        return json.loads(row[0]) if row else None

    def total(self) -> int:
        """Return how many games the tournament has, played or not."""
        row = self._one("SELECT total FROM tournament")
        return row[0] if row else 0

    def describe(self, description: dict[str, Any], total: int) -> None:
        """Write down what is played, and how many games that are.

        Raises:
            StoreError: The file cannot be written; it is as it was.
        """
        text = json.dumps(description, ensure_ascii=False)
        with self._transaction() as run:
            run("INSERT OR REPLACE INTO tournament VALUES (1, ?, ?)", (text, total))

    # -- games

    def add(self, record: GameRecord) -> None:
        """Write down a game that has ended.

        Raises:
            StoreError: The file cannot be written, for example because the disk is
                full; nothing of this game is in it then, and all others are.
        """
        setting = record.setting
        game = (
            record.number,
            setting.game,
            setting.players,
            setting.budget,
            record.round,
            record.seed,
            json.dumps(record.moves, separators=(",", ":")),
            len(record.moves),
            record.seconds,
            record.version,
            _now(),
        )
        seats = [
            (
                record.number,
                number,
                seat.agent,
                seat.spec,
                seat.seed,
                seat.result,
                seat.win,
                seat.rank,
                seat.score,
                len(seat.seconds),
                float(np.sum(seat.seconds, dtype=np.float64)),
                seat.simulations,
                seat.searches,
                seat.depth,
                np.asarray(seat.seconds, "<f4").tobytes(),
            )
            for number, seat in enumerate(record.seats)
        ]
        with self._transaction() as run:
            run(f"INSERT INTO games ({_GAME_COLUMNS}) VALUES ({_marks(game)})", game)
            for seat in seats:
                run(
                    f"INSERT INTO seats ({_SEAT_COLUMNS}) VALUES ({_marks(seat)})", seat
                )
            run("DELETE FROM failures WHERE number = ?", (record.number,))

    def played(self) -> set[int]:
        """Return the numbers of the games that are stored."""
        return {number for (number,) in self._all("SELECT number FROM games")}

    def games(self) -> Iterator[GameRecord]:
        """Return the stored games by their numbers, ascending.

        Raises:
            StoreError: The file cannot be read.
        """
        games = self._all(f"SELECT {_GAME_COLUMNS} FROM games ORDER BY number")
        seats = self._all(f"SELECT {_SEAT_COLUMNS} FROM seats ORDER BY number, seat")
        at = 0
        for row in games:
            # Whoever writes meanwhile may have added seats of games not read here.
            while at < len(seats) and seats[at][0] < row[0]:
                at += 1
            begin = at
            while at < len(seats) and seats[at][0] == row[0]:
                at += 1
            yield _game(row, seats[begin:at])

    def game(self, number: int) -> GameRecord:
        """Return one stored game.

        Raises:
            StoreError: There is none of this number, or the file cannot be read.
        """
        row = self._one(f"SELECT {_GAME_COLUMNS} FROM games WHERE number = ?", number)
        if row is None:
            low, high, count = self._one(
                "SELECT min(number), max(number), count(*) FROM games"
            )
            stored = f"{count} from {low} to {high}" if count else "none yet"
            raise StoreError(f"{self.path}: no game {number} is stored: {stored}")
        seats = self._all(
            f"SELECT {_SEAT_COLUMNS} FROM seats WHERE number = ? ORDER BY seat", number
        )
        return _game(row, seats)

    # -- games that could not be played

    def add_failure(self, failure: Failure) -> None:
        """Write down a game that could not be played; it is tried again next time.

        Raises:
            StoreError: The file cannot be written.
        """
        fixture = failure.fixture
        row = (
            fixture.number,
            fixture.setting.game,
            fixture.setting.players,
            fixture.setting.budget,
            fixture.round,
            fixture.seed,
            json.dumps([[seat.name, seat.spec] for seat in fixture.seats]),
            failure.error,
            failure.details,
            _now(),
        )
        with self._transaction() as run:
            run(f"INSERT OR REPLACE INTO failures VALUES ({_marks(row)})", row)

    def failures(self) -> list[Failure]:
        """Return the games that could not be played, by their numbers."""
        rows = self._all("SELECT * FROM failures ORDER BY number")
        return [
            Failure(
                Fixture(
                    number=number,
                    setting=Setting(game, players, budget),
                    round=round_,
                    seed=seed,
                    seats=tuple(Entrant(*seat) for seat in json.loads(seats)),
                ),
                error,
                details,
            )
            for (
                number,
                game,
                players,
                budget,
                round_,
                seed,
                seats,
                error,
                details,
                _,
            ) in rows
        ]

    # -- SQLite

    def _create(self) -> None:
        with self._transaction() as run:
            for statement in _TABLES.split(";"):
                if statement.strip():
                    run(statement)
            run(f"PRAGMA application_id = {APPLICATION}")
            run(f"PRAGMA user_version = {FORMAT}")

    def _check(self) -> None:
        try:
            (application,) = self._one("PRAGMA application_id")
            (version,) = self._one("PRAGMA user_version")
            if application != APPLICATION:
                raise StoreError(
                    f"{self.path}: an SQLite file, but no store of mcts-agents"
                )
            if version > FORMAT:
                raise StoreError(
                    f"{self.path}: written by a newer version of mcts-agents (tables "
                    f"{version}, this one knows up to {FORMAT}); install that version"
                )
        except StoreError:
            self.connection.close()
            raise

    @contextmanager
    def _transaction(self) -> Iterator[Any]:
        """Give a function that runs a statement; all of them happen, or none."""
        connection = self.connection
        try:
            connection.execute("BEGIN IMMEDIATE")
            yield connection.execute
            connection.execute("COMMIT")
        except BaseException as error:
            # SQLite has rolled back by itself if the disk was full.
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            if isinstance(error, sqlite3.Error):
                raise StoreError(
                    f"{self.path}: cannot be written: {error}; what was stored before "
                    "is safe"
                ) from error
            raise

    def _all(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        try:
            return self.connection.execute(query, values).fetchall()
        except sqlite3.Error as error:
            raise StoreError(f"{self.path}: cannot be read: {error}") from error

    def _one(self, query: str, *values: Any) -> Any:
        rows = self._all(query, *values)
        return rows[0] if rows else None


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    uri = f"file:{quote(str(path))}?mode={mode}"
    try:
        connection = sqlite3.connect(
            uri, uri=True, timeout=PATIENCE, isolation_level=None
        )
        connection.execute("PRAGMA foreign_keys = ON")
    except sqlite3.Error as error:
        raise StoreError(f"{path}: cannot be opened: {error}") from error
    return connection


def _game(row: tuple[Any, ...], seats: list[tuple[Any, ...]]) -> GameRecord:
    number, game, players, budget, round_, seed, moves, _, seconds, version, _ = row
    return GameRecord(
        number=number,
        setting=Setting(game, players, budget),
        round=round_,
        seed=seed,
        moves=tuple((player, action) for player, action in json.loads(moves)),
        seconds=seconds,
        version=version,
        seats=tuple(_seat(seat) for seat in seats),
    )


def _seat(row: tuple[Any, ...]) -> SeatRecord:
    _, _, agent, spec, seed, result, win, rank, score, _, _, *search, times = row
    simulations, searches, depth = search
    return SeatRecord(
        agent=agent,
        spec=spec,
        seed=seed,
        result=result,
        win=win,
        rank=rank,
        score=score,
        seconds=np.frombuffer(times, "<f4"),
        simulations=simulations,
        searches=searches,
        depth=depth,
    )


def _marks(values: tuple[Any, ...]) -> str:
    return ", ".join("?" * len(values))


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
