"""What is asked of the commands with many options: a dataclass each.

A field is an argument or an option of the command, in the order in which `--help` has
them; `takes_options` tells Typer so.
"""

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from mcts_agents.cli.parameters import (
    MOST_GAMES,
    MOST_NUMBER,
    MOST_SHOWN,
    Address,
    BackendName,
    BackendOption,
    GameName,
    Jobs,
    Json,
    Players,
    path_of,
)


def takes_options(command: Callable[[Any], None]) -> Callable[..., None]:
    """Give a function of one dataclass a parameter for each field, for Typer."""
    (parameter,) = inspect.signature(command).parameters.values()
    options = parameter.annotation

    @functools.wraps(command)
    def run(**given: Any) -> None:
        command(options(**given))

    run.__signature__ = inspect.signature(options)
    return run


class TreeFormat(StrEnum):
    """What `tree` prints."""

    text = "text"
    dot = "dot"
    json = "json"


@dataclass(frozen=True, kw_only=True)
class TreeOptions:
    """The position that `tree` searches, and how its search tree is shown."""

    game: GameName
    agent: Annotated[str, typer.Option(help="Spec of an agent that searches.")] = "mcts"
    players: Players = None
    seed: Annotated[
        int,
        typer.Option(min=0, max=MOST_NUMBER, help="Seed of the game and of the agent."),
    ] = 0
    moves: Annotated[
        str,
        typer.Option(help="Moves before, as people write them: by commas, or spaces."),
    ] = ""
    depth: Annotated[
        int,
        typer.Option(
            min=1, max=MOST_SHOWN, help="Levels of decisions, the first one included."
        ),
    ] = 2
    actions: Annotated[
        int,
        typer.Option(
            min=1, max=MOST_SHOWN, help="Actions of a decision shown as text."
        ),
    ] = 5
    format: Annotated[TreeFormat, typer.Option(help="What is printed.")] = (
        TreeFormat.text
    )
    output: Annotated[
        Path | None,
        typer.Option(
            help="File to write instead of printing.",
            parser=path_of,
            metavar="FILE",
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class TournamentOptions:
    """What `tournament` plays, where it plays and stores, and what it shows."""

    file: Annotated[
        str | None,
        typer.Argument(help="YAML file that describes the tournament.", metavar="FILE"),
    ] = None
    game: Annotated[
        list[str] | None,
        typer.Option(
            help="Name of a game, or module:object for one of yours; may be repeated."
        ),
    ] = None
    players: Annotated[
        list[int] | None,
        typer.Option(
            help="Number of players; may be repeated. The game's default if left out."
        ),
    ] = None
    agent: Annotated[
        list[str] | None,
        typer.Option(help="Spec of an agent, or NAME=SPEC; repeat for each agent."),
    ] = None
    field: Annotated[
        str | None,
        typer.Option(help="Agent in all other seats, for --design one-against-field."),
    ] = None
    budget: Annotated[
        list[str] | None,
        typer.Option(
            help="Budget of each decision: 40ms, 1s, or 1000 simulations; may be "
            "repeated. The agents' own if left out."
        ),
    ] = None
    design: Annotated[
        str | None,
        typer.Option(help="round-robin (default), one-against-field or all-seats."),
    ] = None
    games: Annotated[
        int | None,
        typer.Option(
            help="Games of each game, number of players and budget; 100 if left out."
        ),
    ] = None
    seed: Annotated[int | None, typer.Option(help="Seed of all; 0 if left out.")] = None
    store: Annotated[
        Path,
        typer.Option(
            help="SQLite file for the results; goes on if it exists.",
            parser=path_of,
            metavar="FILE",
        ),
    ]
    jobs: Jobs = None
    backend: BackendOption = BackendName.local
    address: Address = None
    report: Annotated[
        Path | None,
        typer.Option(
            help="HTML file for a report at the end.", parser=path_of, metavar="FILE"
        ),
    ] = None
    json: Json = False


@dataclass(frozen=True, kw_only=True)
class TuneOptions:
    """What `tune` tries, how often, and where it plays and stores."""

    game: Annotated[
        str, typer.Option(help="Name of a game, or module:object for one of yours.")
    ]
    store: Annotated[
        Path,
        typer.Option(
            help="SQLite file for the study; goes on if it exists.",
            parser=path_of,
            metavar="FILE",
        ),
    ]
    players: Players = None
    agent: Annotated[
        str, typer.Option(help="Spec of the agent whose options are tuned.")
    ] = "mcts"
    against: Annotated[
        str | None,
        typer.Option(help="Agent in all other seats; the agent itself if left out."),
    ] = None
    budget: Annotated[
        str,
        typer.Option(help="Budget of each decision: 40ms, 1s, or 1000 simulations."),
    ] = ""
    parameter: Annotated[
        list[str] | None,
        typer.Option(
            help="What is tried: exploration=log:0.1..10, rollout=0|10|30, tree; may "
            "be repeated. If left out, what the agent's kind says: of mcts tree, "
            "rollout and exploration."
        ),
    ] = None
    trials: Annotated[
        int, typer.Option(min=1, max=MOST_GAMES, help="Trials in all.")
    ] = 50
    games: Annotated[int, typer.Option(help="Games of a trial.")] = 50
    confirm: Annotated[
        int,
        typer.Option(
            min=1, max=MOST_GAMES, help="Games of the match of the best trial."
        ),
    ] = 200
    seed: Annotated[int, typer.Option(help="Seed of all.")] = 0
    jobs: Jobs = None
    backend: BackendOption = BackendName.local
    address: Address = None
    json: Json = False


class DatasetFormat(StrEnum):
    """What `record` writes."""

    npz = "npz"
    parquet = "parquet"


@dataclass(frozen=True, kw_only=True)
class RecordOptions:
    """Whose decisions `record` records, how many games of them, and where."""

    game: GameName
    agent: Annotated[
        list[str],
        typer.Option(
            help="Spec of an agent: once for all players, or once a player (or a team);"
            " they take turns in the seats."
        ),
    ]
    games: Annotated[int, typer.Option(help="Games in all.")]
    out: Annotated[
        Path,
        typer.Option(
            help="Folder for the files; goes on if it holds some.",
            parser=path_of,
            metavar="FOLDER",
        ),
    ]
    players: Players = None
    seed: Annotated[int, typer.Option(help="Seed of all.")] = 0
    jobs: Jobs = None
    format: Annotated[DatasetFormat, typer.Option(help="Format of the files.")] = (
        DatasetFormat.npz
    )
    explore_moves: Annotated[
        int,
        typer.Option(help="Steps of each game in which moves are drawn by visits."),
    ] = 0
    games_per_shard: Annotated[int, typer.Option(help="Games of one file.")] = 32
    json: Json = False
