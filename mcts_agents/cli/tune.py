"""`mcts-agents tune`."""

import functools
import json
import math
from typing import Any

import typer
from pydantic import ValidationError
from rich.progress import Progress
from rich.table import Table

from mcts_agents.arena.analysis.intervals import wilson
from mcts_agents.arena.playing.backends import Backend, Outcome, make_backend
from mcts_agents.arena.playing.fixtures import Failure
from mcts_agents.arena.tournaments.spec_file import complaints
from mcts_agents.arena.tournaments.store import Store, StoreError
from mcts_agents.arena.tournaments.tuning import (
    TUNED,
    FailedGameError,
    Trial,
    Tuning,
    TuningSpec,
    check_path,
    load_optuna,
)
from mcts_agents.cli.command_options import TuneOptions
from mcts_agents.cli.progress import game_progress
from mcts_agents.cli.requests import RequestError, requested
from mcts_agents.cli.streams import INTERRUPTED
from mcts_agents.cli.terminal import PlainConsole
from mcts_agents.names import error_line

# Trials in the table.
SHOWN = 10

# The option of the command line that gives each key of a study.
_OPTIONS = {"games_each": "--games", "parameters": "--parameter"}


def tune_agent(options: TuneOptions) -> None:
    """Run what is left of a study and of the match of its best trial; print both."""
    console = PlainConsole(stderr=True)
    # One line, however wide the terminal is.
    say = functools.partial(console.print, soft_wrap=True)
    path, trials = options.store, options.trials
    spec = _spec(options)
    with requested():
        load_optuna()  # before a store is made
        check_path(path)
        workers = make_backend(options.backend.value, options.jobs, options.address)
        with Store.write(path) as store:
            tuning = _study(spec, store)
            try:
                with workers, game_progress(console) as progress:
                    failures = _run(tuning, workers, progress, trials, options.confirm)
            except KeyboardInterrupt:
                say(
                    f"{len(tuning.trials())} of {trials} trials are stored in {path}; "
                    "run the same command to resume"
                )
                raise typer.Exit(INTERRUPTED) from None
            except FailedGameError as error:
                say(f"failed: {error}")
                say("the same command tries the trial again")
                raise typer.Exit(1) from None
            for failure in failures:
                say(f"failed: {failure.fixture}: {failure.error}")
            if failures:
                say(
                    f"{len(failures)} games of the match failed; {path} has the "
                    "errors, and the same command tries the games again, unless a "
                    "module or a policy's file that it names has changed"
                )
            if tuning.store.played():
                _show(tuning, options.json)
            if failures:
                raise typer.Exit(1)


def _study(spec: TuningSpec, store: Store) -> Tuning:
    """Return the study in a store; what cannot be read of it is told in one line."""
    try:
        tuning = Tuning(spec, store)
        tuning.trials()
    except StoreError:
        raise
    except Exception as error:  # of edited tables, Optuna raises almost anything
        reason = error_line(error)[:200]
        raise StoreError(
            f"{store.path}: the tables of its study cannot be read by Optuna: {reason}"
        ) from error
    return tuning


def _spec(options: TuneOptions) -> TuningSpec:
    tried = {"parameters": options.parameter} if options.parameter else {}
    try:
        return TuningSpec(
            game=options.game,
            players=options.players,
            agent=options.agent,
            against=options.against,
            budget=options.budget,
            games_each=options.games,
            seed=options.seed,
            opening=options.opening,
            **tried,
        )
    except ValidationError as error:
        raise RequestError(
            "; ".join(
                f"{_OPTIONS.get(str(place[0]), f'--{place[0]}')}: {message}"
                for place, message in complaints(error)
            )
        ) from error


def _run(
    tuning: Tuning, workers: Backend, progress: Progress, trials: int, confirm: int
) -> list[Failure]:
    """Play what is left; return the games of the match that failed."""
    done = len(tuning.trials())
    whole = progress.add_task("trials", total=trials, completed=done)
    each = tuning.spec.games_each
    part = progress.add_task("games of the trial", total=each, visible=done < trials)
    for _ in range(done, trials):
        progress.reset(part)
        tuning.run_trial(workers, lambda _: progress.advance(part))
        progress.advance(whole)
    progress.update(part, visible=False)
    played = len(tuning.store.played())
    match = progress.add_task("match of the best", total=confirm, completed=played)
    failures = []

    def told(outcome: Outcome) -> None:
        if isinstance(outcome, Failure):
            failures.append(outcome)
        else:
            progress.advance(match)

    tuning.confirm(confirm, workers, told)
    return failures


def _show(tuning: Tuning, as_json: bool) -> None:
    trials = tuning.trials()
    refused = [trial for trial in trials if trial.win_rate is None]
    best = tuning.best()
    shown = wilson(best.win_rate * best.games, best.games)
    records = list(tuning.store.games())
    wins = math.fsum(record.wins(TUNED) for record in records)
    checked = wilson(wins, len(records))
    players, even = records[0].setting.players, 1 / records[0].team_count
    if as_json:
        found = {
            "game": tuning.spec.game,
            "players": players,
            "budget": tuning.spec.budget,
            "trials": len(trials),
            "refused": len(refused),
            "best": {
                "number": best.number,
                "options": best.options,
                "spec": tuning.best_spec(),
                "games": best.games,
                "win_rate": best.win_rate,
                "low": shown.low,
                "high": shown.high,
            },
            "confirmation": {
                "games": len(records),
                "wins": wins,
                "win_rate": checked.value,
                "low": checked.low,
                "high": checked.high,
                "even": even,
            },
        }
        print(json.dumps(found))
        return
    console = PlainConsole()
    console.print(_table(trials))
    if refused:
        console.print(
            f"{len(refused)} trials had incompatible options; the last one: "
            f"{refused[-1].refused}"
        )
    console.print(
        f"Best: {tuning.best_spec()}\n"
        f"won {checked.value:.1%} ({checked.low:.1%} to {checked.high:.1%}) of "
        f"{len(records)} new games; equal strength would be {even:.1%}",
        soft_wrap=True,
    )


def _table(trials: list[Trial]) -> Table:
    """Return the best trials as a table, the best first."""
    played = [trial for trial in trials if trial.win_rate is not None]
    played.sort(key=lambda trial: (-trial.win_rate, trial.number))
    names = list(played[0].options)
    table = Table(title=f"Best of {len(trials)} trials", pad_edge=False)
    for heading in ("trial", "win rate", "95% interval", *names):
        table.add_column(heading, justify="right")
    for trial in played[:SHOWN]:
        rate = wilson(trial.win_rate * trial.games, trial.games)
        table.add_row(
            str(trial.number),
            f"{trial.win_rate:.1%}",
            f"{rate.low:.1%} to {rate.high:.1%}",
            *(_written(trial.options[name]) for name in names),
        )
    return table


def _written(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value).lower()
