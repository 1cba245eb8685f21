"""`mcts-agents train`, from the command line to a network that plays."""

import json
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
import yaml

pytest.importorskip("torch")

import torch

from mcts_agents import Agent, make_agent
from mcts_agents.cli import main
from mcts_agents.envs import tictactoe
from mcts_agents.learn.training.checkpoints import Progress
from mcts_agents.learn.training.config import TrainingConfig
from mcts_agents.learn.training.folder import Folder
from mcts_agents.learn.training.listeners import Listener
from mcts_agents.learn.training.trainer import Budget, Trainer
from mcts_agents.networks import OnnxNetwork, load

CONFIG = """
network: {kind: perceptron, hidden: [16]}
self_play: {simulations: 4, block_games: 16, games_at_once: 8}
learner: {batch_size: 32, passes: 1.0}
evaluation: {minutes: 0.0001, games: 2, simulations: 4, opponents: [random]}
"""


@pytest.fixture
def config(tmp_path):
    path = tmp_path / "config.yaml"
    path.write_text(CONFIG)
    return path


def command(*arguments):
    return [sys.executable, "-m", "mcts_agents", "train", *map(str, arguments)]


@pytest.fixture
def train(monkeypatch, capsys):
    """The command in this process: exit code and what it prints.

    It writes no ONNX unless that is asked for: this takes seconds.
    """

    def run(*arguments, onnx=False):
        with monkeypatch.context() as patched:
            if not onnx:
                patched.setattr(Folder, "export", lambda *_: None)
            words = ["mcts-agents", "train", *map(str, arguments)]
            patched.setattr(sys, "argv", words)
            with pytest.raises(SystemExit) as ended:
                main()
        return ended.value.code, *capsys.readouterr()

    return run


@pytest.fixture(scope="module")
def start(tmp_path_factory):
    """The weights of a small network for Tic-Tac-Toe."""
    folder = tmp_path_factory.mktemp("first")
    chosen = {**yaml.safe_load(CONFIG), "evaluation": {"minutes": 0.0}}
    trainer = Trainer("tictactoe", folder, TrainingConfig.model_validate(chosen))
    trainer.folder.export = lambda *_: None
    trainer.run(Budget(positions=20))
    return folder / "policy.safetensors"


def test_a_trained_network_is_written_and_plays(tmp_path, config, train):
    pytest.importorskip("onnxscript")
    out = tmp_path / "out"
    asked = ["tictactoe", "--positions", 150, "--config", config, "--out", out]
    code, printed, told = train(*asked, "--json")
    assert code == 0, told
    found = json.loads(printed)
    assert found.pop("folder") == str(out)
    assert found == json.loads((out / "summary.json").read_text())
    assert found["positions"] >= 150
    assert found["games"] == 16 * found["blocks"]
    assert found["updates"] == found["positions"] // 32
    more = found["blocks"] + 2
    asked_more = [*asked[:1], "--blocks", more, *asked[3:], "--json"]
    code, printed, told = train(*asked_more, onnx=True)
    assert code == 0, told
    assert json.loads(printed)["blocks"] == more
    found = json.loads(printed)
    # The first evaluation has no earlier self; the later ones have.
    opponents = [one["opponent"] for one in found["evaluations"]]
    assert opponents[:3] == ["random", "random", "earlier self"]
    for name in ("learning_curves.png", "learning_curves.svg"):
        assert (out / name).stat().st_size > 1000
    network, description = load(out / "policy.safetensors")
    assert description.game == "tictactoe"
    onnx = OnnxNetwork((out / "policy.onnx").read_bytes())
    assert onnx.config == network.config

    agent = make_agent(found["agent"].replace("policy.onnx", str(out / "policy.onnx")))
    # As in the evaluations, without noise.
    assert (agent.settings.simulations, agent.settings.gumbel_noise) == (4, 0.0)
    env = tictactoe.env()
    env.reset(seed=1)
    assert agent.act(env) in np.arange(9)

    code, printed, told = train(*asked[:2], 100, *asked[3:])
    assert (code, "going on after" in told) == (0, True), told
    assert f"{found['positions']:,} positions" in printed


def test_training_begins_with_another_network(tmp_path, start, train):
    second, plain = tmp_path / "second", tmp_path / "plain.yaml"
    plain.write_text("evaluation: {minutes: 0}\nself_play: {block_games: 8}\n")
    asked = ["tictactoe", "--positions", 20, "--out", second]
    code, _, told = train(*asked, "--config", plain, "--start", start)
    assert code == 0, told
    network, description = load(start)
    # Few positions make no update, so the weights are those it began with.
    trained, same = load(second / "policy.safetensors")
    assert json.loads((second / "summary.json").read_text())["updates"] == 0
    assert same == description
    for name, tensor in network.state_dict().items():
        assert torch.equal(tensor, trained.state_dict()[name])
    # Without it, the folder holds another run.
    code, _, told = train(*asked, "--config", plain)
    assert code == 2
    assert "it began with a given one (SHA-256 of its weights: " in told
    assert "not with a random network" in told


@pytest.mark.parametrize("case", ["missing", "game", "sizes"])
def test_a_network_that_cannot_be_begun_with_is_refused(tmp_path, start, train, case):
    game, message, asked = "tictactoe", "", []
    if case == "missing":
        start, message = tmp_path / "none.safetensors", "cannot be read: No such file"
    elif case == "game":
        game, message = "hex:size=3", "the network is for 'tictactoe', not for hex"
    else:
        other = tmp_path / "other.yaml"
        other.write_text("network: {kind: perceptron, hidden: [8]}")
        asked, message = ["--config", other], "has hidden=[16], the config asks for hid"
    out = tmp_path / "out"
    code, _, told = train(game, *asked, "--start", start, "--out", out)
    (line,) = [li for li in told.splitlines() if li.startswith("mcts-agents: ")]
    assert code == 2
    assert str(start) in line
    assert message in line
    assert not out.exists()


def test_what_an_earlier_version_did_not_know_is_as_by_default(tmp_path, config, train):
    asked = ["tictactoe", "--config", config, "--out", tmp_path / "out"]
    assert train(*asked, "--blocks", 1)[0] == 0
    path = tmp_path / "out" / "training.json"
    said = json.loads(path.read_text())
    del said["start"], said["config"]["learner"]["greedy_share"]
    del said["config"]["self_play"]["opponents"]
    path.write_text(json.dumps(said))
    code, _, told = train(*asked, "--blocks", 2)
    assert code == 0, told
    del said["config"]["learner"]["passes"]  # which is not as by default
    path.write_text(json.dumps(said))
    code, _, told = train(*asked, "--blocks", 3)
    assert code == 2
    assert "its config.learner.passes is 4.0, not 1.0" in told


def test_interrupted_it_says_how_to_go_on(tmp_path, config):
    out = tmp_path / "out"
    asked = command("tictactoe", "--minutes", 9, "--config", config, "--out", out)
    process = subprocess.Popen(asked, stderr=subprocess.PIPE, text=True)
    until = time.monotonic() + 600
    while not list(out.glob("checkpoints/*.safetensors")):
        assert process.poll() is None, process.stderr.read()
        assert time.monotonic() < until
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    try:
        told = process.communicate(timeout=120)[1]
    except subprocess.TimeoutExpired:
        # Python loses what is raised while it looks after its weak references.
        process.send_signal(signal.SIGINT)
        told = process.communicate(timeout=120)[1]
    finally:
        process.kill()
    assert process.returncode == 130
    assert f"are stored in {out}; run the same command to go on" in told
    assert "Traceback" not in told


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["tictactoe", "--device", "cuda"], "device='cuda': .*take device='cpu'"),
        (["tictactoe", "--minutes", "0"], "minutes=0.0: expected a number above 0"),
        (["gymnasium:CartPole-v1"], "has a single team"),
        (["pettingzoo.classic.connect_four_v3:env"], "perfect_information=true"),
    ],
)
def test_what_cannot_be_trained_is_refused_in_one_line(
    tmp_path, train, arguments, message
):
    if "cuda" in arguments and torch.cuda.is_available():
        pytest.skip("there is a GPU")
    out = tmp_path / "out"
    code, _, told = train(*arguments, "--out", out)
    lines = [li for li in told.splitlines() if li.startswith("mcts-agents: ")]
    assert (code, len(lines)) == (2, 1)
    assert re.search(message, lines[0])
    assert not out.exists()


@pytest.mark.parametrize(
    ("opponent", "message"),
    [
        ("mcts:simulatons=5", "mcts:simulatons=5: .*did you mean simulations"),
        ("policy:file=none.onnx", "policy:file=none.onnx: .*none.onnx"),
        (
            "mcts:tree=multi,opponent_information=separate",
            "mcts:tree=multi,opponent_information=separate: .*nothing is hidden",
        ),
    ],
)
def test_opponents_that_cannot_play_are_refused_at_once(
    tmp_path, config, train, opponent, message
):
    config.write_text(CONFIG.replace("random", f'"{opponent}"'))
    out = tmp_path / "out"
    code, _, told = train("tictactoe", "--config", config, "--out", out)
    assert code == 2
    assert re.search(f"evaluation.opponents: {message}", " ".join(told.split()))
    assert not out.exists()


class GivesUp(Agent):
    """Cannot decide."""

    def decide(self, model, state, player):
        raise ArithmeticError("no idea")


def test_the_network_is_there_even_if_an_opponent_fails(tmp_path, without_onnx):
    out = tmp_path / "out"
    chosen = yaml.safe_load(CONFIG)
    # It is due at the end only.
    chosen["evaluation"] |= {
        "minutes": 1000.0, "opponents": [f"{__name__}:{GivesUp.__name__}"]
    }  # fmt: skip
    trainer = Trainer("tictactoe", out, TrainingConfig.model_validate(chosen))
    with pytest.raises(Exception, match="no idea"):
        trainer.run(Budget(blocks=1))
    assert load(out / "policy.safetensors")[1].game == "tictactoe"


class StopLearning(Listener):
    """Breaks off in the first block, once."""

    stopped = False

    def learning(self, updates, of):
        if not self.stopped:
            self.stopped = True
            raise KeyboardInterrupt


def test_broken_off_in_the_first_block_it_begins_again(tmp_path, without_onnx):
    """The same object goes on, as in a notebook."""
    chosen = TrainingConfig.model_validate(yaml.safe_load(CONFIG))
    Trainer("tictactoe", tmp_path / "whole", chosen).run(Budget(blocks=2))
    parts = Trainer("tictactoe", tmp_path / "parts", chosen, listener=StopLearning())
    with pytest.raises(KeyboardInterrupt):
        parts.run(Budget(blocks=2))
    parts.run(Budget(blocks=2))
    one, other = (
        load(tmp_path / name / "policy.safetensors")[0].state_dict().values()
        for name in ("whole", "parts")
    )
    assert all(torch.equal(*pair) for pair in zip(one, other, strict=True))


def test_blocks_are_spent_as_positions_are():
    progress = Progress()
    spent = []
    for _ in range(4):
        progress.positions.append(100)  # while it is learned from
        spent.append(Budget(blocks=4).spent(progress))
        assert Budget(positions=400).spent(progress) == spent[-1]
        progress.blocks += 1
        assert Budget(blocks=4).spent(progress) == spent[-1]
    assert spent == [0.25, 0.5, 0.75, 1.0]
    with pytest.raises(ValueError, match="blocks=0: expected a number above 0"):
        Budget(blocks=0)
    with pytest.raises(ValueError, match="a budget of minutes, positions or blocks"):
        Budget()
