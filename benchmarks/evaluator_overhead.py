"""What batched leaf evaluation costs besides the evaluator itself.

Microseconds of processor time a simulation of a search whose evaluator returns the same
two arrays each time, for several sizes of batch, beside the same search without one and
without rollouts. The best of several repetitions, all within one run: compare them with
each other. The searches are not alike to the last visit: without priors every action of
a node is tried once first.

    python benchmarks/evaluator_overhead.py
"""

import time

import numpy as np

from mcts_agents.envs import make_model
from mcts_agents.model import new_generator
from mcts_agents.search import Search, SearchSettings

SIMULATIONS, REPETITIONS = 4000, 5
BATCHES = (1, 8, 64)
GAMES = {
    "tictactoe": {"solver": False},
    "hex:size=9": {"solver": False},
    "love_letter:players=3": {},
    "pommerman": {
        "tree": "self",
        "loop": "sampled",
        "opponent_model": "simple_unbiased",
    },
}


class Trivial:
    """An evaluator that takes no time: even shares, even priors."""

    def __init__(self, model):
        self.values = np.full((BATCHES[-1] * model.players, model.players), 0.5)
        self.logits = np.zeros((len(self.values), model.actions))
        self.calls = 0

    def __call__(self, observations, players, legal):
        """Return as many rows as are asked for."""
        self.calls += 1
        rows = len(players)
        return self.values[:rows], self.logits[:rows]


def microseconds(model, **settings):
    """Return the least time of a simulation."""
    chosen = SearchSettings(
        simulations=SIMULATIONS, tree_policy="alphago", value="win", **settings
    )
    search = Search(model, chosen)
    times = []
    for _ in range(REPETITIONS):
        rng = new_generator(0)
        state = model.reset(rng)
        player = model.movers(state)[0]
        started = time.process_time()
        search.run(state, player, rng)
        times.append(time.process_time() - started)
    return 1e6 * min(times[1:]) / SIMULATIONS


def main():
    for name, settings in GAMES.items():
        model = make_model(name)[1]
        alone = microseconds(model, rollout=0, **settings)
        print(f"{name}: {alone:.2f} us a simulation without an evaluator")
        for batch in BATCHES:
            evaluator = Trivial(model)
            settings = {k: v for k, v in settings.items() if k != "solver"}
            took = microseconds(model, evaluator=evaluator, batch=batch, **settings)
            calls = evaluator.calls / REPETITIONS
            print(
                f"  batch {batch:2}: {took:6.2f} us, {took / alone:5.1f} times as much,"
                f" {SIMULATIONS / calls:5.1f} simulations a call"
            )


if __name__ == "__main__":
    main()
