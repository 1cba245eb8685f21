"""The page of the MultiTree paper's experiments shows what its stores hold."""

import dataclasses
import importlib
import itertools
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from mcts_agents.arena.analysis.intervals import wilson
from mcts_agents.arena.analysis.tournament_results import read_results
from mcts_agents.arena.playing.backends import LocalBackend
from mcts_agents.arena.tournaments.spec_file import SpecFile
from mcts_agents.arena.tournaments.tournament import (
    open_store,
    prepare,
    run_tournament,
)

FOLDER = Path(__file__).resolve().parents[2] / "experiments" / "multitree"


@pytest.fixture
def script(monkeypatch):
    """Import a script of the folder."""
    monkeypatch.syspath_prepend(str(FOLDER))
    return importlib.import_module


def play(name, path, games, players, games_each, budgets=()):
    """Play a part of a tournament of the folder."""
    spec = SpecFile(str(FOLDER / f"{name}.yaml")).spec(games_each=games_each)
    schedule = prepare(spec.part(games, players, budgets))
    with open_store(path, schedule) as store, LocalBackend(1) as workers:
        run_tournament(schedule, store, workers)


@pytest.fixture(scope="module")
def stores(tmp_path_factory):
    """Return stores of all three sets, of few games."""
    folder = tmp_path_factory.mktemp("stores")
    found = [folder / f"{n}.sqlite" for n in range(4)]
    play("tuned", found[0], ["poker", "tictactoe"], [2, 3], 5)
    play("tuned", found[1], ["poker"], [3], 10)
    play("fixed_is_30", found[2], ["love_letter"], [2, 4], 4)
    play("round_robin", found[3], ["love_letter"], [3], 10)
    return found


def test_counts_are_those_of_the_stores(script, stores):
    counts = script("counts")
    found = counts.read_store(stores[0])
    assert {c.tournament for c in found} == {"tuned"}
    assert {(c.game, c.players, c.budget) for c in found} == {
        ("tictactoe", 2, "1700"), ("tictactoe", 2, "8600"), ("poker", 2, "880"),
        ("poker", 2, "4400"), ("poker", 3, "880"), ("poker", 3, "4400"),
    }  # fmt: skip
    games = read_results(stores[0]).games
    for count in found:
        seats = [
            seat
            for game in games
            if game.setting == count.setting
            for seat in game.seats
            if seat.agent == count.agent
        ]
        assert (count.games, count.seats) == (5, len(seats))
        assert count.wins == sum(seat.win for seat in seats)


def test_of_two_sources_the_larger_counts(script, stores):
    counts = script("counts")
    parts = [counts.read_store(path) for path in stores[:2]]
    for order in (parts, parts[::-1]):
        found = counts.merged(order)
        played = {c.setting: c.games for c in found}
        assert {
            n for s, n in played.items() if (s.game, s.players) == ("poker", 3)
        } == {10}
        assert sorted(played.values()) == [5, 5, 5, 5, 10, 10]
        assert [c.game for c in found] == sorted((c.game for c in found), reverse=True)


def test_what_is_published_is_read_again(script, stores, tmp_path):
    counts = script("counts")
    found = counts.merged(map(counts.read_store, stores))
    path = tmp_path / "results.csv"
    counts.publish(found, path)
    again = counts.read_published(path)
    assert again == [
        dataclasses.replace(c, wins=pytest.approx(c.wins, abs=1e-4)) for c in found
    ]
    assert counts.read_published(tmp_path / "none.csv") == []
    lines = path.read_text().splitlines()
    for broken, said in BROKEN:
        path.write_text("\n".join([*lines[:2], broken, *lines[2:]]))
        with pytest.raises(ValueError, match=f"results.csv, line 3: {said}"):
            counts.read_published(path)
    path.write_text("\n".join([*lines[:3], lines[2]]))
    with pytest.raises(ValueError, match=r"results.csv, line 4: .* a row here already"):
        counts.read_published(path)
    first = "tuned,tictactoe,2,1700,{},{},2,1"
    rows = first.format(300, "MT"), first.format(400, "MTP")
    path.write_text("\n".join([lines[0], *rows]))
    with pytest.raises(ValueError, match=r"games=400: other agents have 300 here"):
        counts.read_published(path)
    path.write_text("\n".join(["tournament,game", *lines[1:]]))
    with pytest.raises(ValueError, match=r"results.csv, line 1: expected the columns"):
        counts.read_published(path)
    path.write_bytes("\n".join(lines[:2]).encode() + b"\xe4")
    with pytest.raises(ValueError, match=r"results.csv: is not text in UTF-8"):
        counts.read_published(path)


# Rows of no results, and why.
BROKEN = [
    ("tuned,poker,x,880,5,MT,2,1", "a number is none"),
    ("tuned,poker,2,880,5,MT", "expected 8 values, not 6"),
    ("tuned,poker,2,880,5,MT,2,1,1", "expected 8 values, not 9"),
    ("tuneed,poker,2,880,5,MT,2,1", "no tournament 'tuneed'"),
    ("tuned,pokre,2,880,5,MT,2,1", "game='pokre': expected one of tictactoe,"),
    ("tuned,poker,0,880,5,MT,2,1", "players=0: expected one of 2, 3, 4, 5"),
    ("tuned,poker,2,881,5,MT,2,1", "budget='881': expected one of 880, 4400"),
    ("tuned,poker,2,880,5,mt,2,1", "agent='mt': expected one of MaxN, Paranoid"),
    ("tuned,poker,2,880,5,MT,0,0", "seats=0: expected 1 to 10"),
    ("tuned,poker,2,880,5,MT,11,0", "seats=11: expected 1 to 10"),
    ("tuned,poker,2,880,5,MT,2,3", "wins=3.0: expected 0 to 2 seats"),
    ("tuned,poker,2,880,5,MT,2,-1", "wins=-1.0: expected 0 to 2 seats"),
    ("tuned,poker,2,880,5,MT,2,nan", "wins=nan: expected 0 to 2 seats"),
    ("tuned,poker,2,880,0,MT,2,1", "games=0: expected 1 to 1000000000"),
    (f"tuned,poker,2,880,1{'0' * 30},MT,2,1", "games=10+: expected 1 to 1000000000"),
    (f"tuned,poker,2,880,5,{'M' * 100_000},2,1", r"agent='M+...\(100,002 characters\)"),
    (f"tuned,poker,2,880,5,{'M' * 200_000},2,1", "field larger than field limit"),
]


def test_a_part_with_some_of_the_budgets_is_of_its_tournament(script, tmp_path):
    path = tmp_path / "part.sqlite"
    # Budgets of the games, and of the tournament.
    play("tuned", path, ["poker"], [2], 1, ["880"])
    assert {(c.tournament, c.budget) for c in script("counts").read_store(path)} == {
        ("tuned", "880")
    }
    path = tmp_path / "time.sqlite"
    play("tuned_time", path, ["tictactoe"], [2], 1, ["40ms"])
    assert {(c.tournament, c.budget) for c in script("counts").read_store(path)} == {
        ("tuned_time", "40ms")
    }


def test_a_store_of_another_tournament_is_refused(script, tmp_path):
    path = tmp_path / "other.sqlite"
    spec = SpecFile(str(FOLDER / "tuned.yaml")).spec(games_each=1, seed=7)
    with open_store(path, prepare(spec.part(["poker"], [2]))):
        pass
    with pytest.raises(ValueError, match=r"other.sqlite: not played from one of fixed"):
        script("counts").read_store(path)


def test_a_difference_is_significant_as_in_its_source(script):
    """Newcombe 1998, table II, example (a): 56 of 70 and 48 of 80."""
    page = script("page")
    found = page.least_difference(wilson(56, 70), wilson(48, 80))
    assert found == pytest.approx(0.0524, abs=5e-5)


def test_equal_variants_differ_in_one_of_twenty_experiments(script):
    """Drawn results of line-ups as `tuned.yaml` has them, all equally strong."""
    page, draw = script("page"), np.random.default_rng(1)
    variants = list(page.VARIANTS)
    pairs = [
        (["MT"], ["MTP"]),
        (["MaxN", "Paranoid"], ["MT", "MTP"]),
        (["MaxN", "Paranoid"], ["Self"]),
    ]
    differ = np.zeros((len(pairs), 2))
    experiments = 2000
    for _ in range(experiments):
        seats, wins = Counter(), Counter()
        for players in (2, 3, 4, 5):
            lineups = list(itertools.combinations(variants, players))
            games = 200 // len(lineups)
            drawn = draw.multinomial(games, [1 / players] * players, len(lineups))
            for lineup, won in zip(lineups, drawn.tolist(), strict=True):
                seats.update(dict.fromkeys(lineup, games))
                wins.update(dict(zip(lineup, won, strict=True)))
        for number, pair in enumerate(pairs):
            rates = [
                wilson(sum(wins[v] for v in group), sum(seats[v] for v in group))
                for group in pair
            ]
            rates.sort(key=lambda rate: rate.value)
            differ[number] += [
                page.least_difference(rates[1], rates[0], rivals) > 0
                for rivals in (0, 5)
            ]
    as_independent, as_rivals = differ.T / experiments
    assert 0.035 < as_rivals.min() <= as_rivals.max() < 0.065
    assert (as_independent > as_rivals).all()
    assert as_independent.mean() > 0.065


@pytest.mark.parametrize(
    ("wins", "letters"),
    [
        ({"MaxN": 50, "Paranoid": 10, "Self": 10, "MT": 10, "MTP": 10}, "V"),
        ({"MaxN": 10, "Paranoid": 50, "Self": 10, "MT": 48, "MTP": 10}, "VM"),
        ({"MaxN": 10, "Paranoid": 10, "Self": 50, "MT": 10, "MTP": 45}, "MS"),
        ({"MaxN": 20, "Paranoid": 20, "Self": 20, "MT": 20, "MTP": 20}, "VMS"),
    ],
)
def test_groups_are_best_that_are_not_below_the_best(script, wins, letters):
    rates = {name: wilson(won, 100) for name, won in wins.items()}
    assert script("page").best_groups(rates) == letters


def test_the_page_has_every_setting_and_picture(
    script, stores, tmp_path, monkeypatch, capsys
):
    page, counts = script("page"), script("counts")
    found = counts.merged(map(counts.read_store, stores))
    page.Page(found).write(tmp_path)
    text = (tmp_path / "results.md").read_text()
    pictures = re.findall(r"\]\((pictures/.*?)\)", text)
    assert pictures == [
        "pictures/figure_3.svg", "pictures/tuned_tictactoe.svg",
        "pictures/tuned_poker.svg", "pictures/figure_1_love_letter.svg",
        "pictures/figure_2_love_letter.svg",
    ]  # fmt: skip
    for picture in pictures:
        assert (tmp_path / picture).read_text().startswith("<svg")
    for count in found:
        if count.agent != "field":
            assert page.said(count.rate) in text
    assert "field" not in text
    monkeypatch.setattr(
        "sys.argv", ["page.py", str(tmp_path / "no.sqlite"), "--output", str(tmp_path)]
    )
    with pytest.raises(SystemExit, match="2"):
        page.main()
    assert "no.sqlite" in capsys.readouterr().err.splitlines()[-1]


def test_a_tournament_that_has_just_begun(script, tmp_path):
    """Variants without seats have no letter, and empty cells."""
    path = tmp_path / "begun.sqlite"
    play("tuned", path, ["tictactoe"], [2], 1, ["1700"])
    found = script("page").Page(script("counts").read_store(path))
    lines = found.files["results.md"].splitlines()
    (overall,) = [line for line in lines if line.startswith("| Tic-Tac-Toe | 40 ms |")]
    assert overall.count("|  |") >= 1
    assert found.files["pictures/figure_3.svg"].startswith("<svg")


def test_real_times_are_shown_apart(script, stores, tmp_path):
    page, counts = script("page"), script("counts")
    path = tmp_path / "time.sqlite"
    play("tuned_time", path, ["tictactoe"], [2], 4, ["40ms"])
    simulated = counts.read_store(stores[0])
    alone, both = (
        page.Page(simulated),
        page.Page([*simulated, *counts.read_store(path)]),
    )
    for name, text in alone.files.items():
        if name != "results.md":
            assert both.files[name] == text
    text = both.files["results.md"]
    before, after = text.split("\n\n## Set 3 at real times")
    assert alone.files["results.md"].startswith(before)
    assert "| Tic-Tac-Toe | 40 ms | 4 |" in after


def test_a_variation_of_a_game_that_was_not_played_otherwise(script, tmp_path):
    path = tmp_path / "wide.sqlite"
    play("wide", path, ["dominion"], [2], 2, ["440"])
    text = script("page").Page(script("counts").read_store(path)).files["results.md"]
    assert "### Dominion" in text and "(`wide.yaml`):" in text


def test_nothing_is_published_of_what_cannot_be_shown(script, tmp_path, monkeypatch):
    page = script("page")
    written = []
    monkeypatch.setattr(page, "publish", lambda counts: written.append("csv"))
    monkeypatch.setattr(page.Page, "write", lambda self, folder: written.append(folder))
    monkeypatch.setattr("sys.argv", ["page.py", "--publish"])
    page.main()
    assert written == ["csv", page.FOLDER]

    def fails(*_):
        raise ValueError("a picture fails")

    monkeypatch.setattr(page, "bars", fails)
    with pytest.raises(SystemExit, match="2"):
        page.main()
    assert len(written) == 2


def test_what_is_not_installed_is_named_in_one_line(tmp_path):
    (tmp_path / "matplotlib.py").write_text("raise ImportError('No matplotlib here')")
    done = subprocess.run(
        [sys.executable, str(FOLDER / "page.py"), "--output", str(tmp_path / "out")],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert line.startswith("page.py: error: No matplotlib here; it needs pip install")
    assert not (tmp_path / "out").exists()
