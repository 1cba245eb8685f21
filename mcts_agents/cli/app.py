"""The commands and their options; what they do stands in the other files here.

Those are imported when their command runs, so that `--help` comes at once.
"""

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from mcts_agents.cli.arena_app import arena
from mcts_agents.cli.learn_app import learn
from mcts_agents.cli.parameters import GameName, Json, Players
from mcts_agents.cli.requests import INTERRUPTED, RequestError

# Typer's own complaints about options and arguments; it exports no name for them.
UsageError = typer.BadParameter.__base__

app = typer.Typer(
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="Planning agents and the games that they play.",
)


class Render(StrEnum):
    """How `play` shows the game while it goes on."""

    ansi = "ansi"
    none = "none"


class TreeFormat(StrEnum):
    """What `tree` prints."""

    text = "text"
    dot = "dot"
    json = "json"


def show_version(wanted: bool) -> None:
    """Print the version and end."""
    if wanted:
        from mcts_agents import __version__

        typer.echo(f"mcts-agents {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=show_version, is_eager=True, help="Show it."
        ),
    ] = False,
) -> None:
    """Planning agents and the games that they play."""


@app.command("list")
def list_command(json: Json = False) -> None:
    """List the games, the agents with their options, and the presets."""
    from mcts_agents.cli.listing import list_all

    list_all(json)


@app.command()
def play(
    game: GameName,
    players: Players = None,
    agent: Annotated[
        list[str] | None,
        typer.Option(
            help="Spec of an agent: once for all seats, or once a seat (or a team)."
        ),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, help="Seed of the game and of its agents.")
    ] = None,
    render: Annotated[
        Render | None, typer.Option(help="Show each position; ansi unless --json.")
    ] = None,
    json: Json = False,
) -> None:
    """Play one game, with agents or with you (`--agent human`).

    The JSON has game, players, seed, agents, moves and returns; moves is a list of
    {"player", "action", "name"} in the order of the decisions (players ascending where
    several decide at once).
    """
    from mcts_agents.cli.play import play_game

    shown = (not json) if render is None else render is Render.ansi
    play_game(game, players, agent or ["mcts"], seed, shown, json)


@app.command()
def bench(
    game: GameName,
    simulations: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Simulations of one decision; the agent's, or 10000, if left out.",
        ),
    ] = None,
    players: Players = None,
    agent: Annotated[str, typer.Option(help="Spec of an mcts agent.")] = "mcts",
    json: Json = False,
) -> None:
    """Measure simulations, playouts and forward-model steps per second."""
    from mcts_agents.cli.bench import bench_game

    bench_game(game, simulations, players, agent, json)


@app.command()
def tree(
    game: GameName,
    agent: Annotated[
        str, typer.Option(help="Spec of an mcts or one-step agent.")
    ] = "mcts",
    players: Players = None,
    seed: Annotated[
        int, typer.Option(min=0, help="Seed of the game and of the agent.")
    ] = 0,
    moves: Annotated[
        str,
        typer.Option(help="Moves before, as people write them: by commas, or spaces."),
    ] = "",
    depth: Annotated[
        int, typer.Option(min=1, help="Levels of decisions, the first one included.")
    ] = 2,
    actions: Annotated[
        int, typer.Option(min=1, help="Actions of a decision shown as text.")
    ] = 5,
    format: Annotated[TreeFormat, typer.Option(help="What is printed.")] = (
        TreeFormat.text
    ),
    output: Annotated[
        Path | None, typer.Option(help="File to write instead of printing.")
    ] = None,
) -> None:
    """Search one position and print the search tree, most visited actions first.

    The JSON has game, players, seed, agent, moves, player, action, name and tree; tree
    is what SearchResult.tree returns, with the name of each action.
    """
    from mcts_agents.cli.tree import show_tree

    show_tree(game, agent, players, seed, moves, depth, actions, format.value, output)


@app.command()
def verify(
    game: Annotated[str, typer.Argument(help="Name of a game.")],
    files: Annotated[
        list[Path],
        typer.Argument(
            help="Recorded games: JSON lines, also gzipped, or a game's own archives."
        ),
    ],
    json: Json = False,
) -> None:
    """Replay recorded games of a reference implementation and count mismatches."""
    from mcts_agents.cli.verify import verify_files

    mismatches = verify_files(game, files, json)
    if mismatches:
        raise typer.Exit(1)


app.add_typer(arena)
app.add_typer(learn)


def main() -> None:
    """Run the command line; wrong requests get one line on standard error."""
    sys.exit(_run(sys.argv[1:] or ["--help"]))


def _run(arguments: list[str]) -> int:
    """Return the exit code: 0, 1 for mismatches, 2 for wrong requests, or 130."""
    try:
        code = app(arguments, prog_name="mcts-agents", standalone_mode=False) or 0
    except (KeyboardInterrupt, typer.Abort):
        code = INTERRUPTED
    except (RequestError, NotImplementedError) as error:
        return _refuse(str(error))
    except UsageError as error:
        return _refuse(error.format_message())
    if code == INTERRUPTED:
        typer.echo("mcts-agents: interrupted", err=True)
    return code


def _refuse(reason: str) -> int:
    typer.echo(f"mcts-agents: {' '.join(reason.split())}", err=True)
    return 2
