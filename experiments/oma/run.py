"""The experiments of Baier and Kaisers on opponent move abstraction, CoG 2020.

Figures 4 to 9 are ten comparisons in six domains; footnote 5 compares depths of BRS+.
Everything can be interrupted; the same command goes on, and more games can be added.

    python experiments/oma/run.py tune --budget 250ms --trials 40 --games 100
    python experiments/oma/run.py play --budget 250ms --games 1000
    python experiments/oma/run.py play --budget 5000 --games 1000
    python experiments/oma/run.py play --figure 5 9 --row 1 --domain rolit --games 60
    python experiments/oma/run.py play --figure 10 11 --budget 300 --games 600
    python experiments/oma/run.py depths --games 500
    python experiments/oma/run.py charts --budget 250ms --publish

A budget is a time, or a number: of simulations for MCTS, of nodes for minimax searches.
Stores, charts (SVG and PNG) and `results.md` are written to `--folder`, by default
`oma_results/BUDGET`; `results`, `report` and `replay` of mcts-agents read the stores.
`tune` writes `parameters.yaml` (or what `--parameters` names), and all budgets are
played with these. `--publish` writes who won each game into `results/BUDGET.jsonl`
beside this file. These games are in all charts, and `play` and `depths` do not play
them again; a match that has some begins its games as they began.
"""

import argparse
import sys
from contextlib import closing
from pathlib import Path

import loky
from charts import write_charts
from experiment import (
    DEPTHS,
    FIGURES,
    FIGURES_BESIDE,
    PARAMETERS,
    ROWS,
    Experiment,
    Match,
    Parameters,
    slug,
)
from published import RESULTS, Published
from rich.console import Console

from mcts_agents.arena.playing.backends import Backend, LocalBackend, Outcome
from mcts_agents.arena.playing.fixtures import Failure
from mcts_agents.arena.tournaments.store import Store
from mcts_agents.arena.tournaments.tournament import (
    open_store,
    prepare,
    run_tournament,
)
from mcts_agents.arena.tournaments.tuning import Tuning, TuningSpec
from mcts_agents.cli.progress import game_progress

CONSOLE = Console(stderr=True)


def play(
    matches: list[Match], published: Published, folder: Path, workers: Backend
) -> int:
    """Play what is not published of all matches, one after another.

    Returns:
        How many games failed.
    """
    folder.mkdir(parents=True, exist_ok=True)
    failures: list[Failure] = []
    with game_progress(CONSOLE) as progress:
        whole = progress.add_task("all", total=sum(m.spec.games_each for m in matches))
        for match in matches:
            schedule = prepare(match.spec)
            kept = published.wins(match)
            left = [fixture for fixture in schedule if fixture.number not in kept]
            with closing(open_store(match.store(folder), schedule)) as store:
                played = len(schedule) - len(left) + len(store.played() - kept.keys())
                name = f"{match.agent} against {match.opponent}, {match.domain}"
                task = progress.add_task(name, total=len(schedule), completed=played)
                progress.advance(whole, played)

                def told(outcome: Outcome, task: int = task) -> None:
                    if isinstance(outcome, Failure):
                        failures.append(outcome)
                    progress.advance(task)
                    progress.advance(whole)

                run_tournament(left, store, workers, told)
                progress.remove_task(task)
    for failure in failures[:3]:
        CONSOLE.print(f"{failure.fixture}:\n{failure.error}", markup=False)
    return len(failures)


def tune(
    experiment: Experiment,
    domains: list[str],
    names: list[str],
    given: argparse.Namespace,
    workers: Backend,
) -> None:
    """Tune contestants in domains, and write what was found into the file."""
    parameters = Parameters.read(given.parameters)
    folder = given.folder / "tuning"
    for needed in (folder, given.parameters.parent):
        needed.mkdir(parents=True, exist_ok=True)
    for domain in domains:
        for name in names:
            spec = tuning_spec(experiment, parameters, domain, name, given)
            path = folder / f"{slug(name)}-{slug(domain)}.sqlite"
            with closing(Store.write(path)) as store:
                tuning = Tuning(spec, store)
                for options in starts(experiment, parameters, domain, name):
                    tuning.try_soon(options)
                found = run_study(tuning, workers, given.trials, f"{name}, {domain}")
            parameters.add(domain, name, found | {"budget": given.budget})
            CONSOLE.print(f"{domain}, {name}: {found}", markup=False)


def tuning_spec(
    experiment: Experiment,
    parameters: Parameters,
    domain: str,
    name: str,
    given: argparse.Namespace,
) -> TuningSpec:
    """Return the study of one contestant in one domain."""
    about = experiment.tuning["contestants"][name]
    rival = about["against"]
    against = dict(experiment.contestants[rival])
    if rival != name:
        against |= parameters.options(domain, rival)
    return TuningSpec(
        **experiment.domains[domain],
        agent=experiment.untuned(name, domain, parameters),
        against=against,
        budget=given.budget,
        parameters=tuple(about["parameters"]),
        games_each=given.games,
        seed=experiment.tuning["seed"],
        opening=experiment.opening(domain),
    )


def starts(
    experiment: Experiment, parameters: Parameters, domain: str, name: str
) -> list[dict[str, object]]:
    """Return what the first trials of a study try.

    That is what was found for this contestant in the game's other domains, and for
    contestants in this domain of which this one has all parameters: the more
    parameters, the more trials a study would need to come upon these again.
    """
    tuned = experiment.tuning["contestants"]
    own = {text.partition("=")[0] for text in tuned[name]["parameters"]}
    game = experiment.domains[domain]["game"]
    elsewhere = [
        studies[name]["options"]
        for other, studies in parameters.tuned.items()
        if other != domain and experiment.domains[other]["game"] == game
        if name in studies
    ]
    found: list[dict[str, object]] = []
    for other, study in parameters.tuned.get(domain, {}).items():
        if other != name and own >= study["options"].keys():
            found.append(study["options"])
    if len(found) > 1:  # with all of them, the exploration of the last
        found.append({k: v for options in found for k, v in options.items()})
    return elsewhere + found


def run_study(
    tuning: Tuning, workers: Backend, trials: int, name: str
) -> dict[str, object]:
    """Run a study to so many trials; return the best options and what they scored."""
    with game_progress(CONSOLE) as progress:
        done = len(tuning.trials())
        task = progress.add_task(f"trials of {name}", total=trials, completed=done)
        for _ in range(done, trials):
            tuning.run_trial(workers)
            progress.advance(task)
    best = tuning.best()
    return {
        "options": {
            option: round(value, 4) if isinstance(value, float) else value
            for option, value in best.options.items()
        },
        "won": round(best.win_rate, 3),
        "games": best.games,
        "trials": len(tuning.trials()),
    }


def count(text: str, least: int = 1) -> int:
    """Return a whole number of the command line, at least `least`."""
    try:
        found = int(text)
    except ValueError:
        found = least - 1
    if found < least:
        raise argparse.ArgumentTypeError(
            f"{text!r}: expected a whole number of at least {least}"
        )
    return found


def parse(arguments: list[str] | None) -> argparse.Namespace:
    """Return what the command line says."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    for command, about, games in (
        ("play", "play figures 4 to 9, and draw them", 1000),
        ("charts", "draw figures 4 to 9 from what was played", 1000),
        ("tune", "tune all contestants that have parameters", 100),
        ("depths", "play footnote 5, and draw it", 500),
    ):
        one = commands.add_parser(command, help=about, description=about)
        one.add_argument("--games", type=count, default=games, help="of each match")
        one.add_argument("--jobs", type=count, default=None, help="games at a time")
        one.add_argument("--folder", type=Path, default=None)
        one.add_argument(
            "--opening",
            type=lambda text: count(text, least=0),
            default=None,
            help="random decisions of each player (default: 1, or as published)",
        )
        if command != "tune":
            one.add_argument(
                "--publish", action="store_true", help="keep who won in the repository"
            )
            one.add_argument(
                "--results",
                type=Path,
                default=None,
                help="where (default: the repository's, with --untuned --folder)",
            )
        if command == "depths":
            every = Experiment().depths["paper"]
            one.add_argument(
                "--depth", type=int, nargs="+", choices=every, default=None
            )
            continue
        one.add_argument("--budget", default="250ms", help="of each move: 250ms, 5000")
        one.add_argument(
            "--domain", nargs="+", default=[], help="such as rolit-3 focus"
        )
        one.add_argument("--parameters", type=Path, default=PARAMETERS, help="the file")
        if command == "tune":
            one.add_argument("--trials", type=count, default=40)
            every = Experiment().tunable
            one.add_argument("--contestant", nargs="+", choices=every, default=None)
        else:
            one.add_argument(
                "--figure",
                type=int,
                nargs="+",
                choices=FIGURES + FIGURES_BESIDE,
                default=list(FIGURES),
                help="4 to 9: the paper's (default); 10, 11: see experiment.yaml",
            )
            one.add_argument(
                "--row",
                type=int,
                nargs="+",
                choices=ROWS,
                default=list(ROWS),
                help="1: the paper's minimax searches, 2: those with all enhancements",
            )
            one.add_argument(
                "--untuned", action="store_true", help="take the presets' parameters"
            )
    return parser.parse_args(arguments)


def run(given: argparse.Namespace) -> int:
    """Do what was asked for; return the exit status."""
    experiment = Experiment(1 if given.opening is None else given.opening)
    named = DEPTHS if given.command == "depths" else slug(given.budget)
    given.folder = given.folder or Path("oma_results") / named
    if given.command == "depths":
        depths = given.depth or list(experiment.depths["paper"])
        matches = list(experiment.depth_matches(depths, given.games))
    else:
        domains = experiment.chosen_domains(given.domain)
        if given.command == "tune":
            names = given.contestant or experiment.tunable
            with LocalBackend(given.jobs or loky.cpu_count()) as workers:
                tune(experiment, domains, names, given, workers)
            return 0
        parameters = None if given.untuned else Parameters.read(given.parameters)
        matches = list(
            experiment.matches(
                given.figure,
                domains,
                given.budget,
                given.games,
                parameters,
                given.row,
            )
        )
    failed = 0
    # What is published in the repository was played with tuned parameters.
    untuned = given.command != "depths" and given.untuned
    results = given.results or (given.folder if untuned else RESULTS)
    published = Published.read(results / f"{named}.jsonl")
    if given.opening is None:
        matches = [published.begun_alike(match) for match in matches]
    if given.command != "charts":
        with LocalBackend(given.jobs or loky.cpu_count()) as workers:
            failed = play(matches, published, given.folder, workers)
    if given.publish:
        published.add(matches, given.folder)
    budget = "" if given.command == "depths" else given.budget
    written = write_charts(experiment, matches, given.folder, published, budget)
    for path in written:
        CONSOLE.print(str(path), markup=False, soft_wrap=True)
    if not written:
        CONSOLE.print(
            f"no game was played in {given.folder}", markup=False, soft_wrap=True
        )
    if failed:
        CONSOLE.print(f"{failed} games failed; the same command tries them again")
    return 1 if failed else 0


def main(arguments: list[str] | None = None) -> int:
    """Run the command; return the exit status."""
    given = parse(arguments)
    try:
        return run(given)
    except ValueError as error:
        CONSOLE.print(f"Error: {error}", markup=False, style="red", soft_wrap=True)
        return 2


if __name__ == "__main__":
    sys.exit(main())
