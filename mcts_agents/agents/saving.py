"""An agent's settings written back: as a mapping, a spec or a file.

Only settings are written: no seed, no tree of the last decision, and nothing about
environments (`CopyOptions`).
"""

import json
from collections.abc import Mapping
from os import PathLike, fspath
from os.path import dirname, isabs, relpath
from typing import Any

from mcts_agents.agents.agent import Agent
from mcts_agents.agents.files import write_file
from mcts_agents.agents.own import kind_of
from mcts_agents.agents.policies.evaluator import PolicyEvaluator
from mcts_agents.names import parse_value

_SIGNS = set("(),")


def to_mapping(agent: Agent, *, full: bool = False) -> dict[str, Any]:
    """Return a mapping from which `make_agent` makes the same agent.

    Args:
        agent: An agent of this package.
        full: Name every setting, not only those that differ from their defaults.

    Raises:
        ValueError: A setting is a Python function or an agent of somebody else, which
            no text stands for.
    """
    kind = kind_of(agent)
    written = kind.written(agent, full)
    return {"agent": kind.name} | {n: _text(n, v, full) for n, v in written.items()}


def agent_spec(agent: Agent) -> str:
    """Return a spec from which `make_agent` makes the same agent.

    Raises:
        ValueError: See `to_mapping`.
    """
    return _spec(to_mapping(agent))


def spec_text(spec: str | Mapping[str, Any]) -> str:
    """Return an agent's spec or mapping in one line, for people to read.

    A mapping is written as a spec; as JSON where none can say the same, or where it is
    not that of an agent.
    """
    if isinstance(spec, str):
        return spec
    try:
        return _spec(spec)
    except (KeyError, TypeError, ValueError):
        return json.dumps(spec, ensure_ascii=False)


def save_agent(agent: Agent, path: str | PathLike[str], *, full: bool = False) -> None:
    """Write an agent's settings to a YAML or JSON file.

    Relative paths of policies are written relative to the file's folder, from which
    they are read.

    Raises:
        ValueError: See `to_mapping`; or the file's name does not end in .yaml, .yml or
            .json.
    """
    folder = dirname(fspath(path))
    write_file(fspath(path), _seen_from(to_mapping(agent, full=full), folder))


def _seen_from(mapping: dict[str, Any], folder: str) -> dict[str, Any]:
    """Return a mapping whose relative paths of files begin in a folder."""
    found = {}
    for name, value in mapping.items():
        if isinstance(value, dict):
            value = _seen_from(value, folder)
        elif name == "file" and isinstance(value, str) and not isabs(value):
            value = relpath(value, folder or ".")
        found[name] = value
    return found


def _text(name: str, value: Any, full: bool) -> Any:
    if isinstance(value, PolicyEvaluator):
        value = value.agent
    if isinstance(value, Agent):
        return to_mapping(value, full=full)
    if isinstance(value, float):  # one of NumPy's, too
        return float(value)
    # A mapping is that of an agent, as a spec named it.
    if value is None or isinstance(value, str | bool | int | dict):
        return value
    raise ValueError(
        f"{name}={value!r}: a Python object, which cannot be written as text"
    )


def _spec(mapping: Mapping[str, Any]) -> str:
    parts = []
    for name, value in mapping.items():
        if name == "agent":
            continue
        if isinstance(value, dict):
            text = f"({_spec(value)})"
        elif isinstance(value, str):
            text = value
            read = parse_value(text)
            is_read = text == text.strip() != "" and isinstance(read, str | None)
            if _SIGNS & set(text) or not is_read:
                raise ValueError(f"{name}={value!r} cannot be written in a spec")
        elif isinstance(value, bool) or value is None:
            text = str(value).lower()
        elif isinstance(value, int | float):
            text = repr(value)
        else:
            raise ValueError(f"{name}={value!r} cannot be written in a spec")
        parts.append(f"{name}={text}")
    return ":".join([mapping["agent"], ",".join(parts)]).rstrip(":")
