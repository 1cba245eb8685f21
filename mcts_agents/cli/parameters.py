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


def path_of(text: str) -> Path:
    """Return the path that a text names; an empty one would mean the working folder."""
    if not text.strip():
        raise typer.BadParameter("expected the name of a file or a folder")
    return Path(text)


Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
GameName = Annotated[
    str,
    typer.Argument(
        help="Name of a game, or name:option=value,option=value; module:object for a "
        "game of yours."
    ),
]
Players = Annotated[
    int | None, typer.Option(help="Number of players; the game's default if left out.")
]
StoreFile = Annotated[
    Path,
    typer.Argument(help="The file of a tournament.", parser=path_of, metavar="STORE"),
]
Jobs = Annotated[
    int | None,
    typer.Option(
        max=MOST_JOBS, help="Games at a time; as many as there are cores if left out."
    ),
]
Address = Annotated[
    str | None,
    typer.Option(help="Address of a Ray cluster; one of this machine if left out."),
]


class BackendName(StrEnum):
    """Where `tournament` and `tune` play."""

    local = "local"
    ray = "ray"


BackendOption = Annotated[
    BackendName, typer.Option("--backend", help="Where the games are played.")
]
