"""Budgets of decisions as people write them: `40ms`, `1s`, `1000`, `5000calls`."""

import math
import re

from mcts_agents.names import quoted

# Settings of a search that bound a decision, as `SearchSettings` names them.
BUDGET_SETTINGS = ("simulations", "seconds", "forward_model_calls")

_FORM = re.compile(r"\s*(\d+(?:\.\d+)?)\s*(ms|s|calls|)\s*")
_EXPECTED = (
    "expected a time such as 40ms or 1s, a number of simulations such as 1000, or of "
    "forward-model calls such as 5000calls"
)


def budget_setting(budget: str) -> tuple[str, int | float]:
    """Return the search setting that a budget stands for, and its value.

    `40ms` gives `("seconds", 0.04)`, `1000` gives `("simulations", 1000)`.

    Raises:
        ValueError: It is none of these, or nothing at all is left to spend.
    """
    match = _FORM.fullmatch(budget)
    if match is None:
        raise ValueError(f"budget {quoted(budget)}: {_EXPECTED}")
    number, unit = float(match[1]), match[2]
    if not 0 < number < math.inf:
        wrong = "too large" if number else "must be more than nothing"
        raise ValueError(f"budget {quoted(budget)}: {wrong}")
    if unit in ("ms", "s"):
        return "seconds", number / 1000 if unit == "ms" else number
    if number != int(number):
        raise ValueError(f"budget {quoted(budget)}: {_EXPECTED}")
    return ("simulations" if unit == "" else "forward_model_calls"), int(number)


def budget_order(budget: str) -> tuple[int, float]:
    """Return a key that sorts budgets: none, then each kind by its size."""
    if not budget:
        return -1, 0.0
    kind, size = budget_setting(budget)
    return BUDGET_SETTINGS.index(kind), size


def budget_label(budget: str) -> str:
    """Return a budget as people read it; empty if agents have their own."""
    if not budget:
        return ""
    kind, size = budget_setting(budget)
    if kind == "seconds":
        return f"{size:g} s" if size >= 1 else f"{1000 * size:g} ms"
    return f"{size:,} {'simulations' if kind == 'simulations' else 'model calls'}"
