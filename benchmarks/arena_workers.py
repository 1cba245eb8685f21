"""Games a second of a tournament with one worker and with two.

    python benchmarks/arena_workers.py              # 40 ms a decision
    python benchmarks/arena_workers.py 1000         # or any other budget

Four-player Sushi Go between the five variants of the MultiTree paper; runs with one and
with two workers alternate, each from a fresh store to its last game, start of the
workers included.
"""

import statistics
import sys
import tempfile
import time
from pathlib import Path

from mcts_agents.arena.playing.backends import LocalBackend
from mcts_agents.arena.tournaments.tournament import open_store, prepare, run_tournament
from mcts_agents.arena.tournaments.tournament_spec import TournamentSpec

PAIRS = 3
GAMES = 20

AGENTS = {
    "MaxN": "mcts",
    "Paranoid": "mcts:paranoid=true",
    "Self": "mcts:tree=self",
    "MT": "mcts:tree=multi",
    "MTP": "mcts:tree=multi,paranoid=true",
}


def games_per_second(schedule, jobs):
    with tempfile.TemporaryDirectory() as folder:
        store = open_store(Path(folder) / "store.sqlite", schedule)
        started = time.perf_counter()
        with store, LocalBackend(jobs) as backend:
            run_tournament(schedule, store, backend)
            return len(schedule) / (time.perf_counter() - started)


if __name__ == "__main__":
    budget = sys.argv[1] if len(sys.argv) > 1 else "40ms"
    games = GAMES if budget.endswith("s") else 20 * GAMES
    spec = TournamentSpec(
        games=[{"game": "sushi_go", "players": 4}],
        agents=AGENTS,
        budgets=budget,
        games_each=games,
    )
    schedule = prepare(spec)
    ratios = []
    for _ in range(PAIRS):
        one, two = (games_per_second(schedule, jobs) for jobs in (1, 2))
        ratios.append(two / one)
        print(
            f"{budget}: {one:.3f} games/s with one worker, {two:.3f} with two: "
            f"{ratios[-1]:.2f}x",
            flush=True,
        )
    print(f"median {statistics.median(ratios):.2f}x")
