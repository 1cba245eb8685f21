"""Fail an operation on files at its n-th write, sync, rename or opening, for each n.

Started as `python -m tests.faulty_files FOLDER` in a process in which the library made
of `faulty_calls.c` stands before the C library, so that calls of Python, SQLite and
Arrow fail alike; the files, and what is done with them, are real. Prints, as JSON, at
how many points each operation was disturbed, or what went wrong; `test_faulty_files`
runs it.
"""

import ctypes
import errno
import functools
import itertools
import json
import os
import shutil
import signal
import sys
import traceback
from pathlib import Path

import numpy as np

from mcts_agents import make_agent
from mcts_agents.agents.policies.files import write_npz
from mcts_agents.agents.policies.perceptron import Perceptron
from mcts_agents.agents.saving import save_agent
from mcts_agents.arena.analysis.tournament_results import read_results
from mcts_agents.arena.playing.workers import play_fixture
from mcts_agents.arena.replay import html
from mcts_agents.arena.replay.replaying import Replay
from mcts_agents.arena.reports import report
from mcts_agents.arena.reports.export import export_rows
from mcts_agents.arena.tournaments.schedule import Schedule
from mcts_agents.arena.tournaments.store import Store, StoreError
from mcts_agents.arena.tournaments.tournament_spec import TournamentSpec
from mcts_agents.learn.dataset import Dataset
from tests.arena.stored import store
from tests.arena.storing import mended, record
from tests.arena.synthetic import names, tournament
from tests.learn.recorded import record_here

# As `faulty_calls.c` numbers them.
ONCE, FROM_THEN_ON, INTERRUPT, KILL = 1, 2, 3, 4
KINDS = {
    "a full disk, once": (ONCE, errno.ENOSPC),
    "a full disk, from then on": (FROM_THEN_ON, errno.ENOSPC),
    "a broken disk, once": (ONCE, errno.EIO),
    "an interrupt": (INTERRUPT, 0),
    "a kill": (KILL, 0),
}
# Where there are many calls: an error is an error, whatever its number.
MOST_KINDS = tuple(kind for kind in KINDS if kind != "a broken disk, once")
FEW_KINDS = ("a full disk, once", "a kill")
EXPECTED = (OSError, StoreError, KeyboardInterrupt)


class Faults:
    """The library; see `faulty_calls.c`."""

    def __init__(self):
        self.calls = ctypes.CDLL(None)
        if not hasattr(self.calls, "faulty_begin"):
            raise RuntimeError("the library of faulty_calls.c was not loaded first")

    def begin(self, folder, kind, number):
        how, error = KINDS[kind]
        self.calls.faulty_begin(os.fsencode(folder), how, error, number)

    def end(self):
        return self.calls.faulty_end()


def bytes_of(folder):
    """Return what all files hold, by their names.

    Locks are empty for ever; `check` looks for temporary files.
    """
    return {
        path.name: path.read_bytes()
        for path in folder.iterdir()
        if path.suffix not in (".lock", ".part")
    }


def tables_of(folder):
    """Return the games of a sound store, each by its number, and how many there are."""
    path = folder / "s.db"
    if not path.exists() or not path.stat().st_size:
        return {}
    try:
        found = {game.number: True for game in mended(path)}  # compares each, too
    except StoreError as error:
        # SQLite takes back a file in which a first transaction was interrupted.
        assert str(error) == f"{path}: an empty file, not an mcts-agents store"
        return {}
    with Store.read(path) as opened:
        if opened.total():  # tables are made first, and described then
            found["total"] = opened.total()
    return found


def dataset_of(folder):
    Dataset(folder)[:]  # reads all that is there
    return bytes_of(folder)


class Operation:
    """What is done with files in a folder, and what must be there before and after.

    Args:
        act: Does it.
        before: Makes what was there before; by default a file that is replaced.
        look: Returns what is there, as a mapping.
        kinds: In which ways it is disturbed.
    """

    def __init__(self, name, act, before=None, look=bytes_of, kinds=tuple(KINDS)):
        self.name, self.act, self.look, self.kinds = name, act, look, kinds
        self.before = before or (lambda folder: (folder / name).write_text("before"))


def check(operation, folder, faults):
    """Disturb an operation at each point in each way; return at how many."""
    start, now, calm = (folder / kind for kind in ("start", "now", "calm"))
    for path in (start, calm):
        path.mkdir(parents=True)
        operation.before(path)
    before = operation.look(start)
    operation.act(calm)
    after = operation.look(calm)
    assert before != after
    allowed = {path.name for path in (*start.iterdir(), *calm.iterdir())}
    points = 0
    for kind in operation.kinds:
        for number in itertools.count(1):
            shutil.rmtree(now, ignore_errors=True)
            shutil.copytree(start, now)
            disturb = killed if kind == "a kill" else disturbed
            reached, ended = disturb(operation, now, faults, kind, number)
            where = f"{kind}, call {number}: {ended!r}"
            found = operation.look(now)
            if not reached:
                assert ended is None, where
                assert found == after, where
                break
            points += 1
            for name in {*before, *after, *found}:
                value = found.get(name)
                assert value in (before.get(name), after.get(name)), (where, name)
            if ended is None:
                assert found == after, f"{where}: passed, but something is missing"
            if kind != "a kill":
                left = {path.name for path in now.iterdir()} - allowed
                assert not {name for name in left if "journal" not in name}, where
            operation.act(now)
            assert operation.look(now) == after, f"{where}: then again"
            # A kill leaves its temporary file, which hides no other one.
            left = {path.name for path in now.iterdir()} - allowed
            assert all(name.endswith(".part") for name in left), (where, left)
            assert kind == "a kill" or not left, (where, left)
    return points


def disturbed(operation, folder, faults, kind, number):
    """Return whether the n-th call was reached, and the error that came of it."""
    ended = None
    faults.begin(folder, kind, number)
    try:
        operation.act(folder)
    except EXPECTED as error:
        ended = error
    finally:
        calls = faults.end()
    return calls >= number, ended


def killed(operation, folder, faults, kind, number):
    """The same in a process that is killed at the n-th call."""
    child = os.fork()
    if not child:
        faults.begin(folder, kind, number)
        try:
            operation.act(folder)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        assert os.WTERMSIG(status) == signal.SIGKILL
        return True, "killed"
    return False, None if status == 0 else f"status {status}"


# -- the operations


def games_begin(folder):
    with Store.write(folder / "s.db") as opened:
        opened.describe(DESCRIPTION, 4)
        opened.add(record(1))


def games_go_on(folder):
    with Store.write(folder / "s.db") as opened:
        opened.describe({**DESCRIPTION, "games_each": 6}, 6)
        for number in range(1, 3):
            if number not in opened.played():
                opened.add(record(number))


DESCRIPTION = {
    "games": [{"game": "tictactoe", "players": [2], "search": {}}],
    "agents": {"a": {"agent": "random"}, "b": {"agent": "random"}},
    "field": None,
    "budgets": ["10"],
    "design": "round-robin",
    "games_each": 4,
    "seed": 0,
}

record_random = functools.partial(
    record_here, game="tictactoe", agents="random", games_per_shard=2, explore_moves=0
)


def operations(folder):
    """Return all of them; what they write is made beforehand."""
    games = tournament(agents=2, games=4, players=(2,))
    results = read_results(store(folder / "results.db", games, names(2)))
    page = report.render_report(results)
    report.render_report = lambda *_: page  # seconds of drawing, each time
    arrays = {"policy.0.weight": np.ones((3, 2)), "policy.0.bias": np.ones(3)}
    perceptron = Perceptron(arrays, "tanh")
    agents = ["random", "one-step"]
    spec = TournamentSpec(games="tictactoe", agents=agents, games_each=2)
    (fixture, *_) = Schedule(spec)
    replay = Replay(play_fixture(fixture), search=False)
    moments = list(replay.moments())[:1]
    agent = make_agent("mcts:tree=multi")
    return [
        Operation("agent.yaml", lambda f: save_agent(agent, f / "agent.yaml")),
        Operation("agent.json", lambda f: save_agent(agent, f / "agent.json")),
        Operation("p.npz", lambda f: write_npz(f / "p.npz", perceptron, "flat")),
        Operation("page.html", lambda f: report.write_report(results, f / "page.html")),
        Operation("rows.csv", lambda f: export_rows(games, f / "rows.csv")),
        Operation(
            "rows.parquet",
            lambda f: export_rows(games, f / "rows.parquet"),
            # A hundred calls; and its threads do not survive the fork before a kill.
            kinds=("a full disk, once", "an interrupt"),
        ),
        Operation(
            "g.html",
            lambda f: html.write(replay, moments, 3, f / "g.html"),
            kinds=("a full disk, once", "an interrupt"),  # pictures take their time
        ),
        Operation(
            "a new file",
            lambda f: save_agent(agent, f / "new.yaml"),
            before=lambda f: None,
        ),
        Operation("a store goes on", games_go_on, games_begin, tables_of, MOST_KINDS),
        Operation("a new store", games_go_on, lambda f: None, tables_of, FEW_KINDS),
        Operation(
            "a dataset goes on",
            lambda f: record_random(f, games=3),  # a file is replaced, and one added
            lambda f: record_random(f, games=1),
            dataset_of,
            ("a full disk, once", "an interrupt"),
        ),
    ]


def main(folder):
    faults, found = Faults(), {}
    folder.mkdir()
    for operation in operations(folder):
        place = folder / operation.name.replace(" ", "_")
        try:
            found[operation.name] = check(operation, place, faults)
        except Exception:
            faults.end()
            found[operation.name] = traceback.format_exc()
    print(json.dumps(found))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
