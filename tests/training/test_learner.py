"""Updates of a network, against the same ones made with NumPy in float64."""

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from mcts_agents.learn.training.config import UpdateConfig
from mcts_agents.learn.training.learner import MOST_GRADIENT, Learner
from mcts_agents.learn.training.replay import Batch
from mcts_agents.networks import Network, NetworkConfig

NETWORK = NetworkConfig(
    kind="perceptron", observation_shape=(6,), actions=4, teams=3, hidden=(8,)
)
ROWS = 12


def batch_of(seed=0, scale=1):
    """Positions as games give them, with observations from -scale to scale."""
    draw = np.random.default_rng(seed)
    seen = draw.integers(-1, 2, (ROWS, 6)) * scale
    legal = draw.random((ROWS, 4)) < 0.7
    legal[:, 0] = True
    policy, values = draw.random((ROWS, 4)) * legal, draw.random((ROWS, 3))
    policy, values = (
        (part / part.sum(axis=1, keepdims=True)).astype(np.float32)
        for part in (policy, values)
    )
    return Batch(seen.astype(np.int8), policy, legal, values)


def weights_of(learner):
    return {
        name: weights.detach().double().numpy().copy()
        for name, weights in learner.network.named_parameters()
    }


def cross_entropy(logits, targets):
    return -(torch.tensor(targets) * logits.softmax(0).log()).sum()


def documented(weights, batch, value_weight):
    """The two parts of the documented loss, row by row, and its gradients by name."""
    tensors = {name: torch.tensor(w, requires_grad=True) for name, w in weights.items()}
    seen = torch.tensor(batch.observations).double()
    network = Network(NETWORK).double()
    logits, answers = torch.func.functional_call(network, tensors, (seen,))
    policy = value = 0.0
    for row, legal in enumerate(batch.legal):
        chosen = legal.nonzero()[0]
        found = cross_entropy(logits[row, chosen], batch.policy[row, chosen])
        policy = policy + found / ROWS
        value = value + cross_entropy(answers[row], batch.values[row]) / ROWS
    ((1.0 - value_weight) * policy + value_weight * value).backward()
    gradients = {name: tensor.grad.numpy() for name, tensor in tensors.items()}
    return (policy.item(), value.item()), gradients


def length(vectors):
    """Of all of them as one."""
    return np.sqrt(sum((vector**2).sum() for vector in vectors.values()))


def sgd_step(config, rate, gradient, weights, memory):
    """SGD with Nesterov's momentum and an L2 penalty."""
    pull = gradient + config.weight_decay * weights
    memory["speed"] = config.momentum * memory.get("speed", 0.0) + pull
    return weights - rate * (pull + config.momentum * memory["speed"])


def adam_step(config, rate, gradient, weights, memory):
    """AdamW (Loshchilov and Hutter 2019) with the usual betas and epsilon."""
    memory["steps"] = memory.get("steps", 0) + 1
    memory["mean"] = 0.9 * memory.get("mean", 0.0) + 0.1 * gradient
    memory["square"] = 0.999 * memory.get("square", 0.0) + 0.001 * gradient**2
    mean = memory["mean"] / (1.0 - 0.9 ** memory["steps"])
    square = memory["square"] / (1.0 - 0.999 ** memory["steps"])
    shrunk = weights * (1.0 - rate * config.weight_decay)
    return shrunk - rate * mean / (np.sqrt(square) + 1e-8)


@pytest.mark.parametrize(("first", "last"), [(0.002, 0.0001), (0.1, 0.4)])
def test_the_rate_follows_half_a_cosine(first, last):
    config = UpdateConfig(learning_rate=first, final_learning_rate=last)
    rate = Learner(config, NETWORK).rate
    # The cosines of 0, 60, 90, 120 and 180 degrees are 1, 1/2, 0, -1/2 and -1.
    for spent, share in (
        (0, 1),
        (1 / 3, 3 / 4),
        (1 / 2, 1 / 2),
        (2 / 3, 1 / 4),
        (1, 0),
    ):
        assert rate(spent) == pytest.approx(share * first + (1 - share) * last)
    # The last block may go beyond the budget.
    assert rate(1.7) == rate(1.0)
    assert rate(-0.1) == rate(0.0)


@pytest.mark.parametrize(
    ("chosen", "step"),
    [
        ({"optimiser": "sgd", "momentum": 0.0}, sgd_step),
        ({"optimiser": "sgd", "momentum": 0.9, "value_weight": 0.1}, sgd_step),
        ({"optimiser": "sgd", "momentum": 0.5, "weight_decay": 0.2}, sgd_step),
        ({"optimiser": "adam", "value_weight": 0.9}, adam_step),
        ({"optimiser": "adam", "weight_decay": 0.5}, adam_step),
    ],
)
@pytest.mark.parametrize("scale", [1, 100])
def test_updates_are_those_made_by_hand(chosen, step, scale):
    config = UpdateConfig(learning_rate=0.05, final_learning_rate=0.01, **chosen)
    learner = Learner(config, NETWORK, seed=2)
    weights = weights_of(learner)
    memories = {name: {} for name in weights}
    for number, rate in enumerate((0.05, 0.03, 0.01)):
        batch = batch_of(number, scale)
        losses = learner.update(batch, number / 2)
        expected, gradients = documented(weights, batch, config.value_weight)
        assert losses == pytest.approx(expected, rel=1e-4)
        share = min(1.0, MOST_GRADIENT / length(gradients))
        for name, gradient in gradients.items():
            weights[name] = step(
                config, rate, share * gradient, weights[name], memories[name]
            )
        for name, found in weights_of(learner).items():
            np.testing.assert_allclose(found, weights[name], atol=2e-5, err_msg=name)


@pytest.mark.parametrize("rate", [0.01, 0.5])
@pytest.mark.parametrize("scale", [1, 30, 120])
def test_no_gradient_is_longer_than_the_limit(scale, rate):
    plain = {"optimiser": "sgd", "momentum": 0.0, "weight_decay": 0.0}
    learner = Learner(UpdateConfig(learning_rate=rate, **plain), NETWORK, seed=1)
    before, batch = weights_of(learner), batch_of(3, scale)
    whole = length(documented(before, batch, 0.5)[1])
    assert (whole > MOST_GRADIENT) == (scale > 1)
    learner.update(batch, 0.0)
    after = weights_of(learner)
    walked = length({name: after[name] - before[name] for name in before})
    assert walked == pytest.approx(rate * min(whole, MOST_GRADIENT), rel=1e-3)


@pytest.mark.parametrize("decay", [0.01, 0.3])
@pytest.mark.parametrize("kind", [{"optimiser": "adam"}, {"optimiser": "sgd"}])
def test_a_penalty_pulls_weights_towards_zero(kind, decay):
    """By the same share of each of them, whatever the gradient is."""
    momentum = {"momentum": 0.0} if kind["optimiser"] == "sgd" else {}
    found = []
    for penalty in (0.0, decay):
        config = UpdateConfig(
            learning_rate=0.1, weight_decay=penalty, **kind, **momentum
        )
        learner = Learner(config, NETWORK, seed=4)
        before = weights_of(learner)
        learner.update(batch_of(5), 0.0)
        found.append(weights_of(learner))
    for name, weights in before.items():
        pulled = found[0][name] - found[1][name]
        np.testing.assert_allclose(pulled, 0.1 * decay * weights, atol=2e-7)


@pytest.mark.parametrize(
    "chosen", [{"optimiser": "adam"}, {"optimiser": "sgd", "momentum": 0.9}]
)
def test_an_update_after_restoring_is_the_one_after_storing(chosen):
    """So what the optimiser remembers is stored as well."""
    learner = Learner(UpdateConfig(**chosen), NETWORK)
    learner.update(batch_of(0), 0.0)
    first = weights_of(learner)
    learner.update(batch_of(1), 0.0)
    stored = {name: tensor.clone() for name, tensor in learner.tensors().items()}
    learner.update(batch_of(2), 0.5)
    expected = weights_of(learner)
    other = Learner(UpdateConfig(**chosen), NETWORK, seed=9)
    other.restore(stored)
    other.update(batch_of(2), 0.5)
    learner.begin_again()
    learner.update(batch_of(0), 0.0)
    for name, weights in expected.items():
        np.testing.assert_array_equal(weights_of(other)[name], weights)
        np.testing.assert_array_equal(weights_of(learner)[name], first[name])
