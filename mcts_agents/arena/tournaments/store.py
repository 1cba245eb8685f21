"""Results in one SQLite file: a row for each game, written when the game ends.

Tables: `tournament` (what is played, as JSON), `games` (one row a game), `seats` (one
row for each seat of it) and `failures` (games that could not be played). A row of
`games` and its `seats` are one transaction, so a process that is killed at any moment
leaves whole games behind. Only the process that runs the tournament writes; others may
read meanwhile.

Stores of every format that a release had are read and continued. A format is dropped
only in a new major version, two years or more after it was replaced, and the error then
names the last version that reads it.
"""

import errno
import json
import os
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from urllib.parse import quote

from filelock import FileLock, Timeout

from mcts_agents.arena.playing.fixtures import Failure, GameRecord
from mcts_agents.arena.tournaments.store_rows import (
    MOST,
    RowError,
    described,
    failure_of,
    game_of,
)
from mcts_agents.arena.tournaments.store_tables import (
    APPLICATION,
    FAILURE_COLUMNS,
    FORMAT,
    GAME_COLUMNS,
    SEAT_COLUMNS,
    TABLES,
    failure_row,
    game_rows,
)
from mcts_agents.writing import locked

# Seconds to wait for another process that reads or writes at this moment.
PATIENCE = 30.0

# Key of a description: the sources of the modules that the tournament names.
SOURCES = "sources"


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
        and ends with the process however that ends. Hard links would have locks (and
        journals of SQLite's) of their own, so a store that has any is not written.

        Raises:
            StoreError: Another process holds it; the file has hard links; it is no
                store, a damaged one, or one of a newer version; or it cannot be
                written.
        """
        path = Path(path)
        try:
            if not path.parent.is_dir():
                raise StoreError(f"{path}: there is no folder {path.parent}")
            if not os.access(path.parent, os.W_OK):  # for SQLite's journal
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
            if _exists(path):
                cls._look(path).close()  # refuses what is no store before locking it
                _refuse_hard_links(path)
            # Beside the file itself, whatever symbolic links lead to it.
            lock = locked(f"{path.resolve()}.lock")
        except Timeout as error:
            raise StoreError(
                f"{path}: another process is writing to it; wait for it, or use "
                "another store"
            ) from error
        except OSError as error:
            raise StoreError(
                f"{path}: cannot be written: {error.strerror or error}"
            ) from error
        store = None
        try:
            store = cls(path, _connect(path, "rwc"))
            store._lock = lock
            store._check()
            if store._is_empty():
                store._create()
            else:  # what cannot be written is refused before the first game
                with store._transaction() as run:
                    run("DELETE FROM games WHERE number IS NULL")
        except BaseException:
            if store is not None:
                store.connection.close()
            lock.release()
            raise
        return store

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> "Store":
        """Open a store to look at it, also while a tournament is writing to it.

        Raises:
            StoreError: There is no such file; it is no store, a damaged one, or one of
                a newer version.
        """
        path = Path(path)
        store = cls._look(path)
        if store._is_empty():
            store.close()
            raise StoreError(f"{path}: an empty file, not an mcts-agents store")
        return store

    @classmethod
    def _look(cls, path: Path) -> "Store":
        """Open a store, or a file in which nothing is yet."""
        try:
            if not _exists(path):
                raise StoreError(f"{path}: there is no such file")
        except OSError as error:
            raise StoreError(f"{path}: cannot be read: {error.strerror}") from error
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
            StoreError: The file cannot be read, or holds what no store has.
        """
        found = self._described()
        return None if found is None else found[0]

    def total(self) -> int:
        """Return how many games the tournament has, played or not.

        Raises:
            StoreError: See `description`.
        """
        found = self._described()
        return 0 if found is None else found[1]

    def _described(self) -> tuple[dict[str, Any], int] | None:
        row = self._one("SELECT description, total FROM tournament")
        with self._reading():
            return described(row) if row else None

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
        game, seats = game_rows(record)
        with self._transaction() as run:
            run(f"INSERT INTO games ({GAME_COLUMNS}) VALUES ({_marks(game)})", game)
            for seat in seats:
                run(f"INSERT INTO seats ({SEAT_COLUMNS}) VALUES ({_marks(seat)})", seat)
            run("DELETE FROM failures WHERE number = ?", (record.number,))

    def played(self) -> set[int]:
        """Return the numbers of the games that are stored."""
        return {number for (number,) in self._all("SELECT number FROM games")}

    def games(self) -> Iterator[GameRecord]:
        """Return the stored games by their numbers, ascending.

        Raises:
            StoreError: The file cannot be read, or holds what no store has.
        """
        games = self._all(f"SELECT {GAME_COLUMNS} FROM games ORDER BY number")
        seats = self._all(f"SELECT {SEAT_COLUMNS} FROM seats ORDER BY number, seat")
        at = 0
        for row in games:
            # Whoever writes meanwhile may have added seats of games not read here.
            while at < len(seats) and seats[at][0] < row[0]:
                at += 1
            begin = at
            while at < len(seats) and seats[at][0] == row[0]:
                at += 1
            with self._reading():
                game = game_of(row, seats[begin:at])
            yield game

    def game(self, number: int) -> GameRecord:
        """Return one stored game.

        Raises:
            StoreError: There is none of this number, the file cannot be read, or it
                holds what no store has.
        """
        row = None
        if number <= MOST:  # SQLite knows no greater ones
            query = f"SELECT {GAME_COLUMNS} FROM games WHERE number = ?"
            row = self._one(query, number)
        if row is None:
            low, high, count = self._one(
                "SELECT min(number), max(number), count(*) FROM games"
            )
            stored = f"{count} from {low} to {high}" if count else "none yet"
            raise StoreError(f"{self.path}: no game {number} is stored: {stored}")
        seats = self._all(
            f"SELECT {SEAT_COLUMNS} FROM seats WHERE number = ? ORDER BY seat", number
        )
        with self._reading():
            return game_of(row, seats)

    # -- games that could not be played

    def add_failure(self, failure: Failure) -> None:
        """Write down a game that could not be played; it is tried again next time.

        Raises:
            StoreError: The file cannot be written.
        """
        row = failure_row(failure)
        with self._transaction() as run:
            run(f"INSERT OR REPLACE INTO failures VALUES ({_marks(row)})", row)

    def failures(self) -> list[Failure]:
        """Return the games that could not be played, by their numbers.

        Raises:
            StoreError: The file cannot be read, or holds what no store has.
        """
        rows = self._all(f"SELECT {FAILURE_COLUMNS} FROM failures ORDER BY number")
        with self._reading():
            return [failure_of(row) for row in rows]

    # -- SQLite

    def _create(self) -> None:
        with self._transaction() as run:
            for statement in TABLES.split(";"):
                if statement.strip():
                    run(statement)
            run(f"PRAGMA application_id = {APPLICATION}")
            run(f"PRAGMA user_version = {FORMAT}")

    def _is_empty(self) -> bool:
        """Say whether there is nothing yet, as in a file that was only just made."""
        (pages,) = self._one("PRAGMA page_count")
        # A few bytes of something else are no page either.
        return pages == 0 and self.path.stat().st_size == 0

    def _check(self) -> None:
        try:
            if self._is_empty():
                return
            (application,) = self._one("PRAGMA application_id")
            (version,) = self._one("PRAGMA user_version")
            if application != APPLICATION:
                raise StoreError(f"{self.path}: not an mcts-agents store")
            if version > FORMAT:
                raise StoreError(
                    f"{self.path}: written by a newer version of mcts-agents (tables "
                    f"{version}, this one knows up to {FORMAT}); install that version"
                )
            self._check_content(version)
        except StoreError:
            self.connection.close()
            raise

    def _check_content(self, version: int) -> None:
        """Refuse a damaged file, and tables that do more than hold rows."""
        if version < FORMAT:
            raise StoreError(
                f"{self.path}: damaged: user_version is {version}, expected {FORMAT}"
            )
        found = [text for (text,) in self._all("PRAGMA quick_check(1)")]
        if found != ["ok"]:
            raise StoreError(f"{self.path}: damaged: {' '.join(found[0].split())}")
        for kind, name in self._all(
            "SELECT type, name FROM sqlite_schema WHERE type IN ('trigger', 'view')"
        ):
            raise StoreError(
                f"{self.path}: has a {kind} {name!r}, and a store has tables only"
            )

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
                with suppress(sqlite3.Error):  # the first error says more
                    connection.execute("ROLLBACK")
            if isinstance(error, sqlite3.Error):
                raise StoreError(
                    f"{self.path}: cannot be written: {error}; what was stored before "
                    "is safe"
                ) from error
            raise

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """Say in which file a row is that no store has."""
        try:
            yield
        except RowError as error:
            raise StoreError(f"{self.path}: {error}") from error

    def _all(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        try:
            return self.connection.execute(query, values).fetchall()
        except sqlite3.Error as error:
            reason = " ".join(str(error).split())[:200]  # it may quote a whole value
            raise StoreError(f"{self.path}: cannot be read: {reason}") from error

    def _one(self, query: str, *values: Any) -> Any:
        rows = self._all(query, *values)
        return rows[0] if rows else None


def _exists(path: Path) -> bool:
    """Say whether there is a file.

    Raises:
        StoreError: It is something else.
        OSError: It cannot be looked at.
    """
    try:
        mode = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return False
    if not stat.S_ISREG(mode):
        what = "a folder" if stat.S_ISDIR(mode) else "not a plain file"
        raise StoreError(f"{path}: expected a file, but this is {what}")
    return True


def _refuse_hard_links(path: Path) -> None:
    links = path.stat().st_nlink
    if links > 1:
        raise StoreError(
            f"{path}: has {links} names (hard links), and a process that writes to it "
            "by another name would not be noticed; write to a copy"
        )


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    uri = f"file:{quote(str(path))}?mode={mode}"
    try:
        connection = sqlite3.connect(
            uri, uri=True, timeout=PATIENCE, isolation_level=None
        )
        connection.execute("PRAGMA foreign_keys = ON")
        # What SQLite recommends for files that others may have edited.
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA cell_size_check = ON")
    except sqlite3.Error as error:
        raise StoreError(f"{path}: cannot be opened: {error}") from error
    return connection


def _marks(values: tuple[Any, ...]) -> str:
    return ", ".join("?" * len(values))
