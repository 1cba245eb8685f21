"""Replaying recorded steps of the official Pommerman program (NumPy archives).

Each recorded state is set, the recorded actions are applied, and everything that the
official program holds afterwards is compared with the next recorded state. Steps are
checked one by one, so that one difference does not hide the next.

The arrays are named as the fields of `official.Position`, one entry a state; `bombs`
and `flames` are lists of all states with their beginnings in `bomb_ptr`, `flame_ptr`.
`actions`, `msg_sent`, `rewards`, `done` and `result` have one entry a step; `msg_obs`
is what each player hears in a state. `game_state0`, `game_step0`, `game_n_steps` and
`game_meta` (JSON with `env_id`) describe the games.
"""

import json
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

from mcts_agents.envs.pommerman.official import (
    OFFICIAL,
    Position,
    messages_heard,
    official_done,
    official_result,
    official_rewards,
    position,
    set_position,
)
from mcts_agents.envs.pommerman.rules import rules
from mcts_agents.envs.pommerman.table import ansi
from mcts_agents.envs.recordings import Mismatch, Progress, RecordError, Report
from mcts_agents.model import ForwardModel, new_generator

Arrays = Mapping[str, np.ndarray]

_OF_STATES = (
    "board",
    "hidden_items",
    "agent_pos",
    "agent_alive",
    "agent_ammo",
    "agent_blast",
    "agent_kick",
)
_NEEDED = (
    *_OF_STATES,
    *("step_count", "bombs", "bomb_ptr", "flames", "flame_ptr", "msg_obs"),
    *("actions", "msg_sent", "rewards", "done", "result"),
    *("game_state0", "game_step0", "game_n_steps", "game_meta"),
)


def verify_steps(path: Path, progress: Progress) -> Report:
    """Check all steps of a file.

    Args:
        path: The file.
        progress: Called with the games done and the games in the file.

    Raises:
        RecordError: The file cannot be read, or is no such record.
    """
    arrays = read_arrays(path)
    report = Report(str(path))
    models: dict[str, ForwardModel] = {}
    for number in range(len(arrays["game_meta"])):
        name = _environment(path, number, arrays)
        if name not in models:
            models[name] = rules.model(**OFFICIAL[name])
        report.games += 1
        for ply in range(int(arrays["game_n_steps"][number])):
            report.plies += 1
            found = _first_difference(path, models[name], arrays, number, ply)
            if found is not None:
                report.mismatches += 1
                report.first = report.first or found
        progress(number + 1, len(arrays["game_meta"]))
    return report


def read_arrays(path: Path) -> Arrays:
    """Return the arrays of a file by name; RecordError if it is no such record."""
    try:
        with np.load(path, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
    except OSError as error:
        reason = error.strerror or "not a NumPy archive"
        raise RecordError(f"{path}: cannot be read: {reason}") from error
    except (ValueError, EOFError, TypeError, zipfile.BadZipFile) as error:
        raise RecordError(f"{path}: not a record of games: {error}") from error
    missing = [name for name in _NEEDED if name not in arrays]
    if missing:
        raise RecordError(
            f"{path}: not a record of Pommerman games: it lacks {', '.join(missing)}"
        )
    return arrays


def recorded_position(arrays: Arrays, index: int) -> Position:
    """Return one recorded state."""
    lists = []
    for name, starts in (("bombs", "bomb_ptr"), ("flames", "flame_ptr")):
        start, end = arrays[starts][index : index + 2]
        lists.append(arrays[name][start:end])
    values = (arrays[name][index] for name in _OF_STATES)
    return Position(*values, *lists, int(arrays["step_count"][index]))


def recorded_actions(model: ForwardModel, arrays: Arrays, step: int) -> np.ndarray:
    """Return the joint action of one recorded step, messages included."""
    actions = arrays["actions"][step].astype(np.int32)
    if model.game["message_bits"][0]:
        first, second = arrays["msg_sent"][step].T.astype(np.int32)
        actions = 64 * actions + 8 * first + second
    return actions


def _environment(path: Path, number: int, arrays: Arrays) -> str:
    try:
        name = json.loads(str(arrays["game_meta"][number]))["env_id"]
    except (ValueError, KeyError, TypeError) as error:
        raise RecordError(f"{path}: game {number} names no environment") from error
    if name not in OFFICIAL:
        known = ", ".join(OFFICIAL)
        raise RecordError(f"{path}: unknown environment {name!r}; known: {known}")
    return name


def _first_difference(
    path: Path, model: ForwardModel, arrays: Arrays, number: int, ply: int
) -> Mismatch | None:
    """Apply one recorded step; return the first thing that comes out otherwise."""
    index = int(arrays["game_state0"][number]) + ply
    step = int(arrays["game_step0"][number]) + ply
    expected = recorded_position(arrays, index + 1)
    try:
        state, wanted = model.new_state(), model.new_state()
        set_position(model, state, recorded_position(arrays, index))
        set_position(model, wanted, expected)
    except (ValueError, IndexError) as error:
        raise RecordError(f"{path}: game {number}, step {ply}: {error}") from error
    model.apply(state, recorded_actions(model, arrays, step), new_generator(0))
    for what, recorded, found in _compared(model, arrays, step, index, state, expected):
        if not np.array_equal(recorded, found):
            boards = (
                f"board as recorded:\n{ansi(model, wanted, None)}\n"
                f"board as found:\n{ansi(model, state, None)}"
            )
            return Mismatch(str(path), number, ply, what, recorded, found, boards)
    return None


def _compared(
    model: ForwardModel,
    arrays: Arrays,
    step: int,
    index: int,
    state: np.ndarray,
    expected: Position,
) -> Iterator[tuple[str, object, object]]:
    """Yield what is compared after a step: its name, as recorded and as found."""
    found = position(model, state)
    what = expected.differing(found)
    if what is not None:
        yield what, getattr(expected, what), getattr(found, what)
    done = bool(arrays["done"][step])
    yield "done", done, official_done(model, state)
    yield "the end of the game", done, model.is_over(state)
    yield "result", int(arrays["result"][step]), official_result(model, state)
    yield "rewards", arrays["rewards"][step].tolist(), official_rewards(model, state)
    heard = messages_heard(model, state)
    yield "messages", [tuple(words) for words in arrays["msg_obs"][index + 1]], heard
