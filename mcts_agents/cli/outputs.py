"""`mcts-agents report` and `mcts-agents export`: files made from a tournament."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mcts_agents.arena.reports.export import check_suffix, export_rows
from mcts_agents.arena.tournaments.store import Store
from mcts_agents.cli.requests import RequestError, requested


def write_rows(store: Path, output: Path) -> None:
    """Write a row for each seat of each game."""
    with requested(), written(store, output):
        check_suffix(output)  # before a big store is read
        with Store.read(store) as stored:
            rows = export_rows(stored.games(), output)
    tell_written(output, f"{rows:,} rows")


def write_page(store: Path, output: Path, pictures: Path | None = None) -> None:
    """Write the report, and its pictures as files of their own if that is asked for."""
    from mcts_agents.arena.analysis.tournament_results import read_results
    from mcts_agents.arena.reports.report import write_pictures, write_report

    if pictures is not None and pictures.is_file():
        raise RequestError(f"{pictures}: this is a file; name a folder")
    with requested():
        results = read_results(store)
        if pictures is not None and not results.games:
            raise RequestError(f"{store}: no game is stored, so there are no pictures")
    with written(store, output):
        write_report(results, output)
    tell_written(output, f"{results.summary.games:,} games")
    if pictures is not None:
        with _told_of(pictures):
            drawn = write_pictures(results, pictures)
        print(f"{pictures}: {len(drawn)} pictures")


@contextmanager
def written(store: Path, output: Path) -> Iterator[None]:
    """Refuse a file that cannot be written, before any work and after it."""
    with _told_of(output):
        if output.exists() and store.exists() and output.samefile(store):
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


@contextmanager
def _told_of(output: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise RequestError(
            f"{output}: cannot be written: {error.strerror or error}"
        ) from error
