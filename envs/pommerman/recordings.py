"""Replaying recorded steps of the official Pommerman program (NumPy archives).

Each recorded state is set, the recorded actions are applied, and everything that the
official program holds afterwards is compared with the next recorded state. Steps are
checked one by one, so that one difference does not hide the next.

The arrays are described in `archives`; recorded observations have a reader of their own
(`observation_recordings`).
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from mcts_agents.envs.pommerman.archives import (
    Arrays,
    read_archive,
    recorded_actions,
    recorded_environment,
    recorded_position,
    require_games,
)
from mcts_agents.envs.pommerman.observation_recordings import (
    are_observations,
    verify_observations,
)
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


def verify_archive(path: Path, progress: Progress) -> Report:
    """Check all steps or all observations of a file, whichever it holds.

    Args:
        path: The file.
        progress: Called with the games done and the games in the file.

    Raises:
        RecordError: The file cannot be read, or is no such record.
    """
    arrays = read_archive(path)
    if are_observations(arrays):
        return verify_observations(path, arrays, progress)
    require_games(path, arrays)
    report = Report(str(path))
    models: dict[str, ForwardModel] = {}
    for number in range(len(arrays["game_meta"])):
        name = recorded_environment(path, number, arrays)
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
