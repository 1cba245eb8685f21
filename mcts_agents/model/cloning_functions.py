"""How functions, methods and references are copied.

`copy.deepcopy` shares functions. One that holds the live environment, in its closure or
as the object of a bound method, would step it from within a search.
"""

import functools
import types
import weakref
from typing import TYPE_CHECKING, Any

from gymnasium import spaces

from mcts_agents.model.cloning_kinds import ATOMIC, SHARED

if TYPE_CHECKING:
    from mcts_agents.model.cloning import Cloner


def copy_method(cloner: "Cloner", value: types.MethodType) -> types.MethodType:
    """Bind the function to the copy of its object."""
    return types.MethodType(cloner.clone(value.__func__), cloner.clone(value.__self__))


def copy_builtin(cloner: "Cloner", value: Any) -> Any:
    """Bind a method of a C object, such as `list.append`, to the object's copy."""
    owner = value.__self__
    return value if owner is None else getattr(cloner.clone(owner), value.__name__)


def copy_partial(cloner: "Cloner", value: functools.partial) -> functools.partial:
    """Copy what the function is called with."""
    return functools.partial(
        cloner.clone(value.func),
        *cloner.clone(value.args),
        **cloner.clone(value.keywords),
    )


def copy_function(cloner: "Cloner", value: types.FunctionType) -> types.FunctionType:
    """Share a function that holds nothing; give others their own closure."""
    held = [*_contents(value), value.__defaults__, value.__kwdefaults__, vars(value)]
    if all(_holds_nothing(item) for item in held):
        return value
    cells = tuple([_cell(cloner, cell) for cell in value.__closure__ or ()])
    twin = types.FunctionType(
        value.__code__, value.__globals__, value.__name__, None, cells or None
    )
    cloner.remember(value, twin)
    twin.__defaults__ = cloner.clone(value.__defaults__)
    twin.__kwdefaults__ = cloner.clone(value.__kwdefaults__)
    twin.__dict__.update(cloner.clone(vars(value)))
    for cell, own in zip(value.__closure__ or (), cells, strict=True):
        if _is_full(cell) and not _is_full(own):
            own.cell_contents = cloner.part(value, "closure", cell.cell_contents)
    return twin


def _cell(cloner: "Cloner", cell: types.CellType) -> types.CellType:
    """Return the one copy of a variable that several functions may share."""
    return cloner.known(cell) or cloner.remember(cell, types.CellType())


def _contents(function: types.FunctionType) -> list[Any]:
    cells = function.__closure__ or ()
    return [cell.cell_contents for cell in cells if _is_full(cell)]


def _is_full(cell: types.CellType) -> bool:
    try:
        return cell.cell_contents is not cell
    except ValueError:
        return False


def _holds_nothing(value: Any) -> bool:
    kind = type(value)
    if kind in ATOMIC or issubclass(kind, (*SHARED, spaces.Space)):
        return True
    if kind is types.FunctionType:
        return not (value.__closure__ or value.__defaults__ or value.__kwdefaults__)
    if kind in (tuple, dict):
        items = value.values() if kind is dict else value
        return not value or all(type(item) in ATOMIC for item in items)
    return kind is types.BuiltinFunctionType and isinstance(
        value.__self__, types.ModuleType | type
    )


def copy_cached_function(cloner: "Cloner", value: Any) -> Any:
    """Share a cache, unless its function holds something that is copied."""
    wrapped = cloner.clone(value.__wrapped__)
    if wrapped is value.__wrapped__:
        return value
    return functools.lru_cache(**value.cache_parameters())(wrapped)


def copy_weak_reference(cloner: "Cloner", value: weakref.ref) -> weakref.ref:
    """Refer to the copy of what is referred to."""
    target = value()
    return value if target is None else weakref.ref(cloner.clone(target))
