"""The Video Game as text and as a picture: the map with its agents."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from mcts_agents.envs.lineup import (
    CHIP,
    CHIP_GAP,
    CHIP_HEIGHT,
    MARKS,
    NAMES,
    paint_chip,
    paint_next,
    paint_status,
    paint_unit,
)
from mcts_agents.envs.painting import (
    BACKGROUND,
    FAINT,
    HIGHLIGHT,
    MUTED,
    PANEL,
    PLAYER_COLORS,
    Color,
    Point,
    darker,
    lighter,
    line,
    mixed,
    ring,
    rounded_rectangle,
    text,
)
from mcts_agents.envs.regions import Rectangle, Region, legal_actions
from mcts_agents.envs.video_game.battlefield import steps
from mcts_agents.envs.video_game.notation import format_action, parts
from mcts_agents.model import WON, ForwardModel

GROUND: Color = (203, 218, 178)
LIFE: Color = (98, 190, 84)
WIDEST, LARGEST_CELL = 620, 112  # pixels of the map and of a cell
MARGIN, FOOTER = 50, 128
COLUMNS = "abcdefgh"


def ansi(model: ForwardModel, state: np.ndarray, observer: int | None) -> str:
    """Return the map: agents as team and number, and behind a colon their health.

    `*` is before the agent that acts next.
    """
    side = model.variant["size"]
    agents = {cell: (team, n, health) for cell, team, n, health in living(model, state)}
    actor = -1 if model.is_over(state) else _cell_of(model, state)
    lines = ["   " + "".join(f"{letter:<8}" for letter in COLUMNS[:side]).rstrip()]
    for row in range(side):
        cells = []
        for cell in range(row * side, (row + 1) * side):
            shown = "."
            if cell in agents:
                team, number, health = agents[cell]
                shown = f"{MARKS[team]}{number + 1}:{health}"
            cells.append(f"{'*' if cell == actor else ' '}{shown}".ljust(8))
        lines.append(f"{row + 1} {''.join(cells)}".rstrip())
    return "\n".join([*lines, _status(model, state)])


def size(model: ForwardModel) -> tuple[int, int]:
    """Return width and height of the picture in pixels."""
    board = model.variant["size"] * _cell_size(model)
    width = max(board, 2 * CHIP + CHIP_GAP) + 2 * MARGIN
    return width, board + MARGIN + FOOTER


def paint(
    surface: Any, model: ForwardModel, state: np.ndarray, observer: int | None
) -> None:
    """Draw the map with its agents, the last move, and what the next one can reach."""
    surface.fill(BACKGROUND)
    record = model.view(state)
    _paint_map(surface, model)
    if record["last"] >= 0:
        _paint_last(surface, model, record)
    radius = _cell_size(model) * 0.27
    for cell, team, number, health in living(model, state):
        x, y = _center(model, cell)
        center = x, y - radius * 0.4
        color, label = PLAYER_COLORS[team], str(number + 1)
        paint_unit(surface, center, color, label, health, LIFE, radius)
        if not model.is_over(state) and cell == _cell_of(model, state):
            paint_next(surface, center, radius)
    _paint_targets(surface, model, state, radius)
    total = size(model)
    left = (total[0] - 2 * CHIP - CHIP_GAP) / 2
    for team in range(2):
        healths = [health for _, t, _, health in living(model, state) if t == team]
        area = (left, total[1] - FOOTER + 18, CHIP, CHIP_HEIGHT)
        words = f"{MARKS[team]}   agents {len(healths)}   health {sum(healths)}"
        paint_chip(surface, area, team, words, team in model.movers(state))
        left += CHIP + CHIP_GAP
    paint_status(surface, total, _status(model, state))


def regions(
    model: ForwardModel, state: np.ndarray, observer: int | None, player: int
) -> list[Region]:
    """Return pairs of an arrival and a target, or where there are none arrivals."""
    found = []
    for action in legal_actions(model, state, player):
        arrival, target = _cells(model, state, action)
        until = None if target is None else Rectangle(*_box(model, target))
        shape = Rectangle(*_box(model, arrival))
        found.append(Region(action, shape, format_action(model, action), until))
    return found


def living(
    model: ForwardModel, state: np.ndarray
) -> Iterator[tuple[int, int, int, int]]:
    """Yield cell, team, number from 0 and health of every living agent."""
    record = model.view(state)
    ones, twos = int(record["ones"]), int(record["twos"])
    for slot in range(2 * model.variant["agents"]):
        health = (ones >> slot & 1) + 2 * (twos >> slot & 1)
        if health:
            yield int(record["cells"][slot]), slot & 1, slot >> 1, health


def _cell_of(model: ForwardModel, state: np.ndarray) -> int:
    """Return the cell of the agent that acts next."""
    record = model.view(state)
    return int(record["cells"][record["slot"]])


def _cells(
    model: ForwardModel, state: np.ndarray, action: int
) -> tuple[int, int | None]:
    """Return the cell at which an action arrives, and that of its target if any."""
    record = model.view(state)
    direction, enemy = parts(model, action)
    arrival = steps(model.variant["size"])[_cell_of(model, state), direction]
    if enemy is None:
        return int(arrival), None
    return int(arrival), int(record["cells"][2 * enemy + 1 - (record["slot"] & 1)])


def _cell_size(model: ForwardModel) -> int:
    return min(LARGEST_CELL, WIDEST // model.variant["size"])


def _box(model: ForwardModel, cell: int) -> tuple[float, float, float, float]:
    """Return left, top, width and height of a cell."""
    side, width = _cell_size(model), size(model)[0]
    row, column = divmod(cell, model.variant["size"])
    left = (width - side * model.variant["size"]) / 2
    return left + column * side, MARGIN + row * side, side, side


def _center(model: ForwardModel, cell: int) -> Point:
    left, top, width, height = _box(model, cell)
    return left + width / 2, top + height / 2


def _inside(model: ForwardModel, cell: int) -> tuple[float, float, float, float]:
    left, top, width, height = _box(model, cell)
    return left + 2, top + 2, width - 4, height - 4


def _paint_map(surface: Any, model: ForwardModel) -> None:
    side = model.variant["size"]
    for cell in range(side * side):
        color = GROUND if sum(divmod(cell, side)) % 2 else lighter(GROUND, 0.25)
        rounded_rectangle(surface, _inside(model, cell), 10, color)
    for index in range(side):
        x, y = _center(model, index * (side + 1))
        left, top, _, _ = _box(model, 0)
        text(surface, COLUMNS[index], (x, top - 20), 24, MUTED)
        text(surface, str(index + 1), (left - 20, y), 24, MUTED)


def _paint_last(surface: Any, model: ForwardModel, record: np.ndarray) -> None:
    """Mark where the last agent came from and went, and draw its attack."""
    color = PLAYER_COLORS[int(record["last"]) & 1]
    origin, arrival = int(record["origin"]), int(record["arrival"])
    target = int(record["target"])
    tint = mixed(PANEL, color, 0.3)
    rounded_rectangle(surface, _inside(model, arrival), 10, tint, HIGHLIGHT, 3)
    if origin != arrival:
        area = _inside(model, origin)
        rounded_rectangle(surface, area, 10, mixed(PANEL, color, 0.12), FAINT, 3)
        start, end = _center(model, origin), _center(model, arrival)
        line(surface, start, end, mixed(PANEL, color, 0.6), 5)
    if target >= 0:
        area = _inside(model, target)
        tint = mixed(PANEL, HIGHLIGHT, 0.55)
        rounded_rectangle(surface, area, 10, tint, HIGHLIGHT, 3)
        start, end = _center(model, arrival), _center(model, target)
        line(surface, start, end, HIGHLIGHT, 6)


def _paint_targets(
    surface: Any, model: ForwardModel, state: np.ndarray, radius: float
) -> None:
    """Mark the free cells at which the next agent can arrive, and whom it can hit."""
    for player in model.movers(state):
        color = mixed(GROUND, PLAYER_COLORS[player], 0.75)
        moves = [_cells(model, state, a) for a in legal_actions(model, state, player)]
        for cell in {arrival for arrival, _ in moves} - {_cell_of(model, state)}:
            ring(surface, _center(model, cell), radius * 0.3, color, 4)
        for cell in {target for _, target in moves if target is not None}:
            x, y = _center(model, cell)
            ring(surface, (x, y - radius * 0.4), radius + 4, darker(HIGHLIGHT, 0.1), 3)


def _name(model: ForwardModel, cell: int) -> str:
    row, column = divmod(int(cell), model.variant["size"])
    return f"{COLUMNS[column]}{row + 1}"


def _status(model: ForwardModel, state: np.ndarray) -> str:
    record = model.view(state)
    if model.is_over(state):
        results = model.results(state).tolist()
        if WON not in results:
            return "A draw: too many moves"
        winner = results.index(WON)
        return f"{NAMES[winner]} ({MARKS[winner]}) wins"
    done = ""
    if record["last"] >= 0:
        last = int(record["last"])
        done = (
            f"{MARKS[last & 1]}{(last >> 1) + 1} on {_name(model, record['arrival'])}"
        )
        if record["target"] >= 0:
            done += f" hit {_name(model, record['target'])}"
        done += ", "
    slot = int(record["slot"])
    team = slot & 1
    return f"{done}{MARKS[team]}{(slot >> 1) + 1} ({NAMES[team]}) to act"
