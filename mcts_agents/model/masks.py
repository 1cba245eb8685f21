"""Action masks: where observations show them, and whether they are ones."""

from typing import Any

import numpy as np
from gymnasium import spaces


def mask_in(shown: Any) -> Any:
    """Return the action mask in an observation or info, None if there is none.

    It is an array, or a tuple of one for each part of a MultiDiscrete action.
    """
    mask = shown.get("action_mask") if isinstance(shown, dict) else None
    return mask if mask is None or isinstance(mask, tuple) else np.asarray(mask)


def as_mask(mask: np.ndarray, actions: int, whose: str) -> np.ndarray:
    """Return a mask that an environment shows, if it is one.

    Args:
        mask: Booleans, integers or floats, each 0 or 1.
        actions: Number of actions of the agent.
        whose: What the mask is, for the message.

    Returns:
        The same mask, shape (actions,).

    Raises:
        ValueError: Another shape, or another value.
    """
    if mask.shape != (actions,):
        raise ValueError(
            f"{whose} has the shape {mask.shape}; its action space needs ({actions},)"
        )
    # One byte each is the usual mask, and all its bytes are looked at in one call.
    if mask.itemsize == 1 and mask.dtype.kind in "biu":
        if not mask.tobytes().strip(b"\0\1"):
            return mask
    elif mask.dtype.kind in "iuf" and ((mask == 0) | (mask == 1)).all():
        return mask
    wrong = [value for value in mask.tolist() if value not in (0, 1)]
    if not wrong:
        return mask
    raise ValueError(
        f"{whose} holds {wrong[0]!r}; expected 1 for each legal action and 0 for the "
        "rest"
    )


def shows_masks(space: spaces.Space | None) -> bool:
    """Whether observations of a space have an action mask."""
    return isinstance(space, spaces.Dict) and "action_mask" in space.spaces
