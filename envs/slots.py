"""Units that act in turn, as the bits of one word.

Slot `unit * players + player` is a bit of a `uint64`. So the lowest bit of a word acts
first: unit 0 of player 0, unit 0 of player 1, and so on to unit 1 of player 0. Every
unit has a number from 0 to 3, such as its health, in two words: `ones` and `twos`.
"""

import numpy as np
from numba import njit

from mcts_agents.model.bits import bit_of, lowest_bit

MOST_SLOTS = 64
GREATEST = 3  # number of a unit
ZERO, ONE = np.uint64(0), np.uint64(1)


def slots_of(units: int, players: int, player: int) -> int:
    """Return the slots of one player's units as bits."""
    return sum(1 << (unit * players + player) for unit in range(units))


@njit
def slot_after(slots, slot):
    """Return the next one of `slots`, int64, which has at least one, after `slot`.

    From the last slot on it begins again with the first.
    """
    later = slots & (~ONE << np.uint64(slot))
    return lowest_bit(later if later else slots)


@njit
def number_at(ones, twos, slot):
    """Return the number of a unit, int64 from 0 to 3."""
    one = ones >> np.uint64(slot) & ONE
    return np.int64(one | (twos >> np.uint64(slot) & ONE) << ONE)


@njit
def less_one(ones, twos, slot):
    """Return both words with the number of a unit, at least 1, less by one."""
    bit = bit_of(slot)
    return ones ^ bit, twos ^ (~ones & bit)


@njit
def plus_one(ones, twos, slot):
    """Return both words with the number of a unit, at most 2, greater by one."""
    bit = bit_of(slot)
    return ones ^ bit, twos ^ (ones & bit)
