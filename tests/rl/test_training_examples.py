"""The examples of learning train, evaluate and draw for real, in a small setting."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from mcts_agents import PolicyAgent
from mcts_agents.envs import make_model

NEEDED = "needs the rl extra: pip install --editable '.[rl]'"
torch = pytest.importorskip("torch", reason=NEEDED)
pytest.importorskip("sb3_contrib", reason=NEEDED)

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.fixture
def example():
    """Import an example from its file; it sets the threads of the process."""
    threads = torch.get_num_threads()

    def load(name):
        spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    yield load
    torch.set_num_threads(threads)


def assert_left(out, name, game, players=None):
    """See that a picture was drawn, and that the policy plays the game."""
    with Image.open(out / f"{name}.png") as picture:
        colours = picture.convert("RGB").getcolors(1 << 24)
    assert len(colours) > 20
    agent = PolicyAgent.load(out / f"{name}.npz", deterministic=True)
    agent.prepare(make_model(game, players)[1])


def test_learning_hex(example, tmp_path, capsys):
    module = example("train_hex")
    figures = module.main(steps=2000, out=tmp_path, games=20, points=1)
    assert list(figures) == list(module.FINAL)
    assert all(found.games == 20 for found in figures.values())
    assert figures["random"].wins > figures["mcts:simulations=1000"].wins
    assert_left(tmp_path, "train_hex", module.GAME)
    told = capsys.readouterr().out
    assert told.startswith("trains for 2048 steps: 1 times 2048\n")
    assert "2048 steps, random: " in told


def test_learning_sushi_go(example, tmp_path):
    module = example("train_sushi_go")
    figures = module.main(steps=1, out=tmp_path, games=6, points=1)
    assert list(figures) == list(module.FINAL)
    for found in figures.values():
        assert found.games == 6
        assert found.expected == pytest.approx(1 / 3)
    assert_left(tmp_path, "train_sushi_go", module.GAME, module.PLAYERS)


def test_sushi_go_pays_as_the_example_says(example):
    env = example("train_sushi_go").environment()
    rng = np.random.default_rng(0)
    paid = {"won": 1.0, "drawn": 0.0, "lost": -1.0}
    for seed in range(12):
        _, info = env.reset(seed=seed)
        rewards, finished = [], False
        while not finished:
            action = rng.choice(info["action_mask"].nonzero()[0])
            _, reward, finished, _, info = env.step(action)
            rewards.append(reward)
        assert rewards == [0.0] * (len(rewards) - 1) + [paid[info["result"]]]


def test_imitation(example, tmp_path):
    module = example("imitate_planner")
    module.PLANNER = "mcts:simulations=30"
    module.OPPONENTS, module.SIMULATIONS = ("random",), (10,)
    found = module.main(games=20, out=tmp_path, epochs=3, matches=4)
    assert [opponent for _, opponent, _ in found] == ["random", "mcts:simulations=10"]
    assert all(0 <= rate.low <= rate.high <= 1 for *_, rate in found)
    assert_left(tmp_path, "imitate_planner", module.GAME)


def test_losses_of_imitation_by_hand(example):
    module = example("imitate_planner")
    rows = {
        "observation": torch.zeros(2, 1),
        "action_mask": torch.tensor([[1.0, 1.0, 0.0], [1.0, 0.0, 1.0]]),
        "visits": torch.tensor([[0.75, 0.25, 0.0], [1.0, 0.0, 0.0]]),
        "outcome": torch.tensor([1.0, -1.0]),
    }

    def network(observations):  # illegal actions have great logits of no effect
        return torch.tensor([[0.0, 0.0, 9.0], [0.0, 9.0, 0.0]]), torch.zeros(2, 1)

    policy, value = module.losses(network, rows)
    first = 0.75 * np.log(0.75 / 0.5) + 0.25 * np.log(0.25 / 0.5)
    assert float(policy) == pytest.approx((first + np.log(2)) / 2, rel=1e-5)
    assert float(value) == 1.0


def test_games_held_back_are_not_learned_from(example, tmp_path):
    module = example("imitate_planner")
    dataset = module.record("tictactoe", "random", 20, tmp_path, jobs=1)
    learn, check = module.split(dataset)
    rows = dataset[:]
    choices = rows["action_mask"].sum(1) > 1
    assert len(check["visits"]) == (choices & np.isin(rows["game"], (0, 10))).sum()
    assert len(learn["visits"]) + len(check["visits"]) == choices.sum()
    assert learn["observation"].shape[1] == 27
