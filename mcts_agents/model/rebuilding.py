"""Copies of an author's functions that call other versions of their helpers.

Helpers are what functions call and `numba.njit` made. They run in Python where the line
of a mistake is looked for, and with every index checked in `mcts_agents.testing`.
"""

import types
from collections.abc import Callable
from typing import Any

from numba import njit
from numba.core.dispatcher import Dispatcher

from mcts_agents.model.code_names import names_in

# With it, compiled code raises an IndexError where it would read or write past the end
# of an array. Numba's own cache would mix such code up with the other.
CHECKED = {"boundscheck": True}


class Rebuilt:
    """Copies of functions, each made once.

    Helpers are found among the globals and the closures of what calls them. Others stay
    as they are: those reached through a module or a container, and those that
    `is_wanted` does not want.

    Args:
        version: Makes what stands for a helper, of the helper and a plain copy of it.
        is_wanted: Whether a helper is replaced.
    """

    def __init__(
        self,
        version: Callable[[Dispatcher, types.FunctionType], Callable],
        is_wanted: Callable[[Dispatcher], bool],
    ):
        self._version, self._is_wanted = version, is_wanted
        self._made: dict[int, Callable] = {}  # by the identity of the helper

    def copy(self, function: Any) -> types.FunctionType:
        """Return a plain copy of a function, which calls versions of its helpers."""
        plain = getattr(function, "py_func", function)
        names: dict[str, Any] = dict(plain.__globals__)
        cells = tuple(types.CellType() for _ in plain.__closure__ or ())
        copied = types.FunctionType(
            plain.__code__, names, plain.__name__, plain.__defaults__, cells or None
        )
        copied.__kwdefaults__ = plain.__kwdefaults__
        if isinstance(function, Dispatcher):
            # Known before its own helpers are, which may call it.
            self._made[id(function)] = self._version(function, copied)
        for name in names_in(plain.__code__) & names.keys():
            names[name] = self._replaced(names[name])
        for cell, own in zip(cells, plain.__closure__ or (), strict=True):
            try:
                cell.cell_contents = self._replaced(own.cell_contents)
            except ValueError:  # nothing is in it so far
                continue
        return copied

    def _replaced(self, value: Any) -> Any:
        if not isinstance(value, Dispatcher) or not self._is_wanted(value):
            return value
        if id(value) not in self._made:
            self.copy(value)
        return self._made[id(value)]


def running_in_python() -> Rebuilt:
    """Return copies whose helpers run in Python.

    Those of this package stay compiled: they are no part of the game, and count in
    integers of 64 bits, which Python does not have.
    """
    return Rebuilt(lambda helper, copied: copied, lambda helper: not _is_ours(helper))


def checking_bounds() -> Rebuilt:
    """Return copies whose helpers check each index.

    Those with declared signatures or types stay as they are, and those of this package
    but for what draws: `shuffle` gets an author's array.
    """

    def version(helper: Dispatcher, copied: types.FunctionType) -> Callable:
        options = {k: v for k, v in helper.targetoptions.items() if k != "nopython"}
        return njit(**options | CHECKED)(copied)

    def is_wanted(helper: Dispatcher) -> bool:
        is_ours = _is_ours(helper) and _module_of(helper) != "mcts_agents.model.random"
        return helper._can_compile and not helper.locals and not is_ours

    return Rebuilt(version, is_wanted)


def _is_ours(helper: Dispatcher) -> bool:
    return _module_of(helper).startswith("mcts_agents.model.")


def _module_of(helper: Dispatcher) -> str:
    return helper.py_func.__module__ or ""
