"""Simulations a second of two root-parallel threads against one, in one run.

    python benchmarks/threads.py

It takes two idle cores: whatever else runs takes its share from the two threads first.
"""

from statistics import median

from mcts_agents.envs import make_model
from mcts_agents.model import new_generator
from mcts_agents.search import Search, SearchSettings

GAMES = ("hex:size=7", "tictactoe", "sushi_go:players=4", "love_letter:players=4")
SECONDS = 0.5
PAIRS = 8


def main():
    print(f"{'game':24} {'one':>12} {'two':>12} {'ratio, median':>14} {'best':>6}")
    for game in GAMES:
        _, model = make_model(game)
        state = model.reset(new_generator(3))
        player = model.movers(state)[0]
        searches = [
            Search(
                model, SearchSettings(seconds=SECONDS, threads=threads, solver=False)
            )
            for threads in (1, 2)
        ]
        rates = []
        for pair in range(PAIRS + 1):
            found = [s.run(state, player, new_generator(pair)) for s in searches]
            rates.append([f.simulations / f.seconds for f in found])
        one, two = (median(column) for column in zip(*rates[1:], strict=True))
        ratios = [b / a for a, b in rates[1:]]
        print(
            f"{game:24} {one:12,.0f} {two:12,.0f} {median(ratios):14.2f} "
            f"{max(ratios):6.2f}"
        )


if __name__ == "__main__":
    main()
