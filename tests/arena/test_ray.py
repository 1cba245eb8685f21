"""The same tournament on a cluster, here one of two workers on this machine."""

import sys
from types import SimpleNamespace

import pytest

from mcts_agents import __version__
from mcts_agents.arena.playing import workers
from mcts_agents.arena.playing.backends import RayBackend, _versioned
from mcts_agents.arena.tournaments.tournament import prepare
from mcts_agents.arena.tournaments.tournament_spec import TournamentSpec
from tests.arena.playing import SPEC, check_failures, run

pytest.importorskip("ray")


def test_ray_plays_the_same_games(tmp_path, expected, monkeypatch):
    with RayBackend(2) as backend:
        check_failures(tmp_path / "s.db", backend, backend, expected, monkeypatch)


def test_an_address_without_a_cluster_is_refused(tmp_path, monkeypatch):
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    for address in ("auto", "nonsense", "127.0.0.1:1", "ray://localhost:99999"):
        with pytest.raises(ValueError, match=f"address='{address}': no Ray cluster"):
            run(tmp_path / "s.db", RayBackend(2, address))


class Cluster:
    """A cluster that runs already, and notes how many games it has at a time."""

    def __init__(self):
        self.waiting, self.most, self.modules = [], 0, []

    def is_initialized(self):
        return True

    def remote(self, **_):
        def ask(work, fixture, modules):
            self.modules.append(modules)
            self.waiting.append((fixture.number, work(fixture)))
            self.most = max(self.most, len(self.waiting))
            return self.waiting[-1]

        return lambda _: SimpleNamespace(remote=ask)

    def cluster_resources(self):
        return {"CPU": 16.0}

    def wait(self, references, num_returns):
        assert num_returns == 1
        return [self.waiting.pop(0)], references

    def get(self, reference):
        return __version__, reference[1]


@pytest.mark.parametrize(("jobs", "most"), [(2, 2), (None, 32)])
def test_a_cluster_plays_as_many_games_at_a_time_as_asked(jobs, most):
    backend = RayBackend(jobs, "auto")
    backend._ray = Cluster()
    backend._work = number_of
    games = [SimpleNamespace(number=n, seats=()) for n in range(40)]
    assert sorted(backend.play(games)) == list(range(40))
    assert backend._ray.most == most


def number_of(fixture):
    return fixture.number


def test_workers_know_the_kinds_of_agents_that_modules_register(tmp_path, monkeypatch):
    (tmp_path / "my_kinds.py").write_text("began = True")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "my_kinds", raising=False)
    fixture = SimpleNamespace(number=3)
    assert _versioned(number_of, fixture, ["my_kinds"]) == (__version__, 3)
    assert sys.modules["my_kinds"].began
    assert _versioned(number_of, fixture, ["is_not_there"]) == (__version__, 3)


def test_games_of_workers_with_another_version_are_refused(tmp_path, monkeypatch):
    """As in a cluster whose machines were not all brought up to date."""

    class Ray:
        class exceptions:
            WorkerCrashedError = RayError = KeyError

        @staticmethod
        def get(record):
            return "0.0.1", record

    schedule = prepare(TournamentSpec(**SPEC))
    fixture = next(iter(schedule))
    backend = RayBackend(1)
    backend._ray = Ray
    with pytest.raises(ValueError, match=r"has mcts-agents 0\.0\.1, this machine"):
        backend._outcome(workers.play(fixture), fixture)
