"""What may be a policy: functions, networks, torch modules, stable-baselines3's.

All are asked alike: about one position, or about a batch. torch is imported by those
who brought an object of it, by nobody else.
"""

import math
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector.utils import create_empty_array

from mcts_agents.agents.policies.perceptron import Perceptron
from mcts_agents.model import ForwardModel
from mcts_agents.model.actions import as_action
from mcts_agents.networks.heads import HeadsEvaluator, softmax

# Logits (rows, actions), and a value for each row's player or None.
Answer = tuple[np.ndarray, np.ndarray | None]


class Policy(ABC):
    """A policy in the form in which agents and evaluators ask it.

    Attributes:
        name: What it is called in messages.
        observation: The form of observation that it takes, None if any will do.
        greedy_only: Whether its logits rank actions, but are no probabilities.
    """

    name = ""
    observation: str | None = None
    greedy_only = False

    def check(self, space: spaces.Space, actions: int) -> None:  # noqa: B027
        """Raise ValueError if it cannot play with such observations and actions."""

    def check_game(self, model: ForwardModel) -> None:  # noqa: B027
        """Raise ValueError if it was trained for another game, and says so."""

    def evaluator(self) -> HeadsEvaluator | None:
        """Return the evaluator of a policy that values positions for every player."""
        return None

    @abstractmethod
    def propose(self, observation: Any, mask: np.ndarray) -> Any:
        """Return an action, or logits of shape (actions,), for one position."""

    @abstractmethod
    def answers(self, observations: Any, masks: np.ndarray) -> Answer:
        """Answer a batch; `observations` has the rows in each of its arrays.

        Raises:
            ValueError: The output does not fit, or there are no logits.
        """


class FunctionPolicy(Policy):
    """A function `(observation, action_mask)` of one position.

    It returns an action (an integer), logits of shape (actions,), or (logits, value).
    """

    def __init__(self, function: Callable[[Any, np.ndarray], Any]):
        self.function = function
        self.name = getattr(function, "__name__", None) or type(function).__name__

    def propose(self, observation: Any, mask: np.ndarray) -> Any:
        """See `Policy`."""
        answer = self.function(observation, mask)
        if as_action(answer) is not None:
            return answer
        return self._numbers(answer, mask)[0]

    def answers(self, observations: Any, masks: np.ndarray) -> Answer:
        """See `Policy`."""
        logits, values = [], []
        for row, mask in enumerate(masks):
            answer = self.function(_row(observations, row), mask)
            if as_action(answer) is not None:
                raise ValueError(
                    f"{self.name} returned an action; an evaluator needs (logits, "
                    "value)"
                )
            row_logits, value = self._numbers(answer, mask)
            logits.append(row_logits)
            values.append(value)
        return np.array(logits), None if None in values else np.array(values)

    def _numbers(self, answer: Any, mask: np.ndarray) -> tuple[np.ndarray, Any]:
        is_pair = isinstance(answer, tuple) and len(answer) == 2
        actions, logits, value = len(mask), None, None
        try:
            logits = as_numbers(answer[0] if is_pair else answer)
            value = float(answer[1]) if is_pair else None
        except (TypeError, ValueError):  # no numbers, or several for a value
            is_pair = None
        if is_pair is None or logits.shape != (actions,):
            shape = f" of shape {logits.shape}" if logits is not None else ""
            raise ValueError(
                f"{self.name} returned {type(answer).__name__}{shape}; expected an "
                f"action (an integer), logits of shape ({actions},), or (logits, value)"
            )
        return logits, value


class BatchPolicy(Policy):
    """A policy that answers batches."""

    def propose(self, observation: Any, mask: np.ndarray) -> np.ndarray:
        """See `Policy`."""
        return self.answers(_batch_of_one(observation), mask[None])[0][0]

    def _answer(self, logits: Any, values: Any, masks: np.ndarray) -> Answer:
        """Return an answer whose shapes have been checked."""
        logits = as_numbers(logits)
        if logits.shape != masks.shape:
            raise ValueError(
                f"{self.name} returned logits of shape {logits.shape}; expected "
                f"{masks.shape}: a row for each observation, a number for each action"
            )
        if values is None:
            return logits, None
        values = as_numbers(values)
        rows = len(masks)
        if values.shape not in ((rows,), (rows, 1)):
            raise ValueError(
                f"{self.name} returned values of shape {values.shape}; expected "
                f"({rows},) or ({rows}, 1): one for each observation"
            )
        return logits, values.reshape(rows)


class PerceptronPolicy(BatchPolicy):
    """A multi-layer perceptron in NumPy; see `Perceptron`.

    Of `"dict"` observations it takes the mask, then the observation, flattened: in
    the order in which Gymnasium sorts them.
    """

    name = "the perceptron"

    def __init__(self, perceptron: Perceptron, observation: str | None = None):
        self.perceptron = perceptron
        self.observation = observation

    def check(self, space: spaces.Space, actions: int) -> None:
        """See `Policy`."""
        inputs = spaces.flatdim(space)
        found = self.perceptron.inputs, self.perceptron.outputs
        if found != (inputs, actions):
            raise ValueError(
                f"{self.name} takes {found[0]} inputs and has {found[1]} logits; "
                f"expected {inputs} inputs, for observations of {space}, and {actions} "
                "logits, one for each action"
            )

    def answers(self, observations: Any, masks: np.ndarray) -> Answer:
        """See `Policy`."""
        return self._answer(*self.perceptron(_flat(observations)), masks)


class NetworkPolicy(BatchPolicy):
    """A network of `mcts_agents.networks`, in PyTorch or in ONNX."""

    observation = "flat"

    def __init__(self, heads: HeadsEvaluator):
        self.heads = heads
        self.name = f"the {heads.config.kind} network"

    def check(self, space: spaces.Space, actions: int) -> None:
        """See `Policy`."""
        config = self.heads.config
        inputs = math.prod(config.observation_shape)
        if (spaces.flatdim(space), actions) != (inputs, config.actions):
            raise ValueError(
                f"{self.name} takes observations of shape {config.observation_shape} "
                f"and has {config.actions} logits; expected {spaces.flatdim(space)} "
                f"inputs, for observations of {space}, and {actions} logits, one for "
                "each action"
            )

    def check_game(self, model: ForwardModel) -> None:
        """See `Policy`."""
        self.heads.for_model(model)

    def evaluator(self) -> HeadsEvaluator:
        """See `Policy`."""
        return self.heads

    def answers(self, observations: Any, masks: np.ndarray) -> Answer:
        """See `Policy`; values go from -1 to 1, returns of a single player beyond."""
        shape = self.heads.config.observation_shape
        logits, values = self.heads.answers(observations.reshape(len(masks), *shape))
        if values.shape[1] > 1:
            values = 2.0 * softmax(values) - 1.0
        return self._answer(logits, values[:, 0], masks)


class ModulePolicy(BatchPolicy):
    """A `torch.nn.Module` that maps a batch of observations to logits.

    It gets float32 tensors: observations of shape (rows, n), or with `"dict"` a
    dictionary of `observation` (rows, *shape) and `action_mask` (rows, actions). It
    returns logits (rows, actions), or them and values (rows,) or (rows, 1).
    """

    def __init__(self, module: Any):
        self.module = module
        self.name = type(module).__name__

    def check(self, space: spaces.Space, actions: int) -> None:
        """See `Policy`; the module is asked about one observation of zeros."""
        zeros = create_empty_array(space, 1, fn=np.zeros)
        try:
            self.answers(zeros, np.ones((1, actions), np.int8))
        except (RuntimeError, TypeError, KeyError, IndexError, AttributeError) as error:
            first, *_ = f"{type(error).__name__}: {error}".splitlines()
            raise ValueError(
                f"{self.name} does not take observations of {space}: {first}"
            ) from error

    def answers(self, observations: Any, masks: np.ndarray) -> Answer:
        """See `Policy`."""
        import torch

        parameter = next(iter(self.module.parameters()), None)
        device = None if parameter is None else parameter.device
        with torch.inference_mode(), evaluating(self.module):
            inputs = _mapped(
                lambda array: torch.as_tensor(
                    np.asarray(array, np.float32), device=device
                ),
                observations,
            )
            answer = self.module(inputs)
        if isinstance(answer, tuple) and len(answer) == 2:
            return self._answer(*answer, masks)
        if not isinstance(answer, torch.Tensor):
            raise ValueError(
                f"{self.name} returned {type(answer).__name__}; expected a tensor of "
                "logits, or (logits, values)"
            )
        return self._answer(answer, None, masks)


class StableBaselinesPolicy(BatchPolicy):
    """A policy network of stable-baselines3 or sb3-contrib.

    Those of PPO, MaskablePPO, A2C and TRPO give probabilities and a value, those of DQN
    and QR-DQN rank actions.

    Raises:
        ValueError: Another kind of network, or one that remembers (RecurrentPPO).
    """

    def __init__(self, policy: Any):
        self.policy = policy
        self.name = type(policy).__name__
        self.greedy_only = hasattr(policy, "q_net") or hasattr(policy, "quantile_net")
        has_probabilities = hasattr(policy, "get_distribution")
        if hasattr(policy, "lstm_actor"):
            raise ValueError(
                f"{self.name} is a recurrent policy; PolicyAgent supports only "
                "policies without memory"
            )
        if not (self.greedy_only or has_probabilities):
            raise ValueError(
                f"{self.name}: expected the policy of PPO, MaskablePPO, A2C, TRPO, DQN "
                "or QR-DQN"
            )
        is_dict = isinstance(policy.observation_space, spaces.Dict)
        self.observation = "dict" if is_dict else "flat"

    def check(self, space: spaces.Space, actions: int) -> None:
        """See `Policy`."""
        for what, found, expected in (
            ("observations", self.policy.observation_space, space),
            ("actions", self.policy.action_space, spaces.Discrete(actions)),
        ):
            if found != expected:
                raise ValueError(
                    f"{self.name} was trained with {what} {found}; here they are "
                    f"{expected}"
                )

    def answers(self, observations: Any, masks: np.ndarray) -> Answer:
        """See `Policy`."""
        import torch

        policy = self.policy
        with torch.inference_mode(), evaluating(policy):
            inputs, _ = policy.obs_to_tensor(observations)
            if hasattr(policy, "q_net"):
                return self._answer(policy.q_net(inputs), None, masks)
            if self.greedy_only:
                return self._answer(policy.quantile_net(inputs).mean(1), None, masks)
            logits = policy.get_distribution(inputs).distribution.logits
            return self._answer(logits, policy.predict_values(inputs), masks)


def policy_of(policy: Any) -> Policy:
    """Return a policy in the form in which it is asked.

    Raises:
        ValueError: It is none.
    """
    if isinstance(policy, Policy):
        return policy
    # Whose object this is has been imported already.
    algorithms = sys.modules.get("stable_baselines3.common.base_class")
    if algorithms is not None and isinstance(policy, algorithms.BaseAlgorithm):
        # What else an algorithm holds (environments, buffers) is none of a player's.
        policy = policy.policy
    policies = sys.modules.get("stable_baselines3.common.policies")
    if policies is not None and isinstance(policy, policies.BasePolicy):
        return StableBaselinesPolicy(policy)
    networks = sys.modules.get("mcts_agents.networks.network")
    if networks is not None and isinstance(policy, networks.Network):
        return NetworkPolicy(_heads_of(policy))
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(policy, torch.nn.Module):
        return ModulePolicy(policy)
    if callable(policy) and not isinstance(policy, type):
        return FunctionPolicy(policy)
    raise ValueError(
        f"policy={policy!r}: expected a function (observation, action_mask), a torch "
        "module or a model of stable-baselines3; files are read by PolicyAgent.load"
    )


def _heads_of(network: Any) -> HeadsEvaluator:
    from mcts_agents.networks.evaluator import NetworkEvaluator

    return NetworkEvaluator(network, device=str(next(network.parameters()).device))


@contextmanager
def evaluating(module: Any) -> Iterator[None]:
    """Switch a torch module to evaluation for a while: no dropout, no batch norm."""
    training = [part for part in module.modules() if part.training]
    for part in training:
        part.training = False
    try:
        yield
    finally:
        for part in training:
            part.training = True


def as_numbers(array: Any) -> np.ndarray:
    """Return what may be a tensor as an array of float64."""
    if hasattr(array, "detach"):
        array = array.detach().cpu()
    return np.asarray(array, np.float64)


def _mapped(function: Callable[[Any], Any], observation: Any) -> Any:
    """Apply a function to every array of an observation."""
    if isinstance(observation, dict):
        return {name: _mapped(function, part) for name, part in observation.items()}
    if isinstance(observation, tuple):
        return tuple(_mapped(function, part) for part in observation)
    return function(observation)


def _batch_of_one(observation: Any) -> Any:
    return _mapped(lambda array: np.asarray(array)[None], observation)


def _row(observations: Any, row: int) -> Any:
    return _mapped(lambda array: array[row], observations)


def _flat(observations: Any) -> np.ndarray:
    """Return a batch of observations as (rows, n), parts in the order of names."""
    if isinstance(observations, dict):
        parts = [_flat(observations[name]) for name in sorted(observations)]
        return np.concatenate(parts, axis=1)
    return observations.reshape(len(observations), -1)
