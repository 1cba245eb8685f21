"""The league: every agent of this package in every game of it.

    pip install --editable ".[arena,onnx]"    # in the checkout
    python experiments/league/run.py
    python experiments/league/run.py --games hex sushi_go --output out/small --least 20
    python experiments/league/run.py --games connect_four --trained connect_four=out/c4

In each game all presets, minimax agents and permutation searches that can play it meet
in a round robin, with equal simulations and then with equal time (only where a game
would take less than ten seconds). `--trained` plays round robins of their own, in which
a network of `mcts-agents train` takes part, alone and as it guides a search. Interrupt
the command and run it again to resume. The round robins are in `--output`, a store
each; `mcts-agents results`, `report` and `replay` read them. At the end the ratings of
all that is there are written as a page, `results.md`, with a heat map for each half;
`--publish` adds those of finished round robins to those beside this file: a game that
was published before stays, unless as many or more games of it were played now. Round
robins with a trained network have a page of their own, in the folder `trained`.
"""

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import loky
from league import BUDGETS, LEAST_GAMES, NETWORK, TIME, LineUp, line_up, seconds
from page import Page
from rich.console import Console
from round_robins import Played, from_csv, united

from mcts_agents.arena.analysis.game_columns import columns_of
from mcts_agents.arena.analysis.tournament_results import Results, read_results
from mcts_agents.arena.playing.backends import LocalBackend, Outcome
from mcts_agents.arena.playing.fixtures import Failure
from mcts_agents.arena.tournaments.spec_values import SettingError
from mcts_agents.arena.tournaments.store import StoreError
from mcts_agents.arena.tournaments.tournament import (
    open_store,
    prepare,
    run_tournament,
)
from mcts_agents.cli.progress import game_progress
from mcts_agents.envs.registry import GAMES
from mcts_agents.names import unknown_name

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from machines import machines_of, noted  # noqa: E402

# A game that would last longer, in seconds, is not played with a budget of time.
LONGEST = 10.0
INTERRUPTED = 130

console = Console(stderr=True, highlight=False)


def say(text: str) -> None:
    """Print a line, however wide the terminal is."""
    console.print(text, markup=False, soft_wrap=True)


class League:
    """The round robins in a folder.

    Args:
        folder: Of all stores.
        trained: Folders of `mcts-agents train`, by game.

    Attributes:
        broken: Why a round robin could not be played or read, by game and budget.
    """

    def __init__(self, folder: Path, trained: dict[str, Path]):
        self.folder = folder
        self.trained = trained
        self.broken: dict[tuple[str, str], str] = {}
        self._lines: dict[str, LineUp] = {}

    def line(self, game: str) -> LineUp:
        """Return the agents of a game."""
        if game not in self._lines:
            say(f"{game}: who can play it")
            self._lines[game] = line_up(game, self.trained.get(game))
        return self._lines[game]

    def store(self, game: str, budget: str) -> Path:
        """Return the store of a round robin."""
        words = [game, *(["trained"] if game in self.trained else []), budget]
        return self.folder / f"{'-'.join(words).replace(' ', '-')}.sqlite"

    def results(self, game: str, budget: str) -> Results | None:
        """Return what was played; None if nothing was."""
        path = self.store(game, budget)
        results = read_results(path) if path.exists() else None
        return results if results and results.games else None

    def why_not(self, game: str, budget: str) -> str:
        """Return why a game is not played with a budget; empty if it is."""
        if budget != TIME:
            return ""
        results = self.results(game, BUDGETS[0])
        if results is None:
            return f"without games with {BUDGETS[0]} it is unknown how long it lasts"
        decisions = columns_of(results.games, results.agents).decisions.sum()
        lasts = decisions / len(results.games) * seconds(TIME)
        return f"too long for {TIME} a decision" if lasts >= LONGEST else ""

    @contextmanager
    def unless_broken(self, game: str, budget: str) -> Iterator[None]:
        """Note, and say once, why a round robin cannot be: the others go on."""
        try:
            yield
        except (StoreError, SettingError) as error:
            if (game, budget) not in self.broken:
                say(f"{game}, {budget}: {error}")
            self.broken[game, budget] = str(error)

    def play(self, game: str, budget: str, least: int, workers: LocalBackend) -> int:
        """Play what is left of a round robin; return how many games failed.

        Raises:
            StoreError: Its store cannot be used.
            SettingError: The game cannot serve an agent.
        """
        if why := self.why_not(game, budget):
            say(f"{game}, {budget}: {why}")
            return 0
        if budget != TIME:
            return self._play(game, budget, least, workers)
        with noted(self.store(game, budget), workers.jobs):
            return self._play(game, budget, least, workers)

    def _play(self, game: str, budget: str, least: int, workers: LocalBackend) -> int:
        spec = self.line(game).tournament(budget, least)
        path = self.store(game, budget)
        if path.exists():  # maybe begun with a larger `least`
            stored = read_results(path).description.get("games_each", 0)
            games_each = max(spec.games_each, stored)
            spec = spec.model_copy(update={"games_each": games_each})
        failures = 0
        schedule = prepare(spec)
        with open_store(path, schedule) as store, game_progress(console) as progress:
            done = len(store.played())
            title = f"{game}, {budget}"
            task = progress.add_task(title, total=len(schedule), completed=done)

            def told(outcome: Outcome) -> None:
                nonlocal failures
                if isinstance(outcome, Failure):
                    failures += 1
                    say(f"failed: {outcome.fixture}: {outcome.error}")
                else:
                    progress.advance(task)

            run_tournament(schedule, store, workers, told)
        return failures

    def played(self) -> list[Played]:
        """Return the results of all that is there, or of the games with a network."""
        found = []
        for budget in BUDGETS:
            for game in self.trained or GAMES:
                with self.unless_broken(game, budget):
                    if results := self.results(game, budget):
                        path = self.store(game, budget)
                        machines = machines_of(path) if budget == TIME else ()
                        line = self.line(game)
                        found.append(Played.of(line, budget, results, machines))
        return found


def read_table(
    path: Path, option: str, parser: argparse.ArgumentParser
) -> list[Played]:
    """Return the results in a table of an earlier page; none if there is none."""
    if not path.exists():
        return []
    try:
        return from_csv(path.read_text(encoding="utf-8"), str(path))
    except ValueError as error:
        parser.error(f"{option}: {error}")


def folders(
    given: list[str], games: list[str], parser: argparse.ArgumentParser
) -> dict[str, Path]:
    """Return the folders of trained networks by their game."""
    found = {}
    for text in given:
        game, _, folder = text.partition("=")
        if game not in games:
            parser.error(f"--trained {text}: {unknown_name('game', game, games)}")
        for name in ("policy.onnx", "summary.json"):
            if not (Path(folder) / name).is_file():
                parser.error(f"--trained {text}: {folder}/{name} is missing")
        found[game] = Path(folder)
    return found


def with_earlier(earlier: list[Played], played: list[Played]) -> list[Played]:
    """Return round robins with a network, and those of earlier commands.

    Of the same one, the games that are in its store now count, even if they are fewer:
    they may be those of another network.
    """
    now = {(own.game, own.budget) for own in played}
    others = [own for own in earlier if (own.game, own.budget) not in now]
    return united(others, played)


def publish(earlier: list[Played], played: list[Played]) -> None:
    """Add round robins that are finished to those beside this file; name the others."""
    before = {(own.game, own.budget): own.games for own in earlier}
    for own in played:
        there = before.get((own.game, own.budget), 0)
        if own.left:
            say(f"{own.game}, {own.budget}: not published, {own.left} games are left")
        elif there > own.games:
            say(f"{own.game}, {own.budget}: stays as published, of {there} games")
    if finished := [own for own in played if not own.left]:
        Page(united(earlier, finished)).write(HERE)


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
    parser.add_argument("--jobs", type=int, default=loky.cpu_count())
    parser.add_argument("--publish", action="store_true")
    given = parser.parse_args()
    for game in given.games:
        if game not in GAMES:
            parser.error(f"--games: {unknown_name('game', game, GAMES)}")
    for name in ("jobs", "least"):
        if vars(given)[name] < 1:
            parser.error(f"--{name} {vars(given)[name]}: expected at least 1")
    if given.publish and given.trained:
        parser.error("--publish: the league of the page has no trained networks")
    trained = folders(given.trained, given.games, parser)
    folder = given.output / "trained" if trained else given.output
    # The page of the league is made of the stores, which are all in the folder.
    earlier: list[Played] = []
    if given.publish:
        earlier = read_table(HERE / "results.csv", "--publish", parser)
    elif trained:
        earlier = read_table(folder / "results.csv", "--trained", parser)
    if given.jobs > loky.cpu_count():
        say(f"{given.jobs} workers share {loky.cpu_count()} cores: less in {TIME} each")
    league = League(given.output, trained)
    failures = 0
    try:
        given.output.mkdir(parents=True, exist_ok=True)
        for game in trained:
            if why := league.line(game).refused.get(NETWORK):
                parser.error(f"--trained: {why}")
        with LocalBackend(given.jobs) as workers:
            for budget in [known for known in BUDGETS if known in given.budgets]:
                for game in given.games:
                    with league.unless_broken(game, budget):
                        failures += league.play(game, budget, given.least, workers)
        if played := league.played():
            Page(with_earlier(earlier, played) if trained else played).write(folder)
            if given.publish:
                publish(earlier, played)
    except KeyboardInterrupt:
        say("interrupted; run the same command to resume")
        sys.exit(INTERRUPTED)
    except (StoreError, SettingError, OSError) as error:
        parser.exit(1, f"{parser.prog}: error: {error}\n")
    told = []
    if failures:
        told.append(f"{failures} games failed; the same command plays them again\n")
    if league.broken:
        told.append(f"{len(league.broken)} round robins failed, as said above\n")
    if told:
        parser.exit(1, "".join(told))


if __name__ == "__main__":
    main()
