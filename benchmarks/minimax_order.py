"""Nodes of the minimax family to a fixed depth, by what orders the actions.

Each search runs from a few positions of random play to the same depth: with everything,
and without killers, history, both, or the table of positions. The depth is the greatest
that a search with everything reaches within so many nodes from all positions. The
numbers are nodes relative to those of the search with everything: above 1 means that
what was left out helps. Nodes do not depend on the machine.

    python benchmarks/minimax_order.py                          # the games below
    python benchmarks/minimax_order.py hex:size=5 --agents alphabeta --nodes 1000000
"""

import argparse
import math

import numpy as np
from minimax_speed import AGENTS, GAMES, positions

from mcts_agents.envs import load_game
from mcts_agents.minimax import ALGORITHMS, Minimax, MinimaxSettings
from mcts_agents.model import new_generator
from mcts_agents.names import parse_spec

WITHOUT = {
    "killers": {"killers": False},
    "history": {"history": False},
    "both": {"killers": False, "history": False},
    "table": {"table": 0},
}


def nodes_to(model, settings, roots):
    """Return the nodes of a search to its depth from each position."""
    search = Minimax(model, settings)
    rng = new_generator(np.random.SeedSequence(0))
    return np.array([search.run(*root, rng).nodes for root in roots])


def depth_within(model, algorithm, roots, nodes):
    """Return the greatest depth that all searches finish within so many nodes."""
    search = Minimax(model, MinimaxSettings(algorithm, nodes=nodes))
    rng = new_generator(np.random.SeedSequence(0))
    results = [search.run(*root, rng) for root in roots]
    return min((r.depth for r in results if not r.solved), default=None)


def measure(model, algorithm, roots, nodes):
    """Print one line of the table: the means of the positions' ratios, geometric."""
    depth = depth_within(model, algorithm, roots, nodes)
    if not depth:
        print(f"{algorithm:19} finishes no depth, or solves every position")
        return
    full = nodes_to(model, MinimaxSettings(algorithm, depth=depth), roots)
    line = f"{algorithm:19}{depth:6}{int(full.mean()):12,}"
    for options in WITHOUT.values():
        settings = MinimaxSettings(algorithm, depth=depth, **options)
        ratio = math.exp(np.log(nodes_to(model, settings, roots) / full).mean())
        line += f"{ratio:10.2f}"
    print(line, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("games", nargs="*", default=GAMES)
    known = [a for a in AGENTS if "killers" in ALGORITHMS[a].options]
    parser.add_argument("--agents", default=",".join(known))
    parser.add_argument("--nodes", type=int, default=300_000)
    parser.add_argument("--positions", type=int, default=8)
    chosen = parser.parse_args()
    for spec in chosen.games:
        name, options = parse_spec(spec)
        model = load_game(name).rules.model(**options)
        roots = positions(model, chosen.positions)
        print(f"\n{spec}; nodes without ... relative to all")
        print(
            "agent               depth       nodes"
            + "".join(f"{w:>10}" for w in WITHOUT)
        )
        for algorithm in chosen.agents.split(","):
            if algorithm not in known:
                parser.error(f"{algorithm!r}: expected of {', '.join(known)}")
            try:
                MinimaxSettings(algorithm).for_model(model)
            except ValueError as error:
                print(f"{algorithm:20}{str(error).split(';')[0]}")
                continue
            measure(model, algorithm, roots, chosen.nodes)


if __name__ == "__main__":
    main()
