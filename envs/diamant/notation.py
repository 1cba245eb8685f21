"""How actions of Diamant are written."""

from mcts_agents.model import ForwardModel

CONTINUE, EXIT = 0, 1
ACTION_NAMES = ("continue", "exit")


def format_action(model: ForwardModel, action: int) -> str:
    """Return an action as text, `"continue"` or `"exit"`."""
    return ACTION_NAMES[action]


def parse_action(model: ForwardModel, text: str) -> int:
    """Return the action that `format_action` writes so; case and spacing are free.

    Raises:
        ValueError: No action is written so; the message lists all that are.
    """
    plain = text.strip().lower()
    if plain not in ACTION_NAMES:
        expected = " or ".join(ACTION_NAMES)
        raise ValueError(f"{text!r} is not an action of diamant; expected {expected}")
    return ACTION_NAMES.index(plain)
