"""Stores that earlier versions wrote are read and continued, as docs/arena.md says."""

import contextlib
import csv
import json
import sqlite3
from pathlib import Path

import pytest

from mcts_agents.arena.tournaments.store_tables import FORMAT

# One for each format that a release had; none had 1. A new format adds a file; none is
# ever removed or changed.
FIRST = 2
FORMATS = sorted(Path(__file__).with_name("formats").glob("format_*.sql"))


def test_there_is_a_store_of_each_format():
    assert [path.stem for path in FORMATS] == [
        f"format_{number}" for number in range(FIRST, FORMAT + 1)
    ]


@pytest.mark.parametrize("dump", FORMATS, ids=lambda dump: dump.stem)
def test_every_format_is_read_and_continued(dump, tmp_path, run_here):
    path = tmp_path / "s.db"
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.executescript(dump.read_text())
    before = path.read_bytes()
    results = json.loads(run_here("results", str(path), "--json").stdout)
    assert (results["games"], results["total"]) == (3, 4)
    assert [agent["wins"] for agent in results["agents"]] == [1.5, 1.5]
    assert results["failures"][0]["error"] == "RuntimeError: out of ideas"
    rows = tmp_path / "rows.csv"
    for command in (
        ("replay", str(path), "2", "--no-search"),
        ("report", str(path), "--output", str(tmp_path / "page.html")),
        ("export", str(path), "--output", str(rows)),
    ):
        done = run_here(*command)
        assert (done.returncode, done.stderr) == (0, "")
    with rows.open(newline="") as file:
        found = [(row["agent"], row["team"]) for row in csv.DictReader(file)]
    assert ["".join(row) for row in found] == ["a0", "b1", "b0", "a1", "a0", "b1"]
    assert path.read_bytes() == before
    done = run_here(
        *"tournament --game tictactoe --games 4 --jobs 1 --json".split(),
        *("--agent", "a=random", "--agent", "b=mcts:simulations=5"),
        *("--store", str(path)),
    )
    assert done.returncode == 0
    found = json.loads(done.stdout)
    assert (found["games"], found["complete"], found["failures"]) == (4, True, [])
    with contextlib.closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (FORMAT,)
