"""How objects are copied: by attributes, else as their class says."""

import copy
import copyreg
import functools
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from mcts_agents.model.copying.cloning_constants import compares_by_value, is_constant
from mcts_agents.model.copying.cloning_kinds import (
    CONSTANTS,
    UncopyableEnvironmentError,
)
from mcts_agents.model.copying.comparing import slots_of
from mcts_agents.model.copying.copier import Copier, named
from mcts_agents.model.copying.dice import generators_in, reseed
from mcts_agents.model.copying.guards import signal_has_raised
from mcts_agents.model.copying.snapshots import Snapshot, copied


def share(cloner: Copier, value: Any) -> Any:
    """Use the original itself."""
    return value


def copy_inner_environment(cloner: Copier, value: Any) -> Any:
    """Copy what a wrapper watches, without the wrapper."""
    return cloner.clone(value.env)


def plain_copier(kind: type) -> Callable[[Copier, Any], Any]:
    """Return the function that copies the objects of a Python class by attributes.

    What can be known of the class is found out once, not with every copy.
    """
    slots, compared = slots_of(kind), compares_by_value(kind)
    if kind.__dictoffset__ == 0:
        return lambda cloner, value: _copy_slots(
            cloner, value, cloner.remember(value, object.__new__(kind)), slots
        )
    by_attributes = _copier_of_attributes(kind)
    if slots:
        return lambda cloner, value: _copy_slots(
            cloner, value, by_attributes(cloner, value), slots
        )
    if not compared:
        return by_attributes

    def share_or_copy(cloner: Copier, value: Any) -> Any:
        if cloner.dice is None or not is_constant(value):
            return by_attributes(cloner, value)
        cloner.constants.append(value)
        return cloner.remember(value, value)

    return share_or_copy


def _copier_of_attributes(kind: type) -> Callable[[Copier, Any], Any]:
    constants = CONSTANTS.get(f"{kind.__module__}.{kind.__qualname__}", frozenset())
    new, set_attribute = object.__new__, object.__setattr__
    sets_its_own_way = kind.__setattr__ is not set_attribute

    def copy_attributes(cloner: Copier, value: Any) -> Any:
        uncopied, memo, handlers = cloner.uncopied, cloner.memo, cloner.handlers
        twin = memo[id(value)] = new(kind)
        attributes = value.__dict__
        own = attributes.copy()
        if sets_its_own_way:  # which might refuse
            set_attribute(twin, "__dict__", own)
        else:
            twin.__dict__ = own
        name = ""
        try:
            for name, item in attributes.items():
                held = type(item)
                if held not in uncopied and name not in constants:
                    found = memo.get(id(item))
                    own[name] = handlers[held](cloner, item) if found is None else found
        except BaseException as error:
            # What is thrown away must not close what belongs to the original.
            own.clear()
            if isinstance(error, UncopyableEnvironmentError):
                raise named(value, name, error) from error
            raise
        return twin

    return copy_attributes


def _copy_slots(cloner: Copier, value: Any, twin: Any, slots: tuple[str, ...]) -> Any:
    for name in slots:
        if hasattr(value, name):
            item = cloner.part(value, name, getattr(value, name))
            object.__setattr__(twin, name, item)
    return twin


def copy_object_with_a_state(cloner: Copier, value: Any) -> Any:
    """Copy by attributes; where they cannot be copied, by what the class keeps."""
    count = len(cloner.memo)
    try:
        return _plain_copier(type(value))(cloner, value)
    except UncopyableEnvironmentError:
        cloner.forget(count)
        return copy_reduced(cloner, value)


_plain_copier = functools.cache(plain_copier)


def copy_reduced(cloner: Copier, value: Any) -> Any:
    """Copy by the pickle protocol, its parts by this cloner."""
    kind = type(value)
    with _its_own_code(kind):
        reduce = copyreg.dispatch_table.get(kind)
        reduction = cloner.keep(reduce(value) if reduce else value.__reduce_ex__(4))
    if isinstance(reduction, str):
        return value
    make, arguments, state, items, pairs = (*reduction, None, None, None)[:5]
    if state is None and kind.__reduce__ in _LEAVING_ATTRIBUTES_OUT:
        state = getattr(value, "__dict__", None) or None
    arguments = cloner.part(value, "__reduce__()", arguments)
    with _its_own_code(kind):
        twin = make(*arguments)
    cloner.remember(value, twin)
    own_items = [cloner.clone(cloner.keep(item)) for item in items or ()]
    own_pairs = [
        (cloner.clone(cloner.keep(key)), cloner.part(value, key, cloner.keep(item)))
        for key, item in pairs or ()
    ]
    own_state = None if state is None else _copied_state(cloner, value, state)
    with _its_own_code(kind):
        _fill(twin, own_items, own_pairs)
        if own_state is not None:
            _set_state(twin, own_state)
    return twin


_CONTAINERS: tuple[Any, ...] = (OrderedDict, dict, list, deque)
# How the standard containers are reduced that leave their attributes out.
_LEAVING_ATTRIBUTES_OUT = (defaultdict.__reduce__, Counter.__reduce__)


@contextmanager
def _its_own_code(kind: type) -> Iterator[None]:
    """Name the class whose own methods raise an error within the context."""
    try:
        yield
    except Exception as error:
        if signal_has_raised():
            raise
        name = f"{kind.__module__}.{kind.__qualname__}"
        raise UncopyableEnvironmentError(f"{name} ({error})") from error


def _fill(twin: Any, items: list[Any], pairs: list[tuple[Any, Any]]) -> None:
    """Put into a container what its original holds.

    By the methods of the standard containers: those of a subclass may do more, and ask
    for attributes that the copy gets only afterwards.
    """
    kind = next((base for base in _CONTAINERS if isinstance(twin, base)), type(twin))
    for item in items:
        kind.append(twin, item)
    for key, item in pairs:
        kind.__setitem__(twin, key, item)


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


def refuse_handle(cloner: Copier, value: Any) -> Any:
    """Refuse a handle of the operating system; see `HANDLES`."""
    kind = type(value)
    raise UncopyableEnvironmentError(
        f"{kind.__module__}.{kind.__qualname__} (a handle of the operating system, "
        "which a copy would share)"
    )


def copy_by_its_own_way(cloner: Copier, value: Any) -> Any:
    """Copy an object whose class says how; its generators still get other dice."""
    before = {id(g) for g in generators_in(value)} if cloner.dice is None else set()
    try:
        twin = copy.deepcopy(value, cloner.memo)
    except Exception as error:
        if signal_has_raised():
            raise
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


def copy_snapshot(cloner: Copier, value: Snapshot) -> Snapshot:
    """Copy a snapshot; the first one of a plan has dice thrown for all its copies."""
    twin = cloner.remember(value, copied(value))
    cloner.snapshots.append(twin)
    return twin


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
