"""The official board as a player sees it, and paths on it, for `simple`."""

import numpy as np
from numba import carray, njit

from mcts_agents.envs.pommerman.layout import (
    CELLS,
    DELTA,
    FIRST_CELL,
    LARGEST,
    SEATS,
    STOP,
    STRENGTH_SHIFT,
    STRIDE,
    bomb_cell,
)
from mcts_agents.envs.pommerman.observation import (
    BEFORE_ITEMS_CODE,
    FIRST_AGENT_CODE,
    FLAMES_CODE,
    FOG_CODE,
    PASSAGE_CODE,
    RIGID_CODE,
    code_of,
    is_seen,
)
from mcts_agents.model import random_below
from mcts_agents.model.addresses import stack_int32

OUTSIDE = 255  # a code: no cell of the board
DEPTH = 10
ON_BOARD = LARGEST * LARGEST

# Distances of cells that no path leads to, and that are not looked at.
UNREACHED, UNMAPPED = 254, 255


@njit
def enemies_of(game, player):
    """Return the seats of a player's enemies as a mask."""
    everyone = (1 << game.players) - 1
    if game.team:
        return everyone & (0b1010 if player & 1 == 0 else 0b0101)
    return everyone & ~(1 << player)


@njit
def look(game, state, player, codes):
    """Write the official codes of all cells, `OUTSIDE` around the board."""
    codes[:] = OUTSIDE
    for row in range(game.size):
        start = FIRST_CELL + row * STRIDE
        for cell in range(start, start + game.size):
            if is_seen(game, state, player, cell):
                codes[cell] = code_of(state.terrain[cell])
            else:
                codes[cell] = FOG_CODE
    for other in range(game.players):
        cell = np.int64(state.cells[other])
        if state.alive >> other & 1 and is_seen(game, state, player, cell):
            codes[cell] = FIRST_AGENT_CODE + other


@njit
def list_bombs(game, state, player, bombs):
    """Write cell * 16 + strength of the bombs in view, by rows; return their number."""
    count = 0
    for i in range(state.bomb_count):
        bomb = np.int64(state.bombs[i])
        cell = bomb_cell(bomb)
        if not is_seen(game, state, player, cell):
            continue
        entry = cell << 4 | bomb >> STRENGTH_SHIFT & 15
        at = count
        while at and bombs[at - 1] > entry:
            bombs[at] = bombs[at - 1]
            at -= 1
        bombs[at] = entry
        count += 1
    return count


@njit
def is_passable(codes, cell, enemies):
    """Whether there is a passage, an item or somebody who is no enemy."""
    code = np.int64(codes[cell])
    if code == OUTSIDE:
        return False
    if code >= FIRST_AGENT_CODE:
        return enemies >> (code - FIRST_AGENT_CODE) & 1 == 0
    return code == PASSAGE_CODE or code > BEFORE_ITEMS_CODE


@njit
def find_paths(game, codes, own, enemies, distances, steps, rng):
    """Write the distance of each cell near and the first step of a shortest path.

    Rows and columns up to ten back but only nine on, as in the source. Every cell but
    rigid ones, flames and fog can be the end of a path; only passable ones are crossed.
    Of two paths as short, the later found replaces the former by the toss of a coin.
    """
    map_near(game, codes, own, distances)
    distances[own] = 0
    steps[own] = STOP
    queue = carray(stack_int32(ON_BOARD), ON_BOARD, np.int32)
    queue[0] = own
    head, tail = 0, 1
    while head < tail:
        cell = np.int64(queue[head])
        head += 1
        if not is_passable(codes, cell, enemies):
            continue
        distance = np.int64(distances[cell]) + 1
        for direction in range(1, 5):
            there = cell + DELTA[direction]
            known = np.int64(distances[there])
            if known == UNREACHED:
                distances[there] = distance
                queue[tail] = there
                tail += 1
            elif known != distance or random_below(rng, 2):
                continue
            steps[there] = direction if cell == own else np.int64(steps[cell])


@njit
def map_near(game, codes, own, distances):
    """Mark the cells that paths may use or end at as not yet reached."""
    distances[:] = UNMAPPED
    top, left = own // STRIDE - 1, own % STRIDE - 1
    for row in range(max(0, top - DEPTH), min(game.size, top + DEPTH)):
        width = DEPTH - abs(row - top)
        start = max(0, left - width)
        end = min(game.size, left + DEPTH, left + width + 1)
        for column in range(start, end):
            cell = FIRST_CELL + row * STRIDE + column
            code = np.int64(codes[cell])
            if code != RIGID_CODE and code != FLAMES_CODE and code != FOG_CODE:
                distances[cell] = UNREACHED


@njit
def leads_out(codes, own, start, reach, enemies):
    """Whether a way from `start`, not over `own`, leads out of a bomb's blast.

    That is to a cell in neither the row nor the column of `start`, or further from it
    than `reach`.
    """
    seen = carray(stack_int32(CELLS), CELLS, np.int32)
    queue = carray(stack_int32(ON_BOARD), ON_BOARD, np.int32)
    seen[:] = 0
    seen[own] = seen[start] = 1
    queue[0] = start
    head, tail = 0, 1
    while head < tail:
        cell = np.int64(queue[head])
        head += 1
        down = abs(cell // STRIDE - start // STRIDE)
        right = abs(cell % STRIDE - start % STRIDE)
        if (down and right) or down + right > reach:
            return True
        for direction in range(1, 5):
            there = cell + DELTA[direction]
            if seen[there] == 0 and is_passable(codes, there, enemies):
                seen[there] = 1
                queue[tail] = there
                tail += 1
    return False


@njit
def nearest_of(codes, first_code, last_code, own, radius, distances):
    """Return the nearest cell with such a code, by code and row the last of equals.

    0 for none within `radius`, which is 2 at most.
    """
    nearest, chosen = np.int64(radius), np.int64(0)
    for code in range(first_code, last_code + 1):
        for down in range(-radius, radius + 1):
            width = radius - abs(down)
            for right in range(-width, width + 1):
                cell = own + down * STRIDE + right
                # Beside the board there may be a cell of another row, which is far.
                if 0 <= cell < CELLS and codes[cell] == code:
                    if distances[cell] <= nearest:
                        nearest, chosen = np.int64(distances[cell]), cell
    return chosen


@njit
def nearest_seat(state, codes, enemies, radius, distances):
    """Return the cell of the nearest enemy in view, the last of equals; 0 for none."""
    nearest, chosen = np.int64(radius), np.int64(0)
    for other in range(SEATS):
        cell = np.int64(state.cells[other])
        if enemies >> other & 1 and codes[cell] == FIRST_AGENT_CODE + other:
            if distances[cell] <= nearest:
                nearest, chosen = np.int64(distances[cell]), cell
    return chosen
