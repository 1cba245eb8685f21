"""Recordings: the same whoever plays, gone on with, and refused."""

import functools
import json

import numpy as np
import pytest

from mcts_agents.agents import MCTSAgent
from mcts_agents.arena.playing.workers import attempt
from mcts_agents.learn import Dataset, DatasetError, RecordingError, record
from mcts_agents.learn.playing import play_rows
from mcts_agents.learn.recording import run_recording
from mcts_agents.learn.recording_spec import Recording, RecordingSpec
from tests.learn.recorded import HEX, Here, files, record_here


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    """The files of the recording, made in one go in one process."""
    folder = tmp_path_factory.mktemp("expected")
    record_here(folder)
    return files(folder)


def test_two_processes_record_the_same(tmp_path, expected):
    dataset = record(folder=tmp_path / "new" / "folder", jobs=2, **HEX)
    assert files(dataset.folder) == expected
    assert sorted(expected) == [
        "dataset.json",
        "shard-00000.npz",
        "shard-00001.npz",
        "shard-00002.npz",
    ]


def test_a_recording_goes_on(tmp_path, expected):
    recording = Recording.of(RecordingSpec(**HEX))

    def break_off(fixture):
        if fixture.number == 4:
            raise KeyboardInterrupt
        return recording.work(fixture)

    with pytest.raises(KeyboardInterrupt):
        run_recording(recording, tmp_path, Here(break_off))
    assert sorted(files(tmp_path)) == ["dataset.json", "shard-00000.npz"]
    begun = Dataset(tmp_path)
    assert begun.games == 3 and not begun.is_complete
    played, told = [], []

    def count(fixture):
        played.append(fixture.number)
        return recording.work(fixture)

    (tmp_path / ".shard-00001.npz.abc.part").write_bytes(b"of a killed process")
    whole = run_recording(recording, tmp_path, Here(count), told.append)
    assert played == [3, 4, 5, 6]
    assert told == [3, 1, 1, 1, 1]
    assert whole.is_complete and whole.games == 7
    assert files(tmp_path) == expected
    # And there is nothing left to play.
    run_recording(recording, tmp_path, Here(None))


def test_more_games_later(tmp_path, expected):
    record_here(tmp_path, games=2)
    record_here(tmp_path, games=5)
    assert Dataset(tmp_path).games == 5
    record_here(tmp_path)
    assert files(tmp_path) == expected
    with pytest.raises(DatasetError, match="has 7 games, and cannot have fewer, 5"):
        record_here(tmp_path, games=5)
    assert files(tmp_path) == expected


def test_games_differ_by_number_and_seed(tmp_path):
    rows = record_here(tmp_path / "a", games_per_shard=2)[:]
    games = {rows["action"][rows["game"] == n].tobytes() for n in range(7)}
    assert len(games) == 7
    assert len(np.unique(rows["seed"])) == 7
    other = record_here(tmp_path / "b", seed=5)[:]
    assert not set(np.unique(other["seed"])) & set(np.unique(rows["seed"]))


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"game": "hex:size=4"}, "variant is .*'size': 3.*'size': 4"),
        ({"game": "tictactoe"}, "game is 'hex', not 'tictactoe'"),
        ({"agents": "mcts:simulations=30"}, "its agents is"),
        ({"agents": ["random", "mcts:simulations=30"]}, "its agents is"),
        ({"seed": 5}, "its seed is 4, not 5"),
        ({"explore_moves": 3}, "its explore_moves is 2, not 3"),
        ({"games_per_shard": 4}, "its games_per_shard is 3, not 4"),
        ({"format": "parquet"}, "its format is 'npz', not 'parquet'"),
    ],
)
def test_other_settings_are_refused(tmp_path, keys, said):
    record_here(tmp_path, games=1)
    before = files(tmp_path)
    with pytest.raises(DatasetError, match=f"holds another recording: .*{said}"):
        record_here(tmp_path, **{"games": 1, **keys})
    assert files(tmp_path) == before


def test_the_same_settings_written_otherwise_are_the_same(tmp_path, expected):
    record_here(tmp_path, games=3)
    record_here(
        tmp_path,
        game="hex:first_cell=none,size=3",
        players=2,
        agents=[MCTSAgent(simulations=30, seed=9), {"agent": "random"}],
    )
    assert files(tmp_path) == expected


def test_an_unknown_option_is_told_beside_the_known_ones(tmp_path):
    known = "players, seed, format, explore_moves, games_per_shard"
    said = rf"unknown option 'sead': did you mean seed\? known: {known}$"
    with pytest.raises(TypeError, match=said):
        record("hex:size=3", "random", 1, tmp_path, sead=3)
    assert files(tmp_path) == {}


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"games": 0}, "games=0"),
        ({"seed": -1}, "seed=-1"),
        ({"explore_moves": 1.5}, "explore_moves=1.5"),
        ({"explore_moves": -1}, "explore_moves=-1"),
        ({"games_per_shard": True}, "games_per_shard=True"),
        ({"format": "csv"}, "format='csv': expected one of npz, parquet"),
        ({"game": "hexx"}, "hexx"),
        ({"agents": "mtcs"}, "mtcs"),
        ({"agents": "mcts:seed=3"}, "seed=3"),
        ({"agents": ["mcts"] * 3}, "3 agents for 2 players"),
        ({"agents": []}, "0 agents for 2 players"),
        ({"agents": "scripted:policy=simple"}, "policy='simple'"),
        ({"agents": "random"}, "explore_moves=2: no agent searches"),
        (
            {"game": "pommerman:mode=team", "agents": ["mcts"] * 4},
            "4 agents for 2 teams",
        ),
    ],
)
def test_what_is_not_allowed_is_refused_before_anything(tmp_path, keys, said):
    with pytest.raises(ValueError, match=said):
        record(folder=tmp_path / "new", **{**HEX, **keys})
    assert not (tmp_path / "new").exists()


def test_the_number_of_processes_is_checked(tmp_path):
    with pytest.raises(ValueError, match="jobs=0: expected at least 1"):
        record(folder=tmp_path / "new", jobs=0, **HEX)


def test_two_recordings_do_not_share_a_folder(tmp_path):
    def begin_another(games):
        with pytest.raises(DatasetError, match="another process is recording there"):
            record_here(tmp_path)

    record_here(tmp_path, told=begin_another)


def test_a_game_that_fails_is_named(tmp_path):
    recording = Recording.of(RecordingSpec(**HEX))

    def fail(fixture, **keys):
        if fixture.number == 4:
            raise RuntimeError("out of\nideas")
        return play_rows(fixture, agents=2, explore_moves=2)

    with pytest.raises(RecordingError, match=r"game 4, hex:size=3.*out of ideas"):
        run_recording(recording, tmp_path, Here(functools.partial(attempt, fail)))
    assert sorted(files(tmp_path)) == ["dataset.json", "shard-00000.npz"]


def test_files_without_a_description_are_not_taken_for_a_dataset(tmp_path):
    record_here(tmp_path, games=1)
    (tmp_path / "dataset.json").unlink()
    with pytest.raises(DatasetError, match=r"no dataset\.json that says of which"):
        record_here(tmp_path, games=1)


def test_another_version_of_the_package_does_not_go_on(tmp_path):
    record_here(tmp_path, games=1)
    path = tmp_path / "dataset.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "version": "0.0.9"}))
    with pytest.raises(DatasetError, match=r"its version is '0.0.9', not"):
        record_here(tmp_path, games=2)
