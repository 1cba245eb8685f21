"""Training on a cluster plays the games that it plays here."""

import os
from contextlib import closing

import numpy as np
import pytest

pytest.importorskip("torch")

from mcts_agents.envs import make_any
from mcts_agents.learn import Dataset
from mcts_agents.learn.recording import RecordingError
from mcts_agents.learn.training.block_playing import Workers
from mcts_agents.learn.training.cluster_playing import ClusterWorkers
from mcts_agents.learn.training.config import SelfPlayConfig, TrainingConfig
from mcts_agents.learn.training.environment_playing import EnvironmentWorkers
from mcts_agents.learn.training.inference import frozen_network
from mcts_agents.learn.training.places import Place
from mcts_agents.learn.training.trainer import Budget, Trainer
from mcts_agents.networks import Network
from tests.training.killing import SMALL

CONFIG = SelfPlayConfig(simulations=4, block_games=10, games_at_once=8)
NIM = "tests.training.environments:Nim:perfect_information=true"


@pytest.fixture(scope="module")
def cluster():
    """One cluster on this machine for all tests here: it takes half a minute to begin.

    Tournaments begin one of their own, see `tests/arena/test_ray.py`.
    """
    ray = pytest.importorskip("ray")
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # as the backend does
    ray.init(
        address="local", num_cpus=2, include_dashboard=False, logging_level="error"
    )
    yield
    ray.shutdown()


def network_of(spec):
    model = make_any(spec)[1]
    section = TrainingConfig.model_validate({"network": SMALL["network"]})
    network = Network(section.network_config(model), seed=1)
    return frozen_network(network, "cpu", 1), model


def assert_same(one, other):
    for first, second in zip(one, other, strict=True):
        assert first.number == second.number
        for name in ("observation", "policy", "value", "action", "player", "outcome"):
            np.testing.assert_array_equal(getattr(first, name), getattr(second, name))


@pytest.mark.parametrize("name", ["local", "ray"])
def test_a_cluster_plays_the_same_games(name, request):
    if name == "ray":
        request.getfixturevalue("cluster")
    network, model = network_of("tictactoe")
    here = Workers(1, CONFIG, 5).play(model, network, range(10, 20))
    told = []
    with closing(ClusterWorkers("tictactoe", Place(name, 2), CONFIG, 5)) as there:
        assert there.rows == 4  # parts of four, four and two games
        assert_same(there.play(model, network, range(10, 20), told.append), here)
        assert_same(there.play(model, network, range(20, 30))[:1], [
            Workers(1, CONFIG, 5).play(model, network, range(20, 21))[0]
        ])  # fmt: skip
    assert told[-1] == 10
    assert len(told) == 3


def test_environments_are_played_on_a_cluster(cluster):
    network, model = network_of(NIM)
    config = SelfPlayConfig(simulations=4, block_games=4)
    found = []
    for place in (Place(jobs=1), Place("ray", 2)):
        with closing(EnvironmentWorkers(NIM, place, config, seed=5)) as workers:
            found.append(workers.play(model, network, range(3)))
    assert_same(*found)


def test_what_fails_there_is_told_here():
    network, model = network_of("tictactoe")
    broken = ClusterWorkers("hex:size=4", Place(jobs=1), CONFIG, 5)
    with closing(broken), pytest.raises(RecordingError, match=r"game 0, .*hex"):
        broken.play(model, network, range(2))


def test_places_that_are_none_are_refused(monkeypatch):
    with pytest.raises(ValueError, match="jobs=0: expected at least 1"):
        Place(jobs=0)
    with pytest.raises(ValueError, match="only the ray backend has one"):
        Place(address="127.0.0.1:1")
    with pytest.raises(ValueError, match="backend='slurm'"):
        Place("slurm")


def test_training_goes_on_elsewhere(tmp_path, cluster):
    config = TrainingConfig.model_validate(SMALL)
    for blocks, place in ((1, None), (3, Place("ray", 2)), (4, Place(jobs=1))):
        trainer = Trainer("tictactoe", tmp_path, config, place=place)
        trainer.folder.export = lambda *_: None
        progress = trainer.run(Budget(blocks=blocks))
        assert len(progress.positions) == blocks
        on_cluster = isinstance(trainer._workers, ClusterWorkers)
        assert on_cluster == (place is not None and place.name == "ray")
    data = Dataset(tmp_path / "blocks")
    games = set(data.whole("game")["game"].tolist())
    # Every second one begins with random moves, which may be all of it.
    assert set(range(0, 4 * 16, 2)) <= games <= set(range(4 * 16))
