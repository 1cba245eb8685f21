"""Iterations and random steps a second against TAG (Java), in turn, on one core.

The setting of TAG's own measurements: one tree (MaxN), depth 30, information sets where
something is hidden, the game's score (TAG: its default heuristic) as value, the first
decision. Of each pair TAG comes first; a ratio is of one pair. Its seconds are those of
the searching thread: the compiler and garbage collector are not counted, a program
searches one setting only, and has warmed up for six seconds before.

`benchmarks/tag/build.sh` builds TAG, and prints the options that it is found by.

    python benchmarks/tag_ratio.py --tag BUILD --jars JARS [--java JAVA] [game ...]
"""

import argparse
import statistics
import subprocess
import time

from mcts_agents.envs import make_model
from mcts_agents.model import new_generator
from mcts_agents.search import Search, SearchSettings

# The collector and the room that suit TAG best.
JVM = "-XX:+UseParallelGC -Xms4g -Xmx4g -XX:+AlwaysPreTouch".split()
WARM_UP = 6
# Name: players, and whether something is hidden.
GAMES = {
    "tictactoe": (2, False),
    "dots_and_boxes": (2, False),
    "sushi_go": (4, True),
    "diamant": (4, True),
    "love_letter": (4, True),
    "uno": (4, True),
    "virus": (4, True),
    "exploding_kittens": (4, True),
    "dominion": (4, True),
    "colt_express": (4, True),
    "poker": (4, True),
}
TREES = {"one": "OneTree", "multi": "MultiTree"}
SETTINGS = [("one", 10), ("one", 30)]
MORE_SETTINGS = {"sushi_go": [("multi", 10), ("multi", 30)]}
ITERATIONS = 20_000  # of a search
SLOW_ITERATIONS = 10_000
GAMES_FROM_A_DEAL = 20


class Tag:
    """A program of TAG's that counts when it is told to."""

    def __init__(self, asked, *arguments):
        classes = f"{asked.tag}/classes:{asked.jars}"
        command = [asked.java, *JVM, "-cp", classes, "TagSpeed", *arguments]
        self.process = subprocess.Popen(
            [*map(str, command), str(WARM_UP)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=asked.tag,
            text=True,
        )
        if self.process.stdout.readline() != "ready\n":
            raise SystemExit(f"TAG did not get ready: {' '.join(map(str, command))}")

    def rate(self, seconds):
        """Return what it counts in a second."""
        self.process.stdin.write(f"{seconds}\n")
        self.process.stdin.flush()
        counted, spent = self.process.stdout.readline().split()
        return int(counted) / float(spent)

    def close(self):
        """End the program."""
        self.process.stdin.close()
        self.process.wait()


def model_of(game):
    players, _ = GAMES[game]
    return make_model(f"{game}:players={players}" if players > 2 else game)[1]


def searching(game, tree, rollout, iterations):
    """Return a function that returns our iterations a second."""
    model = model_of(game)
    settings = SearchSettings(
        simulations=iterations, tree=tree, rollout=rollout, max_depth=30, value="score"
    )
    search = Search(model, settings)
    rng = new_generator(42)
    state = model.reset(rng)
    player = model.movers(state)[0]
    while len(actions := model.legal_actions(state, player)) < 2:  # nothing to choose
        model.apply(state, {player: actions[0]}, rng)
        player = model.movers(state)[0]
    seeds = iter(range(10**9))

    def count():
        return search.run(state, player, new_generator(next(seeds))).simulations

    return lambda seconds: rate_of(count, seconds)


def stepping(game):
    """Return a function that returns our random steps a second.

    Like TAG's, these ask for the legal actions of each state and apply one of them.
    There is a new deal every GAMES_FROM_A_DEAL games, in TAG for every game.
    """
    model, rng = model_of(game), new_generator(1)
    search = Search(model, SearchSettings())

    def count():
        return search.random_games(model.reset(rng), GAMES_FROM_A_DEAL, rng)

    return lambda seconds: rate_of(count, seconds)


def rate_of(count, seconds):
    counted, started = 0, time.process_time()
    while (spent := time.process_time() - started) < seconds:
        counted += count()
    return counted / spent


def compare(name, tag, ours, pairs):
    ours(0.3)  # what is compiled and learned once
    found = [(tag.rate(1.0), ours(0.7)) for _ in range(pairs)]
    tag.close()
    ratios = [mine / theirs for theirs, mine in found]
    theirs, mine = (statistics.median(row) for row in zip(*found, strict=True))
    print(
        f"{name:32} {mine:12,.0f} {theirs:10,.0f} {statistics.median(ratios):7.1f}x "
        f"({min(ratios):.1f} to {max(ratios):.1f})",
        flush=True,
    )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("games", nargs="*", metavar="game", default=[])
    parser.add_argument("--tag", required=True, help="the folder where TAG was built")
    parser.add_argument("--jars", required=True, help="the class path of its jars")
    parser.add_argument("--java", default="java")
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--steps", action="store_true", help="random steps alone")
    asked = parser.parse_args()
    unknown = set(asked.games) - GAMES.keys()
    if unknown:
        parser.error(f"no such game here: {', '.join(sorted(unknown))}")
    print(f"{'game':32} {'here/s':>12} {'TAG/s':>10}    ratio")
    for game in asked.games or GAMES:
        players, hides = GAMES[game]
        searches = [] if asked.steps else SETTINGS + MORE_SETTINGS.get(game, [])
        for tree, rollout in searches:
            slow = game == "dots_and_boxes" or tree == "multi"
            iterations = SLOW_ITERATIONS if slow else ITERATIONS
            information = "Information_Set" if hides else "Open_Loop"
            wanted = [game, players, TREES[tree], rollout, information, iterations]
            tag = Tag(asked, "search", *wanted)
            ours = searching(game, tree, rollout, iterations)
            compare(f"{game}, {tree}, rollout {rollout}", tag, ours, asked.pairs)
        compare(
            f"{game}, random steps",
            Tag(asked, "steps", game, players),
            stepping(game),
            asked.pairs,
        )


if __name__ == "__main__":
    main()
