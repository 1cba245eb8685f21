"""The real command, killed and interrupted at any moment, goes on."""

import contextlib
import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from mcts_agents.arena.tournaments.store import Store, StoreError
from tests.arena.playing import AGENTS, Here, rows, run
from tests.arena.storing import WAITING
from tests.command import COMMAND

# Seconds after which a process that should have ended has not.
PATIENCE = 600.0

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/stat").exists(), reason="asks /proc about processes"
)


@contextlib.contextmanager
def command(path, *arguments, most=None):
    """Run the real command in a group of its own; kill what is left in the end.

    It waits when `most` games are stored, until there is a file `goes_on` beside them.
    """
    words = COMMAND
    if most is not None:
        goes_on = path.with_name("goes_on")
        words = [sys.executable, "-c", WAITING, str(most), str(goes_on)]
    process = subprocess.Popen(
        [*words, "tournament", *arguments, "--store", str(path), "--jobs", "2"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate(timeout=PATIENCE)


SLOW = [
    "--game", "sushi_go", "--players", "3", "--budget", "400", "--games", "24",
    "--seed", "3", "--agent", "multi=mcts:tree=multi", "--agent", "one=mcts",
    "--agent", "greedy=one-step:samples=4",
]  # fmt: skip
SLOW_SPEC = {
    "games": {"game": "sushi_go", "players": 3},
    "agents": {**AGENTS, "greedy": "one-step:samples=4"},
    "budgets": [400],
    "games_each": 24,
    "seed": 3,
}


@pytest.fixture(scope="module")
def slow_rows(tmp_path_factory):
    """The rows of that tournament, played in one process."""
    return run(tmp_path_factory.mktemp("slow") / "s.db", Here(), **SLOW_SPEC)


def processes():
    """Return the parent of each process that lives."""
    parents = {}
    for place in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            state, parent = place.read_text().rpartition(")")[2].split()[:2]
            if state != "Z":  # which nobody has asked about yet
                parents[int(place.parent.name)] = int(parent)
    return parents


def descendants(pid):
    """Return the processes that a process has begun, and those that these have."""
    parents = processes()
    found = {pid}
    while more := {p for p, parent in parents.items() if parent in found} - found:
        found |= more
    return found - {pid}


def wait_for(condition, what):
    """Wait until something is so."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, f"waited too long for {what}"
        time.sleep(0.02)


def stored(path):
    """Return how many games are stored by now."""
    with contextlib.suppress(StoreError), Store.read(path) as store:
        return len(store.played())
    return 0


def wait_for_games(path, count, process):
    wait_for(lambda: stored(path) >= count or process.poll() is not None, "games")
    assert process.poll() is None, process.communicate()


def test_a_command_that_is_killed_goes_on(tmp_path, slow_rows):
    path = tmp_path / "s.db"
    rng = random.Random(11)
    before = 0
    for kill in range(3):
        with command(path, *SLOW, most=7 * (kill + 1)) as process:
            if kill:  # a moment of the games, else one before them
                wait_for_games(path, before + rng.randint(1, 4), process)
            else:
                wait_for(path.exists, "a store")
            begun = descendants(process.pid)
            process.send_signal(signal.SIGKILL)
            process.wait()
            # Nobody tells the workers; they end by themselves, with all they have.
            wait_for(lambda: not begun & set(processes()), "workers to end")  # noqa: B023
        assert stored(path) >= before
        before = stored(path)
    assert 0 < before < 24
    with command(path, *SLOW) as process:
        _, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, said
    assert rows(path) == slow_rows


def test_an_interrupt_of_the_keyboard_says_how_to_go_on(tmp_path, slow_rows):
    path = tmp_path / "s.db"
    with command(path, *SLOW, most=20) as process:
        wait_for_games(path, 3, process)
        begun = descendants(process.pid)
        os.killpg(process.pid, signal.SIGINT)
        shown, said = process.communicate(timeout=PATIENCE)
        assert process.returncode == 130
        assert shown == ""
        assert f"{stored(path)} of 24 games are stored in {path}; run the same" in said
        assert "Traceback" not in said
        assert 3 <= stored(path) < 24
        wait_for(lambda: not begun & set(processes()), "workers to end")
    played = [row for row in slow_rows if row["number"] in Store.read(path).played()]
    assert rows(path) == played


def test_a_worker_that_is_killed_loses_no_game(tmp_path, slow_rows):
    path = tmp_path / "s.db"
    with command(path, *SLOW, most=20) as process:
        wait_for_games(path, 2, process)
        victims = [
            pid
            for pid in descendants(process.pid)
            if b"popen_loky" in Path(f"/proc/{pid}/cmdline").read_bytes()
        ]
        assert len(victims) == 2
        os.kill(victims[0], signal.SIGKILL)
        (tmp_path / "goes_on").touch()
        _, said = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0, said
    assert rows(path) == slow_rows


# An interrupt just when the main thread has taken a lock that the thread of the
# processes needs, too.
IN_A_LOCK = """
import operator, signal, threading
from types import SimpleNamespace

from loky.backend.synchronize import SemLock

from mcts_agents.arena.playing.backends import make_backend

main, begun, taken = threading.main_thread(), threading.Event(), SemLock.__enter__

def interrupted(lock):
    found = taken(lock)
    if begun.is_set() and threading.current_thread() is main:
        begun.clear()
        signal.raise_signal(signal.SIGINT)
    return found

SemLock.__enter__ = interrupted
fixtures = (SimpleNamespace(number=number, seats=()) for number in range(1000))
with make_backend("local", 1, None, operator.attrgetter("number")) as backend:
    try:
        for number in backend.play(fixtures):
            begun.set()
    except KeyboardInterrupt:
        print("interrupted after", number, flush=True)
"""


def test_an_interrupt_in_the_midst_of_a_lock_does_not_hang():
    done = subprocess.run(
        [sys.executable, "-c", IN_A_LOCK], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(r"interrupted after \d+\n", done.stdout), done
