"""`mcts-agents list`."""

import json

from rich.console import Console
from rich.table import Table

from mcts_agents.agents.specs import AGENTS, OPTIONS
from mcts_agents.envs import GAMES, load_game


def list_all(as_json: bool) -> None:
    """Print games and agents."""
    games = [_described(name) for name in GAMES]
    agents = [
        {"agent": name, "options": list(OPTIONS[name]), "about": _first_line(kind)}
        for name, kind in AGENTS.items()
    ]
    if as_json:
        print(json.dumps({"games": games, "agents": agents}))
        return
    console = Console()
    table = Table("game", "title", "players", "moves", "chance", "options")
    for row in games:
        table.add_row(
            row["game"],
            row["title"],
            ", ".join(map(str, row["players"])),
            "at once" if row["simultaneous"] else "in turn",
            "after the start" if row["chance"] else "-",
            ", ".join(f"{name}={value}" for name, value in row["options"].items()),
        )
    console.print(table)
    table = Table("agent", "about", "options")
    for row in agents:
        table.add_row(row["agent"], row["about"], ", ".join(row["options"]))
    table.add_row("human", "You, in the terminal (play only).", "")
    console.print(table)


def _described(name: str) -> dict[str, object]:
    game = load_game(name)
    options = dict(game.rules.defaults())
    default = options.pop("players")
    return {
        "game": name,
        "title": game.title,
        "players": list(game.player_counts),
        "default_players": default,
        "simultaneous": game.simultaneous,
        "chance": game.rules.chance,
        "options": options,
    }


def _first_line(kind: type) -> str:
    return (kind.__doc__ or "").partition("\n")[0].partition(";")[0]
