"""What the scripts of this folder share: their options, and errors in one line."""

import argparse
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mcts_agents.arena.tournaments.store import StoreError


def number(text: str) -> int:
    """Return a number from 1 of the command line."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r}: expected an integer from 1")
    return int(text)


def add_common_options(parser: argparse.ArgumentParser) -> None:
    """Add the folder of the games, and the number of worker processes."""
    parser.add_argument("--output", type=Path, default=Path("out/mcps"))
    parser.add_argument("--jobs", type=number, default=os.cpu_count())


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
