"""What scripted agents of Pommerman see of cells, dangers and enemies."""

import numpy as np
from numba import njit

from mcts_agents.envs.pommerman.layout import (
    BOMB,
    DELTA,
    FLAME,
    LARGEST,
    LIFE,
    SEATS,
    STRENGTH_SHIFT,
    STRIDE,
    WALL,
    WOOD,
    bomb_cell,
)
from mcts_agents.envs.pommerman.observation import is_seen

BLOCKING = WALL | FLAME | BOMB


@njit
def danger_of(game, state, player, cell):
    """Return in how many steps the first bomb near goes off, 0 if none reaches."""
    least = np.int64(0)
    row, column = cell // STRIDE, cell % STRIDE
    for i in range(state.bomb_count):
        bomb = np.int64(state.bombs[i])
        at = bomb_cell(bomb)
        down, right = abs(at // STRIDE - row), abs(at % STRIDE - column)
        # One of the two is 0 and the other within reach.
        if down * right == 0 and down + right < bomb >> STRENGTH_SHIFT & 15:
            life = bomb & LIFE
            if (least == 0 or life < least) and is_seen(game, state, player, at):
                least = life
    return least


@njit
def is_safe(danger, least):
    """Whether a danger is none or at least `least` steps off."""
    return danger == 0 or danger >= least


@njit
def is_walkable(game, state, player, cell):
    """Whether the player sees a passage or an item there, and nobody."""
    if state.terrain[cell] & BLOCKING:
        return False
    for other in range(SEATS):
        if state.cells[other] == cell and state.alive >> other & 1:
            return False
    return is_seen(game, state, player, cell)


@njit
def may_enter(game, state, player, own, move, least):
    """Whether a move leads to a walkable cell that is safe enough; never a stop."""
    cell = own + DELTA[move]
    return is_walkable(game, state, player, cell) and is_safe(
        danger_of(game, state, player, cell), least
    )


@njit
def distance_between(cell, other):
    """Return the Manhattan distance of two cells."""
    down = cell // STRIDE - other // STRIDE
    right = cell % STRIDE - other % STRIDE
    return abs(down) + abs(right)


@njit
def is_enemy(game, state, player, other):
    """Whether the other is a living enemy that the player sees."""
    if other == player or state.alive >> other & 1 == 0:
        return False
    if game.team and (player + other) & 1 == 0:
        return False
    return is_seen(game, state, player, np.int64(state.cells[other]))


@njit
def nearest_enemy(game, state, player, own):
    """Return the Manhattan distance of the nearest enemy, more than any for none."""
    nearest = 2 * LARGEST
    for other in range(game.players):
        if is_enemy(game, state, player, other):
            there = np.int64(state.cells[other])
            nearest = min(nearest, distance_between(own, there))
    return nearest


@njit
def is_at_wood(state, own):
    """Whether wood is next to a cell."""
    return (
        state.terrain[own - STRIDE]
        | state.terrain[own + STRIDE]
        | state.terrain[own - 1]
        | state.terrain[own + 1]
    ) & WOOD != 0
