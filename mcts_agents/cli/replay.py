"""`mcts-agents replay`."""

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from pathlib import Path

from rich.bar import Bar
from rich.console import Console
from rich.padding import Padding
from rich.progress import Progress
from rich.table import Table
from rich.text import Text

from mcts_agents.arena.replay import wording
from mcts_agents.arena.replay.replaying import Moment, Move, Replay
from mcts_agents.arena.tournaments.store import Store
from mcts_agents.cli.outputs import tell_written, written
from mcts_agents.cli.requests import RequestError, requested
from mcts_agents.cli.terminal import PlainConsole
from mcts_agents.envs.painting import load_pygame

SUFFIXES = (".gif", ".html")

# Width of the bar of the most visited action.
BAR_WIDTH = 20

Writer = Callable[[Replay, Iterable[Moment], int, Path], None]


def replay_game(
    store: Path,
    number: int,
    output: Path | None,
    search: bool,
    actions: int,
    as_json: bool,
) -> bool:
    """Show a stored game again, or write it to a file.

    Returns:
        Whether every agent chose again what is stored, those with a budget of time
        aside.
    """
    if number < 1:
        raise RequestError(f"game {number}: the games of a store are numbered from 1")
    write = None if output is None else _writer(output)
    with requested():
        with Store.read(store) as opened:
            record = opened.game(number)
    with requested(store):
        replay = Replay(record, search, pictures=write is not None)
        if write is None and not as_json:
            _print(replay, actions)
        else:
            _write(store, replay, write, output, actions, as_json)
    difference = replay.difference_text()
    if difference:
        PlainConsole(stderr=True).print(f"mcts-agents: {difference}", soft_wrap=True)
    return not difference


def _writer(output: Path) -> Writer:
    """Return what writes a file of this name; refuse before any work is done."""
    suffix = output.suffix.lower()
    if suffix not in SUFFIXES:
        raise RequestError(
            f"{output}: a replay can be written as {' or '.join(SUFFIXES)}; without "
            "--output it is printed"
        )
    load_pygame()
    if suffix == ".gif":
        from mcts_agents.arena.replay import gif

        return gif.write
    from mcts_agents.arena.replay import html

    return html.write


def _write(
    store: Path,
    replay: Replay,
    write: Writer | None,
    output: Path | None,
    actions: int,
    as_json: bool,
) -> None:
    moments: list[Moment] = []
    console = PlainConsole(stderr=True)
    checked = nullcontext() if output is None else written(store, output)
    shown = Progress(console=console, transient=True, disable=not console.is_terminal)
    with checked, shown as progress:
        going = _followed(replay, moments, progress)
        if write is None:
            for _ in going:
                pass
        else:
            write(replay, going, actions, output)
    if as_json:
        print(json.dumps(wording.as_object(replay, moments, actions)))
    elif output is not None:
        tell_written(output, f"{len(moments)} positions")


def _followed(
    replay: Replay, moments: list[Moment], progress: Progress
) -> Iterator[Moment]:
    """Give the moments, keep them, and show how far the game is."""
    task = progress.add_task("replaying", total=len(replay.record.moves))
    for moment in replay.moments():
        moments.append(moment)
        progress.advance(task, len(moment.moves))
        yield moment
    progress.update(task, description="writing", total=None)


def _print(replay: Replay, actions: int) -> None:
    """Print the game as it goes on, then how it ended."""
    console = PlainConsole()

    def say(text: str, style: str | None = None) -> None:
        console.print(text, style=style, soft_wrap=True)

    say(wording.title(replay), "bold")
    for moment in replay.moments():
        say("")
        for move in moment.moves:
            _print_move(console, moment, move, actions)
        if moment.moves:
            say("")
        say(moment.position)
    table = Table(title=f"{replay.game.title}, the end", pad_edge=False)
    for heading in ("seat", "agent", "result"):
        table.add_column(heading, overflow="fold")
    for heading in ("score", "place"):
        table.add_column(heading, justify="right")
    for player, seat in enumerate(replay.record.seats):
        score = f"{seat.score:g}" if replay.model.has_points else "-"
        cells = (seat.agent, seat.result, score, f"{seat.rank:g}")
        table.add_row(f"player_{player}", *map(Text, cells))
    say("")
    console.print(table)


def _print_move(console: Console, moment: Moment, move: Move, actions: int) -> None:
    line = Text(f"{moment.number}. {wording.played(move)}", "bold")
    if move.now is not None:
        style = "yellow" if move.timed else "bold red"
        line.append(f"  {wording.changed(move)}", style)
    console.print(line, soft_wrap=True)
    view = move.search
    if view is None:
        return
    console.print(_indented(Text(wording.effort(view), "dim")))
    if view.searched:
        table = Table(box=None, pad_edge=False, header_style="dim")
        table.add_column("action")
        table.add_column("", width=BAR_WIDTH)
        for heading in ("visits", "share", "value"):
            table.add_column(heading, justify="right")
        most = wording.most_visits(view)
        counted = any(seen.visits for seen in view.actions)
        for seen in view.top(actions, move.action):
            table.add_row(
                Text(seen.name),
                Bar(most, 0, seen.visits, width=BAR_WIDTH, color="cyan"),
                f"{seen.visits:,}" if counted else "-",
                f"{seen.share:.0%}" if counted else "-",
                wording.value(seen.value),
                style="bold" if seen.action == move.action else None,
            )
        console.print(_indented(table))
        variation = f"principal variation  {wording.variation(view)}"
        console.print(_indented(Text(variation)))


def _indented(shown: Text | Table) -> Padding:
    return Padding(shown, (0, 0, 0, 3), expand=False)
