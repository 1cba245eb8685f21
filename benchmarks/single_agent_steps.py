"""Speed of the one-learner view against the environment below it, as a ratio.

Both play at random, in turns within one run, and both draw legal actions in the same
way: the bare parallel environment for everybody, the view for the learner while its
random opponents draw for themselves. What is counted is steps of the game below,
resets included, by the processor's time; so the view's figure has everything that it
adds to a step. The ratio is the median over the rounds.

    python benchmarks/single_agent_steps.py [--game hex:size=5 ...] [--seconds 4]
"""

import argparse
import json
import statistics
import time

import numpy as np

from mcts_agents.envs import make_model
from mcts_agents.envs.environment import GameParallelEnv
from mcts_agents.wrappers import SingleAgentEnv

GAMES = ("tictactoe", "hex:size=5", "sushi_go", "pommerman")


class Counting(GameParallelEnv):
    """Counts its steps."""

    steps = 0

    def step(self, actions):
        """Count the step, and make it."""
        self.steps += 1
        return super().step(actions)


def drawn(mask: np.ndarray, rng: np.random.Generator) -> int:
    """Return a random legal action."""
    legal = mask.nonzero()[0]
    return int(legal[int(rng.random() * len(legal))])


def bare(env: Counting, rng: np.random.Generator, seconds: float) -> float:
    """Return steps a second of the environment itself."""
    env.steps = 0
    observations, _ = env.reset(seed=1)
    started = time.process_time()
    while (spent := time.process_time() - started) < seconds:
        actions = {}
        for agent in env.agents:
            mask = observations[agent]["action_mask"]
            if 1 in mask.tobytes():
                actions[agent] = drawn(mask, rng)
        observations, *_ = env.step(actions)
        if not env.agents:
            observations, _ = env.reset()
    return env.steps / spent


def viewed(
    view: SingleAgentEnv, rng: np.random.Generator, seconds: float
) -> tuple[float, float]:
    """Return steps of the game and of the learner a second, through the view."""
    view.environment.steps = decisions = 0
    _, info = view.reset(seed=1)
    started = time.process_time()
    while (spent := time.process_time() - started) < seconds:
        _, _, ended, _, info = view.step(drawn(info["action_mask"], rng))
        decisions += 1
        if ended:
            _, info = view.reset()
    return view.environment.steps / spent, decisions / spent


def main() -> None:
    """Measure, and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--game", nargs="+", default=GAMES)
    parser.add_argument("--opponents", default="random")
    parser.add_argument("--seconds", type=float, default=4.0)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    found = {}
    for spec in options.game:
        game, model = make_model(spec)
        env = Counting(game, None, **model.variant)
        view = SingleAgentEnv(
            Counting(game, None, **model.variant), options.opponents, seat="random"
        )
        rng = np.random.default_rng(1)
        each = options.seconds / options.rounds / 2
        bare(env, rng, 0.1), viewed(view, rng, 0.1)  # compiled, and caches warm
        rounds = [
            (bare(env, rng, each), *viewed(view, rng, each))
            for _ in range(options.rounds)
        ]
        ratios = [through / directly for directly, through, _ in rounds]
        directly, through, decisions = map(statistics.median, zip(*rounds, strict=True))
        found[spec] = {
            "bare_steps": directly,
            "steps": through,
            "learner_steps": decisions,
            "ratio": statistics.median(ratios),
            "least_ratio": min(ratios),
            "greatest_ratio": max(ratios),
        }
        if not options.json:
            print(
                f"{spec:20} bare {directly:9,.0f} steps/s, with a learner "
                f"{through:9,.0f} ({decisions:,.0f} of its own): ratio "
                f"{statistics.median(ratios):.2f} "
                f"({min(ratios):.2f} to {max(ratios):.2f})"
            )
    if options.json:
        print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
