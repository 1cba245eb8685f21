"""Rewards as environments of others return them."""

import math
from typing import Any

import numpy as np

# Digits of integers that are printed.
LONGEST = 20


def finite_reward(reward: Any, whose: str) -> float:
    """Return a reward, a number or an array of one number, as a float.

    Raises:
        ValueError: It is no number, infinite or NaN.
    """
    try:
        if not isinstance(reward, float | int) and hasattr(reward, "shape"):
            if hasattr(reward, "detach"):  # a tensor, which may have a gradient
                reward = reward.detach()
            # ValueError if it is not one number.
            earned = float(np.asarray(reward).item())
        else:
            earned = float(reward)
    except (TypeError, ValueError, OverflowError, RuntimeError):
        earned = math.nan
    if not math.isfinite(earned):
        raise ValueError(
            f"{whose} is {_in_short(reward)}, expected a finite number; step() must "
            "return one"
        )
    return earned


def _in_short(reward: Any) -> str:
    """Return a reward in one line; not all digits of an integer that is no float."""
    if isinstance(reward, int) and abs(reward) >= 10**LONGEST:
        return f"an integer of {reward.bit_length()} bits"
    return " ".join(repr(reward).split())
