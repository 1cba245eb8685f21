"""The examples run against the real environments and do what they show."""

import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image

from mcts_agents import MCTSAgent
from mcts_agents.model import new_generator

ROOT = Path(__file__).resolve().parents[1]


def example(name):
    """Import one example from its file."""
    spec = importlib.util.spec_from_file_location(
        name, ROOT / "examples" / f"{name}.py"
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# What rewards a finished game may have, sorted.
ENDS = {
    "aec_loop": [[-1, 1]],  # in Hex somebody wins
    "parallel_loop": [[-1, -1, 1], [-1, 0, 0], [0, 0, 0]],
    "third_party_environment": [[-1, 1], [0, 0]],
}


@pytest.mark.parametrize("name", ENDS)
def test_loops_end_with_rewards_of_a_finished_game(name):
    rewards = example(name).main(simulations=50)
    assert sorted(rewards.values()) in ENDS[name]


def test_the_planner_beats_random_in_the_third_party_environment():
    assert example("third_party_environment").main()["player_0"] == 1


def test_the_gymnasium_example_plays_an_episode():
    assert example("gymnasium_environment").main() == 500.0


@pytest.mark.parametrize(
    ("heaps", "heap", "stones"),
    [((0, 3, 5), 2, 2), ((1, 2, 4), 2, 1), ((1, 1, 6), 2, 6)],
)
def test_the_new_game_is_played_by_theory(heaps, heap, stones):
    # The one move after which the exclusive or of the heaps is 0.
    model = example("new_game").rules.model()
    state = model.reset(new_generator(0))
    model.view(state)["heaps"][:] = heaps
    action = MCTSAgent(simulations=5000, seed=0).decide(model, state, 0)
    assert divmod(action, 7) == (heap, stones - 1)


def test_the_new_game_is_played_to_its_end():
    assert example("new_game").main(simulations=200) in (0, 1)


def test_the_new_game_typed_into_a_notebook_gives_the_same():
    source = (ROOT / "examples" / "new_game.py").read_text()
    cells = source.partition("\nif __name__")[0] + "\nmain(simulations=500)\n"
    typed = subprocess.run(
        [sys.executable, "-"], input=cells, capture_output=True, text=True, check=True
    )
    from_file = subprocess.run(
        [sys.executable, "-c", "import new_game; new_game.main(simulations=500)"],
        cwd=ROOT / "examples",
        capture_output=True,
        text=True,
        check=True,
    )
    assert typed.stdout == from_file.stdout
    assert "wins" in typed.stdout


def test_a_second_process_plays_its_first_move_without_compiling():
    code = (
        "import json, dataclasses\n"
        "from mcts_agents import MCTSAgent, RandomAgent\n"
        "from mcts_agents.envs import hex as game\n"
        "from mcts_agents.model.compilation import statistics\n"
        "from numba.core import event\n"
        "with event.install_recorder('numba:compile') as compiled:\n"
        "    env = game.env()\n"
        "    env.reset(seed=0)\n"
        "    MCTSAgent(simulations=10, seed=0).act(env)\n"
        "    RandomAgent(seed=0).act(env)\n"
        "found = dataclasses.asdict(statistics())\n"
        "print(json.dumps({**found, 'compiled': len(compiled.buffer)}))\n"
    )
    runs = [
        json.loads(
            subprocess.run(
                [sys.executable, "-c", code],
                capture_output=True,
                text=True,
                check=True,
                env=os.environ,
            ).stdout
        )
        for _ in range(2)
    ]
    assert runs[1]["cache_misses"] == runs[1]["uncached"] == 0
    assert runs[1]["cache_hits"] > 0
    assert runs[1]["compiled"] == 0  # nor anything outside of the cache


def test_four_planners_end_in_a_gif(tmp_path):
    four_planners = example("four_planners")
    results = four_planners.main(
        tmp_path / "game.gif", "pommerman:max_steps=12", simulations=20
    )
    assert set(results) == set(four_planners.PLANNERS)
    assert set(results.values()) <= {"won", "drawn", "lost"}
    with Image.open(tmp_path / "game.gif") as film:
        assert film.n_frames == 13  # the opening, and a picture a step


def test_the_tournament_tells_win_rates_that_sum_to_all(tmp_path):
    done = subprocess.run(
        [sys.executable, ROOT / "examples" / "tournament.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "<title>" in (tmp_path / "out" / "tournament.html").read_text()
    rates = re.findall(r"^(\w+): (\d+)% \((\d+)% to (\d+)%\)$", done.stdout, re.M)
    assert [name for name, *_ in rates] == ["plain", "mast"]
    assert sum(int(rate) for _, rate, _, _ in rates) in (99, 100, 101)
