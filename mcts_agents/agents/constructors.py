"""The constructor arguments of an agent's class, as options that text can name."""

import inspect
import types
from dataclasses import dataclass, field
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from mcts_agents.agents.agent import NO_SUPER, Agent
from mcts_agents.agents.kinds import KINDS, AgentKind
from mcts_agents.model.copying.copy_options import COPY_OPTIONS
from mcts_agents.names import error_line, quoted, unknown_name
from mcts_agents.search.options.option import Option

# What a text can say.
_TEXTS: dict[str, type] = {"int": int, "float": float, "bool": bool, "str": str}
TAKEN = "int, float, bool, str, one of these or None, or a Literal of words"

# Parameters that are no options: every agent's seed is set apart, and the others are
# about third-party environments. `agent` is the name of a mapping's agent.
_NO_OPTIONS = ("self", "seed", *COPY_OPTIONS, "agent")


@dataclass
class Constructor:
    """A class of agents and the options that its constructor takes.

    Parameters of a base class count too where the class passes keywords on to it.

    Attributes:
        name: What the class is called in a spec.
        agent: The class.
        options: The options that a text can name, with what each may be.
        defaults: The values of those that may be left out.
        required: The names of those that may not.
        others: Parameters that no text stands for, with what they take.
        inherited: Options of a registered class from which this one derives.
        takes_seed: Whether `seed` is a parameter.

    Raises:
        ValueError: The class requires what no text stands for.
    """

    name: str
    agent: type[Agent]
    options: dict[str, Option] = field(init=False, default_factory=dict)
    defaults: dict[str, Any] = field(init=False, default_factory=dict)
    required: list[str] = field(init=False, default_factory=list)
    others: dict[str, str] = field(init=False, default_factory=dict)
    inherited: dict[str, Option] = field(init=False, default_factory=dict)
    takes_seed: bool = field(init=False, default=False)

    def __post_init__(self) -> None:
        demands = True  # what a class's bases require it may give itself
        for base in self.agent.__mro__:
            if "__init__" not in vars(base):
                continue
            kind = _constructed_kind(base)
            if kind is not None:
                self.inherited = dict(kind.described)
            if kind is not None or base is Agent:
                self.takes_seed = True
                break
            if not self._read(base, demands):
                break
            demands = False

    def _read(self, base: type, demands: bool) -> bool:
        """Note the parameters of a class; return whether it passes keywords on."""
        passes_on = False
        for parameter, hint in _parameters(base):
            self.takes_seed |= parameter.name == "seed"
            if parameter.kind is parameter.VAR_KEYWORD:
                passes_on = True
            elif self._enter(parameter, hint) and demands:
                self.required.append(parameter.name)
                if parameter.name in self.others:
                    raise ValueError(
                        f"agent {self.name!r}: {self.agent.__name__} requires "
                        f"{parameter.name} ({self.others[parameter.name]}), which "
                        f"cannot be written as text ({TAKEN}); pass an agent object "
                        "in Python"
                    )
        return passes_on

    def _enter(self, parameter: inspect.Parameter, hint: Any) -> bool:
        """Note a parameter; return whether it is required."""
        name, default = parameter.name, parameter.default
        if name in _NO_OPTIONS or name in self.options or name in self.others:
            return False
        if parameter.kind is parameter.VAR_POSITIONAL:
            return False
        option = _option(hint, default)
        if option is None or parameter.kind is parameter.POSITIONAL_ONLY:
            self.others[name] = _said(hint, default)
            return default is parameter.empty
        self.options[name] = option
        if default is parameter.empty:
            return True
        self.defaults[name] = default
        return False

    @property
    def described(self) -> dict[str, Option]:
        """All options, including the options of a registered base class."""
        return {**self.inherited, **self.options}

    def check_names(self, given: dict[str, Any]) -> None:
        """Raise ValueError for an unknown or missing option."""
        for option in given:
            if option in self.others and option not in self.described:
                raise ValueError(
                    f"option {option!r} of {self.name} takes {self.others[option]}, "
                    f"which cannot be written as text ({TAKEN}); pass an agent object "
                    "in Python"
                )
            if option not in self.described:
                known = (*self.described, "seed")
                raise ValueError(unknown_name(f"option of {self.name}", option, known))
        for option in self.required:
            if option not in given:
                raise ValueError(
                    f"{self.name} requires the option {option!r}: "
                    f"{self.options[option].allowed}"
                )

    def make(self, seed: int | None = None, **given: Any) -> Agent:
        """Make an agent; a seed goes to `reset`, and to a constructor that takes one.

        Raises:
            ValueError: An option that is not allowed, or an exception of the class.
        """
        self.check_names(given)
        for name, value in given.items():
            if name in self.options:
                try:
                    self.options[name].check(name, value)
                except ValueError as error:
                    raise ValueError(f"{self.name}: {error}") from error
                if self.options[name].kind is float and value is not None:
                    given[name] = float(value)
        keywords = {**given, "seed": seed} if self.takes_seed else given
        return made(self.agent, keywords, seed, self.name)


def made(
    agent: type[Agent], keywords: dict[str, Any], seed: int | None, name: str
) -> Agent:
    """Call the constructor of a third-party class.

    Raises:
        ValueError: It raises, or does not call that of `Agent`.
    """
    shown = ", ".join(f"{key}={quoted(value)}" for key, value in keywords.items())
    call = f"agent {name!r}: {agent.__name__}({shown})"
    try:
        new = agent(**keywords)
        # Where the constructor kept the seed to itself.
        if seed is not None and hasattr(new, "_one_thread"):
            new.reset(seed)
    except Exception as error:
        told = error_line(error)
        raise ValueError(f"{call} raised {told}") from error
    if not hasattr(new, "_one_thread"):
        raise ValueError(f"{call}: {NO_SUPER}")
    return new


def _constructed_kind(agent: type) -> AgentKind | None:
    """Return the kind of a registered class whose options its constructor takes."""
    for kind in KINDS.values():
        if kind.agent is agent and kind.make is agent:
            return kind
    return None


def _parameters(agent: type) -> list[tuple[inspect.Parameter, Any]]:
    """Return the parameters of a class's own constructor, each with its annotation."""
    constructor = vars(agent)["__init__"]
    try:
        hints = get_type_hints(constructor)
    except Exception:  # names that exist for type checkers only: whatever they raise
        hints = getattr(constructor, "__annotations__", {})
    parameters = list(inspect.signature(constructor).parameters.values())
    return [(p, hints.get(p.name, p.empty)) for p in parameters[1:]]


def _option(hint: Any, default: Any) -> Option | None:
    """Return what a parameter takes, None if no text stands for it."""
    empty = inspect.Parameter.empty
    if hint is empty:
        hint = type(default)
        return _option(hint, default) if hint in _TEXTS.values() else None
    if isinstance(hint, str):  # which could not be looked up
        word, *rest = (part.strip() for part in hint.split("|"))
        if word not in _TEXTS or rest not in ([], ["None"]):
            return None
        return Option("", "", kind=_TEXTS[word], optional=bool(rest))
    optional = False
    if get_origin(hint) in (Union, types.UnionType):
        members = [member for member in get_args(hint) if member is not type(None)]
        if len(members) != 1:
            return None
        optional, hint = len(get_args(hint)) > 1, members[0]
    if get_origin(hint) is Literal:
        words = get_args(hint)
        if not all(isinstance(word, str) for word in words):
            return None
        return Option("", "", choices=words, optional=optional)
    if hint not in _TEXTS.values():
        return None
    return Option("", "", kind=hint, optional=optional or default is None)


def _said(hint: Any, default: Any) -> str:
    """Return what a parameter takes, in words."""
    if hint is not inspect.Parameter.empty:
        return inspect.formatannotation(hint) if not isinstance(hint, str) else hint
    if default is inspect.Parameter.empty:
        return "a value without an annotation"
    return f"something like {quoted(default)}, without an annotation"
