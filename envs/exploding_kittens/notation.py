"""How actions of Exploding Kittens are written."""

from mcts_agents.envs.exploding_kittens.cards import (
    ACTIONS,
    DRAW,
    GIVE,
    GIVE_NOTHING,
    ORDER_OF,
    PASS,
    PLACE,
    PLAY_ATTACK,
    PLAY_FAVOR,
    PLAY_NOPE,
    PLAY_SEE,
    PLAY_SHUFFLE,
    PLAY_SKIP,
    PUT_BACK,
)
from mcts_agents.model import ForwardModel

CARD_NAMES = (
    "attack",
    "skip",
    "favor",
    "shuffle",
    "see",
    "tacocat",
    "meloncat",
    "beardcat",
    "rainbowcat",
    "furrycat",
    "nope",
    "defuse",
    "kitten",
)
_PLAIN = {
    DRAW: "draw",
    PLAY_SKIP: "skip",
    PLAY_SHUFFLE: "shuffle",
    PLAY_SEE: "see",
    PLAY_NOPE: "nope",
    PASS: "pass",
    GIVE_NOTHING: "give nothing",
}


def _name(action: int) -> str:
    if action in _PLAIN:
        return _PLAIN[action]
    if action < PLAY_ATTACK:
        return f"favor player_{action - PLAY_FAVOR}"
    if action < PLAY_NOPE:
        return f"attack player_{action - PLAY_ATTACK}"
    if action < GIVE_NOTHING:
        return f"give {CARD_NAMES[action - GIVE]}"
    if action < PLACE:
        places = ORDER_OF[action - PUT_BACK]
        return "order " + " ".join(str(place + 1) for place in places)
    return f"place {action - PLACE}"


ACTION_NAMES = tuple(_name(action) for action in range(ACTIONS))


def format_action(model: ForwardModel, action: int) -> str:
    """Return an action as text, such as `"favor player_2"` or `"give skip"`.

    `"order 3 1 2"` puts the card that lay third on top, then the first, then the
    second. `"place 4"` puts the kitten under four cards.
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
            f"{text!r} is not an action of exploding_kittens; expected 'draw', a card "
            "to play ('skip', 'shuffle', 'see', 'favor player_2', 'attack player_1', "
            "'nope'), 'pass', 'give skip', 'give nothing', 'order 3 1 2' or 'place 4'"
        )
    return ACTION_NAMES.index(plain)
