"""What it costs to use sampled worlds again, in OpenSpiel's games with hidden cards.

A search samples `worlds` worlds and then uses them again (see docs/open_spiel.md). Here
positions of random games are searched with several limits, each with two seeds, and
compared with searches that never use a world again: how often the same action is
chosen, and how far apart the values of actions are that both have tried at least 5 % of
the time. The first line compares two searches without a limit: noise alone.

    python benchmarks/openspiel_worlds.py [GAME ...] [--simulations 10000]
"""

import argparse
import random

import numpy as np

from mcts_agents import MCTSAgent
from mcts_agents.envs import make_model
from mcts_agents.model import new_generator

LIMITS = (0, 3000, 1000, 300, 100, 30)


def roots(model, count):
    """Return states of random games with more than one action, and who is to move."""
    draws, rng, found = random.Random(0), new_generator(0), []
    while len(found) < count:
        state = model.reset(rng)
        while movers := model.movers(state):
            legal = model.legal_actions(state, movers[0]).tolist()
            if len(legal) > 1 and draws.random() < 0.2 and len(found) < count:
                found.append((model.copy(state), movers[0]))
            model.apply(state, {movers[0]: draws.choice(legal)}, rng)
    return found


def searched(model, state, player, simulations, seed):
    """Return the shares of visits and the values of all actions, NaN where rare."""
    agent = MCTSAgent(simulations=simulations, seed=seed)
    root = model.copy(state)
    model.redeterminise(root, player, new_generator(seed))
    result = agent.search(model, root, player)
    values = np.where(result.visits >= simulations / 20, result.values, np.nan)
    return result.action, values


def measure(game, simulations, count):
    """Print a line for each limit."""
    models = {
        n: make_model(f"open_spiel:{game}:observation=blank,worlds={n}")[1]
        for n in LIMITS
    }
    played = list(roots(models[0], count))
    plain = [searched(models[0], s, p, simulations, 1) for s, p in played]
    low, high = models[0].facts.game.min_utility(), models[0].facts.game.max_utility()
    for limit, model in models.items():
        same, apart = [], []
        for seed in (2, 3):
            for (state, player), (action, values) in zip(played, plain, strict=True):
                found, others = searched(model, state, player, simulations, seed)
                same.append(found == action)
                apart.extend((others - values)[~np.isnan(others - values)])
        print(
            f"{game:12s} worlds={limit:<5d} same action {np.mean(same):.3f}   values "
            f"apart {np.sqrt(np.mean(np.square(apart))):.4f} "
            f"(from {low:g} to {high:g})",
            flush=True,
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("games", nargs="*", default=["euchre", "oh_hell", "hearts"])
    parser.add_argument("--simulations", type=int, default=10000)
    parser.add_argument("--positions", type=int, default=40)
    arguments = parser.parse_args()
    for game in arguments.games:
        measure(game, arguments.simulations, arguments.positions)


if __name__ == "__main__":
    main()
