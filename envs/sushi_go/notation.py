"""How actions of Sushi Go! are written."""

from mcts_agents.model import ForwardModel

CARD_NAMES = (
    "maki 1",
    "maki 2",
    "maki 3",
    "tempura",
    "sashimi",
    "dumpling",
    "squid",
    "salmon",
    "egg",
    "wasabi",
    "chopsticks",
    "pudding",
)
ACTION_NAMES = (
    *CARD_NAMES,
    "squid on wasabi",
    "salmon on wasabi",
    "egg on wasabi",
    "use chopsticks",
)


def format_action(model: ForwardModel, action: int) -> str:
    """Return an action as text, such as `"squid on wasabi"`.

    The name of a card alone plays it; "chopsticks" lays that card on the field, and
    "use chopsticks" takes two cards with one that lies there.
    """
    return ACTION_NAMES[action]


def parse_action(model: ForwardModel, text: str) -> int:
    """Return the action that `format_action` writes so; case and spacing are free.

    Raises:
        ValueError: No action is written so; the message lists all that are.
    """
    plain = " ".join(text.lower().split())
    if plain not in ACTION_NAMES:
        expected = ", ".join(ACTION_NAMES)
        raise ValueError(
            f"{text!r} is not an action of sushi_go; expected one of {expected}"
        )
    return ACTION_NAMES.index(plain)
