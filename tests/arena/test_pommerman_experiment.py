"""The experiments of the Pommerman paper: sizes that exist, and a tiny one played."""

import os
import runpy
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import yaml

pytest.importorskip("torch")
pytest.importorskip("onnxscript")

from mcts_agents.arena.tournaments.store import Store
from mcts_agents.learn.training.config import ImitationConfig, TrainingConfig
from mcts_agents.networks import OnnxNetwork

FOLDER = Path(__file__).resolve().parents[2] / "experiments" / "pommerman"
SIZES = sorted(path.stem for path in FOLDER.glob("*.yaml"))
TINY = {
    "seeds": [1],
    "demonstrations": {"games": 2, "seed": 1},
    "imitation": {
        "network": {"kind": "residual", "channels": 4, "blocks": 1},
        "learner": {"passes": 1},
    },
    "reinforcement": {
        "iterations": 2,
        "config": {
            "self_play": {"simulations": 2, "games_at_once": 4, "block_games": 2},
            "learner": {"passes": 0.5},
        },
    },
    "iterations_shown": [0, 1],
    "figure_2": {0: 1, 2: 1},
    "table_2": {2: 1},
    "table_3": {"SimpleUnbiased": 2, "RawNet": 2},
    "table_3_games": 1,
    "equal_time": {
        "budget": "5ms",
        "games": 1,
        "small": {"kind": "residual", "channels": 3, "blocks": 1},
        "few": 2,
    },
}


@pytest.fixture(scope="module")
def script():
    """The names of `run.py`, which imports from its own folder."""
    before = sys.path.copy()
    sys.path.insert(0, str(FOLDER))
    try:
        yield runpy.run_path(str(FOLDER / "run.py"), run_name="run")
    finally:
        sys.path[:] = before


def test_the_sizes_are_those_of_commands(script):
    assert SIZES == ["paper", "two_cores"]
    for name in SIZES:
        size = script["size_of"](name)
        merged = script["merged"]
        ImitationConfig.model_validate(merged(script["IMITATION"], size["imitation"]))
        chosen = merged(script["REINFORCEMENT"], size["reinforcement"]["config"])
        config = TrainingConfig.model_validate(chosen)
        assert config.learner.value_weight == 0.1
        assert config.learner.greedy_share == 0.5
        assert config.self_play.opponents == "simple_unbiased"


def test_all_steps_lead_to_tables_and_figures(script, tmp_path, monkeypatch, run_here):
    commands = []

    def command(*arguments):
        commands.append(arguments[0])
        done = run_here(*map(str, arguments))
        assert not done.returncode, done.stderr

    own = script["Experiment"].run.__globals__
    monkeypatch.setitem(own, "command", command)
    experiment = script["Experiment"](TINY, tmp_path, "cpu", 1)
    experiment.run([*script["STEPS"], *script["TOURNAMENTS"]])
    expected = ["record", "imitate", "train", "train"] + 10 * ["tournament"]
    expected += ["record", "imitate", "imitate", "tournament"]
    assert commands == expected
    for number in (2, 3, 4, 5):
        for ending in ("png", "svg"):
            assert (tmp_path / f"figure_{number}.{ending}").stat().st_size > 1000
    text = (tmp_path / "results.md").read_text()
    assert text.count("| SL | SP-MCTS, RawNet | 2 | 1 |") == 2
    assert text.count("| SRL | 1 | 2 |") == 1
    for agent in ("without a network", "batches of 32", "smaller network"):
        assert text.count(f"| {agent} | 1 |") == 1
    # Reinforcement begins with the network of the demonstrations, or with none.
    first = yaml.safe_load((tmp_path / "networks/SRL-1/training.json").read_text())
    assert first["start"] is not None
    with Store.read(tmp_path / "tournaments/table_3-SL-1.sqlite") as store:
        game = store.game(1)
    learned, random = (
        OnnxNetwork((tmp_path / "networks" / name / "policy.onnx").read_bytes())
        for name in ("SL-1", "random-1")
    )
    assert learned.config == random.config
    seats = [seat.agent for seat in game.seats]
    assert sorted(seats)[1:] == ["field"] * 3
    player = seats.index("SP-MCTS, SimpleUnbiased")
    found = sys.modules["pommerman_games"].walk(game, player)
    # In a corner at first, and then from cell to cell, one for each decision.
    assert found.side == 11
    assert found.cells[0].tolist() == [1, 1]
    assert (np.abs(np.diff(found.cells, axis=0)).sum(axis=1) <= 1).all()
    decisions = [mover for mover, _ in game.moves].count(player)
    assert len(found.cells) == decisions + (game.seats[player].win > 0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "none.yaml: cannot be read"),
        ("a: [", "line"),
        ("", "seeds: field required"),
        ("seeds: [1]", "demonstrations: field required"),
        (yaml.safe_dump({**TINY, "table_4": {}}), "unknown key 'table_4'"),
        (yaml.safe_dump({**TINY, "imitation": {"learner": {"passes": 0}}}), "passes"),
        (
            yaml.safe_dump({**TINY, "iterations_shown": [0, 2]}),
            "iterations_shown: 2: 2 iterations are played, 0 to 1",
        ),
    ],
)
def test_a_size_that_is_none_is_refused(
    script, tmp_path, monkeypatch, capsys, text, message
):
    path = tmp_path / "none.yaml"
    if text is not None:
        path.write_text(text)
    monkeypatch.setattr(sys, "argv", ["run.py", "--size", str(path), "--only"])
    with pytest.raises(SystemExit) as ended:
        script["main"]()
    assert ended.value.code == 2
    told = capsys.readouterr().err
    assert message in told
    assert "expected paper, two_cores, or a file like these" in told


@pytest.mark.parametrize("broken", ["store", "dataset"])
def test_broken_files_are_named(script, tmp_path, monkeypatch, capsys, broken):
    path = {
        "store": tmp_path / "tournaments" / "table_2-SL-1-100.sqlite",
        "dataset": tmp_path / "networks" / "SRL-1" / "blocks" / "dataset.json",
    }[broken]
    path.parent.mkdir(parents=True)
    path.write_text("{")
    arguments = ["run.py", "--output", str(tmp_path), "--only"]
    monkeypatch.setattr(sys, "argv", arguments)
    with pytest.raises(SystemExit) as ended:
        script["main"]()
    assert ended.value.code == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("run.py: error: ")
    assert str(path) in line


def test_an_interrupt_lets_the_command_end_in_order(tmp_path):
    """And then the script ends without a traceback."""
    arguments = ["--output", str(tmp_path), "--only", "demonstrations"]
    process = subprocess.Popen(
        [sys.executable, str(FOLDER / "run.py"), *arguments, "--jobs", "1"],
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    shards = tmp_path / "demonstrations"
    for _ in range(600):
        if list(shards.glob("shard-*")):
            break
        time.sleep(0.1)
    os.killpg(process.pid, signal.SIGINT)
    told = process.communicate(timeout=60)[1]
    assert process.returncode == 130
    assert "Traceback" not in told
    assert "run the same command" in told
