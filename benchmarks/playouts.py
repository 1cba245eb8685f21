"""Plies per second of random playouts from the opening, beside OpenSpiel's in C++.

A playout plays uniformly random moves to the end of the game; no tree is built. Here it
is the game's compiled `playout`. OpenSpiel's playouts are those of its MCTSBot, which
makes ROLLOUTS of them in each simulation, so that its tree takes hardly any time. A ply
is a move of one player; steps of the same game here tell how many a playout has on
average. The two are measured in alternation in one run, in seconds of this process, and
the ratio is taken pair by pair.

    pip install --editable ".[openspiel]"    # without it only ours are measured
    python benchmarks/playouts.py [GAME ...] [--pairs 20] [--seconds 0.2] [--json]
"""

import argparse
import json
import statistics
import time

from mcts_agents.envs import make_model
from mcts_agents.model import new_generator
from mcts_agents.search import Search, SearchSettings

try:
    import pyspiel
except ImportError:
    pyspiel = None

# Our game, and the same one of OpenSpiel, if it has the same rules.
GAMES = {
    "tictactoe": "tic_tac_toe",
    "hex": "hex(board_size=7)",
    "connect_four": "connect_four",
    "othello": "othello",
    "breakthrough": "breakthrough",
    "breakthrough:rows=6,columns=5": "breakthrough(rows=6,columns=5)",
    "knightthrough": None,
    "gomoku": "gomoku(size=9)",
    "gomoku:size=15": "gomoku(size=15)",
    "nogo": None,
    "nogo:players=3": None,
    "nogo:size=9": None,
    "atarigo": None,
    "atarigo:size=9": None,
    "dots_and_boxes:width=7,height=5": "dots_and_boxes(num_rows=5,num_cols=7)",
    "wargame": None,
    "wargame:units=20": None,
    "wargame:players=3": None,
    "investment": None,
    "investment:pairs=21": None,
    "investment:players=3": None,
    "video_game": None,
    "chinese_checkers:players=2": None,
    "chinese_checkers:players=6": None,
}
ROLLOUTS = 100
SEED = 1


def ours(spec):
    """Return a function that makes so many playouts, and a playout's mean plies."""
    _, model = make_model(spec)
    rng = new_generator(SEED)
    state = model.reset(rng)
    search = Search(model, SearchSettings())
    games = 2000 if model.name != "chinese_checkers" else 20
    plies = search.random_games(state, games, rng) / games
    return lambda n: search.playouts(state, n, rng), plies


def openspiel(name):
    """Return a function that lets OpenSpiel make so many playouts."""
    state = pyspiel.load_game(name).new_initial_state()

    def play(n):
        simulations = max(1, n // ROLLOUTS)
        bot = pyspiel.MCTSBot(
            state.get_game(),
            pyspiel.RandomRolloutEvaluator(ROLLOUTS, SEED),
            2.0,  # UCT constant
            simulations,
            1000,  # MB, more than it needs
            False,  # solve
            SEED,
            False,  # verbose
        )
        bot.mcts_search(state)
        return simulations * ROLLOUTS

    return play


def sized(play, seconds):
    """Return how many playouts take about so long."""
    n = ROLLOUTS
    while True:
        started = time.process_time()
        done = play(n)
        took = time.process_time() - started
        if took > seconds / 4:
            return max(ROLLOUTS, int(done * seconds / took))
        n *= 4


def rate(play, n):
    """Return playouts per second of this process."""
    started = time.process_time()
    return play(n) / (time.process_time() - started)


def measure(spec, pairs, seconds):
    """Return the medians of both in plies per second, and of their ratio."""
    us, plies = ours(spec)
    name = GAMES[spec] if pyspiel else None
    our_n = sized(us, seconds)
    row = {"game": spec, "pairs": pairs, "plies_a_playout": plies}
    if name is None:
        speeds = [rate(us, our_n) for _ in range(pairs)]
        return row | {"plies_per_second": plies * statistics.median(speeds)}
    them = openspiel(name)
    their_n = sized(them, seconds)
    speeds = [(rate(us, our_n), rate(them, their_n)) for _ in range(pairs)]
    ratios = [a / b for a, b in speeds]
    return row | {
        "plies_per_second": plies * statistics.median(a for a, _ in speeds),
        "openspiel_plies_per_second": plies * statistics.median(b for _, b in speeds),
        "ratio": statistics.median(ratios),
        "ratio_least": min(ratios),
        "ratio_most": max(ratios),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("games", nargs="*", help=f"of {', '.join(GAMES)}; default all")
    parser.add_argument("--pairs", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=0.2, help="of each run")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    unknown = set(arguments.games) - set(GAMES)
    if unknown:
        parser.error(f"{', '.join(sorted(unknown))}: expected of {', '.join(GAMES)}")
    for spec in arguments.games or GAMES:
        row = measure(spec, arguments.pairs, arguments.seconds)
        if arguments.json:
            print(json.dumps(row), flush=True)
            continue
        line = f"{spec:32s} ours {row['plies_per_second']:>12,.0f} plies/s"
        if "ratio" in row:
            line += (
                f"   OpenSpiel {row['openspiel_plies_per_second']:>11,.0f}   ratio "
                f"{row['ratio']:.1f} ({row['ratio_least']:.1f} to "
                f"{row['ratio_most']:.1f})"
            )
        print(line, flush=True)


if __name__ == "__main__":
    main()
