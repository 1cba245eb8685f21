"""A network learns Hex 5x5 from a planner's recorded decisions, and guides a search.

    pip install --editable ".[rl]"    # in the checkout; several gigabytes
    python examples/imitate_planner.py --games 3000 --out out

The planner's decisions are recorded in the folder `out/hex5`. The network learns which
share of the visits each action had, and who won. It then plays on its own, and gives
priors and values to a search that meets the plain search at as many simulations.
"""

import argparse
import time
from pathlib import Path

import torch
from matplotlib.figure import Figure
from torch.nn import functional

from mcts_agents import PolicyAgent
from mcts_agents.learn import evaluate, record

GAME, PLANNER = "hex:size=5", "mcts:simulations=200"
OPPONENTS = ("random", "mcts:simulations=20", PLANNER)
SIMULATIONS = (50, 200)  # of the searches with the network and of those without


class Network(torch.nn.Module):
    """Logits of the actions, and a value from -1 (lost) to 1 (won), of observations."""

    def __init__(self, inputs, actions, width=256):
        super().__init__()
        self.shared = torch.nn.Sequential(
            torch.nn.Linear(inputs, width),
            torch.nn.ReLU(),
            torch.nn.Linear(width, width),
            torch.nn.ReLU(),
        )
        self.policy = torch.nn.Linear(width, actions)
        self.value = torch.nn.Linear(width, 1)

    def forward(self, observations):
        """Return logits (rows, actions) and values (rows, 1)."""
        hidden = self.shared(observations)
        return self.policy(hidden), self.value(hidden)


def losses(network, rows):
    """Return how far the network is from the planner, and from the games' outcomes.

    The first is the Kullback-Leibler divergence of the network's probabilities from
    the shares of the visits, the second the mean squared error of the values.
    """
    logits, values = network(rows["observation"])
    logits = logits.masked_fill(rows["action_mask"] == 0, -1e9)
    policy = functional.kl_div(
        logits.log_softmax(1), rows["visits"], reduction="batchmean"
    )
    return policy, functional.mse_loss(values[:, 0], rows["outcome"])


def split(dataset):
    """Return rows to learn from, and those of a tenth of the games, to check with."""
    rows = dataset[:]
    choices = rows["action_mask"].sum(1) > 1
    held_back = rows["game"] % 10 == 0
    columns = {
        name: torch.as_tensor(rows[name]).float()
        for name in ("observation", "action_mask", "visits", "outcome")
    }
    columns["observation"] = columns["observation"].flatten(1)
    return [
        {name: column[torch.as_tensor(chosen)] for name, column in columns.items()}
        for chosen in (choices & ~held_back, choices & held_back)
    ]


def turned(rows):
    """Return the same decisions on boards turned by 180 degrees: Hex stays the same."""
    planes = rows["observation"].unflatten(1, (3, -1))
    return {
        **rows,
        "observation": planes.flip(2).flatten(1),
        "action_mask": rows["action_mask"].flip(1),
        "visits": rows["visits"].flip(1),
    }


def train(learn, check, epochs, batch=256):
    """Return a network, and its losses after each epoch: of both kinds, on both."""
    torch.manual_seed(1)
    pairs = zip(learn.items(), turned(learn).values(), strict=True)
    learn = {name: torch.cat((column, other)) for (name, column), other in pairs}
    network = Network(learn["observation"].shape[1], learn["visits"].shape[1])
    optimizer = torch.optim.AdamW(network.parameters(), lr=1e-3, weight_decay=1e-2)
    history = []
    for epoch in range(epochs):
        for part in torch.randperm(len(learn["visits"])).split(batch):
            policy, value = losses(network, {n: v[part] for n, v in learn.items()})
            optimizer.zero_grad()
            (policy + value).backward()
            optimizer.step()
        with torch.inference_mode():
            both = losses(network, learn), losses(network, check)
        history.append([[float(loss) for loss in found] for found in both])
        policy, value = history[-1][1]
        print(f"epoch {epoch + 1}: held back: policy {policy:.3f}, value {value:.3f}")
    return network, history


def draw(path, history):
    """Draw the losses over the epochs: a panel for policy and one for value."""
    figure = Figure((8.0, 3.4), layout="constrained")
    for panel, name in enumerate(("policy: KL divergence", "value: squared error")):
        axes = figure.add_subplot(1, 2, panel + 1, title=name, xlabel="epoch")
        for games, label in enumerate(("games learned from", "games held back")):
            found = [losses[games][panel] for losses in history]
            axes.plot(range(1, len(history) + 1), found, label=label)
        axes.set_ylim(bottom=0)
        axes.grid(color="#dddddd")
        axes.legend()
    figure.savefig(path, dpi=150)


def main(games=3000, out="out", epochs=10, matches=200):
    """Record, train, evaluate; return each match and the first agent's win rate."""
    torch.set_num_threads(1)  # more only wait for each other in small networks
    out = Path(out)
    dataset = record(GAME, PLANNER, games, out / "hex5", explore_moves=8)
    print(dataset)
    started = time.perf_counter()
    network, history = train(*split(dataset), epochs)
    print(f"training took {time.perf_counter() - started:.0f} seconds")
    draw(out / "imitate_planner.png", history)
    file = str(out / "imitate_planner.npz")
    PolicyAgent(network).save_npz(file)
    policy = f"policy:file={file}"
    pairs = [(f"{policy},deterministic=true", opponent) for opponent in OPPONENTS]
    for simulations in SIMULATIONS:
        guided = f"mcts:evaluator=({policy}),tree_policy=alphago,value=win"
        budget = f"simulations={simulations}"
        pairs.append((f"{guided},{budget}", f"mcts:{budget}"))
    found = []
    for agent, opponent in pairs:
        rate = evaluate(agent, opponent, GAME, games=matches, seed=2).win_rate
        found.append((agent, opponent, rate))
        print(f"{agent} against {opponent}:")
        print(f"    {rate.value:.1%} ({rate.low:.1%} to {rate.high:.1%})")
    return found


if __name__ == "__main__":  # the processes that record import this file
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=3000)
    parser.add_argument("--out", default="out")
    main(**vars(parser.parse_args()))
