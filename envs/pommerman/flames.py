"""Flames and explosions of Pommerman: sections of a step that change the terrain."""

import numpy as np
from numba import njit

from mcts_agents.envs.pommerman.layout import (
    BOMB_CELL_SHIFT,
    DELTA,
    DOWN,
    FLAME,
    HIDDEN,
    HIDDEN_SHIFT,
    LEFT,
    LIFE,
    NEWEST,
    OLDEST,
    OPEN_SHIFT,
    OWNER_SHIFT,
    RIGHT,
    RIGID,
    SEATS,
    STRENGTH_SHIFT,
    UP,
    WOOD,
    WORDS,
    bomb_cell,
    contains,
    give_ammo,
)
from mcts_agents.model.bits import bit_of, lowest_bit


@njit
def age_flames(world):
    """Let the oldest flames end and the others grow older.

    What was under a flame that ends is shown, unless another flame burns there: then
    it is lost, seen by nobody. Returns whether anything came out that wood had covered;
    such cells stay in `covered` until the end of the step shows who has seen them.
    """
    came_out = False
    for word in range(WORDS):
        ended = world.flames[OLDEST, word]
        world.flames[OLDEST, word] = world.flames[OLDEST + 1, word]
        world.flames[OLDEST + 1, word] = world.flames[NEWEST, word]
        world.flames[NEWEST, word] = np.uint64(0)
        if ended == 0:
            continue
        burning = world.flames[OLDEST, word] | world.flames[OLDEST + 1, word]
        while ended != 0:
            bit = ended & (~ended + np.uint64(1))
            cell = word << 6 | lowest_bit(ended)
            if burning & bit:
                world.terrain[cell] = FLAME
                world.covered[word] &= ~bit
            else:
                item = (np.int64(world.terrain[cell]) & HIDDEN) >> HIDDEN_SHIFT
                world.terrain[cell] = item << OPEN_SHIFT
                came_out |= world.covered[word] & bit != 0
            ended ^= bit
    return came_out


@njit
def count_seen(world):
    """Count what came out of wood in this step and can be seen at its end.

    Where an agent has stepped on it, or flames have burnt it at once, nobody has seen
    what it was.
    """
    for word in range(WORDS):
        burning = world.flames[OLDEST, word] | world.flames[OLDEST + 1, word]
        burning |= world.flames[NEWEST, word]
        shown = world.covered[word] & ~burning
        world.covered[word] &= burning
        while shown != 0:
            cell = word << 6 | lowest_bit(shown)
            shown &= shown - np.uint64(1)
            trodden = False
            for player in range(SEATS):
                is_there = world.cells[player] == cell
                trodden |= is_there and world.alive >> player & 1 != 0
            if not trodden:
                world.unseen_cells -= 1
                world.unseen_items -= world.terrain[cell] >> OPEN_SHIFT != 0


@njit
def blast(world, bomb):
    """Add the cells that one bomb reaches to the newest flames.

    The terrain is that before all explosions of the step: wood shields whole chains.
    """
    center = bomb_cell(bomb)
    reach = np.int64(bomb) >> STRENGTH_SHIFT & 15
    world.flames[NEWEST, center >> 6] |= bit_of(center)
    for direction in (UP, DOWN, LEFT, RIGHT):
        cell = center
        for _ in range(reach - 1):
            cell += DELTA[direction]
            terrain = world.terrain[cell]
            if terrain & RIGID:
                break
            world.flames[NEWEST, cell >> 6] |= bit_of(cell)
            if terrain & WOOD:
                break


@njit
def burn(world):
    """Put the newest flames on the terrain; open items are destroyed."""
    for word in range(WORDS):
        cells = world.flames[NEWEST, word]
        while cells != 0:
            cell = word << 6 | lowest_bit(cells)
            terrain = np.int64(world.terrain[cell])
            bit = cells & (~cells + np.uint64(1))
            if terrain & WOOD:
                world.covered[word] |= bit
            elif terrain & FLAME == 0:
                world.covered[word] &= ~bit
            world.terrain[cell] = terrain & HIDDEN | FLAME
            cells &= cells - np.uint64(1)


@njit
def explode(world):
    """Count down all bombs, and let those whose time has come go off with their chain.

    A bomb that rolled into old flames goes off, too.
    """
    count = np.int64(world.bomb_count)
    gone = np.uint64(0)
    for i in range(count):
        bomb = world.bombs[i] - np.uint32(1)
        world.bombs[i] = bomb
        if bomb & LIFE == 0 or world.terrain[bomb >> BOMB_CELL_SHIFT] & FLAME:
            gone |= np.uint64(1) << np.uint64(i)
    if gone == 0:
        return
    waiting = gone
    while waiting != 0:
        while waiting != 0:
            blast(world, world.bombs[lowest_bit(waiting)])
            waiting &= waiting - np.uint64(1)
        for i in range(count):
            bit = np.uint64(1) << np.uint64(i)
            reached = contains(world.flames[NEWEST], bomb_cell(world.bombs[i]))
            if gone & bit == 0 and reached:
                waiting |= bit
        gone |= waiting
    kept = 0
    for i in range(count):
        bomb = world.bombs[i]
        if gone >> np.uint64(i) & np.uint64(1):
            give_ammo(world, np.int64(bomb) >> OWNER_SHIFT & 3)
        else:
            world.bombs[kept] = bomb
            kept += 1
    world.bomb_count = kept
    burn(world)
