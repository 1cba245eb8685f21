"""The commands around tournaments and their options; see `app`."""

from pathlib import Path
from typing import Annotated

import typer

from mcts_agents.cli.command_options import (
    TournamentOptions,
    TuneOptions,
    takes_options,
)
from mcts_agents.cli.parameters import (
    MOST_GAMES,
    MOST_SHOWN,
    SHOWN_ACTIONS,
    Json,
    StoreFile,
    path_of,
)
from mcts_agents.cli.requests import RequestError
from mcts_agents.extras import from_extra

# Between two looks at a tournament: a day.
MOST_SECONDS = 86_400

arena = typer.Typer()


@arena.command()
@takes_options
def tournament(options: TournamentOptions) -> None:
    """Play or resume a tournament; every game is stored when it ends.

    Describe the tournament in a FILE or with options. Run the same command again to
    resume after an interruption. With --json, the results are printed as by
    `results --json`.
    """
    from mcts_agents.cli.tournament import play_tournament

    if play_tournament(options):
        raise typer.Exit(1)


@arena.command()
def results(store: StoreFile, json: Json = False) -> None:
    """Show the results of a tournament, finished or not.

    The JSON has games, distinct_games, total, complete, agents, settings and failures;
    agents is a list of {"agent", "games", "wins", "win_rate", "low", "high", "rating"}
    and more, in which games counts the seats that an agent played; settings has the
    same fields for each game, number of players and budget.
    """
    from mcts_agents.cli.results import show_results

    show_results(store, json)


@arena.command()
def watch(
    store: StoreFile,
    seconds: Annotated[
        float,
        typer.Option(min=0.1, max=MOST_SECONDS, help="Seconds between updates."),
    ] = 2.0,
) -> None:
    """Show the progress of a tournament in another process, until it ends."""
    from mcts_agents.cli.results import watch_results

    watch_results(store, seconds)


@arena.command()
def report(
    store: StoreFile,
    output: Annotated[
        Path,
        typer.Option(help="HTML file to write.", parser=path_of, metavar="FILE"),
    ],
    pictures: Annotated[
        Path | None,
        typer.Option(
            help="Also write the pictures to this folder, as SVG files.",
            parser=path_of,
            metavar="FOLDER",
        ),
    ] = None,
    games: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=MOST_GAMES,
            help="Games to list for each pair of agents in each game. Default: 20.",
        ),
    ] = None,
    replays: Annotated[
        Path | None,
        typer.Option(
            help="Also write an HTML replay of each listed game to this folder.",
            parser=path_of,
            metavar="FOLDER",
        ),
    ] = None,
    search: Annotated[
        bool,
        typer.Option(
            "--search/--no-search",
            help="Let the agents search again for the replays.",
        ),
    ] = True,
) -> None:
    """Write one HTML page with the results, the charts, and games of each pair.

    Each listed game has the command that replays it. With --replays, it also has a link
    to a page that replays it. That takes about as long as playing the listed games
    took, or a moment with --no-search. As with `replay`, the exit code is 1 if an agent
    without a time budget chooses another action than the stored one.
    """
    from mcts_agents.cli.report import write_page

    if replays is None and not search:
        raise RequestError("--no-search needs --replays")
    if not write_page(store, output, pictures, games, replays, search):
        raise typer.Exit(1)


@arena.command()
def export(
    store: StoreFile,
    output: Annotated[
        Path,
        typer.Option(
            help="File to write: .csv or .parquet.", parser=path_of, metavar="FILE"
        ),
    ],
) -> None:
    """Write a row for each seat of each game, for other programs to read."""
    from mcts_agents.cli.outputs import write_rows

    write_rows(store, output)


@arena.command()
def replay(
    store: StoreFile,
    number: Annotated[
        int,
        typer.Argument(help="Number of the game in the store, from 1."),
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            help="File to write: FILE.gif or FILE.html.",
            parser=path_of,
            metavar="FILE",
        ),
    ] = None,
    search: Annotated[
        bool,
        typer.Option(
            "--search/--no-search",
            help="Let the agents search again, and show their searches.",
        ),
    ] = True,
    actions: Annotated[
        int,
        typer.Option(min=1, max=MOST_SHOWN, help="Actions to show for each search."),
    ] = SHOWN_ACTIONS,
    json: Json = False,
) -> None:
    """Show a stored game move by move, with the result of each search.

    The JSON has number, game, players, budget, round, seed, version, replayed_by,
    seats, moments and difference; a moment has number, moves and position (as text); a
    move has decision, player, agent, action, name, now and search. An agent without a
    time budget must choose the stored action again; otherwise difference says so, and
    the exit code is 1.
    """
    from mcts_agents.cli.replay import replay_game

    if not replay_game(store, number, output, search, actions, json):
        raise typer.Exit(1)


@arena.command()
@takes_options
def tune(options: TuneOptions) -> None:
    """Search for an agent's best options and check them in a match of new games.

    Run the same command again to resume after an interruption. The JSON has game,
    players, budget, trials, refused, best (number, options, spec, games, win_rate, low,
    high) and confirmation (games, wins, win_rate, low, high, even).
    """
    with from_extra("tune", "tuning needs Optuna"):
        from mcts_agents.cli.tune import tune_agent

    tune_agent(options)
