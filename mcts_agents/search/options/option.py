"""Options with a description: the one source of validation, specs and documentation."""

import math
from dataclasses import Field, dataclass, field, fields
from typing import Any

from mcts_agents.names import quoted

# Compiled code counts in 64 bits.
GREATEST = 2**62


@dataclass(frozen=True)
class Option:
    """What one option may be, and what it means.

    Attributes:
        text: What it does, in one or two sentences.
        group: Heading under which it is documented.
        choices: Allowed words.
        least: Least number allowed.
        above: Number that it must exceed.
        most: Greatest number allowed.
        kind: `int`, `float`, `bool`, `str`, or `object` for none but `objects`.
        optional: Whether None is allowed.
        objects: Besides words, which Python objects are taken; empty: none.
        instances: Classes of which objects are taken.
        functions: Whether functions, and objects with a method `decide`, are, too.
        source: Where it comes from.
        tag: The name of the parameter in TAG's JSON files, if it has one.
        file: The file of the search that says what the option does.
    """

    text: str
    group: str
    choices: tuple[str, ...] = ()
    least: float | None = None
    above: float | None = None
    most: float | None = None
    kind: type = str
    optional: bool = False
    objects: str = ""
    instances: tuple[type, ...] = ()
    functions: bool = True
    source: str = ""
    tag: str = ""
    file: str = ""

    @property
    def allowed(self) -> str:
        """Say in words what is allowed."""
        if self.kind is bool:
            text = "true or false"
        elif self.choices:
            text = "one of " + ", ".join(self.choices)
        elif self.kind is object:
            return self.objects + (", or none" if self.optional else "")
        elif self.kind is str:
            text = "a word"
        else:
            text = "an integer" if self.kind is int else "a number"
            if self.kind is int and self.least is not None:
                text += f" from {self.least}"
                if self.most is not None:
                    text += f" to {self.most}"
            else:
                bounds = [
                    f"{word} {bound}"
                    for word, bound in (
                        ("at least", self.least),
                        ("above", self.above),
                        ("at most", self.most),
                    )
                    if bound is not None
                ]
                text = " ".join([text, " and ".join(bounds)]).rstrip()
        if self.objects:
            text += f", or {self.objects}"
        return text + (", or none" if self.optional else "")

    def check(self, name: str, value: Any) -> None:
        """Raise ValueError unless `value` is allowed; the message says what is."""
        if value is None and self.optional:
            return
        decides = hasattr(value, "decide") and self.kind is not object
        is_function = self.functions and (callable(value) or decides)
        if self.objects and (is_function or isinstance(value, self.instances)):
            return
        if isinstance(value, int) and abs(value) > GREATEST:
            raise ValueError(
                f"{name}: a number beyond the greatest allowed, {GREATEST}"
            )
        if not self._fits(value):
            raise ValueError(f"{name}={quoted(value)}: expected {self.allowed}")

    def _fits(self, value: Any) -> bool:
        if self.kind is bool:
            return isinstance(value, bool)
        if self.kind is object:
            return False
        if self.kind is str:
            return isinstance(value, str) and (
                not self.choices or value in self.choices
            )
        numbers = int if self.kind is int else int | float
        if isinstance(value, bool) or not isinstance(value, numbers):
            return False
        return (
            math.isfinite(value)
            and (self.least is None or value >= self.least)
            and (self.above is None or value > self.above)
            and (self.most is None or value <= self.most)
        )


def option(default: Any, text: str, group: str, **rest: Any) -> Any:
    """Return a dataclass field described by an `Option`."""
    return field(default=default, metadata={"option": Option(text, group, **rest)})


def option_of(described: Field) -> Option:
    """Return the description of a dataclass field made by `option`."""
    return described.metadata["option"]


def options_of(described: type) -> dict[str, Option]:
    """Return the options of a dataclass whose fields `option` made, by name."""
    return {field.name: option_of(field) for field in fields(described)}


def set_options(instance: Any) -> dict[str, Any]:
    """Return the options of a dataclass instance that differ from their defaults."""
    pairs = ((field, getattr(instance, field.name)) for field in fields(instance))
    return {field.name: value for field, value in pairs if value != field.default}


def check_options(instance: Any) -> None:
    """Check every option of a dataclass instance."""
    for described in fields(instance):
        option_of(described).check(described.name, getattr(instance, described.name))
