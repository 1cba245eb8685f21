"""`mcts-agents tournament`."""

import functools
import sys
from collections import Counter
from collections.abc import Callable
from contextlib import nullcontext, redirect_stdout
from typing import Any

import loky
import typer
from pydantic import ValidationError

from mcts_agents.arena.playing.backends import Outcome, make_backend
from mcts_agents.arena.playing.budgets import budget_setting
from mcts_agents.arena.playing.fixtures import Failure
from mcts_agents.arena.tournaments.spec_file import SpecFile, complaints
from mcts_agents.arena.tournaments.spec_values import SettingError
from mcts_agents.arena.tournaments.tournament import open_store, prepare, run_tournament
from mcts_agents.arena.tournaments.tournament_spec import TournamentSpec
from mcts_agents.cli.command_options import TournamentOptions
from mcts_agents.cli.outputs import written
from mcts_agents.cli.parameters import BackendName
from mcts_agents.cli.progress import game_progress
from mcts_agents.cli.report import write_page
from mcts_agents.cli.requests import RequestError, requested
from mcts_agents.cli.results import show_results
from mcts_agents.cli.streams import INTERRUPTED
from mcts_agents.cli.terminal import PlainConsole

# The option of the command line that gives each key of a tournament.
_OPTIONS = {
    "games": "--game",
    "agents": "--agent",
    "field": "--field",
    "budgets": "--budget",
    "design": "--design",
    "games_each": "--games",
    "seed": "--seed",
    "opening": "--opening",
}


def play_tournament(options: TournamentOptions) -> int:
    """Play what is left of a tournament and print the results; return the failures."""
    path = options.store
    console = PlainConsole(stderr=True)
    # One line, however wide the terminal is.
    say = functools.partial(console.print, soft_wrap=True)
    with requested():
        spec, file = _spec(options)
        workers = make_backend(options.backend.value, options.jobs, options.address)
        try:
            schedule = prepare(spec)
        except SettingError as error:
            raise RequestError(_told(error, file)) from error
    if options.report is not None:
        with written(path, options.report):  # refuses it before the games, not after
            pass
    _warn_of_busy_cores(say, spec, options)
    errors: Counter[str] = Counter()
    with requested(), open_store(path, schedule) as store:
        for names in spec.same_agents():
            say(
                f"{' and '.join(names)} are the same agent: any difference is due to "
                "chance"
            )
        played = len(store.played())
        if 0 < played < len(schedule):
            say(f"{played} of {len(schedule)} games are stored in {path} already")
        progress = game_progress(console)
        task = progress.add_task("games", total=len(schedule), completed=played)

        def told(outcome: Outcome) -> None:
            if isinstance(outcome, Failure):
                errors[outcome.error] += 1
                if errors[outcome.error] == 1:
                    say(f"failed: {outcome.fixture}: {outcome.error}")
            else:
                progress.advance(task)

        try:
            with workers, progress:
                run_tournament(schedule, store, workers, told)
        except KeyboardInterrupt:
            stored = len(store.played())
            say(
                f"{stored} of {len(schedule)} games are stored in {path}; run the "
                "same command to resume"
            )
            raise typer.Exit(INTERRUPTED) from None
    for error, games in errors.items():
        if games > 1:
            say(f"{games} games failed like this: {error}")
    if errors:
        games = errors.total()
        say(
            f"{games} game{'s' * (games > 1)} failed; {path} has the errors, and the "
            "same command tries again, unless a module or a policy's file that it "
            "names has changed"
        )
    if options.report is not None:
        # With --json, nothing but the object is for standard output.
        with redirect_stdout(sys.stderr) if options.json else nullcontext():
            write_page(path, options.report)
    show_results(path, options.json)
    return errors.total()


def _keys(options: TournamentOptions) -> dict[str, Any]:
    """Return what was given on the command line, as keys of a tournament."""
    games = [
        {"game": game, "players": options.players or []} for game in options.game or []
    ]
    given = {
        "games": games or None,
        "agents": options.agent or None,
        "field": options.field,
        "budgets": options.budget or None,
        "design": options.design,
        "games_each": options.games,
        "seed": options.seed,
        "opening": options.opening,
    }
    return {key: value for key, value in given.items() if value is not None}


def _spec(options: TournamentOptions) -> tuple[TournamentSpec, SpecFile | None]:
    """Return the tournament, and the file that describes it, if one does."""
    keys = _keys(options)
    if options.file is None:
        if options.players and not options.game:
            raise RequestError("--players needs --game, or a FILE")
        for key in ("games", "agents"):
            if key not in keys:
                raise RequestError(f"name a FILE, or {_OPTIONS[key]}")
        try:
            return TournamentSpec(**keys), None
        except ValidationError as error:
            raise RequestError(
                "; ".join(_complaint(*complaint) for complaint in complaints(error))
            ) from error
    changed = {k: v for k, v in keys.items() if k not in ("games", "budgets")}
    for key in changed:
        if key not in ("games_each", "seed"):
            raise RequestError(
                f"{_OPTIONS[key]} cannot be combined with {options.file}: the file "
                "says who plays; only --game, --players and --budget can choose a part "
                "of it, and --games and --seed change it"
            )
    file = SpecFile(options.file, _OPTIONS)
    spec = file.spec(**changed)
    part = options.game or (), options.players or (), options.budget or ()
    try:
        return spec.part(*part), file
    except SettingError as error:
        said = _complaint(error.place, str(error))
        raise RequestError(f"{said} (in {options.file})") from error


def _complaint(place: tuple[str | int, ...], message: str) -> str:
    option = _OPTIONS.get(str(place[0])) if place else None
    if place[:1] == ("games",) and "players" in place:
        option = "--players"
    return f"{option}: {message}" if option else message


def _told(error: SettingError, file: SpecFile | None) -> str:
    return file.told(error) if file else _complaint(error.place, str(error))


def _warn_of_busy_cores(
    say: Callable[[str], None], spec: TournamentSpec, options: TournamentOptions
) -> None:
    """Say so if budgets of time are worth less because workers share cores."""
    budgets = dict.fromkeys(s.budget for s in spec.settings() if s.budget)
    timed = [b for b in budgets if budget_setting(b)[0] == "seconds"]
    jobs = options.jobs or 1
    if options.backend is BackendName.local and timed and jobs > loky.cpu_count():
        say(
            f"{jobs} workers share {loky.cpu_count()} cores: decisions of {timed[0]} "
            "get fewer simulations than they would alone"
        )
