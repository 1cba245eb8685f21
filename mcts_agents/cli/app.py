"""The commands and their options; what they do stands in the other files here.

Those are imported when their command runs, so that `--help` comes at once.
"""

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from mcts_agents.cli.requests import RequestError

INTERRUPTED = 130

# Typer's own complaints about options and arguments; it exports no name for them.
UsageError = typer.BadParameter.__base__

app = typer.Typer(
    add_completion=False,
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
StoreFile = Annotated[Path, typer.Argument(help="The file of a tournament.")]
Jobs = Annotated[
    int | None,
    typer.Option(help="Games at a time; as many as there are cores if left out."),
]
Address = Annotated[
    str | None,
    typer.Option(help="Address of a Ray cluster; one of this machine if left out."),
]


class Render(StrEnum):
    """How `play` shows the game while it goes on."""

    ansi = "ansi"
    none = "none"


class BackendName(StrEnum):
    """Where `tournament` and `tune` play."""

    local = "local"
    ray = "ray"


BackendOption = Annotated[
    BackendName, typer.Option("--backend", help="Where the games are played.")
]


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
def replay(
    store: Annotated[Path, typer.Argument(help="File with a tournament's results.")],
    number: Annotated[int, typer.Argument(help="Number of the game in it, from 1.")],
    output: Annotated[
        Path | None, typer.Option(help="File to write: FILE.gif or FILE.html.")
    ] = None,
    search: Annotated[
        bool,
        typer.Option(
            "--search/--no-search", help="Let the agents search again, and show it."
        ),
    ] = True,
    actions: Annotated[
        int, typer.Option(min=1, help="Actions shown of each search.")
    ] = 5,
    json: Json = False,
) -> None:
    """Show a stored game again, move by move, with what each search found.

    The JSON has number, game, players, budget, round, seed, version, replayed_by,
    seats, moments and difference; a moment has number, moves and position (as text); a
    move has decision, player, agent, action, name, now and search. An agent whose
    budget is not one of time must choose the stored action again; else difference says
    so, and the exit code is 1.
    """
    from mcts_agents.cli.replay import replay_game

    if not replay_game(store, number, output, search, actions, json):
        raise typer.Exit(1)


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

    mismatches = verify_files(game, files, json)
    if mismatches:
        raise typer.Exit(1)


@app.command()
def tournament(
    file: Annotated[
        str | None,
        typer.Argument(help="YAML file that describes the tournament.", metavar="FILE"),
    ] = None,
    game: Annotated[
        list[str] | None, typer.Option(help="Name of a game; may be repeated.")
    ] = None,
    players: Annotated[
        list[int] | None,
        typer.Option(
            help="Number of players; may be repeated. The game's default if left out."
        ),
    ] = None,
    agent: Annotated[
        list[str] | None,
        typer.Option(help="Spec of an agent, or NAME=SPEC; repeat for each agent."),
    ] = None,
    field: Annotated[
        str | None,
        typer.Option(help="Agent in all other seats, for --design one-against-field."),
    ] = None,
    budget: Annotated[
        list[str] | None,
        typer.Option(
            help="Budget of each decision: 40ms, 1s, or 1000 simulations; may be "
            "repeated. The agents' own if left out."
        ),
    ] = None,
    design: Annotated[
        str | None,
        typer.Option(help="round-robin (default), one-against-field or all-seats."),
    ] = None,
    games: Annotated[
        int | None,
        typer.Option(
            help="Games of each game, number of players and budget; 100 if left out."
        ),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="Seed of all; 0 if left out.")
    ] = None,
    store: Annotated[
        str, typer.Option(help="SQLite file for the results; goes on if it exists.")
    ] = ...,
    jobs: Jobs = None,
    backend: BackendOption = BackendName.local,
    address: Address = None,
    report: Annotated[
        str | None, typer.Option(help="HTML file for a report at the end.")
    ] = None,
    json: Json = False,
) -> None:
    """Play a tournament, or go on with one; every game is stored as it ends.

    Described by a FILE or by options. The same command goes on where it was
    interrupted, and plays nothing when all is played. With --json the results are
    printed as `results --json` prints them.
    """
    from mcts_agents.cli.tournament import Request, play_tournament

    request = Request(
        file=file,
        game=game or [],
        players=players or [],
        agent=agent or [],
        field=field,
        budget=budget or [],
        design=design,
        games=games,
        seed=seed,
    )
    failed = play_tournament(
        request, store, (backend.value, jobs, address), report, json
    )
    if failed:
        raise typer.Exit(1)


@app.command()
def tune(
    game: Annotated[str, typer.Option(help="Name of a game.")],
    store: Annotated[
        str, typer.Option(help="SQLite file for the study; goes on if it exists.")
    ],
    players: Players = None,
    agent: Annotated[
        str, typer.Option(help="Spec of the mcts agent whose options are tuned.")
    ] = "mcts",
    against: Annotated[
        str | None,
        typer.Option(help="Agent in all other seats; the agent itself if left out."),
    ] = None,
    budget: Annotated[
        str,
        typer.Option(help="Budget of each decision: 40ms, 1s, or 1000 simulations."),
    ] = "",
    parameter: Annotated[
        list[str] | None,
        typer.Option(
            help="What is tried: exploration=log:0.1..10, rollout=0|10|30, tree; may "
            "be repeated. Tree, rollout and exploration if left out."
        ),
    ] = None,
    trials: Annotated[int, typer.Option(min=1, help="Trials in all.")] = 50,
    games: Annotated[int, typer.Option(help="Games of a trial.")] = 50,
    confirm: Annotated[
        int, typer.Option(min=1, help="Games of the match of the best trial.")
    ] = 200,
    seed: Annotated[int, typer.Option(help="Seed of all.")] = 0,
    jobs: Jobs = None,
    backend: BackendOption = BackendName.local,
    address: Address = None,
    json: Json = False,
) -> None:
    """Search for an agent's best options, and check them in a match on fresh deals.

    The same command goes on where it was interrupted. The JSON has game, players,
    budget, trials, refused, best (number, options, spec, games, win_rate, low, high)
    and confirmation (games, wins, win_rate, low, high, even).
    """
    from mcts_agents.cli.tune import tune_agent

    keys = {
        "game": game,
        "players": players,
        "agent": agent,
        "against": against,
        "budget": budget,
        "games_each": games,
        "seed": seed,
    }
    if parameter:
        keys["parameters"] = parameter
    tune_agent(keys, store, trials, confirm, (backend.value, jobs, address), json)


@app.command()
def results(store: StoreFile, json: Json = False) -> None:
    """Show how the agents of a tournament fared, finished or not.

    The JSON has games, distinct_games, total, complete, agents, settings and failures;
    agents is a list of {"agent", "games", "wins", "win_rate", "low", "high", "rating"}
    and more, in which games counts the seats that an agent played; settings has the
    same for each game, number of players and budget.
    """
    from mcts_agents.cli.results import show_results

    show_results(store, json)


@app.command()
def report(
    store: StoreFile,
    output: Annotated[Path, typer.Option(help="HTML file to write.")],
) -> None:
    """Write one HTML page with the results, pictures and all that was played."""
    from mcts_agents.cli.outputs import write_page

    write_page(store, output)


@app.command()
def export(
    store: StoreFile,
    output: Annotated[Path, typer.Option(help="File to write: .csv or .parquet.")],
) -> None:
    """Write a row for each seat of each game, for other programs to read."""
    from mcts_agents.cli.outputs import write_rows

    write_rows(store, output)


def main() -> None:
    """Run the command line; wrong requests get one line on standard error."""
    sys.exit(_run(sys.argv[1:] or ["--help"]))


def _run(arguments: list[str]) -> int:
    """Return the exit code: 0, 1 for mismatches, 2 for wrong requests, or 130."""
    try:
        code = app(arguments, prog_name="mcts-agents", standalone_mode=False) or 0
    except (KeyboardInterrupt, typer.Abort):
        code = INTERRUPTED
    except RequestError as error:
        return _refuse(str(error))
    except UsageError as error:
        return _refuse(error.format_message())
    if code == INTERRUPTED:
        typer.echo("mcts-agents: interrupted", err=True)
    return code


def _refuse(reason: str) -> int:
    typer.echo(f"mcts-agents: {' '.join(reason.split())}", err=True)
    return 2
