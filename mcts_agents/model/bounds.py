"""Functions of rules in which every index is checked, for `mcts_agents.testing`."""

import types
from collections.abc import Callable
from typing import Any

from numba import njit
from numba.core.dispatcher import Dispatcher

# With it, compiled code raises an IndexError where it would read or write past the end
# of an array. Numba's own cache would mix such code up with the other.
CHECKED = {"boundscheck": True}


def with_checked_helpers(
    function: Callable, made: dict[int, Callable] | None = None
) -> types.FunctionType:
    """Return a plain function that calls its helpers with every index checked.

    Helpers are functions that `numba.njit` made. Those of this package's model stay as
    they are, since they are no part of a game; so do those with declared signatures or
    types, and those that are not globals of what calls them.

    Args:
        function: The function; of one that `numba.njit` made, the plain one.
        made: The helpers that were made before, by the identity of the original.
    """
    made = {} if made is None else made
    plain = getattr(function, "py_func", function)
    names: dict[str, Any] = dict(plain.__globals__)
    checked = types.FunctionType(
        plain.__code__, names, plain.__name__, plain.__defaults__, plain.__closure__
    )
    checked.__kwdefaults__ = plain.__kwdefaults__
    if isinstance(function, Dispatcher):
        # Known before its helpers are, which may call it.
        options = {k: v for k, v in function.targetoptions.items() if k != "nopython"}
        made[id(function)] = njit(**options | CHECKED)(checked)
    for name in plain.__code__.co_names:
        helper = names.get(name)
        if _is_helper(helper):
            if id(helper) not in made:
                with_checked_helpers(helper, made)
            names[name] = made[id(helper)]
    return checked


def _is_helper(value: object) -> bool:
    return (
        isinstance(value, Dispatcher)
        and value._can_compile
        and not value.locals
        and not value.py_func.__module__.startswith("mcts_agents.model.")
    )
