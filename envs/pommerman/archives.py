"""Reading recorded steps of the official Pommerman program (NumPy archives).

The arrays are named as the fields of `official.Position`, one entry a state; `bombs`
and `flames` are lists of all states with their beginnings in `bomb_ptr`, `flame_ptr`.
`actions`, `msg_sent`, `rewards`, `done` and `result` have one entry a step; `msg_obs`
is what each player hears in a state. `game_state0`, `game_step0`, `game_n_steps` and
`game_meta` (JSON with `env_id`) describe the games.
"""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np

from mcts_agents.envs.pommerman.official import OFFICIAL, Position
from mcts_agents.envs.recordings import RecordError
from mcts_agents.model import ForwardModel
from mcts_agents.reading import read_arrays as unpacked

Arrays = Mapping[str, np.ndarray]

# Of all arrays of a file.
MOST_BYTES = 1 << 27

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


def read_arrays(path: Path) -> Arrays:
    """Return the arrays of a file of games; RecordError if it is no such record."""
    arrays = read_archive(path)
    require_games(path, arrays)
    return arrays


def read_archive(path: Path) -> Arrays:
    """Return the arrays of a file by name; RecordError if it cannot be read."""
    try:
        return unpacked(path, MOST_BYTES)
    except OSError as error:
        raise RecordError(f"{path}: cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise RecordError(f"{path}: not a record of games: {error}") from error


def require_games(path: Path, arrays: Arrays) -> None:
    """Raise RecordError unless a file has all arrays of a record of games."""
    require(path, arrays, _NEEDED, "games")


def require(path: Path, arrays: Arrays, needed: Iterable[str], what: str) -> None:
    """Raise RecordError unless a file has all arrays that a record of `what` needs."""
    missing = [name for name in needed if name not in arrays]
    if missing:
        raise RecordError(
            f"{path}: not a record of Pommerman {what}: it lacks {', '.join(missing)}"
        )


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


def recorded_environment(path: Path, number: int, arrays: Arrays) -> str:
    """Return the official name of a game's environment; RecordError if unknown."""
    try:
        name = json.loads(str(arrays["game_meta"][number]))["env_id"]
    except (ValueError, KeyError, TypeError) as error:
        raise RecordError(f"{path}: game {number} names no environment") from error
    if name not in OFFICIAL:
        known = ", ".join(OFFICIAL)
        raise RecordError(f"{path}: unknown environment {name!r}; known: {known}")
    return name
