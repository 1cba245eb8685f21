"""A short text that changes when anything in an environment does.

It shares no code with `mcts_agents.model.copying`, which makes copies and compares
them, so that one can be checked by the other.
"""

import hashlib
import random
import types
import warnings
from array import array
from collections import ChainMap, deque
from typing import Any

import numpy as np

from mcts_agents.model import ForwardModel, Rules

_PLAIN = (type(None), bool, int, float, complex, str)
# Classes and code are the same for all objects; they are told by their names.
_NAMED = (type, types.ModuleType, types.FunctionType, types.BuiltinFunctionType)

_PICKLED = ("__reduce_ex__", "__reduce__", "__getstate__")
_PICKLING = (*_PICKLED, "__getnewargs_ex__", "__getnewargs__")


def fingerprint(value: Any) -> str:
    """Return a hash of all numbers, texts and generators in an object, 32 digits."""
    return _walk(value, ChainMap())


def _walk(value: Any, known: ChainMap[int, tuple[str, Any]]) -> str:
    """Return the hash of an object, which ends where it leads to what is known."""
    text = hashlib.blake2b(digest_size=16)
    # Items are kept alive here, so that no id comes twice.
    seen = known.new_child()
    own, level = seen.maps[0], len(seen.maps)
    waiting: list[Any] = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, bytes):
            text.update(f"{len(item)} bytes:".encode())
            text.update(item)
            continue
        if isinstance(item, (*_PLAIN, np.generic)):
            text.update(f"{type(item).__name__}:{item!r};".encode())
            continue
        text.update(f"{type(item).__qualname__}:".encode())
        if id(item) in seen:
            text.update(f"same as {seen[id(item)][0]};".encode())
            continue
        seen[id(item)] = f"{level}, {len(own)}", item
        if isinstance(item, set | frozenset):  # its order means nothing
            waiting.extend(sorted(_walk(member, seen) for member in item))
            waiting.extend(_attributes(item))
        else:
            waiting.extend(reversed(_parts(item)))
    return text.hexdigest()


def _parts(item: Any) -> list[Any]:
    """Return what an object is made of, in a fixed order."""
    if isinstance(item, _NAMED):
        return [item.__name__]
    if isinstance(item, Rules):
        return [item.name]  # beside it only what was compiled so far
    if isinstance(item, ForwardModel):
        return [item.name, item.variant]  # beside it what was compiled or kept so far
    if type(item).__module__.startswith("numba."):
        return []  # compiled code
    if isinstance(item, np.ndarray):
        if item.dtype.hasobject:
            return [item.shape, item.tolist()]
        return [str(item.dtype), item.shape, item.tobytes()]
    if isinstance(item, random.Random):
        return [] if isinstance(item, random.SystemRandom) else [item.getstate()]
    if isinstance(item, np.random.RandomState):
        return [item.get_state(legacy=False)]
    if isinstance(item, np.random.BitGenerator):
        return [item.state]
    if isinstance(item, np.random.Generator):
        return [item.bit_generator]
    if isinstance(item, dict):
        return [*item.keys(), *item.values(), *_attributes(item)]
    if isinstance(item, list | tuple | deque):
        return [*item, *_attributes(item)]
    if isinstance(item, types.MethodType):
        return [item.__func__.__qualname__, item.__self__]
    if isinstance(item, bytearray):
        return [bytes(item), *_attributes(item)]
    if isinstance(item, memoryview):
        try:
            return [item.format, item.shape, item.tobytes()]
        except ValueError:  # it was released
            return []
    if isinstance(item, array):
        return [item.typecode, item.tobytes(), *_attributes(item)]
    attributes = _attributes(item)
    if hasattr(type(item), "__array__") and (found := _array(item)) is not None:
        return [found, *attributes]
    if attributes and all(
        getattr(type(item), name) is getattr(object, name) for name in _PICKLED
    ):
        return attributes
    return [*attributes, *_reduced(item)]


def _array(item: Any) -> np.ndarray | None:
    """Return the array that a tensor holds, None if it cannot be had."""
    try:
        if hasattr(item, "detach"):  # torch
            item = item.detach().cpu()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # libraries that lag behind NumPy
            return np.array(item)
    except Exception:  # whatever a library raises: it has no such form
        return None


def _reduced(item: Any) -> list[Any]:
    """Return what an object is pickled as, nothing if it is not.

    Iterators, dates and many classes of C and C++ keep what they hold out of sight. A
    class that says in Python how it is pickled is not asked: its function may do
    anything.
    """
    for kind in type(item).__mro__:
        if any(isinstance(vars(kind).get(n), types.FunctionType) for n in _PICKLING):
            return []
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # iterators are soon pickled no more
            return [item.__reduce_ex__(2)]
    except Exception:  # whatever a library raises: it cannot be pickled
        return []


def _attributes(item: Any) -> list[Any]:
    found: list[Any] = []
    for name, value in getattr(item, "__dict__", {}).items():
        found += [name, value]
    for kind in type(item).__mro__:
        for name, member in vars(kind).items():
            if isinstance(member, types.MemberDescriptorType) and hasattr(item, name):
                found += [name, getattr(item, name)]
    return found
