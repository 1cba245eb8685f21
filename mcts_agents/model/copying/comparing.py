"""Where does a copy differ from its original?"""

import functools
import random
import types
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import numpy as np

from mcts_agents.model.copying.dice import is_generator, state_of
from mcts_agents.model.copying.snapshots import Snapshot, compared
from mcts_agents.model.copying.watchers import seen_through

_PLAIN = (bool, int, float, complex, str, bytes, bytearray, np.generic)
# Addresses of objects are greater on all machines.
_LEAST_ID = 1 << 20
_UNSEEN = (types.MethodType, types.FunctionType, types.ModuleType, type)


def first_difference(original: Any, twin: Any, name: str = "env") -> str | None:
    """Return where a copy differs from its original, None if nowhere.

    Numbers, texts, arrays, containers and attributes of Python objects are compared;
    generators by their state. Wrappers that only watch are looked through. An `id` of
    something in the original has to be that of its copy.
    """
    seen = _Seen()
    return _difference(original, twin, name, seen) or seen.difference_of_ids()


class _Seen(dict[int, tuple[Any, Any]]):
    """Pairs that were compared, by the ids of the originals, which stay alive here.

    Attributes:
        numbers: Keys, or numbers that differ, so large that they may be ids: the name,
            the original and the copy.
    """

    def __init__(self) -> None:
        self.numbers: list[tuple[str, int, int]] = []

    def difference_of_ids(self) -> str | None:
        """Return where an `id` is not that of the copy, or another number differs."""
        for name, a, b in self.numbers:
            pair = self.get(a)
            if a == b and pair is not None and id(pair[1]) != b:
                return (
                    f"{name} is the id of a {type(pair[0]).__name__}, whose copy has "
                    "another one (use the object itself instead of its id)"
                )
            if a != b and (pair is None or id(pair[1]) != b):
                return f"{name} is {a!r} but {b!r} in the copy"
        return None


def _difference(a: Any, b: Any, name: str, seen: _Seen) -> str | None:
    if type(a) is type(b) is int and a != b and a > _LEAST_ID:
        seen.numbers.append((name, a, b))
        return None
    a, b = seen_through(a), seen_through(b)
    if type(b) is Snapshot:
        a, b = compared(a, b)
    if a is b or id(a) in seen:
        return None
    seen[id(a)] = a, b  # kept alive, so that its id stays its own
    if type(a) is not type(b):
        return f"{name} is {a!r} but {b!r} in the copy"
    if isinstance(a, _PLAIN):
        same = a == b or (a != a and b != b)
        return None if same else f"{name} is {a!r} but {b!r} in the copy"
    if isinstance(a, np.ndarray) and not a.dtype.hasobject:
        same = a.shape == b.shape and a.dtype == b.dtype and a.tobytes() == b.tobytes()
        return None if same else f"{name} is {a!r} but {b!r} in the copy"
    if isinstance(a, dict | list | tuple | set | frozenset | deque):
        if len(a) != len(b):
            return f"{name} has {len(a)} items but {len(b)} in the copy"
        if isinstance(a, set | frozenset) and a != b and _only_plain(a):
            return f"{name} is {a!r} but {b!r} in the copy"
        if isinstance(a, dict | set | frozenset):
            _note_ids(a, b, name, seen)
    elif package_of(type(a)) in ("jax", "jaxlib"):
        return _difference_in_jax(a, b, name)
    mine, other = _attributes(a), _attributes(b)
    if mine.keys() != other.keys():
        return f"{name} has other attributes in the copy: {mine.keys() ^ other.keys()}"
    for label, v, w in _parts(a, b, mine, other):
        found = _difference(v, w, name + label, seen)
        if found:
            return found
    return None


def _note_ids(a: Any, b: Any, name: str, seen: _Seen) -> None:
    """Note keys, or members of a set, that may be ids."""
    for key in b:
        if type(key) is int and key > _LEAST_ID and key in a:
            seen.numbers.append((f"{name} key {key}", key, key))


def _difference_in_jax(a: Any, b: Any, name: str) -> str | None:
    """Compare arrays by their numbers; compiled functions and keys are not compared."""
    if not hasattr(a, "addressable_shards") or str(a.dtype).startswith("key<"):
        return None
    same = a.dtype == b.dtype and np.array_equal(a, b, equal_nan=a.dtype.kind in "fc")
    return None if same else f"{name} is {a!r} but {b!r} in the copy"


def package_of(kind: type) -> str:
    """Return the name of a class's package; types of some compiled libraries have none.

    Those are SWIG's, for one.
    """
    return str(getattr(kind, "__module__", "")).partition(".")[0]


def _only_plain(values: set | frozenset) -> bool:
    return all(isinstance(value, _PLAIN) for value in values)


def _parts(
    a: Any, b: Any, mine: dict[str, Any], other: dict[str, Any]
) -> Iterator[tuple[str, Any, Any]]:
    """Give the parts of two objects of one type, their attributes too, in pairs."""
    if is_generator(type(a)):
        if not isinstance(a, random.SystemRandom):
            yield ".state", state_of(a), state_of(b)
        return
    if isinstance(a, dict):
        for (k, v), (key, w) in zip(a.items(), b.items(), strict=True):
            yield f" key {k!r}", k, key
            yield f"[{k!r}]", v, w
    elif isinstance(a, list | tuple | deque):
        for i, (v, w) in enumerate(zip(a, b, strict=True)):
            yield f"[{i}]", v, w
    elif isinstance(a, np.ndarray):
        yield " as a list", a.tolist(), b.tolist()
    for name in mine:
        yield f".{name}", mine[name], other[name]


def _attributes(value: Any) -> dict[str, Any]:
    if isinstance(value, _UNSEEN):
        return {}
    found = dict(getattr(value, "__dict__", {}))
    for name in slots_of(type(value)):
        if hasattr(value, name):
            found[name] = getattr(value, name)
    for name in _descriptors_of(type(value)):
        with suppress(Exception):  # whatever it may ask for
            found[name] = getattr(value, name)
    return found


@functools.cache
def _descriptors_of(kind: type) -> list[str]:
    """Return attributes that a class keeps its own way: descriptors made in Python.

    They may lie outside the object. Properties, which compute, are left out.
    """
    return [
        name
        for base in kind.__mro__
        for name, held in vars(base).items()
        if isinstance(getattr(type(held), "__get__", None), types.FunctionType)
        and isinstance(getattr(type(held), "__set__", None), types.FunctionType)
    ]


def slots_of(kind: type) -> tuple[str, ...]:
    """Return the names of the attributes that a class keeps in slots."""
    names: list[str] = []
    for base in kind.__mro__:
        slots = base.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if name not in ("__dict__", "__weakref__"):
                hidden = name.startswith("__") and not name.endswith("__")
                names.append(f"_{base.__name__.lstrip('_')}{name}" if hidden else name)
    return tuple(names)
