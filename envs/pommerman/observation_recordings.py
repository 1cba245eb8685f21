"""Comparing recorded observations of the official Pommerman program (NumPy archives).

An archive of observations names states of the games in `games.npz`, which must lie
beside it: `game` and `t` (steps played), with `step_count`, `game_type` and `alive`,
and for each player (second axis) the maps, facts and messages of
`official_observation`, enum members by their values. The step before such a state is
played, since what a player hears is not part of a state.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from mcts_agents.envs.pommerman.archives import (
    Arrays,
    read_arrays,
    recorded_actions,
    recorded_environment,
    recorded_position,
    require,
)
from mcts_agents.envs.pommerman.official import OFFICIAL, set_position
from mcts_agents.envs.pommerman.official_observation import (
    MAP_NAMES,
    official_observation,
)
from mcts_agents.envs.pommerman.rules import rules
from mcts_agents.envs.pommerman.table import ansi
from mcts_agents.envs.recordings import Mismatch, Progress, RecordError, Report
from mcts_agents.model import ForwardModel, new_generator

GAMES_FILE = "games.npz"

_OF_PLAYERS = (
    *("board", *MAP_NAMES, "position", "blast_strength", "can_kick", "ammo"),
    *("teammate", "enemies", "message"),
)
_OF_STATES = ("step_count", "game_type", "alive")
_NEEDED = ("game", "t", *_OF_STATES, *_OF_PLAYERS)


def are_observations(arrays: Arrays) -> bool:
    """Whether an archive holds observations rather than games."""
    return "bomb_blast_strength" in arrays and "game" in arrays


def verify_observations(path: Path, arrays: Arrays, progress: Progress) -> Report:
    """Compare all observations of a file; the report's plies are observations.

    Args:
        path: The file; the games lie beside it as `games.npz`.
        arrays: Its arrays.
        progress: Called with the states done and the states in the file.

    Raises:
        RecordError: The file or the games cannot be read, or do not belong together.
    """
    require(path, arrays, _NEEDED, "observations")
    games_path = Path(path).with_name(GAMES_FILE)
    if not games_path.exists():
        raise RecordError(
            f"{path}: observations need the games they are of; there is no {games_path}"
        )
    games = read_arrays(games_path)
    numbers = arrays["game"].tolist()
    report = Report(str(path), games=len(set(numbers)))
    models: dict[str, ForwardModel] = {}
    for entry, number in enumerate(numbers):
        ply = int(arrays["t"][entry])
        _check(path, games, number, ply)
        name = recorded_environment(games_path, number, games)
        if name not in models:
            models[name] = rules.model(**OFFICIAL[name])
        model = models[name]
        state = _played(games_path, model, games, number, ply)
        for player in range(model.players):
            report.plies += 1
            found = official_observation(model, state, player)
            first = next(_differing(arrays, entry, player, found), None)
            if first is None:
                continue
            report.mismatches += 1
            if report.first is None:
                what, *values = first
                what = f"{what} of player_{player}"
                board = ansi(model, state, player)
                report.first = Mismatch(str(path), number, ply, what, *values, board)
        progress(entry + 1, len(numbers))
    return report


def _check(path: Path, games: Arrays, number: int, ply: int) -> None:
    played = games["game_n_steps"]
    if not 0 <= number < len(played):
        raise RecordError(
            f"{path}: game {number} is not in {GAMES_FILE}, which has {len(played)}"
        )
    if not 0 <= ply <= played[number]:
        raise RecordError(
            f"{path}: game {number} has {played[number]} steps, not {ply}"
        )


def _played(
    path: Path, model: ForwardModel, games: Arrays, number: int, ply: int
) -> np.ndarray:
    """Return a state of a game, reached by playing the step before."""
    before = max(0, ply - 1)
    state = model.new_state()
    index = int(games["game_state0"][number]) + before
    try:
        set_position(model, state, recorded_position(games, index))
    except (ValueError, IndexError) as error:
        raise RecordError(f"{path}: game {number}, step {before}: {error}") from error
    if ply:
        step = int(games["game_step0"][number]) + before
        model.apply(state, recorded_actions(model, games, step), new_generator(0))
    return state


def _differing(
    arrays: Arrays, entry: int, player: int, found: dict[str, Any]
) -> Iterator[tuple[str, object, object]]:
    """Yield what differs in an observation: its name, as recorded and as found."""
    values = {
        **found,
        "teammate": found["teammate"].value,
        "enemies": [enemy.value for enemy in found["enemies"]],
        "message": found.get("message", (0, 0)),
        "alive": [int(10 + p in found["alive"]) for p in range(4)],
    }
    for what in (*_OF_STATES, *_OF_PLAYERS):
        recorded = arrays[what][entry]
        if what in _OF_PLAYERS:
            recorded = recorded[player]
        if not np.array_equal(recorded, values[what]):
            yield what, recorded, values[what]
