"""`mcts-agents compile`."""

import json
import time

from rich.console import Console
from rich.table import Table

from mcts_agents.agents import make_agent
from mcts_agents.arena.playing.tables import open_table
from mcts_agents.cli.requests import requested
from mcts_agents.envs import known_games
from mcts_agents.model.compilation import cache_folder, statistics


def compile_games(games: list[str], agents: list[str], as_json: bool) -> None:
    """Compile what the agents need for the games, and print what that took."""
    rows = []
    for name in games or known_games():
        before, began = statistics(), time.perf_counter()
        with requested():
            table = open_table(name)
            table.begin(0)
            for agent in agents:
                table.prepare(make_agent(agent), 0)
        after = statistics()
        rows.append(
            {
                "game": name,
                "compiled": after.cache_misses + after.uncached
                - before.cache_misses - before.uncached,
                "found": after.cache_hits - before.cache_hits,
                "seconds": time.perf_counter() - began,
            }
        )  # fmt: skip
    folder = str(cache_folder())
    if as_json:
        print(json.dumps({"folder": folder, "agents": agents, "games": rows}))
        return
    table = Table("game")
    for heading in ("compiled", "found", "seconds"):
        table.add_column(heading, justify="right")
    for row in rows:
        counts = str(row["compiled"]), str(row["found"])
        table.add_row(row["game"], *counts, f"{row['seconds']:.1f}")
    console = Console()
    console.print(table)
    console.print(f"The machine code is in {folder}", soft_wrap=True, highlight=False)
