"""What is said of rules that fail while they are played: game, function, file, line."""

import importlib.util
import os
import subprocess
import sys

import pytest

from mcts_agents import MCTSAgent, RandomAgent
from mcts_agents.envs import environments
from mcts_agents.model import GameError, new_generator
from tests.model.test_author_errors import GAME, line_of
from tests.team_game import STONES

SEEN = GAME.replace("actions=2)", "actions=2, observation_shape=(1,))") + (
    "\n\n@rules.define\ndef observe(game, state, player, out):\n"
    "    out[0] = state.left\n"
)

# A change of the game, the function, what it raises, and the line that is named.
FAILING = {
    "a division": (
        "state.left -= 1 + joint_action[state.turn]",
        "state.left -= 1 + joint_action[state.turn] // (state.left - 5)",
        "apply",
        ZeroDivisionError,
        "(state.left - 5)",
    ),
    "raise": (
        "    out[:] = 0\n",
        "    if state.left < 6:\n        raise ValueError('too few')\n    out[:] = 0\n",
        "scores",
        ValueError,
        "raise ValueError",
    ),
    "no legal action": (
        "return min(2, state.left)",
        "return min(2, state.left - 5)",
        "legal_actions",
        None,
        "def legal_actions",
    ),
}


@pytest.fixture(params=FAILING)
def failing(request, tmp_path):
    """Return rules that fail, and what is expected to be said of them."""
    old, new, function, raised, line = FAILING[request.param]
    assert SEEN.count(old) == 1
    file = tmp_path / "stones.py"
    file.write_text(SEEN.replace(old, new))
    spec = importlib.util.spec_from_file_location("stones", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    number = line_of(file, line)
    if line.startswith("def"):
        number -= 1  # the decorator's
    return module.rules, (f"`{function}`", f"{file}:{number}"), raised


def check(error, words, raised):
    text = str(error)
    assert "\n" not in text
    assert text.startswith("stones(players=2): ")
    for word in words:
        assert word in text
    cause = error.__cause__
    assert raised is None or type(cause) is raised


def played(rules, agent):
    env = environments(rules)[0]()
    env.reset(seed=1)
    while env.agents:
        _, _, termination, truncation, _ = env.last()
        env.step(None if termination or truncation else agent.act(env))
    return env.forward_model.scores(env.spectator_state())


@pytest.mark.parametrize(
    "agent", [RandomAgent(seed=1), MCTSAgent(simulations=200, value="score", seed=1)]
)
def test_a_game_that_is_played(failing, agent):
    rules, words, raised = failing
    with pytest.raises(GameError) as failed:
        for _ in range(20):
            played(rules, agent)
    check(failed.value, words, raised)


def test_a_function_that_is_called(failing):
    rules, words, raised = failing
    if raised is None:
        pytest.skip("no exception")
    model = rules.model()
    rng = new_generator(1)
    state = model.reset(rng)
    with pytest.raises(GameError) as failed:
        while not model.is_over(state):
            model.scores(state)
            (player,) = model.movers(state)
            model.apply(state, {player: 0}, rng)
    check(failed.value, words, raised)


def test_an_option_that_is_refused_is_not_said_of_the_game(failing):
    rules, _, _ = failing
    env = environments(rules)[0]()
    env.reset(seed=1)
    with pytest.raises(ValueError, match="has no evaluation function"):
        MCTSAgent(simulations=10, value="evaluate", seed=1).act(env)


def test_arguments_that_no_function_takes_are_not_said_of_the_game():
    model = STONES.model()
    with pytest.raises(TypeError):
        model.legal_actions(model.reset(new_generator(0)), "first")


@pytest.mark.parametrize("failing", ["no legal action"], indirect=True)
def test_the_command_line_says_it_in_one_line(failing, tmp_path):
    _, words, _ = failing
    command = [sys.executable, "-c", "from mcts_agents.cli import main; main()"]
    asked = ["play", "stones:rules", "--agent", "random", "--render", "none"]
    found = subprocess.run(
        [*command, *asked],
        cwd=tmp_path,
        env=os.environ,
        capture_output=True,
        text=True,
    )
    assert found.returncode == 2
    (line,) = [ln for ln in found.stderr.splitlines() if "Compiling" not in ln]
    assert line.startswith("mcts-agents: stones(players=2): ")
    assert all(word in line for word in words)
