"""`mcts-agents train`."""

import functools
import json
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from mcts_agents.cli.command_options import TrainOptions
from mcts_agents.cli.requests import RequestError, requested
from mcts_agents.cli.streams import INTERRUPTED
from mcts_agents.cli.terminal import PlainConsole
from mcts_agents.extras import MissingExtraError
from mcts_agents.learn.recording import RecordingError
from mcts_agents.learn.training.checkpoints import Progress as Trained
from mcts_agents.learn.training.config import TrainingConfig
from mcts_agents.learn.training.config_file import read_config
from mcts_agents.learn.training.folder import ONNX, SUMMARY, Folder
from mcts_agents.learn.training.listeners import (
    BlockReport,
    Listener,
    Listeners,
    TensorBoardLog,
)
from mcts_agents.learn.training.places import Place
from mcts_agents.learn.training.trainer import Budget, Trainer

# Without any budget on the command line.
MINUTES = 60.0


class Bars(Listener):
    """Progress bars: of the budget, and of what is being done."""

    def __init__(self, console: Console):
        self._console = console
        self.progress = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TextColumn("{task.percentage:>3.0f}%"),
            TimeElapsedColumn(),
            TextColumn("{task.fields[more]}", markup=False),
            console=console,
        )
        self._whole = self.progress.add_task("training", total=1.0, more="")
        self._part = self.progress.add_task("self-play", total=1.0, more="")

    def begun(self, progress: Trained, spent: float) -> None:
        """See `Listener`."""
        if progress.blocks:
            self.say(
                f"going on after {sum(progress.positions):,} positions and "
                f"{progress.seconds / 60:.1f} minutes"
            )
        self.progress.update(self._whole, completed=min(spent, 1.0))

    def playing(self, games: int, of: int) -> None:
        """See `Listener`."""
        self._show("self-play", games, of)

    def learning(self, updates: int, of: int) -> None:
        """See `Listener`."""
        self._show("learning", updates, of)

    def evaluating(self, number: int, of: int, opponent: str) -> None:
        """See `Listener`."""
        self._show(f"against {opponent}", number, of)

    def block(self, report: BlockReport) -> None:
        """See `Listener`."""
        policy, value = report.progress.losses[-1]
        rate = f", {report.rate:,.0f}/s in self-play" if report.rate else ""
        self.progress.update(
            self._whole,
            completed=min(report.spent, 1.0),
            more=f"{sum(report.progress.positions):,} positions{rate}; losses: policy "
            f"{policy:.3f}, value {value:.3f}",
        )

    def evaluated(self, found: dict[str, Any]) -> None:
        """See `Listener`."""
        self.say(
            f"{found['minutes']:.1f} minutes, {found['positions']:,} positions: "
            f"{found['win_rate']:.1%} ({found['low']:.1%} to {found['high']:.1%}) "
            f"of {found['games']} games against {found['opponent']}"
        )

    def say(self, text: str) -> None:
        """See `Listener`."""
        self._console.print(text, soft_wrap=True)

    def _show(self, what: str, done: int, of: int) -> None:
        task: TaskID = self._part
        self.progress.update(task, description=what, completed=done, total=max(of, 1))


def train_network(options: TrainOptions) -> None:
    """Train a network, or go on with it, and say what the folder holds then."""
    console = PlainConsole(stderr=True)
    # One line, however wide the terminal is.
    say = functools.partial(console.print, soft_wrap=True)
    folder = Path(options.out)
    with requested():
        budget = Budget(MINUTES)
        given = options.minutes, options.positions, options.blocks
        if given != (None, None, None):
            budget = Budget(*given)
        config = TrainingConfig()
        if options.config:
            config = read_config(options.config, TrainingConfig)
        bars = Bars(console)
        listener: Listener = bars
        try:
            listener = Listeners(bars, TensorBoardLog(Folder(folder).logs))
        except MissingExtraError as error:
            say(f"there are no logs for TensorBoard: {error}")
        trainer = Trainer(
            options.game,
            folder,
            config,
            players=options.players,
            seed=options.seed,
            place=Place(
                options.backend.value, options.jobs, options.address, options.device
            ),
            start=options.start,
            listener=listener,
        )
    try:
        with requested(), ExitStack() as shown:
            shown.enter_context(bars.progress)
            trainer.run(budget)
    except KeyboardInterrupt:
        progress = trainer.progress
        say(
            f"{progress.blocks:,} blocks are stored in {folder}; run the same command "
            "to go on"
        )
        raise typer.Exit(INTERRUPTED) from None
    except RecordingError as error:
        say(f"failed: {error}")
        raise typer.Exit(1) from None
    except OSError as error:
        raise RequestError(
            f"{folder}: cannot be written: {error.strerror or error}"
        ) from error
    _tell(folder, options.json)


def _tell(folder: Path, as_json: bool) -> None:
    """Print what was trained."""
    summary = json.loads((folder / SUMMARY).read_text(encoding="utf-8"))
    if as_json:
        print(json.dumps({"folder": str(folder), **summary}))
        return
    print(
        f"{folder}: {summary['games']:,} games, {summary['positions']:,} positions, "
        f"{summary['updates']:,} updates in {summary['minutes']:.1f} minutes"
    )
    if (folder / ONNX).exists():
        agent = summary["agent"].replace(ONNX, str(folder / ONNX))
        print(f"play against it: --agent '{agent}'")
