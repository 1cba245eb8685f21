"""Parts: what each algorithm adds to a search, declared in its own file.

The record of a search, its arrays, what both say when a decision begins, and what is
refused are put together from all parts (`search_record`).

To add an option, declare it in `options/settings.py`, and say all else in the PART of
its algorithm's file: fields and arrays that it works on, numbers that plug-ins read (a
field of SETTINGS in `records.py`), what it needs, and whether it takes the extended
kernel. `docs/make_options.py` writes it into the tables.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numba import carray, njit

from mcts_agents.model import ForwardModel
from mcts_agents.model.addresses import as_pointer


class Condition(NamedTuple):
    """What an option takes to have an effect: a test of settings, and words for it."""

    holds: Callable[[Any], bool]
    words: str


def one_of(name: str, *values: Any) -> Condition:
    """Return the condition that an option has one of some values.

    A function of the user's in its place is taken to make use of every option, although
    one in Python (`value`) sees none of them.
    """
    return Condition(
        lambda settings: (
            getattr(settings, name) in values or callable(getattr(settings, name))
        ),
        f"{name} {' or '.join(map(str, values))}",
    )


class Array(NamedTuple):
    """An array of a search: its dtype, and its length in a game under settings.

    Without a length it is one that grows; see `driver/memory.py`.
    """

    dtype: Any
    length: Callable[[ForwardModel, Any], int] | None = None


class NeededFunction(NamedTuple):
    """A function of the game's table that an option needs, and what to do without.

    The latter may depend on the model.
    """

    option: str
    value: Any
    function: str
    instead: str | Callable[[Any], str]


@dataclass(frozen=True)
class Part:
    """What one algorithm adds to a search.

    Attributes:
        fields: Fields of the SEARCH record, as in a NumPy dtype.
        values: `values(model, settings)` returns what fields say at the beginning of
            every decision, by name; those without a value begin at 0.
        numbers: `numbers(settings)` returns what the SETTINGS record, which plug-ins
            read, says of it, by field.
        arrays: The arrays that it works on.
        needs: For each option what it takes to have an effect, if that is anything.
        entries: Functions of the game's table that options need.
        check: `check(model, settings)` raises ValueError for settings that do not go
            together, or not with the game.
        extended: Whether settings ask for more than the plain kernel does.
        keeps_statistics: Whether settings need a STATISTIC record for each edge.
    """

    fields: Sequence[tuple] = ()
    values: Callable[[ForwardModel, Any], dict[str, Any]] = lambda model, settings: {}
    numbers: Callable[[Any], dict[str, Any]] = lambda settings: {}
    arrays: Mapping[str, Array] = field(default_factory=dict)
    needs: Mapping[str, Sequence[Condition]] = field(default_factory=dict)
    entries: Sequence[NeededFunction] = ()
    check: Callable[[ForwardModel, Any], None] = lambda model, settings: None
    extended: Callable[[Any], bool] = lambda settings: False
    keeps_statistics: Callable[[Any], bool] = lambda settings: False


def array_of(name: str, dtype: Any) -> Callable[[Any], np.ndarray]:
    """Return the compiled function that views a search's array of this name."""
    length = f"{name}_length"

    @njit
    def view(search):
        return carray(as_pointer(search[name]), search[length], dtype)

    return view


def record_of(name: str, dtype: np.dtype) -> Callable[[Any], Any]:
    """Return the compiled function that views a search's one record of this name."""

    @njit
    def view(search):
        return carray(as_pointer(search[name]), 1, dtype)[0]

    return view
