"""A `Game` made of rules alone, shown as text: for games in one file or a notebook."""

from typing import Any

import numpy as np

from mcts_agents.envs.game import Game
from mcts_agents.envs.painting import BACKGROUND, text
from mcts_agents.model import ForwardModel, Rules

SIZE = (640, 480)
LETTER_SIZE = 22
LINE_HEIGHT = 24


def game_from_rules(rules: Rules) -> Game:
    """Return a game without notation and pictures of its own."""
    return Game(
        name=rules.name,
        version=0,
        title=rules.name.replace("_", " ").title(),
        rules=rules,
        player_counts=(rules.defaults()["players"],),
        simultaneous=False,
        format_action=format_action,
        parse_action=parse_action,
        ansi=ansi,
        size=size,
        paint=paint,
    )


def format_action(model: ForwardModel, action: int) -> str:
    """Return the action's number."""
    return str(action)


def parse_action(model: ForwardModel, string: str) -> int:
    """Return the action of a number; ValueError if there is none."""
    if string.isdecimal() and int(string) < model.actions:
        return int(string)
    raise ValueError(f"{string!r}: expected a number from 0 to {model.actions - 1}")


def ansi(model: ForwardModel, state: np.ndarray, observer: int | None) -> str:
    """Return the record's fields; of a hidden game what the observer sees."""
    if observer is not None and model.hidden_information:
        return str(model.observe(state, observer))
    record = model.view(state)
    width = max(map(len, record.dtype.names))
    return "\n".join(f"{name:{width}}  {record[name]}" for name in record.dtype.names)


def size(model: ForwardModel) -> tuple[int, int]:
    """Return width and height of the picture."""
    return SIZE


def paint(
    surface: Any, model: ForwardModel, state: np.ndarray, observer: int | None
) -> None:
    """Write the text of `ansi` on the surface."""
    surface.fill(BACKGROUND)
    for row, line in enumerate(ansi(model, state, observer).splitlines()):
        position = (LINE_HEIGHT, LINE_HEIGHT * (1 + row))
        text(surface, line, position, LETTER_SIZE, anchor="topleft")
