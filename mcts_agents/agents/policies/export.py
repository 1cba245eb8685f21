"""The perceptron that a torch module or a policy of stable-baselines3 is."""

from typing import Any

import numpy as np

from mcts_agents.agents.policies.kinds import (
    ModulePolicy,
    PerceptronPolicy,
    Policy,
    StableBaselinesPolicy,
)
from mcts_agents.agents.policies.perceptron import ACTIVATIONS, Perceptron

# Observations on which both have to agree, and how closely.
TRIALS = 64
CLOSE = 1e-4


def perceptron_of(policy: Policy) -> Perceptron:
    """Return the perceptron that a policy is.

    The names of its arrays say how the layers lie, its answers to random observations
    which activation function it has, and whether it is a perceptron at all.

    Raises:
        ValueError: It is none.
    """
    if isinstance(policy, PerceptronPolicy):
        return policy.perceptron
    if isinstance(policy, StableBaselinesPolicy) and not policy.greedy_only:
        state = policy.policy.state_dict()
    elif isinstance(policy, ModulePolicy):
        state = policy.module.state_dict()
    else:
        raise ValueError(
            f"{policy.name} is not a multi-layer perceptron that gives probabilities "
            "of actions, which .npz files hold; save it in its own format instead, "
            "such as stable-baselines3's .zip"
        )
    arrays = {
        name: tensor.detach().cpu().float().numpy() for name, tensor in state.items()
    }
    try:
        found = [Perceptron(arrays, activation) for activation in ACTIVATIONS]
    except ValueError as error:
        raise ValueError(
            f"{policy.name} is not a multi-layer perceptron: {error}"
        ) from error
    observations = _observations(policy, found[0].inputs)
    masks = np.ones((TRIALS, found[0].outputs), np.int8)
    try:
        expected = _comparable(policy.answers(observations, masks))
    except (RuntimeError, TypeError, KeyError, IndexError) as error:
        # Of other inputs, say.
        raise ValueError(
            f"{policy.name} is not a multi-layer perceptron: {error}"
        ) from error
    for perceptron in found:
        both = PerceptronPolicy(perceptron).answers(observations, masks)
        answers = _comparable(both)
        if len(answers) == len(expected) and all(
            np.allclose(one, other, rtol=CLOSE, atol=CLOSE)
            for one, other in zip(answers, expected, strict=True)
        ):
            return perceptron
    raise ValueError(
        f"{policy.name} is not a multi-layer perceptron with one of the activation "
        f"functions {', '.join(ACTIVATIONS)}: computed from its layers, the "
        "outputs differ from its own"
    )


def _observations(policy: Policy, inputs: int) -> Any:
    rng = np.random.default_rng(0)
    if policy.observation == "dict":
        return {
            name: rng.integers(0, 3, (TRIALS, *space.shape)).astype(np.int8)
            for name, space in policy.policy.observation_space.spaces.items()
        }
    return rng.integers(0, 3, (TRIALS, inputs)).astype(np.int8)


def _comparable(answer: tuple[np.ndarray, np.ndarray | None]) -> list[np.ndarray]:
    """Return logits without the constant that makes no difference, and values."""
    logits, values = answer
    logits = logits - logits.mean(axis=1, keepdims=True)
    return [logits] if values is None else [logits, values]
