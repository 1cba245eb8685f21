"""Policies in files: what is read, what is refused, and tournaments."""

import io
import json
import os
import pickle
import zipfile
from pathlib import Path

import numpy as np
import pytest

from mcts_agents import PolicyAgent, make_agent
from mcts_agents.agents.policies.perceptron import ACTIVATIONS, Perceptron
from mcts_agents.arena.playing.backends import LocalBackend
from mcts_agents.arena.tournaments.spec_file import SpecFile
from mcts_agents.arena.tournaments.store import Store, StoreError
from mcts_agents.envs import make_model, tictactoe
from tests.agents.policies import arrays, saved
from tests.arena.playing import Here, Idle, run


def by_hand(layers, inputs):
    """The outputs of a small perceptron with tanh, number by number."""

    def layer(name, values):
        weight, bias = layers[f"{name}.weight"], layers[f"{name}.bias"]
        return [
            sum(float(w) * x for w, x in zip(row, values, strict=True)) + float(b)
            for row, b in zip(weight, bias, strict=True)
        ]

    hidden = [np.tanh(x) for x in layer("shared.0", inputs)]
    value = layer("value.2", [np.tanh(x) for x in layer("value.0", hidden)])
    return layer("policy.0", hidden), value[0]


def test_a_perceptron_is_what_it_says():
    layers = arrays(seed=3)
    inputs = np.random.default_rng(0).integers(-1, 2, (5, 27))
    logits, values = Perceptron(layers)(inputs)
    for row in range(5):
        expected_logits, expected = by_hand(layers, inputs[row])
        np.testing.assert_allclose(logits[row], expected_logits, rtol=1e-9)
        np.testing.assert_allclose(values[row], expected, rtol=1e-9)


def test_names_of_layers():
    layers = arrays(seed=1, value=False)
    first, last = (
        [layers[f"{name}.0.{kind}"] for kind in ("weight", "bias")]
        for name in ("shared", "policy")
    )
    inputs = np.eye(27)
    expected, none = Perceptron(layers)(inputs)
    assert none is None
    for one, other in (
        ("0", "10"),
        ("shared", "policy"),
        ("mlp_extractor.policy_net.0", "action_net"),
    ):
        names = {f"{one}.weight": first[0], f"{one}.bias": first[1]}
        names |= {f"{other}.weight": last[0], f"{other}.bias": last[1]}
        for order in (names, dict(reversed(names.items()))):
            np.testing.assert_array_equal(Perceptron(order)(inputs)[0], expected)


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_archives(tmp_path, activation):
    path = saved(tmp_path / "p.npz", activation=activation, seed=2)
    agent = PolicyAgent.load(path)
    inputs = np.random.default_rng(0).integers(0, 2, (5, 27))
    expected = Perceptron(arrays(seed=2), activation)(inputs)
    for found, other in zip(agent.policy.perceptron(inputs), expected, strict=True):
        np.testing.assert_array_equal(found, other)
    agent.save_npz(tmp_path / "again.npz")
    again = PolicyAgent.load(tmp_path / "again.npz")
    assert again.policy.perceptron.activation == activation
    with pytest.raises(ValueError, match=r"expected a name that ends in \.npz"):
        agent.save_npz(tmp_path / "p.zip")


def test_dictionaries_are_the_mask_and_the_observation(tmp_path):
    path = saved(tmp_path / "p.npz", observation="dict", seen=36)
    agent = PolicyAgent.load(path)
    assert agent.observation == "dict"
    env = tictactoe.env()
    env.reset(seed=1)
    env.step(3)
    seen = env.observe("player_1")
    inputs = np.concatenate([seen["action_mask"], seen["observation"].reshape(-1)])
    logits, _ = agent.policy.perceptron(inputs[None])
    greedy = PolicyAgent.load(path, deterministic=True)
    expected = np.where(seen["action_mask"], logits[0], -np.inf).argmax()
    assert greedy.act(env) == expected


class Marked:
    """An object whose pickle makes a file when it is read."""

    def __init__(self, path):
        self.path = str(path)

    def __reduce__(self):
        return os.mkdir, (self.path,)


def write_malicious(path, mark):
    """Write a file of a policy in whose place there is a pickle."""
    content = pickle.dumps({"0.weight": Marked(mark)})
    if path.suffix == ".npz":
        np.savez(path, policy=np.array([Marked(mark)], object))
    elif path.suffix == ".zip":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("policy.pth", content)
            entry = {"__module__": "stable_baselines3.common.policies"}
            archive.writestr("data", json.dumps({"policy_class": entry}))
    else:
        path.write_bytes(content)


@pytest.mark.parametrize("suffix", [".npz", ".npy.npz", ".zip", ".pt", ".pth"])
def test_pickles_are_not_executed(tmp_path, suffix):
    if suffix in (".zip", ".pt", ".pth"):
        pytest.importorskip("torch", reason="needs the rl extra")
    path, mark = tmp_path / f"p{suffix}", tmp_path / "mark"
    if suffix == ".npy.npz":
        content = io.BytesIO()
        np.save(content, np.array([Marked(mark)], object), allow_pickle=True)
        path.write_bytes(content.getvalue())
    else:
        write_malicious(path, mark)
    with pytest.raises(ValueError) as raised:
        make_agent(f"policy:file={path}")
    assert str(raised.value).startswith(f"{path}: ")
    assert "\n" not in str(raised.value)
    assert not mark.exists()


def other_arrays(**changed):
    return {**arrays(), **changed}


@pytest.mark.parametrize(
    ("layers", "why"),
    [
        ({}, "no layer that gives logits"),
        (other_arrays(mean=np.zeros(3)), "'mean' is not a layer of a multi-layer p"),
        (other_arrays(**{"0.weight": np.zeros((2, 3), int)}), "floating-point numbers"),
        (other_arrays(**{"policy.1.weight": np.zeros(3)}), r"shape \(3,\); expected"),
        (other_arrays(**{"policy.1.weight": np.zeros((3, 4))}), "4 inputs, .* gives 9"),
        (other_arrays(**{"value.3.bias": np.zeros(3)}), "a bias and no weight"),
        (other_arrays(**{"policy.0.bias": np.zeros(3)}), "9 outputs and a bias of 3"),
        (other_arrays(**{"policy.weight": np.zeros((9, 8))}), "under another name"),
        (other_arrays(**{"value.3.weight": np.zeros((2, 1))}), "one number, not 2"),
        (other_arrays(**{"policy.0.bias": np.full(9, np.nan)}), "not finite"),
    ],
)
def test_arrays_that_are_no_perceptron(layers, why):
    with pytest.raises(ValueError, match=why):
        Perceptron(layers)


def test_files_that_are_refused(tmp_path):
    good = saved(tmp_path / "good.npz")
    (tmp_path / "no.npz").write_bytes(b"no archive")
    (tmp_path / "no.zip").write_bytes(b"no archive")
    np.savez(tmp_path / "other.npz", a=np.zeros(3))
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as archive:
        archive.writestr("data", "{}")
    for spec, why in (
        ("policy", "^file=None: expected the path of a trained policy"),
        ("policy:file=3", "^file=3: expected the path"),
        ("policy:file=p.h5", r"^p.h5: expected a file whose name ends in \.onnx"),
        (f"policy:file={tmp_path}/none.npz", "none.npz: cannot be read: No such file"),
        (f"policy:file={tmp_path}/no.npz", "no.npz: not a NumPy archive of plain"),
        (f"policy:file={tmp_path}/other.npz", "not written by PolicyAgent.save_npz"),
        (f"policy:file={tmp_path}/no.zip", "not a stable-baselines3 model"),
        (f"policy:file={tmp_path}/other.zip", "not a stable-baselines3 model"),
        (
            f"policy:file={good},activation=relu",
            "^activation='relu': .* already spec",
        ),
        (f"policy:file={good},trust=true", "holds no Python objects, leave it out"),
        (f"policy:file={good},trust=1", "^trust=1: expected true or false"),
        (f"policy:file={good},observation=dict", "^.*good.npz: observation='dict': "),
        (f"policy:file={good},sha256=00", "content has changed: SHA-256 .* expected 0"),
        (f"policy:file={good},model=3", "unknown option of policy 'model'"),
    ):
        with pytest.raises(ValueError, match=why) as raised:
            make_agent(spec)
        assert "\n" not in str(raised.value)


def test_damaged_archives_are_read_or_refused(tmp_path):
    path = Path(saved(tmp_path / "p.npz"))
    content, rng = path.read_bytes(), np.random.default_rng(0)
    refused = 0
    for trial in range(200):
        damaged = bytearray(content[: rng.integers(1, len(content))])
        if trial % 2:
            damaged = bytearray(content)
            for place in rng.integers(-2000, 2000, 4):
                damaged[place] = rng.integers(256)
        path.write_bytes(damaged)
        try:
            PolicyAgent.load(path)
        except ValueError as error:
            refused += 1
            assert str(error).startswith(f"{path}: ") and "\n" not in str(error)
    assert refused > 100


def test_a_policy_of_another_game(tmp_path):
    agent = PolicyAgent.load(saved(tmp_path / "p.npz"))
    agent.prepare(make_model("tictactoe")[1])
    why = r"cannot play hex: .* takes 27 inputs and has 9 logits; expected 75 inputs"
    with pytest.raises(ValueError, match=why):
        agent.prepare(make_model("hex:size=5")[1])


def test_files_of_agents_name_policies_from_their_folder(tmp_path):
    saved(tmp_path / "p.npz")
    file = tmp_path / "a.yaml"
    file.write_text("agent: policy\nfile: p.npz\ndeterministic: true\n")
    assert make_agent(file).file == str(tmp_path / "p.npz")
    for opponent in ("{agent: policy, file: p.npz}", "policy:file=p.npz"):
        file.write_text(f"agent: mcts\nopponent_model: {opponent}\n")
        agent = make_agent(file)
        assert agent.settings.opponent_model.file == str(tmp_path / "p.npz")


def test_what_is_trusted_is_compared_before_it_is_read(tmp_path):
    mark, model = tmp_path / "mark", tmp_path / "p.pt"
    write_malicious(model, mark)
    with pytest.raises(ValueError, match="its content has changed: SHA-256"):
        PolicyAgent.load(model, trust=True, sha256="0" * 64)
    assert not mark.exists()


def test_only_a_call_can_trust(tmp_path):
    mark, model = tmp_path / "mark", tmp_path / "p.pt"
    write_malicious(model, mark)
    file = tmp_path / "a.yaml"
    file.write_text("{agent: policy, file: p.pt, trust: true}")
    spec = f"policy:file={model},trust=true"
    nested = tmp_path / "b.yaml"
    nested.write_text(f"{{agent: mcts, opponent_model: '{spec}'}}")
    for given in (file, nested, f"mcts:rollout_policy={nested}"):
        with pytest.raises(ValueError, match=r"trust=True: cannot be set in .*yaml; "):
            make_agent(given)
    tournament = tmp_path / "t.yaml"
    for agent in ("{agent: policy, file: p.pt, trust: true}", f"'{spec}'"):
        tournament.write_text(f"games: tictactoe\nagents: {{a: {agent}, b: random}}")
        message = r"trust=True: cannot be set in .*t\.yaml; "
        with pytest.raises(ValueError, match=message):
            SpecFile(str(tournament)).spec()
    assert not mark.exists()


def test_tournaments_in_processes_of_their_own(tmp_path):
    path = Path(saved(tmp_path / "p.npz"))
    inner = f"(policy:file={path})"
    agents = {
        "policy": f"policy:file={path}",
        "search": f"mcts:evaluator={inner},tree_policy=alphago,value=win",
        "model": f"mcts:tree=self,opponent_model={inner}",
    }
    keys = {"games": "tictactoe", "agents": agents}
    expected = run(tmp_path / "one.db", Here(), **keys)
    assert run(tmp_path / "two.db", LocalBackend(2), **keys) == expected
    # The store knows the content that has played, and holds to it.
    specs = [json.loads(row["spec"]) for row in expected if "spec" in row]
    found = [s["sha256"] for s in specs if s["agent"] == "policy"]
    assert set(found) == {PolicyAgent.load(path).sha256}
    saved(path, seed=1)
    with pytest.raises(StoreError, match="holds another tournament: its agents"):
        run(tmp_path / "one.db", Idle(), **keys)
    assert len(Store.read(tmp_path / "one.db").played()) == len(expected) // 3


def test_the_search_of_a_game_holds_to_a_file_too(tmp_path):
    path = Path(saved(tmp_path / "p.npz"))
    evaluator = {"agent": "policy", "file": str(path)}
    search = {"evaluator": evaluator, "tree_policy": "alphago"}
    keys = {
        "games": [{"game": "tictactoe", "search": search}],
        "agents": ["mcts", "random"],
    }
    run(tmp_path / "t.db", Here(), **keys)
    run(tmp_path / "t.db", Idle(), **keys)
    with Store.read(tmp_path / "t.db") as store:
        (game,) = store.description()["games"]
    assert game["search"]["evaluator"]["sha256"] == PolicyAgent.load(path).sha256
    assert game["search"]["tree_policy"] == "alphago"
    saved(path, seed=1)
    with pytest.raises(StoreError, match="holds another tournament: its games"):
        run(tmp_path / "t.db", Idle(), **keys)


def test_play_on_the_command_line(tmp_path, run_here):
    path = saved(tmp_path / "p.npz")
    arguments = ("--agent", f"policy:file={path}", "--seed", "1", "--json")
    done = [run_here("play", "tictactoe", *arguments) for _ in range(2)]
    assert [d.returncode for d in done] == [0, 0]
    assert done[0].stdout == done[1].stdout
    done = run_here("play", "hex:size=5", *arguments)
    assert done.returncode == 2
    assert done.stderr.startswith("mcts-agents: PolicyAgent(")
    assert done.stderr.count("\n") == 1
