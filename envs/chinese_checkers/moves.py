"""Where pieces can go: steps, and chains of hops by flooding words of bits.

See `board` for slots, classes and axes. `game` and `state` are the records of `rules`.
"""

import numpy as np
from numba import njit

from mcts_agents.envs.chinese_checkers.board import bridge_shifts
from mcts_agents.model import random_below
from mcts_agents.model.bits import bit_of, count_bits, nth_bit

ZERO, ONE = np.uint64(0), np.uint64(1)
# Shifts of a hop along the axes 1, 2, 3, and where the field hopped over lies.
SHIFT_1, SHIFT_2, SHIFT_3 = np.uint64(8), np.uint64(1), np.uint64(7)
BRIDGE = bridge_shifts()
# A piece has at most 6 steps and 36 hops: counts of ten pieces fit into 60 bits.
COUNT_BITS, COUNT_MASK = 6, 63


@njit
def hops_from(game, state, slot):
    """The fields that chains of hops reach, as bits of the slot's class.

    Floods the fields of the class along the three axes until nothing is added. The
    origin counts as empty but is no destination.
    """
    group = slot >> 6
    free = game.board[group] & ~state.occupied[group]
    # Bit of the lower end of each pair of fields between which a piece stands.
    over_1 = (state.occupied[group ^ 1] << ONE) >> BRIDGE[group, 1]
    over_2 = (state.occupied[group ^ 2] << ONE) >> BRIDGE[group, 2]
    over_3 = (state.occupied[group ^ 3] << ONE) >> BRIDGE[group, 3]
    reached = bit_of(slot)
    while True:
        up = (
            ((reached & over_1) << SHIFT_1)
            | ((reached & over_2) << SHIFT_2)
            | ((reached & over_3) << SHIFT_3)
        )
        down = (
            ((reached >> SHIFT_1) & over_1)
            | ((reached >> SHIFT_2) & over_2)
            | ((reached >> SHIFT_3) & over_3)
        )
        grown = reached | ((up | down) & free)
        if grown == reached:
            return reached & ~bit_of(slot)
        reached = grown


@njit
def steps_from(game, state, slot, axis):
    """The empty neighbours along `axis` (1, 2, 3), as bits of class `class ^ axis`."""
    return game.steps[slot, axis] & ~state.occupied[(slot >> 6) ^ axis]


@njit
def count_targets(game, state, slot):
    """The number of fields that the piece on `slot` can move to."""
    return (
        count_bits(hops_from(game, state, slot))
        + count_bits(steps_from(game, state, slot, 1))
        + count_bits(steps_from(game, state, slot, 2))
        + count_bits(steps_from(game, state, slot, 3))
    )


@njit
def targets_in(game, state, slot, axis):
    """The destinations in class `class ^ axis`: hops for axis 0, else steps."""
    if axis == 0:
        return hops_from(game, state, slot)
    return steps_from(game, state, slot, axis)


@njit
def nth_target(game, state, slot, n):
    """The slot of the n-th destination of the piece on `slot`, n from 0."""
    for axis in range(4):
        targets = targets_in(game, state, slot, axis)
        count = count_bits(targets)
        if n < count:
            return (((slot >> 6) ^ axis) << 6) + nth_bit(targets, n)
        n -= count
    return slot


@njit
def can_move(game, state, player):
    """Whether the player has a legal move."""
    for piece in range(game.pieces):
        slot = np.int64(state.pieces[player, piece])
        for axis in (1, 2, 3, 0):
            if targets_in(game, state, slot, axis) != ZERO:
                return True
    return False


@njit
def random_move(game, state, player, rng):
    """A uniformly random move as (piece, slot moved to); the player has one."""
    counts = 0
    total = 0
    for piece in range(game.pieces - 1, -1, -1):
        slot = np.int64(state.pieces[player, piece])
        count = count_targets(game, state, slot)
        counts = (counts << COUNT_BITS) | count
        total += count
    n = random_below(rng, total)
    piece = 0
    while n >= counts & COUNT_MASK:
        n -= counts & COUNT_MASK
        counts >>= COUNT_BITS
        piece += 1
    slot = np.int64(state.pieces[player, piece])
    return piece, nth_target(game, state, slot, n)
