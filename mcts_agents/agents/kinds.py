"""Kinds of agents: what specs, files and lists need to know of a class of agents.

One registry for all of them, in which `mcts_agents.agents` enters its own.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from mcts_agents.agents.agent import Agent


@dataclass(frozen=True)
class AgentKind:
    """A class of agents that specs can name.

    Attributes:
        name: What specs call it.
        agent: The class.
        make: Makes an agent of its options, given as keywords.
        options: The names of these options, `seed` included.
        written: `written(agent, full)` returns the options from which `make` makes the
            same agent, `seed` left out; those at their defaults only if `full`.
    """

    name: str
    agent: type[Agent]
    make: Callable[..., Agent]
    options: tuple[str, ...]
    written: Callable[[Any, bool], dict[str, Any]]

    @property
    def about(self) -> str:
        """The first line of the class's description, without what it refers to."""
        line = (self.agent.__doc__ or "").partition("\n")[0].partition(";")[0]
        return line.removesuffix(".") + "."


KINDS: dict[str, AgentKind] = {}


def register(kind: AgentKind) -> None:
    """Enter a kind of agents.

    Raises:
        ValueError: The name is taken.
    """
    if kind.name in KINDS:
        raise ValueError(f"agent {kind.name!r}: this name is taken")
    KINDS[kind.name] = kind


def kind_of(agent: Agent) -> AgentKind:
    """Return the kind of an agent.

    Raises:
        ValueError: Its class is none that specs can name.
    """
    for kind in KINDS.values():
        if type(agent) is kind.agent:
            return kind
    raise ValueError(f"{agent!r}: no agent of this package, so no text names it")
