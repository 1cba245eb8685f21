"""Searches of this checkout against those of another commit, in alternating processes.

Both are run by interpreters of their own, in whose environments the two checkouts are
installed. Each process warms up, then measures simulations per second of processor
time in ten parts, of which the best counts: others on the machine only slow it down.
The ratio is taken pair by pair, and its median has a bootstrap interval. On an
otherwise idle machine:

    python benchmarks/against_commit.py OTHER/.venv/bin/python [--pairs 30]
"""

import argparse
import json
import subprocess
import sys
import time

import numpy as np

from mcts_agents.envs import make_model
from mcts_agents.model import new_generator
from mcts_agents.search import Search, SearchSettings


def even(observations, players, legal):
    """An evaluator that costs nothing: even values, even priors."""
    return np.full((len(players), 2), 0.5), np.zeros(legal.shape)


# Name: game, settings, simulations a decision.
EVALUATED = {"tree_policy": "alphago", "value": "win", "evaluator": even}
WORKLOADS = {
    "Hex 7x7": ("hex:size=7", {}, 20_000),
    "Hex 7x7, no solver": ("hex:size=7", {"solver": False}, 20_000),
    "Tic-Tac-Toe, no solver": ("tictactoe", {"solver": False}, 50_000),
    "Tic-Tac-Toe": ("tictactoe", {}, 500),
    "Sushi Go, one tree": ("sushi_go:players=4", {}, 5_000),
    "Sushi Go, MultiTree": ("sushi_go:players=4", {"tree": "multi"}, 5_000),
    "Pommerman, SP-MCTS": ("pommerman", {"tree": "self"}, 1_000),
    "Hex 7x7, batches": ("hex:size=7", {**EVALUATED, "batch": 64}, 5_000),
}
PARTS = 10


def measured(name, seconds):
    """Return simulations per second of processor time of one workload, here."""
    spec, settings, simulations = WORKLOADS[name]
    model = make_model(spec)[1]
    rng = new_generator(1)
    opening = model.reset(rng)
    player = model.movers(opening)[0]
    state = model.copy(opening)
    model.redeterminise(state, player, rng)
    search = Search(model, SearchSettings(simulations=simulations, **settings))
    search.run(state, player, new_generator(0))
    best, seed = 0.0, 0
    for _ in range(PARTS):
        done = 0
        started = time.process_time()
        while time.process_time() - started < seconds / PARTS:
            seed += 1
            done += search.run(state, player, new_generator(seed)).simulations
        best = max(best, done / (time.process_time() - started))
    return best


def interval(ratios, draws=10_000):
    """Return the 95% bootstrap interval of the median."""
    rng = np.random.default_rng(0)
    medians = np.median(rng.choice(ratios, (draws, len(ratios))), axis=1)
    return np.percentile(medians, [2.5, 97.5])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("other", nargs="?", help="the other checkout's interpreter")
    parser.add_argument("--pairs", type=int, default=30)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--workload", action="append", choices=WORKLOADS)
    parser.add_argument("--measure", choices=WORKLOADS, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.measure:
        print(json.dumps(measured(arguments.measure, arguments.seconds)))
        return
    if arguments.other is None:
        parser.error("give the interpreter of the other checkout")

    def run(interpreter, name):
        command = [interpreter, __file__, "--measure", name]
        command += ["--seconds", str(arguments.seconds)]
        shown = subprocess.run(command, check=True, capture_output=True, text=True)
        return json.loads(shown.stdout)

    for name in arguments.workload or WORKLOADS:
        here, ratios = [], []
        for pair in range(arguments.pairs):
            order = [sys.executable, arguments.other]
            if pair % 2:
                order.reverse()
            speeds = {interpreter: run(interpreter, name) for interpreter in order}
            here.append(speeds[sys.executable])
            ratios.append(speeds[sys.executable] / speeds[arguments.other])
        low, high = interval(np.array(ratios))
        print(
            f"{name:24s}{np.median(here):12,.0f} a second, "
            f"{np.median(ratios):.3f} times the other ({low:.3f} to {high:.3f})",
            flush=True,
        )


if __name__ == "__main__":
    main()
