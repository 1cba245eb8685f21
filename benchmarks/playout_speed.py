"""Moves of random games per second of processor time, for games of this package.

`playout` is the rules' own function from the opening to the end of the game, a fresh
copy of the opening included; `steps` makes every move by `legal_actions` and `apply`,
as searches do. Both are called in a compiled loop, on one core; the best of five runs.
Moves of a playout that the rules count in another way (Hex fills the whole board) are
those that `playout` returns.

    python benchmarks/playout_speed.py                     # the games below
    python benchmarks/playout_speed.py rolit:players=2 focus:players=3
"""

import argparse
import time

import numpy as np

from mcts_agents.envs import make_model
from mcts_agents.model import new_generator
from mcts_agents.search import Search, SearchSettings

GAMES = [
    "tictactoe",
    "hex",
    "dots_and_boxes",
    "chinese_checkers",
    *(f"rolit:players={players}" for players in (2, 3, 4)),
    *(f"focus:players={players}" for players in (2, 3, 4)),
]
RUNS = 5
SECONDS = 0.3  # of one run, about
NO_LIMIT = 10**9


def mean_length(model, games=300):
    """Return the mean number of moves of random games."""
    rng = new_generator(0)
    moves = [model.playout(model.reset(rng), rng, NO_LIMIT) for _ in range(games)]
    return np.mean(moves)


def best_rate(function):
    """Return how many of what `function(n)` counts there are a second, at best."""
    count, seconds, best = 10, 0.0, 0.0
    while seconds < SECONDS:
        began = time.process_time()
        function(count)
        seconds = time.process_time() - began
        count *= 2
    for _ in range(RUNS):
        began = time.process_time()
        done = function(count // 2)
        best = max(best, done / (time.process_time() - began))
    return best


def measure(spec):
    """Print one line of the table."""
    _, model = make_model(spec)
    search = Search(model, SearchSettings())
    rng = new_generator(1)
    state = model.reset(rng)
    length = mean_length(model)
    playouts = best_rate(lambda n: search.playouts(state, n, rng)) * length
    steps = best_rate(lambda n: search.random_games(state, n, rng))
    print(f"{spec:24}{length:8.1f}{playouts:20,.0f}{steps:16,.0f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("games", nargs="*", default=GAMES)
    print(f"{'game':24}{'moves':>8}{'playout, moves/s':>20}{'steps/s':>16}")
    for spec in parser.parse_args().games:
        measure(spec)


if __name__ == "__main__":
    main()
