"""The Wargame as text and as a picture: the armies, unit by unit."""

from typing import Any

import numpy as np

from mcts_agents.envs.lineup import (
    MARKS,
    NAMES,
    Lineup,
    paint_cells,
    paint_chip,
    paint_move,
    paint_next,
    paint_status,
    paint_unit,
)
from mcts_agents.envs.painting import (
    BACKGROUND,
    FAINT,
    MUTED,
    PLAYER_COLORS,
    Color,
    line,
    text,
)
from mcts_agents.envs.regions import Rectangle, Region, legal_actions
from mcts_agents.envs.wargame.notation import format_action
from mcts_agents.model import WON, ForwardModel

LIFE: Color = (98, 190, 84)


def ansi(model: ForwardModel, state: np.ndarray, observer: int | None) -> str:
    """Return the health of all units, `.` for the dead; `*` is before the next one."""
    units = model.variant["units"]
    lines = ["  " + "".join(f"{unit + 1:4d}" for unit in range(units))]
    health, (mover, attacker) = healths(model, state), _next(model, state)
    for player in range(model.players):
        cells = []
        for unit in range(units):
            sign = "*" if (player, unit) == (mover, attacker) else ""
            cells.append(f"{sign}{health[player][unit] or '.'}".rjust(4))
        lines.append(f"{MARKS[player]} {''.join(cells)}")
    return "\n".join([*lines, _status(model, state)])


def size(model: ForwardModel) -> tuple[int, int]:
    """Return width and height of the picture in pixels."""
    return _lineup(model).size


def paint(
    surface: Any, model: ForwardModel, state: np.ndarray, observer: int | None
) -> None:
    """Draw all units with their health, the next one ringed, and the last attack."""
    surface.fill(BACKGROUND)
    lineup, record = _lineup(model), model.view(state)
    paint_cells(surface, lineup)
    if record["last"] >= 0:
        actor, target = (_place(model, record[name]) for name in ("last", "target"))
        paint_move(surface, lineup, actor, target)
    for player, army in enumerate(healths(model, state)):
        for unit, health in enumerate(army):
            center = lineup.center(player, unit)
            if health == 0:
                _paint_dead(surface, center, str(unit + 1))
                continue
            color = PLAYER_COLORS[player]
            paint_unit(surface, center, color, str(unit + 1), health, LIFE)
            if (player, unit) == _next(model, state):
                paint_next(surface, center)
        alive = sum(health > 0 for health in army)
        words = f"{MARKS[player]}   units {alive}   health {sum(army)}"
        framed = player in model.movers(state)
        paint_chip(surface, lineup.chip(player), player, words, framed)
    paint_status(surface, lineup.size, _status(model, state))


def regions(
    model: ForwardModel, state: np.ndarray, observer: int | None, player: int
) -> list[Region]:
    """Return the cells of the units that a player may hit."""
    lineup, units = _lineup(model), model.variant["units"]
    found = []
    for action in legal_actions(model, state, player):
        behind, unit = divmod(action, units)
        box = lineup.box((player + 1 + behind) % model.players, unit)
        found.append(Region(action, Rectangle(*box), format_action(model, action)))
    return found


def healths(model: ForwardModel, state: np.ndarray) -> list[list[int]]:
    """Return the health of all units, a list for each player."""
    record, players = model.view(state), model.players
    ones, twos = int(record["ones"]), int(record["twos"])
    health = [
        (ones >> slot & 1) + 2 * (twos >> slot & 1)
        for slot in range(players * model.variant["units"])
    ]
    return [health[player::players] for player in range(players)]


def _lineup(model: ForwardModel) -> Lineup:
    return Lineup(model.players, model.variant["units"])


def _place(model: ForwardModel, slot: int) -> tuple[int, int]:
    """Return player and unit of a slot."""
    unit, player = divmod(int(slot), model.players)
    return player, unit


def _next(model: ForwardModel, state: np.ndarray) -> tuple[int, int]:
    """Return player and unit that attack next, (-1, -1) at the end of the game."""
    if model.is_over(state):
        return -1, -1
    return _place(model, model.view(state)["slot"])


def _paint_dead(surface: Any, center: tuple[float, float], label: str) -> None:
    """Draw a cross in place of a unit."""
    x, y = center
    text(surface, label, (x, y + 34), 20, MUTED)
    for side in (1, -1):
        line(surface, (x - 12, y - 12 * side), (x + 12, y + 12 * side), FAINT, 6)


def _status(model: ForwardModel, state: np.ndarray) -> str:
    record = model.view(state)
    if model.is_over(state):
        winner = model.results(state).tolist().index(WON)
        return f"{NAMES[winner]} ({MARKS[winner]}) wins"
    done = ""
    if record["last"] >= 0:
        attacker, target = (
            f"{MARKS[player]}{unit + 1}"
            for player, unit in (_place(model, record[k]) for k in ("last", "target"))
        )
        done = f"{attacker} hit {target}, "
    mover, unit = _next(model, state)
    return f"{done}{MARKS[mover]}{unit + 1} ({NAMES[mover]}) to attack"
