"""The commands for those who train learners; see `app`."""

import typer

from mcts_agents.cli.command_options import (
    ImitateOptions,
    RecordOptions,
    TrainOptions,
    takes_options,
)

learn = typer.Typer()


@learn.command()
@takes_options
def record(options: RecordOptions) -> None:
    """Record agents' decisions as a dataset: what they saw, searched and played.

    Run the same command again to resume after an interruption. The JSON has folder,
    games, rows, files and format.
    """
    from mcts_agents.cli.record import record_decisions

    record_decisions(options)


@learn.command()
@takes_options
def train(options: TrainOptions) -> None:
    """Train a network by self-play, from scratch.

    Run the same command again to resume after an interruption. The JSON has folder and
    what summary.json says.
    """
    from mcts_agents.cli.train import train_network

    train_network(options)


@learn.command()
@takes_options
def imitate(options: ImitateOptions) -> None:
    """Train a network on recorded decisions: what agents did, and who won.

    Run the same command again to resume after an interruption. The JSON has folder and
    what summary.json says.
    """
    from mcts_agents.cli.imitate import imitate_decisions

    imitate_decisions(options)
