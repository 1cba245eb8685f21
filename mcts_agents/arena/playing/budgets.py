"""Budgets of decisions as text: `40ms`, `1s`, `1000`, `5000calls`.

A budget stands for an option of an agent; which of them a kind of agents takes is in
`AgentKind.budgets`.
"""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from mcts_agents.agents.kinds import AgentKind
from mcts_agents.arena.playing.fixtures import Setting
from mcts_agents.names import quoted
from mcts_agents.search.options.option import GREATEST


@dataclass(frozen=True)
class Budget:
    """The limit of a decision.

    Attributes:
        units: What may stand behind the number, and how many of these make one of the
            option's own.
        whole: Whether there are whole numbers of it only.
        label: Writes an amount for people.
    """

    units: Mapping[str, int]
    whole: bool
    label: Callable[[float], str]


def _seconds(amount: float) -> str:
    return f"{amount:g} s" if amount >= 1 else f"{1000 * amount:g} ms"


# By the option that each stands for.
BUDGETS: dict[str, Budget] = {
    "simulations": Budget({"": 1}, True, lambda amount: f"{amount:,} simulations"),
    "seconds": Budget({"ms": 1000, "s": 1}, False, _seconds),
    "forward_model_calls": Budget(
        {"calls": 1}, True, lambda amount: f"{amount:,} model calls"
    ),
    "nodes": Budget({"nodes": 1}, True, lambda amount: f"{amount:,} nodes"),
}

_UNITS = {unit: option for option, one in BUDGETS.items() for unit in one.units}
_FORM = re.compile(rf"\s*(\d+(?:\.\d+)?)\s*({'|'.join(_UNITS)})\s*")
_EXPECTED = (
    "expected a time such as 40ms or 1s, a number of simulations such as 1000, of "
    "forward-model calls such as 5000calls, or of nodes such as 5000nodes"
)


def budget_setting(budget: str) -> tuple[str, int | float]:
    """Return the option of an agent that a budget stands for, and its value.

    `40ms` gives `("seconds", 0.04)`, `1000` gives `("simulations", 1000)`.

    Raises:
        ValueError: It is none of these, nothing at all is left to spend, or it is
            beyond all that can be counted.
    """
    match = _FORM.fullmatch(budget)
    if match is None:
        raise ValueError(f"budget {quoted(budget)}: {_EXPECTED}")
    number, unit = float(match[1]), match[2]
    option = _UNITS[unit]
    meant = BUDGETS[option]
    if not 0 < number < math.inf:
        wrong = "too large" if number else "must be more than nothing"
        raise ValueError(f"budget {quoted(budget)}: {wrong}")
    if not meant.whole:
        return option, number / meant.units[unit]
    if number != int(number):
        raise ValueError(f"budget {quoted(budget)}: {_EXPECTED}")
    if number > GREATEST:
        raise ValueError(
            f"budget {quoted(budget)}: beyond the greatest allowed, {GREATEST}"
        )
    return option, int(number)


def check_taken(kind: AgentKind, budget: str) -> None:
    """Raise ValueError if agents of a kind take budgets, but not this one."""
    option, _ = budget_setting(budget)
    if kind.budgets and option not in kind.budgets:
        taken = " or ".join(map(_said, kind.budgets))
        raise ValueError(
            f"{kind.name} agents take budgets of {taken}, not of {_said(option)} "
            f"({quoted(budget)})"
        )


def _said(option: str) -> str:
    return option.replace("_", " ")


def budget_order(budget: str) -> tuple[int, float]:
    """Return a key that sorts budgets: none, then each sort by its size."""
    if not budget:
        return -1, 0.0
    option, amount = budget_setting(budget)
    return list(BUDGETS).index(option), amount


def budget_label(budget: str) -> str:
    """Return a readable text for a budget; empty if agents have their own."""
    if not budget:
        return ""
    option, amount = budget_setting(budget)
    return BUDGETS[option].label(amount)


def setting_label(setting: Setting) -> str:
    """Write a setting for people: `hex:size=5, 2 players, 1,000 simulations`."""
    return str(replace(setting, budget=budget_label(setting.budget)))
