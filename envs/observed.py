"""Observations of third-party environments, as text in aligned columns.

Of a grid of planes that hold 0 and 1, such as `(6, 7, 2)` or `(2, 6, 7)`, the first
planes that share no cell are one board: `x` stands for the first, `o` for the second.
Other grids of numbers are shown row by row, and longer lists in lines.
"""

import re
from typing import Any

import numpy as np

from mcts_agents.model.masks import mask_in
from mcts_agents.names import shortened

# What the cells of a board hold, by the number of the plane.
SIGNS = "xo" + "abcdefghijklmnpqrstuvwyz"
EMPTY = "."

# Rows and columns of a grid that is shown as one.
MOST_ROWS, MOST_COLUMNS = 32, 40
# Numbers of a list side by side, and of a list in all.
IN_LINE, MOST_NUMBERS = 20, 400
# Characters of what is no number.
MOST_TEXT = 2000

_COLOURED = re.compile(r"\x1b\[[1-9][0-9;]*m.\x1b\[0m")
_ESCAPE = re.compile(r"\x1b\[[0-9;]*m")


def rendered_text(env: Any) -> str:
    """Return the rendered text of an environment with the render mode `ansi`.

    What is marked by its colour alone is shown as `*`, since the text has no colours.
    """
    shown = env.render()
    text = shown if isinstance(shown, str) else str(shown)
    if "\x1b[" in text:
        text = _COLOURED.sub("*", text)
        text = _ESCAPE.sub("", text)
    return text.strip("\n")


def observed_text(env: Any, agent: str | None, everybody: bool) -> str:
    """Return the agents' observations in an AEC environment, as text.

    Args:
        env: The environment, after `reset`.
        agent: Who looks; None for a spectator.
        everybody: Whether a spectator is shown what each agent observes, not only what
            the first does, who sees everything where nothing is hidden.
    """
    if agent is not None:
        return as_text(_seen(env, agent))
    live = env.agents or env.possible_agents
    if not everybody or len(env.possible_agents) == 1:
        first = env.possible_agents[0]
        return as_text(_seen(env, first if first in live else live[0]))
    return "\n".join(f"{name} sees\n{as_text(_seen(env, name))}" for name in live)


def _seen(env: Any, agent: str) -> Any:
    """Return an observation without its mask; None where nothing is shown any more."""
    try:
        seen = env.observe(agent)
    except (KeyError, ValueError, AttributeError):  # of an agent that has finished
        return None
    if isinstance(seen, dict) and mask_in(seen) is not None:
        seen = {name: part for name, part in seen.items() if name != "action_mask"}
        if list(seen) == ["observation"]:
            return seen["observation"]
    return seen


def as_text(seen: Any) -> str:
    """Return an observation as text; `seen` may be anything that a space allows."""
    if seen is None:
        return "nothing to see"
    if isinstance(seen, dict | tuple):
        pairs = seen.items() if isinstance(seen, dict) else enumerate(seen)
        return "\n".join(f"{name}\n{as_text(part)}" for name, part in pairs)
    values = np.asarray(seen)
    if values.dtype.kind not in "biuf":
        return shortened(str(seen), MOST_TEXT)
    board = _board(values)
    if board is not None:
        return board
    if values.ndim == 2 and _is_grid(values.shape):
        return _aligned(values)
    if values.ndim < 2 and values.size <= MOST_NUMBERS:
        numbers = values.ravel()
        lines = [numbers[at : at + IN_LINE] for at in range(0, len(numbers), IN_LINE)]
        return "\n".join(_aligned(line[np.newaxis]) for line in lines)
    return f"an array of shape {values.shape}, {values.dtype}"


def _board(values: np.ndarray) -> str | None:
    """Return the board that planes of 0 and 1 show together, None if they show none."""
    if values.ndim != 3 or not ((values == 0) | (values == 1)).all():
        return None
    first, rows, columns = values.shape
    planes_first = first < min(rows, columns) or (rows == columns != first)
    if not planes_first:  # PettingZoo's games have planes last
        values = np.moveaxis(values, 2, 0)
    if not _is_grid(values.shape[1:]):
        return None
    cells = np.full(values.shape[1:], EMPTY)
    for plane, sign in zip(values.astype(bool), SIGNS, strict=False):
        if (plane & (cells != EMPTY)).any() or plane.all():
            break  # an earlier position, or no part of the board
        cells[plane] = sign
    return "\n".join(" ".join(row) for row in cells)


def _is_grid(shape: tuple[int, ...]) -> bool:
    rows, columns = shape
    return 1 < rows <= MOST_ROWS and 1 < columns <= MOST_COLUMNS


def _aligned(values: np.ndarray) -> str:
    """Return a table of numbers in columns of one width."""
    words = [[_number(value) for value in row] for row in values]
    width = max((len(word) for row in words for word in row), default=0)
    return "\n".join(" ".join(word.rjust(width) for word in row) for row in words)


def _number(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, np.floating) else str(int(value))
