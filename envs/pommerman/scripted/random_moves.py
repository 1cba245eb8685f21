"""An agent of Pommerman without a plan: random among the moves that are safe."""

import numpy as np
from numba import carray, njit

from mcts_agents.envs.pommerman.layout import (
    BOMB,
    DELTA,
    FLAME,
    LIFE,
    MOST_BOMBS,
    MOVES,
    OLDEST,
    RIGID,
    STOP,
    STRENGTH_SHIFT,
    WALL,
    WORDS,
    bomb_cell,
    contains,
)
from mcts_agents.envs.pommerman.observation import is_seen
from mcts_agents.model import random_below
from mcts_agents.model.addresses import stack_int32
from mcts_agents.model.bits import bit_of

MEMORY = np.dtype([("nothing", np.uint8)])  # a record cannot be empty

WORDS_AS_INT32 = 2 * WORDS
AT_ONCE = 1  # life of a bomb that goes off at the end of this step


@njit
def begin(memory, rng):
    """Nothing is remembered."""


@njit
def act_safe_random(game, state, player, memory, rng):
    """Return one of the moves that are safe in this step, else one of all six.

    A move is safe if the cell it leads to is neither in flames that burn on after this
    step began nor reached by a blast at the end of it, as far as the player sees:

    - Bombs with one step to live go off, and those that their blasts reach, each up to
      the first wall. Bombs that roll are taken to rest; what is laid, kicked or walked
      into meanwhile is not thought of.
    - A move into a wall leads nowhere, as do a stop and laying a bomb. A move onto a
      bomb may fail or not, so the own cell has to be safe too.

    What happens after this step is not looked at: a safe move may be a fatal one.
    """
    own = np.int64(state.cells[player])
    struck = carray(stack_int32(WORDS_AS_INT32), WORDS, np.uint64)
    find_blasts(game, state, player, struck)
    own_is_safe = is_spared(game, state, player, struck, own)
    safe = 0
    for move in range(MOVES):
        there = own + DELTA[move]
        terrain = state.terrain[there]
        if terrain & WALL:
            there = own
        if terrain & BOMB and not own_is_safe:
            continue
        if is_spared(game, state, player, struck, there):
            safe |= 1 << move
    if safe == 0:
        return random_below(rng, MOVES)
    count = 0
    for move in range(MOVES):
        count += safe >> move & 1
    left = random_below(rng, count)
    for move in range(MOVES):
        if safe >> move & 1:
            if left == 0:
                return np.int64(move)
            left -= 1
    return np.int64(STOP)


@njit
def is_spared(game, state, player, struck, cell):
    """Whether no blast and no flame that the player sees is in a cell in this step."""
    if contains(struck, cell):
        return False
    if state.terrain[cell] & FLAME and is_seen(game, state, player, cell):
        for life in range(OLDEST + 1, 3):
            if contains(state.flames[life], cell):
                return False
    return True


@njit
def find_blasts(game, state, player, struck):
    """Write the set of cells that blasts reach at the end of this step."""
    struck[:] = 0
    is_off = carray(stack_int32(MOST_BOMBS), MOST_BOMBS, np.int32)
    is_off[:] = 0
    is_complete = False
    while not is_complete:
        is_complete = True
        for i in range(state.bomb_count):
            bomb = np.int64(state.bombs[i])
            cell = bomb_cell(bomb)
            if is_off[i] or not is_seen(game, state, player, cell):
                continue
            if bomb & LIFE <= AT_ONCE or contains(struck, cell):
                is_off[i] = 1
                is_complete = False
                mark_blast(state, cell, bomb >> STRENGTH_SHIFT & 15, struck)


@njit
def mark_blast(state, cell, strength, struck):
    """Add the cells that a bomb's blast reaches: up to wood, before a rigid cell."""
    struck[cell >> 6] |= bit_of(cell)
    for direction in range(1, 5):
        there = cell
        for _ in range(1, strength):
            there += DELTA[direction]
            if state.terrain[there] & RIGID:
                break
            struck[there >> 6] |= bit_of(there)
            if state.terrain[there] & WALL:
                break
