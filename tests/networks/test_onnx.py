"""Networks in ONNX files, played without PyTorch; files that are refused."""

import copy
import os
import pickle
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

NEEDED = "needs the onnx extra: pip install --editable '.[onnx]'"
onnx = pytest.importorskip("onnx", reason=NEEDED)
pytest.importorskip("onnxruntime", reason=NEEDED)

from onnx import TensorProto, helper, numpy_helper  # noqa: E402

from mcts_agents import MCTSAgent, PolicyAgent, make_agent  # noqa: E402
from mcts_agents.agents import to_mapping  # noqa: E402
from mcts_agents.envs import connect_four, make_model, tictactoe  # noqa: E402
from mcts_agents.networks import OnnxNetwork  # noqa: E402
from tests.networks.small import linear_model, positions, small, written  # noqa: E402
from tests.networks.test_heads import by_hand  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]


def refused(tmp_path, model, why):
    with pytest.raises(ValueError, match=rf"^{tmp_path}/net\.onnx: {why}"):
        make_agent(written(tmp_path / "net.onnx", model))


@pytest.mark.parametrize("spec", ["tictactoe", "nogo:players=3", "pommerman:mode=team"])
def test_it_computes_what_the_model_says(spec):
    description, model = small(spec)
    exported, weights = linear_model(description)
    network = OnnxNetwork(exported.SerializeToString())
    assert network.description == description
    seen, players, legal = positions(model, 60)
    values, logits = network.evaluator().for_model(model)(seen, players, legal)
    flat = seen.reshape(60, -1).astype(np.float64)
    np.testing.assert_allclose(
        logits[legal], (flat @ weights["policy"])[legal], rtol=1e-3, atol=1e-4
    )
    assert np.isneginf(logits[~legal]).all()
    answers = np.clip(flat @ weights["value"], -700, 700)
    for row in range(60):
        expected = by_hand(answers[row], players[row], model.teams)
        np.testing.assert_allclose(values[row], expected, atol=1e-4)


def test_it_plays_and_values_leaves(tmp_path):
    description, _ = small("tictactoe")
    exported, weights = linear_model(description)
    spec = written(tmp_path / "net.onnx", exported)
    agent = make_agent(f"{spec},deterministic=true")
    env = tictactoe.env()
    env.reset(seed=1)
    seen = env.observe("player_0")["observation"]
    expected = seen.reshape(-1).astype(np.float32) @ weights["policy"]
    assert agent.act(env) == expected.argmax()
    assert to_mapping(agent)["sha256"] == agent.sha256
    searching = make_agent(
        f"mcts:evaluator=({spec}),tree_policy=alphago,value=win,simulations=200,batch=4"
    )
    plan = searching.plan(env)
    assert plan.visits.sum() == 200
    same = MCTSAgent(
        evaluator=OnnxNetwork(exported.SerializeToString()).evaluator(),
        tree_policy="alphago", value="win", simulations=200, batch=4,
    ).plan(env)  # fmt: skip
    np.testing.assert_array_equal(plan.visits, same.visits)
    again = make_agent(to_mapping(searching)).plan(env)
    np.testing.assert_array_equal(plan.visits, again.visits)


def test_another_game_is_refused(tmp_path):
    exported, _ = linear_model(small("tictactoe")[0])
    agent = make_agent(written(tmp_path / "net.onnx", exported))
    with pytest.raises(ValueError, match="for 'tictactoe', not for connect_four"):
        agent.prepare(make_model("connect_four")[1])
    env = connect_four.env()
    env.reset(seed=1)
    for player in (agent, MCTSAgent(evaluator=agent, tree_policy="alphago")):
        with pytest.raises(ValueError, match="for 'tictactoe', not for connect_four"):
            player.act(env)


def test_copies_share_it_and_pickles_make_it_again():
    exported, _ = linear_model(small("tictactoe")[0])
    network = OnnxNetwork(exported.SerializeToString())
    assert copy.deepcopy(network) is network
    other = pickle.loads(pickle.dumps(network))
    seen = np.ones((3, 3, 3, 3))
    for one, two in zip(network(seen), other(seen), strict=True):
        np.testing.assert_array_equal(one, two)


def test_no_rows_and_many_rows():
    description, model = small("tictactoe")
    network = OnnxNetwork(linear_model(description)[0].SerializeToString())
    seen = positions(model, 9000)[0]
    logits, values = network(seen)
    assert logits.shape == (9000, 9) and values.shape == (9000, 2)
    last = network(seen[-3:])
    np.testing.assert_allclose(logits[-3:], last[0], atol=1e-5)
    logits, values = network(seen[:0])
    assert logits.dtype == values.dtype == np.float32
    assert logits.shape == (0, 9) and values.shape == (0, 2)
    values, logits = network.evaluator().for_model(model)(
        seen[:0], np.zeros(0, np.int64), np.zeros((0, 9), bool)
    )
    assert (values.shape, logits.shape) == ((0, 2), (0, 9))


def test_files_that_are_no_models(tmp_path):
    (tmp_path / "net.onnx").write_bytes(b"no model at all")
    with pytest.raises(ValueError, match=r"net\.onnx: it is not an ONNX model"):
        PolicyAgent.load(tmp_path / "net.onnx")
    (tmp_path / "net.onnx").write_bytes(b"")
    with pytest.raises(ValueError, match=r"net\.onnx: it has no description"):
        PolicyAgent.load(tmp_path / "net.onnx")
    with pytest.raises(ValueError, match=r"trust=True: .*holds no Python objects"):
        PolicyAgent.load(tmp_path / "net.onnx", trust=True)


def test_damaged_files_are_refused_or_as_good_as_whole(tmp_path):
    content = linear_model(small("tictactoe")[0])[0].SerializeToString()
    for length in range(0, len(content), 97):
        (tmp_path / "net.onnx").write_bytes(content[:length])
        with pytest.raises(ValueError, match=r"^[^\n]*net\.onnx: [^\n]*$"):
            PolicyAgent.load(tmp_path / "net.onnx")


def test_a_model_of_somebody_else(tmp_path):
    model, _ = linear_model(small("tictactoe")[0])
    del model.metadata_props[:]
    refused(tmp_path, model, "it has no description of a network")


def test_sizes_that_the_description_denies(tmp_path):
    model, _ = linear_model(small("tictactoe")[0])
    wrong, _ = linear_model(small("hex:size=5")[0])
    del model.metadata_props[:]
    model.metadata_props.extend(wrong.metadata_props)
    refused(tmp_path, model, "it does not take observations of shape")


def test_external_data_is_not_read(tmp_path, monkeypatch):
    """Not where it leads to a file that is there, either."""
    monkeypatch.chdir(tmp_path)
    model, weights = linear_model(small("tictactoe")[0])
    raw = weights["policy"].tobytes()
    (tmp_path / "weights.bin").write_bytes(raw)
    onnx.external_data_helper.set_external_data(
        model.graph.initializer[0], "weights.bin", 0, len(raw)
    )
    for part in ("raw_data", "float_data"):
        model.graph.initializer[0].ClearField(part)
    refused(tmp_path, model, "its tensor 'policy_weight' is in another file")


def test_the_build_of_torch_does_not_change_the_file(tmp_path, monkeypatch):
    """Tournaments know a file by its SHA-256, on whatever machine it was exported."""
    torch = pytest.importorskip("torch")
    pytest.importorskip("onnxscript")
    from mcts_agents.networks import Network, export_onnx

    description, _ = small("tictactoe")
    network = Network(description.config)

    def export(path, seed, version):
        # As the exporter of PyTorch answers, in no time.
        model, _ = linear_model(description, seed)
        del model.metadata_props[:]
        model.producer_name, model.producer_version = "pytorch", version
        answer = SimpleNamespace(model_proto=model)
        monkeypatch.setattr(torch.onnx, "export", lambda *_, **__: answer)
        export_onnx(path, network, description)
        return path.read_bytes()

    cpu, cuda = (f"2.8.0+{build}" for build in ("cpu", "cu128"))
    first = export(tmp_path / "cpu.onnx", 0, cpu)
    assert export(tmp_path / "cuda.onnx", 0, cuda) == first
    assert b"2.8.0" not in first
    # Files of earlier versions, which say the build, are as they were.
    earlier = onnx.load_model_from_string(first)
    earlier.producer_name, earlier.producer_version = "pytorch", cpu
    path = tmp_path / "earlier.onnx"
    path.write_bytes(earlier.SerializeToString())
    assert path.read_bytes() != first
    assert export(path, 0, cuda) == earlier.SerializeToString()
    # Unless the network is another one, or the file is damaged.
    other = export(path, 1, cuda)
    assert other not in (first, earlier.SerializeToString())
    path.write_bytes(b"no model at all")
    assert export(path, 0, cpu) == first


@pytest.mark.parametrize("place", ["attribute", "list", "sparse"])
def test_external_data_wherever_a_tensor_may_be(tmp_path, place):
    model, weights = linear_model(small("tictactoe")[0])
    outside = numpy_helper.from_array(weights["policy"], "outside")
    onnx.external_data_helper.set_external_data(outside, "weights.bin", 0, 4)
    if place == "sparse":
        sparse = onnx.SparseTensorProto(values=outside, dims=[27, 9])
        model.graph.sparse_initializer.append(sparse)
    else:
        attribute = onnx.AttributeProto(name="value")
        if place == "attribute":
            attribute.type = onnx.AttributeProto.TENSOR
            attribute.t.CopyFrom(outside)
        else:
            attribute.type = onnx.AttributeProto.TENSORS
            attribute.tensors.append(outside)
        node = helper.make_node("Constant", [], ["constant"])
        node.attribute.append(attribute)
        model.graph.node.append(node)
    refused(tmp_path, model, "its tensor 'outside' is in another file")


def test_operators_of_other_sets(tmp_path):
    model, _ = linear_model(small("tictactoe")[0])
    model.opset_import.append(helper.make_opsetid("com.microsoft", 1))
    refused(tmp_path, model, "it has operators that are not of ONNX's standard set")
    del model.opset_import[1:]
    model.graph.node[0].domain = "my.domain"
    refused(tmp_path, model, "its operator 'Flatten' is not of ONNX's standard set")


def test_functions(tmp_path):
    model, _ = linear_model(small("tictactoe")[0])
    model.functions.append(
        helper.make_function(
            "my", "F", ["x"], ["y"], [helper.make_node("Relu", ["x"], ["y"])], []
        )
    )
    refused(tmp_path, model, "it has operators that are not of ONNX's standard set")


def test_control_flow(tmp_path):
    model, _ = linear_model(small("tictactoe")[0])
    branch = helper.make_graph(
        [helper.make_node("Identity", ["policy"], ["other"])],
        "branch",
        [],
        [helper.make_tensor_value_info("other", TensorProto.FLOAT, None)],
    )
    condition = numpy_helper.from_array(np.array(True), "condition")
    model.graph.initializer.append(condition)
    model.graph.node.append(
        helper.make_node(
            "If", ["condition"], ["chosen"], then_branch=branch, else_branch=branch
        )
    )
    refused(tmp_path, model, r"it has control flow \('If'\)")


@pytest.mark.parametrize("ends", ["input", "output"])
def test_other_names_of_ends(tmp_path, ends):
    model, _ = linear_model(small("tictactoe")[0])
    if ends == "output":
        model.graph.output.reverse()
    else:
        model.graph.input[0].name = model.graph.node[0].input[0] = "board"
    refused(tmp_path, model, r"it has inputs \[")


WITHOUT_TORCH = """
import sys

class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("torch", "safetensors", "onnxscript"):
            raise ModuleNotFoundError("hidden by a test", name=name)

sys.meta_path.insert(0, Hidden())
from mcts_agents import make_agent
from mcts_agents.envs import tictactoe

env = tictactoe.env()
env.reset(seed=1)
print(make_agent(sys.argv[1], seed=3).act(env))
searching = "mcts:evaluator=({}),tree_policy=alphago,value=win,simulations=50"
print(make_agent(searching.format(sys.argv[1]), seed=3).plan(env).visits.sum())
"""


def test_it_plays_where_there_is_no_torch(tmp_path):
    spec = written(tmp_path / "net.onnx", linear_model(small("tictactoe")[0])[0])
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_TORCH, spec],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        env={**os.environ},
    )
    assert done.returncode == 0, done.stderr
    action, visits = done.stdout.split()
    assert int(action) in range(9)
    assert visits == "50"
