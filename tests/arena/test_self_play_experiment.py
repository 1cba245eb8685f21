"""The experiments of self-play: a tiny one from training to the page and its curves."""

import importlib.util
import json
import runpy
import sys
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("onnxscript")

import torch

from mcts_agents.arena.tournaments.store import Store
from mcts_agents.arena.tournaments.tournament import open_store, prepare
from mcts_agents.arena.tournaments.tournament_spec import TournamentSpec
from mcts_agents.learn.training.checkpoints import Progress, write_checkpoint
from mcts_agents.learn.training.config import TrainingConfig
from mcts_agents.learn.training.config_file import read_config

FOLDER = Path(__file__).resolve().parents[2] / "experiments" / "self_play"
SOLVER = importlib.util.find_spec("bitbully") is not None
TINY = """
network: {kind: perceptron, hidden: [4]}
self_play: {method: METHOD, simulations: 2, games_at_once: 4, block_games: 4}
evaluation: {minutes: 0.000001, games: 2, simulations: 2, earlier: false,
             opponents: [random]}
"""


@pytest.fixture
def script(monkeypatch):
    monkeypatch.setattr(sys, "path", sys.path.copy())
    return runpy.run_path(str(FOLDER / "run.py"), run_name="run")


def test_all_networks_have_a_config(script):
    for run in script["RUNS"]:
        config = read_config(str(FOLDER / f"{run.config}.yaml"), TrainingConfig)
        # One evaluation for each network that is kept.
        assert len(config.evaluation.opponents) == 1
        assert not config.evaluation.earlier
    names = [run.name for run in script["RUNS"]]
    assert len(set(names)) == len(names) == 8


def test_a_tiny_one(script, tmp_path, monkeypatch, run_here):
    commands = []

    def command(*arguments):
        commands.append(arguments[0])
        done = run_here(*map(str, arguments))
        assert not done.returncode, done.stderr

    def run_script(path, *arguments):
        commands.append(path.stem)
        words = [str(argument) for argument in (path, *arguments)]
        monkeypatch.setattr(sys, "argv", words)
        runpy.run_path(words[0], run_name="__main__")

    own = script["Experiment"].train.__globals__
    for name, value in {
        "HERE": tmp_path, "GAMES": 2, "POSITIONS": 4, "command": command,
        "script": run_script, "PLAIN": "mcts:simulations=2",
    }.items():  # fmt: skip
        monkeypatch.setitem(own, name, value)
    runs = [
        replace(run, opponent="mcts:simulations=2", simulations=2)
        for run in script["RUNS"]
        if run.seed == 1 and run.config != "hex"
    ]
    monkeypatch.setitem(own, "RUNS", runs)
    for run in runs:
        method = "puct" if "puct" in run.config else "gumbel"
        text = TINY.replace("METHOD", method)
        (tmp_path / f"{run.config}.yaml").write_text(text)
    output = tmp_path / "out"
    experiment = script["Experiment"](output, 0.0005, 1, runs)
    experiment.begin()
    for _ in range(2):  # the second time there is nothing left to train
        for run in runs:
            experiment.train(run)
    spec = TournamentSpec(games="tictactoe", agents=["random", "one-step"])
    with open_store(experiment.store(runs[0]), prepare(spec)):
        pass
    experiment.write_results()  # a match that was interrupted before its first game
    page = output / "results-0.0005.md"
    assert "seed 1" not in page.read_text()
    experiment.store(runs[0]).unlink()
    for run in runs:
        experiment.match(run)
    assert commands == ["train"] * 3 + ["tournament"] * 3
    with Store.read(experiment.store(runs[0])) as store:
        assert len(store.played()) == 2
        assert "gumbel_noise" in str(store.description()["agents"]["network"])
    if SOLVER:
        experiment.perfect()
        assert commands[6:] == ["perfect_connect_four"] * 3
        experiment.perfect()  # is kept
        assert len(commands) == 9
        summary = output / runs[0].name / "summary.json"
        learned = json.loads(summary.read_text())
        changed = {**learned, "positions": learned["positions"] + 1}
        summary.write_text(json.dumps(changed))
        experiment.perfect()  # by what it has learned since, all positions are others
        assert len(commands) == 12
        summary.write_text(json.dumps(learned))
    experiment.write_results()
    page = page.read_text()
    for run in runs:
        assert page.count(f"| {run.config}, seed 1 |") == 1
    if SOLVER:
        assert "seed 1 | " in page.partition("perfect moves")[2]
        assert (output / "curves-0.0005.svg").read_text().startswith("<svg")
    with pytest.raises(ValueError, match=r"learn for 0\.0005; name another --output"):
        script["Experiment"](output, 0.0004, 1, runs).begin()


def learned(folder, run, minutes, finished):
    """Files of a network after a block of each number of minutes."""
    for block, made in enumerate(minutes, 1):
        (folder / run.name).mkdir(parents=True, exist_ok=True)
        write_checkpoint(
            folder / run.name / "checkpoints",
            {"weight": torch.zeros(1)},
            Progress(blocks=block, seconds=60 * made),
        )
    if finished:
        text = json.dumps({"minutes": minutes[-1]})
        (folder / run.name / "summary.json").write_text(text)


@pytest.mark.parametrize(
    ("noted", "minutes", "finished", "asked", "said"),
    [
        (600, [59.0, 60.2], True, 60, None),  # 600 was mistyped, by an earlier version
        (20, [5.0, 19.0], False, 20, None),
        (20, [19.0, 20.2], False, 20, None),  # it ended before its last evaluation
        (60, [59.0, 60.2], True, 20, "learn for 60; name another --output"),
        (None, [60.5, 61.0], False, 60, "has learned for 60.5 already; name more"),
    ],
)
def test_minutes_are_those_that_networks_have_learned(
    script, tmp_path, noted, minutes, finished, asked, said
):
    (run, *_) = script["RUNS"]
    learned(tmp_path, run, minutes, finished)
    if noted is not None:
        (tmp_path / "minutes.json").write_text(f"{noted}\n")
    begin = script["Experiment"](tmp_path, asked, 1, [run]).begin
    if said is None:
        begin()
    else:
        with pytest.raises(ValueError, match=said):
            begin()


def test_networks_learn_no_further_than_to_the_end_of_their_training(script, tmp_path):
    """Their learning rate has fallen until then, and would rise again."""
    (run, *_) = script["RUNS"]
    learned(tmp_path, run, [59.0, 60.2], True)
    script["Experiment"](tmp_path, 60, 1, [run]).begin()
    said = r"has learned for 60\.2 already; name another --output"
    with pytest.raises(ValueError, match=said):
        script["Experiment"](tmp_path, 600, 1, [run]).begin()
    assert not (tmp_path / "minutes.json").exists()


def test_a_page_of_other_minutes_stays(script, tmp_path):
    for minutes in (20, 60):
        script["Experiment"](tmp_path, minutes, 1, []).write_results()
    for minutes in (20, 60):
        page = (tmp_path / f"results-{minutes}.md").read_text()
        assert f"in {minutes} minutes" in page
