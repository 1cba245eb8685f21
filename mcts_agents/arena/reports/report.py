"""One self-contained HTML page for a tournament.

The page says the same each time it is made from the same store.
"""

import itertools
import math
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from mcts_agents.agents.saving import spec_text
from mcts_agents.arena.analysis.intervals import Estimate
from mcts_agents.arena.analysis.summaries import REPEATED, AgentFigures, Figures
from mcts_agents.arena.analysis.tournament_results import Results
from mcts_agents.arena.playing.budgets import budget_label, budget_order, setting_label
from mcts_agents.arena.reports.drawing import colour, hatch
from mcts_agents.arena.reports.pairs import (
    LISTED,
    Listings,
    listed_games,
    placement_table,
    repeat_command,
    replay_command,
)
from mcts_agents.arena.reports.pictures import heat_map, rating_plot, win_rates
from mcts_agents.arena.tournaments.store import SOURCES
from mcts_agents.extras import from_extra
from mcts_agents.writing import replacing

with from_extra("arena", "reports need Jinja"):
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

# Longer names are a number in small cells; the list of agents has both.
_SHORT_NAME = 24
_SHOWN_BEST = 3
_SHOWN_FAILURES = 20
_SHOWN_REPETITIONS = 20

_DESIGNS = {
    "round-robin": "round robin: line-ups of different agents, each equally often and "
    "in rotating seats",
    "one-against-field": "one against the field: one seat for an agent, all others for "
    "the field",
    "all-seats": "all seats: every line-up in every order of seats, from the same deal",
}


def write_report(
    results: Results,
    path: str | os.PathLike[str],
    listed: int = LISTED,
    replays: Mapping[int, str] | None = None,
) -> None:
    """Write the page; the file is written completely or not at all.

    Args:
        results: The tournament.
        path: The file.
        listed: Most games of a pair of agents to list for each game.
        replays: Addresses of pages that replay games, by the numbers of the games.

    Raises:
        OSError: The file cannot be written.
    """
    page = render_report(results, listed, replays)
    with replacing(path) as temporary:
        temporary.write_text(page, encoding="utf-8")


def write_pictures(results: Results, folder: str | os.PathLike[str]) -> list[Path]:
    """Write the pictures of the page as separate SVG files; return their names.

    `win_rates_GAME.svg` for each game; where agents met, `ratings.svg` and `pairs.svg`.

    Args:
        results: With one game at least.
        folder: Made if it is not there.

    Raises:
        OSError: A file cannot be written.
    """
    summary, folder = results.summary, Path(folder)
    overall = summary.overall
    names = [agent.agent for agent in overall.agents]
    pictures: dict[str, str] = {}
    for game, settings in _by_game(summary.settings).items():
        plain = name = f"win_rates_{re.sub('[^0-9a-z]+', '_', game.lower())}"
        for number in itertools.count(2):
            if name not in pictures:
                break
            name = f"{plain}_{number}"  # two games may have the same plain name
        pictures[name] = win_rates(settings)
    if ratings := rating_plot(overall):
        pictures["ratings"] = ratings
    if overall.before.any():  # somebody has met another
        pictures["pairs"] = heat_map(names, overall.before)
    folder.mkdir(exist_ok=True)
    written = []
    for name, picture in pictures.items():
        written.append(folder / f"{name}.svg")
        with replacing(written[-1]) as temporary:
            temporary.write_text(picture, encoding="utf-8")
    return written


def render_report(
    results: Results,
    listed: int = LISTED,
    replays: Mapping[int, str] | None = None,
) -> str:
    """Return the page as text; see `write_report`."""
    environment = Environment(
        loader=PackageLoader("mcts_agents.arena", "reports"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        number=_number,
        interval=_interval,
        breakable=_breakable,
        setting=setting_label,
        budget=lambda budget: budget_label(budget) or "the agents' own",
    )
    return environment.get_template("report.html.jinja").render(
        _shown(results, listed_games(results, listed)), replays=replays or {}
    )


def verdict(overall: Figures) -> str:
    """Say in one sentence who won most, or equally often, and whether that is certain.

    Empty where fewer than two agents have played.
    """
    played = [agent for agent in overall.agents if agent.games]
    best = [overall.agents[n] for n in overall.best()] if len(played) > 1 else []
    if not best:
        return ""
    first = [agent for agent in best if _as_often(agent, best[0])]
    alone = len(first) == 1
    rate = f"{_number(best[0].win_rate.value, '.1f', 100)}%"
    intervals = {_interval(agent.win_rate, ".1f", 100) for agent in first}
    between = f" (95% interval {intervals.pop()})" if len(intervals) == 1 else ""
    if alone:
        told = f"{best[0].agent} won most: {rate} of its games{between}"
    else:
        together = _listed([agent.agent for agent in first])
        told = f"{together} won equally often: {rate} of their games{between}"
    others = [agent.agent for agent in best[len(first) :]]
    if not others:
        if len(first) == len(played):
            return f"{told}."
        return f"{told}, more than any other agent."
    if len(best) == len(played):
        return f"{told}, but any other agent may be as good."
    doubt = f"{'it is' if alone else 'they are'} not certain to be the best"
    return f"{told}, but {doubt}: {_listed(others)} may be as good."


def _as_often(agent: AgentFigures, other: AgentFigures) -> bool:
    """Return whether two agents have one win rate, but for rounding."""
    return math.isclose(agent.win_rate.value, other.win_rate.value)


def _listed(names: list[str]) -> str:
    """Return names in one text, the last ones of many only counted."""
    if len(names) > _SHOWN_BEST + 1:
        names = [*names[:_SHOWN_BEST], f"{len(names) - _SHOWN_BEST} others"]
    *before, last = names
    return f"{', '.join(before)} and {last}" if before else last


def _contents(shown: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the ids and titles of the page's parts that there are."""
    results, summary = shown["results"], shown["summary"]
    parts = [
        ("played", "What is played", results.description),
        ("results", "Results of all games", shown["agents"]),
        ("won", "Won, drawn, lost", summary.games and not summary.alone),
        ("best", "Best by game", shown["best"]),
        ("rates", "Win rates", shown["win_rates"]),
        ("ratings", "Ratings", shown["ratings"]),
        ("pairs", "Head to head", shown["pairs"]),
        ("games", "Games of each pair", shown["listings"]),
        ("decisions", "Decisions", summary.games),
        ("settings", "Results by setting", len(summary.settings) > 1),
        ("failures", "Games that could not be played", shown["failures"]),
        ("repeat", "How to repeat it", results.description),
    ]
    return [(part, title) for part, title, there in parts if there]


def _shown(results: Results, listings: Listings) -> dict[str, Any]:
    """Return what the page shows, by the names that it has there."""
    summary, description = results.summary, results.description
    overall = summary.overall
    games = _by_game(summary.settings)
    several = len(games) > 1
    names = [agent.agent for agent in overall.agents]
    shown = {
        "results": results,
        "verdict": "" if summary.alone else verdict(overall),
        "summary": summary,
        "overall": overall,
        "agents": _agents(results),
        "one_game": len(games) == 1,
        "long_names": any(len(a.agent) > _SHORT_NAME for a in overall.agents),
        "design": _DESIGNS.get(description.get("design", ""), ""),
        "win_rates": {
            game: _inline(win_rates(settings, f"rates{n}"))
            for n, (game, settings) in enumerate(games.items())
        },
        "ratings": _inline(rating_plot(overall)),
        "rating_intervals": any(a.rating.low is not None for a in overall.agents),
        "pairs": {
            title: placement_table(names, before, name)
            for title, before, name in (
                ("all games" if several else "", overall.before, "pairs"),
                *(
                    (game, sum(figures.before for figures in settings), f"pairs{n}")
                    for n, (game, settings) in enumerate(games.items())
                    if several
                ),
            )
            if before.any()
        },
        "listings": listings,
        "game_number": {game: n for n, game in enumerate(games)},
        "command": replay_command(results),
        **_best(summary.settings),
        "repetitions": [
            (" - ".join(those.agents), those)
            for those in summary.repetitions[:_SHOWN_REPETITIONS]
        ],
        "repeated": REPEATED,
        "failures": results.failures[:_SHOWN_FAILURES],
        "repeat": _yaml(description),
        "repeat_command": repeat_command(results),
    }
    return {**shown, "contents": _contents(shown)}


def _agents(results: Results) -> list[dict[str, str]]:
    """Return what the page shows of each agent beside its figures."""
    specs = dict(results.description.get("agents", {}))
    if field := results.description.get("field"):
        specs["field"] = field
    return [
        {
            "name": agent.agent,
            "short": agent.agent if len(agent.agent) <= _SHORT_NAME else f"({n})",
            "colour": colour(n - 1),
            "hatch": hatch(n - 1)[:1],
            "spec": spec_text(specs.get(agent.agent) or ""),
        }
        for n, agent in enumerate(results.summary.overall.agents, 1)
    ]


def _by_game(settings: tuple[Figures, ...]) -> dict[str, list[Figures]]:
    games: dict[str, list[Figures]] = {}
    for figures in settings:
        games.setdefault(figures.setting.game, []).append(figures)
    return games


def _best(settings: tuple[Figures, ...]) -> dict[str, Any]:
    """Return the best agents by game and players (rows) and budget (columns).

    Returns:
        best_columns: Headings: budgets, or numbers if games have different budgets.
        best: By game and players a row of (budget, agents); the budget is empty if the
            heading is one, and the agents are None where nothing was played. Each agent
            is its number and whether nobody won more often.
    """
    found: dict[tuple[str, int], dict[str, list[tuple[int, bool]]]] = {}
    for figures in settings:
        setting = figures.setting
        row = found.setdefault((setting.game, setting.players), {})
        best, agents = figures.best(), figures.agents
        row[setting.budget] = [(n, _as_often(agents[n], agents[best[0]])) for n in best]
    budgets = sorted({b for row in found.values() for b in row}, key=budget_order)
    most = max(map(len, found.values()), default=0)
    if len(budgets) == most:
        columns = [budget_label(budget) for budget in budgets]
        rows = {
            key: [("", row.get(budget)) for budget in budgets]
            for key, row in found.items()
        }
    else:
        columns = [f"budget {n + 1}" for n in range(most)]
        rows = {
            key: [(b, row[b]) for b in sorted(row, key=budget_order)]
            + [("", None)] * (most - len(row))
            for key, row in found.items()
        }
    return {"best_columns": columns, "best": rows}


def _yaml(description: dict[str, Any]) -> str:
    """Return a description as the file that describes this tournament."""
    told = {
        key: value
        for key, value in description.items()
        if value not in (None, []) and key != SOURCES
    }
    told["games"] = [
        {name: value for name, value in game.items() if value not in ([], {})}
        for game in told.get("games", ())
    ]
    return yaml.safe_dump(told, sort_keys=False, allow_unicode=True, width=88)


def _breakable(text: str) -> Markup:
    """Let lines break behind commas and the like."""
    return Markup("<wbr>").join(re.findall(r"[^,:/]*[,:/]*", text))


def _inline(picture: str) -> Markup:
    # In HTML, svg elements need no declaration of their namespaces.
    return Markup(re.sub(r' xmlns(:xlink)?="[^"]*"', "", picture))


def _number(value: float | None, form: str, scale: float = 1) -> str:
    return "-" if value is None else format(value * scale, form)


def _interval(estimate: Estimate, form: str, scale: float = 1) -> str:
    if estimate.low is None:
        return ""
    low, high = (_number(end, form, scale) for end in (estimate.low, estimate.high))
    return f"{low} to {high}"
