"""Action masks: where observations show them, and whether they are ones."""

from typing import Any

import numpy as np
from gymnasium import spaces

# How many masks are known by heart, of as many actions at most.
MOST_KNOWN = 4096
LONGEST_KNOWN = 62


def mask_in(shown: Any) -> Any:
    """Return the action mask in an observation or info, None if there is none.

    It is an array, or a tuple of one for each part of a MultiDiscrete action.
    """
    mask = shown.get("action_mask") if isinstance(shown, dict) else None
    if type(mask) is np.ndarray or mask is None or isinstance(mask, tuple):
        return mask
    return np.asarray(mask)


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
    if mask.shape == ():
        raise ValueError(
            f"{whose} is {mask.item()!r}; expected an array of {actions} zeros and ones"
        )
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


class PlainMasks:
    """Reads masks of one byte for each action, as most masks are.

    Args:
        actions: Number of actions of the agent.

    Attributes:
        shape: Of all masks that are read.
        known: What `read` returned, by the bytes of masks, as small ones return again
            and again in a search.
    """

    def __init__(self, actions: int):
        self.shape = (actions,)
        self.known: dict[bytes, tuple[list[int], int]] = {}
        self._room = MOST_KNOWN if actions <= LONGEST_KNOWN else 0

    def legal(self, mask: Any) -> list[int] | None:
        """Return the places of a mask's ones, a list that nobody may change.

        Returns:
            None where something about the mask is unusual, so that `as_mask` has to
            look at it. An empty list where no action is legal.
        """
        if self._room:
            found = self.read(mask)
            return None if found is None else found[0]
        if type(mask) is not np.ndarray or mask.shape != self.shape:
            return None
        legal = mask.nonzero()[0].tolist()
        data = mask.tobytes()
        ones = len(data) == len(mask) and data.count(1) == len(legal)
        return legal if ones else None

    def read(self, mask: Any) -> tuple[list[int], int] | None:
        """Return the same, and the mask as the bits of an integer, 0 if not known."""
        if type(mask) is not np.ndarray or mask.shape != self.shape:
            return None
        data = mask.tobytes()
        if (found := self.known.get(data)) is not None:
            return found
        legal = mask.nonzero()[0].tolist()
        if not self._are_ones(data, len(legal)):
            return None
        if len(self.known) >= self._room:
            return legal, 0
        found = self.known[data] = legal, sum(1 << action for action in legal)
        return found

    def _are_ones(self, data: bytes, legal: int) -> bool:
        """Whether a mask has one byte for each action, and all but zeros are ones."""
        return len(data) == self.shape[0] and data.count(1) == legal


def shows_masks(space: spaces.Space | None) -> bool:
    """Whether observations of a space have an action mask."""
    return isinstance(space, spaces.Dict) and "action_mask" in space.spaces


def space_without_mask(space: spaces.Space) -> spaces.Space:
    """Return the space of what is shown beside the mask.

    That is "observation" where there is one, and else everything but the mask.
    """
    if not shows_masks(space):
        return space
    if "observation" in space.spaces:
        return space["observation"]
    others = {key: s for key, s in space.spaces.items() if key != "action_mask"}
    # Where a mask is all that is shown, it is the observation, too.
    return spaces.Dict(others) if others else space


def observation_without_mask(shown: Any) -> Any:
    """Return what is shown beside the mask, see `space_without_mask`."""
    if mask_in(shown) is None:
        return shown
    if "observation" in shown:
        return shown["observation"]
    return {key: v for key, v in shown.items() if key != "action_mask"} or shown
