"""The page of the MultiTree paper's experiments shows what its stores hold."""

import dataclasses
import importlib
import re
from pathlib import Path

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
    for broken in ("tuned,poker,x,880,5,MT,2,1", "tuned,poker,2,880,5,MT", "a" * 9):
        path.write_text("\n".join([*lines[:2], broken, *lines[2:]]))
        with pytest.raises(ValueError, match=r"results.csv, line 3: "):
            counts.read_published(path)


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
    page.Page(found, tmp_path).write()
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
