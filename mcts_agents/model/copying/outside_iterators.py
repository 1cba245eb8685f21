"""Iterators of Python's: where they stand, and new ones that stand where they stood.

An iterator cannot be put back. One that was moved is replaced, wherever it is held, by
another that was made from its state before.
"""

import itertools
import warnings
from collections.abc import Callable, Iterable
from typing import Any

KINDS = (
    itertools.count,
    itertools.cycle,
    type(iter([])),
    type(iter(())),
    type(iter("")),
    type(iter(range(1))),
    type(iter(range(2**70))),
    enumerate,
    reversed,
    zip,
    map,
    filter,
    itertools.chain,
    itertools.islice,
)


def state_of(item: Any) -> Any:
    """Return where an iterator stands, as nested tuples of what it was made from."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            reduced = item.__reduce__()
    except Exception:  # newer versions of Python say nothing but this
        return (repr(item) if type(item) is itertools.count else "",)
    make, arguments, *rest = reduced
    # What a cycle has seen so far is a list that grows.
    return make, _inner(arguments), *_inner(tuple(rest), _Seen)


def _inner(part: Any, of_list: Callable[[list], list] | None = None) -> Any:
    if isinstance(part, KINDS):
        return (_MARK, *state_of(part))
    if type(part) is tuple:
        return tuple([_inner(item, of_list) for item in part])
    return of_list(part) if of_list is not None and type(part) is list else part


class _Seen(list):
    """A list as it was."""


_MARK = "an iterator inside"


def is_same_state(before: Any, now: Any) -> bool:
    """Whether two states are the same."""
    if before is now:
        return True
    if type(before) is not type(now):
        return False
    if isinstance(before, tuple | list):
        return len(before) == len(now) and all(map(is_same_state, before, now))
    # Ranges, which an iterator makes anew each time that it is asked, hold no more.
    return isinstance(before, int | float | str | range) and before == now


def parts(state: Any) -> Iterable[Any]:
    """Return what an iterator goes through."""
    return [state]


def made_from(state: Any) -> Any:
    """Return a new iterator in the state; None if there cannot be one."""
    if len(state) < 2:
        return None
    make, arguments, *rest = state
    twin = make(*map(_outer, arguments))
    if rest and rest[0] is not None:
        twin.__setstate__(_outer(rest[0]))
    return twin


def _outer(part: Any) -> Any:
    if type(part) is tuple:
        if part and part[0] is _MARK:
            return made_from(part[1:])
        return tuple([_outer(item) for item in part])
    return list(part) if type(part) is _Seen else part
