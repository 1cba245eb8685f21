"""What options of an environment's maker may be, as far as its signature tells."""

import inspect
import math
import types
from collections.abc import Callable
from typing import Annotated, Any, Union, get_args, get_origin

import numpy as np

from mcts_agents.names import quoted

# What a text can give besides none, which any maker may take for "no limit".
KINDS: dict[type, str] = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "a word",
}


def wrong_option(name: str, value: object, of: inspect.Parameter, game: str) -> str:
    """Return what is wrong about an option of a spec, in one line; "" if nothing is.

    Its kind is that of the annotation, or without one that of the default; where this
    is none of `KINDS`, the maker decides. Not-a-number is no number, unless the default
    is it.
    """
    kinds = _kinds(of)
    if value is None or not kinds or any(_fits(value, k, of.default) for k in kinds):
        return ""
    expected = " or ".join(KINDS[kind] for kind in kinds)
    if of.default is not of.empty:
        expected += f", such as the default, {quoted(of.default)}"
    hint = ""
    if kinds == [int] and isinstance(value, float) and math.isfinite(value):
        hint = f"; if fractions are allowed, let its maker say {name}: float"
    elif kinds == [str]:
        hint = (
            "; this is read as a number, or as true or false, and cannot be written as "
            f"a word: where numbers are allowed, let its maker say {name}: int | str"
        )
    return f"{name}={quoted(value)}: {game} needs {expected}{hint}"


def parameters_of(make: Callable[..., Any]) -> list[inspect.Parameter]:
    """Return a maker's parameters, with annotations as objects if these can be had.

    Raises:
        TypeError, ValueError: It has no signature that Python knows.
    """
    found = inspect.signature(make)
    try:
        found = inspect.signature(make, eval_str=True)
    except Exception:  # one annotation that cannot be evaluated: all stay texts
        pass
    return list(found.parameters.values())


def _kinds(of: inspect.Parameter) -> list[type]:
    """Return the members of `KINDS` that an option may be, none where it is unknown."""
    told = of.annotation
    if told is of.empty:
        told = bool if isinstance(of.default, np.bool_) else type(of.default)
    members = [m for m in _members(told) if m is not _NONE]
    return members if all(any(m is kind for kind in KINDS) for m in members) else []


def _members(told: Any) -> list[Any]:
    """Return what an annotation allows, one or several."""
    if isinstance(told, str):
        return [_NAMED.get(name.strip(), name) for name in told.split("|")]
    if get_origin(told) is Annotated:
        return _members(get_args(told)[0])
    if get_origin(told) in (Union, types.UnionType):
        return [each for part in get_args(told) for each in _members(part)]
    return [told]


def _fits(value: object, kind: type, default: object) -> bool:
    if kind is str:
        return isinstance(value, str)
    if kind is bool or isinstance(value, bool):
        return kind is bool and isinstance(value, bool)
    if kind is int:
        return isinstance(value, int)
    is_number = isinstance(value, int | float)
    return is_number and (value == value or default != default)


_NONE = type(None)
# What a text can name of it without being evaluated.
_NAMED = {"None": _NONE} | {kind.__name__: kind for kind in KINDS}
