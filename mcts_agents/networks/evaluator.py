"""`NetworkEvaluator`: a network in PyTorch as evaluator of a search."""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from mcts_agents.extras import from_extra
from mcts_agents.networks.heads import HeadsEvaluator

with from_extra("rl", "networks need PyTorch"):
    import torch

    from mcts_agents.networks.network import Network

# Rows that a network is asked about at once, so that memory stays bounded.
MOST_ROWS = 4096


class NetworkEvaluator(HeadsEvaluator):
    """A network as evaluator of a search; see `HeadsEvaluator`.

    It sees the network as it is when it is asked, so a search after a step of training
    has the new weights. The network is moved to the device.

    Args:
        network: The network.
        device: Where it computes, as `torch.device` names it: `cpu`, `cuda`, `cuda:1`.
        threads: Threads of a call on the CPU, from 1; None: as many as PyTorch is set
            to. It is set back after each call.
        most_rows: Rows of one pass, from 1; more are answered in several passes.

    Raises:
        ValueError: No such device, or a number that is not allowed.
    """

    def __init__(
        self,
        network: Network,
        *,
        device: str = "cpu",
        threads: int | None = None,
        most_rows: int = MOST_ROWS,
    ):
        numbers = {"most_rows": most_rows}
        if threads is not None:
            numbers["threads"] = threads
        for name, number in numbers.items():
            if type(number) is not int or number < 1:
                raise ValueError(f"{name}={number!r}: expected a whole number from 1")
        self.device = device_named(device)
        self.network = network.to(self.device)
        self._threads = threads
        self._most_rows = most_rows
        super().__init__(self._answers, network.config)

    def _answers(self, observations: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return what the heads say of a batch of any length, in float32."""
        rows, config = len(observations), self.network.config
        logits = np.empty((rows, config.actions), np.float32)
        values = np.empty((rows, config.teams), np.float32)
        with torch.inference_mode(), _threads(self._threads), _evaluating(self.network):
            for first in range(0, rows, self._most_rows):
                part = slice(first, first + self._most_rows)
                # Bytes go to the device, and become four times as many there.
                seen = torch.tensor(observations[part], device=self.device).float()
                policy, value = self.network(seen)
                logits[part] = policy.cpu().numpy()
                values[part] = value.cpu().numpy()
        return logits, values


def device_named(name: str) -> torch.device:
    """Return a device that PyTorch can compute on here.

    Raises:
        ValueError: There is no such device; the message says in one line what to do.
    """
    try:
        device = torch.device(name)
        torch.zeros(1, device=device).item()
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        first, *_ = str(error).splitlines() or [type(error).__name__]
        raise ValueError(
            f"device={name!r}: PyTorch {torch.__version__} cannot compute on it here "
            f"({first}); install a build of PyTorch for it (pytorch.org), or take "
            "device='cpu'"
        ) from error
    return device


@contextmanager
def _threads(number: int | None) -> Iterator[None]:
    before = torch.get_num_threads()
    if number is None or number == before:
        yield
        return
    torch.set_num_threads(number)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@contextmanager
def _evaluating(network: Network) -> Iterator[None]:
    """Switch a network to evaluation for a while: it normalises by what it has seen."""
    if not network.training:
        yield
        return
    network.eval()
    try:
        yield
    finally:
        network.train()
