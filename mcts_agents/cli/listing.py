"""`mcts-agents list`."""

import json

from rich.console import Console
from rich.table import Table

from mcts_agents.agents.kinds import KINDS
from mcts_agents.agents.presets import PRESETS
from mcts_agents.cli.requests import HUMAN
from mcts_agents.envs import GAMES, load_game


def list_all(as_json: bool) -> None:
    """Print games, agents and presets."""
    games = [_described(name) for name in GAMES]
    agents = [
        {"agent": name, "options": list(kind.options), "about": kind.about}
        for name, kind in KINDS.items()
    ]
    presets = [
        {"preset": name, "about": preset.about, "options": dict(preset.options)}
        for name, preset in PRESETS.items()
    ]
    if as_json:
        print(json.dumps({"games": games, "agents": agents, "presets": presets}))
        return
    console = Console()
    table = _table(
        "game", "title", "players", "moves", "options", whole=("game", "options")
    )
    for row in games:
        table.add_row(
            row["game"],
            row["title"],
            ", ".join(map(str, row["players"])),
            _kind(row),
            "\n".join(f"{name}={value}" for name, value in row["options"].items()),
        )
    console.print(table)
    table = _table("agent", "about", whole=("agent",))
    for row in agents:
        table.add_row(row["agent"], row["about"])
    table.add_row(HUMAN, "You, in the terminal (play only).")
    console.print(table)
    table = _table("preset of mcts", "about", whole=("preset of mcts",))
    table.pad_edge = False
    for row in presets:
        table.add_row(row["preset"], row["about"])
    console.print(table)
    for row in agents:
        options = ", ".join(row["options"])
        console.print(f"Options of {row['agent']}: {options}", highlight=False)


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
        "hidden": game.rules.has("redeterminise"),
        "chance": game.rules.chance,
        "options": options,
    }


def _table(*headings: str, whole: tuple[str, ...]) -> Table:
    """Return a table; what stands in the columns `whole` is not broken."""
    table = Table()
    for heading in headings:
        table.add_column(heading, no_wrap=heading in whole, overflow="fold")
    return table


def _kind(row: dict[str, object]) -> str:
    words = ["at once" if row["simultaneous"] else "in turn"]
    words += [word for word in ("hidden", "chance") if row[word]]
    return ", ".join(words)
