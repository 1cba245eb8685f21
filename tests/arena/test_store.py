"""Stores: what is written is read again, and what is no store is refused."""

import contextlib
import json
import os
import sqlite3
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcts_agents.arena.playing.fixtures import (
    Entrant,
    Failure,
    Fixture,
    GameRecord,
    SeatRecord,
    Setting,
)
from mcts_agents.arena.tournaments.store import Store, StoreError
from mcts_agents.arena.tournaments.store_tables import APPLICATION, FORMAT
from tests.arena.storing import mended, record, same

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
numbers = st.floats(allow_nan=False, allow_infinity=False)
positive = st.floats(0, 2.0**53)
counts = st.integers(0, 2**53)
specs = st.dictionaries(texts, texts, max_size=2).map(json.dumps)

seat_records = st.builds(
    SeatRecord,
    agent=texts,
    spec=specs,
    seed=counts,
    team=st.integers(0, 61),
    result=st.sampled_from(["won", "drawn", "lost"]),
    win=st.floats(0, 1),
    rank=st.floats(1, 62),
    score=numbers,
    seconds=st.lists(st.floats(0, 1e6, width=32), max_size=5).map(
        lambda times: np.array(times, np.float32)
    ),
    simulations=counts,
    searches=counts,
    depth=positive,
)
budgets = st.sampled_from(["", "40ms", "1.5s", "1000", "5000calls"])


def setting_records(players):
    return st.builds(Setting, game=texts, players=st.just(players), budget=budgets)


game_records = st.integers(1, 4).flatmap(
    lambda players: st.builds(
        GameRecord,
        number=st.integers(1, 2**53),
        setting=setting_records(players),
        round=counts,
        seed=counts,
        moves=st.lists(st.tuples(st.integers(0, 9), counts), max_size=9).map(tuple),
        seconds=positive,
        version=texts,
        seats=st.lists(seat_records, min_size=players, max_size=players).map(tuple),
    )
)
failures = st.builds(
    Failure,
    fixture=st.builds(
        Fixture,
        number=st.integers(1, 2**53),
        setting=setting_records(2),
        round=counts,
        seed=counts,
        seats=st.lists(st.builds(Entrant, texts, specs), max_size=3).map(tuple),
    ),
    error=texts,
    details=texts,
)

DESCRIPTION = {
    "games": [{"game": "hex", "players": [2], "search": {"rollout": 10}}],
    "agents": {"é": {"agent": "mcts"}},
    "field": None,
    "budgets": ["40ms"],
    "design": "round-robin",
    "games_each": 5,
    "seed": 3,
}


@settings(max_examples=30, deadline=None)
@given(
    st.lists(
        game_records, max_size=4, unique_by=(lambda g: g.number, lambda g: g.round)
    ),
    st.lists(failures, max_size=3, unique_by=lambda f: f.fixture.number),
)
def test_what_is_written_is_read_again(tmp_path_factory, games, failed):
    path = tmp_path_factory.mktemp("store") / "a b?é%20.db"
    with Store.write(path) as store:
        for failure in failed:
            store.add_failure(failure)
        for game in games:
            store.add(game)
    with Store.read(path) as store:
        found = list(store.games())
        games.sort(key=lambda game: game.number)
        assert len(found) == len(games)
        assert all(map(same, found, games))
        assert all(same(store.game(game.number), game) for game in games)
        assert store.played() == {game.number for game in games}
        # A failure is forgotten when its game is stored.
        left = [f for f in failed if f.fixture.number not in store.played()]
        assert store.failures() == sorted(left, key=lambda f: f.fixture.number)


def test_what_is_played_is_written_and_replaced(tmp_path):
    path = tmp_path / "s.db"
    with Store.write(path) as store:
        assert store.description() is None
        assert store.total() == 0
        store.describe(DESCRIPTION, 10)
        described = {**DESCRIPTION, "games_each": 7, "of a later version": [1]}
        store.describe(described, 20)
    with Store.read(path) as store:
        assert store.description() == described
        assert store.total() == 20


def test_a_game_that_is_not_stored_is_named(tmp_path):
    with Store.write(tmp_path / "s.db") as store:
        with pytest.raises(StoreError, match="no game 5 is stored: none yet"):
            store.game(5)
        for number in (2, 4):
            store.add(record(number))
        with pytest.raises(StoreError, match="no game 5 is stored: 2 from 2 to 4"):
            store.game(5)


def test_no_game_is_stored_twice(tmp_path):
    with Store.write(tmp_path / "s.db") as store:
        store.add(record(1))
        with pytest.raises(StoreError, match="UNIQUE"):
            store.add(record(1))
        assert store.played() == {1}
    mended(tmp_path / "s.db")


@pytest.mark.parametrize("read", [True, False], ids=["read", "write"])
class TestWhatIsRefused:
    """What is no store, or cannot be used, is refused and left as it is."""

    def refused(self, path, read, why):
        path = Path(path)
        before = path.read_bytes() if os.path.isfile(path) else None
        others = sorted(path.parent.glob("*")) if path.parent.is_dir() else None
        with pytest.raises(StoreError, match=why) as error:
            (Store.read if read else Store.write)(path)
        assert str(error.value).startswith(f"{path}: ")
        assert "\n" not in str(error.value)
        assert before == (path.read_bytes() if os.path.isfile(path) else None)
        if others is not None:
            assert sorted(path.parent.glob("*")) == others

    def test_newer_tables(self, tmp_path, read):
        path = tmp_path / "s.db"
        Store.write(path).close()
        with contextlib.closing(sqlite3.connect(path)) as connection:
            connection.execute(f"PRAGMA user_version = {FORMAT + 1}")
        self.refused(path, read, rf"a newer version .*tables {FORMAT + 1}")

    @pytest.mark.parametrize("mode", ["delete", "wal"])
    def test_somebody_elses_tables(self, tmp_path, read, mode):
        path = tmp_path / "s.db"
        with contextlib.closing(sqlite3.connect(path)) as connection:
            connection.execute(f"PRAGMA journal_mode = {mode}")
            connection.execute("CREATE TABLE games (number INTEGER)")
            connection.commit()
        self.refused(path, read, "not an mcts-agents store")

    @pytest.mark.parametrize(
        "content",
        [b"games: tictactoe\n", b"x", b"SQLite format 3\x00", bytes(10_000)],
        ids=range(4),
    )
    def test_other_files(self, tmp_path, read, content):
        path = tmp_path / "s.db"
        path.write_bytes(content)
        self.refused(path, read, r"file is not a database|not an mcts-agents store")

    def test_a_store_that_was_cut_off(self, tmp_path, read):
        path = tmp_path / "s.db"
        with Store.write(path) as store:
            store.add(record(1, decisions=5000))
        path.write_bytes(path.read_bytes()[:5000])
        if not read:
            self.refused(path, read, "malformed|not a database")
            return
        with pytest.raises(StoreError, match=r"cannot be read: .*malformed"):
            list(Store.read(path).games())

    def test_folders_and_other_things(self, tmp_path, read):
        self.refused(tmp_path, read, "this is a folder")
        os.mkfifo(tmp_path / "pipe")
        self.refused(tmp_path / "pipe", read, "this is not a plain file")
        self.refused(tmp_path / ("n" * 300), read, "File name too long")
        loop = tmp_path / "loop"
        loop.symlink_to(loop)
        self.refused(loop, read, "symbolic links")

    def test_no_folder(self, tmp_path, read):
        path = tmp_path / "none" / "s.db"
        why = "there is no such file" if read else f"there is no folder {path.parent}"
        self.refused(path, read, why)
        (tmp_path / "file").touch()
        path = tmp_path / "file" / "s.db"
        why = "there is no such file" if read else "there is no folder"
        self.refused(path, read, why)


def test_an_empty_file_becomes_a_store(tmp_path):
    path = tmp_path / "s.db"
    path.touch()
    with pytest.raises(StoreError, match="an empty file, not an mcts-agents store"):
        Store.read(path)
    with pytest.raises(StoreError, match="there is no such file"):
        Store.read(tmp_path / "other.db")
    Store.write(path).close()
    Store.read(path).close()
    with contextlib.closing(sqlite3.connect(path)) as connection:
        found = connection.execute("PRAGMA application_id").fetchone()
    assert found == (APPLICATION,) == (int.from_bytes(b"mcts"),)
