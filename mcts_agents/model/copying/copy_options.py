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
        deterministic: The environment throws no dice: the same actions always lead to
            the same situations. It is checked on the first steps of a decision. Nodes
            of the tree hold copies then (`loop="closed"`), which saves most steps; with
            `value="win"` and `solver=True` proven results are used.
        state_key: A function `(env_copy)` that returns what tells positions apart, for
            `graph=True`: None, numbers, texts, bytes, arrays, and tuples, lists, dicts
            and sets of these. Equal keys are one position, from which the same can
            follow.

    Raises:
        ValueError: A value that is not allowed.
    """

    perfect_information: bool = False
    redeterminise: Callable[..., Any] | None = None
    deterministic: bool = False
    state_key: Callable[[Any], Any] | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.deterministic, bool):
            raise ValueError(
                f"deterministic={self.deterministic!r}: expected true or false"
            )
        if self.state_key is not None and not callable(self.state_key):
            raise ValueError(
                f"state_key={self.state_key!r}: expected a function (env_copy), or none"
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
    deterministic: bool
    state_key: Callable[[Any], Any] | None


COPY_OPTIONS = tuple(field.name for field in fields(CopyOptions))
