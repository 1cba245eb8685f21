"""The page of the league: ratings by kind of game and by game, heat maps, all rates."""

import csv
import io
import math
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from league import BUDGETS, NETWORK, ORDER, SEARCHING, TIME, LineUp
from matplotlib.figure import Figure
from scipy.sparse.csgraph import connected_components

from mcts_agents.arena.analysis.game_columns import Columns, columns_of
from mcts_agents.arena.analysis.intervals import UNKNOWN, Estimate
from mcts_agents.arena.analysis.ratings import MEAN, ratings
from mcts_agents.arena.analysis.summaries import summarise
from mcts_agents.arena.analysis.tournament_results import Results
from mcts_agents.arena.reports.drawing import style, svg_of
from mcts_agents.envs import load_game, make_any
from mcts_agents.envs.registry import GAMES
from mcts_agents.writing import replacing

sys.path.insert(0, str(Path(__file__).parents[1]))

from machines import NOT_NOTED, Machine, as_text, from_text, told

# Elo points from the mean at which a cell of the heat map has its full colour.
FULL_COLOUR = 250.0


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
        """Return what a store holds, at least a game."""
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


@dataclass(frozen=True)
class KindOfGame:
    """Games that ask the same of a search."""

    title: str
    players_above_two: bool
    uncertain: bool

    def has(self, game: str) -> bool:
        """Return whether a game is one of them."""
        rules, model = load_game(game).rules, make_any(game)[1]
        uncertain = rules.has("redeterminise") or rules.chance
        return (model.players > 2, uncertain) == (
            self.players_above_two,
            self.uncertain,
        )


KINDS = (
    KindOfGame("Two players, nothing hidden, no chance", False, False),
    KindOfGame("More than two players, nothing hidden, no chance", True, False),
    KindOfGame("Two players, hidden information or chance", False, True),
    KindOfGame("More than two players, hidden information or chance", True, True),
)


class Page:
    """The page and its pictures.

    Args:
        played: All that was played.

    Attributes:
        files: What is written, by name.
    """

    def __init__(self, played: Sequence[Played]):
        text = as_csv(played)
        # Rounded as there, so that a page is the same whether it is written from
        # stores or from the table.
        self.played = from_csv(text, "results.csv")
        self.files = {"results.csv": text}
        # Some have only been played with the first budget yet.
        timed = f", and with {TIME} a decision where a game would take less than ten "
        timed += "seconds"
        if all(own.budget != TIME for own in self.played):
            timed = ""
        self.paragraphs = [
            "# The league",
            "`run.py` writes this page. In each game, all agents of this package that "
            f"can play it met in round robins: with {BUDGETS[0]} a decision{timed}. "
            f"Every agent played at least {self._least()} games in each round robin. "
            f"With {BUDGETS[0]}, minimax agents visited as many nodes as others made "
            "simulations, which takes far less time. Scripted agents, `one-step` and "
            "`random` take no budget. Games begin with a random decision of each "
            "player.",
            "Ratings are on the Elo scale. Of two agents that are 100 points apart, "
            "the better one comes before the other in 64% of their games. The mean of "
            "the rated agents of a game is 1500. An agent has no rating where the "
            "games do not determine it, above all if it came behind all others in "
            "every game; its win rate is in [results.csv](results.csv). Both have 95% "
            "intervals.",
        ]
        if any(NETWORK in own.standings for own in self.played):
            self.paragraphs.append(
                f"`{NETWORK}` is a trained network that plays its best move without a "
                f"search, `{SEARCHING}` a search that it guides."
            )
        for budget in BUDGETS:
            of_budget = [own for own in self.played if own.budget == budget]
            if of_budget:
                self._half(budget, of_budget)
        self._absent()
        self.files["results.md"] = "\n\n".join(self.paragraphs) + "\n"

    def write(self, folder: Path) -> None:
        """Write everything into a folder, the page last."""
        (folder / "pictures").mkdir(parents=True, exist_ok=True)
        for name, text in self.files.items():
            with replacing(folder / name) as new:
                new.write_text(text, encoding="utf-8")

    def _least(self) -> int:
        return min(
            standing.games for own in self.played for standing in own.standings.values()
        )

    def _half(self, budget: str, played: list[Played]) -> None:
        self.paragraphs.append(f"## With {budget} a decision")
        name = f"pictures/{budget.replace(' ', '_')}.svg"
        described = f"Ratings of agents in games, {budget} a decision"
        self.files[name] = heat_map(played, described)
        self.paragraphs.append(f"![{described}]({name})")
        if budget == TIME:
            of_all = [one for own in played for one in own.machines or (NOT_NOTED,)]
            if text := told(of_all):
                self.paragraphs.append(f"These games were played {text}.")
        for kind in KINDS:
            games = [own for own in played if kind.has(own.game)]
            if games:
                self._kind(kind, games)
        there = {own.game for own in played}
        if absent := [load_game(game).title for game in GAMES if game not in there]:
            self.paragraphs.append(f"Not played: {', '.join(absent)}.")
        self.paragraphs.append("### Game by game")
        self.paragraphs.append(
            "The agents with the highest win rate, and the first of those whose 95% "
            "intervals overlap with it:"
        )
        rows = [
            [
                load_game(own.game).title,
                own.players,
                f"{own.games}{f' of {own.games + own.left}' if own.left else ''}",
                _percent(own.standings[own.best[0]].win_rate),
                ", ".join(f"`{name}`" for name in own.best[:4]),
                max(0, len(own.best) - 4) or "",
            ]
            for own in played
        ]
        head = ["game", "players", "games", "highest", "agents", "and more"]
        self.paragraphs.append(table(head, rows))

    def _kind(self, kind: KindOfGame, games: list[Played]) -> None:
        """Write the mean ratings of agents that play all of these games."""
        everywhere = [
            name
            for name in games[0].standings
            if all(name in own.standings for own in games)
        ]
        rated = [
            name
            for name in everywhere
            if all(own.standings[name].rating.low is not None for own in games)
        ]
        means = {
            name: mean([own.standings[name].rating for own in games]) for name in rated
        }
        order = sorted(means, key=lambda name: -means[name].value)
        titles = ", ".join(load_game(own.game).title for own in games)
        text = f"{titles}. The ten best of the agents that play all of these:"
        if unrated := [name for name in everywhere if name not in rated]:
            names = ", ".join(f"`{name}`" for name in unrated)
            text = f"{text[:-1]} (without a rating in one of them: {names}):"
        rows = [[f"`{name}`", _rating(means[name])] for name in order[:10]]
        self.paragraphs += [f"### {kind.title}", text]
        self.paragraphs.append(table(["agent", "mean rating (95%)"], rows))

    def _absent(self) -> None:
        self.paragraphs.append("## Who does not play")
        games = dict.fromkeys(own.game for own in self.played)
        reasons: dict[str, dict[str, str]] = {}
        for own in self.played:
            for name, why in own.absent.items():
                reasons.setdefault(name, {})[own.game] = why
        rows = []
        for name in [*ORDER, *reasons]:
            if whys := reasons.pop(name, None):
                where = list(whys) if len(whys) < len(games) else ["all games"]
                rows.append([f"`{name}`", ", ".join(where), next(iter(whys.values()))])
        head = ["agent", "games", "why, in the first of these"]
        self.paragraphs.append(table(head, rows))


def mean(rated: Sequence[Estimate]) -> Estimate:
    """Return the mean of independent ratings with its 95% interval."""
    value = sum(own.value for own in rated) / len(rated)
    # Half the width of each, added up as those of independent figures.
    half = math.hypot(*((own.high - own.low) / 2 for own in rated)) / len(rated)
    return Estimate(value, value - half, value + half)


def heat_map(played: Sequence[Played], described: str) -> str:
    """Return the ratings as SVG: a row for each agent, a column for each game."""
    there = dict.fromkeys(name for own in played for name in own.standings)
    agents = [name for name in dict.fromkeys([*ORDER, *there]) if name in there]
    cells = np.full((len(agents), len(played)), np.nan)
    for column, own in enumerate(played):
        for name, standing in own.standings.items():
            if standing.rating.low is not None:
                cells[agents.index(name), column] = standing.rating.value - MEAN
    left, top, right, width, height = 1.9, 1.6, 0.9, 0.42, 0.2
    size = left + width * len(played) + right, top + height * len(agents) + 0.1
    with style():
        figure = Figure(size)
        axes = figure.add_axes(
            (
                left / size[0],
                0.1 / size[1],
                width * len(played) / size[0],
                height * len(agents) / size[1],
            )
        )
        axes.imshow(
            cells, cmap="PuOr_r", vmin=-FULL_COLOUR, vmax=FULL_COLOUR, aspect="auto"
        )
        for row, column in np.ndindex(*cells.shape):
            value, own = cells[row, column], played[column]
            words = "" if agents[row] not in own.standings else "-"
            if not np.isnan(value):
                words = f"{value:+.0f}"
            pale = np.isnan(value) or abs(value) < 0.7 * FULL_COLOUR
            axes.text(
                column, row, words, ha="center", va="center", fontsize=6.5,
                color="#222222" if pale else "white",
            )  # fmt: skip
        titles = [load_game(own.game).title for own in played]
        axes.set_xticks(range(len(played)), titles, rotation=60, ha="left")
        axes.xaxis.tick_top()
        axes.set_yticks(range(len(agents)), agents)
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
        return svg_of(figure, described.split(",")[0], described)


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(
        "| " + " | ".join(str(cell).replace("|", "\\|") for cell in line) + " |"
        for line in lines
    )


def _percent(rate: Estimate) -> str:
    return f"{rate.value:.1%} ({rate.low:.1%} to {rate.high:.1%})"


def _rating(rating: Estimate) -> str:
    return f"{rating.value:.0f} ({rating.low:.0f} to {rating.high:.0f})"
