"""What a player of Pommerman sees as planes of small whole numbers, for networks.

There is a plane for each direction of rolling bombs, so that turning the board only
moves numbers.

Source: the 23 planes of PommerLearn (J. Weil, J. Czech, T. Meuser, K. Kersting, "Know
your Enemy: Investigating Monte-Carlo Tree Search with Opponent Models in Pommerman",
2023, github.com/jw3il/PommerLearn), without its optional centred view.
"""

import numpy as np
from numba import carray, njit

from mcts_agents.envs.pommerman.layout import (
    DOWN,
    LARGEST,
    LAY,
    LEFT,
    OWNER_SHIFT,
    RIGHT,
    SEATS,
    STOP,
    UP,
)
from mcts_agents.envs.pommerman.observation import (
    BEFORE_ITEMS_CODE,
    BOARD,
    BOMB_DIRECTION,
    BOMB_TIME,
    FIRST_AGENT_CODE,
    FLAME_TIME,
    MAPS,
    RIGID_CODE,
    STRENGTH,
    WOOD_CODE,
    write_maps,
)
from mcts_agents.model.addresses import stack_int32
from mcts_agents.model.symmetries import EIGHT, Symmetry, board_symmetries

# The planes of an observation.
RIGID_PLANE, WOOD_PLANE, FIRST_ITEM = 0, 1, 2
TIMER_PLANE, REACH_PLANE, FIRST_DIRECTION, FLAMES_PLANE = 5, 6, 7, 11
FIRST_AGENT, FIRST_FACT, FIRST_ALIVE, STEPS_PLANE = 12, 16, 20, 24
OBSERVED_PLANES = 25

BOMB_LIFE, FLAME_LIFE = 9, 3
# Of `max_steps`; about as large as the other numbers.
STEPS_UNIT = 10
# The greatest number of a plane: bombs in all, one and an item each.
MOST = 21

_MAPS_AS_INT32 = (MAPS * LARGEST * LARGEST + 3) // 4


@njit
def write_planes(game, state, player, out):
    """Write what a player sees as 25 planes, one after another; `out` is all zeros."""
    area = game.size * game.size
    maps = carray(stack_int32(_MAPS_AS_INT32), 4 * _MAPS_AS_INT32, np.int8)
    for place in range(MAPS * area):
        maps[place] = 0
    write_maps(game, state, player, maps)
    for place in range(area):
        code = np.int64(maps[BOARD * area + place])
        plane = -1
        if code >= FIRST_AGENT_CODE:
            plane = FIRST_AGENT + (code - FIRST_AGENT_CODE - player) % game.players
        elif code > BEFORE_ITEMS_CODE:
            plane = FIRST_ITEM + code - BEFORE_ITEMS_CODE - 1
        elif code == RIGID_CODE:
            plane = RIGID_PLANE
        elif code == WOOD_CODE:
            plane = WOOD_PLANE
        if plane >= 0:
            out[plane * area + place] = 1
        time = maps[BOMB_TIME * area + place]
        if time > 0:
            out[TIMER_PLANE * area + place] = BOMB_LIFE - time
            out[REACH_PLANE * area + place] = maps[STRENGTH * area + place] - 1
            direction = np.int64(maps[BOMB_DIRECTION * area + place])
            if direction > 0:
                out[(FIRST_DIRECTION + direction - UP) * area + place] = 1
        out[FLAMES_PLANE * area + place] = maps[FLAME_TIME * area + place]
    laid = 0
    for i in range(state.bomb_count):
        laid += np.int64(state.bombs[i]) >> OWNER_SHIFT & SEATS - 1 == player
    _fill(out, area, FIRST_FACT, np.int64(state.strength[player]) - 1)
    _fill(out, area, FIRST_FACT + 1, laid)
    _fill(out, area, FIRST_FACT + 2, laid + np.int64(state.ammo[player]))
    _fill(out, area, FIRST_FACT + 3, np.int64(state.kick) >> player & 1)
    for other in range(game.players):
        alive = np.int64(state.alive) >> (player + other) % game.players & 1
        _fill(out, area, FIRST_ALIVE + other, alive)
    _fill(out, area, STEPS_PLANE, np.int64(state.steps) * STEPS_UNIT // game.max_steps)


@njit
def _fill(out, area, plane, value):
    if value:
        for place in range(plane * area, (plane + 1) * area):
            out[place] = value


def plane_symmetries(size: int, message_bits: int) -> list[Symmetry]:
    """Return the seven other ways to see a board, for observations that are planes.

    Turning the board moves the cells, and the four directions of bombs and of moves.
    """
    cells = np.arange(size * size)
    middle = cells.reshape(size, size)[size // 2, size // 2]
    beside = {UP: middle - size, DOWN: middle + size, LEFT: middle - 1}
    beside[RIGHT] = middle + 1
    moved: list[dict[int, int]] = []

    def actions(turned: np.ndarray) -> np.ndarray:
        """Return the permutation of actions: where each move of the twin came from."""
        # Where cells of the original are in the twin, and so which way is which.
        place = np.argsort(turned)
        rows, columns = np.divmod(place, size)
        step = {
            (rows[at] - rows[middle], columns[at] - columns[middle]): direction
            for direction, at in beside.items()
        }
        ways = {UP: (-1, 0), DOWN: (1, 0), LEFT: (0, -1), RIGHT: (0, 1)}
        came_from = {twin: step[way] for twin, way in ways.items()}
        moved.append(came_from)
        moves = [STOP, *(came_from[move] for move in (UP, DOWN, LEFT, RIGHT)), LAY]
        words = np.arange(1 << message_bits)
        return ((np.array(moves) << message_bits)[:, None] + words).reshape(-1)

    found = board_symmetries((OBSERVED_PLANES, size, size), EIGHT, actions)
    for number, came_from in enumerate(moved):
        by_plane = found[number].observation.reshape(OBSERVED_PLANES, -1)
        order = np.arange(OBSERVED_PLANES)
        for twin, original in came_from.items():
            order[FIRST_DIRECTION + twin - UP] = FIRST_DIRECTION + original - UP
        found[number] = Symmetry(by_plane[order].reshape(-1), found[number].actions)
    return found
