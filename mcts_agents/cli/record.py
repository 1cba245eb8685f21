"""`mcts-agents record`."""

import functools
import json
from contextlib import ExitStack

import typer

from mcts_agents.cli.command_options import RecordOptions
from mcts_agents.cli.progress import game_progress
from mcts_agents.cli.requests import RequestError, requested
from mcts_agents.cli.streams import INTERRUPTED
from mcts_agents.cli.terminal import PlainConsole
from mcts_agents.learn.dataset import Dataset
from mcts_agents.learn.recording import RecordingError, run_recording
from mcts_agents.learn.recording_spec import Recording, RecordingSpec


def record_decisions(options: RecordOptions) -> None:
    """Record decisions and print what the folder holds then."""
    folder = options.out
    console = PlainConsole(stderr=True)
    # One line, however wide the terminal is.
    say = functools.partial(console.print, soft_wrap=True)
    with requested():
        spec = RecordingSpec(
            options.game,
            options.agent,
            options.games,
            players=options.players,
            seed=options.seed,
            format=options.format.value,
            explore_moves=options.explore_moves,
            games_per_shard=options.games_per_shard,
        )
        recording = Recording.of(spec)
        backend = recording.backend(options.jobs)
    progress = game_progress(console)
    task = progress.add_task("games", total=spec.games)

    def told(games: int) -> None:
        if not progress.live.is_started:  # the folder can be used
            shown.enter_context(progress)
        progress.advance(task, games)

    try:
        with requested(), ExitStack() as shown:
            dataset = run_recording(recording, folder, backend, told)
    except KeyboardInterrupt:
        with requested():
            games = Dataset(folder).games
        say(
            f"{games} of {spec.games} games are stored in {folder}; run the same "
            "command to resume"
        )
        raise typer.Exit(INTERRUPTED) from None
    except RecordingError as error:
        say(f"failed: {error}")
        raise typer.Exit(1) from None
    except OSError as error:
        raise RequestError(
            f"{folder}: cannot be written: {error.strerror or error}"
        ) from error
    if options.json:
        found = {
            "folder": str(folder),
            "games": dataset.games,
            "rows": len(dataset),
            "files": len(recording.shards),
            "format": spec.format,
        }
        print(json.dumps(found))
        return
    print(
        f"{folder}: {dataset.games:,} games, {len(dataset):,} decisions, "
        f"{len(recording.shards):,} files"
    )
