"""Specs: agents named by a string, a mapping or a file.

`mcts:tree=multi,simulations=1000`, `{"agent": "mcts", "tree": "multi"}`, or the path of
a file that holds such a mapping. Values in parentheses are specs of agents themselves:
`mcts:tree=self,opponent_model=(one-step:samples=3)`. A class of somebody else is
`module:Class`, with options as in `my_agents:FlatMonteCarlo:playouts=200`.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, nullcontext
from contextvars import ContextVar
from os import PathLike, fspath
from typing import Any

from mcts_agents.agents.agent import Agent
from mcts_agents.agents.files import (
    file_in,
    is_file_name,
    precedes_options,
    read_file,
)
from mcts_agents.agents.kinds import OBJECT, AgentKind
from mcts_agents.agents.own import is_in_module, kind_named, known_names
from mcts_agents.agents.policies.evaluator import PolicyEvaluator
from mcts_agents.agents.policy import PolicyAgent
from mcts_agents.agents.presets import PRESETS
from mcts_agents.agents.scripted import ScriptedAgent
from mcts_agents.importing import named_in_file
from mcts_agents.names import (
    MAX_NESTING,
    MOST_SPEC,
    parse_value,
    quoted,
    unknown_name,
)
from mcts_agents.names import parse_spec as parse_any_spec
from mcts_agents.search.options.option import Option

# Words that `rollout_policy` and `opponent_model` understand themselves.
POLICY_WORDS = ("random", "mast", "evaluator")

_ENDLESS = f"agents are nested more than {MAX_NESTING} deep; does one name itself?"

_nesting: ContextVar[int] = ContextVar("nesting", default=0)


def make_agent(
    spec: str | PathLike[str] | Mapping[str, Any], *, seed: int | None = None
) -> Agent:
    """Make an agent from a spec, a mapping or a file.

    Args:
        spec: `name` or `name:option=value,option=value`, with the name of an agent, of
            a preset (`presets.PRESETS`), or of a class, `module:Class`, whose module is
            imported; values are integers, numbers, true, false, none, words or specs in
            parentheses. Or a mapping with the name under
            `agent`. Or the path of a `.yaml`, `.yml` or `.json` file that holds such a
            mapping or TAG's MCTS parameters; options may follow it as they follow a
            name.
        seed: The agent's seed, unless the spec names one.

    Raises:
        ValueError: An unknown agent or option, a repeated option, or a value that is
            not allowed; the message names it and what is allowed.
    """
    with _in_file(spec), _one_deeper():
        kind, options, file = _resolved(spec)
        # What a file names is named in a file, wherever the file itself is named.
        with named_in_file(file) if file else nullcontext():
            return kind.make(**{"seed": seed, **options})


def parse_spec(spec: str) -> tuple[str, dict[str, object]]:
    """Split an agent's spec into its name and its options; see `names.parse_spec`."""
    return parse_any_spec(spec, precedes_options)


def resolve(
    spec: str | PathLike[str] | Mapping[str, Any],
) -> tuple[AgentKind, dict[str, Any]]:
    """Return the kind of agent that a spec names, and its options.

    Raises:
        ValueError: An unknown agent or option; see `make_agent`.
    """
    return _resolved(spec)[:2]


def _resolved(spec: Any) -> tuple[AgentKind, dict[str, Any], str]:
    """Return the kind, the options, and the file that was read last, empty for none."""
    name, options = _split(spec)
    steps, file = 0, ""
    with ExitStack() as reading:
        while (kind := _kind(name, options)) is None:
            steps += 1
            if steps > MAX_NESTING:
                raise ValueError(_ENDLESS)
            if is_file_name(name):
                file = name
                reading.enter_context(named_in_file(name))
            name, inner = _split(_meaning(name))
            options = {**inner, **options}
    for option in options:
        if option not in kind.options:
            if option == "perfect_information":
                raise ValueError(
                    f"{name}: {option} belongs to the game: --game ...:{option}=true"
                )
            raise ValueError(unknown_name(f"option of {name}", option, kind.options))
    read = {
        option: _read(kind.described.get(option), value)
        for option, value in options.items()
    }
    return kind, read, file


def _kind(name: str, options: Mapping[str, Any]) -> AgentKind | None:
    """Return the kind of a name, None for a preset, a file and what is unknown."""
    if name == OBJECT:
        raise ValueError(
            f"an object of {options.get('class')}, which a program passed: only that "
            "program can make this agent again (a replay without searches needs none)"
        )
    if name in PRESETS or is_file_name(name):
        return None
    return kind_named(name)


def unknown_agent(name: str, others: Iterable[str] = ()) -> str:
    """Return what is said of a name that no agent has."""
    if "," in name or "=" in name:
        return (
            f"unknown agent {quoted(name)}: options follow a colon, as in "
            "mcts:tree=multi,simulations=100 or my_agents:FlatMonteCarlo:playouts=200"
        )
    told = unknown_name("agent", name, (*known_names(), *others))
    return f"{told}; an agent of yours is named module:Class"


def names_an_agent(spec: str) -> bool:
    """Return whether a spec begins with a known name, a module's class, or a file."""
    name = spec.partition(":")[0].strip()
    if name in known_names() or _file_of(spec) is not None:
        return True
    try:
        return is_in_module(parse_spec(spec)[0])
    except ValueError:  # which names what is wrong where the agent is made
        return False


def policy_of(value: Any) -> Any:
    """Return the value for `rollout_policy` or `opponent_model`.

    Words that the search knows stay, and so do words that name no agent: they may be a
    scripted policy of the game. Specs and mappings become agents, anything else stays.

    Raises:
        ValueError: A spec or a mapping that is none.
    """
    if isinstance(value, Mapping) and set(value) == {"agent"}:
        value = value["agent"]
    if isinstance(value, Mapping):
        return _modelled(value)
    if not isinstance(value, str) or value in POLICY_WORDS:
        return _compiled_policy(value)
    named = ":" in value or value in known_names() or is_file_name(value)
    return _modelled(value) if named else value


def evaluator_of(value: Any) -> Any:
    """Return the value for `evaluator`: a policy becomes one, the rest is unchanged.

    Raises:
        ValueError: A spec or a mapping that is none of a policy.
    """
    if isinstance(value, Mapping) and set(value) == {"agent"}:
        value = value["agent"]
    if isinstance(value, Mapping) or (isinstance(value, str) and names_an_agent(value)):
        agent = _modelled(value)
        if not isinstance(agent, PolicyAgent):
            raise ValueError(
                f"{quoted(value)}: expected a policy, as in (policy:file=NAME)"
            )
        return PolicyEvaluator(agent)
    return PolicyEvaluator(value) if isinstance(value, PolicyAgent) else value


def _modelled(spec: str | Mapping[str, Any]) -> Agent:
    """Make an agent that a search asks; its generator starts anew in each search."""
    _, options = resolve(spec)
    if "seed" in options:
        raise ValueError(
            f"seed={options['seed']!r}: agents inside a search use the generator of "
            "the search; give the seed to the searching agent"
        )
    agent = make_agent(spec)
    return _compiled_policy(agent)


def _compiled_policy(value: Any) -> Any:
    """Return the name of a scripted agent's policy, which a search runs compiled."""
    if not isinstance(value, ScriptedAgent):
        return value
    if value.policy in POLICY_WORDS:
        raise ValueError(
            f"policy={value.policy!r}: in a search option, the words "
            f"{', '.join(POLICY_WORDS)} have meanings of their own, so a game's policy "
            "of such a name cannot be used there"
        )
    return value.policy


def _meaning(name: str) -> dict[str, Any]:
    """Return the mapping that a name stands for, if it is no class of agents."""
    if name in PRESETS:
        return PRESETS[name].mapping()
    if is_file_name(name):
        return read_file(name)
    raise ValueError(unknown_agent(name))


def _file_of(spec: Any) -> str | None:
    """Return the file that a spec begins with, if it is one."""
    if isinstance(spec, PathLike):
        return fspath(spec)
    if isinstance(spec, Mapping):
        spec = spec.get("agent")
    if not isinstance(spec, str):
        return None
    if len(spec) > MOST_SPEC:  # which is refused
        return None
    return file_in(spec)


def _split(spec: Any) -> tuple[str, dict[str, Any]]:
    """Return the name and the options of a spec in any of its forms."""
    if isinstance(spec, str | PathLike):
        file = _file_of(spec)
        if file is not None and fspath(spec).strip() == file.strip():
            return file.strip(), {}
        return parse_spec(fspath(spec))
    if not isinstance(spec, Mapping):
        raise ValueError(
            f"{quoted(spec)}: expected a spec such as 'mcts:tree=multi', a mapping "
            "with the key 'agent', the path of a file, or an object or class derived "
            "from mcts_agents.Agent"
        )
    options = dict(spec)
    name = options.pop("agent", None)
    if not isinstance(name, str):
        raise ValueError(
            f"agent={quoted(name)}: expected the name of an agent: "
            f"{', '.join(known_names())}"
        )
    for option in options:
        if not isinstance(option, str):
            raise ValueError(f"{name}: option {option!r} is not a word")
    return name, options


def _read(described: Option | None, value: Any) -> Any:
    """Read what text cannot tell apart: the word none from None, 1e6 from a word."""
    if described is None:
        return value
    if value is None and "none" in described.choices:
        return "none"
    if isinstance(value, str) and (described.kind is not str or described.optional):
        read = parse_value(value)
        if described.kind is not str or read is None:
            return read
    return value


@contextmanager
def _in_file(spec: Any) -> Iterator[None]:
    """Name the file in what is said of a spec that begins with one."""
    file = _file_of(spec)
    try:
        with nullcontext() if file is None else named_in_file(file):
            yield
    except ValueError as error:
        if file is None or str(error).startswith(f"{file}: "):
            raise
        raise ValueError(f"{file}: {error}") from error


@contextmanager
def _one_deeper() -> Iterator[None]:
    """Refuse agents that are nested without end."""
    token = _nesting.set(_nesting.get() + 1)
    try:
        if _nesting.get() > MAX_NESTING:
            raise ValueError(_ENDLESS)
        yield
    finally:
        _nesting.reset(token)
