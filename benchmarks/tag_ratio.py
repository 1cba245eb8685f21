"""Iterations a second against TAG's, in the setting of TAG's own measurements.

One tree (MaxN), depth 30, information sets where something is hidden, the game score as
leaf heuristic, opening position; iterations per CPU second of one core. TAG's figures
(Java, search thread, garbage collection not counted) were taken on the same kind of
machine; a ratio across machines is only as good as that.

    python benchmarks/tag_ratio.py [game ...]
"""

import sys
import time

from mcts_agents.envs import make_model
from mcts_agents.model import new_generator
from mcts_agents.search import Search, SearchSettings

# (game, tree, TAG's iterations/s at rollout 10 and 30)
TAG = [
    ("tictactoe", "one", 51_000, 43_000),
    ("dots_and_boxes", "one", 7_400, 4_700),
    ("sushi_go:players=4", "one", 24_200, 18_600),
    ("sushi_go:players=4", "multi", 10_300, 9_500),
    ("diamant:players=4", "one", 30_000, 24_800),
    ("love_letter:players=4", "one", 15_600, 10_700),
]
SIMULATIONS = 20_000
REPEATS = 15


def iterations_per_second(game, tree, rollout):
    _, model = make_model(game)
    settings = SearchSettings(
        simulations=SIMULATIONS,
        tree=tree,
        rollout=rollout,
        max_depth=30,
        value="score",
    )
    search = Search(model, settings)
    state = model.reset(new_generator(42))
    player = model.movers(state)[0]
    rates = []
    for repeat in range(REPEATS + 1):
        started = time.process_time()
        found = search.run(state, player, new_generator(repeat))
        rates.append(found.simulations / (time.process_time() - started))
    return sorted(rates[1:])[REPEATS // 2], max(rates[1:])


def main():
    wanted = sys.argv[1:]
    print(
        f"{'game':24} {'tree':6} {'rollout':>7} {'median/s':>10} {'ratio to TAG':>13}"
    )
    for game, tree, *tags in TAG:
        if wanted and game.partition(":")[0] not in wanted:
            continue
        for rollout, tag in zip((10, 30), tags, strict=True):
            median, _ = iterations_per_second(game, tree, rollout)
            print(
                f"{game:24} {tree:6} {rollout:7} {median:10,.0f} {median / tag:12.1f}x"
            )


if __name__ == "__main__":
    main()
