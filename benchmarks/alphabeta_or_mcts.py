"""Which agent to take: `alphabeta` against `mcts` with the same time for a decision.

Plays a match of each row and prints the table of docs/algorithms/minimax.md: the share
of games that alphabeta won, draws split, with a 95% Wilson interval. Alphabeta takes
the game's evaluation where there is one. So does mcts where that is the game's default;
where the default is rollouts to the end, a second match has mcts with the evaluation.

Each match is a tournament with a store in the folder, so the same command goes on where
it was interrupted, and plays on when told a larger number of games. Decisions are
timed: run it on a machine that does nothing else, with no more workers than idle cores.
With 100 games of 100 ms a decision it takes a little over an hour on one core.

    pip install --editable ".[arena]"
    python benchmarks/alphabeta_or_mcts.py [GAME ...] [--games 100] [--budget 100ms]
"""

import argparse
from pathlib import Path

from mcts_agents.arena.analysis.tournament_results import read_results
from mcts_agents.arena.playing.backends import LocalBackend
from mcts_agents.arena.tournaments.tournament import open_store, prepare, run_tournament
from mcts_agents.arena.tournaments.tournament_spec import TournamentSpec

# Title, and what mcts plays with: None where a match would repeat the default.
GAMES = {
    "othello": ("Othello", "mcts:value=evaluate,rollout=0"),
    "connect_four": ("Connect Four", "mcts:value=evaluate,rollout=0"),
    "dots_and_boxes:players=2": ("Dots and Boxes 7x5", None),
    "chinese_checkers:players=2": ("Chinese Checkers, 2 players", None),
    "hex": ("Hex 7x7", None),
}
DEFAULT = "mcts"


def matches(chosen):
    """Yield (game, title, spec of mcts) of each row."""
    for game in chosen:
        title, other = GAMES[game]
        yield game, title, DEFAULT
        if other is not None:
            yield game, title, other


def store_of(folder, game, spec, budget):
    """Return the file of a match: another match or budget has another."""
    name = f"{game}-{spec}-{budget}".replace(":", "-").replace(",", "-")
    return folder / f"{name.replace('=', '')}.sqlite"


def play(path, game, spec, budget, games, workers):
    """Play what is left of a match; return its results."""
    name, _, players = game.partition(":players=")
    entry = {"game": name} | ({"players": [int(players)]} if players else {})
    schedule = prepare(
        TournamentSpec(
            games=[entry],
            agents={"alphabeta": "alphabeta", "mcts": spec},
            budgets=[budget],
            games_each=games,
        )
    )
    with open_store(path, schedule) as store, LocalBackend(workers) as backend:
        run_tournament(schedule, store, backend)
    results = read_results(path)
    if results.failures or not results.complete:
        raise SystemExit(
            f"{path}: {len(results.failures)} games failed, {len(results.games)} of "
            f"{results.total} are stored; the same command goes on"
        )
    return results


def row(title, spec, results):
    """Return a row of the table."""
    alphabeta, mcts = results.summary.overall.agents
    rate = alphabeta.win_rate
    depth = f"{alphabeta.depth:.1f}" if alphabeta.depth is not None else ""
    drawn = round(alphabeta.drawn.value * alphabeta.games)
    return (
        f"| {title} | `{spec}` | {alphabeta.games} "
        f"| {rate.value:.0%} ({rate.low:.0%} to {rate.high:.0%}) | {drawn} "
        f"| {depth} | {mcts.simulations_per_second:,.0f} |"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("games", nargs="*", help=f"of {', '.join(GAMES)}; default all")
    parser.add_argument("--games", type=int, default=100, dest="number")
    parser.add_argument("--budget", default="100ms", help="of a decision")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--folder", type=Path, default=Path("out/alphabeta_or_mcts"))
    arguments = parser.parse_args()
    unknown = set(arguments.games) - set(GAMES)
    if unknown:
        parser.error(f"{', '.join(sorted(unknown))}: expected of {', '.join(GAMES)}")
    arguments.folder.mkdir(parents=True, exist_ok=True)
    print("| game | against | games | alphabeta won | drawn | depth | simulations/s |")
    print("|---|---|---|---|---|---|---|")
    for game, title, spec in matches(arguments.games or GAMES):
        path = store_of(arguments.folder, game, spec, arguments.budget)
        results = play(
            path, game, spec, arguments.budget, arguments.number, arguments.workers
        )
        print(row(title, spec, results), flush=True)


if __name__ == "__main__":  # the workers import this file
    main()
