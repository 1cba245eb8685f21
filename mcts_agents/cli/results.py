"""`mcts-agents results`."""

import json
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from mcts_agents.arena.analysis.intervals import Estimate
from mcts_agents.arena.analysis.summaries import (
    REPEATED,
    AgentFigures,
    Figures,
    Repetition,
)
from mcts_agents.arena.analysis.tournament_results import Results, read_results
from mcts_agents.arena.playing.budgets import setting_label
from mcts_agents.cli.requests import requested
from mcts_agents.cli.terminal import PlainConsole
from mcts_agents.names import in_lines

# Columns that are left to the names of agents in a terminal of 80 columns.
_NAME_WIDTH = 17

# Line-ups whose games repeat that are listed.
_SHOWN_REPETITIONS = 5

# The heading of a column, and what it is.
EVEN = "even %: the win rate if all agents were equally strong"

OPENING = "--opening N begins each game with N random decisions."


def show_results(store: Path, as_json: bool) -> None:
    """Print how the agents of a tournament fared."""
    with requested():
        results = read_results(store)
    if as_json:
        print(json.dumps(results_object(results)))
        return
    console = PlainConsole()
    console.print(standing(results))
    alike = Counter(failure.error for failure in results.failures)
    for failure in results.failures:
        if games := alike.pop(failure.error, 0):  # the first one of its kind
            more = f" and {games - 1} more game{'s' * (games > 2)}" * (games > 1)
            console.print(
                f"could not be played: {failure.fixture}{more}: {failure.error}"
            )
    summary = results.summary
    if not summary.overall.agents:
        return
    table = _scores_table if summary.alone else _results_table
    console.print(table(_title(summary.overall), summary.overall))
    if not summary.alone:
        console.print(EVEN)
    if summary.overall.groups:
        console.print(
            "Some agents never met, not even indirectly: ratings compare only agents "
            "that did."
        )
    if summary.overall.one_sided:
        console.print(
            "Some agents always finished ahead of others: these games do not show "
            "how far apart their ratings are, so there are no intervals."
        )
    if summary.repetitions:
        console.print(Text(repeated(summary.repetitions)))
    if len(summary.settings) > 1:
        for figures in summary.settings:
            console.print(table(_title(figures), figures))
    if not summary.alone:
        console.print(_games_table(summary.overall))
    console.print(_decisions_table(summary.overall))


def watch_results(store: Path, seconds: float) -> None:
    """Show how the agents fare, again and again, until all is played."""
    with requested(), Live(console=PlainConsole()) as live:
        while True:
            results = read_results(store)
            shown: list[Any] = [Text(standing(results))]
            if results.summary.overall.agents:
                overall = results.summary.overall
                table = _scores_table if results.summary.alone else _results_table
                shown.append(table(_title(overall), overall))
            live.update(Group(*shown), refresh=True)
            if results.complete:
                return
            time.sleep(seconds)


def standing(results: Results) -> str:
    """Return how far a tournament is, in one line."""
    played = f"{results.summary.games} of {results.total} games"
    if results.complete:
        state = "complete"
    elif results.total:
        state = "not complete"
    else:
        state = "not started yet"
    failed = f", {len(results.failures)} could not be played" * bool(results.failures)
    return f"{results.name}: {played}, {state}{failed}"


def repeated(repetitions: Sequence[Repetition]) -> str:
    """Say where games were played more than once."""
    shown = [
        f"{' - '.join(those.agents)} ({setting_label(those.setting)}): only "
        f"{those.distinct_games:,} of {those.games:,} games differ in moves or scores."
        for those in repetitions[:_SHOWN_REPETITIONS]
    ]
    if more := len(repetitions) - len(shown):
        shown.append(f"Games repeat in {more:,} more line-ups.")
    return "\n".join([*shown, REPEATED, OPENING])


def results_object(results: Results) -> dict[str, Any]:
    """Return all figures as what JSON can hold; None where the games do not give one.

    Returns:
        games, distinct_games, total, complete, never_met and one_sided (see `groups`
        and `one_sided` of `Figures`), agents (one object each), settings (the same, but
        for total and complete, for each game, number of players and budget) and
        failures.
    """
    summary = results.summary
    return {
        "games": summary.games,
        "distinct_games": summary.distinct_games,
        "total": results.total,
        "complete": results.complete,
        **_rough(summary.overall),
        "agents": [_agent_object(agent) for agent in summary.overall.agents],
        "settings": [
            {
                **asdict(figures.setting),
                "games": figures.games,
                "distinct_games": figures.distinct_games,
                **_rough(figures),
                "agents": [_agent_object(agent) for agent in figures.agents],
            }
            for figures in summary.settings
        ],
        "failures": [
            {
                "number": failure.fixture.number,
                **asdict(failure.fixture.setting),
                "round": failure.fixture.round,
                "seed": failure.fixture.seed,
                "agents": [seat.name for seat in failure.fixture.seats],
                "specs": [json.loads(seat.spec) for seat in failure.fixture.seats],
                "error": failure.error,
            }
            for failure in results.failures
        ],
    }


def _rough(figures: Figures) -> dict[str, bool]:
    """Tell what keeps ratings from being comparable."""
    return {"never_met": figures.groups, "one_sided": figures.one_sided}


def _agent_object(agent: AgentFigures) -> dict[str, Any]:
    return {
        "agent": agent.agent,
        "games": agent.games,
        "wins": agent.wins,
        "win_rate": agent.win_rate.value,
        "low": agent.win_rate.low,
        "high": agent.win_rate.high,
        **_estimate("won", agent.won),
        **_estimate("drawn", agent.drawn),
        **_estimate("lost", agent.lost),
        "expected": agent.expected,
        **_estimate("rating", agent.rating),
        **_estimate("mean_rank", agent.mean_rank),
        **_estimate("mean_score", agent.mean_score),
        **_estimate("length", agent.length),
        "decision_milliseconds": asdict(agent.decisions),
        "simulations_per_second": agent.simulations_per_second,
        "depth": agent.depth,
    }


def _estimate(name: str, estimate: Estimate) -> dict[str, float | None]:
    return {
        name: estimate.value,
        f"{name}_low": estimate.low,
        f"{name}_high": estimate.high,
    }


def _title(figures: Figures) -> str:
    setting = figures.setting
    if setting is None:
        return f"all {figures.games:,} games"
    return f"{setting_label(setting)}: {figures.games:,} games"


def _results_table(title: str, figures: Figures) -> Table:
    table = _table(title)
    scored = figures.scored
    for heading in (
        "seats",
        "win rate %\n(95%)",
        "even\n%",
        "mean\nplace",
        *(["mean\nscore"] * scored),
        "rating" if figures.setting else "rating\n(95%)",
    ):
        table.add_column(heading, justify="right", no_wrap=True)
    for agent in figures.agents:
        table.add_row(
            Text(in_lines(agent.agent, _NAME_WIDTH)),
            f"{agent.games:,}",
            _with_interval(agent.win_rate, ".1f", 100),
            _number(agent.expected, ".1f", 100),
            _number(agent.mean_rank.value, ".2f"),
            *([_number(agent.mean_score.value, ".4g")] * scored),
            _with_interval(agent.rating, ".0f"),
        )
    return table


def _scores_table(title: str, figures: Figures) -> Table:
    """Return the results of games of one player, where nobody wins or loses."""
    table = _table(title)
    for heading in ("games", "mean score\n(95%)", "length"):
        table.add_column(heading, justify="right", no_wrap=True)
    for agent in figures.agents:
        table.add_row(
            Text(in_lines(agent.agent, _NAME_WIDTH)),
            f"{agent.games:,}",
            _with_interval(agent.mean_score, ".4g"),
            _number(agent.length.value, ",.1f"),
        )
    return table


def _games_table(figures: Figures) -> Table:
    table = _table("won, drawn, lost")
    for heading in ("won %\n(95%)", "drawn %\n(95%)", "lost %\n(95%)", "length"):
        table.add_column(heading, justify="right", no_wrap=True)
    for agent in figures.agents:
        rates = (agent.won, agent.drawn, agent.lost)
        table.add_row(
            Text(in_lines(agent.agent, _NAME_WIDTH)),
            *(_with_interval(rate, ".1f", 100) for rate in rates),
            _number(agent.length.value, ",.1f"),
        )
    return table


def _decisions_table(figures: Figures) -> Table:
    table = _table("decisions")
    headings = ("moves", "ms\nmean", "ms\nmedian", "90th\nperc.", "99th\nperc.")
    for heading in (*headings, "longest", "simul.\n/s", "tree\ndepth"):
        table.add_column(heading, justify="right", no_wrap=True)
    for agent in figures.agents:
        times = agent.decisions
        ms = (times.mean, times.p50, times.p90, times.p99, times.max)
        table.add_row(
            Text(in_lines(agent.agent, _NAME_WIDTH)),
            f"{times.count:,}",
            *(_number(time, ",.4g") for time in ms),
            _number(agent.simulations_per_second, ",.0f"),
            _number(agent.depth, ".1f"),
        )
    return table


def _table(title: str) -> Table:
    # Text objects: square brackets in names are no markup. One space between columns is
    # the box's: with more, options would be broken in a terminal of 80 columns.
    table = Table(title=Text(title), title_justify="left", box=SIMPLE_HEAD, padding=0)
    table.add_column("agent", overflow="fold", min_width=8)
    return table


def _number(value: float | None, form: str, scale: float = 1) -> str:
    return "-" if value is None else format(value * scale, form)


def _with_interval(estimate: Estimate, form: str, scale: float = 1) -> str:
    if estimate.low is None:
        return _number(estimate.value, form, scale)
    ends = [_number(end, form, scale) for end in (estimate.low, estimate.high)]
    between = " to " if estimate.low < 0 else "-"
    return f"{_number(estimate.value, form, scale)} ({between.join(ends)})"
