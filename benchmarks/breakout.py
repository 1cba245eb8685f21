"""Breakout (ale-py) planned by snapshots of the emulator, against random play.

Needs ale-py. The score after so many decisions, and what a decision takes:

    python benchmarks/breakout.py [--decisions 300] [--simulations 40] [--rollout 40]
"""

import argparse
import time

import ale_py
import gymnasium
import numpy as np

from mcts_agents import MCTSAgent, RandomAgent


def score(agent, seed, decisions, every=None):
    """Return the points of one game within so many decisions, and seconds of each.

    Tells how it goes after each `every` decisions.
    """
    env = gymnasium.make("ALE/Breakout-v5", obs_type="ram")
    env.reset(seed=seed)
    points, seconds = 0.0, []
    for decision in range(decisions):
        if every and decision and decision % every == 0:
            print(f"  {points:.0f} points after {decision} decisions", flush=True)
        started = time.perf_counter()
        action = agent.act(env)
        seconds.append(time.perf_counter() - started)
        _, reward, terminated, truncated, _ = env.step(action)
        points += reward
        if terminated or truncated:
            break
    env.close()
    return points, seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--decisions", type=int, default=300)
    parser.add_argument("--simulations", type=int, default=40)
    parser.add_argument("--rollout", type=int, default=40)
    parser.add_argument("--games", type=int, default=1)
    parser.add_argument("--random-games", type=int, default=20)
    arguments = parser.parse_args()
    gymnasium.register_envs(ale_py)
    random = [
        score(RandomAgent(seed=seed), seed, arguments.decisions)[0]
        for seed in range(arguments.random_games)
    ]
    print(f"random: {np.mean(random):.2f} points in the mean of {len(random)} games")
    for seed in range(arguments.games):
        agent = MCTSAgent(
            simulations=arguments.simulations,
            rollout=arguments.rollout,
            perfect_information=True,
            seed=seed,
        )
        points, seconds = score(agent, seed, arguments.decisions, every=50)
        print(
            f"planned, seed {seed}: {points:.0f} points in {len(seconds)} decisions of "
            f"{np.median(seconds):.2f} s",
            flush=True,
        )


if __name__ == "__main__":
    main()
