"""The same tournament on a cluster, here one of two workers on this machine."""

import pytest

from mcts_agents.arena.playing import workers
from mcts_agents.arena.playing.backends import RayBackend
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
