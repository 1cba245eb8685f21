"""Pictures of results as SVG: win rates, ratings, and a heat map of placements.

They are drawn with matplotlib's objects and without pyplot, so that nothing else in the
process is touched, and the same figures give the same text.
"""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from mcts_agents.arena.analysis.intervals import Estimate
from mcts_agents.arena.analysis.summaries import Figures
from mcts_agents.arena.playing.budgets import budget_label, budget_order
from mcts_agents.arena.reports.drawing import (
    CHARACTER,
    LINE,
    WIDTH,
    colour,
    hatch,
    literal,
    marker,
    size_of,
    style,
    svg_of,
    wrapped,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_INK = "#222222"
_FAINT = "#777777"
_LEAST_BAR = 0.1  # inches
_MOST_BAR = 1.8
_MOST_CELL = 1.6
_PANEL = 2.5  # height in inches
_NAME = 44  # characters in a line of a name

# From never placed before to always; for any colour vision, the page has the same.
_SHADES = ("#d97721", "#f4f4f4", "#2b79c2")


def win_rates(settings: Sequence[Figures], name: str = "win-rates") -> str:
    """Return bars of win rates with 95% intervals for one game.

    A panel for each number of players, a group of bars for each budget, a bar for each
    agent, and a dashed line at the rate of equal strength: the form of figures 4 to 6
    in R. Goodman, D. Perez-Liebana and S. Lucas, MultiTree MCTS in Tabletop Games,
    IEEE CoG 2022.

    Args:
        settings: Figures of each setting of the game; at least one.
        name: See `svg_of`.
    """
    from matplotlib.figure import Figure

    agents = [agent.agent for agent in settings[0].agents]
    counts = sorted({figures.setting.players for figures in settings})
    budgets = sorted({f.setting.budget for f in settings}, key=budget_order)
    labels = [wrapped(budget_label(budget), 11) for budget in budgets]
    columns = _columns(len(counts), len(agents), labels)
    rows = math.ceil(len(counts) / columns)
    with style():
        names = [wrapped(agent, _NAME) for agent in agents]
        legend_columns, top = _legend_size(names)
        height = top + rows * (_PANEL + 0.75)
        figure = Figure((WIDTH, height))
        grid = figure.add_gridspec(
            rows,
            columns,
            left=0.7 / WIDTH,
            right=(WIDTH - 0.1) / WIDTH,
            top=1 - (top + 0.25) / height,
            bottom=0.5 / height,
            hspace=0.75 / _PANEL,
            wspace=0.22,
        )
        for number, players in enumerate(counts):
            axes = figure.add_subplot(grid[number // columns, number % columns])
            chosen = {
                f.setting.budget: f for f in settings if f.setting.players == players
            }
            inches = WIDTH / columns / len(budgets)
            bar = min(0.84 / len(agents), _MOST_BAR / inches)
            groups = [chosen.get(budget) for budget in budgets]
            highest = _bars(axes, groups, len(agents), bar)
            equal = next(
                agent.expected
                for figures in chosen.values()
                for agent in figures.agents
                if agent.expected is not None
            )
            axes.axhline(equal, color=_INK, linestyle="--", linewidth=0.9)
            axes.set_ylim(0, min(1.0, 1.05 * max(highest, equal)))
            axes.set_title(f"{players} players" if players > 1 else "1 player")
            axes.set_xticks(range(len(budgets)), labels)
            if number % columns == 0:
                axes.set_ylabel("win rate")
        _legend(figure, names, legend_columns)
        described = (
            f"Win rates of {len(agents)} agents with 95% intervals in "
            f"{settings[0].setting.game}, by players and budget; the table of results "
            "has the figures."
        )
        return svg_of(figure, name, described)


def _columns(panels: int, agents: int, labels: Sequence[str]) -> int:
    """Return how many panels fit side by side: bars not too thin, labels apart."""
    widest = max(size_of(label)[0] for label in labels)
    group = max((agents + 1) * _LEAST_BAR, widest * CHARACTER + 0.1)
    needed = max(2.0, group * len(labels) + 0.6)
    columns = max(1, min(panels, int(WIDTH / needed)))
    # Rows of the same length: 4 panels are 2 by 2 and not 3 and 1.
    return math.ceil(panels / math.ceil(panels / columns))


def _bars(
    axes: "Axes", groups: Sequence[Figures | None], agents: int, width: float
) -> float:
    """Draw the bars of a panel and return where the highest interval ends."""
    from matplotlib.ticker import PercentFormatter

    highest = 0.0
    for group, figures in enumerate(groups):
        for agent in range(agents):
            rate = figures.agents[agent].win_rate if figures else Estimate()
            if rate.value is None:
                continue
            highest = max(highest, rate.high)
            axes.bar(
                group + (agent - (agents - 1) / 2) * width,
                rate.value,
                width,
                color=colour(agent),
                hatch=hatch(agent),
                edgecolor=_INK,
                linewidth=0.4,
                yerr=[[rate.value - rate.low], [rate.high - rate.value]],
                error_kw={"elinewidth": 0.9, "capsize": 2, "ecolor": _INK},
            )
    axes.set_xlim(-0.6, len(groups) - 0.4)
    axes.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    axes.grid(axis="y", color="#dddddd", linewidth=0.6)
    axes.tick_params(axis="x", length=0)
    return highest


def _legend_size(names: Sequence[str]) -> tuple[int, float]:
    """Return the columns of a legend and its height in inches."""
    widest = max(size_of(name)[0] for name in [*names, "equal strength"])
    columns = max(1, min(len(names) + 1, int(WIDTH / (widest * CHARACTER + 0.7))))
    # The legend is filled column by column.
    lines = np.array([size_of(name)[1] * LINE + 0.04 for name in [*names, ""]])
    return columns, max(part.sum() for part in np.array_split(lines, columns)) + 0.15


def _legend(figure: "Figure", names: Sequence[str], columns: int) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    handles = [
        Patch(facecolor=colour(n), hatch=hatch(n), edgecolor=_INK, linewidth=0.4)
        for n in range(len(names))
    ]
    dashed = Line2D([], [], color=_INK, linestyle="--", linewidth=0.9)
    figure.legend(
        [*handles, dashed],
        [*literal(names), "equal strength"],
        loc="upper left",
        ncols=columns,
        frameon=False,
        borderaxespad=0.2,
        columnspacing=1.5,
    )


def rating_plot(figures: Figures, name: str = "ratings") -> str:
    """Return a point and a 95% interval for each agent's rating, the best on top.

    Empty if no agent has a rating.

    Args:
        figures: Those of all games.
        name: See `svg_of`.
    """
    from matplotlib.figure import Figure

    rated = [
        (number, agent)
        for number, agent in enumerate(figures.agents)
        if agent.rating.value is not None
    ]
    if not rated:
        return ""
    rated.sort(key=lambda pair: -pair[1].rating.value)
    names = [wrapped(agent.agent, _NAME) for _, agent in rated]
    left = max(size_of(text)[0] for text in names) * CHARACTER + 0.3
    heights = [max(0.32, size_of(text)[1] * LINE + 0.12) for text in names]
    # Each agent has as much room as its name needs.
    places = -(np.cumsum(heights) - np.array(heights) / 2)
    height = sum(heights) + 0.7
    with style():
        figure = Figure((WIDTH, height))
        axes = figure.add_axes(
            (
                left / WIDTH,
                0.55 / height,
                1 - (left + 0.9) / WIDTH,
                sum(heights) / height,
            )
        )
        for place, (number, agent) in zip(places, rated, strict=True):
            rating = agent.rating
            if rating.low is not None:
                axes.hlines(place, rating.low, rating.high, color=_INK, linewidth=1.4)
            axes.plot(
                rating.value,
                place,
                marker(number),
                color=colour(number),
                markeredgecolor=_INK,
                markersize=8,
            )
            axes.annotate(
                f"{rating.value:.0f}",
                (1, place),
                xycoords=("axes fraction", "data"),
                xytext=(8, 0),
                textcoords="offset points",
                va="center",
            )
        axes.axvline(1500, color=_FAINT, linestyle=":", linewidth=1)
        axes.set_ylim(-sum(heights), 0)
        axes.margins(x=0.04)
        axes.set_yticks(places, literal(names))
        axes.tick_params(axis="y", length=0)
        axes.grid(axis="x", color="#dddddd", linewidth=0.6)
        axes.set_xlabel("rating (Elo scale; 1500 is the mean of the agents)")
        described = "; ".join(f"{a.agent} {a.rating.value:.0f}" for _, a in rated)
        return svg_of(figure, name, f"Ratings: {described}")


def shade(share: float) -> tuple[str, str]:
    """Return the colour of a cell of a heat map and that of the text on it.

    Args:
        share: 0 to 1; the colour of 0.5 is nearly white.
    """
    low, middle, high = ([int(s[n : n + 2], 16) for n in (1, 3, 5)] for s in _SHADES)
    end, strength = (low, 1 - 2 * share) if share < 0.5 else (high, 2 * share - 1)
    mixed = [round(m + (e - m) * strength) for m, e in zip(middle, end, strict=True)]
    red, green, blue = mixed
    is_dark = 0.299 * red + 0.587 * green + 0.114 * blue < 128
    return f"#{red:02x}{green:02x}{blue:02x}", "#ffffff" if is_dark else _INK


def heat_map(agents: Sequence[str], before: np.ndarray, name: str = "pairs") -> str:
    """Return how often each row was placed before each column, as coloured cells.

    Args:
        agents: Names.
        before: See `Figures.before`.
        name: See `svg_of`.
    """
    from matplotlib.figure import Figure
    from matplotlib.patches import Rectangle

    count = len(agents)
    meetings = before + before.T
    heads = [wrapped(agent, 11) for agent in agents]
    short = max(size_of(head)[1] for head in heads) <= 3
    names = [wrapped(agent, _NAME) for agent in agents]
    if not short:
        # Names too long for a column: rows are numbered, and columns have the numbers.
        heads = [str(number) for number in range(1, count + 1)]
        names = [f"{text}  ({head})" for text, head in zip(names, heads, strict=True)]
    left = max(size_of(text)[0] for text in names) * CHARACTER + 0.25
    cell = min(_MOST_CELL, (WIDTH - left - 0.2) / count)
    row = max(0.42, max(size_of(text)[1] for text in names) * LINE + 0.1)
    top = max(size_of(head)[1] for head in heads) * LINE + 0.2
    height = count * row + top + 0.15
    width = left + count * cell + 0.2
    with style():
        figure = Figure((width, height))
        axes = figure.add_axes(
            (
                left / width,
                0.1 / height,
                count * cell / width,
                count * row / height,
            )
        )
        axes.set_facecolor("#eeeeee")
        for i, j in zip(*np.nonzero(meetings), strict=True):
            share = before[i, j] / meetings[i, j]
            color, ink = shade(share)
            cell_style = {"facecolor": color, "edgecolor": "white", "linewidth": 2}
            axes.add_patch(Rectangle((j, i), 1, 1, **cell_style))
            axes.text(
                j + 0.5,
                i + 0.5,
                f"{100 * share:.0f}%\n({meetings[i, j]:,.0f})",
                ha="center",
                va="center",
                color=ink,
            )
        axes.set_xlim(0, count)
        axes.set_ylim(count, 0)  # the first agent on top
        axes.set_xticks(np.arange(count) + 0.5, literal(heads))
        axes.set_yticks(np.arange(count) + 0.5, literal(names))
        axes.xaxis.tick_top()
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
        described = (
            f"How often each of {count} agents was placed before each other one."
        )
        return svg_of(figure, name, described)
