"""`mcts-agents imitate`."""

import functools
import json
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from mcts_agents.cli.command_options import ImitateOptions
from mcts_agents.cli.requests import RequestError, requested
from mcts_agents.cli.streams import INTERRUPTED
from mcts_agents.cli.terminal import PlainConsole
from mcts_agents.learn.training.checkpoints import Progress as Learned
from mcts_agents.learn.training.config import ImitationConfig
from mcts_agents.learn.training.config_file import read_config
from mcts_agents.learn.training.folder import ONNX, SUMMARY
from mcts_agents.learn.training.imitation import Imitator
from mcts_agents.learn.training.listeners import Listener


class Bar(Listener):
    """A progress bar of the pass, and a line after each."""

    def __init__(self, console: Console):
        self._console = console
        self.progress = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TextColumn("{task.percentage:>3.0f}%"),
            TimeElapsedColumn(),
            console=console,
        )
        self._task = self.progress.add_task("pass 1", total=1.0)
        self._passes = 0

    def begun(self, progress: Learned, spent: float) -> None:
        """See `Listener`."""
        self._passes = progress.blocks
        if self._passes:
            self.say(f"going on after {self._passes} passes")

    def learning(self, updates: int, of: int) -> None:
        """See `Listener`."""
        name = f"pass {self._passes + 1}"
        self.progress.update(self._task, description=name, completed=updates, total=of)

    def evaluated(self, found: dict[str, Any]) -> None:
        """See `Listener`."""
        said = f"pass {found['pass']}"
        if found["held_out"]:
            said += (
                f": the same action in {found['same_action']:.1%} of "
                f"{found['held_out']:,} decisions held out; losses: policy "
                f"{found['policy_loss']:.3f}, value {found['value_loss']:.3f}"
            )
        self.say(said)
        self._passes += 1

    def say(self, text: str) -> None:
        """See `Listener`."""
        self._console.print(text, soft_wrap=True)


def imitate_decisions(options: ImitateOptions) -> None:
    """Learn from a dataset, or go on with it, and say what the folder holds then."""
    console = PlainConsole(stderr=True)
    # One line, however wide the terminal is.
    say = functools.partial(console.print, soft_wrap=True)
    folder, bar = Path(options.out), Bar(console)
    with requested():
        config = ImitationConfig()
        if options.config:
            config = read_config(options.config, ImitationConfig)
        imitator = Imitator(
            options.dataset,
            folder,
            config,
            seed=options.seed,
            device=options.device,
            listener=bar,
        )
    try:
        with requested(), ExitStack() as shown:
            shown.enter_context(bar.progress)
            imitator.run()
    except KeyboardInterrupt:
        say(
            f"{imitator.progress.blocks} passes are stored in {folder}; run the same "
            "command to go on"
        )
        raise typer.Exit(INTERRUPTED) from None
    except OSError as error:
        raise RequestError(
            f"{folder}: cannot be written: {error.strerror or error}"
        ) from error
    summary = json.loads((folder / SUMMARY).read_text(encoding="utf-8"))
    if options.json:
        print(json.dumps({"folder": str(folder), **summary}))
        return
    print(
        f"{folder}: {summary['passes']} passes, {summary['updates']:,} updates in "
        f"{summary['minutes']:.1f} minutes"
    )
    if (folder / ONNX).exists():
        print(f"play against it: --agent policy:file={folder / ONNX}")
