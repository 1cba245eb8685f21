"""How functions, methods and references are copied.

`copy.deepcopy` shares functions. One that holds the live environment, in its closure or
as the object of a bound method, would step it from within a search.
"""

import functools
import sys
import types
from typing import Any

from mcts_agents.model.copying.cloning_kinds import ATOMIC
from mcts_agents.model.copying.copier import Copier


def copy_method(cloner: Copier, value: types.MethodType) -> types.MethodType:
    """Bind the function to the copy of its object."""
    return types.MethodType(cloner.clone(value.__func__), cloner.clone(value.__self__))


def copy_builtin(cloner: Copier, value: Any) -> Any:
    """Bind a method of a C object, such as `list.append`, to the object's copy."""
    owner = value.__self__
    return value if owner is None else getattr(cloner.clone(owner), value.__name__)


def copy_partial(cloner: Copier, value: functools.partial) -> functools.partial:
    """Copy what the function is called with."""
    function, arguments = cloner.clone(value.func), cloner.clone(value.args)
    keywords = cloner.clone(value.keywords)
    known = cloner.known(value)  # what it is called with may hold it
    if known is not None:
        return known
    return cloner.remember(value, functools.partial(function, *arguments, **keywords))


def copy_function(cloner: Copier, value: types.FunctionType) -> types.FunctionType:
    """Share a function that holds nothing; give others variables of their own.

    One that is bound to its name in a module or class is shared too: code compares it
    with what the name stands for, and what it holds is watched with all that lies
    outside the environment (`outside_places.Places.cells`).
    """
    cells = value.__closure__ or ()
    held = (value.__defaults__, value.__kwdefaults__, vars(value))
    if not cells and all(_is_constant(item) for item in held):
        return value
    if _is_bound_to_its_name(value):
        return value
    own_cells = tuple([_cell(cloner, cell) for cell in cells])
    twin = types.FunctionType(
        value.__code__, value.__globals__, value.__name__, None, own_cells or None
    )
    cloner.remember(value, twin)
    twin.__defaults__ = cloner.part(value, "__defaults__", value.__defaults__)
    twin.__kwdefaults__ = cloner.part(value, "__kwdefaults__", value.__kwdefaults__)
    twin.__dict__.update(cloner.part(value, "__dict__", vars(value)))
    names = value.__code__.co_freevars
    for name, cell, own in zip(names, cells, own_cells, strict=True):
        if _is_full(cell) and not _is_full(own):
            own.cell_contents = cloner.part(value, name, cell.cell_contents)
    return twin


def _is_bound_to_its_name(function: types.FunctionType) -> bool:
    found = sys.modules.get(function.__module__)
    for name in function.__qualname__.split("."):
        found = getattr(found, "__dict__", {}).get(name)
    return found is function


def _cell(cloner: Copier, cell: types.CellType) -> types.CellType:
    """Return the one copy of a variable that several functions may share."""
    known = cloner.known(cell)
    return cloner.remember(cell, types.CellType()) if known is None else known


def _is_full(cell: types.CellType) -> bool:
    try:
        return cell.cell_contents is not cell
    except ValueError:
        return False


def _is_constant(held: tuple | dict | None) -> bool:
    """Whether default values, or attributes of a function, cannot change."""
    values = held.values() if isinstance(held, dict) else held or ()
    return all(type(value) in ATOMIC for value in values)


def copy_cached_function(cloner: Copier, value: Any) -> Any:
    """Share a cache, unless its function holds something that is copied."""
    wrapped = cloner.clone(value.__wrapped__)
    if wrapped is value.__wrapped__:
        return value
    known = cloner.known(value)  # the function may call itself by way of the cache
    if known is not None:
        return known
    cached = functools.lru_cache(**value.cache_parameters())(wrapped)
    return cloner.remember(value, cached)
