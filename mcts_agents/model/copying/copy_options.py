"""`CopyOptions`: what the user of an agent says of third-party environments."""

import os
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, TypedDict

from mcts_agents.model.forward_model import ForwardModel

# How to take a snapshot of an environment, and how to put it back into one.
SnapshotFunctions = tuple[Callable[[Any], Any], Callable[[Any, Any], Any]]

# Options that have no effect in games with rules, and why. `processes` are refused by
# the search, which says what to use.
_SAID_BY_RULES = {
    "redeterminise": "what is hidden is resampled by its own function of this name",
    "reseed": "its chance comes from the generator of the search",
    "continuous": "its actions are numbers",
    "caches": "its rules change nothing but the state",
    "snapshots": "its states are bytes that are copied as they are",
    "replay": "its states are bytes that are copied as they are",
    "state_key": "its own states tell positions apart",
}


@dataclass(frozen=True, kw_only=True)
class CopyOptions:
    """What you tell an agent about a third-party environment.

    These facts cannot be detected from outside. Games with rules (this package's and
    your own) already say all of it. Options that agree with such a game are accepted,
    so that one agent can play both kinds: `perfect_information=True` if the game hides
    nothing, `deterministic=True` if it has no chance. All other options are refused
    there.

    Args:
        perfect_information: True asserts that the environment hides nothing from the
            player to move.
        redeterminise: Use this instead of `perfect_information` if something is hidden:
            a function `(env_copy, agent_name, numpy.random.Generator)` that resamples
            in the copy everything that the named agent cannot know.
        reseed: A function `(env_copy, numpy.random.Generator)` that gives the copy
            another future. You need it if the environment draws random numbers from
            something other than generators of Python, NumPy or JAX, such as a counter
            of its own. It is called for each copy that a search steps, or before each
            step of a replay, and must change nothing else.
        continuous: How to plan in Box spaces. A number of samples on each axis,
            including both bounds; or a function `(env_copy, agent_name,
            numpy.random.Generator)` that returns an array with one proposed action per
            row. The function is called in each state; within a decision, it always
            gets the same random numbers.
        caches: Full names (`"module.NAME"`, `"module.Class.name"`) of objects outside
            the environment that may change while a copy is stepped, because they only
            save work, such as a dictionary of positions that were evaluated before.
        snapshots: True if the innermost environment has `get_state()` and
            `set_state(state)`, or `clone_state()` and `restore_state(state)`. A search
            then uses these on one environment of its own instead of making many copies.
            You can also pass two functions `(get, put)`, which are called as `get(env)`
            and `put(env, state)`. A state must hold copies of everything that a step
            changes, except random generators. The agent checks this once.
        replay: The last resort for environments that cannot be copied: a function that
            makes the same environment anew. A search repeats all moves of the game in
            it, once for each simulation, so wrap the live environment in
            `mcts_agents.remember(env)`, which records them. Later steps get other
            random numbers only if these come from generators in Python objects or from
            those of whole libraries. Random numbers that are drawn elsewhere, for
            example in a C++ library, would be foreseen.
        processes: Number of processes that search a decision together, each with its
            share of the budget (root parallelism, like `threads` in games with rules).
            They are forked from your process for each decision, so this does not work
            on Windows.
        deterministic: True asserts that the environment uses no randomness, so that the
            same actions always lead to the same situations. The agent checks this on
            the first steps of a decision. Tree nodes then hold copies
            (`loop="closed"`), which saves most steps; with `value="win"` and
            `solver=True`, the search uses proven results.
        state_key: A function `(env_copy)` for `graph=True` that returns what identifies
            a position: None, numbers, strings, bytes, arrays, or tuples, lists, dicts
            and sets of these. Positions with equal keys count as one, so they must have
            the same future.

    Raises:
        ValueError: A value that is not allowed.
    """

    perfect_information: bool = False
    redeterminise: Callable[..., Any] | None = None
    reseed: Callable[..., Any] | None = None
    continuous: int | Callable[..., Any] | None = None
    caches: tuple[str, ...] = ()
    snapshots: bool | SnapshotFunctions = False
    replay: Callable[[], Any] | None = None
    processes: int = 1
    deterministic: bool = False
    state_key: Callable[[Any], Any] | None = None

    def __post_init__(self) -> None:
        for name in ("redeterminise", "reseed", "replay", "state_key"):
            value = getattr(self, name)
            if value is not None and not callable(value):
                raise ValueError(f"{name}={value!r}: expected a function, or None")
        for name in ("perfect_information", "deterministic"):
            value = getattr(self, name)
            if not isinstance(value, bool):
                raise ValueError(f"{name}={value!r}: expected true or false")
        if self.perfect_information and self.redeterminise is not None:
            raise ValueError(
                "perfect_information=True asserts that nothing is hidden, while "
                "redeterminise resamples what is; pass only one of them"
            )
        samples = self.continuous
        counts = isinstance(samples, int) and not isinstance(samples, bool)
        if not (samples is None or callable(samples) or (counts and samples >= 1)):
            raise ValueError(
                f"continuous={samples!r}: expected a number of samples on each axis "
                "from 1, a function that proposes actions, or None"
            )
        named = self.caches
        if not isinstance(named, tuple) or not all(isinstance(n, str) for n in named):
            raise ValueError(
                f"caches={named!r}: expected a tuple of names, such as "
                '("package.module.CACHE",)'
            )
        self._check_snapshots()
        if self.replay is not None and self.snapshots:
            raise ValueError(
                "replay and snapshots exclude each other; pass only one of them"
            )
        if self.replay is not None and self.redeterminise is not None:
            raise ValueError(
                "redeterminise: its changes are lost when a replay starts again; "
                "replay needs perfect_information=True"
            )
        number = self.processes
        if isinstance(number, bool) or not isinstance(number, int) or number < 1:
            raise ValueError(f"processes={number!r}: expected an integer from 1")
        if number > 1 and not hasattr(os, "fork"):
            raise ValueError(
                f"processes={number}: this system has no os.fork, by which processes "
                "get their copies of an environment; use processes=1"
            )

    def _check_snapshots(self) -> None:
        said = self.snapshots
        pair = isinstance(said, tuple) and len(said) == 2 and all(map(callable, said))
        if not (isinstance(said, bool) or pair):
            raise ValueError(
                f"snapshots={said!r}: expected true or false, or two functions "
                "(get, put), called as get(env) and put(env, state)"
            )

    def check_rules(self, model: ForwardModel) -> None:
        """Refuse what contradicts a game with rules, or has no effect there.

        Raises:
            ValueError: An option that the game has no use for.
        """
        if self.perfect_information and model.hidden_information:
            raise ValueError(
                f"perfect_information=True: {model.name} hides something from its "
                "players, and its rules resample that; leave it out"
            )
        if self.deterministic and model.chance:
            raise ValueError(
                f"deterministic=True: {model.name} is taken to have chance; leave it "
                "out. Rules of your own without chance say so with chance=False"
            )
        for name, instead in _SAID_BY_RULES.items():
            value = getattr(self, name)
            if value is not None and value is not False and value != ():
                raise ValueError(
                    f"{name}={value!r}: {model.name} is a game with rules, of which "
                    f"planning needs no copies of the environment, and {instead}; "
                    "leave it out"
                )

    def given(self) -> dict[str, Any]:
        """Return what differs from its default."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        default = {field.name: field.default for field in fields(self)}
        return {name: v for name, v in values.items() if v is not default[name]}


class CopyKeywords(TypedDict, total=False):
    """The fields of `CopyOptions` as keywords of agents; a test compares them."""

    perfect_information: bool
    redeterminise: Callable[..., Any] | None
    reseed: Callable[..., Any] | None
    continuous: int | Callable[..., Any] | None
    caches: tuple[str, ...]
    snapshots: bool | SnapshotFunctions
    replay: Callable[[], Any] | None
    processes: int
    deterministic: bool
    state_key: Callable[[Any], Any] | None


COPY_OPTIONS = tuple(field.name for field in fields(CopyOptions))
