"""What `run.py` writes of its games: tables 2 and 3, and figures 2 to 5.

Each is written of what there is, and left out where there is nothing.
"""

import sys
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

sys.path.insert(0, str(Path(__file__).parents[1]))

from machines import machines_of, told

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def write_results(folder: Path, size: dict[str, Any]) -> list[str]:
    """Write the tables of what has been played, and then draw the figures.

    Args:
        folder: As `run.py` leaves it.
        size: As the YAML file says.

    Returns:
        The figures that could not be drawn; standard error has the reasons.
    """
    parts = []
    figures: dict[str, Callable[[], None]] = {}
    second = [
        one for made in size["table_2"] for one in played(folder, size, "table_2", made)
    ]
    if second:
        parts.append(table_2(second))
    third = played(folder, size, "table_3", None)
    if third:
        parts.append(table_3(third))
        figures["figure_5"] = lambda: _draw_walks(folder, size)
    after = size.get("iterations_played")
    if after and any(one.network in ("SRL", "RL") for one in (*second, *third)):
        parts.append(
            f"In tables 2 and 3 and figure 5, SRL and RL have learned from {after} "
            "iterations."
        )
    names = [f"equal_time-{seed}" for seed in size["seeds"]]
    timed = of_stores(folder, names)
    if timed:
        stores = [folder / "tournaments" / f"{name}.sqlite" for name in names]
        machines = [
            own for path in stores if path.exists() for own in machines_of(path)
        ]
        budget = size["equal_time"]["budget"]
        parts.append(table_of_equal_time(timed, budget, told(machines)))
    learned = {
        name: found
        for name in ("SRL", "RL")
        if (found := [iterations(folder, name, seed) for seed in size["seeds"]])
        and any(found)
    }
    if learned:
        parts.append(table_of_iterations(learned))
        shown = size["iterations_shown"]
        figures["figure_3"] = lambda: _draw(
            folder, "figure_3", (7.0, 4.4), lambda f: figure_3(f, learned)
        )
        figures["figure_4"] = lambda: _draw(
            folder, "figure_4", (9.0, 4.0), lambda f: figure_4(f, learned, shown)
        )
    levels = [
        one
        for made in size["figure_2"]
        for one in played(folder, size, "figure_2", made, ("SL", "random"))
    ]
    if levels:
        parts.append(table_of_levels(levels))
        figures["figure_2"] = lambda: _draw(
            folder, "figure_2", (7.0, 4.4), lambda f: figure_2(f, levels)
        )
    text = "\n\n".join(parts)
    # The tables come first: they are there even if a figure cannot be drawn.
    (folder / "results.md").write_text(text + "\n", encoding="utf-8")
    print(text or f"{folder}: nothing has been played yet", flush=True)
    return [name for name, draw in sorted(figures.items()) if not _drawn(name, draw)]


def _drawn(name: str, draw: Callable[[], None]) -> bool:
    """Draw a figure; say why if that cannot be."""
    try:
        draw()
    except ValueError as error:
        print(f"{name} is not drawn: {error}", file=sys.stderr)
        return False
    return True


def _draw_walks(folder: Path, size: dict[str, Any]) -> None:
    """Draw figure 5, for which the games of table 3 are played through again."""
    walks = {
        name: found for name in ("SL", "RL") if (found := walks_of(folder, size, name))
    }
    if walks:
        _draw(folder, "figure_5", (9.5, 3.6), lambda f: figure_5(f, walks))


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
