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
from pathlib import Path
from typing import Any

import numpy as np

from mcts_agents import MCTSAgent
from mcts_agents.model import new_generator
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
    return compare(case, _in_process(case, False), _in_process(case, True))


def _in_process(case: Case, plans: bool) -> dict[str, Any]:
    """Play in a process of its own, which may crash or hang."""
    command = [sys.executable, "-m", "others", case.name, *(["--plans"] * plans)]
    folder = Path(__file__).parent.parent
    # The order of sets of texts is part of what an environment does.
    variables = {**os.environ, "PYTHONHASHSEED": "0", "SDL_VIDEODRIVER": "dummy"}
    try:
        done = subprocess.run(
            command, cwd=folder, env=variables, timeout=case.seconds,
            capture_output=True, text=True,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return {"crash": f"did not end within {case.seconds:g} s"}
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if not lines:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        return {"crash": f"ended with exit status {done.returncode}: {last}"}
    return json.loads(lines[-1])


def play(case: Case, plans: bool) -> dict[str, Any]:
    """Play an episode, with or without plans; return what was seen, as JSON.

    Its keys are `error` if the environment cannot be made or played, `shown` (a digest
    for each step), `refused` (type and message of what the first plan raised),
    `changed` (what a plan changed in the environment), `left` (what it left elsewhere),
    `simulations`, `copy` and `step`.
    """
    random.seed(SEED)
    np.random.seed(SEED)  # noqa: NPY002
    seen: dict[str, Any] = {"shown": [], "changed": [], "left": []}
    try:
        played = episode(case.make(), SEED)
        _play(played, case, seen, plans)
        seen["shown"].append(_global_generators())
    except Exception as error:
        seen["error"] = _said(error)
    return seen


def _play(played: Episode, case: Case, seen: dict[str, Any], plans: bool) -> None:
    spent = []
    for number in range(STEPS):
        seen["shown"].append(shown_digest(played.shown))
        if played.is_over:
            played = episode(played.env, SEED + number)
            seen["shown"].append(shown_digest(played.shown))
        if plans and number in PLANS_BEFORE and "refused" not in seen:
            _plan(played, case, seen)
        started = time.perf_counter()
        played.step()
        spent.append(time.perf_counter() - started)
    seen["step"] = float(np.median(spent))


def _plan(played: Episode, case: Case, seen: dict[str, Any]) -> None:
    """Plan, and note what changed; the last plans are measured."""
    options = {"perfect_information": True, "rollout": 10, **case.options}
    agent = MCTSAgent(simulations=case.simulations, seed=1, **options)
    before = digest(played.env)
    generators = _global_generators()
    try:
        if played.agent is None:
            agent.act(played.env)
        else:
            agent.act(played.env, played.agent)
        if "simulations" not in seen:
            seen.update(_speed(played, options))
    except Exception as error:
        seen["refused"] = _said(error)
    for change in changes(before, digest(played.env)):
        where = "left" if change.startswith(("class ", "module ")) else "changed"
        seen[where].append(change)
    if generators != _global_generators():
        seen["changed"].append("a global generator")


def _speed(played: Episode, options: dict[str, Any]) -> dict[str, float]:
    """Measure simulations a second and the time of a copy."""
    from mcts_agents import MCTSAgent

    found = {}
    agent = MCTSAgent(seconds=MEASURED, seed=1, **options)
    started = time.perf_counter()
    result = agent.plan(played.env, played.agent)
    found["simulations"] = result.simulations / (time.perf_counter() - started)
    words = ("perfect_information", "redeterminise")
    model = CopiedEnvironment(
        played.env, **{word: options[word] for word in words if word in options}
    )
    spent = []
    with model.planning(played.agent, new_generator(0)) as (state, _):
        ends = time.perf_counter() + MEASURED / 4
        while time.perf_counter() < ends:
            started = time.perf_counter()
            model.copy(state)
            spent.append(time.perf_counter() - started)
    found["copy"] = float(np.median(spent))
    return found


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
    if "error" in alone:
        return is_(MISSING, ": ".join(alone["error"]))
    if "crash" in planned:
        return is_(WRONG, f"with plans, the process {planned['crash']}")
    if planned["changed"]:
        more = len(planned["changed"]) - 1
        others = f" (and {more} more)" if more else ""
        return is_(WRONG, f"plans change {planned['changed'][0]}{others}")
    if "error" in planned:
        return is_(WRONG, f"fails after plans: {': '.join(planned['error'])}")
    for step, (mine, other) in enumerate(
        zip(alone["shown"], planned["shown"], strict=True)
    ):
        if mine != other:
            again = _in_process(case, False)
            if again.get("shown") != alone["shown"]:
                return is_(WRONG, "does not reproduce an episode without plans either")
            return is_(WRONG, f"goes on otherwise after plans, at step {step}")
    if "refused" in planned:
        kind, message = planned["refused"]
        if kind not in (
            "ValueError",
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
