"""The SimpleUnbiasedAgent of pomcpp2: flees, hunts, blasts wood, collects items.

Source of the behaviour: J. Weil et al., "Know your Enemy: Investigating Monte-Carlo
Tree Search with Opponent Models in Pommerman" (2023) and its program `jw3il/pomcpp2`,
in which it is the opponent and the model of the opponents. Oddities are kept, for they
decide how it plays. It sees the whole board (in the fog, what is near) but not what
wood covers.

A cell's danger is the least life of the bombs whose row or column reaches it; walls
and chains of bombs are not thought of.
"""

import numpy as np
from numba import carray, njit

from mcts_agents.envs.pommerman.layout import (
    CELLS,
    DELTA,
    FIRST_CELL,
    LARGEST,
    LAY,
    OPEN_SHIFT,
    SEATS,
    STOP,
    STRIDE,
)
from mcts_agents.envs.pommerman.observation import is_seen
from mcts_agents.envs.pommerman.scripted.sight import (
    BLOCKING,
    danger_of,
    distance_between,
    is_at_wood,
    is_enemy,
    is_safe,
    may_enter,
    nearest_enemy,
)
from mcts_agents.model import random_below
from mcts_agents.model.addresses import stack_int32
from mcts_agents.model.random import shuffle

REMEMBERED = 4

MEMORY = np.dtype(
    [
        ("recent", np.uint8, REMEMBERED),  # cells it wanted to be in, oldest first
        ("recent_count", np.uint8),
        ("agents", np.uint8, SEATS),  # in which order it looks at them
        ("rows", np.uint8, LARGEST),
        ("columns", np.uint8, LARGEST),
    ],
    align=True,
)

ENEMY_RADIUS = 14
ITEM_RADIUS = 5
ON_BOARD = LARGEST * LARGEST
# Least danger of a cell to step on: when fleeing or strolling, and when hunting.
SOON, HUNTING = 2, 3

# What is known of a cell in the search for paths: the first step (3 bits), 0 where no
# path was found; then the distance; and who stands there.
STEP, DISTANCE_SHIFT = 7, 3
OWN, OCCUPIED = 1 << 20, 1 << 21


@njit
def begin(memory, rng):
    """Forget what was before and draw in which order to look at everything."""
    memory.recent_count = 0
    memory.recent[:] = 0
    for i in range(SEATS):
        memory.agents[i] = i
    for i in range(LARGEST):
        memory.rows[i] = i
        memory.columns[i] = i
    shuffle(rng, memory.agents, SEATS)
    shuffle(rng, memory.rows, LARGEST)
    shuffle(rng, memory.columns, LARGEST)


@njit
def act(game, state, player, memory, rng):
    """Return a move and remember where it leads.

    Args:
        game: The variant's record.
        state: The state, only read.
        player: A living player.
        memory: A record of `MEMORY`, changed in place.
        rng: The generator.
    """
    move = decide(game, state, player, memory, rng)
    count = np.int64(memory.recent_count)
    if count == REMEMBERED:
        for i in range(REMEMBERED - 1):
            memory.recent[i] = memory.recent[i + 1]
        count -= 1
    memory.recent[count] = np.int64(state.cells[player]) + DELTA[move]
    memory.recent_count = count + 1
    return move


@njit
def decide(game, state, player, memory, rng):
    """Return a move; the memory is only read."""
    own = np.int64(state.cells[player])
    paths = carray(stack_int32(CELLS), CELLS, np.int32)
    danger = danger_of(game, state, player, own)
    knows_paths = False
    if danger:
        find_paths(game, state, player, own, paths)
        knows_paths = True
        move = flee(game, state, player, own, danger, memory, paths)
        if may_enter(game, state, player, own, move, SOON):
            return move
    elif state.ammo[player] > 0:
        nearest = nearest_enemy(game, state, player, own)
        if nearest <= 1:
            return np.int64(LAY)
        if nearest <= ENEMY_RADIUS:
            if walks_in_circles(memory):
                return 1 + random_below(rng, 4)
            find_paths(game, state, player, own, paths)
            knows_paths = True
            move = hunt(game, state, player, own, memory, paths)
            if may_enter(game, state, player, own, move, HUNTING):
                return move
        if is_at_wood(state, own):
            return np.int64(LAY)
    move = collect(game, state, player, own, memory, paths, knows_paths)
    if move != STOP:
        return move
    return stroll(game, state, player, own, memory, rng)


@njit
def walks_in_circles(memory):
    """Whether the cells it wanted repeat with period two.

    So they do if it remembers less than two, as at the start of a game.
    """
    count = np.int64(memory.recent_count)
    if count == 2:
        return False  # compared with a place not yet filled, on no corner of the board
    for i in range(count // 2):
        if memory.recent[i] != memory.recent[i + 2]:
            return False
    return True


# -- paths


@njit
def find_paths(game, state, player, own, paths):
    """Write the distance and the first step to each cell, breadth first.

    Paths go over walkable cells; to an agent, but not past it.
    """
    paths[:] = 0
    for other in range(SEATS):
        cell = np.int64(state.cells[other])
        if state.alive >> other & 1 and is_seen(game, state, player, cell):
            paths[cell] = OCCUPIED
    paths[own] = OWN
    queue = carray(stack_int32(ON_BOARD), ON_BOARD, np.int32)
    queue[0] = own
    head, tail = 0, 1
    while head < tail:
        cell = np.int64(queue[head])
        head += 1
        value = np.int64(paths[cell])
        for i in range(4):
            # Down, up, right, left.
            direction = 1 + (i ^ 1)
            there = cell + DELTA[direction]
            known = np.int64(paths[there])
            if known == 0:
                if state.terrain[there] & BLOCKING:
                    continue
                if not is_seen(game, state, player, there):
                    continue
                queue[tail] = there
                tail += 1
            elif known != OCCUPIED:
                continue
            if cell == own:
                paths[there] = 1 << DISTANCE_SHIFT | direction
            else:
                paths[there] = value + (1 << DISTANCE_SHIFT)


@njit
def flee(game, state, player, own, danger, memory, paths):
    """Return the step to the first cell seen that is safe, a stop if there is none.

    It looks as far as it could walk in time, but of a row no further than to the first
    column that is out of this window.
    """
    top, left = own // STRIDE - 1, own % STRIDE - 1
    for i in range(LARGEST):
        row = np.int64(memory.rows[i])
        if row >= game.size or row >= top + danger or row < top - danger:
            continue
        for j in range(LARGEST):
            column = np.int64(memory.columns[j])
            if column >= game.size:
                continue
            if column >= left + danger or column < left - danger:
                break
            if abs(row - top) + abs(column - left) > danger:
                continue
            cell = FIRST_CELL + row * STRIDE + column
            step = np.int64(paths[cell]) & STEP
            if step and is_safe(danger_of(game, state, player, cell), SOON):
                return step
    return np.int64(STOP)


@njit
def hunt(game, state, player, own, memory, paths):
    """Return the step to the first enemy that can be reached, a stop for none."""
    for i in range(SEATS):
        other = np.int64(memory.agents[i])
        if is_enemy(game, state, player, other):
            cell = np.int64(state.cells[other])
            step = np.int64(paths[cell]) & STEP
            if step and distance_between(own, cell) <= ENEMY_RADIUS:
                return step
    return np.int64(STOP)


@njit
def collect(game, state, player, own, memory, paths, knows_paths):
    """Return the step to the nearest item near, if it is safe, a stop for none."""
    top, left = own // STRIDE - 1, own % STRIDE - 1
    nearest = np.int64(OWN)
    chosen = np.int64(STOP)
    for i in range(LARGEST):
        row = np.int64(memory.rows[i])
        if abs(row - top) > ITEM_RADIUS:
            continue
        for j in range(LARGEST):
            column = np.int64(memory.columns[j])
            cell = FIRST_CELL + row * STRIDE + column
            if (
                abs(column - left) > ITEM_RADIUS
                or state.terrain[cell] >> OPEN_SHIFT == 0
            ):
                continue
            if not knows_paths:
                find_paths(game, state, player, own, paths)
                knows_paths = True
            step = np.int64(paths[cell]) & STEP
            distance = np.int64(paths[cell]) >> DISTANCE_SHIFT
            if step == 0 or distance >= nearest:
                continue
            danger = danger_of(game, state, player, own + DELTA[step])
            if is_safe(danger, SOON):
                nearest, chosen = distance, step
    return chosen


@njit
def stroll(game, state, player, own, memory, rng):
    """Return one of two safe steps, rather to cells where it was not, else a stop.

    The source means to put steps to recent cells last, but takes the step *after* such
    a one to the end, where it then stands twice, and drops the recent one.
    """
    order = carray(stack_int32(4), 4, np.int32)
    for i in range(4):
        order[i] = i + 1
    shuffle(rng, order, 4)
    count = 0
    for i in range(4):
        if may_enter(game, state, player, own, order[i], SOON):
            order[count] = order[i]
            count += 1
    if count == 0:
        return np.int64(STOP)
    at = 0
    for _ in range(count):
        if is_recent(memory, own + DELTA[order[at]]):
            for i in range(at, count - 1):
                order[i] = order[i + 1]
            order[count - 1] = order[at]
        else:
            at += 1
    return np.int64(order[random_below(rng, min(2, count))])


@njit
def is_recent(memory, cell):
    """Whether it wanted to be in a cell lately."""
    for i in range(memory.recent_count):
        if memory.recent[i] == cell:
            return True
    return False
