"""`mcts-agents verify`."""

import json
from pathlib import Path

from rich.progress import Progress, TextColumn
from rich.table import Table

from mcts_agents.cli.requests import RequestError, requested
from mcts_agents.cli.terminal import PlainConsole
from mcts_agents.envs import load_game
from mcts_agents.recorded import RecordError, Report, verify_file


def verify_files(name: str, files: list[Path], as_json: bool) -> int:
    """Replay the files, print what was found, and return the number of mismatches."""
    with requested():
        game = load_game(name)
    reports: list[Report] = []
    errors = PlainConsole(stderr=True)
    hidden = not errors.is_terminal
    columns = list(Progress.get_default_columns())
    columns[0] = TextColumn("{task.description}", markup=False)  # the name of a file
    with Progress(*columns, console=errors, transient=True, disable=hidden) as progress:
        for path in files:
            task = progress.add_task(path.name, total=None)

            def advance(done: int, total: int, task=task) -> None:
                progress.update(task, completed=done, total=total)

            try:
                reports.append(verify_file(game, path, advance))
            except RecordError as error:
                raise RequestError(str(error)) from error
    first = next((report.first for report in reports if report.first), None)
    if first is not None:
        errors.print(str(first), soft_wrap=True)
    _show(reports, as_json)
    return sum(report.mismatches for report in reports)


def _show(reports: list[Report], as_json: bool) -> None:
    columns = ("file", "games", "plies", "mismatches")
    rows: list[dict[str, object]] = [
        {c: getattr(report, c) for c in columns} for report in reports
    ]
    if as_json:
        for row, report in zip(rows, reports, strict=True):
            if report.known_deviations is not None:
                row["known_deviations"] = report.known_deviations
                row["ends_left_out"] = report.ends_left_out
        print(json.dumps({"files": rows}))
        return
    table = Table()
    table.add_column("file", overflow="fold")
    for column in columns[1:]:
        table.add_column(column, justify="right")
    for row in rows:
        table.add_row(*(str(row[column]) for column in columns))
    PlainConsole().print(table)
