"""`mcts-agents compile`."""

import json
import time

from rich.table import Table

from mcts_agents.agents import make_agent
from mcts_agents.arena.playing.tables import open_table
from mcts_agents.cli.requests import RequestError, requested
from mcts_agents.cli.streams import tell
from mcts_agents.cli.terminal import PlainConsole
from mcts_agents.envs import known_games
from mcts_agents.model import GameError, RulesError
from mcts_agents.model.compilation import cache_folder, statistics


def compile_games(games: list[str], agents: list[str], as_json: bool) -> None:
    """Compile what the agents need for the games, and print what that took.

    Of all games, those are left out that these agents cannot play or that cannot be
    loaded; of games that were named, the first such one is an error.
    """
    with requested():
        for agent in agents:
            make_agent(agent)  # says what is wrong with the spec
    rows, left_out = [], []
    for name in games or known_games():
        before, began = statistics(), time.perf_counter()
        try:
            with requested():
                table = open_table(name)
                table.begin(0)
                for agent in agents:
                    table.prepare(make_agent(agent), 0)
        except (RequestError, RulesError, GameError) as error:
            if games:
                raise
            tell(f"{name} is left out: {' '.join(str(error).split())}")
            left_out.append({"game": name, "error": str(error)})
            continue
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
        found = {
            "folder": folder,
            "agents": agents,
            "games": rows,
            "left_out": left_out,
        }
        print(json.dumps(found))
        return
    table = Table("game")
    for heading in ("compiled", "found", "seconds"):
        table.add_column(heading, justify="right")
    for row in rows:
        counts = str(row["compiled"]), str(row["found"])
        table.add_row(row["game"], *counts, f"{row['seconds']:.1f}")
    console = PlainConsole()
    console.print(table)
    console.print(f"The machine code is in {folder}", soft_wrap=True)
