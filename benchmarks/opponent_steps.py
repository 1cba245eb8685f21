"""Steps of a learner's environment whose opponents search, 50 simulations a move.

Processor time, the median of some rounds. Run it in two checkouts in turn to compare
them:

    python benchmarks/opponent_steps.py [--simulations 50] [--seconds 3]
"""

import argparse
import statistics
import time

import numpy as np

from mcts_agents.envs import environments, make_model
from mcts_agents.wrappers import SingleAgentEnv

GAMES = ("tictactoe", "hex:size=5", "sushi_go")
ROUNDS = 5


def steps_a_second(game: str, simulations: int, seconds: float) -> float:
    """Return the learner's steps a second of processor time, resets included."""
    played, model = make_model(game)
    _, _, make_parallel = environments(played)
    env = SingleAgentEnv(
        make_parallel(**model.variant), opponents=f"mcts:simulations={simulations}"
    )
    rng = np.random.default_rng(0)
    env.reset(seed=0)
    steps = 0
    started = time.process_time()
    while (spent := time.process_time() - started) < seconds:
        legal = env.action_masks().nonzero()[0]
        *_, terminated, truncated, _ = env.step(int(rng.choice(legal)))
        steps += 1
        if terminated or truncated:
            env.reset()
    return steps / spent


def main() -> None:
    """Print the medians."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--simulations", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=3.0)
    arguments = parser.parse_args()
    for game in GAMES:
        each = arguments.simulations, arguments.seconds
        rounds = [steps_a_second(game, *each) for _ in range(ROUNDS + 1)]
        # The first one loads compiled code.
        print(f"{game:14s}{statistics.median(rounds[1:]):10,.0f} steps a second")


if __name__ == "__main__":
    main()
