"""Training in third-party environments: positions, processes, kills, refusals."""

import json
import multiprocessing
import time
from contextlib import closing
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("torch")

from mcts_agents import make_agent
from mcts_agents.envs import make_any
from mcts_agents.learn import Dataset, evaluate
from mcts_agents.learn.recording import RecordingError
from mcts_agents.learn.training.block_files import BlockFiles
from mcts_agents.learn.training.config import (
    LearnerConfig,
    SelfPlayConfig,
    TrainingConfig,
)
from mcts_agents.learn.training.environment_playing import (
    EnvironmentWorkers,
    play_alone,
)
from mcts_agents.learn.training.inference import frozen_network
from mcts_agents.learn.training.places import Place
from mcts_agents.learn.training.replay import Replay
from mcts_agents.learn.training.trainer import Budget, Trainer
from mcts_agents.networks import Network, NetworkEvaluator, load
from mcts_agents.networks.heads import softmax
from tests.arena.playing import Here
from tests.training.environments import Nim
from tests.training.killing import train

NIM = "tests.training.environments:Nim:perfect_information=true"
SIGNALS = "tests.training.environments:Signals:perfect_information=true"
TINY = {"kind": "perceptron", "hidden": [8]}
SELF_PLAY = {"simulations": 8, "block_games": 8, "random_moves": 2}


class InThisProcess(Here):
    """Plays games of self-play."""

    def __init__(self, config, seed):
        self.config, self.seed = config, seed

    def play(self, fixtures):
        for fixture in fixtures:
            yield play_alone(fixture, self.config, self.seed)


def network_of(spec):
    """A network that has learned nothing, as self-play asks it; and the sizes."""
    model = make_any(spec)[1]
    config = TrainingConfig(network=TINY).network_config(model)
    return frozen_network(Network(config, seed=3), "cpu", 1), model


def games_of(spec, numbers, **config):
    network, model = network_of(spec)
    chosen = SelfPlayConfig(**{**SELF_PLAY, **config})
    workers = EnvironmentWorkers(spec, Place(jobs=1), chosen, seed=5)
    workers._processes._backend = InThisProcess(chosen, 5)
    return workers.play(model, network, numbers)


def follow_nim(game, heap=6):
    """Play a game's decisions again by hand; return who has won."""
    left = heap
    for row in range(len(game)):
        assert game.player[row] == game.ply[row] % 2
        if row == 0 and game.ply[0]:
            left = int(game.observation[0].argmax())  # the opening has no rows
            assert heap - 3 * game.ply[0] <= left <= heap - game.ply[0]
        assert game.observation[row].tolist() == [n == left for n in range(heap + 1)]
        assert game.legal[row].tolist() == [n <= left for n in (1, 2, 3)]
        left -= game.action[row] + 1
    assert left == 0
    return game.player[-1]


@pytest.mark.parametrize("method", ["gumbel", "puct"])
def test_rows_are_the_decisions_of_the_games(method):
    for game in games_of(NIM, range(12), method=method):
        if not len(game):
            assert game.number % 2
            continue
        winner = follow_nim(game)
        assert game.outcome.tolist() == [winner == 0, winner == 1]
        assert game.observation.dtype == np.float32
        assert (game.policy[~game.legal] == 0.0).all()
        np.testing.assert_allclose(game.policy.sum(axis=1), 1.0, atol=1e-5)
        is_choice = game.legal.sum(axis=1) > 1
        assert (np.isnan(game.value) == ~is_choice).all()
        assert ((game.value >= 0.0) & (game.value <= 1.0))[is_choice].all()


def test_every_second_game_begins_at_random():
    games = [game for game in games_of(NIM, range(24)) if len(game)]
    first = {game.number: int(game.ply[0]) for game in games}
    assert {ply for number, ply in first.items() if number % 2 == 0} == {0}
    assert {ply for number, ply in first.items() if number % 2} == {1, 2}


def test_moves_are_drawn_by_visits_in_the_first_plies():
    options = {"method": "puct", "random_moves": 0, "simulations": 32}
    best, drawn = (
        games_of(NIM, range(16), explore_moves=moves, temperature=4.0, **options)
        for moves in (0, 9)
    )
    for games, differ in ((best, False), (drawn, True)):
        chosen = np.concatenate([game.action for game in games])
        policy = np.concatenate([game.policy for game in games])
        most = policy[np.arange(len(chosen)), chosen] == policy.max(axis=1)
        assert most.all() != differ


def test_players_who_decide_at_once_have_unequal_actions_and_wide_numbers(tmp_path):
    games = games_of(SIGNALS, range(6), random_moves=0)
    for game in games:
        assert game.player.tolist() == [0, 1] * 3
        assert game.observation.dtype == np.uint16
        assert game.observation[:, 0, 0].tolist() == [0, 0, 1, 1, 2, 2]
        assert game.legal.sum(axis=1).tolist() == [2, 3] * 3
        first, second = game.action[::2], game.action[1::2]
        paid = 2 * int((first == second).sum()) - 3
        assert game.outcome.tolist() == [paid > 0, paid < 0]
    model = make_any(SIGNALS)[1]
    files = BlockFiles(tmp_path, model, SIGNALS, 6)
    files.write(0, games)
    columns = files.read(0)
    seen = np.concatenate([game.observation for game in games])
    np.testing.assert_array_equal(Dataset(tmp_path)[:]["observation"], seen)
    replay = Replay(model, LearnerConfig(search_value=0.0))
    replay.add(columns, window=100)
    batch = replay.sample(8, np.random.default_rng(1))
    assert batch.observations.dtype == np.uint16


def test_a_process_plays_the_same_games():
    network, model = network_of(NIM)
    workers = EnvironmentWorkers(
        NIM, Place(jobs=1), SelfPlayConfig(**SELF_PLAY), seed=5
    )
    broken = replace(workers, spec=NIM.replace("Nim", "Broken"))
    told = []
    with closing(workers):  # the processes of both
        found = workers.play(model, network, range(3, 7), told.append)
        with pytest.raises(RecordingError, match=r"game \d, .*a bug of its own"):
            broken.play(model, network, range(8))
    assert told == [1, 2, 3, 4]
    for one, two in zip(found, games_of(NIM, range(3, 7)), strict=True):
        for name in ("number", "observation", "policy", "value", "action", "outcome"):
            np.testing.assert_array_equal(getattr(one, name), getattr(two, name))


def test_killed_it_ends_as_if_it_had_not_been(tmp_path):
    plain, killed = tmp_path / "plain", tmp_path / "killed"
    train(plain, 60, game=NIM)
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.training.killing"])
    process = context.Process(target=train, args=(killed, 60), kwargs={"game": NIM})
    process.start()
    until = time.monotonic() + 600
    while not (killed / "blocks" / "shard-00000.npz").exists():
        assert process.is_alive() and time.monotonic() < until
        time.sleep(0.01)
    process.kill()
    process.join()
    train(killed, 60, game=NIM)
    expected, found = (
        json.loads((folder / "summary.json").read_text()) for folder in (plain, killed)
    )
    for key in ("positions", "games", "updates", "losses"):
        assert found[key] == expected[key]
    assert len(Dataset(killed / "blocks")) == found["positions"] >= 60
    assert not list(killed.rglob("*.part"))


def test_what_was_trained_plays_there(tmp_path):
    pytest.importorskip("onnxscript")
    config = TrainingConfig.model_validate(
        {
            "network": TINY,
            "precision": "float32",  # so that all processors learn the same
            "self_play": SELF_PLAY,
            "learner": {"batch_size": 16, "passes": 8.0, "learning_rate": 0.01},
            "evaluation": {
                "minutes": 1e-6, "games": 2, "simulations": 4, "opponents": ["random"],
            },
        }
    )  # fmt: skip
    trainer = Trainer(NIM, tmp_path / "run", config, seed=1)
    progress = trainer.run(Budget(positions=150))
    assert {one["opponent"] for one in progress.evaluations} >= {"earlier self"}
    # Who finds one left takes it and wins; who finds four left has lost.
    network, _ = load(tmp_path / "run" / "policy.safetensors")
    values = softmax(NetworkEvaluator(network).answers(np.eye(7))[1])
    assert values[1, 0] > 0.5 > values[4, 0]
    file = tmp_path / "run" / "policy.onnx"
    policy = f"policy:file={file},deterministic=true"
    summary = json.loads((tmp_path / "run" / "summary.json").read_text())
    search = summary["agent"].replace("policy.onnx", str(file))
    env = Nim()
    env.reset()
    assert make_agent(policy).act(env) in range(3)
    for agent in (policy, search):
        assert evaluate(agent, "random", NIM, games=4).games == 4


@pytest.mark.parametrize(
    ("game", "self_play", "message"),
    [
        (NIM.partition(":perfect")[0], {}, "hides information.*cannot be detected"),
        (NIM, {"games_at_once": 4}, "games_at_once=4: .*is an environment"),
        (NIM, {"opponents": "simple"}, "opponents=.simple.: .*is an environment"),
        (NIM, {"search": {"virtual_loss": 2}}, "virtual_loss=2 .*batch above 1"),
        (NIM.replace("Nim", "Unlike"), {}, "players of unlike_v0 have different obs"),
        (
            NIM.replace("Nim", "Steering"),
            {},
            "Steering: the action space of first",
        ),
        (
            "tests.model.third_party:Uneven:perfect_information=true",
            {},
            r"uneven_v0 has observations Discrete\(100\); a network takes arrays",
        ),
        ("tests.model.third_party:Dice", {}, "has a single team"),
    ],
)
def test_what_cannot_be_trained_is_refused_before_anything_is_written(
    tmp_path, game, self_play, message
):
    config = TrainingConfig.model_validate(
        {"network": TINY, "self_play": {**SELF_PLAY, **self_play}}
    )
    with pytest.raises(ValueError, match=message) as found:
        Trainer(game, tmp_path / "run", config)
    assert "\n" not in str(found.value)
    assert not (tmp_path / "run").exists()
