"""An agent's settings written back: as a mapping, a spec or a file.

Only settings are written: no seed, no tree of the last decision, and nothing about
environments (`perfect_information`, `redeterminise`).
"""

from dataclasses import fields
from os import PathLike, fspath
from typing import Any

from mcts_agents.agents.agent import Agent
from mcts_agents.agents.files import write_file
from mcts_agents.agents.mcts import MCTSAgent
from mcts_agents.agents.one_step import OneStepAgent
from mcts_agents.agents.policies.evaluator import PolicyEvaluator
from mcts_agents.agents.policy import PolicyAgent
from mcts_agents.agents.random_agent import RandomAgent
from mcts_agents.agents.scripted import ScriptedAgent
from mcts_agents.names import parse_value
from mcts_agents.search import SearchSettings

_SIGNS = set("(),:=")


def to_mapping(agent: Agent, *, full: bool = False) -> dict[str, Any]:
    """Return the mapping from which `make_agent` makes the same agent.

    Args:
        agent: An agent of this package.
        full: Name every setting, not only those that differ from their defaults.

    Raises:
        ValueError: A setting is a Python function or an agent of somebody else, which
            no text stands for.
    """
    if type(agent) is RandomAgent:
        return {"agent": "random"}
    if type(agent) is ScriptedAgent:
        return {"agent": "scripted", "policy": agent.policy}
    if type(agent) is OneStepAgent:
        mapping: dict[str, Any] = {"agent": "one-step", "samples": agent.samples}
        if full or agent.settings.value is not None:
            mapping["value"] = _written("value", agent.settings.value, full)
        return mapping
    if type(agent) is PolicyAgent:
        return _policy(agent, full)
    if type(agent) is not MCTSAgent:
        raise ValueError(f"{agent!r}: no agent of this package, so no text names it")
    mapping = {"agent": "mcts"}
    for field in fields(SearchSettings):
        value = getattr(agent.settings, field.name)
        if full or value != field.default:
            mapping[field.name] = _written(field.name, value, full)
    return mapping


def agent_spec(agent: Agent) -> str:
    """Return the spec from which `make_agent` makes the same agent.

    Raises:
        ValueError: See `to_mapping`.
    """
    return _spec(to_mapping(agent))


def save_agent(agent: Agent, path: str | PathLike[str], *, full: bool = False) -> None:
    """Write an agent's settings to a YAML or JSON file.

    Raises:
        ValueError: See `to_mapping`; or the file's name does not end in .yaml, .yml or
            .json.
    """
    write_file(fspath(path), to_mapping(agent, full=full))


def _policy(agent: PolicyAgent, full: bool) -> dict[str, Any]:
    """Return a policy's mapping: its file, and which content that must have."""
    if agent.file is None:
        raise ValueError(
            f"{agent!r} was not loaded from a file, so no text names it; see "
            "PolicyAgent.load"
        )
    mapping = {"agent": "policy", "file": agent.file, **agent.options}
    if full or agent.observation != (agent.policy.observation or "flat"):
        mapping["observation"] = agent.observation
    if full or agent.deterministic:
        mapping["deterministic"] = agent.deterministic
    return {**mapping, "sha256": agent.sha256}


def _written(name: str, value: Any, full: bool) -> Any:
    if isinstance(value, PolicyEvaluator):
        value = value.agent
    if isinstance(value, Agent):
        return to_mapping(value, full=full)
    if value is None or isinstance(value, str | bool | int | float):
        return value
    raise ValueError(f"{name}={value!r}: a Python object, which no text stands for")


def _spec(mapping: dict[str, Any]) -> str:
    parts = []
    for name, value in mapping.items():
        if name == "agent":
            continue
        if isinstance(value, dict):
            text = f"({_spec(value)})"
        elif isinstance(value, str):
            text = value
            if _SIGNS & set(text) or not isinstance(parse_value(text) or "", str):
                raise ValueError(f"{name}={value!r} cannot be written in a spec")
        elif isinstance(value, bool) or value is None:
            text = str(value).lower()
        else:
            text = repr(value)
        parts.append(f"{name}={text}")
    return ":".join([mapping["agent"], ",".join(parts)]).rstrip(":")
