"""Objects that a search's copies share because their classes declare them constant.

By Python's data model an object that can be hashed does not change in what its class
compares. Where a class compares every attribute, and all attributes are numbers, texts
and the like, its objects cannot change at all: playing cards, moves, coordinates. A
search shares these among its copies, never with the live environment, and looks after
each plan whether the class has kept its word.
"""

import warnings
from collections.abc import Iterable
from typing import Any

from mcts_agents.model.copying.cloning_kinds import ATOMIC
from mcts_agents.model.copying.guards import signal_has_raised

# The attributes of objects of each class that was looked at; None if it compares less
# than all of them, or if its objects were seen to change.
_COMPARED: dict[type, frozenset[str] | None] = {}


def compares_by_value(kind: type) -> bool:
    """Whether objects of a class are compared, and hashed, by what they hold."""
    return (
        kind.__hash__ not in (None, object.__hash__)
        and kind.__eq__ is not object.__eq__
    )


def is_constant(value: Any) -> bool:
    """Whether an object, of a class that compares by value, cannot change."""
    kind, attributes = type(value), value.__dict__
    if not ATOMIC.issuperset(map(type, attributes.values())):
        return False
    if kind not in _COMPARED:
        _COMPARED[kind] = _compared(value)
    return attributes.keys() == _COMPARED[kind]


def _compared(value: Any) -> frozenset[str] | None:
    """Return the names of all attributes if a change of any makes a difference."""
    attributes = value.__dict__
    changes = [attributes] + [{**attributes, name: object()} for name in attributes]
    try:
        equal = [value == _twin(value, changed) for changed in changes]
        same_hash = hash(value) == hash(_twin(value, attributes))
    except Exception:  # a class may refuse values that it does not know
        if signal_has_raised():
            raise
        return None
    is_compared = equal == [True] + [False] * len(attributes) and same_hash
    return frozenset(attributes) if is_compared else None


def _twin(value: Any, attributes: dict[str, Any]) -> Any:
    twin = object.__new__(type(value))
    object.__setattr__(twin, "__dict__", dict(attributes))
    return twin


def noted(constants: Iterable[Any]) -> list[tuple[Any, dict[str, Any]]]:
    """Return constant objects with what they hold now, for `warn_of_changes`."""
    return [(value, value.__dict__.copy()) for value in constants]


def warn_of_changes(before: Iterable[tuple[Any, dict[str, Any]]]) -> None:
    """Warn of classes whose constant objects have changed, and copy them from now on.

    Warns:
        UserWarning: Names the class.
    """
    for value, attributes in before:
        kind = type(value)
        if value.__dict__ != attributes and _COMPARED[kind] is not None:
            _COMPARED[kind] = None
            warnings.warn(
                f"objects of {kind.__module__}.{kind.__qualname__} can be hashed and "
                "compare all their attributes, yet the environment changes them; the "
                "copies of this plan have shared them, so its values may be wrong. "
                "From now on they are copied",
                UserWarning,
                stacklevel=2,
            )
