"""The code in README and docs runs as printed, and links lead somewhere."""

import re
import shlex
from pathlib import Path

import pytest
import typer

from mcts_agents.agents.kinds import KINDS
from mcts_agents.cli.app import app

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
README = (ROOT / "README.md").read_text()
# Each block of these runs on its own.
PAGES = (
    README,
    (DOCS / "reinforcement_learning.md").read_text(),
    (DOCS / "checking_games.md").read_text(),
    (DOCS / "your_own_environment.md").read_text(),
)
# Those of these pages run one after another. Other pages are tested beside their code.
IN_ORDER = (
    "agents.md",
    "arena.md",
    "open_spiel.md",
    "algorithms/gumbel.md",
    "algorithms/permutation_search.md",
)
PYTHON = re.compile(r"```python\n(.*?)```", re.DOTALL)
SNIPPETS = [snippet for page in PAGES for snippet in PYTHON.findall(page)]
# Packages that not every installation of the tests has.
OPTIONAL = ("pyspiel", "sb3_contrib", "torch")
ALL_PAGES = sorted({*ROOT.glob("*.md"), *ROOT.glob("experiments/*.md")}) + sorted(
    page for page in DOCS.rglob("*.md") if "_build" not in page.parts
)
TUTORIALS = [page for page in ALL_PAGES if "file_format: mystnb" in page.read_text()]


def need_packages(code):
    for name in OPTIONAL:
        if name in code:
            pytest.importorskip(name)
    if "open_spiel:" in code:
        pytest.importorskip("pyspiel")


@pytest.fixture(autouse=True)
def _no_kinds_stay():
    """What a snippet registers is gone afterwards."""
    before = set(KINDS)
    yield
    for name in set(KINDS) - before:
        del KINDS[name]


def test_there_are_snippets():
    assert len(SNIPPETS) >= 2


@pytest.mark.parametrize("snippet", SNIPPETS)
def test_snippets_run(snippet, tmp_path, monkeypatch):
    need_packages(snippet)
    monkeypatch.chdir(tmp_path)
    exec(compile(snippet, "README.md", "exec"), {"__name__": "__main__"})


@pytest.mark.parametrize("page", IN_ORDER)
def test_pages_run_from_top_to_bottom(page, tmp_path, monkeypatch):
    snippets = PYTHON.findall((DOCS / page).read_text())
    assert snippets
    need_packages("".join(snippets))
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "__main__"}
    for snippet in snippets:
        exec(compile(snippet, page, "exec"), names)


@pytest.mark.parametrize("page", TUTORIALS, ids=lambda page: page.stem)
def test_tutorials_can_be_parsed(page):
    """The build of the documentation runs them."""
    cells = re.findall(
        r"```\{code-cell\} python\n(.*?)```", page.read_text(), re.DOTALL
    )
    assert cells
    for cell in cells:
        if cell.startswith("%%writefile "):
            _, cell = cell.split("\n", 1)
        compile(cell, page.name, "exec")


def commands(page):
    """Yield the commands of this package in a page's shell blocks."""
    for block in re.findall(r"```sh\n(.*?)```", page.read_text(), re.DOTALL):
        for line in block.replace("\\\n", " ").splitlines():
            words = shlex.split(line, comments=True)
            if words[:1] == ["mcts-agents"]:
                yield words[1:]


@pytest.mark.parametrize("page", ALL_PAGES, ids=lambda page: page.stem)
def test_commands_have_the_options_that_pages_give_them(page):
    command = typer.main.get_command(app)
    for words in commands(page):
        if any(word.startswith("[") for word in words):  # a summary of what may stand
            known = {o for p in command.commands[words[0]].params for o in p.opts}
            known |= {
                o for p in command.commands[words[0]].params for o in p.secondary_opts
            }
            named = re.findall(r"--[a-z-]+", " ".join(words))
            assert known >= set(named), words
            continue
        context = command.make_context("mcts-agents", list(words))
        rest = [*context._protected_args, *context.args]
        name, subcommand, rest = command.resolve_command(context, rest)
        subcommand.make_context(name, rest, parent=context)


@pytest.mark.parametrize("target", sorted(set(re.findall(r"\]\(([^)#:]+)\)", README))))
def test_links_lead_to_files(target):
    assert (ROOT / target).exists()
