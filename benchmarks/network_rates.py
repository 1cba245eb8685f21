"""How many positions a second networks of several sizes evaluate, on one thread.

    python benchmarks/network_rates.py [--game connect_four] [--rows 256]

Seconds are those of the processor, so that other programs on the machine count little.
"""

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch

from mcts_agents.envs import make_model
from mcts_agents.networks import (
    Network,
    NetworkConfig,
    NetworkDescription,
    NetworkEvaluator,
    OnnxNetwork,
    export_onnx,
)

SIZES = [
    ("residual", {"channels": 16, "blocks": 3}),
    ("residual", {"channels": 32, "blocks": 3}),
    ("residual", {"channels": 32, "blocks": 5}),
    ("residual", {"channels": 64, "blocks": 5}),
    ("residual", {"channels": 128, "blocks": 10}),
    ("mobile", {"channels": 64, "blocks": 5, "inner_channels": 64, "inner_growth": 32}),
    ("mobile", {}),
    ("perceptron", {}),
]
SECONDS = 1.0


def rate(call: Callable[[], object], rows: int) -> float:
    """Return rows a second of processor time."""
    call()
    calls, began = 0, time.process_time()
    while (taken := time.process_time() - began) < SECONDS:
        call()
        calls += 1
    return calls * rows / taken


def main() -> None:
    """Print a row for each size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", default="connect_four")
    parser.add_argument("--rows", type=int, default=256)
    options = parser.parse_args()
    torch.set_num_threads(1)
    model = make_model(options.game)[1]
    shape = (options.rows, *model.observation_shape)
    seen = np.random.default_rng(0).integers(0, 2, shape).astype(np.int8)
    print("| network | weights | PyTorch | ONNX | training |", flush=True)
    print("|---|---|---|---|---|")
    for kind, sizes in SIZES:
        config = NetworkConfig.for_model(model, kind, **sizes)
        cells = measured(config, model, options.game, seen)
        print(f"| {kind} {sizes} | {cells} |", flush=True)


def measured(config, model, spec: str, seen: np.ndarray) -> str:
    """Return the cells of a row."""
    rows = len(seen)
    network = Network(config).eval()
    weights = sum(parameter.numel() for parameter in network.parameters())
    ask = NetworkEvaluator(network, threads=1).answers
    rates = [rate(lambda: ask(seen), rows)]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "net.onnx")
        export_onnx(path, network, NetworkDescription.of(config, model, spec))
        onnx = OnnxNetwork(path.read_bytes())
    rates.append(rate(lambda: onnx(seen), rows))
    network.train()
    inputs = torch.tensor(seen).float()

    def step() -> None:
        network.zero_grad()
        policy, value = network(inputs)
        (policy.square().mean() + value.square().mean()).backward()

    rates.append(rate(step, rows))
    return " | ".join([f"{weights:,}", *(f"{r:,.0f}" for r in rates)])


if __name__ == "__main__":
    main()
