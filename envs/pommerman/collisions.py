"""Who gets where when agents and bombs are in each other's way.

A step comes here only when a bomb rolls or two wishes meet. The counters of wishes are
only ever increased, as in the official program (a participant that goes back still
counts in the cell it gave up), which decides many crowded cases; do not "repair" that.
"""

import numpy as np
from numba import carray, njit

from mcts_agents.envs.pommerman.layout import (
    BOMB,
    BOMB_CELL_SHIFT,
    CELLS,
    CELLS_AS_INT32,
    DELTA,
    DIRECTION,
    DIRECTION_SHIFT,
    MOST_BOMBS,
    MOVABLE,
    OPEN,
    SEATS,
    STRIDE,
    WALL,
    bomb_cell,
    bomb_direction,
    direction_of,
)
from mcts_agents.model.addresses import stack_int32

NOBODY = -1
NO_CELL = -1
CLOSED_TO_BOMBS = WALL | OPEN


@njit
def border(cell, other):
    """Return a number for the border of two neighbours, NO_CELL if they are one."""
    if cell == other:
        return NO_CELL
    vertical = abs(cell - other) == STRIDE
    return 2 * min(cell, other) + np.int64(vertical)


@njit
def bomb_wishes(world, goals):
    """Write where each bomb would roll: on in its direction unless that is closed."""
    for i in range(world.bomb_count):
        bomb = world.bombs[i]
        cell = bomb_cell(bomb)
        ahead = cell + DELTA[bomb_direction(bomb)]
        goals[i] = cell if world.terrain[ahead] & CLOSED_TO_BOMBS else ahead


@njit
def undo_swaps(world, wishes, goals, borders):
    """Send back who would swap places; only the bomb where an agent claims a border."""
    count = np.int64(world.bomb_count)
    for player in range(SEATS):
        cell = np.int64(world.cells[player])
        alive = world.alive >> player & 1
        borders[player] = border(cell, wishes[player]) if alive else NO_CELL
    for player in range(SEATS):
        for other in range(player):
            if borders[player] != NO_CELL and borders[player] == borders[other]:
                wishes[player] = world.cells[player]
                wishes[other] = world.cells[other]
    for i in range(count):
        claimed = border(bomb_cell(world.bombs[i]), goals[i])
        borders[SEATS + i] = NO_CELL
        if claimed == NO_CELL:
            continue
        holder = NOBODY
        for other in range(SEATS + i):
            if borders[other] == claimed:
                holder = other
                break
        if holder == NOBODY:
            borders[SEATS + i] = claimed
            continue
        goals[i] = bomb_cell(world.bombs[i])
        if holder >= SEATS:
            goals[holder - SEATS] = bomb_cell(world.bombs[holder - SEATS])


@njit
def first_bounces(world, wishes, goals, agents_at, bombs_at):
    """Send back all who want a cell that two agents or two bombs want."""
    count = np.int64(world.bomb_count)
    changed = True
    while changed:
        changed = False
        for player in range(SEATS):
            cell, wish = np.int64(world.cells[player]), wishes[player]
            if world.alive >> player & 1 == 0 or wish == cell:
                continue
            if agents_at[wish] > 1 or bombs_at[wish] > 1:
                wishes[player] = cell
                agents_at[cell] += 1
                changed = True
        for i in range(count):
            cell, goal = bomb_cell(world.bombs[i]), goals[i]
            if goal != cell and (bombs_at[goal] > 1 or agents_at[goal] > 1):
                goals[i] = cell
                bombs_at[cell] += 1
                changed = True


@njit
def who_wants(world, wishes, cell):
    """Return the first living agent that wants a cell, or NOBODY."""
    for player in range(SEATS):
        if world.alive >> player & 1 and wishes[player] == cell:
            return player
    return NOBODY


@njit
def meet_bombs(world, wishes, goals, agents_at, bombs_at, kickers, kicked, notes):
    """Decide for each bomb that one agent wants to reach: kicked, or both go back.

    `notes` and the mask of agents are carried out when all bombs were looked at.
    Returns whether anything was noted.
    """
    count = np.int64(world.bomb_count)
    turned_back = 0
    noted = False
    for i in range(count):
        notes[i] = NO_CELL
        goal = np.int64(goals[i])
        player = who_wants(world, wishes, goal) if agents_at[goal] else NOBODY
        if player == NOBODY:
            continue
        bomb = world.bombs[i]
        step = goal - np.int64(world.cells[player])
        if step == 0:
            if goal != bomb_cell(bomb):
                notes[i] = bomb_cell(bomb)
                noted = True
            continue
        noted = True
        target = goal + step
        if (
            world.kick >> player & 1
            and agents_at[target] == 0
            and bombs_at[target] == 0
            and world.terrain[target] & CLOSED_TO_BOMBS == 0
        ):
            bombs_at[goal] = 0
            notes[i] = target
            kickers[i] = player
            kicked[player] = i
            direction = np.uint32(direction_of(step) << DIRECTION_SHIFT)
            world.bombs[i] = bomb & ~np.uint32(DIRECTION) | direction
        else:
            notes[i] = bomb_cell(bomb)
            turned_back |= 1 << player
    for i in range(count):
        if notes[i] != NO_CELL:
            goals[i] = notes[i]
            bombs_at[notes[i]] += 1
    for player in range(SEATS):
        if turned_back >> player & 1:
            wishes[player] = world.cells[player]
            agents_at[world.cells[player]] += 1
    return noted


@njit
def second_bounces(world, wishes, goals, agents_at, bombs_at, kickers, kicked):
    """Send back all who still want the same cell, kickers together with their bombs."""
    count = np.int64(world.bomb_count)
    changed = True
    while changed:
        changed = False
        for player in range(SEATS):
            cell, wish = np.int64(world.cells[player]), wishes[player]
            if world.alive >> player & 1 == 0 or wish == cell:
                continue
            if agents_at[wish] > 1 or bombs_at[wish] != 0:
                i = kicked[player]
                if i != NOBODY:
                    own = bomb_cell(world.bombs[i])
                    goals[i] = own
                    bombs_at[own] += 1
                    kickers[i] = NOBODY
                    kicked[player] = NOBODY
                wishes[player] = cell
                agents_at[cell] += 1
                changed = True
        for i in range(count):
            own, goal = bomb_cell(world.bombs[i]), goals[i]
            if goal == own and kickers[i] == NOBODY:
                continue
            if bombs_at[goal] > 1 or agents_at[goal] != 0:
                goals[i] = own
                bombs_at[own] += 1
                player = kickers[i]
                if player != NOBODY:
                    cell = np.int64(world.cells[player])
                    wishes[player] = cell
                    agents_at[cell] += 1
                    kickers[i] = NOBODY
                    kicked[player] = NOBODY
                changed = True


@njit
def roll_bombs(world, goals, kickers):
    """Take the bombs to their goals; one that was blocked stops for good."""
    count = np.int64(world.bomb_count)
    for i in range(count):
        world.terrain[bomb_cell(world.bombs[i])] &= ~BOMB & 0xFF
    for i in range(count):
        bomb = world.bombs[i]
        if goals[i] == bomb_cell(bomb) and kickers[i] == NOBODY:
            bomb &= ~np.uint32(DIRECTION)
        else:
            bomb &= np.uint32((1 << BOMB_CELL_SHIFT) - 1)
            bomb |= np.uint32(goals[i]) << np.uint32(BOMB_CELL_SHIFT)
        world.bombs[i] = bomb
        world.terrain[goals[i]] |= BOMB


@njit
def settle(world, wishes):
    """Turn `wishes` of the agents into what they get, and move the bombs.

    Args:
        world: The WORLD, in the middle of a step: the step's bombs are laid.
        wishes: The cell that each agent wants, changed in place.
    """
    count = np.int64(world.bomb_count)
    goals = carray(stack_int32(MOST_BOMBS), MOST_BOMBS, np.int32)
    kickers = carray(stack_int32(MOST_BOMBS), MOST_BOMBS, np.int32)
    # The borders are no longer needed when the notes are taken.
    scratch = carray(stack_int32(MOVABLE), MOVABLE, np.int32)
    kicked = carray(stack_int32(SEATS), SEATS, np.int32)
    agents_at = carray(stack_int32(CELLS_AS_INT32), CELLS, np.uint8)
    bombs_at = carray(stack_int32(CELLS_AS_INT32), CELLS, np.uint8)
    for cell in range(CELLS):
        agents_at[cell] = 0
        bombs_at[cell] = 0
    bomb_wishes(world, goals)
    undo_swaps(world, wishes, goals, scratch)
    for player in range(SEATS):
        kicked[player] = NOBODY
        if world.alive >> player & 1:
            agents_at[wishes[player]] += 1
    for i in range(count):
        kickers[i] = NOBODY
        bombs_at[goals[i]] += 1
    first_bounces(world, wishes, goals, agents_at, bombs_at)
    if meet_bombs(world, wishes, goals, agents_at, bombs_at, kickers, kicked, scratch):
        second_bounces(world, wishes, goals, agents_at, bombs_at, kickers, kicked)
    roll_bombs(world, goals, kickers)
