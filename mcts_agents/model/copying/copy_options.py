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
    """What cannot be seen of an environment from outside, in its user's words.

    Games with rules, this package's and your own, say all of it themselves. What agrees
    with them is accepted there, so that one agent may play both kinds:
    `perfect_information=True` where nothing is hidden, `deterministic=True` where there
    is no chance. Everything else is refused.

    Args:
        perfect_information: The environment hides nothing from the player to move.
        redeterminise: Instead of that word, a function `(env_copy, agent_name,
            numpy.random.Generator)` that resamples in the copy what the named agent
            cannot know.
        reseed: A function `(env_copy, numpy.random.Generator)` that gives the copy
            another future where it keeps a random generator that is none of Python's,
            numpy's or JAX's, such as a counter of its own. It is called for each copy
            that a search steps, or before each step of a replay, and changes nothing
            else.
        continuous: How to plan in Box spaces: a number of samples on each axis, both
            bounds among them, or a function `(env_copy, agent_name,
            numpy.random.Generator)` that returns an array of proposals, one a row. It
            is called in each state, with the same random numbers within a decision.
        caches: Full names (`"module.NAME"`, `"module.Class.name"`) of what lies outside
            the environment object and may change while a copy is stepped, because it
            only saves work, such as a dictionary of positions looked at before.
        snapshots: True: the innermost environment has `get_state()` and
            `set_state(state)`, or `clone_state()` and `restore_state(state)`, and a
            search may use them on one environment of its own instead of many copies.
            Or the two functions `(get, put)`, called as `get(env)` and
            `put(env, state)`. A state holds, as copies, all that a step changes but
            random generators. It is checked once: stepped and put back.
        replay: The last resort for what cannot be copied: a function that makes the
            same environment anew. A search takes it through all that was played, once
            for each simulation, so the live environment has to note that:
            `mcts_agents.remember(env)`. Its future steps get other dice, as
            far as their random generators are objects of Python or those of whole
            libraries; dice that it throws elsewhere, in a library of C++ say, would be
            foreseen.
        processes: So many processes search a decision, each its share of the budget
            (root parallelism, as `threads` for the games of this package). They are
            forked from yours with each decision; not on Windows.
        deterministic: The environment uses no randomness: the same actions always lead
            to the same situations. It is checked on the first steps of a decision.
            Nodes of the tree hold copies then (`loop="closed"`), which saves most
            steps; with `value="win"` and `solver=True` proven results are used.
        state_key: A function `(env_copy)` that returns what tells positions apart, for
            `graph=True`: None, numbers, texts, bytes, arrays, and tuples, lists, dicts
            and sets of these. Equal keys are one position, from which the same can
            follow.

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
