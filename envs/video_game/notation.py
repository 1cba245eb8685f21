"""Moves as text: a step, and the number of the enemy that is attacked, from 1.

Steps are `n`, `ne`, `e` and so on, north being up, or `stay`: `ne-4` goes north-east
and attacks agent 4, `stay` neither goes nor attacks.
"""

import re

from mcts_agents.model import ForwardModel

STEPS = ("stay", "nw", "n", "ne", "w", "e", "sw", "s", "se")


def parts(model: ForwardModel, action: int) -> tuple[int, int | None]:
    """Return the direction of an action and the enemy, from 0; None for no attack."""
    agents = model.variant["agents"]
    direction, enemy = divmod(int(action), agents + 1)
    return direction, None if enemy == agents else enemy


def format_action(model: ForwardModel, action: int) -> str:
    """Return a move as text, such as `ne-4`."""
    direction, enemy = parts(model, action)
    return STEPS[direction] if enemy is None else f"{STEPS[direction]}-{enemy + 1}"


def parse_action(model: ForwardModel, text: str) -> int:
    """Return the action of a move; ValueError says what was expected."""
    agents = model.variant["agents"]
    found = re.fullmatch(r"([a-z]{1,4})(?:-([0-9]{1,2}))?", text.strip().lower())
    if found and found[1] in STEPS and 1 <= int(found[2] or 1) <= agents:
        enemy = int(found[2]) - 1 if found[2] else agents
        return STEPS.index(found[1]) * (agents + 1) + enemy
    raise ValueError(
        f"{text!r}: expected one of {', '.join(STEPS)}, and for an attack - and an "
        f"enemy 1 to {agents}, such as ne-{agents}"
    )
