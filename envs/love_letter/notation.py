"""How actions of Love Letter are written."""

from mcts_agents.envs.love_letter.cards import (
    ACTIONS,
    CARD_OF,
    GUARD,
    GUESS_OF,
    TARGET_OF,
    WITH_TARGET,
)
from mcts_agents.model import ForwardModel

# By number; there is no card 0.
CARD_NAMES = (
    "",
    "guard",
    "priest",
    "baron",
    "handmaid",
    "prince",
    "king",
    "countess",
    "princess",
)


def _name(action: int) -> str:
    card = int(CARD_OF[action])
    words = [CARD_NAMES[card]]
    if card == GUARD or card in WITH_TARGET:
        words.append(f"player_{TARGET_OF[action]}")
    if card == GUARD:
        words.append(CARD_NAMES[GUESS_OF[action]])
    return " ".join(words)


ACTION_NAMES = tuple(_name(action) for action in range(ACTIONS))


def format_action(model: ForwardModel, action: int) -> str:
    """Return an action as text: the card, its target, and what a guard names.

    Such as `"guard player_2 baron"`, `"king player_0"` or `"handmaid"`.
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
            f"{text!r} is not an action of love_letter; expected a card ("
            f"{', '.join(CARD_NAMES[1:])}), its target if it has one, and what a guard "
            "names, such as 'guard player_2 baron', 'king player_0', 'handmaid'"
        )
    return ACTION_NAMES.index(plain)
