"""Replaying recorded steps of the official Pommerman program."""

import numpy as np
import pytest

from mcts_agents.envs import load_game
from mcts_agents.recorded import RecordError, verify_file
from tests.golden import are_enough, exactly, golden_folder


def part(folder, games, name="midgame", **changes):
    """Write the first games of a record, with changed arrays, to a file."""
    with np.load(golden_folder("pommerman") / f"{name}.npz") as archive:
        arrays = {name: archive[name].copy() for name in archive.files}
    for key in ("game_state0", "game_step0", "game_n_steps", "game_meta"):
        arrays[key] = arrays[key][:games]
    for key, change in changes.items():
        change(arrays[key])
    path = folder / "part.npz"
    np.savez(path, **arrays)
    return path


def verified(path):
    return verify_file(load_game("pommerman"), path)


@pytest.mark.parametrize(("name", "games"), [("games", 6), ("midgame", 120)])
def test_recorded_steps_come_out_the_same(tmp_path, name, games):
    counts = []
    games = exactly(f"pommerman: games of {name}", games)
    path = part(tmp_path, games, name)
    report = verify_file(
        load_game("pommerman"), path, lambda *done: counts.append(done)
    )
    assert report.mismatches == 0
    assert report.first is None
    assert report.games == games
    assert are_enough(report.plies, f"pommerman: steps of {name}", 301)
    assert counts == [(n + 1, games) for n in range(games)]


def test_every_step_is_checked_by_itself(tmp_path):
    def shift(rewards):
        rewards[[2, 4]] += 1

    report = verified(part(tmp_path, 3, rewards=shift))
    assert report.mismatches == 2
    assert report.first.what == "rewards"
    assert (report.first.game, report.first.ply) == (0, 2)


@pytest.mark.parametrize(
    ("array", "what"),
    [
        ("board", "board"),
        ("hidden_items", "hidden_items"),
        ("agent_ammo", "agent_ammo"),
        ("agent_blast", "agent_blast"),
        ("agent_kick", "agent_kick"),
        ("step_count", "step_count"),
        ("done", "done"),
        ("result", "result"),
        ("msg_obs", "messages"),
    ],
)
def test_differences_are_found_and_shown_with_both_boards(tmp_path, array, what):
    def change(values):
        flat = values[10:11].reshape(-1)  # of the state or step with that number
        flat[0] = 1 - flat[0] if array in ("agent_kick", "done") else flat[0] + 1

    first = verified(part(tmp_path, 9, **{array: change})).first
    assert first.what == what
    assert "board as recorded:\nstep " in str(first)
    assert "board as found:\nstep " in str(first)


def test_files_that_are_no_record(tmp_path):
    path = tmp_path / "some.npz"
    with pytest.raises(RecordError, match="cannot be read: No such file"):
        verified(path)
    path.write_text("no archive")
    with pytest.raises(RecordError, match="not a record of games"):
        verified(path)
    np.savez(path, board=np.zeros(3))
    with pytest.raises(RecordError, match="it lacks hidden_items, agent_pos"):
        verified(path)

    def rename(meta):
        meta[0] = '{"env_id": "PommeChess-v0"}'

    with pytest.raises(RecordError, match="unknown environment 'PommeChess-v0'; known"):
        verified(part(tmp_path, 1, game_meta=rename))

    def unsort(flames):
        flames[:, 2] = np.arange(len(flames)) % 3

    with pytest.raises(RecordError, match="the flames are not in the order"):
        verified(part(tmp_path, 9, flames=unsort))
