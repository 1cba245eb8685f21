"""The results of the league: of each round robin, from its store or from the table."""

import csv
import io
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from league import BUDGETS, LineUp
from scipy.sparse.csgraph import connected_components

from mcts_agents.arena.analysis.game_columns import Columns, columns_of
from mcts_agents.arena.analysis.intervals import UNKNOWN, Estimate
from mcts_agents.arena.analysis.ratings import ratings
from mcts_agents.arena.analysis.summaries import summarise
from mcts_agents.arena.analysis.tournament_results import Results
from mcts_agents.arena.tournaments.store import StoreError
from mcts_agents.envs.registry import GAMES

sys.path.insert(0, str(Path(__file__).parents[1]))

from machines import Machine, as_text, from_text

COLUMNS = (
    "game players budget played left agent games win_rate low high rating rating_low "
    "rating_high milliseconds why_not machines"
).split()


@dataclass(frozen=True)
class Standing:
    """How an agent did in a round robin.

    Attributes:
        games: How many it played.
        win_rate: Wins for each of them, ties split.
        rating: Unknown if it never came before, or never came behind, anybody of the
            others.
        milliseconds: Mean time of its decisions.
    """

    games: int
    win_rate: Estimate
    rating: Estimate
    milliseconds: float


@dataclass(frozen=True)
class Played:
    """The results of a game with a budget.

    Attributes:
        game: Its name.
        players: How many it has.
        budget: One of `BUDGETS`.
        games: How many were played.
        left: How many were not yet.
        standings: By agent, of those that have played.
        absent: Why others do not play, by agent.
        machines: On which machines it was played; empty if that makes no difference.
    """

    game: str
    players: int
    budget: str
    games: int
    left: int
    standings: Mapping[str, Standing]
    absent: Mapping[str, str]
    machines: tuple[Machine, ...] = ()

    @classmethod
    def of(
        cls,
        line: LineUp,
        budget: str,
        results: Results,
        machines: Iterable[Machine] = (),
    ) -> "Played":
        """Return what a store holds, at least a game.

        Raises:
            StoreError: Its agents are not those of the line-up.
        """
        others = set(results.agents) ^ set(line.agents)
        if others:
            raise StoreError(
                f"{results.name}: it was played with another version, in which other "
                f"agents play {line.game}: {', '.join(sorted(others))} differ; delete "
                "it, or take another --output"
            )
        rated = _rated(columns_of(results.games, results.agents))
        figures = summarise(results.games, results.agents, resamples=0).overall.agents
        same = {
            name: f"it is the same agent as `{other}`"
            for name, other in line.same.items()
        }
        return cls(
            line.game,
            line.players,
            budget,
            len(results.games),
            results.total - len(results.games),
            {
                own.agent: Standing(
                    own.games,
                    own.win_rate,
                    rated[own.agent],
                    own.decisions.mean or 0.0,
                )
                for own in figures
                if own.games
            },
            same | dict(line.refused),
            tuple(machines),
        )

    @property
    def order(self) -> list[str]:
        """The agents, the highest win rate first."""
        return sorted(
            self.standings, key=lambda name: -self.standings[name].win_rate.value
        )

    @property
    def best(self) -> list[str]:
        """The agent with the highest win rate, and those whose intervals reach it."""
        order = self.order
        low = self.standings[order[0]].win_rate.low
        return [name for name in order if self.standings[name].win_rate.high >= low]

    def rows(self) -> Iterator[dict[str, Any]]:
        """Return the results as rows of `COLUMNS`: an agent each, the best first."""
        whole = {
            "game": self.game,
            "players": self.players,
            "budget": self.budget,
            "played": self.games,
            "left": self.left,
            "machines": as_text(self.machines) if self.machines else "",
        }
        for name in self.order:
            own = self.standings[name]
            yield whole | {
                "agent": name,
                "games": own.games,
                **_cells(own.win_rate, ("win_rate", "low", "high"), 4),
                **_cells(own.rating, ("rating", "rating_low", "rating_high"), 0),
                "milliseconds": f"{own.milliseconds:.3f}",
            }
        for name, why in self.absent.items():
            yield whole | {"agent": name, "games": 0, "why_not": why}


def _cells(figure: Estimate, names: Sequence[str], digits: int) -> dict[str, str]:
    values = figure.value, figure.low, figure.high
    return {
        name: "" if value is None else f"{value:.{digits}f}"
        for name, value in zip(names, values, strict=True)
    }


def as_csv(played: Iterable[Played]) -> str:
    """Return results as text that `from_csv` reads."""
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for own in played:
        writer.writerows(own.rows())
    return text.getvalue()


def from_csv(text: str, source: str) -> list[Played]:
    """Return the results in a text of `as_csv`.

    Args:
        text: Of the file.
        source: Its name, for messages.

    Raises:
        ValueError: It has other columns, an unknown game or budget, or no number where
            one should be.
    """
    reader = csv.DictReader(io.StringIO(text))
    if reader.fieldnames != COLUMNS:
        raise ValueError(f"{source}: columns {reader.fieldnames}, expected {COLUMNS}")
    robins: dict[tuple[str, ...], list[dict[str, str]]] = {}
    for row in reader:
        robin = tuple(row[name] for name in COLUMNS[:5])
        robins.setdefault(robin, []).append(row)
    return [_read(robin, rows, source) for robin, rows in robins.items()]


def _read(robin: tuple[str, ...], rows: list[dict[str, str]], source: str) -> Played:
    game, players, budget, games, left = robin
    for name, known in ((game, list(GAMES)), (budget, BUDGETS)):
        if name not in known:
            raise ValueError(f"{source}: {name!r}, expected one of {', '.join(known)}")
    try:
        standings = {
            row["agent"]: Standing(
                int(row["games"]),
                _estimate(row, "win_rate", "low", "high"),
                _estimate(row, "rating", "rating_low", "rating_high"),
                float(row["milliseconds"]),
            )
            for row in rows
            if not row["why_not"]
        }
        absent = {row["agent"]: row["why_not"] for row in rows if row["why_not"]}
        machines = from_text(rows[0]["machines"] or "[]")
        numbers = int(players), budget, int(games), int(left)
        return Played(game, *numbers, standings, absent, tuple(machines))
    except (ValueError, TypeError) as error:  # TypeError: a line is too short
        raise ValueError(f"{source}: {game}, {budget}: {error}") from None


def _estimate(row: Mapping[str, str], *names: str) -> Estimate:
    return Estimate(*(float(row[name]) if row[name] else None for name in names))


def united(first: Iterable[Played], second: Iterable[Played]) -> list[Played]:
    """Return the round robins of both; of the same one, that of more games."""
    found: dict[tuple[str, str], Played] = {}
    for own in (*first, *second):
        there = found.get((own.game, own.budget))
        if there is None or own.games >= there.games:
            found[own.game, own.budget] = own
    games = list(GAMES)
    return sorted(
        found.values(),
        key=lambda own: (BUDGETS.index(own.budget), games.index(own.game)),
    )


def _rated(columns: Columns) -> dict[str, Estimate]:
    """Return ratings of the largest group whose strengths the games determine."""
    agents, comparisons = columns.agents, columns.comparisons()
    before = comparisons.sum(axis=0).reshape(len(agents), len(agents))
    _, group = connected_components(before > 0, directed=True, connection="strong")
    inside = np.flatnonzero(group == np.bincount(group).argmax())
    pairs = (inside[:, None] * len(agents) + inside).ravel()
    found = ratings(comparisons.tocsc()[:, pairs].tocsr(), len(inside))
    rated = dict.fromkeys(agents, UNKNOWN)
    return rated | {agents[n]: own for n, own in zip(inside, found, strict=True)}
