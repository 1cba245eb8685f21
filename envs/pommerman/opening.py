"""The opening boards of Pommerman, drawn as the official program draws them."""

import numpy as np
from numba import carray, njit

from mcts_agents.envs.pommerman.layout import (
    CELLS,
    CELLS_AS_INT32,
    FIRST_CELL,
    HIDDEN_SHIFT,
    LARGEST,
    RIGID,
    SEATS,
    STRIDE,
    WOOD,
    WORDS,
    world_of,
)
from mcts_agents.model import random_below
from mcts_agents.model.addresses import stack_int32

MOST_PAIRS = LARGEST * (LARGEST - 1) // 2
MOST_UNREACHABLE = 4
ITEM_KINDS = 3


@njit
def set_up(game, state, rng):
    """Write an opening position: agents, walls, wood, and items under the wood."""
    clear(game, world_of(state))
    place_agents(game, world_of(state))
    walls = carray(stack_int32(MOST_PAIRS), MOST_PAIRS, np.int32)
    pairs = wall_candidates(game, state, walls)
    draw_walls(game, state, walls, pairs, rng)
    while unreachable_passages(game, state) > MOST_UNREACHABLE:
        draw_walls(game, state, walls, pairs, rng)
    hide_items(game, state, rng)
    if game.shuffle_corners:
        shuffle_agents(game, state, rng)


@njit
def clear(game, state):
    """Set everything but the board to its start."""
    for word in range(WORDS):
        state.covered[word] = np.uint64(0)
        for life in range(3):
            state.flames[life, word] = np.uint64(0)
    for i in range(len(state.bombs)):
        state.bombs[i] = 0
    for player in range(SEATS):
        state.ammo[player] = 1
        state.strength[player] = 2
        state.messages[player] = 0
    state.steps = 0
    state.bomb_count = 0
    state.alive = (1 << game.players) - 1
    state.alive_before = state.alive
    state.kick = 0
    state.over = 0
    state.unseen_items = game.items
    state.unseen_cells = game.wood
    state.walled_in = 0


@njit
def place_agents(game, state):
    """Put the agents into their corners, counter-clockwise from the top left."""
    near = FIRST_CELL + STRIDE + 1
    far = game.size - 3
    for player in range(SEATS):  # seats that nobody has are dead, outside
        state.cells[player] = 0
    state.cells[0] = near
    if game.players == 2:
        state.cells[1] = near + far * STRIDE + far
    else:
        state.cells[1] = near + far * STRIDE
        state.cells[2] = near + far * STRIDE + far
        state.cells[3] = near + far


@njit
def is_kept_free(game, row, column):
    """Whether a cell is an agent's corner or its breathing room, of four or two."""
    last = game.size - 1
    from_row = min(row, last - row)
    from_column = min(column, last - column)
    if game.players == 2 and (row < game.size // 2) != (column < game.size // 2):
        return False
    near, far = min(from_row, from_column), max(from_row, from_column)
    return near == 1 and far <= 3


@njit
def is_ring_wood(game, row, column):
    """Whether a cell always holds wood, so that the agents can come to each other."""
    last = game.size - 1
    near = min(min(row, last - row), min(column, last - column))
    far = max(min(row, last - row), min(column, last - column))
    return game.players != 2 and near == 1 and far >= 4


@njit
def ring_wood(game):
    """Return how many cells always hold wood."""
    return 4 * (game.size - 8) if game.players != 2 else 0


@njit
def wall_candidates(game, state, walls):
    """Write an empty board with its ring wood, and the cells that may become walls.

    Only those above the diagonal are listed; each stands for itself and its mirror
    image.
    """
    pairs = 0
    for cell in range(CELLS):
        state.terrain[cell] = RIGID
    for row in range(game.size):
        for column in range(game.size):
            cell = FIRST_CELL + row * STRIDE + column
            state.terrain[cell] = 0
            if is_ring_wood(game, row, column):
                state.terrain[cell] = WOOD
            elif row < column and not is_kept_free(game, row, column):
                walls[pairs] = cell
                pairs += 1
    return pairs


@njit
def draw_walls(game, state, walls, pairs, rng):
    """Draw rigid cells, then wood, in pairs that mirror each other."""
    for i in range(pairs):
        state.terrain[walls[i]] = 0
        state.terrain[mirrored(walls[i])] = 0
    rigid = game.rigid // 2
    for i in range(rigid + (game.wood - ring_wood(game)) // 2):
        j = i + random_below(rng, pairs - i)
        walls[i], walls[j] = walls[j], walls[i]
        wall = RIGID if i < rigid else WOOD
        state.terrain[walls[i]] = wall
        state.terrain[mirrored(walls[i])] = wall


@njit
def mirrored(cell):
    """Return a cell's image in the main diagonal."""
    return cell % STRIDE * STRIDE + cell // STRIDE


@njit
def unreachable_passages(game, state):
    """Count the passages that cannot be reached from the bottom right corner.

    Wood can be cleared and is walked through; the agents' cells are no passages.
    """
    waiting = carray(stack_int32(CELLS), CELLS, np.int32)
    seen = carray(stack_int32(CELLS_AS_INT32), CELLS, np.uint8)
    passages = 0
    for cell in range(CELLS):
        seen[cell] = state.terrain[cell] & RIGID
        passages += state.terrain[cell] == 0
    for player in range(game.players):
        passages -= 1
        seen[state.cells[player]] |= 2
    start = FIRST_CELL + (game.size - 2) * (STRIDE + 1)
    waiting[0] = start
    n = 1
    seen[start] |= 1
    while n:
        n -= 1
        cell = np.int64(waiting[n])
        for step in (-STRIDE, STRIDE, -1, 1):
            beside = cell + step
            if seen[beside] & 1 == 0:
                passages -= state.terrain[beside] == 0 and seen[beside] == 0
                seen[beside] |= 1
                waiting[n] = beside
                n += 1
    return passages


@njit
def hide_items(game, state, rng):
    """Put items of random kinds under random wood."""
    wood = carray(stack_int32(CELLS), CELLS, np.int32)
    n = 0
    for cell in range(CELLS):
        if state.terrain[cell] & WOOD:
            wood[n] = cell
            n += 1
    for i in range(game.items):
        j = i + random_below(rng, n - i)
        wood[i], wood[j] = wood[j], wood[i]
        kind = 1 + random_below(rng, ITEM_KINDS)
        state.terrain[wood[i]] |= kind << HIDDEN_SHIFT


@njit
def shuffle_agents(game, state, rng):
    """Deal the corners to the agents at random."""
    for player in range(game.players - 1, 0, -1):
        other = random_below(rng, player + 1)
        cell = state.cells[player]
        state.cells[player] = state.cells[other]
        state.cells[other] = cell
