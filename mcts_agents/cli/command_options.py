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
        typer.Option(
            help="Moves played before, in the game's notation, separated by commas "
            "or spaces."
        ),
    ] = ""
    depth: Annotated[
        int,
        typer.Option(
            min=1,
            max=MOST_SHOWN,
            help="Levels of decisions to show, including the first.",
        ),
    ] = 2
    actions: Annotated[
        int,
        typer.Option(
            min=1, max=MOST_SHOWN, help="Actions to show for each decision, as text."
        ),
    ] = 5
    format: Annotated[TreeFormat, typer.Option(help="Output format.")] = TreeFormat.text
    output: Annotated[
        Path | None,
        typer.Option(
            help="Write to this file instead of printing.",
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
            help="Name of a game, or module:object for your own; can be repeated. With "
            "a FILE: only these of its games."
        ),
    ] = None
    players: Annotated[
        list[int] | None,
        typer.Option(
            help="Number of players; can be repeated. Default: the game's own. With a "
            "FILE: only these of its numbers."
        ),
    ] = None
    agent: Annotated[
        list[str] | None,
        typer.Option(help="Spec of an agent, or NAME=SPEC; repeat it for each agent."),
    ] = None
    field: Annotated[
        str | None,
        typer.Option(help="Agent in all other seats, for --design one-against-field."),
    ] = None
    budget: Annotated[
        list[str] | None,
        typer.Option(
            help="Budget for each decision, such as 40ms, 1s, or 1000 (simulations); "
            "can be repeated. Default: the agents' own. With a FILE: only these of its "
            "budgets."
        ),
    ] = None
    design: Annotated[
        str | None,
        typer.Option(help="round-robin (default), one-against-field or all-seats."),
    ] = None
    games: Annotated[
        int | None,
        typer.Option(
            help="Games to play of each game, number of players and budget. Default: "
            "what a FILE says, else 100."
        ),
    ] = None
    seed: Annotated[
        int | None,
        typer.Option(help="Seed of the tournament. Default: what a FILE says, else 0."),
    ] = None
    opening: Annotated[
        int | None,
        typer.Option(
            help="Number of random decisions at the start of each game; default 0."
        ),
    ] = None
    store: Annotated[
        Path,
        typer.Option(
            help="SQLite file for the results; resumes if it exists.",
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
            help="HTML file for a report, written at the end.",
            parser=path_of,
            metavar="FILE",
        ),
    ] = None
    json: Json = False


@dataclass(frozen=True, kw_only=True)
class TuneOptions:
    """What `tune` tries, how often, and where it plays and stores."""

    game: Annotated[
        str, typer.Option(help="Name of a game, or module:object for your own.")
    ]
    store: Annotated[
        Path,
        typer.Option(
            help="SQLite file for the study; resumes if it exists.",
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
        typer.Option(help="Agent in all other seats. Default: the agent itself."),
    ] = None
    budget: Annotated[
        str,
        typer.Option(
            help="Budget for each decision, such as 40ms, 1s, or 1000 (simulations)."
        ),
    ] = ""
    parameter: Annotated[
        list[str] | None,
        typer.Option(
            help="Parameter to tune and its values: exploration=log:0.1..10, "
            "rollout=0|10|30, tree; can be repeated. Default: depends on the kind of "
            "agent; for mcts: tree, rollout and exploration."
        ),
    ] = None
    trials: Annotated[
        int, typer.Option(min=1, max=MOST_GAMES, help="Total number of trials.")
    ] = 50
    games: Annotated[int, typer.Option(help="Number of games per trial.")] = 50
    confirm: Annotated[
        int,
        typer.Option(
            min=1,
            max=MOST_GAMES,
            help="Number of games in the match with the best trial's options.",
        ),
    ] = 200
    seed: Annotated[int, typer.Option(help="Seed of the study.")] = 0
    opening: Annotated[
        int,
        typer.Option(help="Number of random decisions at the start of each game."),
    ] = 0
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
            help="Spec of an agent: once for all players, or once for each player "
            "(or team); they take turns in the seats."
        ),
    ]
    games: Annotated[int, typer.Option(help="Total number of games.")]
    out: Annotated[
        Path,
        typer.Option(
            help="Folder for the files; resumes if it contains some.",
            parser=path_of,
            metavar="FOLDER",
        ),
    ]
    players: Players = None
    seed: Annotated[int, typer.Option(help="Seed of the recording.")] = 0
    jobs: Jobs = None
    format: Annotated[DatasetFormat, typer.Option(help="Format of the files.")] = (
        DatasetFormat.npz
    )
    explore_moves: Annotated[
        int,
        typer.Option(
            help="Steps at the start of each game in which moves are sampled in "
            "proportion to visits."
        ),
    ] = 0
    games_per_shard: Annotated[
        int, typer.Option(help="Number of games in each file.")
    ] = 32
    json: Json = False


@dataclass(frozen=True, kw_only=True)
class TrainOptions:
    """What `train` trains, how long, and where."""

    game: GameName
    out: Annotated[
        Path,
        typer.Option(
            help="Folder for the network, its checkpoints and its games; resumes if it "
            "already contains a training run.",
            parser=path_of,
            metavar="FOLDER",
        ),
    ]
    config: Annotated[
        str | None,
        typer.Option(help="YAML file with the training settings.", metavar="FILE"),
    ] = None
    minutes: Annotated[
        float | None,
        typer.Option(
            help="Minutes of training, over all runs of the folder. Default: 60, if "
            "no other budget is given."
        ),
    ] = None
    positions: Annotated[
        int | None,
        typer.Option(help="Positions of self-play after which training ends."),
    ] = None
    blocks: Annotated[
        int | None, typer.Option(help="Blocks of self-play after which training ends.")
    ] = None
    start: Annotated[
        Path | None,
        typer.Option(
            help="Network to begin with, as `train` and `imitate` write it "
            "(policy.safetensors). Default: a random one.",
            parser=path_of,
            metavar="FILE",
        ),
    ] = None
    players: Players = None
    seed: Annotated[
        int, typer.Option(min=0, max=MOST_NUMBER, help="Seed of the training.")
    ] = 0
    device: Annotated[
        str, typer.Option(help="Where the network computes: cpu or cuda.")
    ] = "cpu"
    jobs: Jobs = None
    backend: BackendOption = BackendName.local
    address: Address = None
    json: Json = False


@dataclass(frozen=True, kw_only=True)
class ImitateOptions:
    """What `imitate` learns from, and where its network goes."""

    dataset: Annotated[
        Path,
        typer.Argument(
            help="Folder of a dataset that `record` wrote.",
            parser=path_of,
            metavar="DATASET",
        ),
    ]
    out: Annotated[
        Path,
        typer.Option(
            help="Folder for the network and its checkpoints; resumes if it already "
            "contains a training run.",
            parser=path_of,
            metavar="FOLDER",
        ),
    ]
    config: Annotated[
        str | None,
        typer.Option(help="YAML file with the training settings.", metavar="FILE"),
    ] = None
    seed: Annotated[
        int, typer.Option(min=0, max=MOST_NUMBER, help="Seed of the training.")
    ] = 0
    device: Annotated[
        str, typer.Option(help="Where the network computes: cpu or cuda.")
    ] = "cpu"
    json: Json = False
