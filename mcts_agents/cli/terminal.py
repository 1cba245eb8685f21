"""Consoles, colours of players, and what is shown while an agent thinks.

Rich writes colours only to a terminal that has them, and none if NO_COLOR is set.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.live import Live
from rich.spinner import Spinner
from rich.text import Text

from mcts_agents.cli.streams import ReaderGone, discard

# Of the eight that every terminal has; told apart by colour-blind people, too.
COLOURS = ("cyan", "yellow", "magenta", "green", "blue", "red")
# The marks of the first two players on boards, where they stand alone.
_MARKS = re.compile(r"(?<!\w)[XO](?!\w)")
_PLAYERS = re.compile(r"\bplayer_(\d+)\b")


class PlainConsole(Console):
    """A console that shows every text as it is.

    Rich would take brackets for markup and `:robot:` for an emoji, also in specs, names
    and errors, and would colour numbers.
    """

    def __init__(self, **options: Any):
        super().__init__(markup=False, emoji=False, highlight=False, **options)

    def on_broken_pipe(self) -> None:
        """Say that the reader has gone; Rich would end the process without a reason."""
        discard(self.file)
        raise ReaderGone


def colour_of(player: int) -> str:
    """Return the style of a player."""
    return f"bold {COLOURS[player % len(COLOURS)]}"


def coloured(text: str) -> Text:
    """Return a text in which players, and their marks on a board, have colours."""
    shown = Text(text)
    for found in _PLAYERS.finditer(text):
        shown.stylize(colour_of(int(found[1])), *found.span())
    for found in _MARKS.finditer(text):
        shown.stylize(colour_of("XO".index(found[0])), *found.span())
    return shown


@contextmanager
def thinking(console: Console, player: int, agent: Any) -> Iterator[None]:
    """Say that an agent thinks, and how many simulations it has made so far.

    Only where the output is a terminal; the line is gone afterwards.
    """
    if not console.is_terminal:
        yield
        return
    spinner = Spinner("dots")

    def shown() -> Spinner:
        made = getattr(agent, "simulations_so_far", 0)
        told = f": {made:,} simulations" if made else ""
        spinner.update(text=coloured(f"player_{player} is thinking{told}"))
        return spinner

    with Live(
        get_renderable=shown, console=console, transient=True, refresh_per_second=8
    ):
        yield
