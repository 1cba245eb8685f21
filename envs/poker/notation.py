"""How cards and actions of Poker are written."""

from mcts_agents.envs.poker.cards import CARDS, SUITS
from mcts_agents.envs.poker.hands import RAISES
from mcts_agents.model import ForwardModel

RANK_LETTERS = "23456789TJQKA"
SUIT_LETTERS = "cdhs"
# Such as "Kd", the king of diamonds.
CARD_NAMES = tuple(
    RANK_LETTERS[card // SUITS] + SUIT_LETTERS[card % SUITS] for card in range(CARDS)
)
ACTION_NAMES = (
    *("fold", "check", "call", "bet"),
    *(f"raise x{number + 1}" for number in range(RAISES)),
    "all-in",
)


def format_action(model: ForwardModel, action: int) -> str:
    """Return an action as text, such as `"call"`, `"raise x2"` or `"all-in"`."""
    return ACTION_NAMES[action]


def parse_action(model: ForwardModel, text: str) -> int:
    """Return the action that `format_action` writes so; case and spacing are free.

    Raises:
        ValueError: No action is written so; the message says what is.
    """
    plain = " ".join(text.lower().split())
    if plain not in ACTION_NAMES:
        expected = ", ".join(map(repr, ACTION_NAMES))
        raise ValueError(
            f"{text!r} is not an action of poker; expected one of {expected}"
        )
    return ACTION_NAMES.index(plain)
