"""Learning from recorded decisions: what is learned, and that nothing is lost."""

import json
import shutil

import numpy as np
import pytest

from mcts_agents.agents import make_agent
from mcts_agents.envs import make_model
from mcts_agents.learn import Dataset, DatasetError, record
from mcts_agents.model import new_generator
from mcts_agents.model.contract import DRAWN, LOST, PLAYING, WON

torch = pytest.importorskip("torch", reason="torch is not installed")

from mcts_agents.learn.training.config import ImitationConfig  # noqa: E402
from mcts_agents.learn.training.imitation import Imitator, spec_of  # noqa: E402
from mcts_agents.learn.training.listeners import Listener  # noqa: E402
from mcts_agents.networks.saving import load  # noqa: E402

SMALL = {
    "network": {"kind": "perceptron", "hidden": [64]},
    "precision": "float32",
    "learner": {"passes": 3, "batch_size": 32, "held_out": 0.2},
}


def config(**learner):
    """A small network, and what its learner does otherwise."""
    return ImitationConfig(**{**SMALL, "learner": {**SMALL["learner"], **learner}})


@pytest.fixture(autouse=True)
def one_core(monkeypatch):
    """Threads that wait for one another take long where other programs run."""
    monkeypatch.setenv("LOKY_MAX_CPU_COUNT", "1")


@pytest.fixture(scope="module")
def tictactoe(tmp_path_factory):
    """Games of a perfect player against a random one."""
    folder = tmp_path_factory.mktemp("tictactoe")
    record("tictactoe", ["alphabeta", "random"], 200, folder, seed=3, jobs=1)
    return folder


def test_a_network_learns_what_was_played(tictactoe, tmp_path):
    imitator = Imitator(
        tictactoe, tmp_path, config(passes=12, learning_rate=0.004, value_weight=0.3)
    )
    progress = imitator.run()
    first, last = progress.evaluations[0], progress.evaluations[-1]
    dataset = Dataset(tictactoe)
    assert last["held_out"] + progress.positions[-1] == len(dataset)
    # Half of the decisions are random, so nobody can foretell them.
    legal = dataset[:]["action_mask"].sum(axis=1)
    assert last["same_action"] > 1.3 * (1 / legal).mean()
    assert last["policy_loss"] < np.log(legal).mean() - 0.05
    assert last["policy_loss"] < first["policy_loss"]
    assert last["value_loss"] < first["value_loss"] < np.log(2) + 0.05
    # What it leaves plays as the network says.
    agent = make_agent(
        {
            "agent": "policy",
            "file": str(tmp_path / "policy.onnx"),
            "deterministic": True,
        }
    )
    network = imitator.learner.network
    model = make_model("tictactoe")[1]
    state = model.reset(new_generator(1))
    while movers := model.movers(state):
        seen = torch.from_numpy(model.observe(state, movers[0])[None]).float()
        with torch.inference_mode():
            logits = network(seen)[0][0].numpy()
        actions = model.legal_actions(state, movers[0])
        action = agent.decide(model, state, movers[0])
        assert logits[action] == pytest.approx(logits[actions].max(), abs=1e-4)
        model.apply(state, {movers[0]: action}, new_generator(1))


def test_accuracy_is_of_what_agents_chose(tmp_path, without_onnx):
    """Not of the most visited action: ties, and Gumbel's move, tell otherwise."""
    games = tmp_path / "games"
    agent = "mcts:simulations=6,root_policy=gumbel"
    record("tictactoe", agent, 30, games, seed=2, explore_moves=4, jobs=1)
    imitator = Imitator(games, tmp_path / "out", config(passes=1))
    said = imitator.run().evaluations[-1]["same_action"]
    rows = {
        name: column[imitator._held_out] for name, column in Dataset(games)[:].items()
    }
    with torch.inference_mode():
        seen = torch.from_numpy(rows["observation"]).float()
        logits = imitator.learner.network(seen)[0].numpy()
    best = np.where(rows["action_mask"] > 0, logits, -np.inf).argmax(axis=1)
    assert said == pytest.approx((best == rows["choice"]).mean())
    assert (rows["visits"].argmax(axis=1) != rows["choice"]).any()


def test_values_are_shares_of_the_win(tmp_path, without_onnx):
    folder = tmp_path / "games"
    record("love_letter", "random", 20, folder, players=3, seed=1, jobs=1)
    imitator = Imitator(folder, tmp_path / "out", config(passes=1))
    imitator.run()
    for row in Dataset(folder):
        share = imitator._shares[row["game"], row["player"]]
        assert (share > 0) == (row["outcome"] == 1)
    assert imitator._shares.sum(axis=1) == pytest.approx(1.0)


class Stop(Listener):
    """Breaks off in the second pass."""

    passes = 0

    def evaluated(self, found):
        self.passes += 1

    def learning(self, updates, of):
        if self.passes == 1 and updates > 2:
            raise KeyboardInterrupt


def test_a_run_that_was_broken_off_goes_on_as_it_began(
    tictactoe, tmp_path, without_onnx
):
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    Imitator(tictactoe, whole, config()).run()
    with pytest.raises(KeyboardInterrupt):
        Imitator(tictactoe, parts, config(), listener=Stop()).run()
    assert not (parts / "summary.json").exists()
    imitator = Imitator(tictactoe, parts, config())
    imitator.run()
    networks = [load(path / "policy.safetensors")[0] for path in (whole, parts)]
    for one, other in zip(*(n.state_dict().values() for n in networks), strict=True):
        assert torch.equal(one, other)
    said = [json.loads((p / "summary.json").read_text()) for p in (whole, parts)]
    for summary in said:
        summary.pop("minutes")
    assert said[0] == said[1]
    # Called once more it has nothing left to do.
    Imitator(tictactoe, parts, config()).run()


def test_players_who_never_decided(tictactoe, tmp_path):
    imitator = Imitator(tictactoe, tmp_path / "out", config())
    for known, whole in (([LOST, PLAYING], [LOST, WON]), ([PLAYING, WON], [LOST, WON])):
        result = np.array(known)
        imitator._complete(0, result)
        assert result.tolist() == whole
    with pytest.raises(DatasetError, match=r"how game 3 ended for the players \[1\]"):
        imitator._complete(3, np.array([DRAWN, PLAYING]))


@pytest.mark.parametrize("size", [2, 3, 32, 10_000])
def test_every_decision_is_learned_from_once(tictactoe, tmp_path, size):
    imitator = Imitator(tictactoe, tmp_path, config(batch_size=size, held_out=0.5))
    imitator._prepare()
    batches = list(imitator._batches(1))
    rows = [len(batch.policy) for batch in batches]
    assert set(rows[:-1]) <= {size} and 2 <= rows[-1] <= size + 1
    dataset = Dataset(tictactoe)[:]
    wanted = ~imitator._held_out
    assert sum(rows) == wanted.sum()
    found = np.concatenate([batch.observations for batch in batches])
    expected = dataset["observation"][wanted]
    assert sorted(map(bytes, found)) == sorted(map(bytes, expected))


def test_self_play_is_no_recording(tmp_path, run_here, without_onnx):
    path = tmp_path / "tiny.yaml"
    path.write_text(json.dumps({
        "network": SMALL["network"], "evaluation": {"minutes": 0},
        "self_play": {"block_games": 4, "games_at_once": 4, "simulations": 2},
    }))  # fmt: skip
    out = str(tmp_path / "out")
    command = ["train", "tictactoe", "--positions", "10", "--config", str(path)]
    assert run_here(*command, "--out", out).returncode == 0
    with pytest.raises(DatasetError, match="blocks: holds self-play of `train`; expec"):
        Imitator(tmp_path / "out" / "blocks", tmp_path / "new")


def test_files_of_others_stay(tictactoe, tmp_path):
    (tmp_path / "checkpoints").mkdir()
    (tmp_path / ".notes.part").write_text("mine")
    with pytest.raises(DatasetError, match=r"has checkpoints, but no training\.json"):
        Imitator(tictactoe, tmp_path, config()).run()
    assert (tmp_path / ".notes.part").exists()
    with pytest.raises(DatasetError, match="holds the dataset; take another folder"):
        Imitator(tictactoe, tictactoe, config())


def test_another_run_or_dataset_is_refused(tictactoe, tmp_path, without_onnx):
    Imitator(tictactoe, tmp_path / "out", config(passes=1)).run()
    with pytest.raises(DatasetError, match=r"holds another run: its config.learner.pa"):
        Imitator(tictactoe, tmp_path / "out", config(passes=2)).run()
    record("tictactoe", "random", 4, tmp_path / "other", jobs=1)
    with pytest.raises(DatasetError, match=r"holds another run: its recorded"):
        Imitator(tmp_path / "other", tmp_path / "out", config(passes=1)).run()
    with pytest.raises(DatasetError, match="there is no such file"):
        Imitator(tmp_path / "none", tmp_path / "out")
    # As many decisions of the same agents, but other ones.
    shutil.copytree(tictactoe, tmp_path / "changed")
    (shard, *_) = sorted((tmp_path / "changed").glob("shard-*.npz"))
    with np.load(shard) as stored:
        columns = dict(stored)
    columns["action"] = columns["action"][::-1]
    np.savez_compressed(shard, **columns)
    with pytest.raises(DatasetError, match=r"run: its recorded\.checksum is '"):
        Imitator(tmp_path / "changed", tmp_path / "out", config(passes=1)).run()
    said = json.loads((tmp_path / "other" / "dataset.json").read_text())
    (tmp_path / "other" / "dataset.json").write_text(json.dumps({**said, "games": 9}))
    with pytest.raises(DatasetError, match=r"has 4 of 9 games; run `record` again"):
        Imitator(tmp_path / "other", tmp_path / "out")


def test_the_game_is_that_of_the_dataset(tmp_path):
    spec = "pommerman:observation=planes,shuffle_corners=true,max_steps=20"
    record(spec, "random", 2, tmp_path, jobs=1)
    found = spec_of(Dataset(tmp_path).description)
    assert make_model(found)[1].variant == make_model(spec)[1].variant


def test_the_command(tictactoe, tmp_path, run_here, without_onnx):
    path = tmp_path / "small.yaml"
    path.write_text(json.dumps(SMALL))
    out = tmp_path / "out"
    command = ["imitate", str(tictactoe), "--out", str(out), "--config", str(path)]
    done = run_here(*command, "--json")
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert (said["passes"], said["game"]) == (3, "tictactoe")
    assert "pass 3: the same action in " in done.stderr
    path.write_text(json.dumps({**SMALL, "self_play": {}}))
    done = run_here(*command)
    assert done.returncode == 2
    assert "small.yaml, line 1, self_play: unknown key 'self_play'" in done.stderr
