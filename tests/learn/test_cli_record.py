"""`mcts-agents record`: what it prints, and that it goes on after any end."""

import contextlib
import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from mcts_agents.learn import Dataset
from tests.command import COMMAND
from tests.learn.recorded import files, record_here
from tests.learn.waiting import FOLDER, MOST, Waiting

# Seconds after which a process that should have done something has not.
PATIENCE = 600.0

AGENTS = ["mcts:simulations=30", f"{Waiting.__module__}:Waiting", "random"]

ARGUMENTS = [
    "sushi_go", "--players", "3", "--games", "24", "--games-per-shard", "2",
    "--explore-moves", "3", "--seed", "3",
    *(word for agent in AGENTS for word in ("--agent", agent)),
]  # fmt: skip


SAME = {
    "game": "sushi_go",
    "players": 3,
    "agents": AGENTS,
    "games": 24,
    "games_per_shard": 2,
    "explore_moves": 3,
    "seed": 3,
}


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    """The files of that recording, made in one go in one process."""
    folder = tmp_path_factory.mktemp("expected")
    record_here(folder, **SAME)
    return files(folder)


@contextlib.contextmanager
def command(folder, most):
    """Run the real command in a group of its own; kill what is left in the end.

    When there are `most` files the games stand still, so it does not come to its end.
    """
    process = subprocess.Popen(
        [*COMMAND, "record", *ARGUMENTS, "--out", str(folder), "--jobs", "2"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, FOLDER: str(folder), MOST: str(most)},
    )
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate(timeout=PATIENCE)


def wait_for_files(folder, count, process):
    end = time.monotonic() + PATIENCE
    while len(list(folder.glob("shard-*"))) < count:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end, "waited too long for files"
        time.sleep(0.01)


def whole_files(folder, expected):
    """Return the names of the files, all of which are as they should be."""
    found = {n: data for n, data in files(folder).items() if not n.endswith(".part")}
    for name, data in found.items():
        assert data == expected[name], name
    return sorted(found)


@pytest.mark.skipif(not Path("/proc").exists(), reason="signals to groups of processes")
def test_a_recording_that_is_killed_or_interrupted_goes_on(tmp_path, expected):
    with command(tmp_path, 1) as process:
        wait_for_files(tmp_path, 1, process)
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert 2 <= len(whole_files(tmp_path, expected)) < len(expected)
    more = Dataset(tmp_path).games // 2 + 1
    with command(tmp_path, more) as process:
        wait_for_files(tmp_path, more, process)
        os.killpg(process.pid, signal.SIGINT)
        shown, said = process.communicate(timeout=PATIENCE)
        assert process.returncode == 130
        assert shown == ""
        games = Dataset(tmp_path).games
        assert f"{games} of 24 games are stored in {tmp_path}; run the same" in said
        assert "Traceback" not in said
    assert 3 <= len(whole_files(tmp_path, expected)) < len(expected)
    record_here(tmp_path, **SAME)
    assert files(tmp_path) == expected


def test_the_json_says_what_is_there(tmp_path, run_here):
    arguments = ["record", "tictactoe", "--agent", "mcts:simulations=10", "--json"]
    arguments += ["--games", "3", "--out", str(tmp_path / "a"), "--jobs", "1"]
    done = run_here(*arguments, "--format", "parquet")
    assert done.returncode == 0, done.stderr
    rows = len(Dataset(tmp_path / "a"))
    assert json.loads(done.stdout) == {
        "folder": str(tmp_path / "a"),
        "games": 3,
        "rows": rows,
        "files": 1,
        "format": "parquet",
    }
    arguments.remove("--json")
    again = run_here(*arguments, "--format", "parquet")
    assert again.stdout == f"{tmp_path / 'a'}: 3 games, {rows} decisions, 1 files\n"


def test_what_is_refused_gets_one_line(tmp_path, run_here):
    def refused(*arguments, game="tictactoe", out=tmp_path / "a"):
        given = ["record", game, "--agent", "random", "--games", "2"]
        done = run_here(*given, "--out", str(out), *arguments)
        assert done.returncode == 2, done
        assert done.stdout == ""
        assert done.stderr.count("\n") == 1
        return done.stderr

    assert "did you mean hex" in refused(game="hexx")
    assert "no agent searches" in refused("--explore-moves", "2")
    assert "seed=-1" in refused("--seed", "-1")
    assert "jobs=0" in refused("--jobs", "0")
    assert "'csv'" in refused("--format", "csv")
    record_here(tmp_path / "b", games=1)
    assert "holds another recording" in refused(out=tmp_path / "b")
    (tmp_path / "file").touch()
    assert "cannot be written" in refused(out=tmp_path / "file")
    assert not (tmp_path / "a").exists()
