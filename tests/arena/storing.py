"""Games for stores, and processes that write them."""

import contextlib
import subprocess
import sys
from pathlib import Path

import numpy as np

from mcts_agents.arena.playing.fixtures import (
    GameRecord,
    SeatRecord,
    Setting,
)
from mcts_agents.arena.tournaments.store import Store

REPOSITORY = Path(__file__).parents[2]

# Writes games for ever, and tells the number of each that is stored.
WRITER = """
import sys, time
from mcts_agents.arena.tournaments.store import Store
from tests.arena.storing import record
with Store.write(sys.argv[1]) as store:
    print("open", flush=True)
    for number in range(max(store.played(), default=0) + 1, 10**9):
        store.add(record(number))
        print(number, flush=True)
        time.sleep(float(sys.argv[2]))
"""

HOLDER = """
import sys
from mcts_agents.arena.tournaments.store import Store
with Store.write(sys.argv[1]):
    print("open", flush=True)
    sys.stdin.read()
"""

# The real command, whose tournament waits before it stores more than so many games, so
# that it is not over before the test has looked, however late that is. It goes on once
# a file is there.
WAITING = """
import runpy, sys, time
from pathlib import Path
from mcts_agents.arena.tournaments.store import Store

def waiting(store, record):
    while len(store.played()) >= most and not goes_on.exists():
        time.sleep(0.01)
    add(store, record)

most, goes_on = int(sys.argv.pop(1)), Path(sys.argv.pop(1))
add, Store.add = Store.add, waiting
runpy.run_module("mcts_agents", run_name="__main__", alter_sys=True)
"""


def record(number, decisions=40):
    """A game that is told apart from others by its number alone."""
    setting = Setting("tictactoe", 2, "10")
    seats = tuple(
        SeatRecord(
            agent=name,
            spec='{"agent": "random"}',
            seed=number * 10 + seat,
            team=seat,
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
