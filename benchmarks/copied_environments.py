"""Simulations per second on copies of other people's environments, as ratios.

`MCTSAgent` against `naive_search`, the search that anybody would write first: with our
copies of the environment, and with `copy.deepcopy` where that is faithful. The same
rollout length and as many simulations; simulations per second of processor time, two
measured at the same time on one core (`side_by_side.py`), and the median of the ratios
of some rounds. `deepcopy_limit` is the ratio to `copy.deepcopy` of a search that takes
no time but the naive search's in steps of the environment. `ours_steps` and
`naive_steps` are steps of the environment in a simulation: trees of the two may have
other depths.
`--rollout` sets the length for all environments. Environments whose packages are
missing are left out, and named. `--suite` does the same in all that
`environments_of_others.py` plans in and the naive search can step; `--only` gives parts
of their names.
`--closed` measures what `deterministic=True` saves, where a simulation takes `--depth`
steps on the average, after `--opening` random actions.

    python benchmarks/copied_environments.py [--environment chess ...] [--json]
    python benchmarks/copied_environments.py --suite [--rollout 0]
    python benchmarks/copied_environments.py --closed --environment chess
"""

import argparse
import copy
import importlib
import itertools
import json
import random
import statistics
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any
from unittest import mock

import gymnasium
import numpy as np
from naive_search import EXPLORATION, World, search, world_of
from others.cases import cases
from pettingzoo import ParallelEnv
from side_by_side import rates, ratio

from mcts_agents import MCTSAgent
from mcts_agents.model.copying.cloning import Cloner
from mcts_agents.model.copying.comparing import first_difference

# Name: how it is made, and the length of a rollout.
ENVIRONMENTS: dict[str, tuple[str, int]] = {
    "tictactoe": ("pettingzoo.classic.tictactoe_v3", 100),
    "connect_four": ("pettingzoo.classic.connect_four_v3", 100),
    "chess": ("pettingzoo.classic.chess_v6", 10),
    "go 9x9": ("pettingzoo.classic.go_v5", 20),
    "leduc": ("pettingzoo.classic.leduc_holdem_v4", 100),
    "FrozenLake": ("FrozenLake-v1", 100),
    "CartPole": ("CartPole-v1", 100),
    "Acrobot": ("Acrobot-v1", 100),
    "MountainCar": ("MountainCar-v0", 100),
    "Taxi": ("Taxi-v4", 100),
    "CliffWalking": ("CliffWalking-v1", 100),
    "Blackjack": ("Blackjack-v1", 100),
    "MiniGrid": ("MiniGrid-Empty-5x5-v0", 50),
    "2048": ("gymnasium_2048/TwentyFortyEight-v0", 50),
    "highway": ("highway-fast-v0", 5),
}
# Actions of each decision where depth is measured.
WIDTH = 3
# Searches of ours before all others: the first ones in an environment also look for
# hidden state.
FIRST_SEARCHES = 10
# What a search takes, about. A plan takes 2 to 5 ms beside its simulations.
SEARCH_SECONDS = 1.0
# Actions of a rollout in environments of the suite, as `environments_of_others.py` has.
_SUITE_ROLLOUT = 10
# Ratios whose median and least are printed in the end.
_SUMMED_UP = {"to_naive", "to_deepcopy", "deepcopy_limit", "closed_to_unknown"}
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


def inside(call: Callable[[], Any]) -> tuple[float, int]:
    """Return what share of a naive search its environment takes, and the steps."""
    spent, steps = 0.0, 0

    def timed(method: Callable[..., Any]) -> Callable[..., Any]:
        def ask(*arguments: Any) -> Any:
            nonlocal spent, steps
            steps += len(arguments) > 1
            began = time.perf_counter()
            try:
                return method(*arguments)
            finally:
                spent += time.perf_counter() - began

        return ask

    with mock.patch.multiple(World, step=timed(World.step), legal=timed(World.legal)):
        began = time.perf_counter()
        call()
        return spent / (time.perf_counter() - began), steps


def copied_by_us(dice: np.random.Generator | None) -> Callable[[Any], Any]:
    """Return a function that copies as our searches do, each copy with new dice."""
    return lambda env: Cloner(dice).clone(env)


def simulations_in(root: World, copied: Callable[[Any], Any], rollout: int) -> int:
    """Return how many simulations a naive search makes in `SEARCH_SECONDS`, about."""
    for _ in range(2):  # the first one learns how parts are copied
        started = time.process_time()
        search(root, copied, 10, rollout)
        spent = time.process_time() - started
    return max(4, int(10 * SEARCH_SECONDS / spent))


def measured(
    name: str, env: Any, rollout: int, seconds: float, rounds: int
) -> dict[str, Any]:
    """Return simulations per second of each search, and the ratios."""
    root = world_of(env)
    row: dict[str, Any] = {"environment": name, "rollout": rollout}
    copiers = {"naive": copied_by_us(np.random.default_rng(0))}
    if deep_copies_are_faithful(root):
        copiers["deepcopy"] = copy.deepcopy
    # One after the other: a search that copies a thousand times as much as another one
    # leaves nothing of that one's in the processor's caches.
    for other, copied in copiers.items():
        simulations = simulations_in(root, copied, rollout)
        agent = MCTSAgent(
            simulations=simulations,
            rollout=rollout,
            exploration=EXPLORATION,
            perfect_information=True,
            seed=0,
        )
        # Steps may take longer in some parts of an environment than in others.
        seeds = itertools.count()
        calls: dict[str, Callable[[], Any]] = {
            "ours": lambda agent=agent: agent.plan(env),
            other: lambda copied=copied, simulations=simulations, seeds=seeds: search(
                root, copied, simulations, rollout, next(seeds)
            ),
        }
        for _ in range(FIRST_SEARCHES):
            calls["ours"]()
        for call in calls.values():
            call()  # what is compiled and learned once
        found = rates(calls, seconds, rounds)
        for search_name in (other,) if other == "deepcopy" else calls:
            middle = statistics.median(found[search_name])
            row[f"{search_name}_per_second"] = round(simulations * middle, 1)
        ratios = ratio(found, "ours", other)
        row[f"to_{other}"] = round(statistics.median(ratios), 2)
        row[f"to_{other}_rounds"] = [round(value, 2) for value in ratios]
        share, steps = inside(calls[other])
        if other == "deepcopy":
            row["deepcopy_limit"] = round(1 / share, 2)
        else:
            made = agent.plan(env).forward_model_calls
            row["ours_steps"] = round(made / simulations, 2)
            row["naive_steps"] = round(steps / simulations, 2)
    return row


def of_the_suite(
    only: list[str], rollout: int, seconds: float, rounds: int
) -> Iterator[dict[str, Any]]:
    """Yield rows of the environments that `environments_of_others.py` plans in.

    Those that the naive search can step: in turn, or with one agent; numbers as
    actions, and masks, if any, in observations.
    """
    for case in cases():
        if not any(part in case.name for part in only):
            continue
        row = {"environment": case.name}
        try:
            env = case.make()
            env.reset(seed=1)
            if case.options or isinstance(env, ParallelEnv):
                raise ValueError("the naive search cannot step it")
            yield measured(case.name, env, rollout, seconds, rounds)
        except Exception as error:  # what it says is the row
            yield row | {"left_out": f"{type(error).__name__}: {error}".splitlines()[0]}


# What is known of an environment, and what is done with it: nothing, so that legal
# actions are asked for at each visit; that a path leads to one situation; and that its
# nodes may then hold states.
KNOWN: dict[str, dict[str, Any]] = {
    "unknown": {},
    "open": {"deterministic": True, "loop": "open"},
    "closed": {"deterministic": True},
}


def closed(
    name: str, depth: float, opening: int, seconds: float, rounds: int
) -> dict[str, Any]:
    """Return what `deterministic=True` saves, in simulations per second.

    Three actions a decision and no rollouts: so many simulations that one of them takes
    `depth` steps on the average where nothing is known of the environment.
    """
    env = made(name)
    world, dice = world_of(env), random.Random(1)
    for _ in range(opening):
        world.step(dice.choice(world.legal()))
    simulations = 100
    while _steps(_knowing("unknown", simulations), env) < depth * simulations:
        simulations += simulations // 5
    agents = {known: _knowing(known, simulations) for known in KNOWN}
    row: dict[str, Any] = {"environment": name, "simulations": simulations}
    for known, agent in agents.items():
        row[f"{known}_steps"] = round(_steps(agent, env) / simulations, 2)
    calls = {known: lambda a=agent: a.plan(env) for known, agent in agents.items()}
    for call in calls.values():
        call()
    found = rates(calls, seconds, rounds)
    for known, searches in found.items():
        row[f"{known}_per_second"] = round(simulations * statistics.median(searches), 1)
    for other in ("unknown", "open"):
        middle = statistics.median(ratio(found, "closed", other))
        row[f"closed_to_{other}"] = round(middle, 2)
    return row


def _steps(agent: MCTSAgent, env: Any) -> int:
    return agent.plan(env).forward_model_calls


def _knowing(known: str, simulations: int) -> MCTSAgent:
    """Return an agent that tries `WIDTH` actions a decision, all alike often."""
    # An open loop would ask for the same worths again and again; a closed one does not.
    once = {} if known == "closed" else {"action_heuristic_interval": 10**6}
    return MCTSAgent(
        simulations=simulations,
        perfect_information=True,
        rollout=0,
        exploration=1000.0,
        action_heuristic=lambda model, state, player, actions: 0.0 * actions,
        widening=WIDTH,
        widening_exponent=1e-9,
        value=lambda model, state: np.zeros(model.players),
        seed=0,
        **once,
        **KNOWN[known],
    )


def rows(asked: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Yield a row for each environment."""
    time_of_each = (asked.seconds, asked.rounds)
    if asked.suite:
        rollout = _SUITE_ROLLOUT if asked.rollout is None else asked.rollout
        yield from of_the_suite(asked.only, rollout, *time_of_each)
        return
    for name in asked.environment or ENVIRONMENTS:
        try:
            if asked.closed:
                yield closed(name, asked.depth, asked.opening, *time_of_each)
            else:
                _, rollout = ENVIRONMENTS[name]
                rollout = rollout if asked.rollout is None else asked.rollout
                yield measured(name, made(name), rollout, *time_of_each)
        except (ImportError, gymnasium.error.Error) as error:
            yield {"environment": name, "missing": str(error).splitlines()[0]}


def main() -> None:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--environment", nargs="*", choices=list(ENVIRONMENTS))
    parser.add_argument("--seconds", type=float, default=6.0)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--rollout", type=int)
    parser.add_argument("--suite", action="store_true")
    parser.add_argument("--only", nargs="*", default=[""])
    parser.add_argument("--closed", action="store_true")
    parser.add_argument("--depth", type=float, default=5.0)
    parser.add_argument("--opening", type=int, default=0)
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    warnings.filterwarnings("ignore")
    found: dict[str, list[float]] = {}
    for row in rows(asked):
        if asked.json:
            print(json.dumps(row), flush=True)
        else:
            print("  ".join(f"{k}={v}" for k, v in row.items()), flush=True)
        for name in row.keys() & _SUMMED_UP:
            found.setdefault(name, []).append(row[name])
    if not asked.json:
        for name, values in found.items():
            middle = statistics.median(values)
            print(f"{name}: median of {len(values)} {middle:.2f}, least {min(values)}")


if __name__ == "__main__":
    main()
