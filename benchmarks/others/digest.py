"""What an environment holds, each thing by its path, to see what a plan has changed.

This shares no code with `mcts_agents.model.copying`, which makes copies and compares
them, so that the one can be checked by the other. It also looks where copies do not:
at attributes of the classes of what it meets and at the globals of their modules.
"""

import hashlib
import logging
import pickle
import random
import sys
import types
from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from gymnasium import spaces

from mcts_agents.model import ForwardModel

_PLAIN = (type(None), bool, int, float, complex, str, bytes, np.generic)
_CODE = (type, types.ModuleType, types.FunctionType, types.BuiltinFunctionType)
# Their classes and globals hold no state of games, but caches and counters.
_LIBRARIES = sys.stdlib_module_names | frozenset(
    "chex haiku jax jaxlib jaxtyping matplotlib mcts_agents numba numpy pygame "
    "scipy".split()
)
# Made when a space is first shown in a message.
_TEXTS_OF_BOXES = ("low_repr", "high_repr")
# Beyond so many things a digest is not taken further.
_MOST = 3_000_000


def digest(env: Any) -> dict[str, str]:
    """Return a short text for each thing that an environment consists of, by path."""
    found: dict[str, str] = {}
    # Things are kept alive here, so that no id comes twice.
    seen: dict[int, tuple[str, Any]] = {}
    waiting: deque[tuple[str, Any]] = deque([("env", env)])
    classes: set[type] = set()
    while waiting and len(found) < _MOST:
        path, item = waiting.popleft()
        if isinstance(item, _PLAIN):
            found[path] = f"{type(item).__name__} {item!r}"
            continue
        if id(item) in seen:
            found[path] = f"same as {seen[id(item)][0]}"
            continue
        seen[id(item)] = path, item
        for kind in type(item).__mro__:
            if kind not in classes:
                classes.add(kind)
                waiting.extend(_of_class(kind, classes))
        text, parts = _parts(item)
        found[path] = text
        waiting.extend((path + label, part) for label, part in parts)
    return found


def changes(before: dict[str, str], after: dict[str, str]) -> list[str]:
    """Return what differs between two digests, a text for each path."""
    gone = before.keys() - after.keys()
    return [
        *(f"{path}: gone" for path in sorted(gone)),
        *(
            f"{path}: {_short(before.get(path, 'nothing'))} became {_short(text)}"
            for path, text in after.items()
            if before.get(path) != text
        ),
    ]


def shown_digest(shown: Any, left_out: Iterable[str] = ()) -> str:
    """Return 16 digits that tell whether two environments have shown the same.

    Args:
        shown: What an environment has shown.
        left_out: Keys of dictionaries that do not matter.
    """
    keys = [f"[{key!r}]" for key in left_out]
    text = "\n".join(
        f"{path} {what}"
        for path, what in digest(shown).items()
        if not any(key in path for key in keys)
    )
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def _parts(item: Any) -> tuple[str, Iterator[tuple[str, Any]]]:
    """Return a text for an object itself, and what else it consists of."""
    kind = type(item).__qualname__
    if isinstance(item, _CODE):
        closed = getattr(item, "__closure__", None) or ()
        held = [
            (f".closure[{i}]", v) for i, cell in enumerate(closed) for v in _held(cell)
        ]
        if isinstance(item, types.BuiltinFunctionType) and not isinstance(
            item.__self__, types.ModuleType | type | None
        ):
            held.append((".self", item.__self__))
        if isinstance(item, types.FunctionType):
            held += [(f".default{i}", v) for i, v in enumerate(item.__defaults__ or ())]
        return f"{kind} {getattr(item, '__qualname__', item.__name__)}", iter(held)
    if isinstance(item, logging.Logger):
        return f"{kind} {item.name}", iter(())
    if isinstance(item, ForwardModel):
        return f"{kind} {item.name}", iter(())  # a table, and what was looked up so far
    if _package(type(item)) in ("llvmlite", "numba"):
        return kind, iter(())  # compiled code, and what was compiled so far
    if isinstance(item, types.MethodType):
        return f"{kind} {item.__func__.__qualname__}", iter([(".self", item.__self__)])
    if isinstance(item, np.ndarray):
        if item.dtype.hasobject:
            return f"{kind} {item.shape}", iter([(".list", item.tolist())])
        return f"{kind} {item.dtype}{item.shape} {_hash(item.tobytes())}", iter(())
    if isinstance(item, random.SystemRandom):
        return kind, iter(())
    if isinstance(item, random.Random):
        return f"{kind} {_hash(repr(item.getstate()).encode())}", iter(())
    if isinstance(item, np.random.RandomState):
        return kind, iter([(".state", item.get_state(legacy=False))])
    if isinstance(item, np.random.BitGenerator):
        return kind, iter([(".state", item.state)])
    if isinstance(item, np.random.Generator):
        return kind, iter([(".bits", item.bit_generator)])
    if isinstance(item, dict):
        return f"{kind} of {len(item)}", iter(
            [(f"[{_short(repr(k))}]", v) for k, v in item.items()] + _attributes(item)
        )
    if isinstance(item, list | tuple | deque):
        return f"{kind} of {len(item)}", iter(
            [(f"[{i}]", v) for i, v in enumerate(item)] + _attributes(item)
        )
    if isinstance(item, set | frozenset):
        texts = sorted(shown_digest(v) for v in item)
        return f"{kind} of {len(item)} {_hash(repr(texts).encode())}", iter(())
    attributes = _attributes(item)
    if attributes or isinstance(item, spaces.Space):
        return kind, iter(attributes)
    return f"{kind} {_opaque(item)}", iter(())


def _opaque(item: Any) -> str:
    """Return what can be told of an object of compiled code: its value or its state."""
    if _package(type(item)) in ("jax", "jaxlib"):
        if hasattr(item, "dtype") and hasattr(item, "shape"):
            return _hash(repr(item).encode())
        return ""
    for method in ("serialize", "cloneSystemState", "getRAM", "tolist"):
        told = getattr(item, method, None)
        if callable(told):
            try:
                value = told()
            except Exception:
                continue
            if method == "cloneSystemState":
                value = value.__getstate__()
            return _hash(repr(value).encode())
    if _package(type(item)) == "pygame":
        if hasattr(item, "get_buffer"):
            return _hash(item.get_buffer().raw)
        return repr(item) if hasattr(item, "__len__") else ""
    try:
        return _hash(pickle.dumps(item))
    except Exception:  # what it holds is told by how the environment goes on
        return ""


def _of_class(kind: type, classes: set[type]) -> Iterator[tuple[str, Any]]:
    """Give the data attributes of a class, and of the module where it is defined."""
    if _package(kind) in _LIBRARIES:
        return
    module = sys.modules.get(_module(kind))
    where = f"class {_module(kind)}.{kind.__qualname__}"
    for name, value in list(vars(kind).items()):
        if not name.startswith("__") and not _is_code(value):
            yield f"{where}.{name}", value
        if isinstance(value, types.FunctionType):
            for i, default in enumerate(value.__defaults__ or ()):
                yield f"{where}.{name} default {i}", default
    if module is None:
        return
    for name, value in list(vars(module).items()):
        if not name.startswith("__") and not _is_code(value):
            yield f"module {module.__name__}.{name}", value


def _module(kind: type) -> str:
    """Return the name of the module of a class; some classes of C++ have none."""
    return getattr(kind, "__module__", "")


def _package(kind: type) -> str:
    return _module(kind).partition(".")[0]


def _is_code(value: Any) -> bool:
    return isinstance(
        value,
        type
        | types.ModuleType
        | types.FunctionType
        | types.BuiltinFunctionType
        | types.MemberDescriptorType
        | types.GetSetDescriptorType
        | property
        | classmethod
        | staticmethod,
    ) or _module(type(value)) in ("typing", "functools", "_abc", "types", "abc")


def _attributes(item: Any) -> list[tuple[str, Any]]:
    found = [
        (f".{name}", value)
        for name, value in getattr(item, "__dict__", {}).items()
        if not (isinstance(item, spaces.Box) and name in _TEXTS_OF_BOXES)
    ]
    for kind in type(item).__mro__:
        for name, member in vars(kind).items():
            if isinstance(member, types.MemberDescriptorType) and hasattr(item, name):
                found.append((f".{name}", getattr(item, name)))
    return found


def _held(cell: types.CellType) -> list[Any]:
    """Return what a cell of a closure holds, nothing if it is empty."""
    try:
        return [cell.cell_contents]
    except ValueError:
        return []


def _hash(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=8).hexdigest()


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 60 else f"{text[:57]}..."
