"""Options in the signature and in the help of a class that takes them as keywords."""

import inspect
from collections.abc import Collection
from dataclasses import Field, fields
from typing import Any

from mcts_agents.search.options.option import Option, option_of

WIDTH = 84  # `help` indents by four


def show_options(
    agent: type,
    described: type,
    *,
    besides: type,
    only: Collection[str] | None = None,
) -> None:
    """Show a dataclass's options as keywords of a class, in place of its `**options`.

    A subclass with a constructor of its own has a signature of its own.

    Args:
        agent: The class.
        described: The dataclass, whose options the help explains.
        besides: Another one, whose fields are keywords too.
        only: The names of those options that the class takes; None: all.
    """
    constructor: Any = agent.__init__
    own = inspect.signature(constructor)
    kept = [p for p in own.parameters.values() if p.kind is not p.VAR_KEYWORD]
    shown = [
        inspect.Parameter(field.name, kept[-1].kind, default=field.default)
        for field in (*fields(besides), *_fields(described, only))
    ]
    constructor.__signature__ = own.replace(parameters=kept + shown)
    if agent.__doc__ is not None:  # Python may be told to leave them out
        text = inspect.cleandoc(agent.__doc__)
        agent.__doc__ = f"{text}\n\n{options_text(described, only)}"


def _fields(described: type, only: Collection[str] | None) -> list[Field]:
    return [f for f in fields(described) if only is None or f.name in only]


def options_text(described: type, only: Collection[str] | None = None) -> str:
    """Return the options of a dataclass by group: default, meaning, what is allowed."""
    groups: dict[str, list[str]] = {}
    for field in _fields(described, only):
        option = option_of(field)
        text = f"{field.name}={field.default!r}: {option.text} Allowed: "
        lines = wrapped(f"{text}{python_words(option)}.")
        groups.setdefault(option.group, []).extend(lines)
    return "\n\n".join(
        "\n".join([f"{name}:", *lines]) for name, lines in groups.items()
    )


def wrapped(text: str) -> list[str]:
    """Return a text in indented lines; `textwrap` takes four times as long."""
    lines, line = [], "   "
    for word in text.split():
        if len(line) + 1 + len(word) > WIDTH:
            lines.append(line)
            line = "       "
        line += " " + word
    return [*lines, line]


def python_words(option: Option) -> str:
    """Say what an option may be, as Python writes it: words in quotes, None, True."""
    text = option.allowed
    if option.kind is bool:
        text = text.replace("true or false", "True or False")
    words = ", ".join(map(repr, option.choices))
    text = text.replace("one of " + ", ".join(option.choices), f"one of {words}")
    ending = ", or none"
    return text.removesuffix(ending) + ", or None" if option.optional else text
