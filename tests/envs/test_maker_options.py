"""Options of environments in text, against the signatures of their makers."""

import inspect
import math
from typing import Annotated, Literal

import pytest

from mcts_agents.envs.maker_options import parameters_of, wrong_option
from mcts_agents.names import parse_value


def maker(
    size=3,
    scale=1.0,
    big=False,
    word="a",
    unset=math.nan,
    free=None,
    share: "float | None" = 2,
    level: int | str = 1,
    other: list[int] = (),
    needed: int = inspect.Parameter.empty,
):
    """Take options whose kinds are told in different ways."""


def by_texts(
    scale: "float | None" = 1,
    path: "NotThere | None" = None,  # noqa: F821
    hook: "callable | None" = None,
    size: "list[int]" = (),
    level: "int|str" = 1,
    word: "str" = "a",
):
    """Take options whose annotations cannot all be evaluated."""


def annotated(size: Annotated[int, {"ge": 1}] = 3, many: Literal[1, 2] = 1):
    """Take options with annotations that are no types."""


def wrong(name, text, make=maker):
    known = {parameter.name: parameter for parameter in parameters_of(make)}
    return wrong_option(name, parse_value(text), known[name], "own:maker")


@pytest.mark.parametrize(
    "option",
    [
        ("size", "4"),
        ("size", "-100000000000000000000000"),
        ("size", "none"),
        ("scale", "2"),
        ("scale", "inf"),
        ("scale", "0.5"),
        ("big", "true"),
        ("word", "b"),
        ("unset", "nan"),
        ("free", "nan"),
        ("free", "anything"),
        ("share", "1.5"),
        ("share", "none"),
        ("level", "high"),
        ("level", "7"),
        ("other", "x"),
        ("needed", "1"),
    ],
    ids="=".join,
)
def test_what_fits(option):
    assert wrong(*option) == ""


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        (
            "size",
            "x",
            "size='x': own:maker needs a whole number, such as",
        ),
        ("size", "1.5", "if fractions are allowed, let its maker say size: float"),
        ("size", "nan", "size=nan: own:maker needs a whole number"),
        ("size", "inf", "a whole number, such as the default, 3"),
        ("size", "true", "a whole number"),
        ("scale", "nan", "scale=nan: own:maker needs a number"),
        ("scale", "10**23", "scale='10**23': own:maker needs a number"),
        ("scale", "false", "a number"),
        ("big", "1", "true or false, such as the default, False"),
        ("word", "nan", "a word, such as the default, 'a'; this is read as a number"),
        ("share", "nan", "a number, such as the default, 2"),
        ("level", "1.5", "a whole number or a word"),
        ("needed", "x", "needed='x': own:maker needs a whole number"),
    ],
)
def test_what_does_not_fit_is_told_in_one_line(name, text, expected):
    told = wrong(name, text)
    assert expected in told
    assert told.startswith(f"{name}=")
    assert "\n" not in told


@pytest.mark.parametrize(
    ("make", "name", "fitting", "others"),
    [
        (by_texts, "scale", ["1.5", "none"], ["x", "nan", "true"]),
        (by_texts, "path", ["x", "1.5"], []),
        (by_texts, "hook", ["x", "1"], []),
        (by_texts, "size", ["x", "1.5"], []),
        (by_texts, "level", ["x", "1"], ["1.5"]),
        (by_texts, "word", ["x"], ["1"]),
        (annotated, "size", ["4"], ["x", "1.5"]),
        (annotated, "many", ["1", "x"], []),
    ],
)
def test_annotations_that_are_texts_or_no_types(make, name, fitting, others):
    for text in fitting:
        assert wrong(name, text, make) == ""
    for text in others:
        assert wrong(name, text, make).startswith(f"{name}=")
