"""Faithful, fast copies of environments that were never made to be copied.

`copy.deepcopy` follows what a class says about pickling. Many environments inherit
`EzPickle`, which keeps the constructor's arguments only, so that their deep copies are
fresh games without a word. Here objects of Python classes are copied by their real
attributes, whatever they say about pickling.

Shared instead of copied are things that a game does not change while it is stepped and
not drawn: spaces, functions, classes, modules, enumerations, and all of pygame's
objects (surfaces cannot be copied at all).
"""

import copy
import enum
import functools
import logging
import re
import types
from collections import deque
from collections.abc import Callable
from pathlib import PurePath
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.envs.registration import EnvSpec
from gymnasium.utils import EzPickle

from mcts_agents.model.dice import GENERATORS, generators_in


class UncopyableEnvironmentError(ValueError):
    """Something in an environment cannot be copied; the message names it."""


_ATOMIC = frozenset(
    {
        type(None),
        bool,
        int,
        float,
        complex,
        str,
        bytes,
        type,
        range,
        slice,
        type(Ellipsis),
        type(NotImplemented),
        np.bool_,
        np.dtype,
        *(np.dtype(code).type for code in np.typecodes["All"]),
    }
)
_SHARED = (
    spaces.Space,
    EnvSpec,
    enum.Enum,
    logging.Logger,
    re.Pattern,
    PurePath,
    np.dtype,
    type,
    types.ModuleType,
    types.FunctionType,
    types.BuiltinFunctionType,
    types.MethodWrapperType,
    property,
)


class Cloner:
    """Copies one object graph.

    Attributes:
        generators: The copies of random generators that were met.
    """

    def __init__(self) -> None:
        self.generators: list[Any] = []
        self._memo: dict[int, Any] = {}
        # Originals are kept alive as long as their ids stand in the memo.
        self._alive: list[Any] = []
        self._memo[id(self._memo)] = self._alive

    def clone(self, value: Any) -> Any:
        """Return a copy of `value` that shares nothing that can change with it.

        Raises:
            UncopyableEnvironmentError: Something cannot be copied; the message gives
                the way to it from `value`.
        """
        kind = type(value)
        if kind in _ATOMIC:
            return value
        known = self._memo.get(id(value))
        if known is not None:
            return known
        handler = _HANDLERS.get(kind)
        if handler is None:
            handler = _HANDLERS[kind] = _handler_of(kind)
        return handler(self, value)

    def remember(self, value: Any, twin: Any) -> Any:
        """Note the copy of `value`, before its parts are copied."""
        self._memo[id(value)] = twin
        self._alive.append(value)
        return twin

    def part(self, owner: Any, name: object, value: Any) -> Any:
        """Copy a part of an object; an error names the part."""
        try:
            return self.clone(value)
        except UncopyableEnvironmentError as error:
            label = f"{type(owner).__name__}.{name}"
            raise UncopyableEnvironmentError(f"{label} -> {error}") from error


def _share(cloner: Cloner, value: Any) -> Any:
    return value


def _list(cloner: Cloner, value: list) -> list:
    twin = cloner.remember(value, [])
    clone = cloner.clone
    twin.extend([v if type(v) in _ATOMIC else clone(v) for v in value])
    return twin


def _tuple(cloner: Cloner, value: tuple) -> tuple:
    clone = cloner.clone
    twin = tuple([v if type(v) in _ATOMIC else clone(v) for v in value])
    return cloner.remember(value, twin)


def _dict(cloner: Cloner, value: dict) -> dict:
    twin = cloner.remember(value, {})
    clone = cloner.clone
    for key, item in value.items():
        twin[key if type(key) in _ATOMIC else clone(key)] = (
            item if type(item) in _ATOMIC else clone(item)
        )
    return twin


def _set(cloner: Cloner, value: set) -> set:
    return cloner.remember(value, {cloner.clone(v) for v in value})


def _frozenset(cloner: Cloner, value: frozenset) -> frozenset:
    return cloner.remember(value, frozenset(cloner.clone(v) for v in value))


def _deque(cloner: Cloner, value: deque) -> deque:
    twin = cloner.remember(value, deque(maxlen=value.maxlen))
    twin.extend(cloner.clone(v) for v in value)
    return twin


def _array(cloner: Cloner, value: np.ndarray) -> np.ndarray:
    twin = cloner.remember(value, value.copy())
    if value.dtype.hasobject:
        flat = twin.reshape(-1)
        for i, item in enumerate(value.reshape(-1)):
            flat[i] = cloner.clone(item)
    return twin


def _generator(cloner: Cloner, value: Any) -> Any:
    twin = cloner.remember(value, copy.deepcopy(value))
    cloner.generators.append(twin)
    return twin


def _method(cloner: Cloner, value: types.MethodType) -> types.MethodType:
    return types.MethodType(value.__func__, cloner.clone(value.__self__))


def _partial(cloner: Cloner, value: functools.partial) -> functools.partial:
    return functools.partial(
        value.func, *cloner.clone(value.args), **cloner.clone(value.keywords)
    )


def _plain_object(cloner: Cloner, value: Any) -> Any:
    """Copy an object of a Python class by its attributes."""
    kind = type(value)
    twin = cloner.remember(value, object.__new__(kind))
    for name, item in getattr(value, "__dict__", {}).items():
        if type(item) not in _ATOMIC:
            item = cloner.part(value, name, item)
        twin.__dict__[name] = item
    for name in _slots(kind):
        if hasattr(value, name):
            object.__setattr__(
                twin, name, cloner.part(value, name, getattr(value, name))
            )
    return twin


def _foreign_object(cloner: Cloner, value: Any) -> Any:
    """Copy an object that brings its own way of being copied, or is not of Python."""
    try:
        twin = copy.deepcopy(value, cloner._memo)
    except UncopyableEnvironmentError:
        raise
    except Exception as error:
        kind = f"{type(value).__module__}.{type(value).__qualname__}"
        raise UncopyableEnvironmentError(f"{kind} ({error})") from error
    cloner.generators.extend(generators_in(twin))
    return cloner.remember(value, twin)


@functools.cache
def _slots(kind: type) -> tuple[str, ...]:
    names: list[str] = []
    for base in kind.__mro__:
        slots = base.__dict__.get("__slots__", ())
        slots = (slots,) if isinstance(slots, str) else slots
        for name in slots:
            if name not in ("__dict__", "__weakref__"):
                hidden = name.startswith("__") and not name.endswith("__")
                names.append(f"_{base.__name__.lstrip('_')}{name}" if hidden else name)
    return tuple(names)


_HANDLERS: dict[type, Callable[[Cloner, Any], Any]] = {
    list: _list,
    tuple: _tuple,
    dict: _dict,
    set: _set,
    frozenset: _frozenset,
    deque: _deque,
    np.ndarray: _array,
    types.MethodType: _method,
    functools.partial: _partial,
}


def _handler_of(kind: type) -> Callable[[Cloner, Any], Any]:
    """Choose once for each class how its objects are copied."""
    if issubclass(kind, _SHARED) or kind.__module__.partition(".")[0] == "pygame":
        return _share
    if issubclass(kind, GENERATORS):
        return _generator
    if issubclass(kind, EzPickle):
        return _plain_object
    custom = any(
        name in base.__dict__
        for base in kind.__mro__[:-1]
        for name in ("__deepcopy__", "__reduce__", "__reduce_ex__", "__getstate__")
    )
    # Objects of Python classes have the plain layout of `object` and their attributes.
    plain = kind.__flags__ & (1 << 9) and _has_plain_layout(kind)
    return _plain_object if plain and not custom else _foreign_object


def _has_plain_layout(kind: type) -> bool:
    try:
        object.__new__(kind)
    except TypeError:
        return False
    return True


def first_difference(original: Any, twin: Any, name: str = "env") -> str | None:
    """Return where a copy differs from its original, None if nowhere.

    Numbers, texts, arrays, containers and attributes of Python objects are compared;
    generators by their state.
    """
    return _difference(original, twin, name, set())


def _difference(a: Any, b: Any, name: str, seen: set[int]) -> str | None:
    if a is b or id(a) in seen:
        return None
    seen.add(id(a))
    if type(a) is not type(b):
        return f"{name} is {a!r} but {b!r} in the copy"
    if isinstance(a, np.ndarray) and not a.dtype.hasobject:
        equal = a.shape == b.shape and a.dtype == b.dtype and a.tobytes() == b.tobytes()
        return None if equal else f"{name} is {a!r} but {b!r} in the copy"
    if isinstance(a, dict):
        if list(a) != list(b) and len(a) != len(b):
            return f"{name} has the keys {list(a)!r} but {list(b)!r} in the copy"
        pairs = [
            (f"{name}[{k!r}]", v, w)
            for (k, v), w in zip(a.items(), b.values(), strict=True)
        ]
    elif isinstance(a, list | tuple | deque):
        if len(a) != len(b):
            return f"{name} has {len(a)} items but {len(b)} in the copy"
        pairs = [
            (f"{name}[{i}]", v, w) for i, (v, w) in enumerate(zip(a, b, strict=True))
        ]
    elif isinstance(a, bool | int | float | complex | str | bytes | np.generic):
        equal = a == b or (a != a and b != b)
        return None if equal else f"{name} is {a!r} but {b!r} in the copy"
    elif isinstance(a, np.random.Generator):
        pairs = [(f"{name}.state", a.bit_generator.state, b.bit_generator.state)]
    elif hasattr(a, "__dict__") and not isinstance(a, types.MethodType):
        pairs = [(name, vars(a), vars(b))] if set(vars(a)) == set(vars(b)) else None
        if pairs is None:
            return f"{name} has other attributes in the copy"
    else:
        return None
    for label, v, w in pairs:
        found = _difference(v, w, label, seen)
        if found:
            return found
    return None
