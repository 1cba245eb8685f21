"""What a copy of an environment costs, here and in another checkout, in one run.

Microseconds a copy, after eight random moves: the best of many short runs, taken in
turn. `steps` is what a step takes, for comparison. The other checkout's way to copy is
loaded from its folder beside this one's, for example from a worktree:

    git worktree add ../before v0.4.0
    python benchmarks/environment_copies.py --other ../before

With `--snapshots` it compares a copy of CartPole with its state put back into one
scratch environment. Environments whose package is not installed are left out.
"""

import argparse
import importlib
import shutil
import sys
import tempfile
import time
from pathlib import Path

import gymnasium
import numpy as np

from mcts_agents.model.copying.cloning import Cloner
from mcts_agents.model.copying.copied import CopiedEnvironment
from mcts_agents.model.copying.copy_plan import CopyPlan
from mcts_agents.model.copying.face_kinds import face_of
from mcts_agents.model.random import new_generator

GYMNASIUM = {
    "CartPole-v1": None,
    "Acrobot-v1": None,
    "Blackjack-v1": None,
    "FrozenLake-v1": None,
    "Taxi-v4": None,
    "MiniGrid-DoorKey-8x8-v0": "minigrid",
    "gymnasium_2048/TwentyFortyEight-v0": "gymnasium_2048",
}
PETTINGZOO = (
    "pettingzoo.classic.tictactoe_v3",
    "pettingzoo.classic.connect_four_v3",
    "pettingzoo.classic.chess_v6",
    "pettingzoo.classic.leduc_holdem_v4",
    "pettingzoo.classic.texas_holdem_v4",
    "mpe2.simple_spread_v3",
)
MOVES = 8
ROUNDS = 60
SECONDS = 0.002


def environments():
    """Yield the name and an environment of each, in the middle of a game."""
    for name, package in GYMNASIUM.items():
        try:
            if package is not None:
                importlib.import_module(package)
            env = gymnasium.make(name)
        except (ImportError, gymnasium.error.Error) as error:
            print(f"{name}: left out ({error})")
            continue
        yield name, in_the_middle(env)
    for name in PETTINGZOO:
        try:
            env = importlib.import_module(name).env()
        except ImportError as error:
            print(f"{name}: left out ({error})")
            continue
        yield name.rpartition(".")[2], in_the_middle(env)


def in_the_middle(env):
    """Play some random moves; return the environment."""
    env.reset(seed=0)
    rng = np.random.default_rng(0)
    for _ in range(MOVES):
        face = face_of(env)
        for player in face.movers():
            legal = face.legal_actions(player)
            env.step(int(legal[rng.integers(len(legal))]))
            break
        else:
            env.reset(seed=1)
    return env


def other_way(checkout):
    """Return the package of another checkout that copies, under a name of its own."""
    folder = Path(tempfile.mkdtemp()) / "other_copying"
    shutil.copytree(Path(checkout) / "mcts_agents" / "model" / "copying", folder)
    for file in folder.glob("*.py"):
        text = file.read_text().replace("mcts_agents.model.copying", folder.name)
        file.write_text(text)
    sys.path.insert(0, str(folder.parent))


def copies(env, package):
    """Return a function that makes one copy as a search of that package does."""

    def module(name):
        return importlib.import_module(f"{package}.{name}")

    dice, kind = np.random.default_rng(0), module("cloning").Cloner
    try:
        kinds = module("face_kinds")
    except ImportError:  # before it was divided
        kinds = module("copied")
    exact = kinds.face_of(env).clone(kind())
    exact.prepare(dice)
    try:
        plan = module("copy_plan").CopyPlan(dice)
    except ImportError:  # before there were plans
        first = exact.clone(kind(dice))
        return lambda: first.clone(kind(dice))
    first = plan.first(exact)
    return lambda: plan.copy(first)


def best(functions):
    """Return the least microseconds of each function, measured in turn."""
    counts = []
    for function in functions:
        function()
        started = time.perf_counter()
        function()
        counts.append(max(1, int(SECONDS / (time.perf_counter() - started))))
    least = [np.inf] * len(functions)
    for _ in range(ROUNDS):
        for i, (function, count) in enumerate(zip(functions, counts, strict=True)):
            started = time.perf_counter()
            for _ in range(count):
                function()
            least[i] = min(least[i], (time.perf_counter() - started) / count * 1e6)
    return least


def step_of(env):
    """Return the median microseconds of a step in a copy."""
    dice, took = np.random.default_rng(0), []
    plan = CopyPlan(dice)
    first = plan.first(face_of(env).clone(Cloner()))
    for _ in range(50):
        face = plan.copy(first)
        joint = [-1] * len(face.agents)
        for player in face.movers():
            joint[player] = face.legal_actions(player)[0]
        started = time.perf_counter()
        face.step(joint, np.zeros(len(face.agents)))
        took.append(time.perf_counter() - started)
    return np.median(took) * 1e6


def cart_pole_functions():
    """Return how CartPole's state is taken and put back."""

    def get(env):
        return env.state, env.steps_beyond_terminated

    def put(env, state):
        env.state, env.steps_beyond_terminated = state

    return get, put


def snapshots():
    """Print what a copy of CartPole costs in both ways, in a model."""
    env = in_the_middle(gymnasium.make("CartPole-v1"))
    bare = env.unwrapped
    get, put = cart_pole_functions()
    (alone,) = best([lambda: put(bare, get(bare))])
    print(f"CartPole's state taken and put back: {alone:.2f} microseconds")
    for name, said in (("copies", False), ("snapshots", (get, put))):
        model = CopiedEnvironment(env, perfect_information=True, snapshots=said)
        rng = new_generator(0)
        with model.planning(None, new_generator(0)) as (state, _):
            target = model.new_state()

            def copy(model=model, target=target, state=state):
                model.call("copy", target.ctypes.data, state.ctypes.data)

            def copy_and_step(model=model, target=target, rng=rng, copy=copy):
                copy()
                model.apply(target, [0], rng)

            copied, stepped = best([copy, copy_and_step])
        print(
            f"{name}: {copied:.1f} microseconds for a copy, {stepped:.1f} for a copy "
            "and a step of it, both with what the model adds"
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--other", help="the folder of another checkout")
    parser.add_argument("--snapshots", action="store_true")
    arguments = parser.parse_args()
    if arguments.snapshots:
        snapshots()
        return
    packages = ["mcts_agents.model.copying"]
    if arguments.other is not None:
        other_way(arguments.other)
        packages.append("other_copying")
    ratios = []
    for name, env in environments():
        least = best([copies(env, package) for package in packages])
        line = f"{name:36s}step {step_of(env):8.1f}  copy {least[0]:7.1f}"
        if len(least) == 2:
            ratios.append(least[1] / least[0])
            line += f"  there {least[1]:7.1f}  {ratios[-1]:.2f} times faster here"
        print(line, flush=True)
    if ratios:
        print(f"median: {np.median(ratios):.2f} times faster here")


if __name__ == "__main__":
    main()
