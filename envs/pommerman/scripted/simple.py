"""The official SimpleAgent: flees bombs, hunts who is near, collects, blasts wood.

Source of the behaviour: `pommerman/agents/simple_agent.py` of the official program
(`MultiAgentLearning/playground`), followed to the letter, oddities included. It uses
of the observation the board, the blast strengths of bombs, its own position, ammo and
blast strength, and who its enemies are: not when a bomb goes off, nor what stands
between a bomb and itself. Where the source stops with an error (no passage in sight
while it thinks of laying a bomb) this one lays none.
"""

import numpy as np
from numba import carray, njit

from mcts_agents.envs.pommerman.layout import (
    CELLS,
    CELLS_AS_INT32,
    DELTA,
    DOWN,
    LAY,
    LEFT,
    MOST_BOMBS,
    RIGHT,
    STOP,
    STRIDE,
    UP,
)
from mcts_agents.envs.pommerman.observation import (
    BEFORE_ITEMS_CODE,
    FOG_CODE,
    PASSAGE_CODE,
    WOOD_CODE,
)
from mcts_agents.envs.pommerman.scripted.board import (
    OUTSIDE,
    UNMAPPED,
    UNREACHED,
    enemies_of,
    find_paths,
    is_passable,
    leads_out,
    list_bombs,
    look,
    nearest_of,
    nearest_seat,
)
from mcts_agents.model import random_below
from mcts_agents.model.addresses import stack_int32

REMEMBERED = 6

MEMORY = np.dtype(
    [
        ("recent", np.uint8, REMEMBERED),  # cells from which it strolled, oldest first
        ("recent_count", np.uint8),
        ("direction", np.uint8),  # of its last step towards an enemy, 0 for none
    ],
    align=True,
)

HUNT_RADIUS, ITEM_RADIUS, WOOD_RADIUS = 3, 2, 2


@njit
def begin(memory, rng):
    """Forget what was before; the source keeps it from game to game."""
    memory.recent[:] = 0
    memory.recent_count = 0
    memory.direction = STOP


@njit
def act(game, state, player, memory, rng):
    """Return a move and remember what matters for the next.

    Args:
        game: The variant's record.
        state: The state, only read.
        player: A living player.
        memory: A record of `MEMORY`, changed in place.
        rng: The generator.
    """
    own = np.int64(state.cells[player])
    enemies = enemies_of(game, player)
    codes = carray(stack_int32(CELLS_AS_INT32), CELLS, np.uint8)
    distances = carray(stack_int32(CELLS_AS_INT32), CELLS, np.uint8)
    steps = carray(stack_int32(CELLS_AS_INT32), CELLS, np.uint8)
    bombs = carray(stack_int32(MOST_BOMBS), MOST_BOMBS, np.int32)
    look(game, state, player, codes)
    bomb_count = list_bombs(game, state, player, bombs)
    find_paths(game, codes, own, enemies, distances, steps, rng)

    threats = carray(stack_int32(4), 4, np.int32)
    threat_count = find_threats(bombs, bomb_count, own, distances, threats)
    if threat_count:
        return flee(codes, own, enemies, threats, threat_count, rng)

    may_lay = state.ammo[player] > 0 and can_hide(
        codes, own, np.int64(state.strength[player]), distances
    )
    enemy = nearest_seat(state, codes, enemies, HUNT_RADIUS, distances)
    if enemy:
        if distances[enemy] == 1 and may_lay:
            return np.int64(LAY)
        step = np.int64(steps[enemy])
        if memory.direction != step or random_below(rng, 2):
            memory.direction = step
            return step

    first_item, last_item = BEFORE_ITEMS_CODE + 1, BEFORE_ITEMS_CODE + 3
    item = nearest_of(codes, first_item, last_item, own, ITEM_RADIUS, distances)
    if item:
        return np.int64(steps[item])

    wood = nearest_of(codes, WOOD_CODE, WOOD_CODE, own, WOOD_RADIUS, distances)
    if wood:
        step = np.int64(steps[wood])
        if distances[wood] == 1:
            return np.int64(LAY) if may_lay else np.int64(STOP)
        if not is_in_line(bombs, bomb_count, own + DELTA[step]):
            return step
    return stroll(codes, own, enemies, bombs, bomb_count, memory, rng)


# -- bombs


@njit
def find_threats(bombs, bomb_count, own, distances, threats):
    """Write direction * 16 + strength of what bombs make unsafe; return their number.

    A bomb counts if a way no longer than its strength leads to it and if it is in the
    same row or column. On one all directions are unsafe.
    """
    count = 0
    for i in range(bomb_count):
        cell, strength = np.int64(bombs[i]) >> 4, np.int64(bombs[i]) & 15
        if distances[cell] == UNMAPPED or distances[cell] > strength:
            continue
        if cell == own:
            count = add_threat(threats, count, RIGHT, strength)
            count = add_threat(threats, count, LEFT, strength)
            count = add_threat(threats, count, UP, strength)
            count = add_threat(threats, count, DOWN, strength)
        elif cell // STRIDE == own // STRIDE:
            direction = RIGHT if own < cell else LEFT
            count = add_threat(threats, count, direction, strength)
        elif cell % STRIDE == own % STRIDE:
            direction = DOWN if own < cell else UP
            count = add_threat(threats, count, direction, strength)
    return count


@njit
def add_threat(threats, count, direction, strength):
    """Add a direction or raise the strength of one that is there."""
    for i in range(count):
        if threats[i] >> 4 == direction:
            threats[i] = max(np.int64(threats[i]), direction << 4 | strength)
            return count
    threats[count] = direction << 4 | strength
    return count + 1


@njit
def flee(codes, own, enemies, threats, threat_count, rng):
    """Return a step away from bombs."""
    if threat_count == 4:
        for i in range(4):
            direction, strength = np.int64(threats[i]) >> 4, np.int64(threats[i]) & 15
            there = own + DELTA[direction]
            if is_passable(codes, there, enemies) and leads_out(
                codes, own, there, strength, enemies
            ):
                return direction
        return np.int64(STOP)
    threatened = 0
    for i in range(threat_count):
        threatened |= 1 << (np.int64(threats[i]) >> 4)
    safe, on_board = 0, 0
    for direction in range(1, 5):
        there = own + DELTA[direction]
        if codes[there] != OUTSIDE:
            on_board |= 1 << direction
            if codes[there] == FOG_CODE or is_passable(codes, there, enemies):
                safe |= 1 << direction
    safe &= ~threatened
    # With nothing safe it goes towards a bomb, even into a wall.
    return one_of(safe if safe else threatened & on_board, rng)


@njit
def can_hide(codes, own, strength, distances):
    """Whether it could walk to a passage that a bomb laid now would not reach.

    The source takes the strength for the reach.
    """
    for cell in range(CELLS):
        if codes[cell] == PASSAGE_CODE and distances[cell] < UNREACHED:
            if distances[cell] > strength:
                return True
            if cell // STRIDE != own // STRIDE and cell % STRIDE != own % STRIDE:
                return True
    return False


@njit
def is_in_line(bombs, bomb_count, cell):
    """Whether a bomb is in the same row or column, no further than its strength."""
    for i in range(bomb_count):
        at, strength = np.int64(bombs[i]) >> 4, np.int64(bombs[i]) & 15
        down = abs(at // STRIDE - cell // STRIDE)
        right = abs(at % STRIDE - cell % STRIDE)
        if down * right == 0 and down + right <= strength:
            return True
    return False


# -- nothing to do


@njit
def stroll(codes, own, enemies, bombs, bomb_count, memory, rng):
    """Return a random step out of line of bombs, rather to where it was not lately."""
    safe, fresh = 0, 0
    for move in range(5):
        there = own + DELTA[move]
        if not is_passable(codes, there, enemies):
            continue
        if not is_in_line(bombs, bomb_count, there):
            safe |= 1 << move
            if not is_recent(memory, there):
                fresh |= 1 << move
    moves = fresh if fresh else safe
    if moves & ~(1 << STOP):
        moves &= ~(1 << STOP)
    remember(memory, own)
    return one_of(moves, rng)


@njit
def is_recent(memory, cell):
    """Whether it strolled from a cell lately."""
    for i in range(memory.recent_count):
        if memory.recent[i] == cell:
            return True
    return False


@njit
def remember(memory, cell):
    """Add a cell to the recent ones, of which it keeps the last six."""
    count = np.int64(memory.recent_count)
    if count == REMEMBERED:
        for i in range(REMEMBERED - 1):
            memory.recent[i] = memory.recent[i + 1]
        count -= 1
    memory.recent[count] = cell
    memory.recent_count = count + 1


@njit
def one_of(moves, rng):
    """Return one move of a mask, each as likely, a stop if there is none."""
    count = 0
    for move in range(5):
        count += moves >> move & 1
    if count == 0:
        return np.int64(STOP)
    left = random_below(rng, count)
    for move in range(5):
        if moves >> move & 1:
            if left == 0:
                return np.int64(move)
            left -= 1
    return np.int64(STOP)
