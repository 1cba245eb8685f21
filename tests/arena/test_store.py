"""Stores: what is written is read again, and nothing breaks one."""

import contextlib
import os
import random
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcts_agents.arena.records import (
    Entrant,
    Failure,
    Fixture,
    GameRecord,
    SeatRecord,
    Setting,
)
from mcts_agents.arena.store import Store, StoreError
from mcts_agents.arena.tables import APPLICATION, FORMAT

REPOSITORY = Path(__file__).parents[2]

# Writes games for ever, and tells the number of each that is stored.
WRITER = """
import sys, time
from mcts_agents.arena.store import Store
from tests.arena.test_store import record
with Store.write(sys.argv[1]) as store:
    print("open", flush=True)
    for number in range(max(store.played(), default=0) + 1, 10**9):
        store.add(record(number))
        print(number, flush=True)
        time.sleep(float(sys.argv[2]))
"""

HOLDER = """
import sys
from mcts_agents.arena.store import Store
with Store.write(sys.argv[1]):
    print("open", flush=True)
    sys.stdin.read()
"""


def record(number, decisions=40):
    """A game that is told apart from others by its number alone."""
    setting = Setting("tictactoe", 2, "10")
    seats = tuple(
        SeatRecord(
            agent=name,
            spec='{"agent": "random"}',
            seed=number * 10 + seat,
            result="won" if seat else "lost",
            win=float(seat),
            rank=2.0 - seat,
            score=number + seat / 4,
            seconds=np.full(decisions, number, np.float32),
        )
        for seat, name in enumerate("ab")
    )
    moves = tuple((n % 2, n) for n in range(2 * decisions))
    return GameRecord(number, setting, number, number, moves, 0.5, "1", seats)


def same(one, other):
    """Say whether two records are equal, which arrays in them do not say."""
    assert len(one.seats) == len(other.seats)
    for mine, theirs in zip(one.seats, other.seats, strict=True):
        assert mine.seconds.dtype == theirs.seconds.dtype == np.float32
        np.testing.assert_array_equal(mine.seconds, theirs.seconds)
    return plain(one) == plain(other)


def plain(game):
    return {
        **vars(game),
        "seats": [
            {k: v for k, v in vars(seat).items() if k != "seconds"}
            for seat in game.seats
        ],
    }


@contextlib.contextmanager
def running(script, *arguments, **more):
    """Run a script in a process of its own, and kill it in the end."""
    process = subprocess.Popen(
        [sys.executable, "-c", script, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=REPOSITORY,
        **more,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def opened(path, writer):
    """Wait until a process has opened a store."""
    assert writer.stdout.readline() == "open\n"
    return path


def mended(path):
    """Return the records of a store that SQLite finds sound."""
    with Store.read(path) as store:
        assert store.connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert store.connection.execute("PRAGMA foreign_key_check").fetchone() is None
        (seats,) = store.connection.execute("SELECT count(*) FROM seats").fetchone()
        games = list(store.games())
    assert seats == 2 * len(games)
    for game in games:
        assert same(game, record(game.number))
    return games


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
numbers = st.floats(allow_nan=False)
counts = st.integers(0, 2**53)

seat_records = st.builds(
    SeatRecord,
    agent=texts,
    spec=texts,
    seed=counts,
    result=st.sampled_from(["won", "drawn", "lost"]),
    win=numbers,
    rank=numbers,
    score=numbers,
    seconds=st.lists(st.floats(0, 1e6, width=32), max_size=5).map(
        lambda times: np.array(times, np.float32)
    ),
    simulations=counts,
    searches=counts,
    depth=numbers,
)
setting_records = st.builds(Setting, game=texts, players=counts, budget=texts)
game_records = st.builds(
    GameRecord,
    number=st.integers(1, 2**53),
    setting=setting_records,
    round=counts,
    seed=counts,
    moves=st.lists(st.tuples(st.integers(0, 9), counts), max_size=9).map(tuple),
    seconds=numbers,
    version=texts,
    seats=st.lists(seat_records, max_size=4).map(tuple),
)
failures = st.builds(
    Failure,
    fixture=st.builds(
        Fixture,
        number=st.integers(1, 2**53),
        setting=setting_records,
        round=counts,
        seed=counts,
        seats=st.lists(st.builds(Entrant, texts, texts), max_size=3).map(tuple),
    ),
    error=texts,
    details=texts,
)


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
        store.describe({"seed": 3, "agents": {"é": {}}}, 10)
        store.describe({"seed": 3, "agents": {"é": {}}, "games_each": 7}, 20)
    with Store.read(path) as store:
        assert store.description()["games_each"] == 7
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


def test_others_read_while_one_writes(tmp_path):
    path = tmp_path / "s.db"
    seen = [0]
    with running(WRITER, path, 0.01) as writer, Store.read(opened(path, writer)) as one:
        while seen[-1] < 30:
            told = int(writer.stdout.readline())
            with Store.read(path) as other:
                for store in (one, other):
                    games = list(store.games())
                    assert [g.number for g in games] == list(range(1, len(games) + 1))
                    assert all(same(game, record(game.number)) for game in games)
                    seen.append(len(games))
            assert seen[-2] >= told
            for _ in range(seen[-1] - told):  # what was written meanwhile
                writer.stdout.readline()
    assert seen == sorted(seen)


def test_a_process_that_is_killed_leaves_whole_games(tmp_path):
    path = tmp_path / "s.db"
    rng = random.Random(3)
    stored = 0
    for _ in range(5):
        with running(WRITER, path, 0) as writer:
            opened(path, writer)
            time.sleep(rng.uniform(0.0, 0.2))
            writer.send_signal(signal.SIGKILL)
            told = writer.stdout.read().split("\n")[:-1]
        games = mended(path)
        # All that were told, and at most the one between the commit and the word.
        last = int(told[-1]) if told else stored
        assert [g.number for g in games] == list(range(1, len(games) + 1))
        assert len(games) - last in (0, 1)
        stored = len(games)
        with Store.write(path) as store:  # the lock went with the process
            assert len(store.played()) == stored
    assert stored > 0


def test_a_store_that_was_killed_at_its_making_is_made_again(tmp_path):
    """A journal says that the file was empty before; SQLite takes that back."""
    path = tmp_path / "s.db"
    script = """
import os, sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("PRAGMA cache_size = 1")
connection.execute("BEGIN IMMEDIATE")
connection.execute("CREATE TABLE games (x)")
for _ in range(100):
    connection.execute("INSERT INTO games VALUES (zeroblob(5000))")
os._exit(9)
"""
    subprocess.run([sys.executable, "-c", script, path], check=False)
    assert path.stat().st_size
    assert Path(f"{path}-journal").stat().st_size
    with Store.write(path) as store:
        store.add(record(1))
    assert len(mended(path)) == 1


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
        self.refused(path, read, "no store of mcts-agents")

    @pytest.mark.parametrize(
        "content",
        [b"games: tictactoe\n", b"x", b"SQLite format 3\x00", bytes(10_000)],
        ids=range(4),
    )
    def test_other_files(self, tmp_path, read, content):
        path = tmp_path / "s.db"
        path.write_bytes(content)
        self.refused(path, read, r"file is not a database|no store of mcts-agents")

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
        self.refused(tmp_path / "pipe", read, "this is no plain file")
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
    with pytest.raises(StoreError, match="an empty file, no store"):
        Store.read(path)
    with pytest.raises(StoreError, match="there is no such file"):
        Store.read(tmp_path / "other.db")
    Store.write(path).close()
    Store.read(path).close()
    with contextlib.closing(sqlite3.connect(path)) as connection:
        found = connection.execute("PRAGMA application_id").fetchone()
    assert found == (APPLICATION,) == (int.from_bytes(b"mcts"),)


def test_a_second_writer_is_refused(tmp_path):
    path = tmp_path / "s.db"
    link = tmp_path / "link.db"
    link.symlink_to(path)
    with Store.write(path) as store:
        store.add(record(1))
        for name in (path, link, tmp_path / "." / "s.db"):
            with pytest.raises(StoreError, match="another process is writing to it"):
                Store.write(name)
        with running(HOLDER, path) as other:
            _, complaint = other.communicate()
        assert "another process is writing to it" in complaint
        store.add(record(2))  # the refused ones did not touch it
        assert Store.read(link).played() == {1, 2}
    Store.write(path).close()


def test_the_lock_ends_with_the_process_that_holds_it(tmp_path):
    path = tmp_path / "s.db"
    with running(HOLDER, path) as holder:
        opened(path, holder)
        with pytest.raises(StoreError, match="another process is writing to it"):
            Store.write(path)
        # A child of the holder does not inherit the lock.
        holder.kill()
        holder.wait()
        Store.write(path).close()


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become nobody")
@pytest.mark.parametrize("locked", ["file", "folder"])
def test_what_may_not_be_written_is_refused_at_once(locked, request):
    """As an ordinary user, since files that root may not write are rare."""
    folder = Path(tempfile.mkdtemp())  # pytest's own is for its user alone
    request.addfinalizer(lambda: shutil.rmtree(folder))
    path = folder / "s.db"
    with Store.write(path) as store:
        store.add(record(1))
    for place in (path, Path(f"{path}.lock")):
        if place.exists():
            os.chown(place, 65534, 65534)
    folder.chmod(0o777 if locked == "file" else 0o555)
    path.chmod(0o444 if locked == "file" else 0o666)
    before = path.read_bytes()
    script = """
import os, sys
from mcts_agents.arena.store import Store
os.setgid(65534), os.setuid(65534)
print(len(Store.read(sys.argv[1]).played()))
Store.write(sys.argv[1])
"""
    with running(script, path) as process:
        told, complaint = process.communicate()
    assert told == "1\n", complaint
    assert "StoreError" in complaint
    assert "cannot be written: " in complaint
    assert path.read_bytes() == before


# -- full disks


def full(store):
    """Add games until one is refused; return how many there are."""
    for number in range(len(store.played()) + 1, 1000):
        try:
            store.add(record(number, decisions=400))
        except StoreError as error:
            assert "cannot be written: " in str(error)
            assert "what was stored before is safe" in str(error)
            assert "\n" not in str(error)
            return number - 1
    raise AssertionError("the disk was never full")


def test_a_full_file_keeps_what_was_stored_and_goes_on(tmp_path):
    path = tmp_path / "s.db"
    with Store.write(path) as store:
        store.connection.execute("PRAGMA max_page_count = 40")
        stored = full(store)
        assert 0 < stored == len(store.played())
        with pytest.raises(StoreError, match="database or disk is full"):
            store.add(record(stored + 1, decisions=400))
        store.connection.execute("PRAGMA max_page_count = 1000")
        store.add(record(stored + 1, decisions=400))
    with Store.read(path) as store:
        assert store.played() == set(range(1, stored + 2))
        for game in store.games():
            assert same(game, record(game.number, decisions=400))


@pytest.fixture
def small_disk(tmp_path):
    """A file system of a megabyte, where one can be had."""
    place = tmp_path / "disk"
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=1m", "none", str(place)]
    try:
        made = subprocess.run(command, check=False, capture_output=True)
    except OSError as error:
        pytest.skip(f"no mount: {error}")
    if made.returncode:
        pytest.skip(f"no file system can be mounted here: {made.stderr!r}")
    yield place
    subprocess.run(["umount", "--lazy", str(place)], check=True)


def test_a_full_disk_keeps_what_was_stored_and_goes_on(small_disk):
    filler = small_disk / "filler"
    filler.write_bytes(bytes(600_000))
    path = small_disk / "s.db"
    with Store.write(path) as store:
        stored = full(store)
        assert 0 < stored == len(store.played())
        filler.unlink()
        store.add(record(stored + 1, decisions=400))
        more = full(store)
    with Store.read(path) as store:
        assert len(store.played()) == more > stored
    with Store.write(path) as store:  # and there is room for that on a full disk
        assert len(store.played()) == more


def test_a_disk_that_is_full_at_first_is_named(small_disk):
    path = small_disk / "s.db"
    with contextlib.suppress(OSError), (small_disk / "filler").open("wb") as filler:
        while True:
            filler.write(bytes(4096))
            filler.flush()
    with pytest.raises(StoreError, match=r"cannot be (written|opened|read)"):
        Store.write(path)
    (small_disk / "filler").unlink()
    Store.write(path).close()


def test_a_limit_of_the_systems_on_files_is_a_full_disk(tmp_path):
    """Where writing fails in the middle of a page, not by SQLite's own count."""
    path = tmp_path / "s.db"
    script = """
import signal, sys
from mcts_agents.arena.store import Store
from tests.arena.test_store import full, limit
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
with Store.write(sys.argv[1]) as store:
    limit(150_000)
    stored = full(store)
    assert len(store.played()) == stored > 0
    print(stored)
"""
    with running(script, path) as process:
        told, complaint = process.communicate()
    assert complaint == ""
    with Store.write(path) as store:
        assert len(store.played()) == int(told)
        store.add(record(int(told) + 1))
    assert Store.read(path).played() == set(range(1, int(told) + 2))


def limit(size):
    """Let this process write no file beyond a size."""
    _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, most))
