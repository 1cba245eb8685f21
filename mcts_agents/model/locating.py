"""The line of an author's function that made a mistake: found by running it in Python.

Compiled code neither says at which line it raised something, nor notices that it writes
past the end of an array. NumPy does both, so the function is called once more as it was
written, on copies of the same arguments.
"""

import ctypes
import linecache
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from traceback import walk_tb
from typing import Any

import numpy as np

from mcts_agents.model.contract import ENTRIES, MOVE
from mcts_agents.model.forward_model import ForwardModel
from mcts_agents.model.rebuilding import running_in_python

# Lines that run in Python at most: a loop that ends where an integer of 64 bits
# overflows never ends with Python's integers.
MOST_LINES = 1_000_000

# What lies behind the addresses that a function gets.
_ARRAYS = {
    "rng": (lambda model, n: 2, np.uint64),
    "joint_action": (lambda model, n: model.players, np.int32),
    "actions": (lambda model, n: n, np.int32),
}
_OUTPUTS = {
    "legal_actions": (lambda model, n: model.legal_limit, np.int32),
    "scores": (lambda model, n: model.players, np.float64),
    "results": (lambda model, n: model.players, np.int32),
    "evaluate": (lambda model, n: model.players, np.float64),
    "observe": (lambda model, n: model.observation_size, np.int8),
    "action_values": (lambda model, n: n, np.float64),
    "playout_moves": (lambda model, n: n, MOVE),
    "playout_sets": (
        lambda model, n: model.players * -(-model.actions // 64),
        np.uint64,
    ),
}


def line_of_mistake(
    model: ForwardModel, name: str, state: np.ndarray, arguments: tuple[int, ...]
) -> str:
    """Return where a function raises an exception in Python: `" in FILE:LINE, SOURCE"`.

    Args:
        model: A model of compiled rules.
        name: The function.
        state: The state before the call, which is left alone.
        arguments: The function's arguments behind `state`: numbers, and addresses of
            arrays that hold what they held before the call.

    Returns:
        The text; empty if nothing is raised, or the game's author wrote no such
        function.
    """
    author = model.author_function(name)
    if author is None:
        return ""
    given = dict(zip(ENTRIES[name].parameters[2:], arguments, strict=True))
    made: list[Any] = [
        _record(model.game.tobytes(), model.game.dtype),
        _record(state.tobytes(), model.view(state).dtype),
        *(_array(model, name, parameter, given) for parameter in given),
    ]
    try:
        # Where compiled code raises, and NumPy would go on.
        with (
            np.errstate(all="ignore", divide="raise"),
            warnings.catch_warnings(),
            _few_lines(),
        ):
            warnings.simplefilter("ignore")
            running_in_python().copy(author)(*made)
    except _TooManyLinesError:
        return ""
    except Exception as error:
        places = [
            (frame.f_code.co_filename, line)
            for frame, line in walk_tb(error.__traceback__)
            if frame.f_globals["__name__"].partition(".")[0] != "numpy"
        ][1:]  # the first is here
        if places:
            file, line = places[-1]
            return f" in {file}:{line}, `{linecache.getline(file, line).strip()}`"
    return ""


class _TooManyLinesError(Exception):
    """A function ran for too long in Python."""


@contextmanager
def _few_lines() -> Iterator[None]:
    """Raise `_TooManyLinesError` after `MOST_LINES` lines of Python code.

    Those that Numba runs to compile a helper of this package do not count: it would
    never release its locks.
    """
    left, before = MOST_LINES, sys.gettrace()
    compiling = False

    def trace(frame: Any, event: str, argument: Any) -> Any:
        nonlocal left, compiling
        if compiling:
            return None
        if frame.f_globals.get("__name__", "").partition(".")[0] == "numba":
            compiling = True
            return until_compiled
        left -= 1
        if left < 0:
            raise _TooManyLinesError
        return trace

    def until_compiled(frame: Any, event: str, argument: Any) -> Any:
        nonlocal compiling
        compiling = event != "return"
        return until_compiled

    sys.settrace(trace)
    try:
        yield
    finally:
        sys.settrace(before)


def _array(
    model: ForwardModel, name: str, parameter: str, given: dict[str, int]
) -> Any:
    """Return an argument as the author's function takes it."""
    kinds = {**_ARRAYS, "out": _OUTPUTS.get(name, (lambda model, n: 0, np.int8))}
    if parameter not in kinds:
        return given[parameter]
    size, dtype = kinds[parameter]
    number = size(model, given.get("n", given.get("limit", 0)))
    content = ctypes.string_at(given[parameter], number * np.dtype(dtype).itemsize)
    return np.frombuffer(bytearray(content), _recorded(np.dtype(dtype)))


def _record(content: bytes, dtype: np.dtype) -> Any:
    """Return a record whose fields are attributes, as in compiled code."""
    return np.frombuffer(bytearray(content), _recorded(dtype))[0]


def _recorded(dtype: np.dtype) -> np.dtype:
    """Return a dtype of the same layout whose records have attributes."""
    if dtype.subdtype is not None:
        base, shape = dtype.subdtype
        return np.dtype((_recorded(base), shape))
    if dtype.names is None:
        return dtype
    layout = {
        "names": dtype.names,
        "formats": [_recorded(dtype[name]) for name in dtype.names],
        "offsets": [dtype.fields[name][1] for name in dtype.names],
        "itemsize": dtype.itemsize,
    }
    return np.dtype((np.record, np.dtype(layout)))
