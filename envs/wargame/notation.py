"""Attacks as text: the number of the unit that is hit, from 1.

With three players the opponent stands before it: `1.7` is unit 7 of the player after
the mover in the order of seats, `2.7` unit 7 of the one after that.
"""

import re

from mcts_agents.model import ForwardModel


def format_action(model: ForwardModel, action: int) -> str:
    """Return the unit that an action hits, such as `7` or `1.7`."""
    behind, unit = divmod(int(action), model.variant["units"])
    return str(unit + 1) if model.players == 2 else f"{behind + 1}.{unit + 1}"


def parse_action(model: ForwardModel, text: str) -> int:
    """Return the action of a unit; ValueError says what was expected."""
    units = model.variant["units"]
    form = r"()([0-9]{1,2})" if model.players == 2 else r"([12])\.([0-9]{1,2})"
    found = re.fullmatch(form, text.strip())
    if found and 1 <= int(found[2]) <= units:
        return int(found[1] or 1) * units - units + int(found[2]) - 1
    if model.players == 2:
        raise ValueError(f"{text!r}: expected a unit, 1 to {units}")
    raise ValueError(
        f"{text!r}: expected an opponent, 1 for the next one or 2, and a unit, 1 to "
        f"{units}, such as 1.{units}"
    )
