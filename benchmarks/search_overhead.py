"""What plain UCT takes of its own: time of a simulation without its random game.

`mcts` with UCB1 (solver off) searches the opening, and a compiled loop plays random
games from there. Both take turns in one process; times are medians of one core.

    python benchmarks/search_overhead.py
    python benchmarks/search_overhead.py nogo hex:size=7,first_cell=c3
"""

import argparse
import statistics
import time

import numpy as np
from permutation_speed import PLAYOUTS, play

from mcts_agents.agents import make_agent
from mcts_agents.envs import make_model
from mcts_agents.model import new_generator
from mcts_agents.permutation import PermutationSearch, PermutationSettings

GAMES = [
    "atarigo",
    "breakthrough",
    "gomoku:size=9",
    "hex:size=7,first_cell=c3",
    "knightthrough",
    "nogo",
    "wargame",
    "investment",
    "video_game",
]
SIMULATIONS = 10_000
ROUNDS = 5


def microseconds(function, count):
    """Return the time of each of so many things that a call does."""
    began = time.thread_time()
    function()
    return 1e6 * (time.thread_time() - began) / count


def measure(spec):
    """Return microseconds of a simulation and of a random game, medians."""
    model = make_model(spec)[1]
    state = model.reset(new_generator(np.random.SeedSequence(1)))
    player = model.movers(state)[0]
    # Its record tells the loop of random games which game and state to play.
    games = PermutationSearch(model, PermutationSettings("grave", simulations=2))
    games.run(state, player, new_generator(1))
    address = games.record.ctypes.data
    agent = make_agent(f"mcts:simulations={SIMULATIONS},solver=false", seed=1)
    agent.prepare(model, player)
    agent.search(model, state, player)
    play(address, 1, False)
    rounds = [
        (
            microseconds(lambda: agent.search(model, state, player), SIMULATIONS),
            microseconds(lambda: play(address, PLAYOUTS, False), PLAYOUTS),
        )
        for _ in range(ROUNDS)
    ]
    return map(statistics.median, zip(*rounds, strict=True))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("games", nargs="*", default=GAMES)
    print("game                      us/simulation  random game  search")
    for spec in parser.parse_args().games:
        simulation, game = measure(spec)
        print(f"{spec:26}{simulation:13.3f}{game:13.3f}{simulation - game:8.3f}")


if __name__ == "__main__":
    main()
