"""Steps of whole parallel environments per second, with observations, on one core.

A step is one call of `step` with actions for all agents, those of random games that
were drawn before; it returns five dicts, with an observation and a mask for each agent.
The time is that of the processor, since machines are shared; resets are counted apart.

    python benchmarks/environment_steps.py [--game pommerman ...] [--json]
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


def recorded_games(env: GameParallelEnv, steps: int) -> list[list[dict[str, int]]]:
    """Play random games; return their joint actions. Seed n begins game n."""
    rng = np.random.default_rng(1)
    games: list[list[dict[str, int]]] = []
    while sum(map(len, games)) < steps:
        observations, _ = env.reset(seed=len(games))
        games.append([])
        while env.agents:
            joint_action = {}
            for agent in env.agents:
                legal = observations[agent]["action_mask"].nonzero()[0]
                if len(legal):
                    joint_action[agent] = int(rng.choice(legal))
            games[-1].append(joint_action)
            observations, *_ = env.step(joint_action)
    return games


def steps_per_second(
    env: GameParallelEnv, games: list[list[dict[str, int]]]
) -> dict[str, float]:
    """Play recorded games again; return steps a second without and with resets."""
    resets = spent = 0.0
    for seed, joint_actions in enumerate(games):
        started = time.process_time()
        env.reset(seed=seed)
        begun = time.process_time()
        for joint_action in joint_actions:
            env.step(joint_action)
        spent += time.process_time() - begun
        resets += begun - started
    steps = sum(map(len, games))
    return {"steps": steps / spent, "steps_with_resets": steps / (spent + resets)}


def main() -> None:
    """Measure, and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--game", nargs="+", default=GAMES)
    parser.add_argument("--steps", type=int, default=5000)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    found = {}
    for spec in options.game:
        game, model = make_model(spec)
        env = GameParallelEnv(game, None, **model.variant)
        games = recorded_games(env, options.steps)
        runs = [steps_per_second(env, games) for _ in range(options.repeats)]
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
