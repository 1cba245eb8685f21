"""The experiments of the Pommerman paper: sizes that exist, and a tiny one played."""

import json
import os
import runpy
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import yaml

pytest.importorskip("torch")
pytest.importorskip("onnxscript")

from mcts_agents.arena.tournaments.store import Store, StoreError
from mcts_agents.envs import make_any
from mcts_agents.learn.training.config import ImitationConfig, TrainingConfig
from mcts_agents.networks import NetworkDescription, OnnxNetwork
from tests.networks.small import linear_model, small

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

    def command(*arguments, games_may_fail=False):
        assert games_may_fail == (arguments[0] == "tournament")
        commands.append(arguments[0])
        done = run_here(*map(str, arguments))
        assert not done.returncode, done.stderr
        return True

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
    assert not experiment.failed
    assert [path.name for path in tmp_path.rglob("*.machines.json")] == [
        "equal_time-1.machines.json"
    ]
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
        (
            yaml.safe_dump({**TINY, "iterations_played": 3}),
            "iterations_played: 3: expected at most 2",
        ),
        (
            yaml.safe_dump({**TINY, "iterations_played": 1}),
            "iterations_played: 1: fewer than the 2 iterations need a constant",
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


def some_iterations(played):
    reinforcement = {**TINY["reinforcement"], "iterations": 5}
    return {**TINY, "reinforcement": reinforcement, "iterations_played": played}


def learning(commands, ends_at=None):
    """A command that trains in no time; its network says how many blocks it learned."""

    def command(*words):
        assert words[0] == "train"
        blocks = int(words[words.index("--blocks") + 1])
        folder = Path(words[words.index("--out") + 1])
        commands.append((folder.name, blocks))
        folder.mkdir(parents=True, exist_ok=True)
        if blocks == ends_at:
            raise SystemExit(130)
        summary = folder / "summary.json"
        if summary.exists():  # what was learned is not unlearned
            blocks = max(blocks, json.loads(summary.read_text())["blocks"])
        summary.write_text(json.dumps({"blocks": blocks}))
        (folder / "policy.onnx").write_text(str(blocks))

    return command


def test_the_network_after_some_iterations_is_the_one_that_plays(
    script, tmp_path, monkeypatch
):
    own, commands = script["Experiment"].run.__globals__, []
    experiment = script["Experiment"](some_iterations(2), tmp_path, "cpu", 1)
    monkeypatch.setitem(own, "command", learning(commands, ends_at=5))
    with pytest.raises(SystemExit):
        experiment.reinforcement()
    monkeypatch.setitem(own, "command", learning(commands))
    experiment.reinforcement()
    assert commands == [
        *[("SRL-1", 2), ("SRL-1", 5)],  # interrupted
        *[("SRL-1", 5), ("RL-1", 2), ("RL-1", 5)],
    ]
    for name in ("SRL", "RL"):
        assert (tmp_path / f"networks/{name}-1/policy.onnx").read_text() == "5"
        file = Path(experiment._evaluator(name, 1)["file"])
        assert file == tmp_path.resolve() / f"networks/{name}-1-after-2/policy.onnx"
        assert file.read_text() == "2"
    assert experiment._evaluator("SL", 1)["file"].endswith("networks/SL-1/policy.onnx")
    # A folder that went past these iterations before it kept the network.
    (tmp_path / "networks/RL-1-after-2/policy.onnx").unlink()
    with pytest.raises(script["NetworkError"], match=r"from 5 .* after 2, .* --out"):
        experiment.reinforcement()


def test_all_iterations_are_learned_in_one_go_if_all_are_played(
    script, tmp_path, monkeypatch
):
    for size in (TINY, {**TINY, "iterations_played": 2}):
        commands = []
        own = script["Experiment"].run.__globals__
        monkeypatch.setitem(own, "command", learning(commands))
        experiment = script["Experiment"](size, tmp_path, "cpu", 1)
        experiment.reinforcement()
        assert commands == [("SRL-1", 2), ("RL-1", 2)]
        assert experiment._evaluator("RL", 1)["file"].endswith("RL-1/policy.onnx")


def run_main(script, monkeypatch, *words):
    """Return the exit code of the script."""
    monkeypatch.setattr(sys, "argv", ["run.py", *map(str, words)])
    with pytest.raises(SystemExit) as ended:
        script["main"]()
    return ended.value.code


@pytest.mark.parametrize(("code", "commands"), [(1, 3), (2, 1), (-9, 1)])
def test_failed_games_do_not_end_the_other_tournaments(
    script, tmp_path, monkeypatch, capsys, code, commands
):
    """But what a command refuses ends them, and so does the end of its process."""
    started = []

    def start(words):
        started.append(words)
        return SimpleNamespace(wait=lambda: code)

    own = script["command"].__globals__
    fake = SimpleNamespace(Popen=start)
    monkeypatch.setitem(own, "subprocess", fake)
    found = run_main(script, monkeypatch, "--output", tmp_path, "--only", "table_3")
    assert found == max(code, 1)
    assert len(started) == commands
    assert (tmp_path / "results.md").exists() == (code == 1)
    told = capsys.readouterr().err.splitlines()[-1]
    if code == 1:
        assert "failed: games of table_3-SL-1, games of table_3-SRL-1, games of" in told
    else:
        assert "table_3-SL-1.yaml" in told


def test_the_tables_are_there_even_if_a_figure_cannot_be_drawn(
    script, tmp_path, monkeypatch, capsys
):
    def draw(*_):
        raise ValueError("there are no games")

    own = script["write_results"].__globals__
    for name, value in {
        "played": lambda folder, size, table, *_: ["one"] * (table == "figure_2"),
        "table_of_levels": lambda _: "the table",
        "_draw": draw,
    }.items():
        monkeypatch.setitem(own, name, value)
    assert run_main(script, monkeypatch, "--output", tmp_path, "--only") == 1
    assert (tmp_path / "results.md").read_text() == "the table\n"
    shown = capsys.readouterr()
    assert shown.out == "the table\n"
    assert shown.err.splitlines() == [
        "figure_2 is not drawn: there are no games",
        "failed: figure_2; the same command tries them again",
    ]


def test_a_random_network_of_another_architecture_is_refused(
    script, tmp_path, monkeypatch
):
    # Pommerman takes long to compile.
    monkeypatch.setitem(script["Experiment"].run.__globals__, "GAME", "tictactoe")
    experiment = script["Experiment"](TINY, tmp_path, "cpu", 1)
    path = tmp_path / "networks" / "random-1" / "policy.onnx"
    path.parent.mkdir(parents=True)
    model = make_any("tictactoe")[1]
    config = ImitationConfig.model_validate(TINY["imitation"]).network_config(model)
    own = NetworkDescription.of(config, model, "tictactoe")
    content = linear_model(own)[0].SerializeToString()
    path.write_bytes(content)
    experiment._write_random(1)
    assert path.read_bytes() == content
    other = linear_model(small("tictactoe", "residual")[0])[0].SerializeToString()
    for wrong in (other, b"no model"):
        path.write_bytes(wrong)
        with pytest.raises(script["NetworkError"], match="delete it, or take another"):
            experiment._write_random(1)


def test_machines_are_noted_where_games_were_added(script, tmp_path, monkeypatch):
    store = tmp_path / "equal_time-1.sqlite"
    own = script["noted"].__wrapped__.__globals__
    machine, told, machines_of = (
        own[name] for name in ("Machine", "told", "machines_of")
    )

    def play(before, after, workers, processor="one"):
        games = iter((before, after))
        monkeypatch.setitem(own, "_games", lambda _: next(games))
        monkeypatch.setitem(own, "_processor", lambda: processor)
        with script["noted"](store, workers):
            pass
        return told(machines_of(store))

    monkeypatch.setattr(own["loky"], "cpu_count", lambda: 4)
    assert play(0, 3, 2) == ""
    assert machines_of(store) == [machine("one", 4, 2)]
    assert play(3, 3, 16) == ""  # it was complete
    assert play(3, 5, 16) == play(5, 6, 2) == "with 2 and 16 workers"
    assert play(6, 7, 1, "two") == "on 2 machines, with 1, 2 and 16 workers"
    assert len(machines_of(store)) == 3
    (note,) = tmp_path.iterdir()
    table = script["write_results"].__globals__["table_of_equal_time"]
    assert "These games were played on 2 machines." in table([], "5ms", "on 2 machines")
    assert "These games" not in table([], "5ms", "")
    note.unlink()  # a store of an earlier version
    assert machines_of(store) == [own["NOT_NOTED"]]
    assert play(7, 7, 2) == ""
    assert play(7, 8, 2) == "in part on a machine that was not noted"
    for text in ("{", "[1]", '[["one", 2]]', '[["one", 2, "x"]]'):
        note.write_text(text)
        with pytest.raises(StoreError, match=r"equal_time-1\.machines\.json: damaged"):
            machines_of(store)


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
    while not list(shards.glob("shard-*")):
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.1)
    os.killpg(process.pid, signal.SIGINT)
    told = process.communicate(timeout=600)[1]
    assert process.returncode == 130
    assert "Traceback" not in told
    assert "run the same command" in told
