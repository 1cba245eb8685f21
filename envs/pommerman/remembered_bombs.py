"""Bombs that a player of Pommerman remembers in the fog, and those it sees.

An observation shows where a bomb is, how long it lasts, its strength and direction,
not whose it is nor in which order bombs were laid. The owner is known of a bomb that
was seen laid, as long as it can be followed.

Bombs stand in a belief in the order of their lives, which is that of laying, then by
owner and cell. No player lays two bombs in a step, so no more bombs have the same life
than there are players.
"""

import numpy as np
from numba import carray, njit

from mcts_agents.envs.pommerman.layout import (
    BOMB,
    BOMB_CELL_SHIFT,
    BOMB_LIFE,
    DELTA,
    DIRECTION,
    LIFE,
    MOST_BOMBS,
    OWNER_SHIFT,
    SEATS,
    STRENGTH_SHIFT,
    STRIDE,
    UNKNOWN_OWNER,
    WALL,
    bomb_cell,
    bomb_direction,
    contains,
    give_ammo,
    world_of,
)
from mcts_agents.model.addresses import stack_int32

OWNER = 3 << OWNER_SHIFT | UNKNOWN_OWNER
KIND = LIFE | 15 << STRENGTH_SHIFT
JUST_LAID = BOMB_LIFE - 1
GONE = 0
FAR = 1 << 20


@njit
def look_at_bombs(game, belief, state, player, view, before):
    """Take over the bombs in view, with the owners that can be known.

    Args:
        game: The variant.
        belief: The player's belief, its bombs where they should be by now.
        state: The true state.
        player: Who looks, and as whose the bombs of unknown owners are kept: its own
            bombs to lay are known anyway.
        view: The cells in view now.
        before: The cells in view before the step.
    """
    if belief.bomb_count == 0 and state.bomb_count == 0:
        return
    note_kicks(belief, state, player, view, before)
    seen = carray(stack_int32(MOST_BOMBS), MOST_BOMBS, np.uint32)
    number = np.int64(0)
    for i in range(np.int64(state.bomb_count)):
        bomb = state.bombs[i]
        if contains(view, bomb_cell(bomb)):
            seen[number] = bomb & np.uint32(~OWNER)
            number += 1
    sort(seen, number)
    for i in range(number):
        seen[i] |= np.uint32(owner_of(belief, state, seen[i], player))
    for i in range(number):
        if seen[i] & UNKNOWN_OWNER:
            follow(belief, seen, i, view)
    kept = 0
    for i in range(np.int64(belief.bomb_count)):
        bomb = belief.bombs[i]
        cell = bomb_cell(bomb)
        if bomb == GONE:
            continue
        if contains(view, cell) or belief.terrain[cell] & WALL:
            drop(world_of(belief), bomb)
        else:
            belief.bombs[kept] = bomb
            kept += 1
    for i in range(number):
        belief.bombs[kept + i] = seen[i]
    for i in range(kept + number, np.int64(belief.bomb_count)):
        belief.bombs[i] = GONE
    belief.bomb_count = kept + number
    if belief.bomb_count > game.players:
        keep_one_for_each_player(game, belief, view)
    sort(belief.bombs, np.int64(belief.bomb_count))


@njit
def note_kicks(belief, state, player, view, before):
    """Note who has been seen to enter the cell of a resting bomb, which is gone."""
    for i in range(np.int64(belief.bomb_count)):
        bomb = belief.bombs[i]
        cell = bomb_cell(bomb)
        if bomb & DIRECTION or not contains(view, cell) or not contains(before, cell):
            continue
        if state.terrain[cell] & BOMB:
            continue
        for other in range(SEATS):
            if state.cells[other] != cell or state.alive >> other & 1 == 0:
                continue
            stood_there = belief.last_seen[other] == state.steps - 1
            stood_there = stood_there and belief.cells[other] == cell
            if other != player and not stood_there:
                belief.kick |= 1 << other


@njit
def drop(world, bomb):
    """Give up a bomb that is not where it should be; its owner can lay it again."""
    world.terrain[bomb_cell(bomb)] &= ~BOMB & 0xFF
    if bomb & UNKNOWN_OWNER == 0:
        give_ammo(world, np.int64(bomb) >> OWNER_SHIFT & 3)


@njit
def keep_one_for_each_player(game, belief, view):
    """Give up bombs out of sight of a life that more bombs have than players laid."""
    number = np.int64(belief.bomb_count)
    kept = 0
    for i in range(number):
        bomb = belief.bombs[i]
        same = 0
        for j in range(number):
            is_left = j < kept or j >= i
            same += is_left and (belief.bombs[j] ^ bomb) & LIFE == 0
        if same > game.players and not contains(view, bomb_cell(bomb)):
            drop(world_of(belief), bomb)
        else:
            belief.bombs[kept] = bomb
            kept += 1
    for i in range(kept, number):
        belief.bombs[i] = GONE
    belief.bomb_count = kept


@njit
def sort(bombs, number):
    """Sort bombs by life, then owner, then cell."""
    for i in range(1, number):
        bomb = bombs[i]
        j = i
        while j > 0 and rank(bombs[j - 1]) > rank(bomb):
            bombs[j] = bombs[j - 1]
            j -= 1
        bombs[j] = bomb


@njit
def rank(bomb):
    """Return what bombs are sorted by."""
    bomb = np.int64(bomb)
    owner = (bomb & OWNER) >> OWNER_SHIFT
    return (bomb & LIFE) << 20 | owner << 8 | bomb >> BOMB_CELL_SHIFT


@njit
def owner_of(belief, state, bomb, player):
    """Return the owner of a bomb in view: as believed, who laid it, or unknown."""
    for i in range(np.int64(belief.bomb_count)):
        believed = belief.bombs[i]
        if bomb_cell(believed) == bomb_cell(bomb) and believed & KIND == bomb & KIND:
            belief.bombs[i] = GONE
            return np.int64(believed) & OWNER
    if bomb & LIFE == JUST_LAID:
        for other in range(SEATS):
            # Who lays a bomb is on it at the end of the step.
            if state.cells[other] == bomb_cell(bomb) and state.alive >> other & 1:
                belief.ammo[other] = max(np.int64(belief.ammo[other]) - 1, 0)
                belief.strength[other] = np.int64(bomb) >> STRENGTH_SHIFT & 15
                return other << OWNER_SHIFT
    return player << OWNER_SHIFT | UNKNOWN_OWNER


@njit
def follow(belief, seen, i, view):
    """Take a bomb for the nearest one of its kind that is not where it should be.

    That one is in view, or was believed to have just rolled out of it, from this cell:
    something that is not in view has stopped it.
    """
    cell = bomb_cell(seen[i])
    nearest, best = FAR, -1
    for j in range(np.int64(belief.bomb_count)):
        bomb = belief.bombs[j]
        if bomb == GONE or bomb & KIND != seen[i] & KIND:
            continue
        if not contains(view, bomb_cell(bomb)):
            if bomb_cell(bomb) - DELTA[bomb_direction(bomb)] != cell:
                continue
        down = abs(bomb_cell(bomb) // STRIDE - cell // STRIDE)
        right = abs(bomb_cell(bomb) % STRIDE - cell % STRIDE)
        if down + right < nearest:
            nearest, best = down + right, j
    if best >= 0:
        bomb = belief.bombs[best]
        seen[i] = seen[i] & np.uint32(~OWNER) | bomb & np.uint32(OWNER)
        belief.bombs[best] = GONE
        if not contains(view, bomb_cell(bomb)):
            belief.terrain[bomb_cell(bomb)] &= ~BOMB & 0xFF
