"""Rewards as environments of others return them."""

import math
from typing import Any

import numpy as np


def finite_reward(reward: Any, whose: str) -> float:
    """Return a reward, a number or an array of one number, as a float.

    Raises:
        ValueError: It is no number, infinite or NaN.
    """
    try:
        if not isinstance(reward, float | int) and hasattr(reward, "shape"):
            # ValueError if it is not one number.
            earned = float(np.asarray(reward).item())
        else:
            earned = float(reward)
    except (TypeError, ValueError, OverflowError):
        earned = math.nan
    if not math.isfinite(earned):
        raise ValueError(
            f"{whose} is {reward!r}, expected a finite number; step() must return one"
        )
    return earned
