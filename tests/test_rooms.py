"""Imports point down only, never in a circle, and rooms say what lives there.

Every import counts, those inside functions and for type checkers too.
"""

import ast
import functools
import re
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = {
    "mcts_agents": "mcts_agents",
    "envs": "mcts_agents.envs",
    "wrappers": "mcts_agents.wrappers",
}
# Each room may import from those above it in this list, and from itself.
ROOMS = [
    "mcts_agents.model",
    "mcts_agents.model.copying",
    "mcts_agents.search.kernel",
    "mcts_agents.search.inspection",
    "mcts_agents.search.options",
    "mcts_agents.search.driver",
    "mcts_agents.search",
    "mcts_agents.minimax.kernel",
    "mcts_agents.minimax",
    "mcts_agents.permutation.kernel",
    "mcts_agents.permutation",
    "mcts_agents.envs",
    "mcts_agents.networks",
    "mcts_agents.agents.policies",
    "mcts_agents.agents",
    "mcts_agents.wrappers",
    "mcts_agents.arena.playing",
    "mcts_agents.arena.tournaments",
    "mcts_agents.arena.analysis",
    "mcts_agents.arena.reports",
    "mcts_agents.arena.replay",
    "mcts_agents.arena",
    "mcts_agents.learn",
    "mcts_agents.learn.training",
    "mcts_agents.testing",
    "mcts_agents.ui",
    "mcts_agents.cli",
]


def modules():
    """Return every module's file, by its dotted name."""
    found = {}
    for folder, name in FOLDERS.items():
        for file in (ROOT / folder).rglob("*.py"):
            parts = [name, *file.relative_to(ROOT / folder).with_suffix("").parts]
            found[".".join(parts).removesuffix(".__init__")] = file
    return found


MODULES = modules()


@functools.cache
def imports_of(file):
    """Return the modules of the package that a file imports, wherever it does."""
    found = []
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names if alias.name in MODULES]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}:{node.lineno}: a relative import"
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                if inner in MODULES:
                    found.append(inner)
                elif node.module in MODULES:
                    found.append(node.module)
    return found


def room_of(module):
    """Return the room that a module lies in, None for the package's own files."""
    around = [room for room in ROOMS if f"{module}.".startswith(f"{room}.")]
    return max(around, key=len, default=None)


def test_every_module_is_found():
    assert {"mcts_agents", "mcts_agents.envs.hex.rules"} < MODULES.keys()
    assert "mcts_agents.search.kernel.descent" in set(
        imports_of(MODULES["mcts_agents.search.kernel.iterations"])
    )


def test_no_imports_in_a_circle():
    graph = {module: set(imports_of(file)) for module, file in MODULES.items()}
    try:
        list(TopologicalSorter(graph).static_order())
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


def test_imports_point_down():
    upwards = []
    for module, file in MODULES.items():
        if (room := room_of(module)) is None:
            continue
        for imported in imports_of(file):
            below = room_of(imported)
            if below is not None and ROOMS.index(below) > ROOMS.index(room):
                upwards.append(f"{module} -> {imported}")
    assert not upwards


@pytest.mark.parametrize("room", ROOMS)
def test_every_room_says_in_two_sentences_what_lives_there(room):
    text = ast.get_docstring(ast.parse(MODULES[room].read_text()))
    assert MODULES[room].name == "__init__.py"
    assert len(re.findall(r"[.!?](?=\s|$)", text)) >= 2, text
