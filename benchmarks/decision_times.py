"""How well a budget in seconds is kept: percentiles of decision times.

One agent plays every seat until 500 decisions with a choice were made; the whole `act`
is timed. After every other decision an empty wait of the same length shows the
machine's own jitter, and each step of the live environment is timed.

    python benchmarks/decision_times.py [--seconds 0.05] [--decisions 500] [--only TEXT]

The budget holds where the 99th percentile of `act`, less what the empty waits took too
long at the same percentile, is below the budget plus 3 ms in the games of this package,
and below the budget plus one step (its 99th percentile) in environments of others.
Environments that are not installed are left out, and named.
"""

import argparse
import importlib
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import gymnasium
import numpy as np

from mcts_agents import MCTSAgent, OneStepAgent
from mcts_agents.envs import GAMES, load_game

PLAYERS = {"sushi_go": 4, "chinese_checkers": 3}
# Seconds by which a decision in a game of this package may be late.
GRACE = 0.003


@dataclass
class Case:
    """An environment, and who plays the rollouts of the searches in it."""

    name: str
    make: Callable[[], Any]
    ours: bool = False
    rollout_policy: Callable[[], Any] | None = None

    def played_by(self, words: str, agent: Callable[[], Any]) -> "Case":
        """Return the same environment with an agent that plays the rollouts."""
        return Case(f"{self.name}, {words}", self.make, self.ours, agent)


def game(name: str) -> Case:
    """Return a game of this package."""
    module = importlib.import_module(f"mcts_agents.envs.{name}")
    variant = {"players": PLAYERS[name]} if name in PLAYERS else {}
    return Case(load_game(name).title, lambda: module.env(**variant), ours=True)


def gymnasium_case(name: str) -> Case:
    """Return a Gymnasium environment."""
    return Case(name, lambda: gymnasium.make(name))


def pettingzoo_case(name: str) -> Case:
    """Return an environment of PettingZoo's classic games."""
    module = importlib.import_module(f"pettingzoo.classic.{name}")
    return Case(f"PettingZoo {name}", module.env)


def one_step() -> OneStepAgent:
    return OneStepAgent(samples=3, seed=1)


def nested() -> MCTSAgent:
    return MCTSAgent(simulations=50, seed=1, perfect_information=True)


def cases() -> Iterator[Case]:
    """Yield all that is measured."""
    ours = {name: game(name) for name in GAMES}
    yield from ours.values()
    theirs = {}
    for make, name in (
        (gymnasium_case, "Acrobot-v1"),
        (gymnasium_case, "MountainCar-v0"),
        (pettingzoo_case, "connect_four_v3"),
        (pettingzoo_case, "chess_v6"),
    ):
        try:
            case = make(name)
            case.make().close()
        except (ImportError, gymnasium.error.Error) as error:
            print(f"{name} is left out: {error}")
            continue
        theirs[name] = case
    yield from theirs.values()
    for case in (ours["hex"], ours["sushi_go"], *theirs.values()):
        yield case.played_by("one-step rollouts", one_step)
        yield case.played_by("nested rollouts", nested)


def empty_wait(seconds: float) -> float:
    """Wait by looking at the clock; return how long it took."""
    started = time.perf_counter()
    while time.perf_counter() - started < seconds:
        pass
    return time.perf_counter() - started


class Times:
    """Seconds of decisions, of empty waits and of the live environment's steps."""

    def __init__(self, case: Case, seconds: float, decisions: int):
        self.seconds, self.decisions = seconds, decisions
        self.acts: list[float] = []
        self.waits: list[float] = []
        self.steps: list[float] = []
        self.env = case.make()
        rollouts = case.rollout_policy and {"rollout_policy": case.rollout_policy()}
        self.agent = MCTSAgent(
            seconds=seconds, seed=0, perfect_information=True, **(rollouts or {})
        )
        play = play_alone if isinstance(self.env, gymnasium.Env) else play_in_turn
        seed = 0
        while not self.enough:
            play(self.env, seed, self)
            seed += 1
        self.env.close()

    @property
    def enough(self) -> bool:
        """Whether as many decisions were made as are wanted."""
        return len(self.acts) >= self.decisions

    def decide(self, choice: bool, counts: bool) -> int:
        """Return the agent's action; the first one compiles, and is not counted."""
        started = time.perf_counter()
        action = self.agent.act(self.env)
        spent = time.perf_counter() - started
        if choice and counts:
            self.acts.append(spent)
            if len(self.acts) % 2:
                self.waits.append(empty_wait(self.seconds))
        return action

    def step(self, action: int) -> Any:
        """Step the live environment, and note how long that takes."""
        started = time.perf_counter()
        answer = self.env.step(action)
        self.steps.append(time.perf_counter() - started)
        return answer


def play_in_turn(env: Any, seed: int, times: Times) -> None:
    """Play a game of an AEC environment."""
    env.reset(seed=seed)
    if seed == 0:
        times.decide(choice=True, counts=False)
    for _ in env.agent_iter():
        observation, _, termination, truncation, _ = env.last()
        if termination or truncation:
            env.step(None)
            continue
        times.step(times.decide(observation["action_mask"].sum() > 1, counts=True))
        if times.enough:
            return


def play_alone(env: Any, seed: int, times: Times) -> None:
    """Play an episode of a Gymnasium environment."""
    env.reset(seed=seed)
    if seed == 0:
        times.decide(choice=True, counts=False)
    over = False
    while not over and not times.enough:
        _, _, terminated, truncated, _ = times.step(
            times.decide(choice=True, counts=True)
        )
        over = terminated or truncated


def print_head(seconds: float) -> None:
    """Print what the columns of the table are."""
    print(f"milliseconds at a budget of {1000 * seconds:g}:")
    words = ("median", "p99", "most", "p99 wait", "p99 step", "allowed")
    print(" " * 40 + "".join(f"{word:>9s}" for word in words))


def line(case: Case, times: Times) -> tuple[str, bool]:
    """Return a line of the table, and whether the budget holds."""
    p50, p99, most = np.percentile(times.acts, [50, 99, 100])
    wait = np.percentile(times.waits, 99)
    step = np.percentile(times.steps, 99)
    allowed = times.seconds + (GRACE if case.ours else step)
    holds = p99 - (wait - times.seconds) < allowed
    numbers = (1000 * x for x in (p50, p99, most, wait, step, allowed))
    cells = "".join(f"{number:9.2f}" for number in numbers)
    return f"{case.name:40.40s}{cells}  {'holds' if holds else 'FAILS'}", bool(holds)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=0.05)
    parser.add_argument("--decisions", type=int, default=500)
    parser.add_argument("--only", default="", help="part of the names to measure")
    arguments = parser.parse_args()
    print_head(arguments.seconds)
    held = []
    for case in cases():
        if arguments.only.lower() in case.name.lower():
            times = Times(case, arguments.seconds, arguments.decisions)
            text, holds = line(case, times)
            print(text, flush=True)
            held.append(holds)
    print(f"{sum(held)} of {len(held)} hold")


if __name__ == "__main__":
    main()
