"""How to read what a thing of each kind holds, whether it changed, and to undo that."""

import array
import ctypes
import enum
import logging
import mmap
import operator
import sys
import types
import weakref
from collections import OrderedDict, UserDict, UserList, deque
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
from gymnasium import spaces

from mcts_agents.model.copying import outside_iterators as iterators
from mcts_agents.model.copying.comparing_shallowly import same_names, same_row
from mcts_agents.model.copying.outside_places import module_of

# A larger container is only counted, and larger bounds of spaces are left out.
_LARGEST = 100_000
_LARGEST_BOUNDS = 4096


class Way(NamedTuple):
    """How the contents of things of one kind are noted, shallowly.

    Attributes:
        read: Returns what a thing holds, as something that later changes leave alone.
        is_same: Whether two of these are the same objects, or equal numbers and texts.
        write: Writes it back, for a thing and what was read; None if nobody can.
        parts: Returns the things to note next, of what was read.
        is_named: Whether what is read is a dictionary of attributes by name.
        is_sized: Whether it may be too large to keep.
    """

    read: Callable[[Any], Any]
    is_same: Callable[[Any, Any], bool]
    write: Callable[[Any, Any], None] | None
    parts: Callable[[Any], Iterable[Any]] = lambda before: before
    is_named: bool = False
    is_sized: bool = False

    def chosen(self, item: Any) -> "Way":
        """Return the way for one thing: large containers are only counted."""
        if self is _ARRAY:
            return _OBJECTS if item.dtype.hasobject else _NUMBERS
        if self.is_sized and len(item) > _LARGEST:
            return _COUNTED
        return self


def _same_table(before: dict[Any, Any], now: dict[Any, Any]) -> bool:
    """Compare dictionaries, in whose order a game may go through them."""
    return same_row(before, now) and same_row(before.values(), now.values())


def _same_things(before: list[Any], now: list[Any]) -> bool:
    """Compare what weak containers hold, whose order depends on addresses."""
    return len(before) == len(now) and set(map(id, before)) == set(map(id, now))


def _same_numbers(before: np.ndarray, now: np.ndarray) -> bool:
    return before.shape == now.shape and before.tobytes() == now.tobytes()


def _nothing(before: Any) -> Iterable[Any]:
    return ()


def _values(before: dict[Any, Any]) -> Iterable[Any]:
    return before.values()


def _keys_and_values(before: dict[Any, Any]) -> Iterable[Any]:
    return *before, *before.values()


# Lists, dictionaries and sets are read and written by the methods of Python's own
# classes: those of a subclass, such as `collections.Counter`, may do something else.


def _write_dict(item: dict[Any, Any], before: dict[Any, Any]) -> None:
    dict.clear(item)
    dict.update(item, before)


def _write_ordered(item: OrderedDict[Any, Any], before: dict[Any, Any]) -> None:
    OrderedDict.clear(item)
    for key, value in before.items():
        OrderedDict.__setitem__(item, key, value)


def _write_list(item: list[Any], before: list[Any]) -> None:
    list.__setitem__(item, slice(None), before)


def _write_set(item: set[Any], before: set[Any]) -> None:
    set.clear(item)
    set.update(item, before)


def _write_deque(item: deque[Any], before: list[Any]) -> None:
    deque.clear(item)
    deque.extend(item, before)


_CONTAINERS = {
    OrderedDict: Way(
        lambda item: dict(OrderedDict.items(item)),
        _same_table,
        _write_ordered,
        _keys_and_values,
    ),
    dict: Way(dict.copy, _same_table, _write_dict, _keys_and_values),
    list: Way(list.copy, same_row, _write_list),
    set: Way(set.copy, operator.eq, _write_set),
    deque: Way(lambda item: [*deque.__iter__(item)], same_row, _write_deque),
}
_CONTAINERS = {kind: way._replace(is_sized=True) for kind, way in _CONTAINERS.items()}
_COUNTED = Way(lambda item: [len(item)], operator.eq, None, _nothing)


def _write_attributes(item: Any, before: dict[str, Any]) -> None:
    attributes = item.__dict__
    attributes.clear()
    attributes.update(before)


ATTRIBUTES = Way(
    lambda item: item.__dict__.copy(), same_names, _write_attributes, _values, True
)


def attributes_but(*names: str, parts: Callable[[Any], Any] = _values) -> Way:
    """Return the way for attributes without some that may change."""

    def read(item: Any) -> dict[str, Any]:
        return {k: v for k, v in item.__dict__.items() if k not in names}

    def write(item: Any, before: dict[str, Any]) -> None:
        attributes = item.__dict__
        for name in read(item).keys() - before.keys():
            del attributes[name]
        attributes.update(before)

    return Way(read, same_names, write, parts, True)


def _small(before: dict[str, Any]) -> list[Any]:
    return [
        value
        for value in before.values()
        if not (isinstance(value, np.ndarray) and value.size > _LARGEST_BOUNDS)
    ]


def slots_way(names: tuple[str, ...]) -> Way:
    """Return the way for attributes that lie in slots of these names."""

    def read(item: Any) -> dict[str, Any]:
        return {name: getattr(item, name) for name in names if hasattr(item, name)}

    def write(item: Any, before: dict[str, Any]) -> None:
        for name in names:
            if name in before:
                object.__setattr__(item, name, before[name])
            elif hasattr(item, name):
                object.__delattr__(item, name)

    return Way(read, same_names, write, _values, True)


def _write_objects(item: np.ndarray, before: list[Any]) -> None:
    for place, value in zip(np.ndindex(item.shape), before, strict=True):
        item[place] = value


def _write_numbers(item: np.ndarray, before: np.ndarray) -> None:
    np.asarray(item)[...] = before


def _objects_of(item: np.ndarray) -> list[Any]:
    return np.asarray(item).ravel().tolist()


_OBJECTS = Way(_objects_of, same_row, _write_objects)
_NUMBERS = Way(
    lambda item: np.array(item, subok=False), _same_numbers, _write_numbers, _nothing
)


# Stands for one of the two until an array is there; see `Way.chosen`.
_ARRAY = Way(_objects_of, same_row, None)


def _write_memory(item: Any, before: bytes) -> None:
    memoryview(item).cast("B")[:] = before


def _write_array(item: "array.array[Any]", before: bytes) -> None:
    item[:] = array.array(item.typecode, before)


def _write_bytes(item: Any, before: bytes) -> None:
    item[:] = before


def _write_stream(item: Any, before: Any) -> None:
    value, place = before
    item.seek(0)
    item.truncate()
    item.write(value)
    item.seek(place)


def _read_stream(item: Any) -> Any:
    return None if item.closed else (item.getvalue(), item.tell())


def _read_map(item: mmap.mmap) -> bytes | None:
    return None if item.closed else item[:]


def _write_weak_set(item: weakref.WeakSet[Any], before: list[Any]) -> None:
    item.clear()
    item.update(before)


def _write_weak_table(item: Any, before: list[Any]) -> None:
    half = len(before) // 2
    item.clear()
    item.update(dict(zip(before[:half], before[half:], strict=True)))


_WEAK_TABLE = Way(
    lambda item: [*item.keys(), *item.values()], _same_things, _write_weak_table
)


def _read_frame(item: "types.GeneratorType[Any, Any, Any]") -> dict[str, Any]:
    frame = item.gi_frame
    return {"": None} if frame is None else {"": frame.f_lasti, **frame.f_locals}


def _write_environ(item: Any, before: dict[str, str]) -> None:
    item.clear()
    item.update(before)


def _in_queue(item: Any) -> dict[str, Any]:
    return {"queue": item.queue, "unfinished_tasks": item.unfinished_tasks}


def _write_queue(item: Any, before: dict[str, Any]) -> None:
    item.__dict__.update(before)


def _read_tensor(item: Any) -> tuple[Any, Any]:
    torch = sys.modules["torch"]
    is_plain = item.layout == torch.strided and not item.is_nested
    if not is_plain or item.is_quantized or item.is_meta:
        return None, item._version  # which counts the changes; there are no plain bytes
    held = item.detach().clone()
    plain = held.cpu().resolve_conj().resolve_neg().contiguous().flatten()
    return held, bytes(plain.view(torch.uint8).numpy().data)


def _write_tensor(item: Any, before: tuple[Any, Any]) -> None:
    with sys.modules["torch"].no_grad():
        item.copy_(before[0])


_TENSOR = Way(
    _read_tensor,
    lambda before, now: before[1] == now[1],
    _write_tensor,
    _nothing,
)

_MEMORY = (ctypes.Array, ctypes.Structure, ctypes.Union, ctypes._SimpleCData)
# By the names of their modules and classes, which need not be imported for that.
_BY_NAME: dict[str, Way] = {
    "_io.BytesIO": Way(_read_stream, operator.eq, _write_stream, _nothing),
    "_io.StringIO": Way(_read_stream, operator.eq, _write_stream, _nothing),
    "_thread._local": ATTRIBUTES,
    "argparse.Namespace": ATTRIBUTES,
    "collections.ChainMap": ATTRIBUTES,
    "os._Environ": Way(dict, operator.eq, _write_environ, _nothing),
    "queue.Queue": Way(_in_queue, same_names, _write_queue, _values, True),
    "torch.Tensor": _TENSOR,
    "types.SimpleNamespace": ATTRIBUTES,
    # What it was registered with.
    "gymnasium.envs.registration.EnvSpec": Way(_nothing, operator.eq, None),
}


_KINDS: list[tuple[Any, Way]] = [
    (bytearray, Way(bytes, operator.eq, _write_bytes, _nothing)),
    (array.array, Way(bytes, operator.eq, _write_array, _nothing)),
    (mmap.mmap, Way(_read_map, operator.eq, _write_bytes, _nothing)),
    (memoryview, Way(bytes, operator.eq, _write_memory, _nothing)),
    (_MEMORY, Way(bytes, operator.eq, _write_memory, _nothing)),
    (weakref.WeakSet, Way(list, _same_things, _write_weak_set)),
    (weakref.WeakKeyDictionary | weakref.WeakValueDictionary, _WEAK_TABLE),
    # Whether bounds are finite follows from the bounds.
    (
        spaces.Space,
        attributes_but("_np_random", "bounded_below", "bounded_above", parts=_small),
    ),
    (enum.Enum, ATTRIBUTES),
    (BaseException, ATTRIBUTES),
    (logging.Logger, attributes_but("_cache", parts=_nothing)),
    (UserDict | UserList, ATTRIBUTES),
    (types.GeneratorType, Way(_read_frame, same_names, None, _values)),
    (
        iterators.KINDS,
        Way(iterators.state_of, iterators.is_same_state, None, iterators.parts),
    ),
]


def way_of(kind: type) -> Way | None:
    """Return how things of one of Python's or a library's classes are noted."""
    if issubclass(kind, np.ndarray):
        return _ARRAY
    for known, way in (*_CONTAINERS.items(), *_KINDS):
        if issubclass(kind, known):
            return way
    names = [f"{module_of(base)}.{base.__qualname__}" for base in kind.__mro__]
    return next((_BY_NAME[name] for name in names if name in _BY_NAME), None)
