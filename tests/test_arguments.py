"""No function takes more arguments than somebody can keep in mind."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = ("mcts_agents", "envs", "wrappers", "benchmarks", "experiments", "examples")
MOST = 8


def many(source):
    """Yield the functions of a text that take too much, with what they take."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        taken = node.args
        every = [*taken.posonlyargs, *taken.args, *taken.kwonlyargs]
        names = [one.arg for one in every if one.arg not in ("self", "cls")]
        names += [one.arg for one in (taken.vararg, taken.kwarg) if one]
        if len(names) > MOST:
            yield getattr(node, "name", "lambda"), names


@pytest.mark.parametrize("folder", FOLDERS)
def test_no_function_takes_more_than_eight_arguments(folder):
    found = {
        f"{file.relative_to(ROOT)}: {name}": names
        for file in (ROOT / folder).rglob("*.py")
        for name, names in many(file.read_text())
    }
    assert not found


@pytest.mark.parametrize("kind", ["def f({}): 0", "async def f({}): 0", "lambda {}: 0"])
def test_every_kind_of_argument_counts(kind):
    eight = "self, a, b, /, c, *d, e, f, g, **h"
    assert not list(many(kind.format(eight)))
    ((_, names),) = many(kind.format(eight.replace("e, f", "e, more, f")))
    assert sorted(names) == ["a", "b", "c", "d", "e", "f", "g", "h", "more"]
