"""What a search may be told of Pommerman: moves worth a look, rivals, who stands well.

Sources: the action filter and the choice of the opponent of J. Weil et al., "Know your
Enemy: Investigating Monte-Carlo Tree Search with Opponent Models in Pommerman" (2023),
and its program `jw3il/PommerLearn`. The evaluation is this package's own.
"""

import numpy as np
from numba import njit

from mcts_agents.envs.pommerman.layout import (
    BOMB,
    DELTA,
    FLAME,
    LAY,
    OLDEST,
    SEATS,
    STOP,
    WALL,
    contains,
)
from mcts_agents.envs.pommerman.scripted.sight import distance_between

MOST_DISTANCE = 1 << 10


@njit
def is_worth_trying(state, player, move):
    """Whether a move can do more than a stop, and does not lead into lasting flames.

    A bomb takes one to lay and no bomb underfoot; a step a cell without a wall, another
    agent, flames that burn on, or a bomb that the player cannot kick.
    """
    own = np.int64(state.cells[player])
    if move == STOP:
        return True
    if move == LAY:
        return state.ammo[player] > 0 and state.terrain[own] & BOMB == 0
    there = own + DELTA[move]
    terrain = np.int64(state.terrain[there])
    if terrain & WALL:
        return False
    if terrain & BOMB and state.kick >> player & 1 == 0:
        return False
    if terrain & FLAME:
        for life in range(OLDEST + 1, 3):
            if contains(state.flames[life], there):
                return False
    for other in range(SEATS):
        if state.cells[other] == there and state.alive >> other & 1:
            return False
    return True


@njit
def nearest_enemy(game, state, player):
    """Return the nearest living enemy by Manhattan distance, -1 for none."""
    nearest, least = np.int64(-1), np.int64(MOST_DISTANCE)
    own = np.int64(state.cells[player])
    for other in range(game.players):
        if other == player or state.alive >> other & 1 == 0:
            continue
        if game.team and (player + other) & 1 == 0:
            continue
        distance = distance_between(own, np.int64(state.cells[other]))
        if distance < least:
            nearest, least = np.int64(other), distance
    return nearest


@njit
def standing(state, player):
    """Return how well a living player is equipped: 1 at the start, and more."""
    ammo = np.float64(state.ammo[player])
    for i in range(state.bomb_count):
        ammo += np.int64(state.bombs[i]) >> 8 & 3 == player
    reach = np.float64(state.strength[player]) - 2.0
    kick = state.kick >> player & 1
    return 1.0 + 0.1 * (ammo - 1.0) + 0.05 * reach + 0.1 * kick
