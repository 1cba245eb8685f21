"""Actions as learners, functions and agents give them, against a mask."""

import operator
from typing import Any

import numpy as np

# An error message names at most this many legal actions.
LEGAL_ACTIONS_NAMED = 20


def as_action(action: Any) -> int | None:
    """Return an action as an int, None for what is no integer.

    Integers of numpy and arrays of shape () are integers too.
    """
    try:
        return None if isinstance(action, bool) else operator.index(action)
    except TypeError:
        return None


def legal_action(action: Any, mask: np.ndarray, start: int) -> int | None:
    """Return an action as an int, None if it is not legal.

    Args:
        action: What was chosen.
        mask: 1 for each legal action, int8.
        start: The least action.
    """
    number = as_action(action)
    if (
        number is None
        or not 0 <= number - start < len(mask)
        or not mask[number - start]
    ):
        return None
    return number


def illegal_action(action: Any, mask: np.ndarray, start: int, who: str) -> ValueError:
    """Return the error that names an illegal action, who chose it, and legal ones."""
    legal = (mask.nonzero()[0] + start).tolist()
    shown = ", ".join(map(str, legal[:LEGAL_ACTIONS_NAMED])) or "none"
    more = len(legal) - LEGAL_ACTIONS_NAMED
    return ValueError(
        f"{who}: action {action!r} is not legal; legal: {shown}"
        + (f" and {more} more" if more > 0 else "")
    )


def checked(action: Any, mask: np.ndarray, start: int, who: str) -> int:
    """Return a legal action as an int; see `legal_action`.

    Raises:
        ValueError: It is not legal; the message says whose it is and what is legal.
    """
    number = legal_action(action, mask, start)
    if number is None:
        raise illegal_action(action, mask, start, who)
    return number
