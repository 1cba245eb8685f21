"""A process in which extras are not installed: what works there, and what is said.

Reads what `test_extras` asks as a JSON object, and prints what it saw as one.
"""

import contextlib
import importlib
import io
import json
import sys
from pathlib import Path

from mcts_agents import MCTSAgent, RandomAgent
from mcts_agents.cli import main
from mcts_agents.envs import environments, load_game
from mcts_agents.extras import MissingExtraError


def imported(names):
    """Return what each module says that cannot be imported."""
    said = {}
    for name in names:
        try:
            importlib.import_module(name)
        except MissingExtraError as error:
            said[name] = str(error)
    return said


def command(arguments):
    """Return the exit code of a command, and what it prints."""
    sys.argv = ["mcts-agents", *arguments]
    out, errors, before = io.StringIO(), io.StringIO(), sys.stdout
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
        try:
            main()
        except SystemExit as ended:
            code = ended.code
    assert sys.stdout is before
    return {"code": code, "out": out.getvalue(), "errors": errors.getvalue()}


def planners():
    """Return a planner and an opponent, by the names of their seats."""
    planner, other = MCTSAgent(simulations=20, seed=0), RandomAgent(seed=1)
    return {"player_0": planner, "player_1": other}


def played_in_turn(game):
    """Return the rewards of a game of two agents in the AEC loop."""
    env, agents = environments(load_game(game))[1](players=2), planners()
    rewards = dict.fromkeys(agents, 0.0)
    env.reset(seed=1)
    for name in env.agent_iter():
        _, reward, termination, truncation, _ = env.last()
        rewards[name] += reward
        over = termination or truncation
        env.step(None if over else agents[name].act(env))
    return rewards


def played_at_once(game):
    """Return the rewards of a game of two agents in the parallel loop."""
    env, agents = environments(load_game(game))[2](players=2), planners()
    rewards = dict.fromkeys(agents, 0.0)
    observations, _ = env.reset(seed=1)
    while env.agents:
        actions = {
            name: agents[name].act(env, name)
            for name in env.agents
            if observations[name]["action_mask"].any()
        }
        observations, earned, *_ = env.step(actions)
        for name, reward in earned.items():
            rewards[name] += reward
    return rewards


def played_by_one_learner():
    """Return the sum of rewards in the Gymnasium loop."""
    import gymnasium

    env = gymnasium.make("mcts_agents/Hex-v0", size=3, render_mode="ansi")
    _, info = env.reset(seed=1)
    earned, over = 0.0, False
    while not over:
        action = env.action_space.sample(info["action_mask"])
        _, reward, termination, truncation, info = env.step(action)
        earned += reward
        over = termination or truncation
    assert env.render()
    return earned


# -- what lacks something, each called with a folder


def draw(folder):
    env = environments(load_game("tictactoe"))[1](render_mode="rgb_array")
    env.reset(seed=1)
    env.render()


def open_window(folder):
    environments(load_game("tictactoe"))[2](render_mode="human").reset(seed=1)


def draw_curve(folder):
    from mcts_agents.learn import draw_learning_curve

    draw_learning_curve(folder / "curve.png", {}, title="none")


def evaluate(folder):
    from mcts_agents.learn import evaluate

    evaluate("random", "random", "tictactoe", games=2)


def record_parquet(folder):
    from mcts_agents.learn import record

    record("tictactoe", "random", 1, folder / "parquet", format="parquet")


def check(folder):
    from mcts_agents.testing import check_rules

    check_rules(load_game("tictactoe").rules, episodes=1)


def ray(folder):
    from mcts_agents.arena.playing.backends import make_backend

    make_backend("ray", None, None)


def read_network(folder):
    load_policy(folder / "net.safetensors")


def read_onnx(folder):
    load_policy(folder / "net.onnx")


def load_policy(path):
    from mcts_agents import PolicyAgent

    path.write_bytes(b"")
    try:
        PolicyAgent.load(path)
    finally:
        path.unlink()


def make_network(folder):
    from mcts_agents.networks import Network

    Network(None)


LACKING = (
    draw, open_window, draw_curve, evaluate, record_parquet, check, ray, read_network,
    read_onnx, make_network,
)  # fmt: skip


def lacking(folder):
    """Return what each function of `LACKING` says."""
    said = {}
    for call in LACKING:
        try:
            call(folder)
        except MissingExtraError as error:
            said[call.__name__] = str(error)
    return said


if __name__ == "__main__":
    asked = json.load(sys.stdin)
    seen = {
        "commands": [command(arguments) for arguments in asked["commands"]],
        "modules": imported(asked["modules"]),
        "in turn": played_in_turn("tictactoe"),
        "at once": played_at_once("sushi_go"),
        "one learner": played_by_one_learner(),
        "lacking": lacking(Path(asked["folder"])),
    }
    json.dump(seen, sys.stdout)
