"""What a player of Pommerman sees, as numbers: the official observation, flat.

Five maps of the board (official codes, blast strength, life and direction of bombs,
steps that flames still burn), then the facts of `FACTS`.
"""

import numpy as np
from numba import carray, njit

from mcts_agents.envs.pommerman.layout import (
    BOMB,
    CELLS,
    CELLS_AS_INT32,
    FIRST_CELL,
    FLAME,
    LIFE,
    OPEN_SHIFT,
    RIGID,
    SEATS,
    STRENGTH_SHIFT,
    STRIDE,
    WOOD,
    WORDS,
    bomb_cell,
    bomb_direction,
)
from mcts_agents.model.addresses import stack_int32
from mcts_agents.model.bits import lowest_bit

MAPS = 5
BOARD, STRENGTH, BOMB_TIME, BOMB_DIRECTION, FLAME_TIME = range(MAPS)
PASSAGE_CODE, RIGID_CODE, WOOD_CODE, BOMB_CODE, FLAMES_CODE, FOG_CODE = range(6)
BEFORE_ITEMS_CODE, DUMMY_CODE, FIRST_AGENT_CODE = 5, 9, 10

ONE = np.uint64(1)

# Places of the facts after the maps.
AT_POSITION, AT_AMMO, AT_STRENGTH, AT_KICK, AT_TEAMMATE = 0, 2, 3, 4, 5
AT_ENEMIES, AT_ALIVE, AT_MESSAGE, AT_STEPS = 6, 9, 13, 15
FACTS = 17
# Steps are split in two numbers that fit.
STEPS_UNIT = 100
BOUNDS = (0, 127)


@njit
def is_seen(game, state, player, cell):
    """Whether a player sees a cell, from where it is or died."""
    return is_in_sight(game, np.int64(state.cells[player]), cell)


@njit
def is_in_sight(game, own, cell):
    """Whether a cell is seen from another."""
    if game.sight == 0:
        return True
    down = cell // STRIDE - own // STRIDE
    right = cell % STRIDE - own % STRIDE
    return abs(down) <= game.sight and abs(right) <= game.sight


@njit
def code_of(terrain):
    """Return the official code of a cell's byte, agents aside; choices, no jumps."""
    item = terrain >> np.uint8(OPEN_SHIFT)
    code = np.uint8(PASSAGE_CODE) if item == 0 else item + np.uint8(BEFORE_ITEMS_CODE)
    code = np.uint8(WOOD_CODE) if terrain & WOOD else code
    code = np.uint8(RIGID_CODE) if terrain & RIGID else code
    code = np.uint8(BOMB_CODE) if terrain & BOMB else code
    return np.uint8(FLAMES_CODE) if terrain & FLAME else code


@njit
def write_maps(game, state, player, out):
    """Write the five maps."""
    size = game.size
    area = size * size
    # All cells first, in a loop that the compiler makes one of vectors.
    codes = carray(stack_int32(CELLS_AS_INT32), CELLS, np.int8)
    burns = np.uint8(0)
    for cell in range(CELLS):
        terrain = state.terrain[cell]
        burns |= terrain
        codes[cell] = code_of(terrain)
    for row in range(size):
        first = FIRST_CELL + row * STRIDE
        for column in range(size):
            out[row * size + column] = codes[first + column]
    if burns & FLAME:
        for life in range(3):  # the newest counts
            for word in range(WORDS):
                rest = state.flames[life, word]
                while rest:
                    cell = 64 * word + lowest_bit(rest)
                    rest &= rest - ONE
                    out[FLAME_TIME * area + board_place(size, cell)] = life + 1
    if game.sight:
        cover(game, state, player, out)
    for i in range(state.bomb_count):
        bomb = state.bombs[i]
        cell = bomb_cell(bomb)
        if is_seen(game, state, player, cell):
            place = board_place(size, cell)
            out[STRENGTH * area + place] = np.int64(bomb) >> STRENGTH_SHIFT & 15
            out[BOMB_TIME * area + place] = np.int64(bomb) & LIFE
            out[BOMB_DIRECTION * area + place] = bomb_direction(bomb)
    for other in range(SEATS):
        cell = np.int64(state.cells[other])
        if state.alive >> other & 1 and is_seen(game, state, player, cell):
            out[board_place(size, cell)] = FIRST_AGENT_CODE + other


@njit
def cover(game, state, player, out):
    """Lay fog over what is out of sight on the maps of the board and of flames."""
    size = game.size
    flames = FLAME_TIME * size * size
    own = np.int64(state.cells[player])
    own_row, own_column = own // STRIDE - 1, own % STRIDE - 1
    for row in range(size):
        is_far = abs(row - own_row) > game.sight
        for column in range(size):
            place = row * size + column
            if is_far or abs(column - own_column) > game.sight:
                out[place] = FOG_CODE
                out[flames + place] = 0


@njit
def board_place(size, cell):
    """Return the index of a cell in a map."""
    return (cell // STRIDE - 1) * size + cell % STRIDE - 1


@njit
def write_facts(game, state, player, out):
    """Write what is known of the player, of who lives and of the time."""
    place = board_place(game.size, np.int64(state.cells[player]))
    out[AT_POSITION] = place // game.size
    out[AT_POSITION + 1] = place % game.size
    out[AT_AMMO] = state.ammo[player]
    out[AT_STRENGTH] = state.strength[player]
    out[AT_KICK] = state.kick >> player & 1
    mate = (player + 2) % SEATS
    out[AT_TEAMMATE] = FIRST_AGENT_CODE + mate if game.team else DUMMY_CODE
    enemies = 0
    for other in range(game.players):
        out[AT_ALIVE + other] = state.alive >> other & 1
        if other != player and not (game.team and other == mate):
            out[AT_ENEMIES + enemies] = FIRST_AGENT_CODE + other
            enemies += 1
    for nobody in range(enemies, 3):
        out[AT_ENEMIES + nobody] = DUMMY_CODE
    if game.message_bits:
        out[AT_MESSAGE] = state.messages[mate] >> 3
        out[AT_MESSAGE + 1] = state.messages[mate] & 7
    out[AT_STEPS] = state.steps // STEPS_UNIT
    out[AT_STEPS + 1] = state.steps % STEPS_UNIT
