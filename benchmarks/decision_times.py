"""How well a budget in seconds is kept: percentiles of decision times, game by game.

Each game is played by one agent with a budget of 40 ms until 1,000 decisions with a
choice were made; the whole `act` is timed. Between decisions an empty wait of the same
length shows the machine's own jitter.

    python benchmarks/decision_times.py [--seconds 0.04] [--decisions 1000]
"""

import argparse
import time

import numpy as np

from mcts_agents import MCTSAgent
from mcts_agents.envs import GAMES, load_game

PLAYERS = {"sushi_go": 4, "chinese_checkers": 3}


def empty_wait(seconds):
    """Wait by looking at the clock; return how long it took."""
    started = time.perf_counter()
    while time.perf_counter() - started < seconds:
        pass
    return time.perf_counter() - started


def measure(name, seconds, decisions):
    """Return the seconds of each decision and of each empty wait."""
    variant = {"players": PLAYERS[name]} if name in PLAYERS else {}
    module = __import__(f"mcts_agents.envs.{name}", fromlist=["env"])
    env = module.env(**variant)
    agent = MCTSAgent(seconds=seconds, seed=0)
    times, waits, seed = [], [], 0
    env.reset(seed=seed)
    agent.act(env)  # compiled, loaded
    while len(times) < decisions:
        seed += 1
        env.reset(seed=seed)
        for agent_name in env.agent_iter():
            observation, _, termination, truncation, _ = env.last()
            if termination or truncation:
                env.step(None)
                continue
            started = time.perf_counter()
            action = agent.act(env)
            spent = time.perf_counter() - started
            if observation["action_mask"].sum() > 1 and agent_name:
                times.append(spent)
                waits.append(empty_wait(seconds))
            env.step(action)
            if len(times) == decisions:
                break
    return np.array(times), np.array(waits)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=0.04)
    parser.add_argument("--decisions", type=int, default=1000)
    parser.add_argument("--game", action="append", choices=GAMES)
    arguments = parser.parse_args()
    print(f"milliseconds at a budget of {1000 * arguments.seconds:g}:")
    print(f"{'game':24s}{'median':>9s}{'p99':>9s}{'most':>9s}{'p99 of a wait':>16s}")
    for name in arguments.game or GAMES:
        times, waits = measure(name, arguments.seconds, arguments.decisions)
        median, p99 = 1000 * np.percentile(times, [50, 99])
        print(
            f"{load_game(name).title:24s}{median:9.2f}{p99:9.2f}"
            f"{1000 * times.max():9.2f}{1000 * np.percentile(waits, 99):16.2f}"
        )


if __name__ == "__main__":
    main()
