"""How cards and actions of Colt Express are written."""

from mcts_agents.envs.colt_express.cards import (
    ACTIONS,
    CARD_NAMES,
    COLLECT_KIND,
    COLLECT_NOTHING,
    DRAW,
    KIND_NAMES,
    MARSHAL_LEFT,
    MARSHAL_RIGHT,
    PLAYABLE,
    PUNCH_NOBODY,
    PUNCH_SEAT,
    SHOOT_NOBODY,
    SHOOT_SEAT,
    TO_CAR,
    VERTICAL,
)
from mcts_agents.model import ForwardModel

SIDE_NAMES = ("left", "right")


def _name(action: int) -> str:
    if action < PLAYABLE:
        return f"play {CARD_NAMES[action]}"
    names = {
        DRAW: "draw",
        VERTICAL: "climb",
        MARSHAL_LEFT: "marshal left",
        MARSHAL_RIGHT: "marshal right",
        COLLECT_NOTHING: "collect nothing",
        SHOOT_NOBODY: "shoot nobody",
        PUNCH_NOBODY: "punch nobody",
    }
    if action in names:
        return names[action]
    if action < VERTICAL:
        return f"move to car {action - TO_CAR}"
    if action < COLLECT_NOTHING:
        return f"collect {KIND_NAMES[action - COLLECT_KIND]}"
    if action < SHOOT_NOBODY:
        return f"shoot player_{action - SHOOT_SEAT}"
    seat, side, kind = punch_parts(action)
    return f"punch player_{seat} {SIDE_NAMES[side]}, drops {KIND_NAMES[kind]}"


def punch_parts(action: int) -> tuple[int, int, int]:
    """Return the seat, the direction and the kind of loot of a punch."""
    code = action - PUNCH_SEAT
    return code >> 3, code >> 2 & 1, code & 3


ACTION_NAMES = tuple(_name(action) for action in range(ACTIONS))


def format_action(model: ForwardModel, action: int) -> str:
    """Return an action as text.

    Such as `"play shoot"`, `"draw"`, `"move to car 2"`, `"collect jewel"`,
    `"shoot player_1"` or `"punch player_1 left, drops purse"`.
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
            f"{text!r} is not an action of colt_express; expected 'play' and a card "
            f"({', '.join(CARD_NAMES[:PLAYABLE])}), 'draw', 'move to car 2', 'climb', "
            "'marshal left', 'collect purse' (jewel, strongbox, nothing), 'shoot "
            "player_1', 'shoot nobody', 'punch player_1 left, drops purse' or 'punch "
            "nobody'"
        )
    return ACTION_NAMES.index(plain)
