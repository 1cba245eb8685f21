"""What lies outside an environment's object at one moment, and how to put it back."""

import functools
import operator
import types
from collections import deque
from collections.abc import Callable, Iterable
from enum import Enum
from typing import Any, NamedTuple

import numpy as np
from gymnasium import spaces

from mcts_agents.model.copying.cloning_kinds import ATOMIC, CACHED_FUNCTION
from mcts_agents.model.copying.comparing import slots_of
from mcts_agents.model.copying.dice import is_generator, reseed
from mcts_agents.model.copying.outside_places import (
    Places,
    content_of,
    is_foreign,
    module_of,
)

# A larger table is only counted.
_LARGEST = 100_000

_CONTAINERS = list | deque | dict | set | bytearray | np.ndarray
_CODE = (
    types.FunctionType,
    types.BuiltinFunctionType,
    types.ModuleType,
    types.GetSetDescriptorType,
    types.MemberDescriptorType,
    CACHED_FUNCTION,
    staticmethod,
    classmethod,
    property,
    type,
    Enum,
)


class _Record(NamedTuple):
    """What one thing held: how to read it, what it was, how to write it back."""

    label: str
    read: Callable[[], Any]
    before: Any
    write: Callable[[Any], None]


class Contents:
    """What lay in all places at one moment, shallowly, object by object.

    Attributes:
        generators: The random generators among them.
        spaces: The spaces among them, which have generators of their own.
        items: How many things were noted.
        is_kept: Whether it can be put back.
    """

    def __init__(self, places: Places, own: set[int], caches: tuple[str, ...]):
        self._caches = caches
        self._seen: dict[int, Any] = dict.fromkeys(own)
        self._records: list[_Record] = []
        self.generators: list[Any] = []
        self.spaces: list[spaces.Space] = []
        self.items = 0
        self.is_kept = True
        for namespace, label, names in places.names.values():
            without = {c.removeprefix(f"{label}.") for c in caches}
            read, write = _ways_of_names(namespace, names, without)
            for name, value in self._note(label, read, write).items():
                self._walk(f"{label}.{name}", value)
        for label, cell in places.cells:
            read, write = _ways_of_cell(cell)
            self._walk(label, self._note(label, read, write)[0])
        for label, value in places.held:
            self._walk(label, value)

    def _note(
        self, label: str, read: Callable[[], Any], write: Callable[[Any], None]
    ) -> Any:
        before = read()
        self.items += len(before)
        self._records.append(_Record(label, read, before, write))
        return before

    def _walk(self, label: str, value: Any) -> None:
        """Note all that can change about a value and its parts."""
        if label in self._caches:
            return
        waiting = [value]
        while waiting:
            item = waiting.pop()
            if type(item) in ATOMIC or id(item) in self._seen:
                continue
            if isinstance(item, tuple | frozenset):
                waiting.extend(item)
                continue
            self._seen[id(item)] = item
            if is_generator(type(item)):
                self.generators.append(item)
            elif isinstance(item, spaces.Space):
                self.spaces.append(item)
            elif isinstance(item, _CONTAINERS):
                waiting.extend(self._note_container(label, item))
            elif not isinstance(item, _CODE) and not is_foreign(module_of(type(item))):
                waiting.extend(self._note_object(label, item))

    def _note_container(self, label: str, item: Any) -> Iterable[Any]:
        """Note what a container holds; return its parts."""
        if len(item) > _LARGEST and not isinstance(item, np.ndarray):
            self._note(label, lambda: [len(item)], _cannot_write)
            return ()
        content = self._note(label, *_ways_of_container(item))
        return () if isinstance(content, bytes | np.ndarray) else content

    def _note_object(self, label: str, item: Any) -> Iterable[Any]:
        """Note the attributes of an object; return them."""
        parts: list[Any] = []
        if isinstance(attributes := getattr(item, "__dict__", None), dict):
            parts += self._note(label, *_ways_of_container(attributes))
        if slots := [name for name in _slots(type(item)) if hasattr(item, name)]:
            parts += self._note(label, *_ways_of_slots(item, slots))
        return parts

    def forget(self) -> None:
        """Keep nothing but the generators: what lies outside may change from now on."""
        self.is_kept = False
        self._records.clear()
        self._seen.clear()

    def reseed(self, dice: np.random.Generator) -> None:
        """Let the random generators draw from `dice`."""
        for generator in self.generators:
            reseed(generator, dice)

    def put_back(self) -> list[str]:
        """Undo what changed; return the names of where it did."""
        names: dict[str, None] = {}
        for label, read, before, write in self._records:
            now = read()
            if not _same(before, now):
                names.update(dict.fromkeys(_changed_names(label, before, now)))
                write(before)
        return list(names)


_slots = functools.cache(slots_of)


Ways = tuple[Callable[[], Any], Callable[[Any], None]]


def _ways_of_container(item: Any) -> Ways:
    """Return how to read and write back a container: bytes, an array, a set, a list.

    The list of a dictionary is its keys, then its values.
    """
    if isinstance(item, np.ndarray) and not item.dtype.hasobject:
        return item.copy, functools.partial(item.__setitem__, ...)

    def write(before: Any) -> None:
        if isinstance(item, np.ndarray):
            for place, value in zip(np.ndindex(item.shape), before, strict=True):
                item[place] = value
            return
        item.clear()
        if isinstance(item, dict):
            half = len(before) // 2
            item.update(zip(before[:half], before[half:], strict=True))
        elif isinstance(item, set):
            item.update(before)
        else:
            item.extend(before)

    if isinstance(item, np.ndarray):
        return lambda: item.ravel().tolist(), write
    if isinstance(item, dict):
        return lambda: [*item, *item.values()], write
    if isinstance(item, bytearray):
        return lambda: bytes(item), write
    return item.copy if isinstance(item, set) else lambda: list(item), write


def _ways_of_slots(item: Any, slots: list[str]) -> Ways:
    def write(before: list[Any]) -> None:
        for name, value in zip(slots, before, strict=True):
            object.__setattr__(item, name, value)

    return lambda: [getattr(item, name, None) for name in slots], write


def _ways_of_cell(cell: types.CellType) -> Ways:
    def write(before: list[Any]) -> None:
        cell.cell_contents = before[0]

    return lambda: [content_of(cell)], write


def _ways_of_names(namespace: Any, names: set[str] | None, without: set[str]) -> Ways:
    is_class = isinstance(namespace, type)
    # In an order that every process has; see `Places.visit_objects`.
    counted = None if names is None else sorted(names - without)

    def read() -> dict[str, Any]:
        inside = vars(namespace) if is_class else namespace
        if counted is not None:
            return {n: inside[n] for n in counted if n in inside}
        return {
            name: value
            for name, value in inside.items()
            if not (name.startswith(("__", "_abc_")) or isinstance(value, _CODE))
            and name not in without
        }

    def write(before: dict[str, Any]) -> None:
        now = read()
        for name in now.keys() | before.keys():
            if name not in before:
                delattr(namespace, name) if is_class else namespace.pop(name)
            elif name not in now or now[name] is not before[name]:
                if is_class:
                    setattr(namespace, name, before[name])
                else:
                    namespace[name] = before[name]

    return read, write


def _cannot_write(before: Any) -> None:
    """Leave what was too large to keep; its change is an error all the same."""


def _same(before: Any, now: Any) -> bool:
    """Whether two contents hold the same objects, or equal numbers and texts."""
    if isinstance(before, np.ndarray):
        return before.shape == now.shape and before.tobytes() == now.tobytes()
    if len(before) != len(now):
        return False
    if isinstance(before, set | bytes):
        return before == now
    if isinstance(before, dict):
        return before.keys() == now.keys() and all(
            _is_same(before[name], now[name]) for name in before
        )
    return all(map(operator.is_, before, now)) or all(map(_is_same, before, now))


def _is_same(a: Any, b: Any) -> bool:
    if a is b:
        return True
    return type(a) is type(b) and type(a) in ATOMIC and (a == b or (a != a and b != b))


def _changed_names(label: str, before: Any, now: Any) -> list[str]:
    if not isinstance(before, dict):
        return [label]
    return [
        f"{label}.{name}"
        for name in sorted(before.keys() | now.keys())
        if not (name in before and name in now and _is_same(before[name], now[name]))
    ]
