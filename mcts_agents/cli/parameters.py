"""Arguments and options that several commands have."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

# A whole number in JSON and in SQLite, in every program that reads them.
MOST_NUMBER = 2**53 - 1
# Of games, trials and processes.
MOST_GAMES = 10**9
MOST_JOBS = 1024
# Levels and actions of a tree.
MOST_SHOWN = 10**6
# Actions that replays show of each search, unless the command line says how many.
SHOWN_ACTIONS = 5


def path_of(text: str) -> Path:
    """Return the path that a text names; an empty one would mean the working folder."""
    if not text.strip():
        raise typer.BadParameter("expected the name of a file or a folder")
    return Path(text)


Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
GameName = Annotated[
    str,
    typer.Argument(
        help="Name of a game, or name:option=value,option=value; module:object for "
        "your own game."
    ),
]
Players = Annotated[
    int | None, typer.Option(help="Number of players. Default: the game's own.")
]
StoreFile = Annotated[
    Path,
    typer.Argument(
        help="Tournament store (SQLite file).", parser=path_of, metavar="STORE"
    ),
]
Jobs = Annotated[
    int | None,
    typer.Option(
        max=MOST_JOBS,
        help="Number of games played in parallel. Default: the number of cores.",
    ),
]
Address = Annotated[
    str | None,
    typer.Option(help="Address of a Ray cluster. Default: a cluster on this machine."),
]


class BackendName(StrEnum):
    """Where `tournament`, `tune` and `train` play."""

    local = "local"
    ray = "ray"


BackendOption = Annotated[
    BackendName, typer.Option("--backend", help="Where the games are played.")
]
