"""The figures of the MultiTree paper: bars in panels, and its map of best variants."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mcts_agents.arena.analysis.intervals import Estimate
from mcts_agents.arena.reports.drawing import colour, style, svg_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_INK = "#222222"
_WIDTH = 9.0  # inches
_PANEL = 2.1

# The colours of single variants, and of the groups of figure 3.
VARIANTS = ("MaxN", "Paranoid", "Self", "MT", "MTP")
GROUPS = {"V": ("MaxN", "Paranoid"), "M": ("MT", "MTP"), "S": ("Self",)}
_GROUP_COLOURS = {"V": colour(0), "M": colour(3), "S": colour(2)}


@dataclass(frozen=True)
class Group:
    """Bars that stand together.

    Attributes:
        label: What stands below them.
        even: The win rate of equal strength.
        rates: By variant.
    """

    label: str
    even: float
    rates: Mapping[str, Estimate]


def bars(
    panels: Mapping[str, Sequence[Group]],
    axis: str,
    name: str,
    described: str,
    one_scale: bool = False,
) -> str:
    """Return panels of bars with 95% intervals as SVG: figures 1, 2 and 4 to 6.

    Args:
        panels: Groups of bars by the panel's title.
        axis: What the labels of the groups are.
        name: Begins the names of the picture's parts.
        described: What the picture shows, for people who do not see it.
        one_scale: Whether all panels reach as high as the highest.
    """
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch

    columns = 2 if len(panels) > 1 else 1
    rows = -(-len(panels) // columns)
    drawn = [
        (variant, rate)
        for groups in panels.values()
        for group in groups
        for variant, rate in group.rates.items()
    ]
    names = [v for v in VARIANTS if any(v == variant for variant, _ in drawn)]
    highest = max(rate.high or 0.0 for _, rate in drawn)
    with style():
        height = 0.4 + rows * (_PANEL + 0.65)
        figure = Figure((_WIDTH, height))
        grid = figure.add_gridspec(
            rows,
            columns,
            left=0.7 / _WIDTH,
            right=1 - 0.1 / _WIDTH,
            top=1 - 0.6 / height,
            bottom=0.45 / height,
            hspace=0.65 / _PANEL,
            wspace=0.16,
        )
        for number, (title, groups) in enumerate(panels.items()):
            axes = figure.add_subplot(grid[number // columns, number % columns])
            _panel(axes, groups, names)
            axes.set_title(title)
            if one_scale:
                axes.set_ylim(0, 1.05 * highest)
            if number % columns == 0:
                axes.set_ylabel("win rate")
            if number // columns == rows - 1:
                axes.set_xlabel(axis)
        handles = [
            Patch(facecolor=colour(VARIANTS.index(v)), edgecolor=_INK, linewidth=0.4)
            for v in names
        ]
        figure.legend(
            handles,
            [*names],
            loc="upper center",
            ncols=len(names),
            frameon=False,
            borderaxespad=0.2,
        )
        return svg_of(figure, name, described)


def _panel(axes: "Axes", groups: Sequence[Group], names: Sequence[str]) -> None:
    """Draw groups of bars, with a dashed line at the even rate across each."""
    from matplotlib.ticker import PercentFormatter

    width = 0.84 / len(names)
    for place, group in enumerate(groups):
        for number, variant in enumerate(names):
            rate = group.rates.get(variant, Estimate())
            if rate.value is None:
                continue
            axes.bar(
                place + (number - (len(names) - 1) / 2) * width,
                rate.value,
                width,
                color=colour(VARIANTS.index(variant)),
                edgecolor=_INK,
                linewidth=0.4,
                yerr=[[rate.value - rate.low], [rate.high - rate.value]],
                error_kw={"elinewidth": 0.9, "capsize": 1.5, "ecolor": _INK},
            )
        axes.hlines(
            group.even, place - 0.48, place + 0.48, color=_INK, linestyle="--",
            linewidth=1.0,
        )  # fmt: skip
    axes.set_xticks(range(len(groups)), [group.label for group in groups])
    axes.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    axes.grid(axis="y", color="#dddddd", linewidth=0.6)
    axes.tick_params(axis="x", length=0)
    axes.set_ylim(bottom=0)


def best_map(
    best: Mapping[tuple[str, int, str], str],
    titles: Mapping[str, str],
    players: Sequence[int],
    budgets: Sequence[str],
    name: str,
) -> str:
    """Return figure 3 as SVG: the best groups of variants by game, players and budget.

    Args:
        best: The letters of the best groups by game, number of players and budget in
            words; grey where there is none.
        titles: Titles of the games by their names, from top to bottom.
        players: Numbers of players, from left to right.
        budgets: Budgets in words, within each number of players.
        name: Begins the names of the picture's parts.
    """
    from matplotlib.figure import Figure
    from matplotlib.patches import Rectangle

    wide = len(players) * len(budgets)
    left, top, cell, row = 1.5, 0.75, 0.9, 0.34
    width, height = left + wide * cell + 0.15, top + len(titles) * row + 0.1
    with style():
        figure = Figure((width, height))
        axes = figure.add_axes(
            (left / width, 0.1 / height, wide * cell / width, 1 - (top + 0.1) / height)
        )
        for y, game in enumerate(titles):
            for x in range(wide):
                count, budget = players[x // len(budgets)], budgets[x % len(budgets)]
                letters = best.get((game, count, budget), "")
                axes.add_patch(Rectangle((x, y), 1, 1, facecolor="#e4e4e4"))
                for n, letter in enumerate(letters):
                    part = 1 / len(letters)
                    axes.add_patch(
                        Rectangle(
                            (x + n * part, y), part, 1, edgecolor="none",
                            facecolor=_GROUP_COLOURS[letter], alpha=0.75,
                        )
                    )  # fmt: skip
                    axes.text(
                        x + (n + 0.5) * part, y + 0.5, letter, ha="center", va="center"
                    )
                axes.add_patch(
                    Rectangle((x, y), 1, 1, fill=False, edgecolor="white", linewidth=2)
                )
        for number, count in enumerate(players):
            axes.text(
                (number + 0.5) * len(budgets), -1.0, f"{count} players", ha="center",
                va="bottom", fontweight="bold",
            )  # fmt: skip
            if number:
                axes.axvline(number * len(budgets), color=_INK, linewidth=1)
        axes.set_xlim(0, wide)
        axes.set_ylim(len(titles), 0)
        axes.set_xticks([x + 0.5 for x in range(wide)], [*budgets] * len(players))
        axes.xaxis.tick_top()
        axes.set_yticks([y + 0.5 for y in range(len(titles))], list(titles.values()))
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
        described = "; ".join(
            f"{titles[game]}, {count} players, {budget}: {letters}"
            for (game, count, budget), letters in best.items()
        )
        return svg_of(figure, name, f"Best variants. {described}")
