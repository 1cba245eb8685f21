"""Record decisions: play games, and write their rows in blocks that are whole."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import MISSING, fields
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from filelock import Timeout

from mcts_agents.arena.playing.backends import Backend
from mcts_agents.arena.playing.fixtures import Failure
from mcts_agents.arena.tournaments.tournament_spec import differences
from mcts_agents.learn.dataset import Dataset
from mcts_agents.learn.description import FILE, read_description, write_description
from mcts_agents.learn.playing import GameRows
from mcts_agents.learn.recording_spec import AgentSpec, Recording, RecordingSpec
from mcts_agents.learn.shards import DatasetError, read_shard, shard_path, write_shard
from mcts_agents.names import unknown_name
from mcts_agents.writing import locked

# The fields of a spec that may be left out.
_OPTIONS = [f.name for f in fields(RecordingSpec) if f.default is not MISSING]


class RecordingError(RuntimeError):
    """A game could not be played to its end; the message says which, and why."""


def record(
    game: str,
    agents: AgentSpec | Sequence[AgentSpec],
    games: int,
    folder: str | PathLike[str],
    *,
    jobs: int | None = None,
    **options: Any,
) -> Dataset:
    """Record the decisions of agents who play each other, or resume a recording.

    The same call gives the same rows with any number of processes, unless a budget is
    in seconds. A second call plays the games that are missing, and you may ask for more
    games than before; the last file is written anew if it was not full. After an
    interrupt, all files are complete.

    Args:
        game: Spec of the game, such as `hex:size=5`.
        agents: One for all seats, or one for each player or team; see `RecordingSpec`.
        games: How many games.
        folder: Where the files go; made if it is not there.
        jobs: How many processes; one for each core if None.
        **options: `players`, `seed`, `format`, `explore_moves` and `games_per_shard`,
            which `RecordingSpec` describes.

    Raises:
        ValueError: A value that is not allowed, or an agent that cannot play.
        TypeError: An unknown option.
        DatasetError: The folder holds another recording, or a damaged one; another
            process is recording there.
        RecordingError: A game failed.
        OSError: The folder cannot be written.
    """
    for name in options:
        if name not in _OPTIONS:
            raise TypeError(f"record: {unknown_name('option', name, _OPTIONS)}")
    recording = Recording.of(RecordingSpec(game, agents, games, **options))
    return run_recording(recording, folder, recording.backend(jobs))


def run_recording(
    recording: Recording,
    folder: str | PathLike[str],
    backend: Backend,
    told: Callable[[int], None] = lambda games: None,
) -> Dataset:
    """Play all games of a recording whose file is not whole yet, and write the files.

    Args:
        recording: What is recorded.
        folder: Where the files are.
        backend: Plays the games by `Recording.work`; ended at the end.
        told: Called with numbers of games: at first of those that are there, then 1
            for each that was played.

    Raises:
        DatasetError: See `record`, also for the other errors.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    with _held(folder), backend:
        _enter(recording, folder)
        missing = [n for n in recording.shards if not _is_whole(recording, folder, n)]
        games = sum(len(recording.numbers(shard)) for shard in missing)
        told(recording.spec.games - games)
        if missing:
            _play(recording, folder, missing, backend, told)
    return Dataset(folder)


def _play(
    recording: Recording,
    folder: Path,
    missing: list[int],
    backend: Backend,
    told: Callable[[int], None],
) -> None:
    fixtures = (f for shard in missing for f in recording.fixtures(shard))
    waiting: dict[int, dict[int, GameRows]] = {}
    with closing(backend.play(fixtures)) as outcomes:  # which stops the workers
        for rows in outcomes:
            if isinstance(rows, Failure):
                raise RecordingError(
                    f"{rows.fixture}: {rows.error}\n{rows.details}".strip()
                )
            shard = rows.number // recording.spec.games_per_shard
            done = waiting.setdefault(shard, {})
            done[rows.number] = rows
            if len(done) == len(recording.numbers(shard)):
                games = [done[number].columns for number in sorted(done)]
                columns = {
                    name: np.concatenate([game[name] for game in games])
                    for name in games[0]
                }
                path = shard_path(folder, shard, recording.spec.format)
                write_shard(path, columns, recording.layout)
                del waiting[shard]
            told(1)


@contextmanager
def _held(folder: Path) -> Iterator[None]:
    """Let no other process write into a folder, and remove what a killed one left."""
    try:
        lock = locked(folder / f"{FILE}.lock")
    except Timeout as error:
        raise DatasetError(
            f"{folder}: another process is recording there; wait for that one, or "
            "take another folder"
        ) from error
    try:
        for left in folder.glob(".*.part"):
            left.unlink()
        yield
    finally:
        lock.release()


def _enter(recording: Recording, folder: Path) -> None:
    """Describe a new folder, or see that it holds this recording."""
    description = recording.description
    if not (folder / FILE).exists():
        if any(folder.glob("shard-*")):
            raise DatasetError(
                f"{folder}: has files of a dataset, but no {FILE} that says of which"
            )
        write_description(folder, description)
        return
    stored = read_description(folder)
    differing = [key for key in differences(stored, description) if key != "games"]
    if differing:
        told = "; ".join(
            f"its {key} is {stored.get(key)!r}, not {description.get(key)!r}"
            for key in differing
        )
        raise DatasetError(f"{folder}: holds another recording: {told}")
    if recording.spec.games < stored["games"]:
        raise DatasetError(
            f"{folder}: the recording has {stored['games']} games, and cannot have "
            f"fewer, {recording.spec.games}"
        )
    if recording.spec.games > stored["games"]:
        write_description(folder, description)


def _is_whole(recording: Recording, folder: Path, shard: int) -> bool:
    """Say whether the file is there, with all of its games."""
    path = shard_path(folder, shard, recording.spec.format)
    if not path.exists():
        return False
    found = np.unique(read_shard(path, recording.layout, ["game"])["game"]).tolist()
    numbers = list(recording.numbers(shard))
    if found != numbers[: len(found)]:
        raise DatasetError(
            f"{path}: holds the games {found}, not {numbers}; without it, the same "
            "recording makes it again"
        )
    return len(found) == len(numbers)
