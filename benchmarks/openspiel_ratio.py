"""Simulations per second of this package and of OpenSpiel's C++ MCTSBot, as a ratio.

Both search the opening position with the same budget, one uniform rollout a
simulation, a fresh tree and no solver; the whole call is timed: `plan` here, and
`mcts_search` there. The two alternate in one run, since machines are noisy, and the
ratio is taken pair by pair.

    pip install --editable ".[dev]"
    python benchmarks/openspiel_ratio.py [--pairs 20] [--simulations 10000] [--json]
"""

import argparse
import json
import statistics
import time

import pyspiel

from mcts_agents import MCTSAgent
from mcts_agents.envs import breakthrough, connect_four, gomoku, othello, tictactoe
from mcts_agents.envs import hex as hex_game

GAMES = {
    "tictactoe": (tictactoe.env, {}, "tic_tac_toe"),
    "hex 7x7": (hex_game.env, {"size": 7}, "hex(board_size=7)"),
    "connect_four": (connect_four.env, {}, "connect_four"),
    "othello": (othello.env, {}, "othello"),
    "breakthrough": (breakthrough.env, {}, "breakthrough"),
    "gomoku 9x9": (gomoku.env, {"size": 9}, "gomoku(size=9)"),
}


def ours(make_env, variant, simulations):
    """Return a function that plans once and returns simulations per second."""
    env = make_env(**variant)
    env.reset(seed=0)
    agent = MCTSAgent(simulations=simulations, solver=False, seed=0)

    def once():
        started = time.perf_counter()
        result = agent.plan(env)
        seconds = time.perf_counter() - started
        assert result.simulations == simulations
        return simulations / seconds

    return once


def openspiel(name, simulations):
    """Return a function that searches once and returns simulations per second."""
    state = pyspiel.load_game(name).new_initial_state()
    bot = pyspiel.MCTSBot(
        state.get_game(),
        pyspiel.RandomRolloutEvaluator(1, 0),
        2.0,  # UCT constant: ours is 1, of values from 0 to 1 instead of -1 to 1
        simulations,
        1000,  # MB, more than it needs
        False,  # solve
        0,  # seed
        False,  # verbose
    )

    def once():
        started = time.perf_counter()
        bot.mcts_search(state)
        return simulations / (time.perf_counter() - started)

    return once


def measure(game, simulations, pairs):
    """Return the medians of both and of their ratio over `pairs` alternating runs."""
    make_env, variant, openspiel_name = GAMES[game]
    us, them = (
        ours(make_env, variant, simulations),
        openspiel(openspiel_name, simulations),
    )
    us(), them()  # compiled, loaded, warm
    rows = [(us(), them()) for _ in range(pairs)]
    return {
        "game": game,
        "simulations": simulations,
        "pairs": pairs,
        "ours_per_second": statistics.median(a for a, _ in rows),
        "openspiel_per_second": statistics.median(b for _, b in rows),
        "ratio": statistics.median(a / b for a, b in rows),
        "ratio_least": min(a / b for a, b in rows),
        "ratio_most": max(a / b for a, b in rows),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--simulations", type=int, default=10_000)
    parser.add_argument("--pairs", type=int, default=20)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    for game in GAMES:
        row = measure(game, arguments.simulations, arguments.pairs)
        if arguments.json:
            print(json.dumps(row))
        else:
            print(
                f"{game:12s} ours {row['ours_per_second']:>11,.0f}/s   OpenSpiel "
                f"{row['openspiel_per_second']:>11,.0f}/s   ratio {row['ratio']:.2f} "
                f"({row['ratio_least']:.2f} to {row['ratio_most']:.2f})"
            )


if __name__ == "__main__":
    main()
