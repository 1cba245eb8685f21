"""The league: every agent of this package in every game of it.

    pip install --editable ".[arena]"    # in the checkout
    python experiments/league/run.py
    python experiments/league/run.py --games hex sushi_go
    python experiments/league/run.py --trained connect_four=out/c4

In each game all presets, minimax agents and permutation searches that can play it meet
in a round robin, with equal simulations and then with equal time (only where a game
takes less than ten seconds). `--trained` adds a network of `mcts-agents train`, alone
and as it guides a search. Interrupt the command and run it again to resume. The
tournaments are in `--output`, a store each; `mcts-agents results`, `report` and
`replay` read them. At the end the ratings are written there as a page, `results.md`,
with a heat map for each half; `--publish` writes them beside this file, too.
"""

import argparse
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from league import BUDGETS, LEAST_GAMES, TIME, LineUp, line_up, seconds
from page import Page
from rich.console import Console

from mcts_agents.arena.analysis.tournament_results import Results, read_results
from mcts_agents.arena.playing.backends import LocalBackend, Outcome
from mcts_agents.arena.playing.fixtures import Failure
from mcts_agents.arena.tournaments.store import StoreError
from mcts_agents.arena.tournaments.tournament import (
    open_store,
    prepare,
    run_tournament,
)
from mcts_agents.arena.tournaments.tournament_spec import TournamentSpec
from mcts_agents.cli.progress import game_progress
from mcts_agents.envs.registry import GAMES
from mcts_agents.names import unknown_name

# A game with more is not played with a budget of time.
LONGEST = 10.0
INTERRUPTED = 130

console = Console(stderr=True, highlight=False)


def play(spec: TournamentSpec, title: str, path: Path, workers: LocalBackend) -> None:
    """Play what is left of a tournament of the league."""
    schedule = prepare(spec)
    with open_store(path, schedule) as store, game_progress(console) as progress:
        done = len(store.played())
        task = progress.add_task(title, total=len(schedule), completed=done)

        def told(outcome: Outcome) -> None:
            if isinstance(outcome, Failure):
                console.print(f"failed: {outcome.fixture}: {outcome.error}")
            progress.advance(task)

        run_tournament(schedule, store, workers, told)


def takes_long(results: Results) -> bool:
    """Return whether a game would last too long if every decision took its time."""
    decisions = sum(agent.decisions.count for agent in results.summary.overall.agents)
    return decisions / len(results.games) * seconds(TIME) >= LONGEST


def store_of(folder: Path, game: str, budget: str) -> Path:
    """Return the store of a tournament."""
    return folder / f"{game}-{budget.replace(' ', '-')}.sqlite"


def tournaments(
    folder: Path, lines: list[LineUp], budgets: list[str]
) -> Iterator[tuple[LineUp, str, Path]]:
    """Yield all tournaments with their stores, those with simulations first."""
    for budget in budgets:
        for line in lines:
            if budget == TIME:
                first = store_of(folder, line.game, BUDGETS[0])
                if first.exists() and takes_long(read_results(first)):
                    console.print(f"{line.game}: too long for {TIME} a decision")
                    continue
            yield line, budget, store_of(folder, line.game, budget)


def folders(given: list[str], parser: argparse.ArgumentParser) -> dict[str, Path]:
    """Return the folders of trained networks by their game."""
    found = {}
    for text in given:
        game, _, folder = text.partition("=")
        if game not in GAMES:
            parser.error(f"--trained {text}: {unknown_name('game', game, GAMES)}")
        for name in ("policy.onnx", "summary.json"):
            if not (Path(folder) / name).is_file():
                parser.error(f"--trained {text}: {folder}/{name} is missing")
        found[game] = Path(folder)
    return found


def main() -> None:
    """Play the league, and write its page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", nargs="+", default=list(GAMES), metavar="GAME")
    parser.add_argument("--budgets", nargs="+", choices=BUDGETS, default=BUDGETS)
    parser.add_argument("--trained", nargs="+", default=[], metavar="GAME=FOLDER")
    parser.add_argument(
        "--least", type=int, default=LEAST_GAMES, help="games of every agent, at least"
    )
    parser.add_argument("--output", type=Path, default=Path("out/league"))
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--publish", action="store_true")
    given = parser.parse_args()
    for game in given.games:
        if game not in GAMES:
            parser.error(f"--games: {unknown_name('game', game, GAMES)}")
    for name in ("jobs", "least"):
        if vars(given)[name] < 1:
            parser.error(f"--{name} {vars(given)[name]}: expected at least 1")
    trained = folders(given.trained, parser)
    try:
        given.output.mkdir(parents=True, exist_ok=True)
        lines = []
        for game in given.games:
            console.print(f"{game}: who can play it")
            lines.append(line_up(game, trained.get(game)))
        with LocalBackend(given.jobs) as workers:
            for line, budget, path in tournaments(given.output, lines, given.budgets):
                spec = line.tournament(budget, given.least)
                play(spec, f"{line.game}, {budget}", path, workers)
        stores = [
            (line, budget, store_of(given.output, line.game, budget))
            for budget in BUDGETS
            for line in lines
        ]
        page = Page(lines, stores)
        page.write(given.output)
        if given.publish:
            page.write(Path(__file__).parent)
    except KeyboardInterrupt:
        console.print("interrupted; run the same command to resume")
        sys.exit(INTERRUPTED)
    except (StoreError, OSError) as error:
        parser.exit(1, f"{parser.prog}: error: {error}\n")


if __name__ == "__main__":
    main()
