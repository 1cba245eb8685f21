"""Kinds of agents: what the rest of the package needs to know about a class of agents.

One registry for all of them, in which `mcts_agents.agents` enters its own. Specs, files
and lists ask a kind for its options, tournaments for the budgets that it takes, and
`tune` for what its options may be.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from mcts_agents.agents.agent import Agent
from mcts_agents.agents.presets import PRESETS
from mcts_agents.names import quoted, unknown_name
from mcts_agents.search.options.option import Option

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
# The name of a class in a module, which is the name of its kind.
IN_MODULE = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*")

# What stores write for an agent that a program passed as an object.
OBJECT = "object"

# Words that mean something else where an agent may be named.
_WORDS = ("human", "mast", OBJECT)


@dataclass(frozen=True)
class AgentKind:
    """A class of agents that specs can name.

    Attributes:
        name: What specs call it: a letter, then letters, digits, `-` and `_`. Or
            `module:Class`, for a class that is named without being registered.
        agent: The class.
        make: Makes an agent of its options, given as keywords.
        options: The names of these options, `seed` included.
        written: `written(agent, full)` returns the options from which `make` makes the
            same agent, `seed` left out; those at their defaults only if `full`.
        described: What options may be, by name: `tune` tries these. A text such as
            `none` or `1e6` is read as the option takes it.
        budgets: Options that bound a decision, of those that
            `arena.playing.budgets.BUDGETS` knows. A tournament sets one of them; an
            agent without any decides as it does without a budget.
        search_space: What `tune` tries unless it is told, see
            `arena.tournaments.search_space`.

    Raises:
        ValueError: A name that no spec can have, or an option that is not among
            `options`.
    """

    name: str
    agent: type[Agent]
    make: Callable[..., Agent]
    options: tuple[str, ...]
    written: Callable[[Any, bool], dict[str, Any]]
    described: Mapping[str, Option] = field(default_factory=dict)
    budgets: tuple[str, ...] = ()
    search_space: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not (
            is_plain_name(self.name) or IN_MODULE.fullmatch(self.name)
        ):
            raise ValueError(
                f"kind {quoted(self.name)}: expected a letter, then letters, digits, "
                "- and _"
            )
        if "seed" not in self.options:
            raise ValueError(f"kind {self.name!r}: options: every agent takes a seed")
        tried = (text.partition("=")[0].strip() for text in self.search_space)
        for where, names, known in (
            ("described", self.described, self.options),
            ("budgets", self.budgets, self.options),
            ("search_space", tried, self.described),
        ):
            for name in names:
                if name not in known:
                    told = unknown_name("option", name, known)
                    raise ValueError(f"kind {self.name!r}: {where}: {told}")

    @property
    def about(self) -> str:
        """The first line of the class's docstring, without references."""
        line = (self.agent.__doc__ or "").partition("\n")[0].partition(";")[0]
        return line.removesuffix(".") + "."


KINDS: dict[str, AgentKind] = {}


def is_plain_name(name: str) -> bool:
    """Return whether a kind may be registered under this name, if the name is free."""
    return _NAME.fullmatch(name) is not None


def is_taken(name: str) -> bool:
    """Return whether a name is already in use."""
    return name in KINDS or name in PRESETS or name in _WORDS


def register(kind: AgentKind) -> None:
    """Register a kind of agents.

    Raises:
        ValueError: The name means something else already, or is `module:Class`, which
            needs no registration; or the class has a kind.
    """
    if not is_plain_name(kind.name):
        raise ValueError(f"agent {kind.name!r}: register a name without a colon")
    if is_taken(kind.name):
        raise ValueError(f"agent {kind.name!r}: this name is taken")
    for other in KINDS.values():
        if other.agent is kind.agent:
            raise ValueError(
                f"agent {kind.name!r}: {kind.agent.__name__} is entered as {other.name}"
            )
    KINDS[kind.name] = kind


def foreign_modules() -> tuple[str, ...]:
    """Return the modules of registered classes from outside this package.

    A process that imports them knows these kinds too, if the modules register them.
    """
    package = __name__.partition(".")[0]
    modules = (kind.agent.__module__ for kind in KINDS.values())
    return tuple(m for m in modules if m.partition(".")[0] not in (package, "__main__"))
