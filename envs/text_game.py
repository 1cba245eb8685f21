"""A `Game` made from rules alone and shown as text: for games in a file or notebook."""

from collections.abc import Callable
from dataclasses import fields, replace
from functools import partial
from typing import Any

import numpy as np

from mcts_agents.envs.game import Game
from mcts_agents.envs.painting import BACKGROUND, Screen, text
from mcts_agents.model import ForwardModel, GameError, Rules
from mcts_agents.names import error_line, line_of, nearest, quoted, unknown_name

SIZE = (640, 480)
LETTER_SIZE = 22
LINE_HEIGHT = 24
COLUMN_WIDTH = 14


def game_from_rules(rules: Rules, **parts: Any) -> Game:
    """Return a game built from rules; the functions below fill in what is not given.

    By default, an action's name is its number, and a position is shown as the fields of
    the state, one per line and grids row by row. If the game hides something, players
    see their observation instead.

    Args:
        rules: The rules.
        **parts: Attributes of `Game`, such as `title`, `format_action` or `ansi`. With
            a `format_action` alone, actions are read by comparing their names; it is
            then called for every number from 0 to `actions - 1`.

    Raises:
        TypeError: `Game` has no such attribute, or `rules` are none.
    """
    if not isinstance(rules, Rules):
        raise TypeError(f"{quoted(rules)}: expected the Rules of a game")
    known = [part.name for part in fields(Game)]
    for name in parts:
        if name not in known:
            raise TypeError(unknown_name("part of a Game", name, known))
    if "format_action" in parts:
        parts["format_action"] = partial(
            own_name, parts["format_action"], parts.get("name", rules.name)
        )
        if "parse_action" not in parts:
            parts["parse_action"] = partial(parse_name, parts["format_action"])
    if "ansi" in parts:
        parts["ansi"] = partial(own_text, parts["ansi"], parts.get("name", rules.name))
    made = Game(
        name=rules.name,
        version=0,
        title=rules.name.replace("_", " ").title(),
        rules=rules,
        player_counts=(rules.defaults()["players"],),
        simultaneous=None,
        format_action=format_action,
        parse_action=parse_action,
        ansi=ansi,
        size=size,
        paint=paint,
    )
    made = replace(made, **parts)
    if "ansi" in parts and "paint" not in parts:
        made = replace(made, paint=partial(paint, shown=made.ansi))
    return made


def format_action(model: ForwardModel, action: int) -> str:
    """Return the action's number."""
    return str(action)


def parse_action(model: ForwardModel, string: str) -> int:
    """Return the action with this number; ValueError if there is none."""
    if string.isdecimal() and int(string) < model.actions:
        return int(string)
    raise ValueError(f"{string!r}: expected a number from 0 to {model.actions - 1}")


def own_name(
    name_of: Callable[[ForwardModel, int], str],
    game: str,
    model: ForwardModel,
    action: int,
) -> str:
    """Return an action's name as an author's function gives it.

    Raises:
        GameError: The function raised an exception; the message says where.
    """
    try:
        return name_of(model, action)
    except Exception as error:
        line = line_of(error, lambda code: code.co_filename != __file__)
        raise GameError(
            f"{game}: `format_action` raised {type(error).__name__} for action "
            f"{action}{line}. It is called for all actions from 0 to "
            f"{model.actions - 1}, also for those that are never legal, and may not "
            "fail"
        ) from error


def own_text(
    text_of: Callable[[ForwardModel, np.ndarray, int | None], str],
    game: str,
    model: ForwardModel,
    state: np.ndarray,
    observer: int | None,
) -> str:
    """Return a position as text, as an author's function gives it.

    Raises:
        GameError: The function raised an exception, of which the message says where;
            or it returned no text.
    """
    try:
        text = text_of(model, state, observer)
    except Exception as error:
        line = line_of(error, lambda code: code.co_filename != __file__)
        reason = error_line(error)
        raise GameError(f"{game}: `ansi` raised {reason}{line}") from error
    if not isinstance(text, str):
        raise GameError(f"{game}: `ansi` returned {quoted(text)}; return a text")
    return text


def parse_name(
    name_of: Callable[[ForwardModel, int], str], model: ForwardModel, string: str
) -> int:
    """Return the action that `name_of` calls by a name.

    Raises:
        ValueError: There is none.
        GameError: There are several.
    """
    names: dict[str, int] = {}
    for action in range(model.actions):
        name = name_of(model, action)
        if names.setdefault(name, action) != action and name == string:
            raise GameError(
                f"{model.name}: actions {names[name]} and {action} are both named "
                f"{name}; `format_action` must name each action differently"
            )
    if string in names:
        return names[string]
    near = nearest(string, list(names)) or list(names)[:3]
    raise ValueError(f"{string!r}: expected a move such as {', '.join(near)}")


def ansi(model: ForwardModel, state: np.ndarray, observer: int | None) -> str:
    """Return the state's fields, or what the observer sees if something is hidden."""
    if observer is not None and model.hidden_information:
        return _grid(model.observe(state, observer))
    record = model.view(state)
    width = max(map(len, record.dtype.names))
    lines = []
    for name in record.dtype.names:
        first, *rest = _grid(record[name]).splitlines() or [""]
        lines.append(f"{name:{width}}  {first}")
        lines += [f"{'':{width}}  {line}".rstrip() for line in rest]
    return "\n".join(lines)


def _grid(values: Any) -> str:
    """Return numbers as text: the last axis side by side, the one before in lines."""
    values = np.asarray(values)
    if values.ndim == 0:
        return str(values)
    if values.ndim > 2:
        return "\n\n".join(map(_grid, values))
    words = [[str(value) for value in row] for row in np.atleast_2d(values)]
    width = max((len(word) for row in words for word in row), default=0)
    return "\n".join(" ".join(word.rjust(width) for word in row) for row in words)


def size(model: ForwardModel) -> tuple[int, int]:
    """Return width and height of the picture."""
    return SIZE


def paint(
    surface: Any,
    model: ForwardModel,
    state: np.ndarray,
    observer: int | None,
    *,
    shown: Callable[[ForwardModel, np.ndarray, int | None], str] = ansi,
) -> None:
    """Write the text of `shown` on the surface."""
    paint_text(surface, shown(model, state, observer))


def paint_text(surface: Any, shown: str) -> None:
    """Write a text on a surface in equally wide columns, so that grids are aligned."""
    surface.fill(BACKGROUND)
    for row, line in enumerate(shown.splitlines()):
        for column, letter in enumerate(line):
            position = (LINE_HEIGHT + COLUMN_WIDTH * column, LINE_HEIGHT * (1 + row))
            if not letter.isspace():
                text(surface, letter, position, LETTER_SIZE, anchor="midtop")


def text_picture(shown: str) -> np.ndarray:
    """Return a text as a picture, uint8 of shape (height, width, 3)."""
    screen = Screen("", 1)
    paint_text(screen.picture(SIZE), shown)
    return screen.pixels()
