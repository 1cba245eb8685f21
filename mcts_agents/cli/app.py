"""The commands and their options; what they do stands in the other files here.

Those are imported when their command runs, so that `--help` comes at once.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="Planning agents and the games that they play.",
)

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
GameName = Annotated[
    str, typer.Argument(help="Name of a game, or name:option=value,option=value.")
]
Players = Annotated[
    int | None, typer.Option(help="Number of players; the game's default if left out.")
]


class Render(StrEnum):
    """How `play` shows the game while it goes on."""

    ansi = "ansi"
    none = "none"


@contextmanager
def clear_errors() -> Iterator[None]:
    """Turn wrong requests into one line and exit code 2, Ctrl-C into 130."""
    from mcts_agents.cli.requests import RequestError

    try:
        yield
    except RequestError as error:
        typer.echo(f"mcts-agents: {error}", err=True)
        raise typer.Exit(2) from None
    except KeyboardInterrupt:
        typer.echo("mcts-agents: interrupted", err=True)
        raise typer.Exit(130) from None


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
    """List the games and the agents with their options."""
    from mcts_agents.cli.listing import list_all

    with clear_errors():
        list_all(json)


@app.command()
def play(
    game: GameName,
    players: Players = None,
    agent: Annotated[
        list[str] | None,
        typer.Option(help="Spec of an agent: once for all seats, or once a seat."),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, help="Seed of the game and of its agents.")
    ] = None,
    render: Annotated[
        Render | None, typer.Option(help="Show each position; ansi unless --json.")
    ] = None,
    json: Json = False,
) -> None:
    """Play one game, with agents or with you (`--agent human`)."""
    from mcts_agents.cli.play import play_game

    with clear_errors():
        shown = (not json) if render is None else render is Render.ansi
        play_game(game, players, agent or ["mcts"], seed, shown, json)


@app.command()
def bench(
    game: GameName,
    simulations: Annotated[
        int, typer.Option(min=1, help="Simulations of one decision.")
    ] = 10_000,
    players: Players = None,
    agent: Annotated[str, typer.Option(help="Spec of an mcts agent.")] = "mcts",
    json: Json = False,
) -> None:
    """Measure simulations, playouts and forward-model steps per second."""
    from mcts_agents.cli.bench import bench_game

    with clear_errors():
        bench_game(game, simulations, players, agent, json)


@app.command()
def verify(
    game: Annotated[str, typer.Argument(help="Name of a game.")],
    files: Annotated[
        list[Path], typer.Argument(help="Recorded games: JSON lines, also gzipped.")
    ],
    json: Json = False,
) -> None:
    """Replay recorded games of a reference implementation and count mismatches."""
    from mcts_agents.cli.verify import verify_files

    with clear_errors():
        mismatches = verify_files(game, files, json)
    if mismatches:
        raise typer.Exit(1)


def main() -> None:
    """Run the command line."""
    app(prog_name="mcts-agents")
