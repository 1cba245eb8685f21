"""The league: who plays what, enough games for everybody, and its page."""

import contextlib
import csv
import os
import runpy
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from mcts_agents.arena.analysis.tournament_results import read_results
from mcts_agents.arena.tournaments.store import Store, StoreError

FOLDER = Path(__file__).resolve().parents[2] / "experiments" / "league"
SIMULATIONS = "tictactoe-500-simulations.sqlite"


def league(*words):
    return [sys.executable, str(FOLDER / "run.py"), *map(str, words)]


def run(*words):
    return subprocess.run(
        league(*words), capture_output=True, text=True, check=False, timeout=600
    )


@pytest.fixture(scope="module")
def page():
    """The names of `page.py` and of what it imports from its own folder."""
    before = sys.path.copy()
    sys.path.insert(0, str(FOLDER))
    try:
        found = runpy.run_path(str(FOLDER / "page.py"))
        return SimpleNamespace(**vars(sys.modules["round_robins"]) | found)
    finally:
        sys.path[:] = before
        forget_modules()


@pytest.fixture
def script(monkeypatch):
    """The names of `run.py`, with pages that are written without pictures."""
    monkeypatch.setattr(sys, "path", [str(FOLDER), *sys.path])
    found = SimpleNamespace(**runpy.run_path(str(FOLDER / "run.py"), run_name="run"))
    own = found.Page.__init__.__globals__
    monkeypatch.setitem(own, "heat_map", lambda *_: "<svg/>")
    forget_modules()
    return found


def forget_modules():
    """Let other scripts have modules of the same names."""
    for name in ("page", "league", "round_robins"):
        sys.modules.pop(name, None)


def run_main(script, monkeypatch, *words):
    """Return the exit code of the script."""
    monkeypatch.setattr(sys, "argv", ["run.py", "--jobs", "1", *map(str, words)])
    try:
        script.main()
    except SystemExit as ended:
        return ended.code
    return 0


def played(store):
    """Return how many games are in a store; 0 while SQLite has only made its file."""
    with contextlib.suppress(StoreError), Store.read(store) as opened:
        return len(opened.played())
    return 0


@pytest.fixture(scope="module")
def output(tmp_path_factory):
    """A league of Tic-Tac-Toe that was interrupted once, then played to its end."""
    folder = tmp_path_factory.mktemp("league")
    words = "--games", "tictactoe", "--least", 4, "--output", folder
    process = subprocess.Popen(league(*words), stderr=subprocess.PIPE, text=True)
    store = folder / SIMULATIONS
    while not played(store):
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.05)
    os.kill(process.pid, signal.SIGINT)
    assert "run the same command to resume" in process.communicate(timeout=600)[1]
    assert process.returncode == 130
    assert not (folder / "results.md").exists()
    done = run(*words)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def rows(output):
    """The agents that play."""
    with open(output / "results.csv", newline="", encoding="utf-8") as file:
        return [row for row in csv.DictReader(file) if not row["why_not"]]


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


def test_the_machine_is_noted_where_it_makes_a_difference(output, rows):
    assert not (output / SIMULATIONS).with_suffix(".machines.json").exists()
    note = (output / "tictactoe-10ms.machines.json").read_text(encoding="utf-8")
    for row in rows:
        assert row["machines"] == ("" if row["budget"] != "10ms" else note.strip())
    assert "were played" not in (output / "results.md").read_text(encoding="utf-8")


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


def test_the_table_holds_all_that_the_page_says(output, page):
    """Published round robins come from the table, those played since from stores."""
    text = (output / "results.csv").read_text(encoding="utf-8")
    again = page.Page(page.from_csv(text, "results.csv"))
    assert set(again.files) == {
        "results.csv",
        "results.md",
        "pictures/500_simulations.svg",
        "pictures/10ms.svg",
    }
    for name, file in again.files.items():
        assert file == (output / name).read_text(encoding="utf-8"), name


TABLE = """\
game,players,budget,played,left,agent,games,win_rate,low,high,rating,rating_low,\
rating_high,milliseconds,why_not,machines
{game},2,{budget},{played},0,maxn,{played},0.7000,0.5,0.8,1580,1500,1660,1.25,,
{game},2,{budget},{played},0,random,{played},0.3000,0.2,0.5,,,,0.01,,
{game},2,{budget},{played},0,ismcts,0,,,,,,,,"the same, as `maxn`",
"""


def table(page, game, played, budget="500 simulations"):
    text = TABLE.format(game=game, played=played, budget=budget)
    return page.from_csv(text, "table")


def test_new_round_robins_join_published_ones_and_larger_ones_replace_them(page):
    published = [*table(page, "hex", 60), *table(page, "nogo", 80)]
    new = [
        *table(page, "tictactoe", 40),
        *table(page, "hex", 90),
        *table(page, "nogo", 20),
        *table(page, "hex", 70, "10ms"),
    ]
    found = {(own.game, own.budget): own.games for own in page.united(published, new)}
    assert found == {
        ("tictactoe", "500 simulations"): 40,
        ("hex", "500 simulations"): 90,
        ("nogo", "500 simulations"): 80,
        ("hex", "10ms"): 70,
    }
    (hex_, *_) = table(page, "hex", 60)
    assert hex_.absent == {"ismcts": "the same, as `maxn`"}
    assert hex_.standings["random"].rating.value is None
    assert page.as_csv([hex_]).count("\n") == 4


def test_the_page_says_where_machines_differ(page, monkeypatch):
    """Also when it is written from the table."""
    monkeypatch.setitem(page.Page.__init__.__globals__, "heat_map", lambda *_: "<svg/>")
    robins = [
        replace(*table(page, game, 60, "10ms"), machines=machines)
        for game, machines in {
            "hex": (page.Machine("one", 4, 2), page.Machine("one", 4, 16)),
            "tictactoe": (page.Machine("two", 4, 2),),
        }.items()
    ]
    written = page.Page(robins)
    said = "These games were played on 2 machines, with 2 and 16 workers."
    assert said in written.paragraphs
    again = page.Page(page.from_csv(written.files["results.csv"], "results.csv"))
    assert again.files == written.files
    assert "were played on" not in page.Page(robins[1:]).files["results.md"]


def test_what_is_not_finished_is_in_no_mean_and_not_published(
    script, page, tmp_path, monkeypatch, capsys
):
    monkeypatch.setitem(script.publish.__globals__, "HERE", tmp_path)
    begun = [replace(own, left=3) for own in table(page, "hex", 60)]
    script.publish(table(page, "nogo", 80), [*begun, *table(page, "nogo", 20)])
    told = capsys.readouterr().err.splitlines()
    assert told == [
        "hex, 500 simulations: not published, 3 games are left",
        "nogo, 500 simulations: stays as published, of 80 games",
    ]
    text = (tmp_path / "results.csv").read_text(encoding="utf-8")
    assert [own.games for own in page.from_csv(text, "results.csv")] == [80]
    monkeypatch.setitem(page.Page.__init__.__globals__, "heat_map", lambda *_: "<svg/>")
    text = page.Page([*begun, *table(page, "nogo", 80)]).files["results.md"]
    assert "played at least 80 games in each finished round robin" in text
    assert "\nNogo. The ten best" in text
    assert "60 of 63" in text


def test_a_store_of_other_agents_is_refused(page, output):
    results = read_results(output / SIMULATIONS)
    agents = [*results.agents[1:], "newest"]
    line = SimpleNamespace(agents=agents, game="tictactoe")
    with pytest.raises(StoreError, match=f"{results.agents[0]}, newest differ; delete"):
        page.Played.of(line, "500 simulations", results)


def results_of(script, page, monkeypatch, games):
    """Let some games have results, the others what their stores hold."""
    own, stored = script.main.__globals__, script.League.results

    def results(league, game, budget):
        if game in games and budget != "10ms":
            return SimpleNamespace(games=[1])
        return stored(league, game, budget)

    monkeypatch.setattr(script.League, "results", results)
    monkeypatch.setattr(
        script.League, "line", lambda _, game: SimpleNamespace(game=game, refused={})
    )
    of = SimpleNamespace(of=lambda line, *_: table(page, line.game, 60)[0])
    monkeypatch.setitem(own, "Played", of)


def test_a_broken_store_does_not_end_the_other_round_robins(
    script, page, tmp_path, monkeypatch, capsys
):
    tried = []

    def play(league, game, *_):
        tried.append(game)
        if (store := league.store(game, "500 simulations")).exists():
            read_results(store)
        return 0

    monkeypatch.setattr(script.League, "_play", play)
    results_of(script, page, monkeypatch, ["hex"])
    (tmp_path / SIMULATIONS).write_text("no store")
    words = "--games", "tictactoe", "hex", "--budgets", "500 simulations"
    assert run_main(script, monkeypatch, *words, "--output", tmp_path) == 1
    assert tried == ["tictactoe", "hex"]
    told = capsys.readouterr().err
    assert told.count(SIMULATIONS) == 1
    assert told.splitlines()[-1] == "1 round robins failed, as said above"
    assert "hex" in (tmp_path / "results.csv").read_text(encoding="utf-8")


def test_trained_networks_of_earlier_commands_stay_on_their_page(
    script, page, tmp_path, monkeypatch
):
    monkeypatch.setattr(script.League, "_play", lambda *_: 0)
    for name in ("policy.onnx", "summary.json"):
        (tmp_path / name).touch()
    for game in ("hex", "tictactoe"):
        results_of(script, page, monkeypatch, [game])
        words = "--games", game, "--trained", f"{game}={tmp_path}"
        words += "--budgets", "500 simulations"
        assert run_main(script, monkeypatch, *words, "--output", tmp_path) == 0
    text = (tmp_path / "trained" / "results.csv").read_text(encoding="utf-8")
    found = page.from_csv(text, "results.csv")
    assert {own.game for own in found} == {"tictactoe", "hex"}
    # What is in the stores now counts, even if it is less.
    more, fewer = table(page, "hex", 60), table(page, "hex", 20)
    assert script.with_earlier(more, fewer) == fewer
    (tmp_path / "trained" / "results.csv").write_text("damaged")
    assert run_main(script, monkeypatch, *words, "--output", tmp_path) == 2


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("why_not", "why", "'why'"),
        ("hex", "hexx", "'hexx'"),
        ("500 simulations", "600 simulations", "'600 simulations'"),
        ("0.7000", "much", "hex, 500 simulations: .*'much'"),
        (",1580,1500,1660,1.25,", "", "hex, 500 simulations"),
    ],
)
def test_a_damaged_table_is_refused_by_name(page, old, new, said):
    text = TABLE.format(game="hex", played=60, budget="500 simulations")
    assert old in text
    with pytest.raises(ValueError, match=f"results.csv: .*{said}"):
        page.from_csv(text.replace(old, new), "results.csv")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--games", "hexx"], "'hexx'"),
        (["--least", "0"], "--least 0: expected at least 1"),
        (["--trained", "hex=nowhere"], "nowhere/policy.onnx is missing"),
        (["--trained", "chess=nowhere"], "'chess'"),
    ],
)
def test_bad_options_are_refused_in_one_line(
    script, monkeypatch, capsys, words, said, tmp_path
):
    folder = tmp_path / "league"
    assert run_main(script, monkeypatch, *words, "--output", folder) == 2
    assert said in capsys.readouterr().err.splitlines()[-1]
    assert not folder.exists()
