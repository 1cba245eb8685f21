"""What type checkers say of a user's program: nothing of a right one, and mistakes.

The package is checked as it is installed: found on the path, with its `py.typed`.
"""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from typing import get_args, get_type_hints

import pytest

from mcts_agents.agents import minimax, permutation
from mcts_agents.agents.search_options import SearchOptions
from mcts_agents.minimax import MinimaxSettings
from mcts_agents.model.copying.copy_options import CopyKeywords
from mcts_agents.permutation import PermutationSettings
from mcts_agents.search import SearchSettings
from mcts_agents.search.options.option import options_of

ROOT = Path(__file__).resolve().parents[1]

RIGHT = '''\
from typing import Any

import gymnasium
import numpy as np

from mcts_agents import (
    Agent,
    MCTSAgent,
    OneStepAgent,
    PolicyAgent,
    RandomAgent,
    ScriptedAgent,
    SearchResult,
    SearchSettings,
    make_agent,
)
from mcts_agents.envs import hex as hex_game
from mcts_agents.envs import load_game, make_model
from mcts_agents.model import ForwardModel
from mcts_agents.search import RootPolicy, TreePolicy
from mcts_agents.wrappers import SingleAgentEnv


class Flat(Agent):
    """An agent of the user's own."""

    def __init__(self, playouts: int = 100, **agent: Any):
        self.playouts = playouts
        super().__init__(**agent)

    def decide(self, model: ForwardModel, state: np.ndarray, player: int) -> int:
        return int(model.legal_actions(state, player)[0])


def lead(model: ForwardModel, state: np.ndarray) -> list[float]:
    return [0.0] * model.players


def even(
    model: ForwardModel, state: np.ndarray, player: int, actions: np.ndarray
) -> np.ndarray:
    return np.zeros(len(actions))


def first(model: ForwardModel, state: np.ndarray, player: int) -> int:
    return int(model.legal_actions(state, player)[0])


def resample(env: Any, agent: str, generator: np.random.Generator) -> None:
    pass


def searched(tree_policy: TreePolicy, root_policy: RootPolicy) -> Agent:
    return MCTSAgent(tree_policy=tree_policy, root_policy=root_policy)


env = hex_game.env(size=5)
env.reset(seed=1)
agents = {
    "player_0": MCTSAgent(simulations=1000, seed=0),
    "player_1": RandomAgent(seed=1),
}
for name in env.agent_iter():
    observation, reward, termination, truncation, info = env.last()
    over = termination or truncation
    env.step(None if over else agents[name].act(env))

MCTSAgent()
MCTSAgent(seconds=1, tree="multi", paranoid=True, rollout=None, exploration=2)
MCTSAgent(value=lead, action_heuristic=even, progressive_bias=1.0)
MCTSAgent(evaluator=None, redeterminise=resample)
MCTSAgent(value="win", tree="self", opponent_model=Flat(3), rollout_policy="mast")
MCTSAgent(opponent_model={"agent": "one-step", "samples": 3}, tree="pair")
MCTSAgent(rollout_policy=first, solver=False, final="value")
OneStepAgent(samples=3, value="score", seed=1, perfect_information=True)
OneStepAgent(value=lead)
ScriptedAgent(policy="simple", seed=1)
PolicyAgent(lambda seen, mask: int(mask.argmax()), deterministic=False)
settings = {"simulations": 10}
made: Agent = make_agent("mcts:tree=multi", seed=1)
result: SearchResult = MCTSAgent(simulations=10).plan(env)
best: int = result.action
line: str = f"{result.values.max()} {result.visits.sum()} {result.policy[0]}"
options = SearchSettings(simulations=10)
model: ForwardModel = make_model("hex:size=5")[1]
model = load_game("hex").rules.model(size=5)
learner: gymnasium.Env = SingleAgentEnv(hex_game.parallel_env, opponents=RandomAgent())
'''

# One a line, each with a word of it that a checker repeats.
WRONG = {
    "MCTSAgent(simulatons=100)": "simulatons",
    'MCTSAgent(tree="multii")': "multii",
    'MCTSAgent(simulations="100")': "simulations|Literal|str",
    "MCTSAgent(paranoid=1.5)": "float",
    'MCTSAgent(final="most")': "most",
    "MCTSAgent(threads=None)": "None",
    "MCTSAgent(root_policy=print)": "print|root_policy",
    "MCTSAgent(rollout_policy=3)": "int|Literal",
    "MCTSAgent(value=len)": "len|value",
    "MCTSAgent(100)": "positional|too many",
    'MCTSAgent(seed="one")': "str|Literal",
    "OneStepAgent(sample=3)": "sample",
    'OneStepAgent(value="wins")': "wins",
    "RandomAgent(simulations=3)": "simulations",
}

COMMANDS = {
    "mypy": ["--python-executable"],
    "pyright": ["--pythonpath"],
}
SAID = re.compile(r"program\.py:(\d+)(?::\d+)?(?: -|:) error:? ?(.*)")


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """Return a folder with the package as setuptools would install it."""
    site = tmp_path_factory.mktemp("site")
    parts = {"mcts_agents": ".", "envs": "envs", "wrappers": "wrappers"}
    for folder, place in parts.items():
        target = site / "mcts_agents" / place
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / folder, target, ignore=ignored, dirs_exist_ok=True)
    return site


@pytest.fixture(params=COMMANDS)
def errors_in(request, installed, tmp_path):
    """Return what a type checker says of a program: its errors by line."""
    pytest.importorskip(request.param)
    before = os.environ.get("PYTHONPATH")
    path = os.pathsep.join([str(installed)] + [before] * bool(before))
    cache = str(installed / "cache")  # so that mypy reads the package once
    environment = {**os.environ, "PYTHONPATH": path, "MYPY_CACHE_DIR": cache}

    def run(*arguments):
        return subprocess.run(
            [sys.executable, "-m", request.param, *arguments],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
        )

    def errors(program, *others):
        for name, text in {"program.py": program, **dict(others)}.items():
            (tmp_path / name).write_text(text)
        names = ["program.py", *dict(others)]
        found = run(*COMMANDS[request.param], sys.executable, *names)
        # 2: the checker itself failed.
        assert found.returncode in (0, 1), found.stdout + found.stderr
        said: dict[int, str] = {}
        for line in found.stdout.splitlines():
            if match := SAID.search(line):
                number = int(match[1])
            elif not said:
                continue
            text = match[2] if match else line
            said[number] = f"{said.get(number, '')} {text}".strip()
        assert bool(said) == bool(found.returncode), found.stdout + found.stderr
        return said

    return errors


def written(page, holding=""):
    """Return the examples in Python of a page of the docs that hold a text."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    found = re.findall(r"```(?:python|\{code-cell\}.*)\n(.*?)```", text, re.DOTALL)
    assert found, page
    lines = "".join(part for part in found if holding in part).splitlines()
    return "\n".join(line for line in lines if line[:1] not in ("%", "!", ":", "-"))


def test_what_the_docs_write_passes(errors_in):
    flat = written("own_agents.md", "class FlatMonteCarlo")
    pages = {
        "my_agents.py": flat,
        "arena.py": written("arena.md"),
        "own_agents.py": written("own_agents.md").replace(flat, ""),
        "quickstart.py": written("quickstart.md"),
        "own_agent.py": written("tutorials/own_agent.md"),
        "own_game.py": written("tutorials/own_game.md"),
        "paper_table.py": written("tutorials/paper_table.md"),
        "regions.py": written("checking_games.md", 'env.regions("player_0")'),
    }
    assert errors_in("", *pages.items()) == {}


def test_a_right_program_passes(errors_in):
    assert errors_in(RIGHT) == {}


def test_mistakes_are_found_where_they_are(errors_in):
    head = "from mcts_agents import MCTSAgent, OneStepAgent, RandomAgent\n"
    said = errors_in(head + "\n".join(WRONG) + "\n")
    assert set(said) == {2 + n for n in range(len(WRONG))}, said
    for text, word in zip(said.values(), WRONG.values(), strict=True):
        assert re.search(word, text, re.IGNORECASE), text


def test_the_types_are_up_to_date():
    """If not: python docs/make_option_types.py."""
    file = ROOT / "docs" / "make_option_types.py"
    spec = importlib.util.spec_from_file_location("make_option_types", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.FILE.read_text(encoding="utf-8") == module.types_file()


def test_every_option_has_its_type():
    hints = get_type_hints(SearchOptions)
    assert tuple(hints) == tuple(field.name for field in fields(SearchSettings))
    for name, option in options_of(SearchSettings).items():
        allowed = get_args(hints[name]) or (hints[name],)
        assert (type(None) in allowed) == option.optional, name
        if option.kind in (bool, int, float):
            assert option.kind in allowed, name


@pytest.mark.parametrize("agent", minimax.AGENTS)
def test_every_option_of_the_minimax_family_has_its_type(agent):
    own = set(MinimaxSettings.options_of(agent.algorithm))
    check_types(agent, own, options_of(MinimaxSettings))


@pytest.mark.parametrize("agent", permutation.AGENTS)
def test_every_option_of_rave_grave_and_mcps_has_its_type(agent):
    own = set(PermutationSettings.options_of(agent.algorithm))
    check_types(agent, own, options_of(PermutationSettings))


def check_types(agent, own, described):
    """Assert that an agent's keywords have the types of its options."""
    given = get_type_hints(agent.__init__, include_extras=True)["options"]
    hints = get_type_hints(get_args(given)[0])
    assert hints.keys() == own | get_type_hints(CopyKeywords).keys()
    for name in own:
        option = described[name]
        allowed = get_args(hints[name]) or (hints[name],)
        assert (type(None) in allowed) == option.optional, name
        if option.kind in (bool, int, float):
            assert option.kind in allowed, name
        words = {w for part in allowed for w in get_args(part) if isinstance(w, str)}
        words |= {word for word in allowed if isinstance(word, str)}
        assert words == set(option.choices or ()), name
