"""Simulations per second on copies of other people's environments, as ratios.

`MCTSAgent` against `naive_search`, the search that anybody would write first: with our
copies of the environment, and with `copy.deepcopy` where that is faithful. The same
rollout length and as many simulations; processor time, each measured several times in
turn, the medians compared. Environments whose packages are missing are left out, and
named. `--closed` measures nodes that hold states (`deterministic=True`) against the
open loop, at simulations that are as deep as `--depth` says.

    python benchmarks/copied_environments.py [--environment chess ...] [--json]
"""

import argparse
import copy
import importlib
import itertools
import json
import statistics
import time
import warnings
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
from naive_search import World, search, world_of

from mcts_agents import MCTSAgent
from mcts_agents.model.copying.cloning import Cloner
from mcts_agents.model.copying.comparing import first_difference

# Name: how it is made, the length of a rollout, simulations.
ENVIRONMENTS: dict[str, tuple[str, int, int]] = {
    "tictactoe": ("pettingzoo.classic.tictactoe_v3", 100, 1500),
    "connect_four": ("pettingzoo.classic.connect_four_v3", 100, 300),
    "chess": ("pettingzoo.classic.chess_v6", 10, 80),
    "go 9x9": ("pettingzoo.classic.go_v5", 20, 120),
    "leduc": ("pettingzoo.classic.leduc_holdem_v4", 100, 800),
    "FrozenLake": ("FrozenLake-v1", 100, 1500),
    "CartPole": ("CartPole-v1", 100, 1000),
    "Acrobot": ("Acrobot-v1", 100, 60),
    "MountainCar": ("MountainCar-v0", 100, 300),
    "Taxi": ("Taxi-v4", 100, 300),
    "CliffWalking": ("CliffWalking-v1", 100, 300),
    "Blackjack": ("Blackjack-v1", 100, 2000),
    "MiniGrid": ("MiniGrid-Empty-5x5-v0", 50, 60),
    "2048": ("gymnasium_2048/TwentyFortyEight-v0", 50, 60),
    "highway": ("highway-fast-v0", 5, 4),
}
# Actions of each decision where depth is measured.
WIDTH = 3
# Packages that register their environments when they are imported.
_REGISTERED_BY = {
    "MiniGrid": "minigrid",
    "2048": "gymnasium_2048",
    "highway": "highway_env",
}


def made(name: str) -> Any:
    """Return an environment after `reset`."""
    path = ENVIRONMENTS[name][0]
    if path.startswith("pettingzoo"):
        options = {"board_size": 9} if name.startswith("go") else {}
        env = importlib.import_module(path).env(**options)
    else:
        if name in _REGISTERED_BY:
            importlib.import_module(_REGISTERED_BY[name])
        env = gymnasium.make(path, disable_env_checker=True)
    env.reset(seed=1)
    return env


def seconds(call: Callable[[], Any]) -> float:
    """Return the processor time of a call."""
    started = time.process_time()
    call()
    return time.process_time() - started


def medians(calls: dict[str, Callable[[], Any]], repeats: int) -> dict[str, float]:
    """Return the median time of each of several calls, made in turn."""
    found: dict[str, list[float]] = {name: [] for name in calls}
    for call in calls.values():
        call()  # what is compiled and learned once
    for _ in range(repeats):
        for name, call in calls.items():
            found[name].append(seconds(call))
    return {name: statistics.median(times) for name, times in found.items()}


def deep_copies_are_faithful(root: World) -> bool:
    """Whether `copy.deepcopy` gives the same situation, and goes on on its own."""
    try:
        twin = copy.deepcopy(root.env)
        if first_difference(root.env, twin):
            return False
        before = Cloner().clone(root.env)
        World(twin, dict(root.returns)).step(root.legal()[0])
        return first_difference(root.env, before) is None
    except Exception:  # whatever a class of somebody else raises when it is copied
        return False


def measured(name: str, repeats: int) -> dict[str, Any]:
    """Return simulations per second of each search, and the ratios."""
    _, rollout, simulations = ENVIRONMENTS[name]
    env = made(name)
    root = world_of(env)
    dice = np.random.default_rng(0)
    agent = MCTSAgent(
        simulations=simulations, rollout=rollout, perfect_information=True, seed=0
    )

    # Steps may take longer in some parts of an environment than in others.
    seeds = itertools.count()

    def naive(copied: Callable[[Any], Any]) -> Callable[[], int]:
        return lambda: search(root, copied, simulations, rollout, next(seeds))

    calls: dict[str, Callable[[], Any]] = {
        "ours": lambda: agent.plan(env),
        "naive": naive(lambda world: Cloner(dice).clone(world)),
    }
    if deep_copies_are_faithful(root):
        calls["deepcopy"] = naive(copy.deepcopy)
    found = medians(calls, repeats)
    row: dict[str, Any] = {"environment": name, "rollout": rollout}
    for search_name, spent in found.items():
        row[f"{search_name}_per_second"] = round(simulations / spent, 1)
    for other in ("naive", "deepcopy"):
        if other in found:
            row[f"to_{other}"] = round(found[other] / found["ours"], 2)
    return row


def closed(name: str, depth: int, repeats: int) -> dict[str, Any]:
    """Return what nodes that hold states save, in simulations per second.

    Three actions a decision and no rollouts: so many simulations that each node down to
    the given depth is met once; most iterations end at that depth.
    """
    env = made(name)
    simulations = sum(WIDTH**level for level in range(1, depth + 1))
    calls, steps = {}, {}
    for loop in ("open", "closed"):
        agent = MCTSAgent(
            simulations=simulations,
            perfect_information=True,
            deterministic=True,
            loop=loop,
            rollout=0,
            exploration=1000.0,
            action_heuristic=lambda model, state, player, actions: 0.0 * actions,
            action_heuristic_interval=10**6,
            widening=WIDTH,
            widening_exponent=1e-9,
            value=lambda model, state: np.zeros(model.players),
            seed=0,
        )
        calls[loop] = lambda agent=agent: agent.plan(env)
        steps[loop] = agent.plan(env).forward_model_calls
    found = medians(calls, repeats)
    row = {"environment": name, "depth": depth}
    row |= {f"{k}_steps": round(v / simulations, 2) for k, v in steps.items()}
    row |= {f"{k}_per_second": round(simulations / v, 1) for k, v in found.items()}
    return row | {"closed_to_open": round(found["open"] / found["closed"], 2)}


def main() -> None:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--environment", nargs="*", choices=list(ENVIRONMENTS))
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--closed", action="store_true")
    parser.add_argument("--depth", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    warnings.filterwarnings("ignore")
    for name in asked.environment or ENVIRONMENTS:
        try:
            if asked.closed:
                row = closed(name, asked.depth, asked.repeats)
            else:
                row = measured(name, asked.repeats)
        except (ImportError, gymnasium.error.Error) as error:
            row = {"environment": name, "missing": str(error).splitlines()[0]}
        if asked.json:
            print(json.dumps(row), flush=True)
        else:
            print("  ".join(f"{k}={v}" for k, v in row.items()), flush=True)


if __name__ == "__main__":
    main()
