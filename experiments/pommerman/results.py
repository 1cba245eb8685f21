"""What `run.py` writes of its games: tables 2 and 3, and figures 2 to 5.

Each is written of what there is, and left out where there is nothing.
"""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pommerman_figures import figure_2, figure_3, figure_4, figure_5
from pommerman_games import iterations, of_stores, played, walks_of
from pommerman_tables import (
    table_2,
    table_3,
    table_of_equal_time,
    table_of_iterations,
    table_of_levels,
)

from mcts_agents.arena.reports.drawing import style

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def write_results(folder: Path, size: dict[str, Any]) -> None:
    """Write the tables and the figures of what has been played.

    Args:
        folder: As `run.py` leaves it.
        size: As the YAML file says.
    """
    parts = []
    second = [
        one for made in size["table_2"] for one in played(folder, size, "table_2", made)
    ]
    if second:
        parts.append(table_2(second))
    third = played(folder, size, "table_3", None)
    if third:
        parts.append(table_3(third))
    timed = of_stores(folder, [f"equal_time-{seed}" for seed in size["seeds"]])
    if timed:
        parts.append(table_of_equal_time(timed, size["equal_time"]["budget"]))
    learned = {
        name: found
        for name in ("SRL", "RL")
        if (found := [iterations(folder, name, seed) for seed in size["seeds"]])
        and any(found)
    }
    if learned:
        parts.append(table_of_iterations(learned))
        _draw(folder, "figure_3", (7.0, 4.4), lambda f: figure_3(f, learned))
        shown = size["iterations_shown"]
        _draw(folder, "figure_4", (9.0, 4.0), lambda f: figure_4(f, learned, shown))
    levels = [
        one
        for made in size["figure_2"]
        for one in played(folder, size, "figure_2", made, ("SL", "random"))
    ]
    if levels:
        parts.append(table_of_levels(levels))
        _draw(folder, "figure_2", (7.0, 4.4), lambda f: figure_2(f, levels))
    walks = {
        name: found for name in ("SL", "RL") if (found := walks_of(folder, size, name))
    }
    if walks:
        _draw(folder, "figure_5", (9.5, 3.6), lambda f: figure_5(f, walks))
    text = "\n\n".join(parts)
    (folder / "results.md").write_text(text + "\n", encoding="utf-8")
    print(text or f"{folder}: nothing has been played yet")


def _draw(
    folder: Path,
    name: str,
    inches: tuple[float, float],
    draw: Callable[["Figure"], None],
) -> None:
    from matplotlib.figure import Figure

    with style():
        figure = Figure(inches, layout="constrained")
        draw(figure)
        for ending in ("png", "svg"):
            figure.savefig(folder / f"{name}.{ending}", dpi=130)
