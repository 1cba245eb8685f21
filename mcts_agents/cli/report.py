"""`mcts-agents report`: the page of a tournament, its pictures, and its replays."""

import os
from pathlib import Path
from urllib.parse import quote

from mcts_agents.arena.analysis.tournament_results import read_results
from mcts_agents.arena.playing.fixtures import GameRecord
from mcts_agents.arena.replay.replaying import Replay
from mcts_agents.arena.reports.pairs import LISTED, listed_games
from mcts_agents.arena.reports.report import write_pictures, write_report
from mcts_agents.cli.outputs import tell_written, written
from mcts_agents.cli.parameters import SHOWN_ACTIONS
from mcts_agents.cli.progress import game_progress
from mcts_agents.cli.requests import RequestError, requested, told_of
from mcts_agents.cli.terminal import PlainConsole
from mcts_agents.envs.painting import load_pygame


def write_page(
    store: Path,
    output: Path,
    pictures: Path | None = None,
    listed: int | None = None,
    replays: Path | None = None,
    search: bool = True,
) -> bool:
    """Write the report, and what else is asked for.

    Args:
        store: The tournament.
        output: The page.
        pictures: Folder for the pictures as files of their own; None: none.
        listed: Most games of a pair to list for each game; None: the default.
        replays: Folder for replays of the listed games, to which the page links; None:
            none.
        search: Whether agents search again for the replays.

    Returns:
        Whether every agent chose again what is stored, those with a budget of time
        aside.
    """
    with requested():
        results = read_results(store)
    for folder, content in ((pictures, "pictures"), (replays, "replays")):
        if folder is not None and folder.is_file():
            raise RequestError(f"{folder}: this is a file; name a folder")
        if folder is not None and not results.games:
            raise RequestError(f"{store}: no game is stored, so there are no {content}")
    listed = LISTED if listed is None else listed
    pages: dict[int, Path] = {}
    differences: list[str] = []
    with written(store, output):
        if replays is not None:
            games = {
                game.number: game
                for of_pair in listed_games(results, listed).values()
                for listing in of_pair.values()
                for game in listing.games
            }
            pages = {number: replays / f"game-{number}.html" for number in games}
            differences = _write_replays(store, games, pages, search)
        links = {number: _link(page, output.parent) for number, page in pages.items()}
        write_report(results, output, listed, links)
    tell_written(output, f"{results.summary.games:,} games")
    if pictures is not None:
        with told_of(pictures):
            drawn = write_pictures(results, pictures)
        print(f"{pictures}: {len(drawn)} pictures")
    if replays is not None:
        print(f"{replays}: {len(pages)} replays")
    for difference in differences:
        PlainConsole(stderr=True).print(f"mcts-agents: {difference}", soft_wrap=True)
    return not differences


def _link(page: Path, folder: Path) -> str:
    """Return a link to a page for another one in a folder."""
    try:
        return quote(Path(os.path.relpath(page, folder)).as_posix())
    except ValueError:  # of Windows, where it is on another drive
        return page.absolute().as_uri()


def _write_replays(
    store: Path, games: dict[int, GameRecord], pages: dict[int, Path], search: bool
) -> list[str]:
    """Write a page for each game; return which agents chose otherwise, and where."""
    load_pygame()
    from mcts_agents.arena.replay import html

    differences = []
    progress = game_progress(PlainConsole(stderr=True))
    task = progress.add_task("replays", total=len(games))
    for folder in {page.parent for page in pages.values()}:
        with told_of(folder):
            folder.mkdir(exist_ok=True)
    with progress:
        for number, record in sorted(games.items()):
            with requested(store), written(store, pages[number]):
                replay = Replay(record, search)
                html.write(replay, replay.moments(), SHOWN_ACTIONS, pages[number])
            if replay.differences:
                differences.append(f"game {number}: {replay.difference_text()}")
            progress.advance(task)
    return differences
