"""Agents passed as objects or classes instead of specs."""

import copy
import inspect
import pickle
import sys
from collections.abc import Mapping
from os import PathLike
from typing import Any

import cloudpickle

from mcts_agents.agents.agent import NO_SUPER, Agent
from mcts_agents.agents.constructors import made
from mcts_agents.agents.kinds import KINDS, OBJECT
from mcts_agents.agents.own import BUDGETS
from mcts_agents.agents.saving import to_mapping
from mcts_agents.names import error_line

# What names or is an agent: what `make_agent` takes, an agent, or a class of agents.
AgentSpec = str | PathLike[str] | Mapping[str, Any] | Agent | type[Agent]


class HeldAgent(dict[str, Any]):
    """An agent of the caller, with the mapping that represents it in stores.

    The mapping is `{"agent": "object", "class": "module:Class"}`: no text makes such an
    agent again.

    It travels to processes that play games as a pickle, which is made once and read
    when the first agent is made there.

    Args:
        agent: The agent, of which a copy is taken.

    Raises:
        ValueError: It cannot be copied.
    """

    def __init__(self, agent: Agent):
        super().__init__({"agent": OBJECT, "class": _name(type(agent))})
        self._pickle: bytes | None = None
        self._agent: Agent | None = None
        try:
            self._agent = _copied(agent)
        except Exception as error:
            raise ValueError(
                f"{agent!r} cannot be copied, but each game needs a copy: "
                f"{error_line(error)}"
            ) from error

    def make(self, seed: int | None = None) -> Agent:
        """Return a copy of the agent with a reset generator.

        Raises:
            ValueError: In another process: its class cannot be imported there.
        """
        agent = copy.deepcopy(self._held())
        agent.reset(seed)
        return agent

    def _held(self) -> Agent:
        if self._agent is None:
            try:
                self._agent = pickle.loads(self._pickle or b"")
            except Exception as error:
                raise ValueError(
                    f"an object of {self['class']} cannot be made again in the process "
                    f"that plays: {error_line(error)}"
                ) from error
        return self._agent

    def pickled(self) -> bytes:
        """Return the agent for another process.

        Raises:
            ValueError: It cannot be pickled.
        """
        if self._pickle is None:
            try:
                self._pickle = cloudpickle.dumps(self._agent)
            except Exception as error:
                raise ValueError(
                    f"an object of {self['class']} cannot be pickled for the processes "
                    f"that play (mcts_agents.learn.evaluate plays in this one): "
                    f"{error_line(error)}"
                ) from error
        return self._pickle

    def __reduce__(self) -> Any:
        return _unpacked, (dict(self), self.pickled())

    @property
    def budgets(self) -> tuple[str, ...]:
        """Options that limit a decision, set when the object was created."""
        names: set[str] = set()
        for base in type(self._held()).__mro__:
            kinds = [kind for kind in KINDS.values() if kind.agent is base]
            if kinds:
                names.update(*(kind.budgets for kind in kinds))
                break
            if "__init__" in vars(base):
                names.update(inspect.signature(base.__init__).parameters)
        return tuple(option for option in BUDGETS if option in names)


def given_agent(agent: Agent | type[Agent]) -> dict[str, Any]:
    """Return the mapping of an agent that a program passes, or the held agent itself.

    A class that can be imported is named, as `module:Class`. Of the package's own
    agents the settings are taken where a text can say them all. Any other object is
    held, for it may have learned something since it was made.

    Raises:
        ValueError: A class that is no agent, whose constructor raises or requires
            anything; or an object that cannot be copied.
    """
    if isinstance(agent, type):
        if not issubclass(agent, Agent):
            raise ValueError(f"{agent!r}: expected a class derived from Agent")
        if _is_importable(agent):
            return {"agent": _name(agent)}
        return HeldAgent(made(agent, {}, None, _name(agent)))
    if not hasattr(agent, "_one_thread"):
        raise ValueError(f"an object of {_name(type(agent))}: {NO_SUPER}")
    told = bool(agent.copying.given())
    if any(type(agent) is kind.agent for kind in KINDS.values()) and not told:
        try:
            return to_mapping(agent)
        except ValueError:  # a function, a policy in memory
            pass
    return HeldAgent(agent)


def _unpacked(mapping: dict[str, Any], pickled: bytes) -> HeldAgent:
    held = HeldAgent.__new__(HeldAgent)
    held.update(mapping)
    held._agent, held._pickle = None, pickled
    return held


def _copied(agent: Agent) -> Agent:
    """Return a copy that can be copied again.

    A policy that has just learned holds tensors of its last step, which PyTorch refuses
    to copy by `copy.deepcopy`, and pickles as plain ones.
    """
    try:
        return copy.deepcopy(agent)
    except RuntimeError:
        found = pickle.loads(cloudpickle.dumps(agent))
        copy.deepcopy(found)
        return found


def _name(agent: type[Agent]) -> str:
    return f"{agent.__module__}:{agent.__qualname__}"


def _is_importable(agent: type[Agent]) -> bool:
    module = sys.modules.get(agent.__module__)
    return agent.__module__ != "__main__" and agent is getattr(
        module, agent.__qualname__, None
    )
