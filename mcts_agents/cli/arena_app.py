"""The commands around tournaments and their options; see `app`."""

from pathlib import Path
from typing import Annotated

import typer

from mcts_agents.cli.parameters import (
    MOST_GAMES,
    MOST_SHOWN,
    Address,
    BackendName,
    BackendOption,
    Jobs,
    Json,
    Players,
    StoreFile,
    path_of,
)

# Between two looks at a tournament: a day.
MOST_SECONDS = 86_400

arena = typer.Typer()


@arena.command()
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
        Path,
        typer.Option(
            help="SQLite file for the results; goes on if it exists.",
            parser=path_of,
            metavar="FILE",
        ),
    ] = ...,
    jobs: Jobs = None,
    backend: BackendOption = BackendName.local,
    address: Address = None,
    report: Annotated[
        Path | None,
        typer.Option(
            help="HTML file for a report at the end.", parser=path_of, metavar="FILE"
        ),
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


@arena.command()
def results(store: StoreFile, json: Json = False) -> None:
    """Show how the agents of a tournament fared, finished or not.

    The JSON has games, distinct_games, total, complete, agents, settings and failures;
    agents is a list of {"agent", "games", "wins", "win_rate", "low", "high", "rating"}
    and more, in which games counts the seats that an agent played; settings has the
    same for each game, number of players and budget.
    """
    from mcts_agents.cli.results import show_results

    show_results(store, json)


@arena.command()
def watch(
    store: StoreFile,
    seconds: Annotated[
        float,
        typer.Option(min=0.1, max=MOST_SECONDS, help="Time between two looks."),
    ] = 2.0,
) -> None:
    """Show how a tournament goes on in another process, until all is played."""
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
            help="Folder for the pictures as SVG files, too.",
            parser=path_of,
            metavar="FOLDER",
        ),
    ] = None,
) -> None:
    """Write one HTML page with the results, pictures and all that was played."""
    from mcts_agents.cli.outputs import write_page

    write_page(store, output, pictures)


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
        typer.Argument(help="Number of the game in it, from 1."),
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
            "--search/--no-search", help="Let the agents search again, and show it."
        ),
    ] = True,
    actions: Annotated[
        int,
        typer.Option(min=1, max=MOST_SHOWN, help="Actions shown of each search."),
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


@arena.command()
def tune(
    game: Annotated[str, typer.Option(help="Name of a game.")],
    store: Annotated[
        Path,
        typer.Option(
            help="SQLite file for the study; goes on if it exists.",
            parser=path_of,
            metavar="FILE",
        ),
    ],
    players: Players = None,
    agent: Annotated[
        str, typer.Option(help="Spec of the agent whose options are tuned.")
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
            "be repeated. If left out, what the agent's kind says: of mcts tree, "
            "rollout and exploration."
        ),
    ] = None,
    trials: Annotated[
        int, typer.Option(min=1, max=MOST_GAMES, help="Trials in all.")
    ] = 50,
    games: Annotated[int, typer.Option(help="Games of a trial.")] = 50,
    confirm: Annotated[
        int,
        typer.Option(
            min=1, max=MOST_GAMES, help="Games of the match of the best trial."
        ),
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
