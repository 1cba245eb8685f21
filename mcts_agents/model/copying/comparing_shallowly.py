"""Does something hold the same objects as before? These are not looked into."""

import operator
from typing import Any

from mcts_agents.model.copying.cloning_kinds import ATOMIC


def is_same_value(a: Any, b: Any) -> bool:
    """Whether two values are one object, or equal numbers or texts of one type."""
    if a is b:
        return True
    return type(a) is type(b) and type(a) in ATOMIC and (a == b or (a != a and b != b))


def same_row(before: Any, now: Any) -> bool:
    """Whether two rows hold the same objects, or equal numbers and texts, in order."""
    return len(before) == len(now) and (
        all(map(operator.is_, before, now)) or all(map(is_same_value, before, now))
    )


def same_names(before: dict[str, Any], now: dict[str, Any]) -> bool:
    """Compare attributes, in whatever order they were set."""
    if list(before) == list(now) and all(
        map(operator.is_, before.values(), now.values())
    ):
        return True
    return before.keys() == now.keys() and all(
        is_same_value(before[name], now[name]) for name in before
    )
