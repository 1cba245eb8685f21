"""What a player of Pommerman sees, as numbers: the official observation, flat.

Five maps of the board (official codes, blast strength, life and direction of bombs,
steps that flames still burn), then the facts of `FACTS`.
"""

import numpy as np
from numba import njit

from mcts_agents.envs.pommerman.layout import (
    BOMB,
    FIRST_CELL,
    FLAME,
    LIFE,
    OPEN_SHIFT,
    RIGID,
    SEATS,
    STRENGTH_SHIFT,
    STRIDE,
    WOOD,
    bomb_cell,
    bomb_direction,
    contains,
)

MAPS = 5
BOARD, STRENGTH, BOMB_TIME, BOMB_DIRECTION, FLAME_TIME = range(MAPS)
PASSAGE_CODE, RIGID_CODE, WOOD_CODE, BOMB_CODE, FLAMES_CODE, FOG_CODE = range(6)
BEFORE_ITEMS_CODE, DUMMY_CODE, FIRST_AGENT_CODE = 5, 9, 10

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
    if game.sight == 0:
        return True
    own = np.int64(state.cells[player])
    down = cell // STRIDE - own // STRIDE
    right = cell % STRIDE - own % STRIDE
    return abs(down) <= game.sight and abs(right) <= game.sight


@njit
def code_of(terrain):
    """Return the official code of a cell's byte, agents aside."""
    if terrain & FLAME:
        return FLAMES_CODE
    if terrain & BOMB:
        return BOMB_CODE
    if terrain & RIGID:
        return RIGID_CODE
    if terrain & WOOD:
        return WOOD_CODE
    item = np.int64(terrain) >> OPEN_SHIFT
    return BEFORE_ITEMS_CODE + item if item else PASSAGE_CODE


# The code of every cell's byte: a table is quicker than questions.
CODES = np.array([code_of.py_func(byte) for byte in range(256)], np.int8)


@njit
def write_maps(game, state, player, out):
    """Write the five maps."""
    size = game.size
    area = size * size
    top, left, bottom, right = 0, 0, size - 1, size - 1
    if game.sight:
        own = np.int64(state.cells[player])
        row, column = own // STRIDE - 1, own % STRIDE - 1
        top, bottom = max(0, row - game.sight), min(bottom, row + game.sight)
        left, right = max(0, column - game.sight), min(right, column + game.sight)
        for place in range(area):
            out[place] = FOG_CODE
    burns = 0
    for row in range(top, bottom + 1):
        first = FIRST_CELL + row * STRIDE
        for column in range(left, right + 1):
            terrain = state.terrain[first + column]
            out[row * size + column] = CODES[terrain]
            burns |= terrain & FLAME
    if burns:
        for row in range(top, bottom + 1):
            for column in range(left, right + 1):
                cell = FIRST_CELL + row * STRIDE + column
                for life in range(3):  # the newest counts
                    if contains(state.flames[life], cell):
                        place = FLAME_TIME * area + row * size + column
                        out[place] = life + 1
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
