"""Faithful, fast copies of environments that were never made to be copied.

`copy.deepcopy` follows what a class says about pickling. Many environments inherit
`EzPickle`, which keeps the constructor's arguments only, so that their deep copies are
fresh games without a word. Here objects of Python classes are copied by their real
attributes, whatever they say about pickling.

Shared instead of copied are things that a game does not change while it is stepped and
not drawn: spaces, classes, modules, functions that hold nothing or that a module or a
class names, bare objects, enumerations, exceptions, pygame's fonts and clocks.
Pictures are copied once, away from the live environment, and then shared by the
search's copies, which never look at them.

Copied, though `copy.deepcopy` shares them: what other functions hold in their
closures, the objects of bound methods, and arrays that are views of one another. A
search that stepped these would move the live game.
"""

import functools
import types
from collections import defaultdict, deque
from collections.abc import Callable
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.utils import EzPickle

from mcts_agents.model.copying import cloning_arrays as arrays
from mcts_agents.model.copying import cloning_functions as functions
from mcts_agents.model.copying import cloning_jax, cloning_weak
from mcts_agents.model.copying import cloning_objects as objects
from mcts_agents.model.copying import cloning_values as values
from mcts_agents.model.copying.cloning_kinds import (
    CACHED_FUNCTION,
    HANDLES,
    SHARED,
    UNCOPIED_EXACTLY,
    UNCOPIED_WITH_DICE,
)
from mcts_agents.model.copying.comparing import package_of
from mcts_agents.model.copying.copier import Copier
from mcts_agents.model.copying.dice import is_generator
from mcts_agents.model.copying.emulators import copy_emulator, is_emulator
from mcts_agents.model.copying.snapshots import Snapshot
from mcts_agents.model.copying.watchers import WATCHERS

Handler = Callable[[Copier, Any], Any]


class _Handlers(dict[type, Handler]):
    """How objects of each class are copied, chosen once for each class."""

    def __missing__(self, kind: type) -> Handler:
        handler = self[kind] = _handler_of(kind)
        if handler is objects.share:
            UNCOPIED_EXACTLY.add(kind)
        if handler in _SHARED_BY_A_SEARCH:
            UNCOPIED_WITH_DICE.add(kind)
        return handler


_SHARED_BY_A_SEARCH = (objects.share, objects.copy_surface, values.share_space)
_HANDLERS = _Handlers(
    {
        list: values.copy_list,
        tuple: values.copy_tuple,
        dict: values.copy_dict,
        set: values.copy_set,
        frozenset: values.copy_frozenset,
        deque: values.copy_deque,
        defaultdict: values.copy_defaultdict,
        bytearray: values.copy_bytearray,
        np.ndarray: arrays.copy_array,
        np.void: arrays.copy_record,
        types.MethodType: functions.copy_method,
        types.BuiltinFunctionType: functions.copy_builtin,
        types.MethodWrapperType: functions.copy_builtin,
        types.FunctionType: functions.copy_function,
        functools.partial: functions.copy_partial,
        CACHED_FUNCTION: functions.copy_cached_function,
        **cloning_weak.HANDLERS,
        # A bare object is nothing but its identity, which games compare: `EMPTY`.
        object: objects.share,
        Snapshot: objects.copy_snapshot,
        **dict.fromkeys(WATCHERS, objects.copy_inner_environment),
    }
)


class Cloner(Copier):
    """Copies one object graph, each thing as its class asks for; see `Copier`."""

    handlers = _HANDLERS


def _handler_of(kind: type) -> Handler:
    """Choose once for each class how its objects are copied."""
    if issubclass(kind, SHARED):
        return objects.share
    if issubclass(kind, spaces.Space):
        return values.share_space
    if is_generator(kind):
        return values.copy_generator
    handler = arrays.handler_of(kind)
    if handler is not None:
        return handler
    if not hasattr(kind, "__module__") or kind.__name__ == "SwigPyObject":
        return objects.refuse_foreign_memory
    if any(
        f"{getattr(base, '__module__', '')}.{base.__qualname__}" in HANDLES
        for base in kind.__mro__
    ):
        return objects.refuse_handle
    if is_emulator(kind):
        return copy_emulator
    handler = cloning_jax.handler_of(kind) or _pygame_handler_of(kind)
    if handler is not None:
        return handler
    if _says(kind, "__deepcopy__"):
        return objects.copy_by_its_own_way
    if not _has_plain_layout(kind):
        return objects.copy_reduced
    if issubclass(kind, EzPickle) or not _says(
        kind, "__reduce__", "__reduce_ex__", "__getstate__"
    ):
        return objects.plain_copier(kind)
    return objects.copy_object_with_a_state


def _pygame_handler_of(kind: type) -> Handler | None:
    """Tell pygame's kinds apart; None for Python classes and all else."""
    base = next(
        (b for b in kind.__mro__ if package_of(b) == "pygame"),
        None,
    )
    if base is None or _has_plain_layout(kind):
        return None
    if base.__name__ == "Surface":
        return objects.copy_surface
    return (
        objects.copy_pygame_value if base.__name__ in _PYGAME_VALUES else objects.share
    )


_PYGAME_VALUES = frozenset(
    {"Rect", "FRect", "Vector2", "Vector3", "Color", "Mask", "Circle", "Line"}
)


def _says(kind: type, *names: str) -> bool:
    """Whether a class or a base of it (but `object`) defines one of these methods."""
    return any(name in base.__dict__ for base in kind.__mro__[:-1] for name in names)


def _has_plain_layout(kind: type) -> bool:
    """Whether objects are nothing but their attributes: no memory of C's own."""
    try:
        probe = object.__new__(kind)
    except TypeError:
        return False
    if hasattr(kind, "__del__"):  # which may change what the class counts
        try:
            probe.__class__ = _Blank
        except TypeError:
            _PROBES.append(probe)
    return bool(kind.__flags__ & (1 << 9))


class _Blank:
    """What an object is made into that must go without a word."""


_PROBES: list[Any] = []
