"""The league: who plays what, enough games for everybody, and its page."""

import csv
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from mcts_agents.arena.analysis.tournament_results import read_results
from mcts_agents.arena.tournaments.store import Store

FOLDER = Path(__file__).resolve().parents[2] / "experiments" / "league"
SIMULATIONS = "tictactoe-500-simulations.sqlite"


def league(*words):
    return [sys.executable, str(FOLDER / "run.py"), *map(str, words)]


def run(*words):
    return subprocess.run(
        league(*words), capture_output=True, text=True, check=False, timeout=600
    )


def played(store):
    with Store.read(store) as opened:
        return len(opened.played())


@pytest.fixture(scope="module")
def output(tmp_path_factory):
    """A league of Tic-Tac-Toe that was interrupted once, then played to its end."""
    folder = tmp_path_factory.mktemp("league")
    words = "--games", "tictactoe", "--least", 4, "--output", folder
    process = subprocess.Popen(league(*words), stderr=subprocess.PIPE, text=True)
    store = folder / SIMULATIONS
    while not store.exists() or not played(store):
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.05)
    os.kill(process.pid, signal.SIGINT)
    assert "run the same command to resume" in process.communicate()[1]
    assert process.returncode == 130
    assert not (folder / "results.md").exists()
    done = run(*words)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def rows(output):
    with open(output / "results.csv", newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_every_agent_has_enough_games_of_both_halves(rows):
    for budget in ("500 simulations", "10ms"):
        games = [int(row["games"]) for row in rows if row["budget"] == budget]
        # 25 presets, of which three need hidden information, three functions that this
        # game lacks, and two are others' other names; eleven kinds that search, and two
        # that do not.
        assert len(games) == 30
        assert min(games) >= 4


def test_what_is_published_is_what_the_stores_hold(output, rows):
    summary = read_results(output / SIMULATIONS).summary.overall
    by_agent = {row["agent"]: row for row in rows if row["budget"] != "10ms"}
    for figures in summary.agents:
        row = by_agent[figures.agent]
        assert int(row["games"]) == figures.games
        assert float(row["win_rate"]) == pytest.approx(figures.win_rate.value, abs=1e-4)
    rated = [float(row["rating"]) for row in by_agent.values() if row["rating"]]
    assert len(rated) > 10
    assert np.mean(rated) == pytest.approx(1500, abs=1)


def test_equal_simulations_are_equal(output):
    with Store.read(output / SIMULATIONS) as store:
        agents = store.description()["agents"]
    budgets = {
        name: (own.get("simulations"), own.get("nodes")) for name, own in agents.items()
    }
    assert budgets["maxn"] == budgets["mcps"] == (500, None)
    assert budgets["alphabeta"] == (None, 500)
    assert budgets["random"] == budgets["one-step"] == (None, None)


def test_the_page_says_who_does_not_play_and_why(output):
    page = (output / "results.md").read_text(encoding="utf-8")
    assert "| `ismcts` | all games | it is the same agent as `maxn` |" in page
    assert "nothing is hidden in tictactoe" in page
    assert "played at least 4 games" in page
    for name in ("500_simulations", "10ms"):
        picture = (output / "pictures" / f"{name}.svg").read_text(encoding="utf-8")
        assert "Tic-Tac-Toe" in picture


def test_once_more_it_plays_nothing(output):
    before = (output / SIMULATIONS).read_bytes()
    page = (output / "results.md").read_bytes()
    again = run("--games", "tictactoe", "--least", 4, "--output", output)
    assert again.returncode == 0, again.stderr
    assert (output / SIMULATIONS).read_bytes() == before
    assert (output / "results.md").read_bytes() == page


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--games", "hexx"], "'hexx'"),
        (["--least", "0"], "--least 0: expected at least 1"),
        (["--trained", "hex=nowhere"], "nowhere/policy.onnx is missing"),
        (["--trained", "chess=nowhere"], "'chess'"),
    ],
)
def test_bad_options_are_refused_in_one_line(words, said, tmp_path):
    done = run(*words, "--output", tmp_path / "league")
    assert done.returncode == 2
    assert said in done.stderr.splitlines()[-1]
    assert not (tmp_path / "league").exists()
