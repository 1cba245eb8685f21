"""Figures 2 to 5 of the Pommerman paper."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from pommerman_games import (
    ACTIONS,
    Iteration,
    Played,
    Walk,
    mean_actions,
    side_by_side,
)

from mcts_agents.arena.analysis.intervals import Estimate, wilson
from mcts_agents.arena.reports.drawing import colour, marker

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Within how many steps figure 5 (C) counts cells.
WITHIN = 20


def figure_2(figure: "Figure", found: Sequence[Played]) -> None:
    """Draw win rates by simulations; RawNet is what both methods begin with."""
    axes = figure.add_subplot()
    raw = {one.network: one for one in found if not one.simulations}
    lines: dict[tuple[str, str], list[Played]] = {}
    for one in found:
        if one.simulations:
            first = [raw[one.network]] if one.network in raw else []
            lines.setdefault((one.agent, one.network), list(first)).append(one)
    for number, ((agent, network), points) in enumerate(sorted(lines.items())):
        _line(
            axes,
            [one.simulations for one in points],
            [one.figures.won for one in points],
            f"{agent}, {'learned' if network == 'SL' else 'random'} network",
            number,
        )
    axes.set_title("Figure 2: against three SimpleUnbiased")
    axes.set_xlabel("simulations a step; 0: the network alone")
    _finish(axes)


def figure_3(figure: "Figure", learned: dict[str, list[list[Iteration]]]) -> None:
    """Draw win rates by iteration."""
    axes = figure.add_subplot()
    for number, (name, seeds) in enumerate(learned.items()):
        found = side_by_side(seeds)
        rates = [
            wilson(sum(one.wins for one in each), sum(one.games for one in each))
            for each in found
        ]
        label = "from SL (SRL)" if name == "SRL" else "from a random network (RL)"
        _line(axes, range(len(rates)), rates, label, number)
    axes.set_title("Figure 3: SP-MCTS in reinforcement learning")
    axes.set_xlabel("iterations learned from")
    axes.xaxis.get_major_locator().set_params(integer=True)
    _finish(axes)


def _line(
    axes: "Axes", at: Sequence[float], rates: Sequence[Estimate], name: str, number: int
) -> None:
    low = [rate.value - rate.low for rate in rates]
    high = [rate.high - rate.value for rate in rates]
    axes.errorbar(
        at, [rate.value for rate in rates], yerr=[low, high], label=name, capsize=3,
        color=colour(number), marker=marker(number),
    )  # fmt: skip


def _finish(axes: "Axes") -> None:
    axes.axhline(0.25, color="#888888", linestyle="--", label="even")
    axes.set_ylabel("win rate, with 95% intervals")
    axes.set_ylim(0, 1)
    axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))


def figure_4(
    figure: "Figure", learned: dict[str, list[list[Iteration]]], shown: Sequence[int]
) -> None:
    """Draw what is played in some iterations."""
    panels = figure.subplots(1, len(learned), sharey=True, squeeze=False)[0]
    for axes, (name, seeds) in zip(panels, learned.items(), strict=True):
        found = side_by_side(seeds)
        there = [number for number in shown if number < len(found)]
        width = 0.8 / max(len(there), 1)
        for place, number in enumerate(there):
            each = [one.actions for one in found[number]]
            spread = np.std(each, axis=0) if len(each) > 1 else None
            axes.bar(
                np.arange(len(ACTIONS)) - 0.4 + (place + 0.5) * width,
                mean_actions(found[number]), width, yerr=spread,
                color=colour(place), label=f"iteration {number}",
            )  # fmt: skip
        axes.set_title(f"Figure 4: SP-MCTS, {name}")
        axes.set_xticks(range(len(ACTIONS)), ACTIONS)
        axes.legend(frameon=False)
    panels[0].set_ylabel("share of decisions")


def figure_5(figure: "Figure", walks: dict[str, list[Walk]]) -> None:
    """Draw where the agents were, and how many cells they saw within 20 steps."""
    from matplotlib.colors import PowerNorm

    panels = figure.subplots(1, len(walks) + 1)
    boards = {}
    for name, games in walks.items():
        boards[name] = np.zeros((games[0].side, games[0].side))
        for one in games:
            np.add.at(boards[name], tuple(one.cells.T), 1.0 / len(games))
    top = max(float(board.max()) for board in boards.values())
    # By the square root: those who idle stand in one cell most of the time.
    scale = PowerNorm(0.5, vmin=0.0, vmax=top)
    for axes, (name, board) in zip(panels, boards.items(), strict=False):
        image = axes.imshow(board, cmap="cividis", norm=scale)
        axes.set_title(f"Figure 5: {name}")
        axes.set_xlabel(f"games: {len(walks[name]):,}")
        axes.set_xticks([])
        axes.set_yticks([])
    figure.colorbar(image, ax=panels[-2], label="steps a game", shrink=0.8)
    axes = panels[-1]
    for number, (name, games) in enumerate(walks.items()):
        counts = np.concatenate([_unique_within(one.cells) for one in games])
        axes.hist(
            counts, bins=np.arange(0.5, WITHIN + 1.5), density=True, histtype="step",
            color=colour(number), label=name,
        )  # fmt: skip
    axes.set_title(f"movement within {WITHIN} steps")
    axes.set_xlabel("different cells")
    axes.set_ylabel("share")
    axes.legend(frameon=False)


def _unique_within(cells: np.ndarray) -> np.ndarray:
    """Return how many cells were visited in each stretch of 20 steps."""
    stretches = range(max(len(cells) - WITHIN + 1, 1))
    return np.array([len(np.unique(cells[n : n + WITHIN], axis=0)) for n in stretches])
