"""A small tournament, and what is played of it."""

import contextlib
import sqlite3

from mcts_agents.arena.playing import backends, workers
from mcts_agents.arena.playing.backends import Backend
from mcts_agents.arena.playing.fixtures import Failure
from mcts_agents.arena.tournaments.store import Store
from mcts_agents.arena.tournaments.tournament import open_store, prepare, run_tournament
from mcts_agents.arena.tournaments.tournament_spec import TournamentSpec

AGENTS = {"multi": "mcts:tree=multi", "one": "mcts", "greedy": "one-step:samples=2"}
SPEC = {
    "games": ["tictactoe", {"game": "sushi_go", "players": [2, 4]}],
    "agents": AGENTS,
    "budgets": [10],
    "games_each": 6,
    "seed": 5,
}
GAMES = 18


class Here(Backend):
    """Plays in this process, one game after the other."""

    def play(self, fixtures):
        yield from map(workers.play, fixtures)

    def close(self):
        pass


class Idle(Backend):
    """Must not be asked."""

    def play(self, fixtures):
        raise AssertionError("there was nothing to play")

    def close(self):
        pass


def rows(path):
    """Return all that is stored of games and seats but times, by SQLite alone."""
    found = []
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.row_factory = sqlite3.Row
        for table in ("games", "seats"):
            query = f"SELECT * FROM {table} ORDER BY number"
            for row in connection.execute(query).fetchall():
                timeless = dict(row)
                for column in ("seconds", "decision_seconds", "ended"):
                    timeless.pop(column, None)
                found.append(timeless)
    return found


def run(path, backend, told=None, **keys):
    """Play a tournament to its end; return its rows."""
    schedule = prepare(TournamentSpec(**{**SPEC, **keys}))
    with open_store(path, schedule) as store, backend:
        run_tournament(schedule, store, backend, told)
        assert store.total() == len(schedule)
    return rows(path)


def failing():
    """Return a function that plays, but fails in the games 5, 6 and 9.

    A function in a function is sent to workers as a whole, so that they need not import
    this file.
    """

    def play(fixture):
        import os

        from mcts_agents.arena.playing import workers

        def fail(fixture):
            raise RuntimeError("out of\nideas")

        if fixture.number in (5, 6):
            os._exit(1)
        if fixture.number != 9:
            return workers.play(fixture)
        playing = workers.play_fixture
        workers.play_fixture = fail
        try:
            return workers.play(fixture)
        finally:
            workers.play_fixture = playing

    return play


def check_failures(path, backend, again, expected, monkeypatch):
    """Play with three failures, and then without, maybe elsewhere."""
    told = []
    with monkeypatch.context() as patched:
        patched.setattr(backends, "play", failing())
        schedule = prepare(TournamentSpec(**SPEC))
        with open_store(path, schedule) as store:
            run_tournament(schedule, store, backend, told.append)
            stored = store.failures()
    assert len(told) == GAMES
    failed = [outcome for outcome in told if isinstance(outcome, Failure)]
    assert sorted(failed, key=lambda f: f.fixture.number) == stored
    fixtures = {fixture.number: fixture for fixture in schedule}
    assert [f.fixture for f in stored] == [fixtures[number] for number in (5, 6, 9)]
    assert [f.error for f in stored] == [
        "the process that played it died",
        "the process that played it died",
        "RuntimeError: out of ideas",
    ]
    assert stored[0].details == ""
    assert "Traceback" in stored[2].details
    # Its seed and its agents are in what is said.
    for failure in stored:
        assert f"seed {failure.fixture.seed}" in str(failure.fixture)
        assert f"0={failure.fixture.seats[0].name}" in str(failure.fixture)
    assert rows(path) == [row for row in expected if row["number"] not in (5, 6, 9)]
    assert run(path, again) == expected
    assert Store.read(path).failures() == []
