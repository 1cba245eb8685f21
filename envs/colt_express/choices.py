"""What the player on turn may do."""

import numpy as np
from numba import njit

from mcts_agents.envs.colt_express.cards import (
    CLIMB,
    COLLECT,
    COLLECT_KIND,
    DRAW,
    MARSHAL,
    MARSHAL_LEFT,
    MOVE,
    NO_KIND,
    PLAYABLE,
    PUNCH,
    PUNCH_NOBODY,
    PUNCH_SEAT,
    SHOOT_NOBODY,
    SHOOT_SEAT,
    TO_CAR,
    VERTICAL,
)
from mcts_agents.envs.colt_express.heaps import heap_at, kinds_in
from mcts_agents.envs.colt_express.train import (
    loot_kinds,
    punching_targets,
    shooting_targets,
)
from mcts_agents.model.bits import count_bits, lowest_bit, nth_bit

# Punches: five bandits, two directions, three kinds of loot.
LEGAL_LIMIT = 30
# How far one walks to a side, inside and on the roofs.
REACH = np.array((1, 3), np.int64)
PLAYABLE_CARDS = np.uint64((1 << PLAYABLE) - 1)
NO_LOOT = np.uint64(1) << np.uint64(NO_KIND)
NOBODY_SHOT = np.uint64(1) << np.uint64(SHOOT_NOBODY - SHOOT_SEAT)
NOBODY_PUNCHED = np.uint64(1) << np.uint64(PUNCH_NOBODY - PUNCH_SEAT)


@njit
def choices(game, state):
    """Return the legal actions of the player on turn: the first number, and a mask.

    Bit i of the mask stands for the first number plus i.
    """
    player = np.int64(state.player)
    if not state.is_executing:
        cards = kinds_in(heap_at(state.hands, player)) & PLAYABLE_CARDS
        can_draw = np.uint64(heap_at(state.decks, player) != 0)
        return 0, cards | can_draw << np.uint64(DRAW)
    card = state.cards[state.executed]
    place = np.int64(state.places[player])
    if card == MOVE:
        return TO_CAR, cars_in_reach(game, place)
    if card == CLIMB:
        return VERTICAL, np.uint64(1)
    if card == PUNCH:
        return PUNCH_SEAT, punches(game, state, player)
    if card == MARSHAL:
        left = np.uint64(state.marshal > 0)
        right = np.uint64(state.marshal < game.players)
        return MARSHAL_LEFT, left | right << np.uint64(1)
    if card == COLLECT:
        return COLLECT_KIND, loot_kinds(state.on_train, place)
    targets = np.uint64(shooting_targets(game, state, player))
    return SHOOT_SEAT, targets if targets else NOBODY_SHOT


@njit
def cars_in_reach(game, place):
    """Return the mask of the cars to go to: the next one, on roofs up to three away."""
    car = place >> 1
    reach = REACH[place & 1]
    first, last = max(car - reach, 0), min(car + reach, np.int64(game.players))
    between = (np.uint64(2) << np.uint64(last)) - (np.uint64(1) << np.uint64(first))
    return between & ~(np.uint64(1) << np.uint64(car))


@njit
def punches(game, state, player):
    """Return the mask of whom to punch, where to, and what he drops."""
    targets = np.uint64(punching_targets(game, state, player))
    if not targets:
        return NOBODY_PUNCHED
    car = np.int64(state.places[player]) >> 1
    # Four bits for each direction, to the left first.
    directions = np.uint64(car > 0) | np.uint64(car < game.players) << np.uint64(4)
    mask = np.uint64(0)
    while targets:
        seat = np.int64(lowest_bit(targets))
        targets &= targets - np.uint64(1)
        mask |= loot_kinds(state.loot, seat) * directions << np.uint64(8 * seat)
    return mask


@njit
def write_legal(game, state, out):
    """Write the actions of the player on turn, ascending; return how many."""
    first, mask = choices(game, state)
    n = 0
    while mask:
        out[n] = first + np.int64(lowest_bit(mask))
        mask &= mask - np.uint64(1)
        n += 1
    return n


@njit
def nth_choice(first, mask, n):
    """Return the legal action that `n` others come before; see `choices`."""
    return first + np.int64(nth_bit(mask, n))


@njit
def number_of_choices(mask):
    """Return the number of legal actions."""
    return np.int64(count_bits(mask))


@njit
def forced_action(game, state):
    """Return the only action that there is, -1 if there are more or none."""
    if state.is_over:
        return np.int64(-1)
    first, mask = choices(game, state)
    if mask & (mask - np.uint64(1)):
        return np.int64(-1)
    return first + np.int64(lowest_bit(mask))
