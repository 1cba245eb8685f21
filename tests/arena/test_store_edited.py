"""Stores that somebody edited: one line says which file, row and column is wrong."""

import contextlib
import json
import os
import shutil
import sqlite3
from pathlib import Path

import pytest

from mcts_agents.arena.analysis.summaries import summarise
from mcts_agents.arena.analysis.tournament_results import read_results
from mcts_agents.arena.playing.fixtures import Failure
from mcts_agents.arena.replay.replaying import Replay
from mcts_agents.arena.tournaments.store import Store, StoreError
from mcts_agents.arena.tournaments.tournament import open_store, prepare, run_tournament
from mcts_agents.arena.tournaments.tournament_spec import TournamentSpec
from mcts_agents.arena.tournaments.tuning import Tuning, TuningSpec
from mcts_agents.cli.results import results_object
from mcts_agents.learn.recording import run_recording
from mcts_agents.learn.recording_spec import Recording, RecordingSpec
from mcts_agents.learn.shards import DatasetError
from tests.arena.playing import Here
from tests.arena.storing import record

TOURNAMENT = (
    "tournament --game tictactoe --agent a=random --agent b=random --games 3 --jobs 1"
).split()


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A store of three games that were played, and one that failed."""
    path = tmp_path_factory.mktemp("whole") / "s.db"
    spec = TournamentSpec(
        games="tictactoe", agents={"a": "random", "b": "random"}, games_each=3
    )
    schedule = prepare(spec)
    with open_store(path, schedule) as store:
        run_tournament(schedule, store, Here())
        (*_, fixture) = schedule
        store.add_failure(Failure(fixture, "ValueError: no idea"))
    return path


@pytest.fixture
def edited(whole, tmp_path):
    """Return a function that copies the store and changes it, as `sqlite3` would."""

    def edit(*statements, of=whole):
        path = tmp_path / "edited.db"
        shutil.copy(of, path)
        with contextlib.closing(sqlite3.connect(path)) as connection:
            connection.execute("PRAGMA synchronous = OFF")
            connection.execute("PRAGMA foreign_keys = OFF")
            for statement, *values in statements:
                connection.execute(statement, values)
            connection.commit()
        return path

    return edit


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """A store with a study of one trial."""
    path = tmp_path_factory.mktemp("study") / "s.db"
    keys = {"agent": "mcts:simulations=5", "parameters": ["rollout=0|10"]}
    spec = TuningSpec(game="tictactoe", games_each=2, **keys)
    with Store.write(path) as store:
        Tuning(spec, store).run_trial(Here())
    return path


TABLES, TRIAL = "the tables of its study", "trial 1 of its study"


@pytest.mark.parametrize(
    ("statement", "told"),
    [
        ("UPDATE study_directions SET direction = 'x'", TABLES),
        ("UPDATE study_user_attributes SET value_json = '['", TABLES),
        ("UPDATE study_user_attributes SET value_json = '7'", TABLES),
        ("UPDATE trials SET state = 'x'", TABLES),
        ("UPDATE trials SET datetime_start = 'x'", TABLES),
        ("UPDATE trial_params SET distribution_json = '['", TABLES),
        ("UPDATE trial_params SET param_value = 99", TABLES),
        ("UPDATE trial_values SET objective = 7", TABLES),
        ("UPDATE alembic_version SET version_num = 'x'", TABLES),
        ("UPDATE trial_user_attributes SET value_json = -5", f"{TRIAL}: games is -5"),
        ("UPDATE trial_values SET value = 'x'", f"{TRIAL}: win rate is 'x'"),
        ("UPDATE trial_values SET value = 7.0", f"{TRIAL}: win rate is 7.0"),
    ],
)
def test_an_edited_study_is_named(statement, told, study, edited, run_here):
    path = edited((statement,), of=study)
    done = run_here(
        *"tune --game tictactoe --games 2 --trials 1 --parameter rollout=0|10".split(),
        *("--agent", "mcts:simulations=5", "--store", str(path)),
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"mcts-agents: {path}: {told}")
    assert done.stderr.count("\n") == 1


def one_line(error, path):
    assert str(error).startswith(f"{path}: ")
    assert "\n" not in str(error)
    length = len(str(error))
    assert length < 500
    return str(error)[len(f"{path}: ") :]


def columns(path):
    with contextlib.closing(sqlite3.connect(path)) as connection:
        for table in ("tournament", "games", "seats", "failures"):
            for _, name, *_ in connection.execute(f"PRAGMA table_info({table})"):
                yield table, name


# The columns that say again what others say; whatever they hold, nobody reads it.
UNREAD = {
    ("tournament", "id"),
    ("games", "decisions"),
    ("games", "ended"),
    ("seats", "decisions"),
    ("seats", "seconds"),
    ("failures", "ended"),
}
VALUES = (
    "zz", "[]", '[["a", "{"]]', "[" * 10_000, b"\xff", -1, 2.5, 2**62, float("inf")
)  # fmt: skip


def look(path):
    """Do with a store what the commands do with it."""
    results = read_results(path)
    vars(results)["summary"] = summarise(results.games, results.agents, resamples=2)
    json.dumps(results_object(results), allow_nan=False)
    with Store.read(path) as store:
        for number in store.played():
            with contextlib.suppress(ValueError):  # the game may be another one now
                list(Replay(store.game(number), search=False).moments())


def test_whatever_a_column_holds_is_read_or_named(whole, edited):
    named = set()
    for table, column in columns(whole):
        for value in VALUES:
            try:
                path = edited((f"UPDATE OR IGNORE {table} SET {column} = ?", value))
            except sqlite3.IntegrityError:
                continue  # numbers of rows are whole numbers, whoever edits them
            try:
                look(path)
            except StoreError as error:
                told = one_line(error, path)
                # A seat that has another number is missed in its game.
                assert told.startswith((f"table {table}", "table games"))
                assert column in told
                named.add((table, column))
    assert named == set(columns(whole)) - UNREAD


@pytest.mark.parametrize(
    ("statement", "told"),
    [
        (
            "UPDATE tournament SET description = '[]'",
            "table tournament: description=[]: expected a mapping as JSON",
        ),
        (
            "UPDATE tournament SET description = json_remove(description, '$.seed')",
            "table tournament: description.seed is missing",
        ),
        (
            "UPDATE seats SET seed = 'abc' WHERE number = 2 AND seat = 1",
            "table seats, number 2, seat 1: seed='abc': expected a valid integer",
        ),
        (
            "UPDATE seats SET result = 'x' WHERE number = 2 AND seat = 0",
            "table seats, number 2, seat 0: result='x': expected 'won', 'drawn' or "
            "'lost'",
        ),
        (
            "UPDATE games SET budget = 'zz' WHERE number = 3",
            "table games, number 3: budget='zz': expected 40ms, 1s, 1000, 5000calls "
            "or the like",
        ),
        (
            "DELETE FROM seats WHERE number = 2 AND seat = 1",
            "table games, number 2: players=2, and table seats has the seats [0] of it",
        ),
    ],
)
def test_every_command_names_what_was_edited(
    statement, told, edited, tmp_path, run_here
):
    path = str(edited((statement,)))
    before = Path(path).read_bytes()
    page, rows = str(tmp_path / "page.html"), str(tmp_path / "rows.csv")
    for command in (
        ("results", path),
        ("results", path, "--json"),
        ("report", path, "--output", page),
        ("export", path, "--output", rows),
        ("replay", path, "2", "--no-search"),
        (*TOURNAMENT, "--store", path),
    ):
        if command[0] in ("export", "replay") and "tournament" in told:
            continue  # which ask for games only
        if command[0] == "replay" and "number 2" not in told:
            continue
        done = run_here(*command)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr == f"mcts-agents: {path}: {told}\n"
    assert Path(path).read_bytes() == before
    assert not os.path.exists(page)
    assert not os.path.exists(rows)
    if "tournament" in told:  # of other stores it says that they hold no study
        done = run_here(*"tune --game tictactoe --trials 1 --store".split(), path)
        assert done.returncode == 2
        assert done.stderr == f"mcts-agents: {path}: {told}\n"


@pytest.mark.parametrize(
    ("statement", "told"),
    [
        ("UPDATE games SET game = 'draughts'", "game 1: unknown game 'draughts'"),
        ("UPDATE seats SET spec = '{}'", "game 1, seat 0: "),
        (
            """UPDATE seats SET spec = '{"agent": "mcts", "exploration": "x"}'""",
            "game 1, seat 0: exploration",
        ),
        (
            "UPDATE seats SET spec = "
            """'{"agent": "policy", "file": "a.pt", "trust": true}'""",
            "game 1, seat 0: trust",
        ),
        ("UPDATE games SET moves = '[[0, 0], [1, 0]]'", "game 1 does not fit"),
        ("UPDATE games SET moves = '[[0, 9007199254740992]]'", "game 1 does not fit"),
    ],
)
def test_a_replay_names_the_file_and_the_game(statement, told, edited, run_here):
    """Where each row is as rows are, but the game cannot be played again."""
    path = str(edited((statement,)))
    done = run_here("replay", path, "1")
    assert done.returncode == 2
    assert done.stderr.startswith(f"mcts-agents: {path}: {told}")
    assert done.stderr.count("\n") == 1


def test_what_is_no_table_is_refused(edited):
    """A view may take for ever to be read, and a trigger writes what nobody asked."""
    for statement, told in (
        ("CREATE VIEW v AS SELECT * FROM games", "has a view 'v'"),
        (
            "CREATE TRIGGER t AFTER INSERT ON games BEGIN DELETE FROM seats; END",
            "has a trigger 't'",
        ),
        ("PRAGMA user_version = 0", "user_version is 0, expected 2"),
        ("PRAGMA user_version = 1", "user_version is 1, expected 2"),
        ("PRAGMA user_version = -1", "user_version is -1, expected 2"),
        ("ALTER TABLE games DROP COLUMN moves", "cannot be read: no such column"),
        ("DROP TABLE seats", "cannot be read: no such table: seats"),
    ):
        path = edited((statement,))
        with pytest.raises(StoreError) as raised:
            read_results(path)
        assert told in one_line(raised.value, path)


def test_a_file_with_damaged_pages_is_refused_when_it_is_opened(edited):
    """Also where the rows that are asked for could be read."""
    path = edited()
    with contextlib.closing(sqlite3.connect(path)) as connection:
        (size,) = connection.execute("PRAGMA page_size").fetchone()
        query = "SELECT rootpage FROM sqlite_schema WHERE name = 'failures'"
        (page,) = connection.execute(query).fetchone()
    content = bytearray(path.read_bytes())
    content[(page - 1) * size + 3 : (page - 1) * size + 5] = b"\x7f\xff"  # its cells
    path.write_bytes(content)
    for open_ in (Store.read, Store.write):
        with pytest.raises(StoreError, match=r"damaged|malformed") as raised:
            open_(path)
        one_line(raised.value, path)


def test_a_number_that_sqlite_does_not_know_is_no_game(whole, run_here):
    number = "9" * 23
    done = run_here("replay", str(whole), number)
    assert done.returncode == 2
    assert f"no game {number} is stored: 3 from 1 to 3" in done.stderr
    assert done.stderr.count("\n") == 1


# -- locks


def test_a_hard_link_does_not_get_round_the_lock(tmp_path):
    path, link = tmp_path / "s.db", tmp_path / "link.db"
    with Store.write(path) as store:
        store.add(record(1))
        os.link(path, link)
        with pytest.raises(StoreError, match=r"has 2 names \(hard links\)") as raised:
            Store.write(link)
        one_line(raised.value, link)
        store.add(record(2))
        assert Store.read(link).played() == {1, 2}
    link.unlink()
    Store.write(path).close()


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="needs Linux's /proc")
def test_a_folder_that_holds_no_files_is_not_taken_for_a_busy_one(run_here):
    done = run_here(*TOURNAMENT, "--store", "/proc/s.db")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "mcts-agents: /proc/s.db: cannot be written: No such file or directory\n"
    )
    with pytest.raises(OSError, match="No such file") as raised:
        recording = Recording.of(RecordingSpec("tictactoe", "random", 1))
        run_recording(recording, "/proc", Here())
    assert not isinstance(raised.value, DatasetError)
