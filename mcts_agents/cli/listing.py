"""`mcts-agents list`."""

import inspect
import json
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from mcts_agents.agents.kinds import KINDS, is_taken
from mcts_agents.agents.own import entry_points, kind_named
from mcts_agents.agents.presets import PRESETS
from mcts_agents.cli.requests import HUMAN, requested
from mcts_agents.cli.terminal import PlainConsole
from mcts_agents.envs import GAMES, EnvironmentGame, known_games, load_any
from mcts_agents.envs.environment_game import SAMPLES, WORD
from mcts_agents.model import RulesError


def list_all(names: list[str], as_json: bool) -> None:
    """Print games, those of some names or all, and unless named agents and presets."""
    with requested():
        games = [_described(name) for name in names or GAMES]
    others = known_games()[len(GAMES) :] if not names else ()
    games += [_registered(name) for name in others]
    if names:
        if as_json:
            print(json.dumps({"games": games}, default=str))
        else:
            _print_games(PlainConsole(), games)
        return
    agents = [
        {"agent": name, "options": list(kind.options), "about": kind.about}
        for name, kind in KINDS.items()
    ]
    agents += [_installed(name) for name in entry_points() if not is_taken(name)]
    presets = [
        {
            "preset": name,
            "agent": preset.agent,
            "about": preset.about,
            "options": dict(preset.options),
        }
        for name, preset in PRESETS.items()
    ]
    if as_json:
        found = {"games": games, "agents": agents, "presets": presets}
        print(json.dumps(found, default=str))  # an option may have any default
        return
    console = PlainConsole()
    _print_games(console, games)
    table = _table("agent", "about", whole=("agent",))
    for row in agents:
        table.add_row(row["agent"], row["about"])
    table.add_row(HUMAN, "You, in the terminal (play only).")
    console.print()
    console.print(table)
    for agent in dict.fromkeys(row["agent"] for row in presets):
        head = f"preset of {agent}"
        table = _table(head, "about", whole=(head,))
        for row in presets:
            if row["agent"] == agent:
                table.add_row(row["preset"], row["about"])
        console.print()
        console.print(table)
    console.print()
    for row in agents:
        options = ", ".join(row["options"])
        console.print(f"Options of {row['agent']}: {options}")


def _registered(name: str) -> dict[str, Any]:
    """Describe a game that a distribution has registered; or say what is wrong."""
    try:
        return _described(name)
    except (ValueError, RulesError) as error:
        return {"game": name, "error": str(error)}


def _installed(name: str) -> dict[str, object]:
    """Describe an agent that an installed package brings; or say what is wrong."""
    try:
        kind = kind_named(name)
    except ValueError as error:
        return {"agent": name, "options": [], "about": f"cannot be used: {error}"}
    assert kind is not None  # an entry point has this name
    return {"agent": name, "options": list(kind.options), "about": kind.about}


def _print_games(console: Console, games: list[dict[str, Any]]) -> None:
    table = _table(
        "game", "title", "players", "moves", "options", whole=("game", "options")
    )
    for row in games:
        if "error" in row:
            table.add_row(row["game"], f"cannot be used: {row['error']}", "", "", "")
            continue
        table.add_row(
            row["game"],
            row["title"],
            _counts(row["players"]),
            _kind(row),
            "\n".join(f"{name}={value}" for name, value in row["options"].items()),
        )
    for column in table.columns:  # a title that is one word stays whole
        words = [word for cell in column.cells for word in str(cell).split()]
        column.min_width = max(map(len, words), default=0)
    console.print(table)


def _described(name: str) -> dict[str, Any]:
    game = load_any(name)
    if isinstance(game, EnvironmentGame):
        return _environment(name, game)
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


def _environment(name: str, game: EnvironmentGame) -> dict[str, Any]:
    """Describe an environment, of which little is known from outside."""
    players = game.shape().players
    words = {WORD: game.perfect_information, SAMPLES: game.samples}
    parameters = {**words, **(game.parameters() or {})}
    empty = inspect.Parameter.empty
    return {
        "game": name,
        "title": game.title,
        "players": [players],
        "default_players": players,
        "simultaneous": None,
        "hidden": None,
        "chance": None,
        "options": {
            option: None if default is empty else default
            for option, default in parameters.items()
            if option != "render_mode"
        },
    }


def _table(*headings: str, whole: tuple[str, ...]) -> Table:
    """Return a table; what stands in the columns `whole` is not broken."""
    # Without frames and edges no word has to be broken in a terminal of 80 columns.
    table = Table(
        box=SIMPLE_HEAD, padding=(0, 1, 0, 0), show_edge=False, pad_edge=False
    )
    for heading in headings:
        table.add_column(heading, no_wrap=heading in whole, overflow="fold")
    return table


def _counts(numbers: list[int]) -> str:
    """Return numbers of players as people say them: `2 to 5`, or `2, 3, 4, 6`."""
    low, high = numbers[0], numbers[-1]
    if high - low < 2 or numbers != list(range(low, high + 1)):
        return ", ".join(map(str, numbers))
    return f"{low} to {high}"


def _kind(row: dict[str, Any]) -> str:
    if row["hidden"] is None:
        return "an environment"
    order = {True: "at once", False: "in turn", None: "not said"}
    words = [order[row["simultaneous"]]]
    words += [word for word in ("hidden", "chance") if row[word]]
    return ",\n".join(words)
