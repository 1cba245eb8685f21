"""One environment played without plans, and by its twin with plans, and compared.

The two play in processes of their own, from the same seeds by the same actions, so that
not even the classes and modules of an environment are shared. Whatever a plan changes
that matters shows as a difference between the twins, and what it changes at all in the
digest of the live environment.
"""

import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from itertools import zip_longest
from pathlib import Path
from typing import Any

import numpy as np

from mcts_agents import MCTSAgent
from mcts_agents.model.copying.copied import CopiedEnvironment
from others.cases import Case, cases
from others.digest import changes, digest, shown_digest
from others.episodes import Episode, episode

# So many steps are taken, in several episodes if these are short; plans are made before
# some of them.
STEPS = 24
PLANS_BEFORE = (1, 4, 12)
SEED = 7
# Simulations a second, copies and steps are measured over so many seconds.
MEASURED = 1.0
# Whether copies' dice differ is seen from so many of them, after so many steps.
FUTURES, AHEAD = 6, 8

# What a process has seen is in lines that begin with this; environments print, too.
LINE = "seen: "
PLANS, REFUSED, WRONG, MISSING = "plans", "refused", "WRONG", "not installed"


@dataclass
class Found:
    """What was found about one environment.

    Attributes:
        name: Its name.
        version: Its package and version.
        verdict: `PLANS`, `REFUSED`, `WRONG` or `MISSING`.
        why: What a refusal said, or what is wrong.
        simulations: Simulations a second, if it plans.
        copy: Seconds of a copy, if it plans.
        step: Seconds of a step of the live environment, if it can be made.
        notes: Warnings, and what plans changed in modules and classes without effect.
    """

    name: str
    version: str
    verdict: str
    why: str = ""
    simulations: float | None = None
    copy: float | None = None
    step: float | None = None
    notes: list[str] = field(default_factory=list)


def try_case(case: Case) -> Found:
    """Play an environment with and without plans, each in a process, and compare."""
    alone, planned = (in_process([case], plans)[0] for plans in (False, True))
    found = compare(case, alone, planned)
    if found.verdict == WRONG and alone["shown"] and planned["shown"]:
        again = in_process([case], False)[0]
        if again["shown"] != alone["shown"]:
            found.why = "does not reproduce an episode by its seed, without plans"
    return found


def in_process(
    tried: list[Case], plans: bool, measured: float = MEASURED
) -> list[dict[str, Any]]:
    """Play environments in a process of its own, which may crash or hang.

    Args:
        tried: The environments.
        plans: Whether to plan before some steps.
        measured: Seconds over which to measure simulations; see `MEASURED`.

    Returns:
        What `play` returns for each, or `crash`: what happened to the process.
    """
    names = [case.name for case in tried]
    command = [sys.executable, "-m", "others", *names, f"--measured={measured}"]
    folder = Path(__file__).parent.parent
    # The order of sets of texts is part of what an environment does.
    variables = {**os.environ, "PYTHONHASHSEED": "0", "SDL_VIDEODRIVER": "dummy"}
    crash = "ended without a word"
    try:
        done = subprocess.run(
            [*command, *(["--plans"] * plans)], cwd=folder, env=variables,
            timeout=sum(case.seconds for case in tried), capture_output=True, text=True,
        )  # fmt: skip
        printed = done.stdout
        if done.returncode:
            last = (done.stderr.strip().splitlines() or ["no message"])[-1]
            crash = f"ended with exit status {done.returncode}: {last}"
    except subprocess.TimeoutExpired as expired:
        printed = (expired.stdout or b"").decode()
        crash = f"did not end within {expired.timeout:g} s"
    lines = [line for line in printed.splitlines() if line.startswith(LINE)]
    seen = [json.loads(line.removeprefix(LINE)) for line in lines]
    missing = len(tried) - len(seen)
    return seen + [{"crash": crash, "shown": []} for _ in range(missing)]


def play(case: Case, plans: bool, measured: float = MEASURED) -> dict[str, Any]:
    """Play an episode, with or without plans; return what was seen, as JSON.

    Its keys are

    - `missing`: type and message of what was raised when it was made;
    - `error`: of what was raised when it was played;
    - `refused`: of what the first plan raised;
    - `shown`: a digest of each step;
    - `changed`: what a plan changed in the environment;
    - `left`: what it left elsewhere;
    - `dice`: what is wrong about the copies' dice;
    - `simulations` (a second), `copy` and `step` (seconds).
    """
    random.seed(SEED)
    np.random.seed(SEED)  # noqa: NPY002
    seen: dict[str, Any] = {"shown": [], "changed": [], "left": [], "dice": ""}
    try:
        env = case.make()
    except Exception as error:
        return {**seen, "missing": _said(error)}
    try:
        _play(episode(env, SEED), case, seen, measured if plans else None)
        seen["shown"].append(_global_generators())
    except Exception as error:
        seen["error"] = _said(error)
    return seen


def _play(
    played: Episode, case: Case, seen: dict[str, Any], measured: float | None
) -> None:
    spent = []
    for number in range(STEPS):
        seen["shown"].append(shown_digest(played.shown, case.unseeded))
        if played.is_over:
            played = episode(played.env, SEED + number)
            seen["shown"].append(shown_digest(played.shown, case.unseeded))
        planned = number in PLANS_BEFORE and "refused" not in seen
        if planned and measured is not None:
            _plan(played, case, seen, measured)
        started = time.perf_counter()
        played.step()
        spent.append(time.perf_counter() - started)
    seen["step"] = float(np.median(spent))


def _plan(played: Episode, case: Case, seen: dict[str, Any], measured: float) -> None:
    """Plan, and note what that changed; after the first plan its speed is measured."""
    agent = MCTSAgent(simulations=case.simulations, seed=1, **options_of(case))
    before = digest(played.env)
    generators = _global_generators()
    try:
        agent.act(played.env, played.agent, **case.asked_with(played))
        if "simulations" not in seen:
            seen.update(_speed(agent, played, case, measured))
        if case.is_random and _knows_the_future(agent, played, case):
            seen["dice"] = "plans see the dice: all copies go on alike"
    except Exception as error:
        seen["refused"] = _said(error)
    for change in changes(before, digest(played.env)):
        where = "left" if change.startswith(("class ", "module ")) else "changed"
        seen[where].append(change)
    if generators != _global_generators():
        seen["changed"].append("a global generator")


def options_of(case: Case) -> dict[str, Any]:
    """Return the options of agents in an environment, but the budget."""
    return {"perfect_information": True, "rollout": 10, **case.options}


def _speed(
    agent: MCTSAgent, played: Episode, case: Case, measured: float
) -> dict[str, float]:
    """Measure simulations a second and the time of a copy."""
    asked = case.asked_with(played)
    timed = MCTSAgent(seconds=measured, seed=1, **options_of(case))
    started = time.perf_counter()
    simulations = timed.plan(played.env, played.agent, **asked).simulations
    spent = time.perf_counter() - started
    copies = []
    with agent.position(played.env, played.agent, **asked) as (model, state, _):
        ends = time.perf_counter() + measured / 4
        while time.perf_counter() < ends or not copies:
            started = time.perf_counter()
            # Copies share the environment until one of them is changed.
            copied = model.copy(state)
            if isinstance(model, CopiedEnvironment):
                model.environment(copied, own=True)
            copies.append(time.perf_counter() - started)
    return {"simulations": simulations / spent, "copy": float(np.median(copies))}


def _knows_the_future(agent: MCTSAgent, played: Episode, case: Case) -> bool:
    """Return whether copies all go on alike, though the environment is random."""
    futures = set()
    asked = case.asked_with(played)
    with agent.position(played.env, played.agent, **asked) as (model, state, _):
        for _ in range(FUTURES):
            copied = model.copy(state)
            twin = played.around(model.environment(copied, own=True))
            shown = []
            for _ in range(AHEAD):
                if not twin.is_over:
                    twin.step()
                shown.append(shown_digest(twin.shown))
            futures.add(tuple(shown))
    return len(futures) == 1


def _global_generators() -> str:
    state = random.getstate(), np.random.get_state()  # noqa: NPY002
    return shown_digest(state)


def _said(error: Exception) -> list[str]:
    return [type(error).__name__, str(error)]


def compare(case: Case, alone: dict[str, Any], planned: dict[str, Any]) -> Found:
    """Return what the two episodes of an environment tell."""
    try:
        package = f"{case.package} {version(case.package)}"
    except PackageNotFoundError:
        package = case.package
    found = Found(case.name, package, PLANS, step=alone.get("step"))
    found.notes = sorted(set(planned.get("left", [])))

    def is_(verdict: str, why: str) -> Found:
        found.verdict, found.why = verdict, why
        return found

    if "crash" in alone:
        return is_(WRONG, f"without plans, the process {alone['crash']}")
    if "missing" in alone:
        return is_(MISSING, ": ".join(alone["missing"]))
    if "error" in alone:
        return is_(WRONG, f"fails without plans: {': '.join(alone['error'])}")
    if "crash" in planned:
        return is_(WRONG, f"with plans, the process {planned['crash']}")
    if planned["dice"]:
        return is_(WRONG, planned["dice"])
    if planned["changed"]:
        more = len(planned["changed"]) - 1
        others = f" (and {more} more)" if more else ""
        return is_(WRONG, f"plans change {planned['changed'][0]}{others}")
    if "error" in planned:
        return is_(WRONG, f"fails after plans: {': '.join(planned['error'])}")
    for step, (mine, other) in enumerate(zip_longest(alone["shown"], planned["shown"])):
        if mine != other:
            return is_(WRONG, f"goes on otherwise after plans, at step {step}")
    if "refused" in planned:
        kind, message = planned["refused"]
        if kind not in (
            "ValueError",
            "SharedStateError",
            "UnfaithfulCopyError",
            "UncopyableEnvironmentError",
        ):
            return is_(WRONG, f"{kind}: {message}")
        if "\n" in message:
            return is_(WRONG, f"refused in several lines: {message}")
        return is_(REFUSED, message)
    found.simulations, found.copy = planned["simulations"], planned["copy"]
    return found


def chosen(names: Iterable[str]) -> list[Case]:
    """Return the cases whose names contain one of the texts, all if there is none."""
    texts = [name.lower() for name in names]
    return [
        case
        for case in cases()
        if not texts or any(text in case.name.lower() for text in texts)
    ]
