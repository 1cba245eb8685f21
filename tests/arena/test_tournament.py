"""Tournaments: the same games however, wherever and how often they are begun."""

import os

import pytest

from mcts_agents.arena.playing import workers
from mcts_agents.arena.playing.backends import LocalBackend, make_backend
from mcts_agents.arena.tournaments.store import Store, StoreError
from tests.arena.playing import AGENTS, GAMES, Here, Idle, check_failures, rows, run


@pytest.mark.parametrize("jobs", [1, 2])
def test_the_number_of_workers_does_not_matter(tmp_path, expected, jobs):
    assert run(tmp_path / "s.db", LocalBackend(jobs)) == expected


def test_an_interruption_does_not_matter(tmp_path, expected):
    path = tmp_path / "s.db"

    def interrupting(after):
        left = iter(range(after))

        def told(outcome):
            assert outcome.number in Store.read(path).played()  # it is stored before
            if next(left, None) is None:
                raise KeyboardInterrupt

        return told

    with pytest.raises(KeyboardInterrupt):
        run(path, Here(), interrupting(3))
    assert len(Store.read(path).played()) == 4
    with pytest.raises(KeyboardInterrupt):
        run(path, LocalBackend(2), interrupting(4))
    assert len(Store.read(path).played()) == 9
    told = []
    assert run(path, Here(), told.append) == expected
    assert len(told) == GAMES - 9
    # And a finished one plays nothing.
    assert run(path, Idle()) == expected


def test_a_store_takes_more_games_of_its_tournament(tmp_path, expected):
    path = tmp_path / "s.db"
    few = run(path, Here(), games_each=2)
    assert few[:6] == expected[:6]
    with pytest.raises(StoreError, match="6 games of each, and cannot have fewer, 3"):
        run(path, Here(), games_each=6)
        run(path, Idle(), games_each=3)
    assert rows(path) == expected


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("seed", 6),
        ("budgets", [11]),
        ("agents", {**AGENTS, "one": "mcts:rollout=3"}),
        ("games", "tictactoe"),
    ],
)
def test_a_store_of_another_tournament_is_refused(tmp_path, key, value):
    path = tmp_path / "s.db"
    run(path, Here(), games_each=1)
    before = path.read_bytes()
    with pytest.raises(StoreError, match=f"holds another tournament: its {key} is"):
        run(path, Idle(), **{key: value})
    assert path.read_bytes() == before


def test_the_same_agents_in_another_order_are_refused(tmp_path):
    """Who plays in which game depends on their order."""
    path = tmp_path / "s.db"
    run(path, Here(), games_each=2)
    other = dict(reversed(AGENTS.items()))
    message = "its agents are in the order multi, one, greedy, not greedy, one, multi"
    with pytest.raises(StoreError, match=message):
        run(path, Idle(), agents=other, games_each=4)


def test_a_game_that_kills_its_process_is_reported(tmp_path, expected, monkeypatch):
    check_failures(tmp_path / "s.db", LocalBackend(2), Here(), expected, monkeypatch)


def test_backends_by_name():
    assert make_backend("local", 3, None).jobs == 3
    assert make_backend("local", None, None).jobs >= 1
    for name, jobs, address, why in (
        ("local", 0, None, "jobs=0: expected at least 1"),
        ("local", None, "auto", "address='auto': only the ray backend has one"),
        ("slurm", None, None, "backend='slurm': expected one of local, ray"),
    ):
        with pytest.raises(ValueError, match=why):
            make_backend(name, jobs, address)


def test_a_worker_that_comes_too_late_is_no_worker(monkeypatch):
    ended = []
    monkeypatch.setattr(os, "_exit", ended.append)
    workers._watch(os.getppid() + 1)
    assert ended == [1]
