"""One step of Pommerman: a joint action of all living agents."""

import numpy as np
from numba import carray, njit

from mcts_agents.envs.pommerman.collisions import settle
from mcts_agents.envs.pommerman.flames import age_flames, count_seen, explode
from mcts_agents.envs.pommerman.layout import (
    BOMB,
    DELTA,
    DIRECTION,
    EXTRA_BOMB,
    FLAME,
    LAY,
    MOST_BOMBS,
    OPEN,
    OPEN_SHIFT,
    OWNER_SHIFT,
    RANGE,
    RIGID,
    SEATS,
    WALL,
    bomb_cell,
    give_ammo,
    new_bomb,
)
from mcts_agents.model.addresses import stack_int32
from mcts_agents.model.bits import bit_of

EVEN_TEAM, ODD_TEAM = 0b0101, 0b1010


@njit
def advance(game, world, moves):
    """Carry out one step.

    Args:
        game: The variant.
        world: The WORLD, changed in place.
        moves: What each agent does, 0 to 5, int32 of shape (4,); of the dead ignored.
    """
    if play(game, world, moves):
        count_seen(world)
    if is_decided(game, world):
        world.over = 1
    elif game.first_collapse and collapses_now(game, world):
        collapse(game, world, (world.steps - game.first_collapse))


@njit
def play(game, world, moves):
    """Carry out all of a step but its end: what was seen, who has won, the collapse.

    Returns whether anything came out of wood.
    """
    came_out = age_flames(world)
    wishes = carray(stack_int32(SEATS), SEATS, np.int32)
    if take_wishes(world, moves, wishes):
        settle(world, wishes)
    move_agents(game, world, wishes)
    explode(world)
    world.alive_before = world.alive
    world.walled_in = 0
    for player in range(SEATS):
        if world.terrain[world.cells[player]] & FLAME:
            world.alive &= ~(1 << player)
    world.steps += 1
    return came_out


@njit
def take_wishes(world, moves, wishes):
    """Lay bombs and write the cell that each agent wants.

    Returns whether anything may be in the way of anything: a bomb that rolls, a bomb
    in a cell that an agent wants to enter, or two agents who want one cell or each
    other's.
    """
    crowded = False
    for player in range(SEATS):
        cell = np.int64(world.cells[player])
        # The dead stay out of the others' way: rigid cells that nobody can want.
        wishes[player] = player
        if world.alive >> player & 1 == 0:
            continue
        wish = cell + DELTA[moves[player]]
        if moves[player] == LAY:
            lay_bomb(world, player, cell)
        elif world.terrain[wish] & WALL:
            wish = cell
        wishes[player] = wish
    rolling = np.uint32(0)
    for i in range(world.bomb_count):
        rolling |= world.bombs[i]
    crowded = rolling & DIRECTION != 0
    for player in range(SEATS):
        cell, wish = np.int64(world.cells[player]), wishes[player]
        crowded |= wish != cell and world.terrain[wish] & BOMB != 0
        for other in range(player):
            crowded |= wishes[other] == wish
            crowded |= wishes[other] == cell and world.cells[other] == wish
    return crowded


@njit
def lay_bomb(world, player, cell):
    """Lay a bomb if there is one to lay and none is there."""
    if world.ammo[player] == 0 or world.terrain[cell] & BOMB:
        return
    if world.bomb_count == MOST_BOMBS:
        raise RuntimeError("pommerman: more bombs than the rules allow")
    world.ammo[player] -= 1
    strength = np.int64(world.strength[player])
    world.bombs[world.bomb_count] = new_bomb(cell, player, strength)
    world.bomb_count += 1
    world.terrain[cell] |= BOMB


@njit
def move_agents(game, world, wishes):
    """Take the living to where they got, and let them pick up what lies there."""
    for player in range(SEATS):
        if world.alive >> player & 1 == 0 or wishes[player] == world.cells[player]:
            continue
        cell = wishes[player]
        world.cells[player] = cell
        item = world.terrain[cell] >> OPEN_SHIFT
        if item == 0:
            continue
        world.terrain[cell] &= ~OPEN & 0xFF
        if item == EXTRA_BOMB:
            give_ammo(world, player)
        elif item == RANGE:
            stronger = np.int64(world.strength[player]) + 1
            world.strength[player] = min(stronger, game.most_strength)
        else:
            world.kick |= 1 << player


@njit
def is_decided(game, world):
    """Whether the game is over by who lives and by the number of steps."""
    alive = np.int64(world.alive)
    if world.steps >= game.max_steps or alive & (alive - 1) == 0:
        return True
    return game.team and (alive & EVEN_TEAM == 0 or alive & ODD_TEAM == 0)


# -- the collapsing board


@njit
def collapses_now(game, world):
    """Whether a ring turns rigid after this step."""
    since = world.steps - game.first_collapse
    return since >= 0 and since % game.collapse_interval == 0


@njit
def collapse(game, world, since):
    """Turn the next ring rigid, after the end of the step was decided.

    Agents there die, which is noticed at the end of the next step; bombs vanish and
    can be laid again; flames and items vanish.
    """
    ring = since // game.collapse_interval
    last = game.size - 1 - ring
    for row in range(ring, last + 1):
        for column in range(ring, last + 1):
            if row in (ring, last) or column in (ring, last):
                collapse_cell(world, DELTA[2] * (row + 1) + column + 1)


@njit
def collapse_cell(world, cell):
    """Turn one cell rigid."""
    for player in range(SEATS):
        if world.cells[player] == cell:
            world.walled_in |= world.alive & 1 << player
            world.alive &= ~(1 << player)
    kept = 0
    for i in range(world.bomb_count):
        bomb = world.bombs[i]
        if bomb_cell(bomb) == cell:
            give_ammo(world, np.int64(bomb) >> OWNER_SHIFT & 3)
        else:
            world.bombs[kept] = bomb
            kept += 1
    world.bomb_count = kept
    word = cell >> 6
    for life in range(3):
        world.flames[life, word] &= ~bit_of(cell)
    world.covered[word] &= ~bit_of(cell)
    world.terrain[cell] = RIGID
