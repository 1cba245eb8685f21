"""Bombs that a player of Pommerman remembers in the fog, and those it sees.

An observation shows where a bomb is, how long it lasts, its strength and direction,
not whose it is nor in which order bombs were laid. The owner is known of a bomb that
was seen laid, as long as it can be followed. A player cannot lose its own bombs: how
many it can lay tells when one has gone off out of sight, and when one that has left its
view unseen has not.

Bombs stand in a belief in the order of their lives, which is that of laying, then by
owner and cell. No player lays two bombs in a step, so no more bombs have the same life
than there are players.
"""

import numpy as np
from numba import carray, njit

from mcts_agents.envs.pommerman.cell_sets import remove
from mcts_agents.envs.pommerman.layout import (
    BOMB,
    BOMB_CELL_SHIFT,
    BOMB_LIFE,
    CELLS,
    DELTA,
    DIRECTION,
    DIRECTION_SHIFT,
    LIFE,
    MOST_BOMBS,
    OPEN,
    OWNER_SHIFT,
    SEATS,
    STRENGTH_SHIFT,
    STRIDE,
    UNKNOWN_OWNER,
    WALL,
    bomb_cell,
    bomb_direction,
    contains,
    direction_of,
    give_ammo,
    world_of,
)
from mcts_agents.model.addresses import stack_int32

OWNER = 3 << OWNER_SHIFT | UNKNOWN_OWNER
KIND = LIFE | 15 << STRENGTH_SHIFT
JUST_LAID = BOMB_LIFE - 1
GONE = 0
FAR = 1 << 20
MOST_OWN = BOMB_LIFE  # a player lays at most one bomb a step


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
    sort(belief.bombs, np.int64(belief.bomb_count))
    keep_one_for_each_player(game, belief, view)


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
    """Give up bombs out of sight of a life that more bombs have than players laid.

    Those that come last, whose owners are unknown.
    """
    i = np.int64(belief.bomb_count)
    while i > 0:
        i -= 1
        bomb = belief.bombs[i]
        same = 0
        for j in range(np.int64(belief.bomb_count)):
            same += (belief.bombs[j] ^ bomb) & LIFE == 0
        if same > game.players and not contains(view, bomb_cell(bomb)):
            drop(world_of(belief), bomb)
            take_out(belief, i)


@njit
def take_out(belief, i):
    """Take one bomb out of the list."""
    for j in range(i, np.int64(belief.bomb_count) - 1):
        belief.bombs[j] = belief.bombs[j + 1]
    belief.bomb_count -= 1
    belief.bombs[belief.bomb_count] = GONE


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


# -- the player's own bombs


@njit
def is_own(bomb, player):
    """Whether a bomb of a belief is known to be a player's."""
    return bomb & OWNER == player << OWNER_SHIFT


@njit
def write_own_bombs(belief, player, bombs):
    """Write the bombs known to be a player's, with their lives; return how many."""
    number = 0
    for i in range(np.int64(belief.bomb_count)):
        if number < len(bombs) and is_own(belief.bombs[i], player):
            bombs[number] = belief.bombs[i]
            number += 1
    return number


@njit
def keep_own_bombs(game, belief, state, player, earlier, number, were_at, view):
    """Let a player believe in as many bombs of its own as it must have.

    Args:
        game: The variant.
        belief: The player's belief after it has looked.
        state: The true state.
        player: Who looks.
        earlier: The player's bombs before the step, uint32 of shape (number,).
        number: How many it has now at least, by how many it had, could lay and can
            lay, and at most, if it has picked up one more that it did not see.
        were_at: Where the agents were believed to be before the step, int32 of shape
            (4,).
        view: The cells in view now.
    """
    at_least, at_most = number
    own = 0
    for i in range(np.int64(belief.bomb_count)):
        own += is_own(belief.bombs[i], player)
    for _ in range(own - at_most):
        give_up_own(belief, player, view)
    for _ in range(at_least - own):
        find_own(belief, state, player, earlier, were_at, view)
    if own < at_least:
        keep_one_for_each_player(game, belief, view)


@njit
def give_up_own(belief, player, view):
    """Give up the player's bomb that would go off first, one out of view if any is.

    So those that are left never go off before the true ones.
    """
    for in_view in range(2):
        for i in range(np.int64(belief.bomb_count)):
            bomb = belief.bombs[i]
            if not is_own(bomb, player) or bomb & LIFE == JUST_LAID:
                continue
            if in_view:  # it was taken for another one
                belief.bombs[i] |= np.uint32(UNKNOWN_OWNER)
                sort(belief.bombs, np.int64(belief.bomb_count))
                return
            if not contains(view, bomb_cell(bomb)):
                belief.terrain[bomb_cell(bomb)] &= ~BOMB & 0xFF
                take_out(belief, i)
                return


@njit
def find_own(belief, state, player, earlier, were_at, view):
    """Take a bomb in view for one of the player's that was lost, or put it out of view.

    The one that goes off last of those that were there before the step.
    """
    lost = np.int64(GONE)
    for i in range(len(earlier)):
        bomb = np.int64(earlier[i]) - 1
        is_lost = bomb & LIFE != 0
        for j in range(np.int64(belief.bomb_count)):
            same = (belief.bombs[j] ^ bomb) & LIFE == 0
            if is_own(belief.bombs[j], player) and same:
                is_lost = False
        if is_lost and (lost == GONE or bomb & LIFE > lost & LIFE):
            lost = bomb
    if lost == GONE:
        return
    for i in range(np.int64(belief.bomb_count)):
        bomb = belief.bombs[i]
        if not contains(view, bomb_cell(bomb)) or bomb & UNKNOWN_OWNER == 0:
            continue
        if (bomb ^ lost) & KIND == 0:
            belief.bombs[i] = bomb & ~np.uint32(UNKNOWN_OWNER)
            sort(belief.bombs, np.int64(belief.bomb_count))
            return
    cell, direction = place_out_of_view(belief, state, lost, were_at, view)
    if cell < 0 or belief.bomb_count == MOST_BOMBS:
        return
    for life in range(3):
        remove(belief.flames[life], cell)
    remove(belief.covered, cell)
    belief.terrain[cell] = BOMB
    lost &= (1 << BOMB_CELL_SHIFT) - 1 & ~DIRECTION
    lost |= cell << BOMB_CELL_SHIFT | direction << DIRECTION_SHIFT
    belief.bombs[belief.bomb_count] = np.uint32(lost)
    belief.bomb_count += 1
    sort(belief.bombs, np.int64(belief.bomb_count))


@njit
def place_out_of_view(belief, state, bomb, were_at, view):
    """Return where a lost bomb can be, and the direction in which it rolls.

    Where it should be, else where somebody who is in that cell has kicked it, else the
    nearest cell; -1 if there is none.
    """
    should_be = bomb_cell(bomb) + DELTA[bomb_direction(bomb)]
    if belief.terrain[should_be] & WALL:
        should_be = bomb_cell(bomb)
    kicked_to = -1
    for other in range(SEATS):
        step = should_be - np.int64(were_at[other])
        if state.alive >> other & 1 and state.cells[other] == should_be:
            if contains(view, should_be) and direction_of(step):
                kicked_to = should_be + step
    nearest, best = FAR, -1
    for cell in range(CELLS):
        if contains(view, cell) or belief.terrain[cell] & (WALL | BOMB | OPEN):
            continue
        down = abs(cell // STRIDE - should_be // STRIDE)
        right = abs(cell % STRIDE - should_be % STRIDE)
        far = 0 if cell == kicked_to else down + right
        if far < nearest:
            nearest, best = far, cell
    if best == should_be:
        return best, bomb_direction(bomb)
    return best, direction_of(best - should_be)
