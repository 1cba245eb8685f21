"""Objects that a search's copies share because their classes declare them constant.

By Python's data model an object that can be hashed does not change in what its class
compares. Where a class compares every attribute, and all attributes are numbers, texts
and the like, its objects cannot change at all: playing cards, moves, coordinates. A
search shares these among its copies, never with the live environment, and looks in each
plan whether the class has kept its word: `object.__setattr__` changes any object.
"""

import functools
import inspect
import warnings
from collections.abc import Iterable
from typing import Any

from mcts_agents.model.copying.cloning_kinds import ATOMIC
from mcts_agents.model.copying.comparing_shallowly import same_names
from mcts_agents.model.copying.guards import signal_has_raised

# So many objects are noted in a plan: those that its steps make are kept for that.
_MOST = 10_000

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


def _is_as_before(value: Any, before: dict[str, Any]) -> bool:
    """Whether an object holds what it held, and besides only what it has cached."""
    now = value.__dict__
    if len(now) > len(before):
        now = {n: v for n, v in now.items() if n in before or not _caches(value, n, v)}
    return same_names(before, now)


def _caches(value: Any, name: str, found: Any) -> bool:
    """Whether an attribute is a cached property's, and cannot change either."""
    told = inspect.getattr_static(type(value), name, None)
    return isinstance(told, functools.cached_property) and type(found) in ATOMIC


class SharedConstants:
    """The constant objects that the copies of one plan share, with what they held.

    Looked at after 1, 2, 4, 8 ... opportunities and in the end: a change that a second
    one undoes shows only in between.
    """

    def __init__(self) -> None:
        self._held: dict[int, tuple[Any, dict[str, Any]]] = {}
        self._opportunities = 0

    def note(self, constants: Iterable[Any]) -> None:
        """Note what objects hold that are shared from now on."""
        held = self._held
        for value in constants:
            if id(value) not in held and len(held) < _MOST:
                held[id(value)] = value, value.__dict__.copy()

    def is_due(self) -> bool:
        """Count an opportunity to look; return whether to take it."""
        self._opportunities += 1
        return not self._opportunities & (self._opportunities - 1)

    def changed(self) -> set[int]:
        """Warn of classes whose objects have changed, and copy these from now on.

        Returns:
            The ids of all noted objects of such classes. They hold what they held.

        Warns:
            UserWarning: Names the class.
        """
        kinds: dict[type, None] = {}
        for value, attributes in self._held.values():
            if not _is_as_before(value, attributes):
                kinds[type(value)] = None
        if not kinds:
            return set()
        found = [each for each in self._held.values() if type(each[0]) in kinds]
        for value, attributes in found:
            value.__dict__.clear()
            value.__dict__.update(attributes)
            del self._held[id(value)]
        _COMPARED.update(dict.fromkeys(kinds))
        for kind in kinds:
            warnings.warn(
                f"objects of {kind.__module__}.{kind.__qualname__} can be hashed and "
                "compare all their attributes, yet the environment changes them; the "
                "copies of this plan have shared them, so its values may be wrong. "
                "From now on they are copied",
                UserWarning,
                stacklevel=2,
            )
        return {id(value) for value, _ in found}
