"""Learning curves: win rates with their intervals over the steps of training."""

from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mcts_agents.extras import from_extra
from mcts_agents.writing import replacing

if TYPE_CHECKING:
    from mcts_agents.arena.analysis.intervals import Estimate


def draw_learning_curve(
    path: str | PathLike[str],
    curves: Mapping[str, Sequence[tuple[float, "Estimate"]]],
    *,
    title: str,
    even: float | None = None,
    steps: str = "steps of training",
) -> None:
    """Draw win rates over training, a line for each opponent, as PNG, SVG or PDF.

    Bars show 95% intervals.

    Args:
        path: The file; its ending tells the format.
        curves: For each opponent, by the name that the legend gives it, (steps of
            training, win rate).
        title: Stands above the picture.
        even: The rate of equal strength, where there is a dashed line.
        steps: What the steps are, beneath the picture.

    Raises:
        ValueError: A format that matplotlib does not write, or an estimate without
            games.
        OSError: The file cannot be written; it is as it was.
        MissingExtraError: The extra `arena` is not installed.
    """
    with from_extra("arena", "learning curves need matplotlib"):
        from matplotlib.figure import Figure

        from mcts_agents.arena.reports.drawing import style

    with style():
        figure = Figure((7.0, 4.6), layout="constrained")
        axes = figure.add_subplot()
        if even is not None:
            _draw_even(axes, even)
        for number, (name, points) in enumerate(curves.items()):
            if any(rate.value is None for _, rate in points):
                raise ValueError(f"curves[{name!r}]: a rate without any games")
            _draw_curve(axes, points, name, number)
        axes.set_title(title)
        axes.set_xlabel(steps)
        axes.set_ylabel("win rate, with 95% intervals")
        axes.xaxis.set_major_formatter("{x:,.0f}")
        axes.set_xlim(left=0)
        axes.set_ylim(-0.02, 1.02)
        axes.yaxis.set_major_formatter(lambda rate, _: f"{rate:.0%}")
        axes.grid(axis="y", color="#dddddd")
        figure.legend(title="against", loc="outside lower center", ncols=3)
        form = Path(path).suffix[1:]
        with replacing(path) as temporary:
            figure.savefig(temporary, format=form, dpi=150)


def _draw_even(axes: Any, even: float) -> None:
    """Draw the rate of equal strength as a dashed line."""
    grey = "#777777"
    axes.axhline(even, color=grey, linestyle="--", linewidth=1)
    axes.text(
        0.995,
        even,
        "equal strength",
        transform=axes.get_yaxis_transform(),
        horizontalalignment="right",
        verticalalignment="bottom",
        color=grey,
    )


def _draw_curve(
    axes: Any, points: Sequence[tuple[float, "Estimate"]], name: str, number: int
) -> None:
    """Draw rates with their intervals; `number` decides colour and marker."""
    from mcts_agents.arena.reports.drawing import colour, marker

    rates = [rate for _, rate in points]
    axes.errorbar(
        [step for step, _ in points],
        [rate.value for rate in rates],
        [
            [rate.value - rate.low for rate in rates],
            [rate.high - rate.value for rate in rates],
        ],
        label=name,
        color=colour(number),
        marker=marker(number),
        markersize=4,
        capsize=2,
        linewidth=1.5,
    )
