"""Edges as text, as in OpenSpiel's recorded games: `hR,C` and `vR,C`.

`hR,C` joins the dots (R, C) and (R, C + 1), `vR,C` the dots (R, C) and (R + 1, C); rows
from the top, columns from the left, both from 0.
"""

import re
from collections.abc import Mapping

from mcts_agents.model import ForwardModel

_EDGE = re.compile(r"([hv])(\d{1,3}),(\d{1,3})")


def split_action(model: ForwardModel, action: int) -> tuple[str, int, int]:
    """Return an action as `h` or `v`, the row and the column of its first dot."""
    width, height = model.variant["width"], model.variant["height"]
    horizontal = width * (height + 1)
    if action < horizontal:
        return "h", *divmod(int(action), width)
    return "v", *divmod(int(action) - horizontal, width + 1)


def join_action(model: ForwardModel, kind: str, row: int, column: int) -> int:
    """Return the action of an edge of the board; the inverse of `split_action`."""
    width, height = model.variant["width"], model.variant["height"]
    if kind == "h":
        return row * width + column
    return width * (height + 1) + row * (width + 1) + column


def format_action(model: ForwardModel, action: int) -> str:
    """Return the edge of an action, such as `h0,2`."""
    kind, row, column = split_action(model, action)
    return f"{kind}{row},{column}"


def parse_action(model: ForwardModel, text: str) -> int:
    """Return the action of an edge; ValueError says what was expected."""
    width, height = model.variant["width"], model.variant["height"]
    found = _EDGE.fullmatch(text.strip().lower())
    if found:
        kind, row, column = found[1], int(found[2]), int(found[3])
        down, right = (1, 0) if kind == "h" else (0, 1)
        if row < height + down and column < width + right:
            return join_action(model, kind, row, column)
    raise ValueError(
        f"{text!r}: expected an edge h0,0 to h{height},{width - 1} or v0,0 to "
        f"v{height - 1},{width}, row before column"
    )


def recorded_variant(header: Mapping[str, object]) -> dict[str, object]:
    """Return the variant of a recorded file; ValueError if it is of another game."""
    name = str(header.get("openspiel"))
    if not re.match(r"dots_and_boxes\b", name):
        raise ValueError(f"a record of {header.get('game')!r}, not of dots_and_boxes")
    rows = re.search(r"num_rows=(\d+)", name)
    columns = re.search(r"num_cols=(\d+)", name)
    return {
        "players": header["players"],
        "width": int(columns[1]) if columns else 2,
        "height": int(rows[1]) if rows else 2,
    }
