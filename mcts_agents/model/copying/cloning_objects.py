"""How objects are copied: by attributes, else as their class says."""

import copy
import copyreg
import functools
from typing import Any

from mcts_agents.model.copying.cloning_kinds import (
    ATOMIC,
    CONSTANTS,
    UncopyableEnvironmentError,
)
from mcts_agents.model.copying.comparing import slots_of
from mcts_agents.model.copying.copier import Copier
from mcts_agents.model.copying.dice import generators_in, reseed


def share(cloner: Copier, value: Any) -> Any:
    """Use the original itself."""
    return value


def copy_inner_environment(cloner: Copier, value: Any) -> Any:
    """Copy what a wrapper watches, without the wrapper."""
    return cloner.clone(value.env)


def copy_plain_object(cloner: Copier, value: Any) -> Any:
    """Copy an object of a Python class by its attributes."""
    kind = type(value)
    twin = cloner.remember(value, object.__new__(kind))
    attributes = getattr(value, "__dict__", None)
    if attributes:
        constants = _constants_of(kind)
        own = twin.__dict__
        for name, item in attributes.items():
            if type(item) not in ATOMIC and name not in constants:
                item = cloner.part(value, name, item)
            own[name] = item
    for name in _slots(kind):
        if hasattr(value, name):
            item = cloner.part(value, name, getattr(value, name))
            object.__setattr__(twin, name, item)
    return twin


_slots = functools.cache(slots_of)


@functools.cache
def _constants_of(kind: type) -> frozenset[str]:
    return CONSTANTS.get(f"{kind.__module__}.{kind.__qualname__}", frozenset())


def copy_object_with_a_state(cloner: Copier, value: Any) -> Any:
    """Copy by attributes; where they cannot be copied, by what the class keeps."""
    count = len(cloner._alive)
    try:
        return copy_plain_object(cloner, value)
    except UncopyableEnvironmentError:
        cloner.forget(count)
        return copy_reduced(cloner, value)


def copy_reduced(cloner: Copier, value: Any) -> Any:
    """Copy by the pickle protocol, its parts by this cloner."""
    kind = type(value)
    try:
        reduce = copyreg.dispatch_table.get(kind)
        reduction = reduce(value) if reduce else value.__reduce_ex__(4)
    except Exception as error:
        name = f"{kind.__module__}.{kind.__qualname__}"
        raise UncopyableEnvironmentError(f"{name} ({error})") from error
    if isinstance(reduction, str):
        return value
    make, arguments, state, items, pairs = (*reduction, None, None, None)[:5]
    twin = cloner.remember(value, make(*cloner.part(value, "__reduce__()", arguments)))
    for item in items or ():
        twin.append(cloner.clone(item))
    for key, item in pairs or ():
        twin[cloner.clone(key)] = cloner.part(value, key, item)
    if state is not None:
        _set_state(twin, _copied_state(cloner, value, state))
    return twin


def _copied_state(cloner: Copier, value: Any, state: Any) -> Any:
    """Copy what a class keeps of an object; an error names the attribute."""
    if type(state) is dict:
        return {name: cloner.part(value, name, item) for name, item in state.items()}
    if type(state) is tuple:
        return tuple([_copied_state(cloner, value, item) for item in state])
    return cloner.part(value, "__getstate__()", state)


def _set_state(twin: Any, state: Any) -> None:
    if hasattr(twin, "__setstate__"):
        twin.__setstate__(state)
        return
    attributes, slots = state if isinstance(state, tuple) else (state, None)
    twin.__dict__.update(attributes or {})
    for name, item in (slots or {}).items():
        object.__setattr__(twin, name, item)


def refuse_foreign_memory(cloner: Copier, value: Any) -> Any:
    """Refuse what is an address in a C or C++ library's memory, such as Box2D's.

    It can be pickled; the copy is the same address, and stepping it moves the original.
    """
    raise UncopyableEnvironmentError(
        f"{type(value).__name__} (memory of a C++ library, which gives no copies)"
    )


def copy_by_its_own_way(cloner: Copier, value: Any) -> Any:
    """Copy an object whose class says how; its generators still get other dice."""
    before = {id(g) for g in generators_in(value)} if cloner.dice is None else set()
    try:
        twin = copy.deepcopy(value, cloner._memo)
    except Exception as error:
        kind = f"{type(value).__module__}.{type(value).__qualname__}"
        raise UncopyableEnvironmentError(f"{kind} ({error})") from error
    for generator in generators_in(twin):
        if id(generator) in before:
            raise UncopyableEnvironmentError(
                f"{type(value).__qualname__}.__deepcopy__ shares a random generator"
            )
        if cloner.dice is not None:
            reseed(generator, cloner.dice)
    if cloner.dice is None:
        cloner.generators += generators_in(value)
    return cloner.remember(value, twin)


def copy_surface(cloner: Copier, value: Any) -> Any:
    """Copy a picture once, so that nothing is drawn over the live one."""
    if cloner.dice is not None:
        return value
    parent = value.get_parent()
    if parent is None:
        return cloner.remember(value, value.copy())
    part = (value.get_offset(), value.get_size())
    return cloner.remember(value, cloner.clone(parent).subsurface(part))


def copy_pygame_value(cloner: Copier, value: Any) -> Any:
    """Copy a rectangle, vector, colour or mask, which games keep positions in."""
    twin = value.copy() if hasattr(value, "copy") else type(value)(value)
    cloner.remember(value, twin)
    for name, item in getattr(value, "__dict__", {}).items():
        twin.__dict__[name] = cloner.part(value, name, item)
    return twin
