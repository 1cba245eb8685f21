"""The tables of the MCPS paper: their tournaments, and what is printed of them."""

import importlib.util
import sys
from pathlib import Path

import pytest

from mcts_agents.agents import make_agent
from mcts_agents.arena.tournaments.spec_file import SpecFile
from mcts_agents.envs import GAMES, make_model
from mcts_agents.names import parse_spec

FOLDER = Path(__file__).parents[2] / "experiments" / "mcps"
FILES = sorted(FOLDER.glob("*.yaml"))
HEX = "hex:size=7,first_cell=c3"
REFS = {"table1": (50,), "table1_refs": (100, 200, 400)}


@pytest.fixture(scope="module")
def tables():
    spec = importlib.util.spec_from_file_location("mcps_tables", FOLDER / "tables.py")
    module = importlib.util.module_from_spec(spec)
    before = sys.path.copy()
    spec.loader.exec_module(module)
    sys.path[:] = before
    return module


def needed(file):
    """Return a file's spec; skip the test where the package lacks one of its games."""
    file = SpecFile(str(file))
    for game in file.data["games"]:
        name = parse_spec(game if isinstance(game, str) else game["game"])[0]
        if name not in GAMES:
            pytest.skip(f"the game {name} is missing")
    return file.spec()


def test_every_table_has_its_file(tables):
    assert [file.stem for file in FILES] == sorted(tables.PAPER)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_tournaments_are_those_of_the_paper(path, tables):
    spec = needed(path)
    assert spec.design == "one-against-field"
    assert spec.games_each == 800 * len(spec.agents)
    played = {
        (setting.game, int(setting.budget), entrant.name)
        for setting in spec.settings()
        for entrant in spec.entrants(setting)
    }
    assert set(tables.PAPER[path.stem]) <= played
    if "reverse" not in path.stem:
        field = make_agent(spec.field)
        assert (field.algorithm, field.settings.ref) == ("grave", 50)
        assert field.settings.bias == 1e-5
        assert {make_agent(a).algorithm for a in spec.agents.values()} == {"mcps"}
    if path.stem in REFS:
        refs = {name: make_agent(a).settings.ref for name, a in spec.agents.items()}
        assert refs == {f"ref={ref}": ref for ref in REFS[path.stem]}
        assert set(tables.PAPER[path.stem]) == played


def test_a_small_table_is_played_and_goes_on(tables, tmp_path, monkeypatch):
    text = (FOLDER / "table1_refs.yaml").read_text()
    line = next(line for line in text.splitlines() if line.startswith("games:"))
    text = text.replace(line, f'games: ["{HEX}"]').replace("[1000, 5000]", "[30]")
    (tmp_path / "table1_refs.yaml").write_text(text)
    monkeypatch.setattr(tables, "FOLDER", tmp_path)
    for games in (2, 3):
        results = tables.play("table1_refs", games, tmp_path, 1)
        assert len(results.games) == 3 * games
    paper = {(HEX, 30, "ref=100"): (50.0, 3.0)}
    lines = tables.rows(results, paper)
    assert len(lines) == 3
    assert lines[0].startswith(f"| {HEX} | 30 | ref=100 | 3 | ")
    assert "| 50.00 ± 3.00 | " in lines[0]
    assert lines[1].endswith("| | |")


@pytest.mark.parametrize("option", ["--games", "--jobs"])
@pytest.mark.parametrize("number", ["0", "-3", "1.5"])
def test_what_is_no_number_is_refused(tables, option, number, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["tables.py", f"{option}={number}"])
    with pytest.raises(SystemExit):
        tables.main()
    said = capsys.readouterr().err
    assert f"{option}: {number!r}: expected an integer from 1" in said


def test_a_difference_is_named(tables):
    shown = tables.line("x", 800, (60.0, 56.6, 63.4), (50.0, 3.46))
    assert shown == "| x | 800 | 60.00 (56.6-63.4) | 50.00 ± 3.46 | differs by +10.00 |"
    assert tables.line("x", 800, (53.0, 49.5, 56.5), (50.0, 3.46)).endswith("agrees |")


def test_averages_follow_from_the_rows_of_table_1(tables):
    for playouts, rates in tables.AVERAGES.items():
        for ref, average in rates.items():
            rows = [
                rate
                for table in REFS
                for (_, n, agent), (rate, _) in tables.PAPER[table].items()
                if (n, agent) == (playouts, f"ref={ref}")
            ]
            assert len(rows) == 6
            assert sum(rows) / 6 == pytest.approx(average, abs=0.03)


def test_codes_in_playouts_of_hex(tables, monkeypatch):
    monkeypatch.setattr(tables, "PLAYOUTS", 4000)
    moves, length, presence = tables.measured(make_model(HEX)[1], "exact")
    assert moves == 48
    assert length == pytest.approx(41.3, rel=0.02)
    assert presence == pytest.approx(0.435, abs=0.005)
