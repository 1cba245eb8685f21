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
        deterministic: After `reset` nothing is random in the environment. Searches of
            the minimax family except `expectiminimax` need this word.
    """

    perfect_information: bool = False
    redeterminise: Callable[..., Any] | None = None
    deterministic: bool = False

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


COPY_OPTIONS = tuple(field.name for field in fields(CopyOptions))
