"""Plies per second of alpha-beta, beside those of OpenSpiel's rollouts in C++.

A ply of alpha-beta is a node: a position copied, a move made in it, and what follows
from that, which is the list of the moves, their order, or the evaluation. The search
begins in a few positions of random play and stops after so many nodes. A ply of
OpenSpiel is one of its MCTSBot's rollouts: simulations per second times the mean length
of random games, with so many rollouts in a simulation that its tree costs nothing. Both
are measured in alternation in one run, in seconds of CPU time, and the ratio is taken
pair by pair.

    pip install --editable ".[openspiel]"
    python benchmarks/alphabeta_plies.py [GAME ...] [--pairs 10] [--nodes 200000]
"""

import argparse
import statistics
import time

import numpy as np
from minimax_speed import positions
from playouts import SEED, openspiel, ours, rate, sized

from mcts_agents.envs import make_model
from mcts_agents.minimax import Minimax, MinimaxSettings
from mcts_agents.model import new_generator

# Our game, and the same one of OpenSpiel.
GAMES = {
    "othello:evaluation=discs": "othello",
    "othello": "othello",
    "connect_four": "connect_four",
    "hex": "hex(board_size=7)",
    "dots_and_boxes:width=7,height=5": "dots_and_boxes(num_rows=5,num_cols=7)",
}
POSITIONS = 4


def alphabeta(spec, nodes):
    """Return a function that searches each position, and returns nodes per second."""
    _, model = make_model(spec)
    search = Minimax(model, MinimaxSettings("alphabeta", nodes=nodes))
    roots = positions(model, POSITIONS)

    def once():
        rng = new_generator(np.random.SeedSequence(SEED))
        started = time.process_time()
        visited = sum(search.run(*root, rng).nodes for root in roots)
        return visited / (time.process_time() - started)

    return once


def measure(spec, nodes, pairs):
    """Return alpha-beta's plies/s, OpenSpiel's, the ratio, and its least and most."""
    us, them = alphabeta(spec, nodes), openspiel(GAMES[spec])
    _, plies = ours(spec)
    rollouts = sized(them, 0.2)
    us(), them(rollouts)  # compiled, loaded, warm
    speeds = [(us(), plies * rate(them, rollouts)) for _ in range(pairs)]
    ratios = [a / b for a, b in speeds]
    middle = (statistics.median(column) for column in zip(*speeds, strict=True))
    return *middle, statistics.median(ratios), min(ratios), max(ratios)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("games", nargs="*", help=f"of {', '.join(GAMES)}; default all")
    parser.add_argument("--pairs", type=int, default=10)
    parser.add_argument("--nodes", type=int, default=200_000, help="of each search")
    arguments = parser.parse_args()
    unknown = set(arguments.games) - set(GAMES)
    if unknown:
        parser.error(f"{', '.join(sorted(unknown))}: expected of {', '.join(GAMES)}")
    for spec in arguments.games or GAMES:
        us, them, *ratio = measure(spec, arguments.nodes, arguments.pairs)
        print(
            f"{spec:32s} alpha-beta {us:>10,.0f} plies/s   OpenSpiel {them:>10,.0f}"
            "   ratio {:.1f} ({:.1f} to {:.1f})".format(*ratio),
            flush=True,
        )


if __name__ == "__main__":
    main()
