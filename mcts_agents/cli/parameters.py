"""Arguments and options that several commands have."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
GameName = Annotated[
    str, typer.Argument(help="Name of a game, or name:option=value,option=value.")
]
Players = Annotated[
    int | None, typer.Option(help="Number of players; the game's default if left out.")
]
StoreFile = Annotated[Path, typer.Argument(help="The file of a tournament.")]
Jobs = Annotated[
    int | None,
    typer.Option(help="Games at a time; as many as there are cores if left out."),
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
