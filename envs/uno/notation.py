"""How cards and actions of Uno are written."""

from mcts_agents.envs.uno.cards import (
    ACTIONS,
    CARD_OF,
    COLOUR_OF,
    COLOURED,
    DRAW,
    KINDS,
    VALUES,
)
from mcts_agents.model import ForwardModel

COLOUR_NAMES = ("red", "yellow", "green", "blue")
NO_COLOUR_NAME = "no colour"
VALUE_NAMES = (*map(str, range(10)), "skip", "reverse", "draw two")


def card_name(card: int) -> str:
    """Return a card as text, such as `"red 5"`, `"blue draw two"` or `"wild"`."""
    if card >= COLOURED:
        return "wild" if card == COLOURED else "wild draw four"
    return f"{COLOUR_NAMES[card // VALUES]} {VALUE_NAMES[card % VALUES]}"


CARD_NAMES = tuple(card_name(card) for card in range(KINDS))


def _name(action: int) -> str:
    if action == DRAW:
        return "draw"
    name = CARD_NAMES[CARD_OF[action]]
    return name if action < COLOURED else f"{name} {COLOUR_NAMES[COLOUR_OF[action]]}"


ACTION_NAMES = tuple(_name(action) for action in range(ACTIONS))


def format_action(model: ForwardModel, action: int) -> str:
    """Return an action as text: the card, after a wild the colour called, or `"draw"`.

    Such as `"red 5"`, `"blue draw two"`, `"wild green"` or `"wild draw four red"`.
    """
    return ACTION_NAMES[action]


def parse_action(model: ForwardModel, text: str) -> int:
    """Return the action that `format_action` writes so; case and spacing are free.

    Raises:
        ValueError: No action is written so; the message says what is.
    """
    plain = " ".join(text.lower().split())
    if plain not in ACTION_NAMES:
        raise ValueError(
            f"{text!r} is not an action of uno; expected 'draw', a colour "
            f"({', '.join(COLOUR_NAMES)}) and what the card shows (0 to 9, skip, "
            "reverse, draw two), or 'wild' or 'wild draw four' and the colour called, "
            "such as 'red 5', 'blue draw two', 'wild green'"
        )
    return ACTION_NAMES.index(plain)
