"""The kernels: one source, compiled in variants that leave out what is not used.

The constants below are true in the source. A variant is a copy of an entry point, and
of all functions on the way to a constant, in which some of them (in `waiting`, none)
are false. Numba leaves out what stands behind a false constant before it looks at its
types, so that a search neither compiles nor tests for what it does not do.

There are four variants, never one for each setting.
"""

from collections.abc import Callable, Mapping
from types import FunctionType

from numba import njit
from numba.core.dispatcher import Dispatcher

from mcts_agents.model.code_names import names_in

# Whatever most searches do not ask for.
EXTENDED = True
# Nodes that hold states (`closed_loop`).
STORED = True
# Leaves that wait for an evaluator (`batches`), instead of rollouts.
WAITS = True

VARIANTS: dict[str, dict[str, bool]] = {
    "plain": {"EXTENDED": False, "STORED": False, "WAITS": False},
    "extended": {"EXTENDED": True, "STORED": False, "WAITS": False},
    "stored": {"EXTENDED": True, "STORED": True, "WAITS": False},
    "waiting": {"EXTENDED": True, "STORED": True, "WAITS": True},
}


def variant_of(function: Callable, constants: Mapping[str, bool]) -> Callable:
    """Return a compiled function with other constants, and so for all that it calls.

    Functions that reach none of the constants are shared by all variants. What is
    called through a module (`call.apply`) is shared too, and must reach none.

    Args:
        function: Made by `numba.njit`.
        constants: What each constant is to be, by name.
    """
    copies: dict[Dispatcher, Dispatcher] = {}

    def copy(original: Dispatcher) -> Dispatcher:
        if original not in copies:
            copies[original] = original  # it may call itself
            changed = {}
            scope = original.py_func.__globals__
            for name in names_in(original.py_func.__code__) & scope.keys():
                value = scope[name]
                if name in constants:
                    new = constants[name]
                elif isinstance(value, Dispatcher):
                    new = copy(value)
                else:
                    continue
                if new is not value:
                    changed[name] = new
            if changed:
                function = _with_globals(original.py_func, changed)
                inline = original.targetoptions.get("inline", "never")
                copies[original] = njit(function, inline=inline)
        return copies[original]

    return copy(function)


def _with_globals(function: FunctionType, changed: Mapping[str, object]):
    """Return a copy of a Python function that finds other things under some names."""
    copy = FunctionType(
        function.__code__,
        {**function.__globals__, **changed},
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    copy.__qualname__ = function.__qualname__
    copy.__module__ = function.__module__
    copy.__doc__ = function.__doc__
    return copy
