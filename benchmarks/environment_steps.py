"""Steps of whole parallel environments per second, with observations, on one core.

A step is one call of `step` with random actions for all agents; it returns five dicts,
with an observation and a mask for each agent. The time is that of the processor, since
machines are shared; resets are counted apart.

    python benchmarks/environment_steps.py [--game pommerman ...] [--seconds 2] [--json]
"""

import argparse
import json
import statistics
import time

import numpy as np

from mcts_agents.envs import make_model
from mcts_agents.envs.environment import GameParallelEnv

GAMES = (
    "pommerman",
    "pommerman:mode=team,fog=true",
    "pommerman:mode=radio",
    "tictactoe",
    "sushi_go",
)
MOVES = 4096


def steps_per_second(spec: str, seconds: float) -> dict[str, float]:
    """Play random games; return steps a second without and with resets."""
    game, model = make_model(spec)
    env = GameParallelEnv(game, None, **model.variant)
    rng = np.random.default_rng(1)
    drawn = rng.random((MOVES, model.players))
    observations, _ = env.reset(seed=1)
    steps = spent = resets = 0
    started = time.process_time()
    while time.process_time() - started < seconds:
        joint_actions = []
        share = drawn[steps % MOVES]
        for agent, share_of in zip(env.agents, share, strict=False):
            legal = observations[agent]["action_mask"].nonzero()[0]
            if len(legal):
                joint_actions.append((agent, int(legal[int(share_of * len(legal))])))
        before = time.process_time()
        observations, *_ = env.step(dict(joint_actions))
        after = time.process_time()
        spent += after - before
        steps += 1
        if not env.agents:
            observations, _ = env.reset()
            resets += time.process_time() - after
    return {"steps": steps / spent, "steps_with_resets": steps / (spent + resets)}


def main() -> None:
    """Measure, and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--game", nargs="+", default=GAMES)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    found = {}
    for spec in options.game:
        steps_per_second(spec, 0.2)  # compiled, and caches warm
        runs = [
            steps_per_second(spec, options.seconds / options.repeats)
            for _ in range(options.repeats)
        ]
        found[spec] = {
            name: statistics.median(run[name] for run in runs) for name in runs[0]
        }
        if not options.json:
            figures = found[spec]
            print(
                f"{spec:32} {figures['steps']:10,.0f} steps/s, "
                f"{figures['steps_with_resets']:10,.0f} with resets"
            )
    if options.json:
        print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
