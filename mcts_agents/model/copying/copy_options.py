"""`CopyOptions`: what the user of an agent says of environments of other people."""

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, TypedDict


@dataclass(frozen=True, kw_only=True)
class CopyOptions:
    """What cannot be seen of an environment from outside, in its user's words.

    Environments of this package need none of it.

    Args:
        perfect_information: The environment hides nothing from the player to move.
        redeterminise: Instead of that word, a function `(env_copy, agent_name,
            numpy.random.Generator)` that resamples in the copy what the named agent
            cannot know.
        reseed: A function `(env_copy, numpy.random.Generator)` that gives the copy
            another future where it keeps a random generator that is none of Python's,
            numpy's or JAX's, such as a counter of its own. It is called for each copy
            that a search steps, and changes nothing else.
        continuous: How to plan in Box spaces: a number of samples on each axis, both
            bounds among them, or a function `(env_copy, agent_name,
            numpy.random.Generator)` that returns an array of proposals, one a row. It
            is called in each state, with the same random numbers within a decision.
        caches: Full names (`"module.NAME"`, `"module.Class.name"`) of what lies outside
            the environment object and may change while a copy is stepped, because it
            only saves work, such as a dictionary of positions looked at before.
    """

    perfect_information: bool = False
    redeterminise: Callable[..., Any] | None = None
    reseed: Callable[..., Any] | None = None
    continuous: int | Callable[..., Any] | None = None
    caches: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("redeterminise", "reseed"):
            value = getattr(self, name)
            if value is not None and not callable(value):
                raise ValueError(f"{name}={value!r}: expected a function, or None")
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


COPY_OPTIONS = tuple(field.name for field in fields(CopyOptions))
