"""What the scripts of this folder share: their options, and errors in one line."""

import argparse
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from mcts_agents.arena.playing.backends import LocalBackend, Outcome
from mcts_agents.arena.playing.fixtures import Failure, Fixture
from mcts_agents.arena.tournaments.store import Store, StoreError
from mcts_agents.arena.tournaments.tournament import run_tournament


def number(text: str) -> int:
    """Return a number from 1 of the command line."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r}: expected an integer from 1")
    return int(text)


def add_common_options(parser: argparse.ArgumentParser) -> None:
    """Add the folder of the games, and the number of worker processes."""
    parser.add_argument("--output", type=Path, default=Path("out/mcps"))
    parser.add_argument("--jobs", type=number, default=os.cpu_count())


def play_all(schedule: Sequence[Fixture], store: Store, workers: LocalBackend) -> None:
    """Play what a store does not hold yet; end the script if a game fails."""
    failures: list[Failure] = []

    def told(outcome: Outcome) -> None:
        if isinstance(outcome, Failure):
            failures.append(outcome)

    run_tournament(schedule, store, workers, told)
    if failures:
        raise SystemExit(
            f"{len(failures)} games failed, such as {failures[0].fixture}: "
            f"{failures[0].error}; the same command tries them again"
        )


@contextmanager
def output_of(parser: argparse.ArgumentParser, folder: Path) -> Iterator[None]:
    """Make the folder; end the script with one line where it cannot be used.

    That is a folder that cannot be made or written to, or one with games that do not
    fit what is asked for now, such as more of them.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        yield
    except StoreError as error:
        parser.exit(2, f"{parser.prog}: error: {error}\n")
    except OSError as error:
        where = error.filename or folder
        parser.exit(2, f"{parser.prog}: error: --output: {where}: {error.strerror}\n")
