"""Agents as forms: fields from the options' own declarations, and what they say."""

import json
import re
from collections.abc import Mapping
from dataclasses import MISSING, fields
from functools import cache
from typing import Any

import yaml  # type: ignore[import-untyped]

from mcts_agents.agents import make_agent
from mcts_agents.agents.kinds import KINDS, AgentKind, is_taken
from mcts_agents.agents.own import entry_points, is_in_module, kind_named
from mcts_agents.agents.presets import PRESETS
from mcts_agents.agents.saving import agent_spec, to_mapping
from mcts_agents.agents.specs import resolve
from mcts_agents.importing import named_in_file
from mcts_agents.names import parse_value, shortened
from mcts_agents.search.options.option import Option

MOST_TOLD = 400

# Where a text names a file of an agent, as a spec or somewhere within one.
_FILE = re.compile(r"\.(?:ya?ml|json)\s*(?:[:,)]|$)", re.IGNORECASE)

# A policy's options, which no search space describes. The page cannot set `trust`, so
# nothing in a file is ever executed.
POLICY = {
    "file": Option("The path of a trained policy, as the server sees it.", "policy"),
    "deterministic": Option(
        "Play the most probable action, rather than draw one.", "policy", kind=bool
    ),
    "observation": Option(
        "Observation format (flat or dict), if the file does not specify it.",
        "policy",
        optional=True,
    ),
    "activation": Option(
        "Activation function of the hidden layers, if the file does not specify it.",
        "policy",
        choices=("tanh", "relu", "leaky_relu", "elu", "sigmoid", "silu"),
        optional=True,
    ),
}


def agent_choices(own: tuple[str, ...]) -> list[dict[str, Any]]:
    """Return the agents that a seat can be given, with what each is.

    Args:
        own: Specs that the command line has named.

    Returns:
        For each the `name`, what it is (`about`), its `group` in a list, the names of
        its `budgets`, and whether it has the option `memory`; and `file` where a file
        has to be named.
    """
    rows = [
        _choice(name, kind.about, "Agents", kind)
        for name, kind in KINDS.items()
        if name != "policy"
    ]
    policy = _choice("policy", KINDS["policy"].about, "Trained", KINDS["policy"])
    rows.append({**policy, "file": True})
    with named_in_file("the page"):
        rows += [_choice(s, "", "Your own", _kind_of(s)) for s in own]
    rows += [
        _choice(name, "", "Installed", kind_named(name))
        for name in entry_points()
        if not is_taken(name)
    ]
    return rows + [
        _choice(name, preset.about, "Presets", KINDS[preset.agent])
        for name, preset in PRESETS.items()
    ]


def _choice(
    name: str, about: str, group: str, kind: AgentKind | None
) -> dict[str, Any]:
    budgets, memory = [], False
    if kind is not None:
        budgets, memory = list(kind.budgets), "memory" in kind.options
    row = {"name": name, "about": about, "group": group}
    return {**row, "budgets": budgets, "memory": memory}


def _kind_of(spec: str) -> AgentKind | None:
    """Return the kind of an agent; None: its file cannot be read any more."""
    try:
        return resolve(spec)[0]
    except (ValueError, OSError):
        return None


def check_files(spec: str | Mapping[str, Any], own: tuple[str, ...]) -> None:
    """Refuse what the page sends if it names a file of an agent.

    Errors about such a file quote it, so the page could read files with them.

    Args:
        spec: The spec of an agent, or its mapping.
        own: Specs that the command line has named, which are allowed.

    Raises:
        ValueError: It names one.
    """
    values = [spec] if isinstance(spec, str) else spec.values()
    for text in values:
        if not isinstance(text, str):
            continue
        named = next((one for one in own if f"{text}:".startswith(f"{one}:")), "")
        if _FILE.search(text[len(named) :]):
            raise ValueError(
                f"{shortened(text, MOST_TOLD // 2)}: the page can use an agent's file "
                "only if the command line names it: mcts-agents ui --agent FILE"
            )


def form_of(name: str) -> dict[str, Any]:
    """Return the fields of an agent's options, by group.

    Raises:
        ValueError: There is no such agent.
    """
    with named_in_file("the page"):
        kind, given = resolve(name)
    return {"agent": name, "kind": kind.name, "fields": _fields(kind, given)}


def _fields(kind: AgentKind, given: dict[str, Any]) -> list[dict[str, Any]]:
    defaults = _defaults(kind.name) if not is_in_module(kind.name) else {}
    return [
        {
            "name": name,
            "text": option.text,
            "group": option.group,
            "allowed": option.allowed,
            "choices": list(option.choices),
            "optional": option.optional,
            "kind": option.kind.__name__,
            "source": option.source,
            "default": text_of(given.get(name, defaults.get(name))),
        }
        for name, option in described(kind).items()
        if option.kind is not object
    ]


def described(kind: AgentKind) -> Mapping[str, Option]:
    """Return the options that a form has for a kind of agents."""
    return POLICY if kind.name == "policy" else kind.described


@cache
def _defaults(name: str) -> dict[str, Any]:
    """Return the values of options that nobody chose."""
    kind = kind_named(name)
    if kind is None:
        return {}
    try:
        return kind.written(kind.make(), True)
    except (TypeError, ValueError):  # an agent that cannot be made of nothing
        settings = getattr(kind.agent, "settings_class", None)
        found = fields(settings) if settings is not None else ()
        return {f.name: f.default for f in found if f.default is not MISSING}


def text_of(value: Any) -> str:
    """Write a value as a field of the form has it; empty for None."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return str(value)


def checked(
    agent: str, options: dict[str, str], game: str, own: tuple[str, ...] = ()
) -> dict[str, Any]:
    """Return what a filled form means, or what is wrong with which field.

    Args:
        agent: The agent's name.
        options: What was typed, by option; an empty text is the default.
        game: The spec of the game, for the command and the Python text.
        own: Specs that the command line has named, see `check_files`.

    Returns:
        `errors` by field (an empty name: of the whole form), and without errors the
        agent as `mapping`, `command`, `python` and `yaml`.
    """
    with named_in_file("the page"):
        try:
            check_files({**options, "agent": agent}, own)
            kind, preset = resolve(agent)
        except ValueError as error:
            return {"errors": {"": shortened(str(error), MOST_TOLD)}}
        values: dict[str, Any] = {}
        errors: dict[str, str] = {}
        for name, text in options.items():
            if name not in described(kind):
                errors[name] = f"{agent} has no option {name}"
            elif text.strip():
                option = described(kind)[name]
                values[name] = _value(option, text.strip())
                wrong = _error(option, name, values[name])
                if wrong:
                    errors[name] = wrong
        if not errors:
            errors = _errors_together(agent, values, kind)
    if errors:
        return {"errors": errors}
    mapping = {"agent": agent, **_without_defaults(kind, preset, values)}
    return {"errors": {}, **written(mapping, game)}


def _value(option: Option, text: str) -> Any:
    if option.kind is str and text in option.choices:
        return text
    value = parse_value(text)
    return text if option.kind is str and value is not None else value


def _error(option: Option, name: str, value: Any) -> str:
    if option.objects and isinstance(value, str):
        return ""  # the word of a policy, or the spec of an agent
    try:
        option.check(name, value)
    except ValueError as error:
        return shortened(str(error), MOST_TOLD)
    return ""


def _errors_together(
    agent: str, values: dict[str, Any], kind: AgentKind
) -> dict[str, str]:
    """Return what is wrong with options that are all right by themselves."""
    try:
        made = make_agent({"agent": agent, **values})
        del made
    except (TypeError, ValueError) as error:
        text = shortened(str(error), MOST_TOLD)
        return {option_named(text, kind): text}
    return {}


def option_named(text: str, kind: AgentKind) -> str:
    """Return the option that a refusal begins with, empty if it is none."""
    head = text.replace("=", " ").replace(":", " ").split()
    found = [word for word in head[:6] if word in described(kind)]
    return found[0] if found else ""


def _without_defaults(
    kind: AgentKind, preset: dict[str, Any], values: dict[str, Any]
) -> dict[str, Any]:
    defaults = {**_defaults(kind.name), **preset}
    return {n: v for n, v in values.items() if n not in defaults or defaults[n] != v}


def written(mapping: dict[str, Any], game: str) -> dict[str, Any]:
    """Return an agent as a command, as Python and as YAML."""
    agent = make_agent(mapping)
    try:
        spec = agent_spec(agent)
        full = to_mapping(agent)
    except ValueError:  # an agent in an agent that no spec can write
        spec, full = json.dumps(mapping), mapping
    python = f"from mcts_agents import make_agent\n\nagent = make_agent({full!r})\n"
    return {
        "mapping": mapping,
        "spec": spec,
        "command": f"mcts-agents play {game or 'GAME'} --agent human --agent '{spec}'",
        "python": python,
        "yaml": yaml.safe_dump(full, sort_keys=False),
    }
