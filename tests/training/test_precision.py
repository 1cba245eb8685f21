"""In which precision bodies and heads of networks compute."""

import copy
import pickle

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from mcts_agents.learn.training.config import UpdateConfig
from mcts_agents.learn.training.inference import frozen_network
from mcts_agents.learn.training.learner import Learner
from mcts_agents.learn.training.precision import Mixed, body_type
from mcts_agents.networks import Network, NetworkConfig
from tests.networks.small import positions, small
from tests.training.test_learner import NETWORK, batch_of, length, weights_of

GAMES = [
    ("connect_four", "residual"),
    ("nogo:players=3", "mobile"),
    ("sushi_go:players=4", "perceptron"),
]
UNITS = 5


def network_of(spec, kind):
    """A network that has seen some positions, and these."""
    description, model = small(spec, kind)
    network = Network(description.config, seed=1)
    seen = positions(model, 64)[0]
    with torch.no_grad():  # its normalisations note what comes in
        network(torch.from_numpy(seen).float())
    return network.eval(), seen


def transparent():
    """A network whose heads show what the body says.

    Logits are the body's outputs. Values are two of them, each made larger by 2 ** -12
    of it, which a number of eight significant bits cannot hold.
    """
    config = NetworkConfig(
        kind="perceptron", observation_shape=(7,), actions=UNITS, teams=2,
        hidden=(UNITS,),
    )  # fmt: skip
    network = Network(config, seed=3).eval()
    with torch.no_grad():
        for head, factor in ((network.policy, 1.0), (network.value, 1.0 + 2.0**-12)):
            head.weight.copy_(factor * torch.eye(len(head.weight), UNITS))
            head.bias.zero_()
    return network


def is_short(numbers):
    """Whether each number has at most the eight significant bits of bfloat16."""
    return not (np.ascontiguousarray(numbers).view(np.uint32) & 0xFFFF).any()


@pytest.mark.parametrize(("spec", "kind"), GAMES)
def test_a_frozen_network_says_nearly_the_same(spec, kind):
    network, seen = network_of(spec, kind)
    exact, rough = (
        frozen_network(network, "cpu", 64, precision).answers(seen)
        for precision in ("float32", "bfloat16")
    )
    for one, other in zip(exact, rough, strict=True):
        assert one.dtype == other.dtype == np.float32
        difference = np.abs(one - other).max()
        assert 0.0 < difference < 0.05 * np.abs(one).max()
    with torch.no_grad():
        plain = network(torch.from_numpy(seen).float())
    for one, head in zip(exact, plain, strict=True):
        np.testing.assert_allclose(one, head.numpy(), atol=1e-4)


@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_only_the_body_has_short_numbers(precision):
    network = transparent()
    seen = np.random.default_rng(0).integers(-3, 4, (20, 7)).astype(np.int8)
    frozen = frozen_network(network, "cpu", 20, precision)
    for answers in (frozen.answers, pickle.loads(pickle.dumps(frozen.answers))):
        logits, values = answers(seen)
        assert (logits > 0.0).any()
        assert is_short(logits) == (precision == "bfloat16")
        longer = logits[:, :2].astype(np.float64) * (1.0 + 2.0**-12)
        np.testing.assert_array_equal(values, longer.astype(np.float32))
    assert network.policy.weight.dtype == network.body[1][0].weight.dtype
    assert network.body[1][0].weight.dtype == torch.float32


@pytest.mark.parametrize(("spec", "kind"), GAMES)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_the_types_of_a_mixed_network(spec, kind, dtype):
    network, seen = network_of(spec, kind)
    mixed = Mixed(copy.deepcopy(network), dtype)
    said = []
    mixed.body.register_forward_hook(lambda _, given, answer: said.append(answer.dtype))
    logits, values = mixed(torch.from_numpy(seen).float())
    assert said == [dtype]
    assert {weights.dtype for weights in mixed.body.parameters()} == {dtype}
    for head in (mixed.policy, mixed.value):
        assert {weights.dtype for weights in head.parameters()} == {torch.float32}
    assert logits.dtype == values.dtype == torch.float32


def test_a_network_travels_in_its_type(monkeypatch):
    """To a machine that would choose another one by itself."""
    able = {"avx512_bf16": True}
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: able, raising=False)
    content = pickle.dumps(frozen_network(transparent(), "cpu", 4, "auto").answers)
    able.clear()
    seen = np.random.default_rng(0).integers(-3, 4, (4, 7)).astype(np.int8)
    assert is_short(pickle.loads(content)(seen)[0])
    assert not is_short(
        frozen_network(transparent(), "cpu", 4, "auto").answers(seen)[0]
    )


@pytest.mark.parametrize(
    ("capabilities", "device", "dtype"),
    [
        ({"avx512_bf16": True}, "cpu", torch.bfloat16),
        ({"amx_bf16": True}, "cpu", torch.bfloat16),
        ({"avx512": True, "avx512_bf16": False}, "cpu", torch.float32),
        ({"avx512_bf16": True}, "cuda", torch.float32),
        ({"avx512_bf16": True}, "meta", torch.float32),
    ],
)
def test_fast_processors_take_short_numbers_by_themselves(
    monkeypatch, capabilities, device, dtype
):
    monkeypatch.setattr(
        torch.cpu, "get_capabilities", lambda: capabilities, raising=False
    )
    assert body_type("auto", torch.device(device)) == dtype
    for precision in ("float32", "bfloat16"):
        found = body_type(precision, torch.device(device))
        assert found == getattr(torch, precision)


def test_an_older_torch_that_cannot_tell_takes_float32(monkeypatch):
    monkeypatch.delattr(torch.cpu, "get_capabilities", raising=False)
    assert body_type("auto", torch.device("cpu")) == torch.float32


@pytest.mark.parametrize("optimiser", ["adam", "sgd"])
def test_updates_compute_in_the_type_and_keep_long_weights(optimiser):
    config, said, steps = UpdateConfig(optimiser=optimiser), {}, {}
    for precision in ("float32", "bfloat16"):
        learner = Learner(config, NETWORK, seed=2, precision=precision)
        network, types = learner.network, []
        for part in (network.body, network.policy, network.value):
            part.register_forward_hook(
                lambda _, given, answer, types=types: types.append(answer.dtype)
            )
        before = weights_of(learner)
        said[precision] = learner.update(batch_of(1), 0.0)
        assert types == [getattr(torch, precision), torch.float32, torch.float32]
        assert {w.dtype for w in network.parameters()} == {torch.float32}
        after = weights_of(learner)
        steps[precision] = {name: after[name] - before[name] for name in before}
    assert said["bfloat16"] == pytest.approx(tuple(said["float32"]), rel=0.01)
    assert said["bfloat16"] != said["float32"]
    apart = {n: step - steps["bfloat16"][n] for n, step in steps["float32"].items()}
    assert 0.0 < length(apart) < 0.2 * length(steps["float32"])
