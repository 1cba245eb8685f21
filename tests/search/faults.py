"""Plans that are interrupted, or fail, at one place after another.

A place is a line of this package's Python code that a plan runs through: allocations,
growth of arrays, the loop of slices, callbacks out of compiled code, copies of an
environment, what follows the search. At each of them one plan is ended, by Ctrl-C (the
handler of the signal is called there, as Python would) or by a MemoryError. The same
agent then plans again, and must find what a new agent finds with the same generator.

    python -m tests.search.faults [--places 2100] [--only TEXT]

runs through the number of places that is asked for, an equal share in each
configuration. Set `NUMBA_BOUNDSCHECK=1`, with a `NUMBA_CACHE_DIR` of its own, to check
all indices of compiled code meanwhile.
"""

import argparse
import copy
import signal
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

import mcts_agents
from mcts_agents import MCTSAgent, OneStepAgent
from mcts_agents.envs import hex as hex_game
from mcts_agents.envs import tictactoe
from mcts_agents.search.driver import memory
from mcts_agents.search.kernel import abstraction
from tests.model.third_party import Countdown

_PACKAGE = Path(mcts_agents.__file__).parent
_TRACED = tuple(str(_PACKAGE / part) for part in ("search", "agents", "model"))
# What only compiles, or writes what is compiled.
_LEFT_OUT = ("compilation.py", "compiled.py")
# So small that every search grows all of its arrays.
SMALL = {"FIRST_NODES": 2, "FIRST_EDGES": 16, "FIRST_JOINTS": 2}
SMALL_POOLS = 2


def value(model, state):
    """Value a position by what has been scored."""
    return [0.25 + 0.5 * score for score in model.scores(state)]


def evaluator(observations, players, legal):
    """Answer a batch by numbers that depend on what is seen."""
    seen = observations.reshape(len(observations), -1).astype(float)
    share = (np.abs(seen).sum(axis=1) % 7) / 7
    return np.stack([share, 1 - share], axis=1), np.zeros(legal.shape)


@dataclass
class Configuration:
    """One kind of search.

    Attributes:
        name: What is special about it.
        env: Makes the environment.
        settings: Of the agent.
        policy: Makes an agent for `rollout_policy`, if there is one.
        before: Actions played before the plan; after an earlier plan of the same
            agent, so that a tree can be reused.
    """

    name: str
    env: Callable[[], Any]
    settings: dict[str, Any]
    policy: Callable[[], Any] | None = None
    before: tuple[int, ...] = ()
    envs: list[Any] = field(default_factory=list)

    @property
    def threaded(self) -> bool:
        """Whether plans run in threads of their own."""
        return self.settings.get("threads", 1) > 1

    def set_up(self) -> None:
        """Make the positions: the opening, and the one after `before`."""
        env = self.env()
        env.reset(seed=3)
        self.envs = [env]
        if self.before:
            later = copy.deepcopy(env)
            for action in self.before:
                later.step(action)
            self.envs.append(later)

    def agent(self) -> MCTSAgent:
        """Return a new agent."""
        made = {} if self.policy is None else {"rollout_policy": self.policy()}
        return MCTSAgent(seed=1, perfect_information=True, **self.settings, **made)

    def lead_up(self, agent: MCTSAgent) -> None:
        """Let an agent make its earlier plans."""
        for env in self.envs[:-1]:
            agent.plan(env)


CONFIGURATIONS = [
    Configuration("open loop, solver", tictactoe.env, {"simulations": 150}),
    Configuration("several trees", hex_game.env, {"simulations": 40, "tree": "multi"}),
    Configuration("closed loop", tictactoe.env, {"simulations": 150, "loop": "closed"}),
    Configuration(
        "tree reuse",
        tictactoe.env,
        {"simulations": 150, "reuse_tree": True},
        before=(4, 0),
    ),
    Configuration(
        "evaluator",
        tictactoe.env,
        {
            "simulations": 60,
            "tree_policy": "alphago",
            "evaluator": evaluator,
            "batch": 4,
        },
    ),
    Configuration(
        "callbacks",
        tictactoe.env,
        {
            "simulations": 12,
            "value": value,
            "mast": "both",
            "opponent_model": "mast",
        },
        policy=lambda: MCTSAgent(simulations=3, seed=2),
    ),
    Configuration(
        "copied environment",
        lambda: Countdown(players=2, start=5),
        {"simulations": 6},
        policy=lambda: OneStepAgent(samples=1, seed=2),
    ),
    Configuration("two threads", hex_game.env, {"simulations": 200, "threads": 2}),
    Configuration(
        "abstraction",
        tictactoe.env,
        {"simulations": 150, "abstraction": "own", "backup": "lambda"},
    ),
]


class Places:
    """Counts the lines that a plan runs through, and raises something at one of them.

    Args:
        at: The number of the place, from 0; None only counts.
        threads: Whether threads that the plan starts are followed, too.
    """

    def __init__(self, at: int | None = None, threads: bool = False):
        self.at, self.threads = at, threads
        self.count = 0
        self.where = ""
        self._lock = threading.Lock()

    def __enter__(self):
        if self.threads:
            threading.settrace(self._trace)
        sys.settrace(self._trace)
        return self

    def __exit__(self, *_):
        sys.settrace(None)
        threading.settrace(None)

    def _trace(self, frame, event, argument):
        file = frame.f_code.co_filename
        if not file.startswith(_TRACED) or file.endswith(_LEFT_OUT):
            return None
        if event == "line":
            with self._lock:
                here, self.count = self.count, self.count + 1
            if here == self.at and not self._enters_a_lock(frame):
                self.where = f"{file}:{frame.f_lineno}"
                self._fail(frame)
        return self._trace

    @staticmethod
    def _enters_a_lock(frame) -> bool:
        """Whether a lock's block is entered or left, where no signal is handled."""
        lines = Path(frame.f_code.co_filename).read_text().splitlines()
        return lines[frame.f_lineno - 1].strip() == "with self._lock:"

    def _fail(self, frame) -> None:
        main = threading.current_thread() is threading.main_thread()
        # Where compiled code calls Python, before anything is caught, a signal can
        # come; nothing is allocated there.
        callback = frame.f_code.co_name == "guarded"
        if main and (callback or self.at % 2 == 0):
            signal.getsignal(signal.SIGINT)(signal.SIGINT, frame)
            return
        raise MemoryError(f"at {self.where}")


def found_by(agent: MCTSAgent, env: Any) -> tuple[Any, ...]:
    """Let an agent plan; return all that must be the same."""
    result = agent.plan(env)
    return (
        result.action,
        result.visits.tolist(),
        [repr(v) for v in result.values.tolist()],
        result.simulations,
        result.forward_model_calls,
        result.nodes,
        agent._rng.tolist(),
    )


@dataclass
class Tally:
    """What happened at the places of one configuration."""

    places: int = 0
    raised: int = 0
    wrong: list[str] = field(default_factory=list)


def run(configuration: Configuration, most: int) -> Tally:
    """Interrupt plans at up to `most` places, evenly spread over all there are."""
    with (
        mock.patch.multiple(memory, **SMALL),
        mock.patch.object(abstraction, "FIRST_POOLS", SMALL_POOLS),
    ):
        return _run(configuration, most)


def _run(configuration: Configuration, most: int) -> Tally:
    configuration.set_up()
    env = configuration.envs[-1]
    tally = Tally()
    swallowed: list[Any] = []
    with mock.patch.object(sys, "unraisablehook", swallowed.append):
        # Most in first plans, which set everything up and grow; some in later ones.
        for used, share in ((False, 0.75), (True, 0.25)):
            places = round(most * share)
            total = count(configuration, used)
            step = max(1.0, total / places)
            for number in range(min(places, total)):
                interrupt(configuration, env, used, number, int(number * step), tally)
    tally.wrong += [f"lost in {one.object!r}: {one.exc_value!r}" for one in swallowed]
    return tally


def ready(configuration: Configuration, used: bool, seed: int) -> MCTSAgent:
    """Return an agent that is about to make the plan that is interrupted."""
    agent = configuration.agent()
    if used:
        agent.plan(configuration.envs[-1])
    agent.reset(seed)
    configuration.lead_up(agent)
    return agent


def count(configuration: Configuration, used: bool) -> int:
    """Return the number of places in a plan."""
    env = configuration.envs[-1]
    ready(configuration, used, 0).plan(env)  # compiled, loaded
    agent = ready(configuration, used, 0)
    with Places(threads=configuration.threaded) as places:
        agent.plan(env)
    return places.count


def interrupt(
    configuration: Configuration, env: Any, used: bool, seed: int, at: int, tally: Tally
) -> None:
    """Interrupt a plan at one place, and note what the agent does afterwards."""
    agent = ready(configuration, used, seed)
    with Places(at, configuration.threaded) as places:
        try:
            agent.plan(env)
        except (KeyboardInterrupt, MemoryError):
            tally.raised += 1
    if not places.where:  # as many slices as time allows, so sometimes fewer
        return
    tally.places += 1
    wrong = differs(configuration, agent, env, seed)
    if wrong:
        tally.wrong.append(f"{places.where} (place {at}): {wrong}")


def differs(configuration: Configuration, agent: MCTSAgent, env: Any, seed: int) -> str:
    """Say how the agent's next plan differs from a new agent's, if it does."""
    generator = agent._rng.copy()
    try:
        found = found_by(agent, env)
    except Exception as error:
        return f"the next plan fails: {error!r}"
    fresh = configuration.agent()
    fresh._rng[:] = generator
    expected = [found_by(fresh, env)]
    if len(configuration.envs) > 1:
        # If the fault came before anything had changed the tree is there still.
        fresh = ready(configuration, False, seed)
        fresh._rng[:] = generator
        expected.append(found_by(fresh, env))
    return "" if found in expected else f"the next plan is another one: {found}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--places", type=int, default=2100)
    parser.add_argument("--only", default="", help="part of a configuration's name")
    arguments = parser.parse_args()
    # What a shell runs in the background ignores Ctrl-C.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    chosen = [c for c in CONFIGURATIONS if arguments.only in c.name]
    total = Tally()
    for configuration in chosen:
        started = time.perf_counter()
        tally = run(configuration, -(-arguments.places // len(chosen)))
        seconds = time.perf_counter() - started
        print(
            f"{configuration.name:22s}{tally.places:6d} places,{tally.raised:6d} ended "
            f"by an exception,{len(tally.wrong):4d} wrong afterwards, {seconds:.0f} s",
            flush=True,
        )
        for wrong in tally.wrong[:10]:
            print(f"    {wrong}", flush=True)
        total.places += tally.places
        total.raised += tally.raised
        total.wrong += tally.wrong
    print(f"{total.places} places, {total.raised} raised, {len(total.wrong)} wrong")
    return bool(total.wrong)


if __name__ == "__main__":
    sys.exit(main())
