"""`mcts-agents results`, on stores in every state."""

import json
import os
import re
import subprocess
from dataclasses import replace

import pytest

from mcts_agents.arena.playing.fixtures import Entrant, Failure, Fixture, Setting
from mcts_agents.arena.tournaments.store import Store
from tests.arena.stored import store
from tests.arena.synthetic import names, record, tournament
from tests.command import COMMAND

FAILED = Failure(
    Fixture(
        9, Setting("hex", 2, "1s"), 3, 77, (Entrant("a", '{"agent": "random"}'),) * 2
    ),
    "a worker died",
)


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    """A store of 24 games of 30, one of which could not be played."""
    games = tournament(agents=3, games=6, players=(2, 3), budgets=("40ms", "1s"))
    path = tmp_path_factory.mktemp("stores") / "running.db"
    return str(store(path, games, names(4), total=30, failures=[FAILED]))


def result(run_here, path):
    done = run_here("results", path, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


def test_json(running, run_here):
    found = result(run_here, running)
    assert found["games"] == found["distinct_games"] == 24
    assert (found["total"], found["complete"]) == (30, False)
    assert [agent["agent"] for agent in found["agents"]] == names(4)
    assert sum(agent["games"] for agent in found["agents"]) == 12 * 2 + 12 * 3
    assert sum(agent["wins"] for agent in found["agents"]) == pytest.approx(24)
    for agent in found["agents"][:3]:
        assert agent["low"] < agent["win_rate"] < agent["high"]
        assert agent["win_rate"] == agent["wins"] / agent["games"]
        assert agent["rating_low"] < agent["rating"] < agent["rating_high"]
        assert agent["decision_milliseconds"]["p50"] > 0
    absent = found["agents"][3]
    assert absent["win_rate"] is absent["rating"] is absent["low"] is None
    places = [(s["players"], s["budget"], s["games"]) for s in found["settings"]]
    assert [s["distinct_games"] for s in found["settings"]] == [6] * 4
    assert places == [(2, "40ms", 6), (2, "1s", 6), (3, "40ms", 6), (3, "1s", 6)]
    (failure,) = found["failures"]
    assert (failure["seed"], failure["error"]) == (77, "a worker died")
    assert failure["specs"] == [{"agent": "random"}] * 2


def test_table(running, run_here):
    shown = run_here("results", running).stdout
    assert "24 of 30 games, not complete, 1 could not be played" in shown
    assert "seed 77: 0=a 1=a: a worker died" in " ".join(shown.split())
    for name in names(4):
        assert name in shown
    assert "3 players, 40 ms: 6 games" in shown


@pytest.mark.parametrize(
    ("failures", "more"),
    [(1, ""), (2, " and 1 more game"), (3, " and 2 more games")],
)
def test_failures_of_one_kind_are_counted(tmp_path, run_here, failures, more):
    path = tmp_path / "failed.db"
    numbered = [
        replace(FAILED, fixture=replace(FAILED.fixture, number=number))
        for number in range(1, failures + 1)
    ]
    store(path, [], ["a"], total=3, failures=numbered)
    shown = " ".join(run_here("results", str(path)).stdout.split())
    assert f"seed 77: 0=a 1=a{more}: a worker died" in shown


def test_agents_that_always_win_have_no_intervals(tmp_path, run_here):
    two = Setting("hex", 2)
    games = [record(two, n, n, ["best", "worst"], [1.0, 0.0]) for n in range(8)]
    path = store(tmp_path / "one_sided.db", games, ["best", "worst"])
    found = result(run_here, str(path))
    assert found["one_sided"]
    assert [agent["rating_low"] for agent in found["agents"]] == [None, None]
    shown = " ".join(run_here("results", str(path)).stdout.split())
    assert "so there are no intervals" in shown
    assert "even %: the win rate if all agents were equally strong" in shown
    (row,) = re.findall(r" best 8 (.*?) worst", shown)
    assert row.endswith(f" {found['agents'][0]['rating']:.0f}")


def test_one_player_has_a_score_and_no_wins(tmp_path, run_here):
    one = Setting("lake", 1)
    games = [record(one, n, n, ["ab"[n % 2]], [float(n)]) for n in range(8)]
    path = str(store(tmp_path / "alone.db", games, ["a", "b"]))
    shown = run_here("results", path).stdout
    assert "win rate" not in shown
    assert "drawn" not in shown
    assert re.search(r" a +4 +3 \(", shown)  # of 0, 2, 4 and 6
    assert re.search(r" b +4 +4 \(", shown)


def test_complete(tmp_path, run_here):
    path = store(tmp_path / "done.db", tournament(agents=2, games=3, players=(2,)), [])
    found = result(run_here, str(path))
    assert found["complete"]
    assert "3 of 3 games, complete" in run_here("results", str(path)).stdout


def test_nothing_played_yet(tmp_path, run_here):
    Store.write(tmp_path / "bare.db").close()
    found = result(run_here, str(tmp_path / "bare.db"))
    assert found == {
        "games": 0, "distinct_games": 0, "total": 0, "complete": False,
        "never_met": False, "one_sided": False,
        "agents": [], "settings": [], "failures": [],
    }  # fmt: skip
    path = str(store(tmp_path / "begun.db", [], names(2), total=10))
    found = result(run_here, path)
    assert [agent["win_rate"] for agent in found["agents"]] == [None, None]
    assert not found["complete"]
    for name in ("bare.db", "begun.db"):
        assert run_here("results", str(tmp_path / name)).returncode == 0


def test_names_are_no_markup(tmp_path, run_here):
    agents = ["[red]mcts[/red]", "random"]
    games = tournament(agents=2, games=3, players=(2,), names_=agents)
    path = str(store(tmp_path / "names.db", games, agents))
    assert "[red]mcts[/red]" in run_here("results", path).stdout


def test_no_store(tmp_path, run_here):
    (tmp_path / "text.db").write_text("no database")
    for name in ("none.db", "text.db"):
        failed = run_here("results", str(tmp_path / name))
        assert failed.returncode == 2
        assert failed.stderr.count("\n") == 1
        assert name in failed.stderr


def test_watch_ends_when_all_is_played(tmp_path):
    games = tournament(agents=2, games=4, players=(2,), budgets=("40ms",))
    path = store(tmp_path / "going_on.db", games, names(2), total=5)
    watching = subprocess.Popen(
        [*COMMAND, "watch", str(path), "--seconds", "0.1"],
        stdout=subprocess.PIPE,
        text=True,
        # Rich shows changes on a terminal alone; this makes it take a pipe for one.
        env={**os.environ, "FORCE_COLOR": "1", "TERM": "xterm"},
    )
    looks = 0
    while looks < 2:  # it goes on after the first one
        line = watching.stdout.readline()
        assert line, "it has ended"
        looks += "4 of 5 games, not complete" in line
    with Store.write(path) as written:
        written.describe(written.description(), 4)
    told, _ = watching.communicate(timeout=600)  # a guard against hanging
    assert watching.returncode == 0
    assert "4 of 4 games, complete" in told
