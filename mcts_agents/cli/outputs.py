"""Output files that are named on the command line, and `mcts-agents export`."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mcts_agents.arena.reports.export import check_suffix, export_rows
from mcts_agents.arena.tournaments.store import Store
from mcts_agents.cli.requests import RequestError, requested, told_of


def write_rows(store: Path, output: Path) -> None:
    """Write a row for each seat of each game."""
    with requested(), written(store, output):
        check_suffix(output)  # before a big store is read
        with Store.read(store) as stored:
            rows = export_rows(stored.games(), output)
    tell_written(output, f"{rows:,} rows")


@contextmanager
def written(store: Path, output: Path) -> Iterator[None]:
    """Refuse a file that cannot be written, before any work and after it."""
    with told_of(output):
        # The store may not be there yet, and a file may have several names.
        is_store = os.path.realpath(output) == os.path.realpath(store)
        if is_store or (output.exists() and store.exists() and output.samefile(store)):
            raise RequestError(f"{output}: this is the store itself; use another name")
        if not output.parent.is_dir():
            raise RequestError(f"{output}: there is no folder {output.parent}")
        if output.is_dir():
            raise RequestError(f"{output}: this is a folder; name a file")
        yield


def tell_written(output: Path, content: str) -> None:
    """Print the name of a file that was written, what it holds, and its size.

    Nothing is added to what was written to standard output by its name.
    """
    if output.is_file() and not os.path.samestat(output.stat(), os.fstat(1)):
        print(f"{output}: {content}, {output.stat().st_size:,} bytes")
