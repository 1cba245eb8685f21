"""The commands for those who train learners; see `app`."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from mcts_agents.cli.parameters import GameName, Jobs, Json, Players, path_of

learn = typer.Typer()


class DatasetFormat(StrEnum):
    """What `record` writes."""

    npz = "npz"
    parquet = "parquet"


@learn.command()
def record(
    game: GameName,
    agent: Annotated[
        list[str],
        typer.Option(
            help="Spec of an agent: once for all players, or once a player (or a team);"
            " they take turns in the seats."
        ),
    ],
    games: Annotated[int, typer.Option(help="Games in all.")],
    out: Annotated[
        Path,
        typer.Option(
            help="Folder for the files; goes on if it holds some.",
            parser=path_of,
            metavar="FOLDER",
        ),
    ],
    players: Players = None,
    seed: Annotated[int, typer.Option(help="Seed of all.")] = 0,
    jobs: Jobs = None,
    format: Annotated[
        DatasetFormat, typer.Option(help="Format of the files.")
    ] = DatasetFormat.npz,
    explore_moves: Annotated[
        int,
        typer.Option(help="Steps of each game in which moves are drawn by visits."),
    ] = 0,
    games_per_shard: Annotated[int, typer.Option(help="Games of one file.")] = 32,
    json: Json = False,
) -> None:
    """Record agents' decisions as a dataset: what they saw, searched and played.

    The same command goes on where it was interrupted, and plays nothing when all is
    there. The JSON has folder, games, rows, files and format.
    """
    from mcts_agents.cli.record import record_decisions

    record_decisions(
        {
            "game": game,
            "agents": agent,
            "games": games,
            "players": players,
            "seed": seed,
            "format": format.value,
            "explore_moves": explore_moves,
            "games_per_shard": games_per_shard,
        },
        out,
        jobs,
        json,
    )
