"""Agents from other modules: `module:Class`, or a name from an entry point.

A package names its agents by entry points of the group `mcts_agents.agents`, such as
`flat = "my_agents:FlatMonteCarlo"`. Names of this package go before those.
"""

import functools
import inspect
from collections.abc import Mapping
from importlib import metadata
from typing import Any

from mcts_agents.agents.agent import Agent
from mcts_agents.agents.constructors import Constructor
from mcts_agents.agents.kinds import (
    IN_MODULE,
    KINDS,
    AgentKind,
    is_plain_name,
    is_taken,
)
from mcts_agents.agents.presets import PRESETS
from mcts_agents.importing import attribute as attribute_of
from mcts_agents.importing import module_named, named_in_file
from mcts_agents.names import quoted, unknown_name

GROUP = "mcts_agents.agents"

# Options that bound a decision, whoever has them.
BUDGETS = ("simulations", "seconds", "forward_model_calls", "nodes")


def known_names() -> tuple[str, ...]:
    """Return every name that a spec may begin with, except classes in modules."""
    own = (*KINDS, *PRESETS)
    return (*own, *(name for name in entry_points() if name not in own))


def is_in_module(name: str) -> bool:
    """Return whether a name has the form `module:Class`."""
    return IN_MODULE.fullmatch(name) is not None


def kind_named(name: str) -> AgentKind | None:
    """Return the kind of agents with this name, or None.

    Raises:
        ValueError: A class that cannot be imported or is no agent, or a name that two
            installed packages bring.
    """
    if name in KINDS:
        return KINDS[name]
    if is_in_module(name):
        return kind_of_class(class_named(name), name)
    if name in entry_points() and not is_taken(name):
        return kind_of_class(_entry(name), name)
    return None


def kind_of(agent: Agent) -> AgentKind:
    """Return the kind of an agent.

    Raises:
        ValueError: Its class is none that specs can name.
    """
    for kind in KINDS.values():
        if type(agent) is kind.agent:
            return kind
    if agent.made_as is not None:
        kind = kind_named(agent.made_as[0])
        if kind is not None:
            return kind
    raise ValueError(
        f"{agent!r}: its class is not registered as a kind of agent, and the agent was "
        "not made from a spec such as 'module:Class', so it has no spec"
    )


def kind_of_class(agent: type[Agent], name: str) -> AgentKind:
    """Return the kind of a class; built from the constructor if it is not registered.

    Raises:
        ValueError: Its constructor requires what no text stands for.
    """
    for kind in KINDS.values():
        if kind.agent is agent:
            return kind
    constructor = Constructor(name, agent)

    def make(**options: Any) -> Agent:
        new = constructor.make(**options)
        new.made_as = name, {n: v for n, v in options.items() if n != "seed"}
        return new

    def written(agent: Agent, full: bool) -> dict[str, Any]:
        given = {} if agent.made_as is None else agent.made_as[1]
        defaults = constructor.defaults
        if full:
            return {**defaults, **given}
        return {n: v for n, v in given.items() if n not in defaults or v != defaults[n]}

    described = constructor.described
    return AgentKind(
        name=name,
        agent=agent,
        make=make,
        options=(*described, *constructor.others, "seed"),
        written=written,
        described=described,
        budgets=tuple(option for option in BUDGETS if option in described),
    )


def class_named(name: str) -> type[Agent]:
    """Import the module of `module:Class` and return the class.

    Raises:
        ValueError: There is no such module or class, the import fails, the class is no
            agent, or a file names a module that the caller has not allowed.
    """
    module, _, attribute = name.partition(":")
    return _checked(name, module_named(module, f"agent {name!r}"), attribute)


def _checked(name: str, module: Any, attribute: str) -> type[Agent]:
    """Return a class of a module.

    Raises:
        ValueError: There is none of the name, or it is no agent that can decide.
    """
    where = getattr(module, "__file__", None) or module.__name__
    found = attribute_of(module, attribute, f"agent {name!r}", None)
    if not isinstance(found, type) or not issubclass(found, Agent):
        agents = [
            word
            for word, value in vars(module).items()
            if isinstance(value, type)
            and issubclass(value, Agent)
            and not inspect.isabstract(value)
        ]
        known = f"its agents: {', '.join(agents)}" if agents else "it has no agents"
        if found is None:
            told = unknown_name("class", attribute, agents) if agents else known
            raise ValueError(f"agent {name!r}: {where}: {told}")
        raise ValueError(
            f"agent {name!r}: {quoted(found)} in {where} is not a class derived from "
            f"mcts_agents.Agent; {known}"
        )
    if inspect.isabstract(found):
        missing = ", ".join(sorted(found.__abstractmethods__))
        raise ValueError(
            f"agent {name!r}: {found.__name__} in {where} does not define {missing}"
        )
    return found


# -- entry points


@functools.cache
def entry_points() -> Mapping[str, tuple[metadata.EntryPoint, ...]]:
    """Return the agents of installed packages by name, including duplicates.

    Read once in each process.
    """
    found: dict[str, dict[str, metadata.EntryPoint]] = {}
    for entry in metadata.entry_points(group=GROUP):
        # One package may be found twice, as where it is installed to be edited.
        found.setdefault(entry.name, {})[f"{_origin(entry)} {entry.value}"] = entry
    return {name: tuple(same.values()) for name, same in found.items()}


def _origin(entry: metadata.EntryPoint) -> str:
    return entry.dist.name if entry.dist is not None else "an installed package"


def _entry(name: str) -> type[Agent]:
    """Return the class that an installed package brings under a name."""
    entries = entry_points()[name]
    if len(entries) > 1:
        told = " and ".join(f"{entry.value} ({_origin(entry)})" for entry in entries)
        raise ValueError(
            f"agent {name!r}: two packages define an agent with this name: {told}; "
            "name the class itself, module:Class"
        )
    (entry,) = entries
    place = f"agent {name!r} of {_origin(entry)}"
    if not is_plain_name(name) or not is_in_module(entry.value.partition("[")[0]):
        raise ValueError(
            f"{place}: the entry point is {name} = {entry.value}; expected "
            "NAME = module:Class"
        )
    with named_in_file(""):  # was installed, so files may name it
        return _checked(name, module_named(entry.module, place), entry.attr)
