"""Columns of Connect Four as text: a number from the left, from 1."""

import re
from collections.abc import Mapping

from mcts_agents.model import ForwardModel


def format_action(model: ForwardModel, action: int) -> str:
    """Return the column of an action, such as `4`."""
    return str(int(action) + 1)


def parse_action(model: ForwardModel, text: str) -> int:
    """Return the action of a column; ValueError says what was expected."""
    found = re.fullmatch(r"[1-9]", text.strip())
    if found and int(found[0]) <= model.variant["width"]:
        return int(found[0]) - 1
    raise ValueError(f"{text!r}: expected a column 1 to {model.variant['width']}")


def recorded_variant(header: Mapping[str, object]) -> dict[str, object]:
    """Return the variant of a recorded file; ValueError if it is of another game."""
    name = str(header.get("openspiel"))
    if not re.match(r"connect_four\b", name):
        raise ValueError(f"a record of {header.get('game')!r}, not of connect_four")
    asked = {
        "width": re.search(r"columns=(\d+)", name),
        "height": re.search(r"rows=(\d+)", name),
    }
    return {option: int(found[1]) for option, found in asked.items() if found}
