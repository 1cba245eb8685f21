"""The bar charts of the OMA paper, of matches, and tables of the same."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from experiment import DEPTHS, FIGURES, Experiment, Match
from published import Published, stored_wins

from mcts_agents.arena.analysis.intervals import UNKNOWN, Estimate, wilson
from mcts_agents.arena.reports.drawing import colour, hatch, style, svg_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

AVERAGE = "AVERAGE"
_Z = 1.959963984540054  # of 95%
_INK = "#222222"
_BAR = 0.24  # inches
_TOP, _BOTTOM = 0.75, 0.5


@dataclass(frozen=True)
class Score:
    """How a match stands.

    Attributes:
        wins: Games won by the agent; a shared win counts by its share.
        games: Games played.
    """

    wins: float = 0.0
    games: int = 0

    @property
    def estimate(self) -> Estimate:
        """The win rate with its 95% interval (Wilson)."""
        return wilson(self.wins, self.games)


@dataclass(frozen=True)
class Bars:
    """One row of bars: the win rates against one opponent.

    Attributes:
        opponent: Its name.
        scores: By domain; without games where nothing was played.
        paper: The paper's average in per cent, or None.
    """

    opponent: str
    scores: Mapping[str, Score]
    paper: float | None

    @property
    def average(self) -> Estimate:
        """The mean over domains, each of the same weight, with its 95% interval."""
        played = [score for score in self.scores.values() if score.games]
        if not played:
            return UNKNOWN
        rate = sum(score.wins / score.games for score in played) / len(played)
        # After Agresti and Coull, so that a match won throughout has a variance.
        square = _Z * _Z
        variance = 0.0
        for score in played:
            near = (score.wins + square / 2) / (score.games + square)
            variance += near * (1 - near) / (score.games + square)
        half = _Z * math.sqrt(variance) / len(played)
        return Estimate(rate, max(0.0, rate - half), min(1.0, rate + half))


def score_of(match: Match, folder: Path, published: Published) -> Score:
    """Return how a match stands by its store and the published games."""
    found = published.wins(match) | stored_wins(match, folder)
    wins = [win for number, win in found.items() if number <= match.spec.games_each]
    return Score(sum(wins), len(wins))


def rows_of(
    experiment: Experiment,
    figure: int,
    matches: Sequence[Match],
    folder: Path,
    published: Published,
) -> list[list[Bars]]:
    """Return the bars of a figure, a list for each of its panels that has matches."""
    found = [(match, score_of(match, folder, published)) for match in matches]
    return [
        [
            Bars(
                opponent,
                {m.domain: s for m, s in found if m.opponent == opponent},
                paper,
            )
            for opponent, paper in row.items()
        ]
        for row in experiment.figures[figure]["against"]
        if any(match.opponent in row for match in matches)
    ]


def draw_figure(
    experiment: Experiment, figure: int, panels: Sequence[Sequence[Bars]], subtitle: str
) -> "Figure":
    """Draw a figure of the experiment: horizontal bars, a panel for each row.

    Args:
        experiment: The experiment.
        figure: Its number.
        panels: From `rows_of`; panels without any game are left out.
        subtitle: The budget, and whatever else there is to say.
    """
    from matplotlib.figure import Figure

    panels = [
        p for p in panels if any(s.games for bars in p for s in bars.scores.values())
    ]
    domains = list(next(iter(panels[0])).scores)
    whole = len(domains) == len(experiment.domains)
    labels = [*domains, AVERAGE if whole else f"{AVERAGE} of {len(domains)}"]
    # Each domain takes as much room as its bars, and a half more.
    heights = [len(labels) * (len(panel) + 0.5) * _BAR for panel in panels]
    height = sum(heights) + _TOP + _BOTTOM + 0.95 * (len(panels) - 1)
    with style():
        drawn = Figure((7.5, height), dpi=110)
        at = height - _TOP
        for number, panel in enumerate(panels):
            at -= heights[number]
            box = (1.75 / 7.5, at / height, 5.3 / 7.5, heights[number] / height)
            axes = drawn.add_axes(box)
            _draw_bars(axes, panel, labels, first=2 * number)
            at -= 0.95
        title = title_of(experiment, figure)
        drawn.text(
            0.5, 1 - 0.1 / height, title, ha="center", va="top", fontweight="bold"
        )
        drawn.text(0.5, 1 - 0.28 / height, subtitle, ha="center", va="top")
    return drawn


def _draw_bars(
    axes: "Axes", panel: Sequence[Bars], labels: Sequence[str], first: int
) -> None:
    wide = len(panel) + 0.5
    places = [-wide * n for n in range(len(labels))]
    for number, bars in enumerate(panel):
        estimates = [score.estimate for score in bars.scores.values()]
        offset = (len(panel) - 1) / 2 - number
        played = [
            n for n, e in enumerate([*estimates, bars.average]) if e.value is not None
        ]
        known = [[*estimates, bars.average][n] for n in played]
        _draw_row(
            axes, [places[n] + offset for n in played], known, first + number,
            f"win rate against {bars.opponent}",
        )  # fmt: skip
        if bars.paper is not None:
            label = f"paper's average against {bars.opponent}: {bars.paper:.1f}%"
            axes.plot(
                [bars.paper / 100], [places[-1] + offset], "D", color="white",
                markeredgecolor=_INK, markersize=6, zorder=5, label=label,
            )  # fmt: skip
    axes.set_yticks(places, labels)
    axes.axhline((places[-1] + places[-2]) / 2, color=_INK, linewidth=0.6)
    axes.set_ylim(places[-1] - wide / 2, wide / 2)
    _finish(axes)


def _draw_row(
    axes: "Axes",
    places: Sequence[float],
    estimates: Sequence[Estimate],
    number: int,
    label: str,
) -> None:
    """Draw bars with whiskers, and their figures inside."""
    values = [e.value for e in estimates]
    errors = [
        [e.value - e.low for e in estimates],
        [e.high - e.value for e in estimates],
    ]
    axes.barh(
        places, values, 0.9, xerr=errors, color=colour(number), hatch=hatch(number),
        edgecolor=_INK, linewidth=0.5, capsize=2, label=label,
        error_kw={"elinewidth": 0.9, "ecolor": _INK},
    )  # fmt: skip
    for place, value in zip(places, values, strict=True):
        box = {"facecolor": "white", "edgecolor": "none", "pad": 0.8}
        said = f"{value:.1%}"
        axes.text(0.01, place, said, va="center", fontsize=7, color=_INK, bbox=box)


def _finish(axes: "Axes") -> None:
    from matplotlib.ticker import PercentFormatter

    axes.axvline(0.5, color=_INK, linestyle="--", linewidth=0.8)
    axes.set_xlim(0, 1)
    axes.xaxis.set_major_formatter(PercentFormatter(1.0, 0))
    axes.set_xlabel("win rate, 95% intervals", labelpad=1)
    axes.tick_params(axis="y", length=0)
    axes.legend(
        loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2, frameon=False,
        fontsize=7, handlelength=1.2, borderaxespad=0.15,
    )  # fmt: skip


def draw_depths(
    experiment: Experiment, scores: Mapping[int, Score], subtitle: str
) -> "Figure":
    """Draw footnote 5: a bar for each depth, beside the paper's figure."""
    from matplotlib.figure import Figure

    about = experiment.depths
    depths = [depth for depth, score in scores.items() if score.games]
    estimates = [scores[depth].estimate for depth in depths]
    height = len(depths) * 1.5 * _BAR + _TOP + _BOTTOM
    places = [-1.5 * n for n in range(len(depths))]
    with style():
        drawn = Figure((7.5, height), dpi=110)
        inside = height - _TOP - _BOTTOM
        axes = drawn.add_axes(
            (1.75 / 7.5, _BOTTOM / height, 5.3 / 7.5, inside / height)
        )
        _draw_row(axes, places, estimates, 0, "win rate")
        axes.plot(
            [about["paper"][depth] / 100 for depth in depths], places, "D",
            color="white", markeredgecolor=_INK, markersize=6, zorder=5, label="paper",
        )  # fmt: skip
        # The root player's second move is at depth n + 1 (the paper's bold figure).
        second = experiment.domains[about["domain"]]["players"] + 1
        labels = [
            f"{d} against {d - 1}" + (" *" if d == second else "") for d in depths
        ]
        axes.set_yticks(places, labels)
        axes.set_ylim(places[-1] - 0.75, 0.75)
        _finish(axes)
        title = f"Footnote 5: {about['title']}, {about['domain']}"
        drawn.text(
            0.5, 1 - 0.1 / height, title, ha="center", va="top", fontweight="bold"
        )
        drawn.text(
            0.5, 1 - 0.28 / height, f"{subtitle}; *: reaches the second root move",
            ha="center", va="top",
        )  # fmt: skip
    return drawn


def save(figure: "Figure", path: Path, description: str) -> None:
    """Write a picture, as SVG or PNG by the ending of its name."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    with style():
        if path.suffix == ".svg":
            path.write_text(svg_of(figure, path.stem, description))
        else:
            FigureCanvasAgg(figure).print_png(path)


def table_of(panels: Sequence[Sequence[Bars]]) -> list[str]:
    """Return a figure's rates as lines of a Markdown table."""
    rows = [bars for panel in panels for bars in panel]
    lines = ["| | " + " | ".join(f"against {bars.opponent}" for bars in rows) + " |"]
    lines.append("|---" * (len(rows) + 1) + "|")
    for domain in rows[0].scores:
        cells = [_said(bars.scores[domain].estimate) for bars in rows]
        played = sorted({bars.scores[domain].games for bars in rows})
        games = "-".join(str(n) for n in sorted({played[0], played[-1]}))
        lines.append(f"| {domain}, {games} games | " + " | ".join(cells) + " |")
    lines.append("| average | " + " | ".join(_said(b.average) for b in rows) + " |")
    paper = ["" if b.paper is None else f"{b.paper:.1f}%" for b in rows]
    lines.append("| the paper's average | " + " | ".join(paper) + " |")
    return lines


def depth_table(experiment: Experiment, scores: Mapping[int, Score]) -> list[str]:
    """Return footnote 5 as lines of a Markdown table."""
    lines = ["| depth | games | win rate | the paper's |", "|---|---|---|---|"]
    for depth, score in scores.items():
        paper = experiment.depths["paper"][depth]
        said = _said(score.estimate)
        lines.append(
            f"| {depth} against {depth - 1} | {score.games} | {said} | {paper:.1f}% |"
        )
    return lines


def _said(estimate: Estimate) -> str:
    if estimate.value is None:
        return "-"
    return f"{estimate.value:.1%} ({estimate.low:.1%} to {estimate.high:.1%})"


def write_charts(
    experiment: Experiment,
    matches: Sequence[Match],
    folder: Path,
    published: Published,
    budget: str,
    endings: Sequence[str] = ("svg", "png"),
    say: Callable[[str], None] = print,
) -> list[Path]:
    """Write the picture of each figure that has a game, and `results.md`.

    Returns:
        The files written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    written, lines = [], []
    for figure in dict.fromkeys(match.figure for match in matches):
        own = [match for match in matches if match.figure == figure]
        if figure == DEPTHS:
            name, title = "footnote_5", f"Footnote 5: {experiment.depths['title']}"
            scores = {_depth(m): score_of(m, folder, published) for m in own}
            if not any(score.games for score in scores.values()):
                continue
            drawn = draw_depths(experiment, scores, _games(scores.values()))
            table = depth_table(experiment, scores)
        else:
            name = f"figure_{figure}"
            title = title_of(experiment, figure)
            panels = rows_of(experiment, figure, own, folder, published)
            scores = [s for p in panels for bars in p for s in bars.scores.values()]
            if not any(score.games for score in scores):
                continue
            subtitle = f"{budget_said(budget)}; {_games(scores)}"
            drawn = draw_figure(experiment, figure, panels, subtitle)
            table = table_of(panels)
        for ending in endings:
            path = folder / f"{name}.{ending}"
            save(drawn, path, f"{title}; win rates with 95% intervals.")
            written.append(path)
        lines += [f"## {title}", "", *table, ""]
    if lines:
        (folder / "results.md").write_text("\n".join(lines))
        written.append(folder / "results.md")
        say("\n".join(lines))
    return written


def _depth(match: Match) -> int:
    return int(match.agent.split()[-1])


def _games(scores: object) -> str:
    counts = sorted({score.games for score in scores})
    low, high = counts[0], counts[-1]
    return f"{high} games each" if low == high else f"{low} to {high} games each"


def title_of(experiment: Experiment, figure: int) -> str:
    """Return what stands above a figure."""
    about = experiment.figures[figure]["title"]
    return f"Figure {figure}: {about}" if figure in FIGURES else about


def budget_said(budget: str) -> str:
    """Return a budget in words."""
    if budget.isdigit():
        return f"{int(budget):,} simulations or nodes a move"
    return f"{budget} a move"
