"""`Learner`: a network and its optimiser, and one update after another."""

import math
from typing import NamedTuple

from mcts_agents.extras import from_extra
from mcts_agents.learn.training.config import UpdateConfig
from mcts_agents.learn.training.replay import Batch
from mcts_agents.networks.config import NetworkConfig

with from_extra("rl", "training needs PyTorch"):
    import torch

    from mcts_agents.learn.training.precision import body_type
    from mcts_agents.networks.evaluator import device_named
    from mcts_agents.networks.losses import loss
    from mcts_agents.networks.network import Network

# Longest gradient of one update.
MOST_GRADIENT = 5.0


class Losses(NamedTuple):
    """Means over some updates, of the policy's and the value's loss."""

    policy: float
    value: float


class Learner:
    """A network that learns.

    Args:
        config: How it learns.
        network: Its architecture.
        seed: Of its first weights.
        device: Where it computes, as `torch.device` names it.
        precision: As in `TrainingConfig`.
        start: A network of this architecture with the weights to begin with; None:
            random ones.

    Attributes:
        network: The network.
        device: Where it computes.

    Raises:
        ValueError: No such device.
    """

    def __init__(
        self,
        config: UpdateConfig,
        network: NetworkConfig,
        *,
        seed: int = 0,
        device: str = "cpu",
        precision: str = "float32",
        start: Network | None = None,
    ):
        self.config = config
        self.device = device_named(device)
        self._body_type = body_type(precision, self.device)
        self.network = Network(network, seed=seed).to(self.device).eval()
        if start is not None:
            self.network.load_state_dict(start.state_dict())
        self._optimiser = self._new_optimiser()
        self._first = {name: tensor.clone() for name, tensor in self.tensors().items()}

    def _new_optimiser(self) -> torch.optim.Optimizer:
        config, weights = self.config, self.network.parameters()
        if config.optimiser == "adam":
            return torch.optim.AdamW(
                weights, config.learning_rate, weight_decay=config.weight_decay
            )
        return torch.optim.SGD(
            weights,
            config.learning_rate,
            momentum=config.momentum,
            weight_decay=config.weight_decay,
            nesterov=config.momentum > 0.0,
        )

    def rate(self, spent: float) -> float:
        """Return the learning rate when a share of the budget is spent, 0 to 1."""
        first, last = self.config.learning_rate, self.config.final_learning_rate
        half_cosine = 0.5 * (1.0 + math.cos(math.pi * min(max(spent, 0.0), 1.0)))
        return last + (first - last) * half_cosine

    def update(self, batch: Batch, spent: float) -> Losses:
        """Make one update.

        Args:
            batch: What is learned from.
            spent: Share of the budget that is spent.
        """
        for group in self._optimiser.param_groups:
            group["lr"] = self.rate(spent)
        device = self.device
        seen = torch.from_numpy(batch.observations).to(device).float()
        policy, legal, values = (
            torch.from_numpy(array).to(device)
            for array in (batch.policy, batch.legal, batch.values)
        )
        self.network.train()
        answer = self._answer(seen)
        found = loss(answer, policy, legal, values, self.config.value_weight)
        self._optimiser.zero_grad()
        found.total.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), MOST_GRADIENT)
        self._optimiser.step()
        self.network.eval()
        return Losses(float(found.policy.detach()), float(found.value.detach()))

    def _answer(self, seen: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return what the network says; only its body computes in the lower type."""
        network, mixed = self.network, self._body_type is not torch.float32
        with torch.autocast(self.device.type, self._body_type, enabled=mixed):
            body = network.body(seen)
        body = body.float()
        return network.policy(body), network.value(body)

    def tensors(self) -> dict[str, torch.Tensor]:
        """Return all that the next update depends on, by name."""
        found = {f"network.{n}": t for n, t in self.network.state_dict().items()}
        for number, state in self._optimiser.state_dict()["state"].items():
            for name, value in state.items():
                if value is not None:
                    found[f"optimiser.{number}.{name}"] = torch.as_tensor(value)
        return found

    def begin_again(self) -> None:
        """Forget all updates."""
        self.restore(self._first)

    def restore(self, tensors: dict[str, torch.Tensor]) -> None:
        """Take over what `tensors` has returned.

        Raises:
            ValueError: It is that of another network or optimiser.
        """
        networks = {
            name.removeprefix("network."): tensor
            for name, tensor in tensors.items()
            if name.startswith("network.")
        }
        state: dict[int, dict[str, torch.Tensor]] = {}
        try:
            for name, tensor in tensors.items():
                kind, _, rest = name.partition(".")
                if kind == "optimiser":
                    number, _, key = rest.partition(".")
                    state.setdefault(int(number), {})[key] = tensor
            self.network.load_state_dict(networks)
            whole = self._optimiser.state_dict()
            self._optimiser.load_state_dict({**whole, "state": state})
        except (RuntimeError, ValueError, KeyError) as error:
            first, *_ = str(error).splitlines()
            raise ValueError(f"it is of another network: {first}") from error
