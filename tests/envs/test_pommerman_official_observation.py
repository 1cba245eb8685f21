"""Official observations of Pommerman, against recorded ones and by hand."""

import shutil

import numpy as np
import pytest

from mcts_agents.envs import load_game
from mcts_agents.envs.pommerman.official import OFFICIAL
from mcts_agents.envs.pommerman.official_observation import (
    MAP_NAMES,
    Item,
    featurize,
    official_observation,
)
from mcts_agents.envs.pommerman.rules import rules
from mcts_agents.model import new_generator
from mcts_agents.recorded import RecordError, verify_file
from tests.envs.pommerman_positions import drawn
from tests.golden import are_enough, exactly, golden_folder


@pytest.fixture(scope="module")
def record(tmp_path_factory):
    """The recorded observations, in a folder with the games that they are of."""
    folder = tmp_path_factory.mktemp("observations")
    for name in ("games", "observations"):
        shutil.copy(golden_folder("pommerman") / f"{name}.npz", folder)
    with np.load(folder / "observations.npz") as archive:
        return folder, {name: archive[name] for name in archive.files}


def verified(record, entries=slice(None), **changes):
    """Verify some of the recorded observations, with changed arrays."""
    folder, arrays = record
    arrays = {name: values[entries].copy() for name, values in arrays.items()}
    for name, change in changes.items():
        change(arrays[name])
    path = folder / "some.npz"
    np.savez(path, **arrays)
    return verify_file(load_game("pommerman"), path)


def test_every_recorded_observation_comes_out_the_same():
    report = verify_file(
        load_game("pommerman"), golden_folder("pommerman") / "observations.npz"
    )
    assert report.games == exactly("pommerman: observed games", 200)
    assert report.plies == exactly("pommerman: observations", 4 * 1308)
    assert report.mismatches == 0
    assert report.first is None


@pytest.mark.parametrize(
    "name",
    [
        *("board", *MAP_NAMES, "position", "blast_strength", "can_kick", "ammo"),
        *("teammate", "enemies", "message"),
    ],
)
def test_one_wrong_number_is_found_and_shown(record, name):
    def change(values):
        last = values[3, 2].reshape(-1)[-1:] if values[3, 2].shape else values[3, 2:3]
        last ^= 1

    report = verified(record, slice(30, 36), **{name: change})
    assert report.mismatches == 1
    assert report.plies == 24
    assert report.first.what == f"{name} of player_2"
    assert report.first.game == record[1]["game"][33]
    assert report.first.ply == record[1]["t"][33]
    assert "\nrecorded: " in str(report.first)


@pytest.mark.parametrize("name", ["step_count", "game_type", "alive"])
def test_what_all_see_is_compared_with_each_of_them(record, name):
    def change(values):
        values[2:3] += 1

    assert verified(record, slice(9), **{name: change}).mismatches == 4


def test_an_observation_counts_once(record):
    def change(values):
        values[3, 1] += 1

    report = verified(record, slice(5), ammo=change, bomb_life=change)
    assert report.mismatches == 1
    assert report.first.what == "bomb_life of player_1"


def test_messages_are_among_the_recorded_observations(record):
    heard = np.count_nonzero(record[1]["message"].any(axis=2))
    assert are_enough(heard, "pommerman: messages heard", 301)


def test_records_that_are_refused(record, tmp_path):
    def far(values):
        values[0] = 10_000

    with pytest.raises(RecordError, match=r"game 10000 is not in games\.npz, which"):
        verified(record, slice(3), game=far)
    steps = exactly("pommerman: steps of game 0", 119)
    with pytest.raises(RecordError, match=f"has {steps} steps, not 10000"):
        verified(record, slice(3), t=far)
    path = tmp_path / "observations.npz"
    np.savez(path, **record[1])
    with pytest.raises(RecordError, match=r"need the games .* no .*games\.npz"):
        verify_file(load_game("pommerman"), path)
    np.savez(path, game=[0], bomb_blast_strength=[0])
    with pytest.raises(RecordError, match="Pommerman observations: it lacks t, step"):
        verify_file(load_game("pommerman"), path)


def test_keys_and_types_are_the_official_ones():
    bombs = [(0, 1, 3, 7, 4, 3)]
    model, state = drawn("0..*k", "+....", "...3.", bombs=bombs, kick={0: 1}, steps=12)
    found = official_observation(model, state, 0)
    assert list(found) == [
        *("alive", "board", *MAP_NAMES, "game_type", "game_env", "position"),
        *("blast_strength", "can_kick", "teammate", "ammo", "enemies", "step_count"),
    ]
    maps = {name: found.pop(name) for name in ("board", *MAP_NAMES)}
    assert {name: m.dtype for name, m in maps.items()} == {
        "board": np.uint8,
        **dict.fromkeys(MAP_NAMES, np.float64),
    }
    assert maps["board"][:3, :5].tolist() == [
        [10, 3, 0, 4, 8],
        [2, 0, 0, 0, 0],
        [0, 0, 0, 13, 0],
    ]
    shown = {name: np.argwhere(maps[name]).tolist() for name in MAP_NAMES}
    assert shown == {
        "bomb_blast_strength": [[0, 1]],
        "bomb_life": [[0, 1]],
        "bomb_moving_direction": [[0, 1]],
        "flame_life": [[0, 3]],
    }
    assert [maps[name].max() for name in MAP_NAMES] == [4, 7, 3, 3]
    assert found == {
        "alive": [10, 13],
        "game_type": 1,
        "game_env": "pommerman.envs.v0:Pomme",
        "position": (0, 0),
        "blast_strength": 2,
        "can_kick": True,
        "teammate": Item.AgentDummy,
        "ammo": 1,
        "enemies": [Item.Agent1, Item.Agent2, Item.Agent3],
        "step_count": 12,
    }
    for name in ("game_type", "blast_strength", "ammo", "step_count"):
        assert type(found[name]) is int
    assert type(found["can_kick"]) is bool
    assert [type(number) for number in found["position"]] == [int, int]


@pytest.mark.parametrize(
    ("name", "game_type", "class_name", "enemies", "length"),
    [
        ("PommeFFACompetition-v0", 1, "v0", [10, 12, 13], 372),
        ("PommeFFA-v1", 1, "v1", [10, 12, 13], 372),
        ("PommeTeamCompetition-v0", 2, "v0", [10, 12, 9], 372),
        ("PommeTeamCompetition-v1", 2, "v1", [10, 12, 9], 372),
        ("PommeRadioCompetition-v2", 3, "v2", [10, 12, 9], 374),
        ("OneVsOne-v0", 4, "v0", [10], 199),
    ],
)
def test_what_the_kinds_of_games_tell(name, game_type, class_name, enemies, length):
    model = rules.model(**OFFICIAL[name])
    state = model.reset(new_generator(1))
    found = official_observation(model, state, 1)
    assert found["game_type"] == game_type
    assert found["game_env"] == f"pommerman.envs.{class_name}:Pomme"
    assert [enemy.value for enemy in found["enemies"]] == enemies
    assert ("message" in found) == (game_type == 3)
    flat = featurize(found)
    assert flat.dtype == np.float32
    assert flat.shape == (length,)


def test_the_flat_vector():
    model = rules.model(mode="radio")
    state = model.reset(new_generator(2))
    model.apply(state, [5 * 64 + 8 * 3 + 7, 0, 8 * 6 + 1, 0], new_generator(3))
    found = official_observation(model, state, 0)
    flat = featurize(found)
    size = 121
    assert np.array_equal(flat[:size], found["board"].reshape(-1))
    strengths, lives = flat[size : 2 * size], flat[2 * size : 3 * size]
    assert (strengths[12], strengths.sum()) == (2, 2)
    assert (lives[12], lives.sum()) == (9, 9)
    # Position, ammo, strength, kick, team mate, enemies, message.
    assert flat[3 * size :].tolist() == [1, 1, 0, 2, 0, 12, 11, 13, 9, 6, 1]
    assert official_observation(model, state, 2)["message"] == (3, 7)


def test_players_that_there_are_not():
    model = rules.model()
    with pytest.raises(ValueError, match="player=4: expected 0 to 3"):
        official_observation(model, model.reset(new_generator(0)), 4)
