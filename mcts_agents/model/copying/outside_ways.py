"""How each thing outside an environment is noted, by its class, and where it leads."""

import functools
import gc
import types
import weakref
from collections.abc import Iterable
from typing import Any

import gymnasium
from gymnasium import spaces
from pettingzoo import AECEnv, ParallelEnv

from mcts_agents.model.copying.cloning_kinds import (
    ATOMIC,
    CACHED_FUNCTION,
    CONSTANTS,
)
from mcts_agents.model.copying.comparing import slots_of
from mcts_agents.model.copying.outside_kinds import (
    ATTRIBUTES,
    Way,
    attributes_but,
    slots_way,
    way_of,
)
from mcts_agents.model.copying.outside_places import is_foreign, module_of
from mcts_agents.model.copying.watchers import WATCHERS

_ENVIRONMENTS = (gymnasium.Env, AECEnv, ParallelEnv)
# Things that only lead to others, which are noted instead.
_LEADING = (
    type,
    types.ModuleType,
    types.FunctionType,
    types.MethodType,
    types.BuiltinFunctionType,
    types.MappingProxyType,
    functools.partial,
    weakref.ref,
    staticmethod,
    classmethod,
    CACHED_FUNCTION,
)


@functools.cache
def ways_of(kind: type, is_own: bool) -> tuple[Way, ...] | None:
    """Return how objects of a class are noted; None if they only lead to others.

    Args:
        kind: The class.
        is_own: Whether it is a part of the environment that is copied with it.
    """
    if kind in WATCHERS or issubclass(kind, _LEADING):
        return None
    way = way_of(kind)
    ways = [] if way is None else [way]
    if ways and (is_foreign(module_of(kind)) or ways[0].is_named):
        return tuple(ways)
    if is_own or not is_foreign(module_of(kind)) or _is_environment(kind):
        if kind.__dictoffset__:
            constants = CONSTANTS.get(f"{module_of(kind)}.{kind.__qualname__}")
            ways.append(attributes_but(*constants) if constants else ATTRIBUTES)
        if slots := slots_of(kind):
            ways.append(slots_way(slots))
    return tuple(ways)


def _is_environment(kind: type) -> bool:
    return issubclass(kind, _ENVIRONMENTS)


def led_to(item: Any) -> Iterable[Any]:
    """Return what something leads to that holds nothing else."""
    if isinstance(item, types.MethodType):
        return item.__func__, item.__self__
    if isinstance(item, types.BuiltinFunctionType):
        return (item.__self__,)
    if isinstance(item, functools.partial):
        return item.func, *item.args, item.keywords
    if isinstance(item, weakref.ref):
        return item(), item.__callback__
    if isinstance(item, types.MappingProxyType):
        return gc.get_referents(item)
    return (item.__func__,)


def cached_results(function: Any) -> list[Any]:
    """Return what a function with `functools.lru_cache` has returned and still keeps.

    Numbers, texts and code are left out. So is a cache of more than 10,000 results.
    """
    if not 0 < function.cache_info().currsize <= 10_000:
        return []
    held = [item for item in gc.get_referents(function) if item is not vars(function)]
    if function.cache_parameters()["maxsize"] is None:
        held = [v for item in held if type(item) is dict for v in item.values()]
    else:
        held = [item for item in held if not _is_a_cache(item)]
    return [item for item in held if not isinstance(item, _UNCHANGING)]


def _is_a_cache(item: Any) -> bool:
    return type(item) is dict and any(
        type(value).__name__ == "_lru_list_elem" for value in item.values()
    )


_UNCHANGING = (
    *ATOMIC,
    types.FunctionType,
    types.MethodType,
    spaces.Space,
)
