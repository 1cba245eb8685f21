"""Nothing breaks a store: kills, second writers, missing rights, full disks."""

import contextlib
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from mcts_agents.arena.tournaments.store import Store, StoreError
from tests.arena.storing import HOLDER, WRITER, mended, opened, record, running, same


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
            told = [writer.stdout.readline() for _ in range(rng.randrange(40))]
            writer.send_signal(signal.SIGKILL)
            told += writer.stdout.read().split("\n")[:-1]
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
from mcts_agents.arena.tournaments.store import Store
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
from mcts_agents.arena.tournaments.store import Store
from tests.arena.test_store_broken import full, limit
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
