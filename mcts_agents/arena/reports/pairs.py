"""Pairs of agents: how often each was placed before the other, and their games."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mcts_agents.arena.analysis.tournament_results import Results
from mcts_agents.arena.playing.fixtures import GameRecord
from mcts_agents.arena.reports.pictures import shade
from mcts_agents.arena.tournaments.store import SOURCES

# Games of a pair that are listed for each game, unless the caller says how many.
LISTED = 20


@dataclass
class Listing:
    """Games of one kind, such as `hex:size=5`, in which two agents met.

    Attributes:
        total: How many there are.
        games: The first of them, by their numbers.
    """

    total: int = 0
    games: list[GameRecord] = field(default_factory=list)


# By the numbers of two agents, the lower one first, and by the spec of a game.
Listings = dict[tuple[int, int], dict[str, Listing]]


def listed_games(results: Results, most: int = LISTED) -> Listings:
    """Return the games in which two agents met, for each pair that did.

    Args:
        results: The tournament.
        most: Most games of a pair to list for each game.
    """
    number = {a.agent: n for n, a in enumerate(results.summary.overall.agents)}
    found: Listings = {}
    for game in results.games:
        seated = sorted({number[seat.agent] for seat in game.seats})
        names = {number[seat.agent]: seat.agent for seat in game.seats}
        for row in seated:
            for column in seated:
                if row < column and game.met(names[row], names[column]):
                    of_pair = found.setdefault((row, column), {})
                    listing = of_pair.setdefault(game.setting.game, Listing())
                    listing.total += 1
                    if listing.total <= most:
                        listing.games.append(game)
    return dict(sorted(found.items()))


def replay_command(results: Results) -> str:
    """Return the command that replays a game, but for the number at its end.

    It runs in the folder of the store, and imports the modules of the user that the
    tournament names.
    """
    name = results.name
    store = shlex.quote(f"./{name}" if name.startswith("-") else name)
    return " ".join(["mcts-agents", *_imports(results), "replay", store])


def repeat_command(results: Results) -> str:
    """Return the command that plays the tournament again, from a file of it."""
    words = ["tournament", "tournament.yaml", "--store", "again.sqlite"]
    return " ".join(["mcts-agents", *_imports(results), *words])


def _imports(results: Results) -> list[str]:
    names = results.description.get(SOURCES, {})
    return [f"--import {shlex.quote(name)}" for name in names]


def placement_table(
    agents: Sequence[str], before: np.ndarray, name: str
) -> list[list[dict[str, Any] | None]]:
    """Return the cells of a heat map, by rows: how often each agent came before which.

    Args:
        agents: Names.
        before: See `Figures.before`.
        name: Begins the names of the places that cells link to.

    Returns:
        For each row and column None where the two never met, else `share` (0 to 1),
        `meetings`, the colours `color` and `ink`, the place `href`, and `title`.
    """
    meetings = before + before.T
    rows: list[list[dict[str, Any] | None]] = []
    for i, one in enumerate(agents):
        rows.append([])
        for j, other in enumerate(agents):
            if not meetings[i, j]:
                rows[-1].append(None)
                continue
            share = before[i, j] / meetings[i, j]
            color, ink = shade(share)
            told = f"{one} before {other}: {share:.0%} of {meetings[i, j]:,.0f}"
            rows[-1].append(
                {
                    "share": share,
                    "meetings": meetings[i, j],
                    "color": color,
                    "ink": ink,
                    "href": f"#{name}-{min(i, j)}-{max(i, j)}",
                    "title": told,
                }
            )
    return rows
