"""A small tournament from Python: Hex, with and without move averages in rollouts.

    pip install --editable ".[arena]"    # in the checkout
    python examples/tournament.py

It leaves its games in `out/tournament.sqlite` and a page with the results in
`out/tournament.html`. Run it again: stored games are not played again.
"""

from pathlib import Path

from mcts_agents.arena.analysis.tournament_results import read_results
from mcts_agents.arena.playing.backends import LocalBackend
from mcts_agents.arena.reports.report import write_report
from mcts_agents.arena.tournaments.tournament import open_store, prepare, run_tournament
from mcts_agents.arena.tournaments.tournament_spec import TournamentSpec

OUT = Path("out")


def main():
    """Play the tournament and print each agent's win rate."""
    schedule = prepare(
        TournamentSpec(
            games=["hex:size=5"],
            agents={"plain": "mcts", "mast": "mcts:rollout_policy=mast"},
            budgets=["200"],
            games_each=20,
        )
    )
    path, page = OUT / "tournament.sqlite", OUT / "tournament.html"
    OUT.mkdir(exist_ok=True)
    with open_store(path, schedule) as store, LocalBackend(2) as workers:
        run_tournament(schedule, store, workers)
    results = read_results(path)
    write_report(results, page)
    for agent in results.summary.overall.agents:
        rate = agent.win_rate
        print(f"{agent.agent}: {rate.value:.0%} ({rate.low:.0%} to {rate.high:.0%})")
    print(f"{page} has the whole report")


if __name__ == "__main__":  # the workers import this file
    main()
