"""Errors of compilation as an author of a game can use them: where, what, and a remedy.

Numba's own messages have a hundred lines and more for a misspelled field, since each
step of the compilation adds some. All of them are shown if the environment variable
`MCTS_AGENTS_FULL_ERRORS` is set.
"""

import dis
import inspect
import linecache
import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from pathlib import Path
from traceback import walk_tb
from types import CodeType, FunctionType
from typing import Any

from numba.core.errors import NumbaError, UnsupportedBytecodeError

from mcts_agents.names import quoted, shortened, unknown_name

# What Numba raises when it compiles.
COMPILE_ERRORS = (NumbaError, UnsupportedBytecodeError)

FULL_ERRORS = "MCTS_AGENTS_FULL_ERRORS"
MOST_REASON = 300  # characters

_GENERATED = "<mcts_agents_compiled"  # how generated modules are called
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_RAISED = re.compile(r"Raised from (.+) \((\d+)\)")
_PLACE = re.compile(r'File "([^"\n]+)", line (\d+)')
# What stands before and behind Numba's reason.
_NOISE = re.compile(r"Failed in \w+ mode pipeline|During: |File \"|-+%<-+|\s*$")
_FIELD = re.compile(r"(?:Unknown attribute '(\w+)' of type Record\((.*)\))|"
                    r"(?:setattr: \(Record\((.*?)\)\)\.(\w+) =)")  # fmt: skip
_NAME = re.compile(r"NameError: .*'(\w+)'")
_PLAIN_FUNCTION = re.compile(r"'(\w+)'.*<class 'function'>")
# How Numba refuses `fraction | 0`, see `wrapping.wrapper_source`.
_NOT_WHOLE = re.compile(r"or_\((.+), Literal\[int\]\(0\)\)")
# How it refuses one `return` beside others, and what no field or entry can hold.
_NO_CONVERSION = re.compile(r"No conversion from (.+?) to u?int\d+ for '\$\w*return")
_NO_CAST = re.compile(r"Cannot cast (.+?) to (.+?): ?%")
_LOWERING = re.compile(r"During: lowering .* at (.+) \((\d+)\)")
# Functions for Python of `mcts_agents.model`, and those that rules call instead.
_IN_RULES = {
    "draw_below": "random_below",
    "draw_uint64": "next_uint64",
}

_GENERAL = (
    "Write it with numbers, arrays, records and loops, as Numba compiles them; helpers "
    "are functions decorated with numba.njit."
)


def shows_all() -> bool:
    """Whether the user asks for Numba's own messages."""
    return bool(os.environ.get(FULL_ERRORS))


def explanation(
    game: str,
    error: Exception,
    functions: Mapping[str, Callable],
    fields: Collection[str],
) -> str | None:
    """Return a few lines about why a game's function cannot be compiled.

    Args:
        game: The game's name.
        error: What Numba raised.
        functions: The author's functions that were being compiled, by what the contract
            calls them.
        fields: The names of all fields of the game's records.

    Returns:
        The lines; None if the error is not about the functions.
    """
    text = _COLOUR.sub("", str(error))
    place = _place_in(text)
    if isinstance(error, KeyError):
        # Of a function that is inlined, this is all that Numba says of a field that a
        # record does not have.
        name = str(error.args[0]) if error.args else ""
        place = _place_of(name, functions.values())
        if place is None or name in fields:
            return None
        reason, remedy = _unknown_field(name, sorted(fields))
    elif isinstance(error, COMPILE_ERRORS):
        reason, remedy = _reason_in(text)
        if found := _NAME.search(text) or _PLAIN_FUNCTION.search(text):
            place = place or _place_of(found[1], functions.values())
            value = _value_of(found[1], functions.values())
            reason, remedy = _unusable(found[1], value) or (reason, remedy)
    else:
        return None
    entry = _entry_of(error)
    if place is None:
        function = functions.get(entry)
        if function is not None:
            code = getattr(function, "py_func", function).__code__
            # What is wrong in the whole function shows where it returns.
            place = code.co_filename, _first_return(code)
    lines = [f"{game}: `{entry}` cannot be compiled:"]
    if place is not None:
        file, line = place
        lines = [
            f"{game}: `{_function_at(file, line) or entry}` cannot be compiled. "
            f'File "{file}", line {line}:',
            f"    {linecache.getline(file, line).strip()}",
        ]
    return "\n".join(
        [*lines, reason, remedy, f"(Set {FULL_ERRORS}=1 to see all that Numba says.)"]
    )


def _place_in(text: str) -> tuple[str, int] | None:
    """Return the first place, the innermost, in a file that is not generated."""
    lowered = _LOWERING.findall(text) if _NO_CAST.search(text) else []
    for file, line in lowered or _PLACE.findall(text) or _RAISED.findall(text):
        if not file.startswith(_GENERATED):
            # Numba shortens the names of files in the current folder.
            return (os.path.abspath(file) if Path(file).exists() else file), int(line)
    return None


def _place_of(name: str, functions: Iterable[Callable]) -> tuple[str, int] | None:
    """Return where functions, or compiled helpers that they call, name something."""
    reached = [*functions]
    for function in reached:  # which grows on the way
        plain = getattr(function, "py_func", function)
        code = plain.__code__
        for instruction in dis.get_instructions(code):
            if instruction.argval == name and instruction.positions:
                return code.co_filename, instruction.positions.lineno
        helpers = (plain.__globals__.get(inner) for inner in code.co_names)
        reached += [h for h in helpers if hasattr(h, "py_func") and h not in reached]
    return None


def _value_of(name: str, functions: Iterable[Callable]) -> Any:
    """Return what functions, or compiled helpers that they call, mean by a name."""
    reached = [*functions]
    for function in reached:  # which grows on the way
        plain = getattr(function, "py_func", function)
        names = plain.__globals__
        if name in plain.__code__.co_names and name in names:
            return names[name]
        helpers = (names.get(inner) for inner in plain.__code__.co_names)
        reached += [h for h in helpers if hasattr(h, "py_func") and h not in reached]
    return None


def _unusable(name: str, value: Any) -> tuple[str, str] | None:
    """Return why compiled code cannot use what a name means, if that is known."""
    if getattr(value, "__module__", None) == "mcts_agents.model.random":
        if instead := _IN_RULES.get(value.__name__):
            return f"{name!r} draws for Python code, not for compiled rules.", (
                f"Call `{instead}` of mcts_agents.model with the `rng` of the function."
            )
    if isinstance(value, FunctionType):
        return f"{name!r} is a plain Python function.", (
            "Decorate it with numba.njit, so that compiled code can call it."
        )
    if value is None:
        return None
    return f"Compiled code cannot use {name!r}, {quoted(value)}.", (
        "It can use numbers, NumPy arrays and functions decorated with numba.njit."
    )


def _first_return(code: CodeType) -> int:
    """Return the line of a function's first `return`, or where it begins."""
    lines = (
        instruction.positions.lineno
        for instruction in dis.get_instructions(code)
        if instruction.opname.startswith("RETURN_") and instruction.positions
    )
    return next(filter(None, lines), code.co_firstlineno)


def _function_at(file: str, line: int) -> str | None:
    """Return the name of the function around a line."""
    lines = linecache.getlines(file)[:line]
    inside = 10_000
    for text in reversed(lines):
        indent = len(text) - len(text.lstrip())
        if not text.strip() or indent >= inside:
            continue
        inside = indent
        if found := re.match(r"\s*def (\w+)", text):
            return found[1]
    return None


def _entry_of(error: Exception) -> str:
    """Return the function of the contract that was being compiled."""
    entry = "a function"
    for frame, line in walk_tb(error.__traceback__):
        file = frame.f_code.co_filename
        if file.startswith(_GENERATED):
            # The line of the decorator, before that of the function.
            for text in linecache.getlines(file)[line - 1 : line + 1]:
                if found := re.match(r"def (\w+)", text):
                    entry = found[1]
    return entry


def _reason_in(text: str) -> tuple[str, str]:
    """Return what is wrong, and what to do, each in a line."""
    if found := _FIELD.search(text):
        field = found[1] or found[4]
        known = re.findall(r"(\w+)\[type=", found[2] or found[3])
        return _unknown_field(field, known)
    if found := _NAME.search(text):
        return f"There is no {found[1]!r}.", (
            "Correct the name, or define it in the same file: a number, a NumPy array "
            "or a function decorated with numba.njit."
        )
    if found := _PLAIN_FUNCTION.search(text):
        return f"{found[1]!r} is a plain Python function.", (
            "Decorate it with numba.njit, so that compiled code can call it."
        )
    if found := _NO_CAST.search(text):
        given = re.sub(r"<iv=.*>", "", found[1])
        return f"{given} cannot be put into {found[2]}.", (
            "Write a number into a field of numbers, and into each entry of an array "
            "field by itself, or all with [:]."
        )
    if found := _NOT_WHOLE.search(text) or _NO_CONVERSION.search(text):
        return f"It returns {found[1]}, not a whole number.", (
            "Return an int; convert it yourself if cutting the fraction is meant."
        )
    reasons = [line.strip() for line in text.splitlines() if not _NOISE.match(line)]
    reason = reasons[0] if reasons else "Numba gives no reason."
    reason = reason.partition(". Raised from ")[0].rstrip(".:")
    return shortened(reason, MOST_REASON) + ".", _GENERAL


def _unknown_field(name: str, known: Collection[str]) -> tuple[str, str]:
    """Return what is wrong with the name of a field, and what to do."""
    return unknown_name("field of a record", name, known) + ".", (
        "Correct the name, or add the field to the numpy.dtype that Rules gets."
    )


def field_names(record: Any) -> Iterator[str]:
    """Yield the names of a record's fields, and of those of records inside it."""
    for name in getattr(record, "names", None) or ():
        yield name
        yield from field_names(record[name].base)


def refused_codes(game: str, codes: object, expected: tuple[str, ...]) -> str | None:
    """Return a line about codes of moves that are no such function; None: they are.

    Args:
        game: The game's name.
        codes: What was given.
        expected: The function's parameters.
    """
    plain, parameters = getattr(codes, "py_func", codes), ", ".join(expected)
    if not inspect.isfunction(plain):
        return (
            f"{game}: codes={codes!r}: only plain functions and those of numba.njit "
            f"can be compiled, not a {type(codes).__name__}; write `def code"
            f"({parameters})`, which may call others of numba.njit and use numbers "
            "from around it"
        )
    found = ", ".join(inspect.signature(plain).parameters)
    if found != parameters:
        name = plain.__name__ if plain.__name__.isidentifier() else "code"
        return (
            f"{game}: codes of moves: write `def {name}({parameters})` instead of "
            f"`def {plain.__name__}({found})`"
        )
    return None


def no_return(game: str, function: Callable) -> str | None:
    """Return a few lines about a function that can end without a number, or has none.

    None: each of its ends has one.
    """
    code = getattr(function, "py_func", function).__code__
    names = {instruction.opname for instruction in dis.get_instructions(code)}
    line, what = line_without_return(function), "can end without"
    remedy = "It has to return a number on every path: add the missing `return`."
    if not names & {"RETURN_VALUE", "RETURN_CONST"}:
        line, what = code.co_firstlineno, "has no"
        remedy = "It has to return a number: add a `return`."
    if line is None:
        return None
    return "\n".join(
        [
            f"{game}: `{function.__name__}` {what} `return`. File "
            f'"{code.co_filename}", line {line}:',
            f"    {linecache.getline(code.co_filename, line).strip()}",
            remedy,
        ]
    )


def line_without_return(function: Callable) -> int | None:
    """Return a line at which a function ends without a number; None: it never does."""
    code = getattr(function, "py_func", function).__code__
    line, last = code.co_firstlineno, None
    for instruction in dis.get_instructions(code):
        if instruction.positions and instruction.positions.lineno:
            line = instruction.positions.lineno
        name, value = instruction.opname, instruction.argval
        if (name == "RETURN_CONST" and value is None) or (
            name == "RETURN_VALUE" and last == ("LOAD_CONST", None)
        ):
            return line
        last = (name, value)
    return None
