"""Killed at random moments, training ends as if it had not been."""

import json
import multiprocessing
import random
import shutil
import time

import pytest

pytest.importorskip("torch")

from mcts_agents.learn import Dataset, DatasetError
from mcts_agents.learn.training.config import TrainingConfig
from mcts_agents.learn.training.folder import Folder
from tests.training.killing import train

POSITIONS = 1200
KILLS = 4


def numbers(folder):
    return json.loads((folder / "summary.json").read_text())


def test_after_kills_there_are_as_many_positions_and_no_damaged_file(tmp_path):
    plain, killed = tmp_path / "plain", tmp_path / "killed"
    train(plain, POSITIONS)
    # Processes that have imported everything, so that kills hit the training.
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.training.killing"])
    dice = random.Random(5)
    for kill in range(KILLS):
        process = context.Process(target=train, args=(killed, POSITIONS))
        process.start()
        until = time.monotonic() + 30
        first = killed / "blocks" / "shard-00000.npz"
        while kill == 0 and not first.exists() and time.monotonic() < until:
            time.sleep(0.01)
        assert kill or first.exists()
        process.join(dice.uniform(0.0, 0.6))
        assert process.is_alive() or kill, "nothing was killed"
        process.kill()
        process.join()
    assert not (killed / "summary.json").exists()
    train(killed, POSITIONS)
    expected, found = numbers(plain), numbers(killed)
    assert found["positions"] == expected["positions"] >= POSITIONS
    assert (found["games"], found["updates"]) == (
        expected["games"],
        expected["updates"],
    )
    assert len(Dataset(killed / "blocks")) == found["positions"]
    assert not list(killed.rglob("*.part"))


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A folder with four blocks or more."""
    folder = tmp_path_factory.mktemp("trained") / "run"
    train(folder, 320)
    return folder


def copied(trained, tmp_path):
    return shutil.copytree(trained, tmp_path / "run")


def flip(path):
    """Change one byte in the middle of a file."""
    content = bytearray(path.read_bytes())
    content[len(content) * 3 // 4] ^= 1
    path.write_bytes(content)


def test_a_damaged_checkpoint_is_named_and_the_earlier_one_goes_on(trained, tmp_path):
    folder = copied(trained, tmp_path)
    before = numbers(folder)
    *_, earlier, last = sorted((folder / "checkpoints").iterdir())
    flip(last)
    with pytest.raises(
        DatasetError, match=f"{last}: damaged.*goes on from {earlier.name}"
    ):
        train(folder, 320)
    last.unlink()
    train(folder, 320)
    assert numbers(folder)["positions"] == before["positions"]


def test_a_damaged_block_is_named_and_played_again(trained, tmp_path):
    folder = copied(trained, tmp_path)
    before = numbers(folder)
    block = folder / "blocks" / "shard-00001.npz"
    flip(block)
    with pytest.raises(DatasetError, match=f"{block}: damaged.*delete it"):
        train(folder, 400)
    block.unlink()
    train(folder, 320)
    assert block.exists()
    found = numbers(folder)
    assert found["games"] >= before["games"]
    assert len(Dataset(folder / "blocks")) == found["positions"]


def test_a_block_that_was_written_but_not_described_is_described(trained, tmp_path):
    folder = copied(trained, tmp_path)
    described = folder / "blocks" / "dataset.json"
    before, found = described.read_text(), numbers(folder)
    # As if the process had ended between the first block's two files.
    for checkpoint in (folder / "checkpoints").iterdir():
        checkpoint.unlink()
    for shard in sorted((folder / "blocks").glob("shard-*.npz"))[1:]:
        shard.unlink()
    described.unlink()
    train(folder, 320)
    assert described.read_text() == before
    assert numbers(folder)["positions"] == found["positions"]


@pytest.mark.parametrize("left", ["checkpoints", "blocks", "policies"])
def test_what_is_left_of_an_unknown_run_is_not_taken_over(trained, tmp_path, left):
    folder = copied(trained, tmp_path)
    for name in {"training.json", "checkpoints", "blocks", "policies"} - {left}:
        path = folder / name
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    (folder / left).mkdir(exist_ok=True)
    with pytest.raises(DatasetError, match=f"has {left}, but no training.json"):
        train(folder, 320)


@pytest.mark.parametrize(
    ("first", "then", "named"),
    [
        ({"self_play": {"search": {"tree": "multi"}}}, {}, "self_play.search.tree"),
        ({}, {"self_play": {"search": {"tree": "multi"}}}, "self_play.search.tree"),
        ({"network": {"channels": 32}}, {}, "network.channels"),
        ({"learner": {"passes": 1.0}}, {}, "learner.passes"),
    ],
)
def test_another_config_in_the_folder_is_refused(tmp_path, first, then, named):
    game = {"game": "tictactoe", "players": None, "seed": 0, "start": None}
    Folder(tmp_path).enter(game, TrainingConfig.model_validate(first))
    Folder(tmp_path).enter(game, TrainingConfig.model_validate(first))
    with pytest.raises(DatasetError, match=f"another run: its config.{named} is"):
        Folder(tmp_path).enter(game, TrainingConfig.model_validate(then))


def test_another_run_in_the_folder_is_refused(trained, tmp_path):
    folder = copied(trained, tmp_path)
    with pytest.raises(DatasetError, match="its seed is 1, not 2"):
        train(folder, 320, seed=2)
