"""The documentation against the code: tables, specs, links, and what commands print."""

import importlib.util
import os
import re
import shlex
import subprocess
from dataclasses import fields
from pathlib import Path

import gymnasium
import numpy as np
import pytest

from mcts_agents import make_agent
from mcts_agents.agents.presets import PRESETS
from mcts_agents.envs import GAMES, environments, make_model
from mcts_agents.minimax import ALGORITHMS as ALGORITHMS_OF_MINIMAX
from mcts_agents.model.copying.copy_options import CopyOptions
from mcts_agents.permutation import ALGORITHMS as ALGORITHMS_OF_PERMUTATION
from mcts_agents.search import SearchSettings
from mcts_agents.search.options.settings import TREE_POLICIES, TREES
from tests.command import COMMAND

DOCS = Path(__file__).parent.parent / "docs"
README = DOCS.parent / "README.md"
PAGES = sorted(p for p in DOCS.rglob("*.md") if "_build" not in p.parts)
ALGORITHMS = [p for p in PAGES if p.parent.name == "algorithms"]
# Each command of the reference with what it prints, up to the next one.
TRANSCRIPTS = dict(
    re.findall(
        r"^\$ mcts-agents (.*)\n((?:(?!```|\$ ).*\n)*)",
        (DOCS / "command_line.md").read_text().replace("\\\n>", ""),
        re.MULTILINE,
    )
)
# Those that print something else on another machine, or need files.
VARYING = ("bench", "verify", "tune", "record")


def script(name):
    """Return a script of the folder of docs as a module."""
    spec = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def make_options():
    return script("make_options")


def test_the_pages_of_games_are_up_to_date():
    """If not: python docs/make_games.py."""
    made = script("make_games").pages()
    assert {path.name for path in (DOCS / "games").glob("*.md")} == made.keys()
    for name, text in made.items():
        assert (DOCS / "games" / name).read_text() == text, name
    for name in GAMES:
        assert f"](docs/games/{name}.md)" in README.read_text(), name


def test_the_tables_are_up_to_date(make_options):
    """If not: python docs/make_options.py."""
    assert (DOCS / "options.md").read_text() == make_options.options_page()
    minimax = (DOCS / "minimax_options.md").read_text()
    assert minimax == make_options.minimax_page()
    permutation = (DOCS / "permutation_options.md").read_text()
    assert permutation == make_options.permutation_page()
    agents = (DOCS / "agents.md").read_text()
    assert agents == make_options.agents_page(agents)
    assert agents.count("`multitree-paranoid` |") == 1


def test_every_option_and_word_is_on_a_page():
    options = (DOCS / "options.md").read_text()
    algorithms = "\n".join(page.read_text() for page in ALGORITHMS)
    for field in fields(SearchSettings):
        assert f"| `{field.name}` |" in options
    budget = {"simulations", "seconds", "safety_margin", "forward_model_calls"}
    for field in fields(SearchSettings):
        assert field.name in budget or f"`{field.name}" in algorithms, field.name
    for name, words in (("tree", TREES), ("tree_policy", TREE_POLICIES)):
        for word in words:
            assert f"`{name}={word}`" in algorithms
    for name in PRESETS:
        assert f"`{name}`" in algorithms, name


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#\s]+)\)", page.read_text()):
        if "://" not in target:
            assert (page.parent / target).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_specs_are_understood(page):
    families = (*ALGORITHMS_OF_MINIMAX, *ALGORITHMS_OF_PERMUTATION)
    words = "|".join(("mcts", "one-step", "scripted", *families, *PRESETS))
    for spec in re.findall(rf"`((?:{words}):[a-z_]+=[^`]*)`", page.read_text()):
        if "..." not in spec:
            make_agent(spec)


@pytest.mark.parametrize("page", ALGORITHMS, ids=lambda page: page.name)
def test_options_on_the_pages_exist(page):
    agent = "mcps" if page.name == "permutation_search.md" else "mcts"
    for name, value in re.findall(r"`([a-z_]+)=([a-z_]+)`", page.read_text()):
        make_agent(f"{agent}:{name}={value}")


OF_MCTS = [name for name, preset in PRESETS.items() if preset.agent == "mcts"]


def planned(name, env):
    budget = "simulations=10" if name in OF_MCTS else "nodes=10"
    return make_agent(f"{name}:{budget}", seed=1).plan(env)


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("preset", PRESETS)
def test_presets_work_where_the_table_says_so(game, preset):
    described, model = make_model(game)
    env = environments(described)[1](**model.variant)
    env.reset(seed=3)  # in Uno, too, the first player has a choice
    while (legal := np.flatnonzero(env.last()[0]["action_mask"])).size == 1:
        env.step(legal[0])  # in Dominion nobody has before the buys
    needs = PRESETS[preset]
    functions = [*needs.functions]
    if model.hidden_information:
        functions += needs.functions_if_hidden
    if model.players > 2:
        functions += needs.functions_for_many
    missing = [name for name in functions if not model.has(name)]
    if needs.hidden and not model.hidden_information:
        missing.append("hidden")
    if not needs.chance and model.chance:
        missing.append("chance")
    if not missing:
        result = planned(preset, env)
        assert result.action in result.actions
        assert 0 < (result.simulations or result.nodes) <= 10
        return
    with pytest.raises(ValueError, match=rf"{game}") as raised:
        planned(preset, env)
    words = {"evaluate": "evaluation function"}
    assert any(words.get(name, name) in str(raised.value) for name in missing)


@pytest.mark.parametrize("preset", OF_MCTS)
def test_presets_on_environments_of_other_people(preset):
    env = gymnasium.make("FrozenLake-v1")
    env.reset(seed=1)
    agent = make_agent(f"{preset}:simulations=10", seed=1)
    agent.copying = CopyOptions(perfect_information=True)
    if PRESETS[preset].copies:
        assert agent.act(env) in range(4)
    else:
        with pytest.raises(ValueError, match=r"FrozenLake|nothing is hidden|no "):
            agent.act(env)


def printed(command, folder, typed):
    """What a command prints in a terminal of 80 columns, notices of compiling aside."""
    done = subprocess.run(
        [*COMMAND, *shlex.split(command)],
        cwd=folder,
        input=typed,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        env={**os.environ, "COLUMNS": "80"},
    )
    lines = done.stdout.splitlines()
    notices = ("Compiling", "Waiting")
    return "".join(f"{li.rstrip()}\n" for li in lines if not li.startswith(notices))


def narrowed(text):
    """A text whose columns are all as narrow as can be: long times make them wider."""
    return re.sub(r" +", " ", re.sub(r"[━─]+", "─", text))


def pattern(shown):
    """A pattern of what is shown: `...` stands for anything, and times vary."""
    found = re.escape(shown)
    found = re.sub(r"^\\\.\\\.\\\.\\\n", "(?s:.*)", found, flags=re.MULTILINE)
    found = found.replace(r"\.\.\.", ".*")
    found = re.sub(r"\d:\d\d:\d\d", r"\\d:\\d\\d:\\d\\d", found)
    return re.sub(r"(\\ )+\d+\\\.\d(?=\\ │)", r" +\\d+[.]\\d", found)  # ms each


def test_there_are_transcripts():
    assert sum(not command.startswith(VARYING) for command in TRANSCRIPTS) >= 7


@pytest.mark.parametrize(
    "command", [name for name in TRANSCRIPTS if not name.startswith(VARYING)]
)
def test_commands_print_what_the_reference_shows(command, tmp_path):
    shown = TRANSCRIPTS[command]
    typed = "".join(
        f"{line}\n" for line in re.findall(r"^player_\d> (.*)", shown, re.M)
    )
    # What is typed is seen in a terminal only.
    shown = re.sub(r"^(player_\d> ).*\n", r"\1", shown, flags=re.MULTILINE)
    shown = re.sub(r" +$", "", shown, flags=re.MULTILINE)
    found = printed(command, tmp_path, typed)
    matches = re.fullmatch(pattern(narrowed(shown)), narrowed(found))
    assert matches, f"now:\n{found}"


def test_paranoid_static_plans_on_copies():
    assert PRESETS["paranoid-static"].copies
    env = gymnasium.make("FrozenLake-v1", is_slippery=False)
    env.reset(seed=1)
    agent = make_agent("paranoid-static:nodes=10", seed=1)
    agent.copying = CopyOptions(perfect_information=True, deterministic=True)
    assert agent.act(env) in range(4)
