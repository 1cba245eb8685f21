"""The page of the league: ratings by kind of game and by game, and heat maps."""

import math
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from league import BUDGETS, NETWORK, ORDER, SEARCHING, TIME
from matplotlib.figure import Figure
from round_robins import Played, as_csv, from_csv

from mcts_agents.arena.analysis.intervals import Estimate
from mcts_agents.arena.analysis.ratings import MEAN
from mcts_agents.arena.reports.drawing import style, svg_of
from mcts_agents.envs import load_game, make_any
from mcts_agents.envs.registry import GAMES
from mcts_agents.writing import replacing

sys.path.insert(0, str(Path(__file__).parents[1]))

from machines import NOT_NOTED, told

# Elo points from the mean at which a cell of the heat map has its full colour.
FULL_COLOUR = 250.0


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
            f"{self._least()}With {BUDGETS[0]}, minimax agents visited as many nodes "
            "as others made simulations. Scripted agents, `one-step` and `random` take "
            "no budget. Games begin with a random decision of each player.",
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

    def _least(self) -> str:
        games = [
            standing.games
            for own in self.played
            for standing in own.standings.values()
            if not own.left
        ]
        if not games:
            return ""
        which = "each finished" if any(own.left for own in self.played) else "each"
        least = min(games)
        return f"Every agent played at least {least} games in {which} round robin. "

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
            games = [own for own in played if kind.has(own.game) and not own.left]
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
        """Write how agents do on average that play all of these games."""
        everywhere = [
            name
            for name in games[0].standings
            if all(name in own.standings for own in games)
        ]
        rates = {
            name: mean([own.standings[name].win_rate for own in games])
            for name in everywhere
        }
        order = sorted(rates, key=lambda name: -rates[name].value)
        titles = ", ".join(load_game(own.game).title for own in games)
        rows = []
        for name in order[:10]:
            ratings = [own.standings[name].rating for own in games]
            rated = all(rating.low is not None for rating in ratings)
            rating = _rating(mean(ratings)) if rated else "-"
            rows.append([f"`{name}`", _percent(rates[name]), rating])
        self.paragraphs += [
            f"### {kind.title}",
            f"{titles}. The ten best of the agents that play all of these (no mean "
            "rating if one of the games gives none):",
            table(["agent", "mean win rate (95%)", "mean rating (95%)"], rows),
        ]

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


def mean(figures: Sequence[Estimate]) -> Estimate:
    """Return the mean of independent figures with its 95% interval."""
    value = sum(own.value for own in figures) / len(figures)
    # Half the width of each, added up as those of independent figures.
    half = math.hypot(*((own.high - own.low) / 2 for own in figures)) / len(figures)
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
