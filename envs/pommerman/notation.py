"""Actions of Pommerman as people write them."""

from mcts_agents.model import ForwardModel

MOVE_NAMES = ("stop", "up", "down", "left", "right", "bomb")
WORD_VALUES = 8
MESSAGES = WORD_VALUES * WORD_VALUES


def format_action(model: ForwardModel, action: int) -> str:
    """Return the move, with messages also the two words, such as `up 3 0`."""
    if model.actions == len(MOVE_NAMES):
        return MOVE_NAMES[action]
    move, message = divmod(action, MESSAGES)
    return f"{MOVE_NAMES[move]} {message // WORD_VALUES} {message % WORD_VALUES}"


def parse_action(model: ForwardModel, string: str) -> int:
    """Return the action of a name; without words a message is `0 0`.

    Raises:
        ValueError: No such action.
    """
    with_messages = model.actions != len(MOVE_NAMES)
    move, *words = string.split() or [""]
    if move in MOVE_NAMES and not words:
        return MOVE_NAMES.index(move) * (MESSAGES if with_messages else 1)
    are_words = len(words) == 2 and all(
        word in map(str, range(WORD_VALUES)) for word in words
    )
    if move in MOVE_NAMES and with_messages and are_words:
        first, second = map(int, words)
        return MOVE_NAMES.index(move) * MESSAGES + first * WORD_VALUES + second
    form = f"one of {', '.join(MOVE_NAMES)}"
    if with_messages:
        form += f", and two words from 0 to {WORD_VALUES - 1}"
    raise ValueError(f"{string!r}: expected {form}")
