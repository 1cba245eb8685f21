"""The commands and their options; the other files here implement them.

These files are imported when their command runs, so `--help` responds at once.
"""

import os
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
import typer.core

from mcts_agents.agents.agent import AgentError
from mcts_agents.agents.human import PersonLeft
from mcts_agents.cli.arena_app import arena
from mcts_agents.cli.command_options import TreeOptions, takes_options
from mcts_agents.cli.learn_app import learn
from mcts_agents.cli.parameters import MOST_NUMBER, GameName, Json, Players, path_of
from mcts_agents.cli.requests import RequestError, requested
from mcts_agents.cli.streams import (
    INTERRUPTED,
    READER_GONE,
    OutputError,
    ReaderGone,
    give_up_output,
    tell,
)
from mcts_agents.extras import MissingExtraError
from mcts_agents.importing import allow_in_files
from mcts_agents.model import GameError, RulesError
from mcts_agents.names import quoted, shortened

# Typer's own complaints about options and arguments; it exports no name for them.
UsageError = typer.BadParameter.__base__

# Characters of what is said about a wrong request.
MOST_TOLD = 2000


class WholeHelp(typer.core.TyperGroup):
    """A group of commands whose list shows whole sentences, in lines that fit."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands with the first sentence that describes each."""
        rows = []
        for name in self.list_commands(ctx):
            command = self.get_command(ctx, name)
            if command is not None and not command.hidden:
                paragraph = (command.help or "").partition("\n\n")[0]
                rows.append((name, " ".join(paragraph.split())))
        with formatter.section("Commands"):
            formatter.write_dl(rows)


app = typer.Typer(
    cls=WholeHelp,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="Planning agents and the games that they play.",
)


class Render(StrEnum):
    """How `play` shows the game while it goes on."""

    ansi = "ansi"
    none = "none"
    last = "last"


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
            "--version", callback=show_version, is_eager=True, help="Show the version."
        ),
    ] = False,
    modules: Annotated[
        list[str] | None,
        typer.Option(
            "--import",
            metavar="MODULE",
            help="Allow importing this module when a file (of a tournament, a store, "
            "an agent) names a game or an agent in it; can be repeated.",
        ),
    ] = None,
) -> None:
    """Planning agents and the games that they play."""
    if modules:
        with requested():
            allow_in_files(*modules, place="--import")


@app.command("list")
def list_command(
    games: Annotated[
        list[str] | None,
        typer.Argument(
            help="Games to list; module:object for your own. Default: all.",
            metavar="GAMES",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """List the games, the agents with their options, and the presets."""
    from mcts_agents.cli.listing import list_all

    list_all(games or [], json)


@app.command()
def play(
    game: GameName,
    players: Players = None,
    agent: Annotated[
        list[str] | None,
        typer.Option(
            help="Spec of an agent: once for all seats, or once per seat (or team)."
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            min=0, max=MOST_NUMBER, help="Seed of the game and of its agents."
        ),
    ] = None,
    render: Annotated[
        Render | None,
        typer.Option(
            help="Which positions to show: all of them (ansi), only the final one "
            "(last), or none. Default: ansi, or none with --json."
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Play one game between agents, or play yourself (`--agent human`).

    The JSON has game, players, seed, agents, moves and returns; moves is a list of
    {"player", "action", "name"} in the order of the decisions (simultaneous decisions
    are ordered by player).
    """
    from mcts_agents.cli.play import play_game

    shown = (not json) if render is None else render is Render.ansi
    last = render is Render.last and not json
    play_game(game, players, agent or ["mcts"], seed, shown, json, last)


@app.command()
def bench(
    game: GameName,
    simulations: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Simulations per decision. Default: the agent's own, or else 10000.",
        ),
    ] = None,
    players: Players = None,
    agent: Annotated[
        str, typer.Option(help="Spec of an agent that searches.")
    ] = "mcts",
    json: Json = False,
) -> None:
    """Measure simulations, playouts and forward-model steps per second."""
    from mcts_agents.cli.bench import bench_game

    bench_game(game, simulations, players, agent, json)


@app.command()
@takes_options
def tree(options: TreeOptions) -> None:
    """Search one position and print the search tree, most visited actions first.

    The JSON has game, players, seed, agent, moves, player, action, name and tree; tree
    is the return value of SearchResult.tree, with the name of each action.
    """
    from mcts_agents.cli.tree import show_tree

    show_tree(options)


@app.command()
def ui(
    game: Annotated[
        list[str] | None,
        typer.Option(help="module:object for a game of yours; may be repeated."),
    ] = None,
    agent: Annotated[
        list[str] | None,
        typer.Option(help="Spec of an agent of yours; may be repeated."),
    ] = None,
    store: Annotated[
        list[Path] | None,
        typer.Option(
            help="File of a tournament to look into; may be repeated.",
            parser=path_of,
            metavar="STORE",
        ),
    ] = None,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port; 0 for any that is free.")
    ] = 8421,
    opens: Annotated[
        bool, typer.Option("--open", help="Open the page in a browser.")
    ] = False,
) -> None:
    """Play in a browser, and look into the agents' searches.

    The page can import only modules that this command line names: by --game, by
    --agent, or by --import before the command.
    """
    from mcts_agents.cli.ui import serve

    serve(game or [], agent or [], store or [], (host, port), opens)


@app.command()
def verify(
    game: Annotated[
        str, typer.Argument(help="Name of a game, or module:object for your own.")
    ],
    files: Annotated[
        list[Path],
        typer.Argument(
            help="Recorded games: JSON lines, plain or gzipped, or a game's own "
            "archive format.",
            parser=path_of,
            metavar="FILES",
        ),
    ],
    json: Json = False,
) -> None:
    """Replay games recorded from a reference implementation and count mismatches."""
    from mcts_agents.cli.verify import verify_files

    mismatches = verify_files(game, files, json)
    if mismatches:
        raise typer.Exit(1)


@app.command("compile")
def compile_command(
    games: Annotated[
        list[str] | None,
        typer.Argument(
            help="Games, such as hex or hex:size=5. Default: all that can be compiled.",
            metavar="GAMES",
        ),
    ] = None,
    agent: Annotated[
        list[str] | None,
        typer.Option(help="Spec of an agent; can be repeated. Default: mcts."),
    ] = None,
    json: Json = False,
) -> None:
    """Compile the code that agents need for games, ahead of time.

    Useful for container images and clusters. The command prints the folder of the
    machine code (in NUMBA_CACHE_DIR, if set); later processes on the same kind of
    processor use it.
    """
    from mcts_agents.cli.compiling import compile_games

    compile_games(games or [], agent or ["mcts"], json)


app.add_typer(arena)
app.add_typer(learn)


def run(arguments: list[str]) -> int:
    """Run a command and return the exit code; see `mcts_agents.cli`."""
    try:
        _check(arguments)
        code = app(arguments, prog_name="mcts-agents", standalone_mode=False) or 0
        sys.stdout.flush()
    except (KeyboardInterrupt, typer.Abort):
        code = INTERRUPTED
    except PersonLeft as left:
        tell(f"mcts-agents: {left}")
        return INTERRUPTED
    except (
        RequestError,
        RulesError,
        GameError,
        AgentError,
        MissingExtraError,
        NotImplementedError,
    ) as error:
        return _refuse(str(error))
    except UsageError as error:
        return _refuse(error.format_message())
    except MemoryError as error:
        return _refuse(f"there is not enough memory for this: {error}")
    except ReaderGone:
        give_up_output()
        return READER_GONE
    except SystemExit as ended:
        # Of the code of a game or an agent; or Typer's, of a pipe of theirs that broke.
        pipe = ended.__context__
        error = pipe if isinstance(pipe, BrokenPipeError) else ended
        return _refuse(f"ended by {type(error).__name__}: {error}", 1)
    except OutputError as error:
        give_up_output()
        return _refuse(f"standard output: cannot be written: {error.strerror}")
    except OSError as error:
        return _refuse(f"{error.filename or 'a file'}: {error.strerror or error}")
    if code == INTERRUPTED:
        tell("mcts-agents: interrupted")
    return code


def _check(arguments: list[str]) -> None:
    """Refuse what no command could do anything with."""
    for argument in arguments:
        try:
            argument.encode()
        except UnicodeEncodeError as error:
            raise RequestError(
                f"{quoted(argument)}: expected UTF-8, including in file names"
            ) from error
    try:
        os.getcwd()
    except OSError as error:
        raise RequestError(
            f"the working folder cannot be used: {error.strerror}"
        ) from error


def _refuse(reason: str, code: int = 2) -> int:
    tell(f"mcts-agents: {shortened(' '.join(reason.split()), MOST_TOLD)}")
    return code
