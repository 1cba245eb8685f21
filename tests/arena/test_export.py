"""Exported rows, read back by the standard library, pandas, DuckDB and pyarrow."""

import csv
import json
import sys
from dataclasses import replace

import duckdb
import numpy as np
import pandas
import pytest

from mcts_agents.arena.reports.export import COLUMNS, export_rows
from tests.arena.stored import store
from tests.arena.synthetic import names, tournament

AWKWARD = ['mcts:tree=multi,"quoted"', "line\nbreak", "<b>ünï</b>"]


@pytest.fixture(scope="module")
def games():
    return tournament(agents=3, games=20, players=(2, 3), names_=AWKWARD, levels=4)


def readers(path):
    if path.suffix == ".csv":
        yield pandas.read_csv(path, keep_default_na=False)
        yield duckdb.sql(f"SELECT * FROM read_csv('{path}', header=true)").df()
    else:
        yield pandas.read_parquet(path)
        yield duckdb.sql(f"SELECT * FROM '{path}'").df()


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_other_programs_read_what_was_written(games, tmp_path, suffix):
    path = tmp_path / f"rows{suffix}"
    export_rows(games, path)
    seats = [(game, n, seat) for game in games for n, seat in enumerate(game.seats)]
    for table in readers(path):
        assert tuple(table.columns) == COLUMNS
        assert len(table) == len(seats) == 100
        assert list(table["agent"]) == [seat.agent for _, _, seat in seats]
        assert list(table["seat"]) == [n for _, n, _ in seats]
        assert list(table["game_seed"]) == [game.seed for game, _, _ in seats]
        assert list(table["win"]) == [seat.win for _, _, seat in seats]
        assert list(table["score"]) == [seat.score for _, _, seat in seats]
        assert list(table["budget"]) == [game.setting.budget for game, _, _ in seats]
        for row, (game, _, seat) in zip(table.itertuples(), seats, strict=True):
            assert json.loads(row.spec)["name"] == seat.agent
            moves = tuple(
                tuple(int(n) for n in move.split(":")) for move in row.moves.split()
            )
            assert moves == game.moves
            times = np.array(row.decision_seconds.split(), np.float32)
            assert (times == seat.seconds).all()
            assert row.seconds == pytest.approx(times.sum())


FORMULAS = [
    "=cmd|' /C calc'!A0",
    "+1+1",
    "-2+3",
    "@SUM(1+1)",
    "\t=1",
    "\r=1",
    "\n=1",
    "\uff1d1",
    "\uff0b1",
    "\uff0d1",
    "\uff201",
    "'=1",
    "'quoted'",
    "a=b",
    'mcts:tree=multi,"=1"',
]


def test_no_spreadsheet_takes_a_text_for_a_formula(tmp_path):
    games = tournament(agents=len(FORMULAS), games=60, players=(2,), names_=FORMULAS)
    games = [
        replace(
            game,
            version="-1.5",
            seats=tuple(replace(seat, score=-1.5) for seat in game.seats),
        )
        for game in games
    ]
    path = tmp_path / "rows.csv"
    export_rows(games, path)
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    numbers = {"score", "win", "rank", "depth", "seconds", "game_seconds"}
    for row in rows:
        for column, cell in row.items():
            if cell[:1] in set("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20"):
                assert column in numbers
                assert float(cell) == -1.5
        assert row["score"] == "-1.5"  # a number, which stays one
        assert row["version"] == "'-1.5"  # a text, whatever it looks like
    seats = [seat for game in games for seat in game.seats]
    assert {seat.agent for seat in seats} == set(FORMULAS)
    # As docs/command_line.md says.
    read = pandas.read_csv(path, keep_default_na=False)
    found = read["agent"].str.removeprefix("'")
    assert list(found) == [seat.agent for seat in seats]
    assert set(read["score"]) == {-1.5}
    for text in ("a=b", 'mcts:tree=multi,"=1"'):
        assert text in set(read["agent"])  # what is no formula is as it was
    whole = tmp_path / "rows.parquet"
    export_rows(games, whole)
    assert list(pandas.read_parquet(whole)["agent"]) == [s.agent for s in seats]


def test_a_query_counts_what_statistics_count(games, tmp_path):
    path = tmp_path / "rows.parquet"
    export_rows(games, path)
    ((wins,),) = duckdb.sql(f"SELECT sum(win) FROM '{path}'").fetchall()
    assert wins == pytest.approx(len(games))


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_no_games_are_a_header(tmp_path, suffix):
    path = tmp_path / f"rows{suffix}"
    export_rows([], path)
    for table in readers(path):
        assert tuple(table.columns) == COLUMNS
        assert not len(table)


@pytest.mark.parametrize("name", ["rows.xlsx", "rows"])
def test_unknown_suffix(tmp_path, name):
    with pytest.raises(ValueError, match=r"allowed: \.csv, \.parquet"):
        export_rows([], tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_parquet_without_pyarrow(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ValueError, match=r'pip install --editable "\.\[parquet\]"'):
        export_rows([], tmp_path / "rows.parquet")
    assert not list(tmp_path.iterdir())


def test_what_was_there_stays_if_writing_fails(games, tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("before")

    def broken():
        yield games[0]
        raise OSError("No space left on device")

    with pytest.raises(OSError, match="No space"):
        export_rows(broken(), path)
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]


def test_command(tmp_path, run_here):
    games = tournament(agents=3, games=4, players=(2,))
    kept = str(store(tmp_path / "games.db", games, names(3)))
    path = tmp_path / "rows.csv"
    done = run_here("export", kept, "--output", str(path))
    assert (done.returncode, done.stderr) == (0, "")
    with open(path, newline="") as file:
        assert [row["number"] for row in csv.DictReader(file)] == [*"11223344"]
    for output, said in (
        ("rows.txt", "allowed: .csv, .parquet"),
        ("there/is/none.csv", "there is no folder"),
    ):
        failed = run_here("export", kept, "--output", str(tmp_path / output))
        assert failed.returncode == 2
        assert said in failed.stderr
        assert failed.stderr.count("\n") == 1
