"""Worlds that a player of Pommerman cannot tell from the true one in the fog.

A sample begins at what the player believes (`belief`). What it has never seen is drawn
as the generator of the opening draws it, given all that was seen: rigid cells and wood
in pairs that mirror each other, as many as are left, all choices equally likely. Wood
out of sight is taken to stand. Then the owners of bombs are drawn where nobody was seen
to lay them, what has come out of wood that burnt out of sight, and where the others
are: each in any free cell out of sight to which it can have walked, and bombed its way,
since it was last seen.
"""

import numpy as np
from numba import carray, njit

from mcts_agents.envs.pommerman.belief import forget, put_wall
from mcts_agents.envs.pommerman.cell_sets import (
    NO_CELLS,
    SET_AS_INT32,
    add,
    nth_in,
    number_in,
    remove,
    spread,
    write_view,
)
from mcts_agents.envs.pommerman.layout import (
    BOMB,
    BOMB_CELL_SHIFT,
    CELLS,
    DELTA,
    DIRECTION,
    FIRST_CELL,
    LIFE,
    MOST_BOMBS,
    OWNER_SHIFT,
    RIGID,
    SEATS,
    STRENGTH_SHIFT,
    STRIDE,
    UNKNOWN_OWNER,
    WALL,
    WOOD,
    WORDS,
    bomb_cell,
    bomb_direction,
    contains,
    world_of,
)
from mcts_agents.envs.pommerman.opening import (
    MOST_PAIRS,
    MOST_UNREACHABLE,
    mirrored,
    place_agents,
)
from mcts_agents.envs.pommerman.remembered_bombs import OWNER, drop, sort
from mcts_agents.model import random_below
from mcts_agents.model.addresses import stack_int32
from mcts_agents.model.bits import lowest_bit

# How often a board is drawn anew because too much of it cannot be reached.
TRIES = 20
# A bomb is laid, goes off, and its flames end: the steps before wood can be walked on.
STEPS_THROUGH_WOOD = 12


@njit
def copy_world(target, source):
    """Copy one WORLD over another."""
    for word in range(WORDS):
        for life in range(3):
            target.flames[life, word] = source.flames[life, word]
        target.covered[word] = source.covered[word]
    for i in range(MOST_BOMBS):
        target.bombs[i] = source.bombs[i]
    for cell in range(CELLS):
        target.terrain[cell] = source.terrain[cell]
    for player in range(SEATS):
        target.cells[player] = source.cells[player]
        target.ammo[player] = source.ammo[player]
        target.strength[player] = source.strength[player]
        target.messages[player] = source.messages[player]
    target.steps = source.steps
    target.bomb_count = source.bomb_count
    target.alive = source.alive
    target.alive_before = source.alive_before
    target.kick = source.kick
    target.over = source.over
    target.unseen_items = source.unseen_items
    target.unseen_cells = source.unseen_cells
    target.walled_in = source.walled_in


@njit
def forget_the_others(state, observer):
    """Keep the observer's belief alone."""
    for player in range(SEATS):
        if player != observer and state.remembering >> player & 1:
            forget(state.beliefs[player])
    state.remembering = 1 << observer


@njit
def draw_board(game, state, belief, observer, rng):
    """Set the state to a belief, with walls in the cells that are not known."""
    pairs = carray(stack_int32(MOST_PAIRS), MOST_PAIRS, np.int32)
    has_collapsed = game.first_collapse and state.steps >= game.first_collapse
    for _ in range(TRIES):
        copy_world(world_of(state), world_of(belief))
        number, may_be_rigid = list_pairs(belief, pairs)
        if number == 0:
            return
        draw_walls(state, belief, pairs, number, may_be_rigid, rng)
        if has_collapsed or unreachable(game, state) <= MOST_UNREACHABLE:
            break
    for i in range(np.int64(state.bomb_count)):
        if state.terrain[bomb_cell(state.bombs[i])] & WALL:
            take_from_walls(game, state, observer)
            break


@njit
def list_pairs(belief, pairs):
    """List the unsettled pairs, those that may be rigid first; return both numbers."""
    number = may_be_rigid = 0
    for kind in range(2):
        for word in range(WORDS):
            cells = belief.unsettled[word]
            if kind == 0:
                cells &= ~belief.not_rigid[word]
            else:
                cells &= belief.not_rigid[word]
            while cells != 0:
                pairs[number] = word << 6 | lowest_bit(cells)
                cells &= cells - np.uint64(1)
                number += 1
        if kind == 0:
            may_be_rigid = number
    return number, may_be_rigid


@njit
def draw_walls(state, belief, pairs, number, may_be_rigid, rng):
    """Draw which of the unsettled pairs are rigid, then which are wood."""
    # Positions that are set up, as tests do, may leave less room than openings do.
    rigid = min(np.int64(belief.rigid_pairs), may_be_rigid)
    for i in range(min(rigid + np.int64(belief.wood_pairs), number)):
        among = may_be_rigid if i < rigid else number
        j = i + random_below(rng, among - i)
        pairs[i], pairs[j] = pairs[j], pairs[i]
        wall = RIGID if i < rigid else WOOD
        for cell in (np.int64(pairs[i]), mirrored(np.int64(pairs[i]))):
            if not contains(belief.known, cell):
                put_wall(world_of(state), cell, wall)


@njit
def unreachable(game, state):
    """Count the passages that cannot be reached from the bottom right corner."""
    open_cells = carray(stack_int32(SET_AS_INT32), WORDS, np.uint64)
    passages = carray(stack_int32(SET_AS_INT32), WORDS, np.uint64)
    reached = carray(stack_int32(SET_AS_INT32), WORDS, np.uint64)
    write_free(game, state, np.int64(RIGID), open_cells)
    write_free(game, state, np.int64(0xFF), passages)
    for word in range(WORDS):
        reached[word] = NO_CELLS
    add(reached, FIRST_CELL + (game.size - 2) * (STRIDE + 1))
    while spread(reached, open_cells):
        pass
    for word in range(WORDS):
        passages[word] &= ~reached[word]
    return number_in(passages)


@njit
def write_free(game, state, closed, cells):
    """Write the cells of the board without any of some bits in their bytes."""
    for word in range(WORDS):
        cells[word] = NO_CELLS
    for row in range(game.size):
        first = FIRST_CELL + row * STRIDE
        for cell in range(first, first + game.size):
            free = state.terrain[cell] & closed == 0
            cells[cell >> 6] |= np.uint64(free) << np.uint64(cell & 63)


@njit
def take_from_walls(game, state, observer):
    """Let bombs that were believed to roll on rest in front of walls drawn there.

    One that would rest in view, or on another bomb, is taken away. The observer knows
    how many bombs it can lay.
    """
    view = carray(stack_int32(SET_AS_INT32), WORDS, np.uint64)
    write_view(game, np.int64(state.cells[observer]), view)
    ammo = state.ammo[observer]
    kept = 0
    for i in range(np.int64(state.bomb_count)):
        bomb = state.bombs[i]
        cell = bomb_cell(bomb)
        if state.terrain[cell] & WALL:
            delta = DELTA[bomb_direction(bomb)]
            while (
                delta != 0 and state.terrain[cell] & WALL and 0 <= cell - delta < CELLS
            ):
                cell -= delta
            taken = state.terrain[cell] & (WALL | BOMB)
            if taken or contains(view, cell):
                drop(world_of(state), bomb)
                continue
            state.terrain[bomb_cell(bomb)] &= ~BOMB & 0xFF
            state.terrain[cell] |= BOMB
            bomb &= np.uint32((1 << BOMB_CELL_SHIFT) - 1 & ~DIRECTION)
            bomb |= np.uint32(cell << BOMB_CELL_SHIFT)
        state.bombs[kept] = bomb
        kept += 1
    for i in range(kept, np.int64(state.bomb_count)):
        state.bombs[i] = 0
    state.bomb_count = kept
    state.ammo[observer] = ammo
    sort(state.bombs, kept)


# -- bombs


@njit
def draw_owners(game, state, observer, rng):
    """Draw whose the bombs are that nobody was seen to lay.

    One of those who have not laid another bomb in the same step: another than the
    observer if there is one, with a bomb to lay if there is one.
    """
    drawn = False
    for i in range(np.int64(state.bomb_count)):
        bomb = np.int64(state.bombs[i])
        if bomb & UNKNOWN_OWNER == 0:
            continue
        drawn = True
        fitting = 0
        for player in range(game.players):
            fitting |= 1 << player
        for j in range(np.int64(state.bomb_count)):
            other = np.int64(state.bombs[j])
            if other & UNKNOWN_OWNER == 0 and (other ^ bomb) & LIFE == 0:
                fitting &= ~(1 << (other >> OWNER_SHIFT & 3))
        if fitting & ~(1 << observer):
            fitting &= ~(1 << observer)
        with_ammo = fitting
        for player in range(game.players):
            if state.ammo[player] == 0:
                with_ammo &= ~(1 << player)
        owner = one_of(with_ammo if with_ammo else fitting, rng)
        state.bombs[i] = np.uint32(bomb & ~OWNER | owner << OWNER_SHIFT)
        if owner != observer:
            state.ammo[owner] = max(np.int64(state.ammo[owner]) - 1, 0)
        strength = bomb >> STRENGTH_SHIFT & 15
        state.strength[owner] = max(np.int64(state.strength[owner]), strength)
    if drawn:
        sort(state.bombs, np.int64(state.bomb_count))


@njit
def one_of(players, rng):
    """Return one player of a mask at random."""
    number = 0
    for player in range(SEATS):
        number += players >> player & 1
    n = random_below(rng, number)
    for player in range(SEATS):
        if players >> player & 1:
            if n == 0:
                return player
            n -= 1
    return 0


# -- agents


@njit
def place_unseen(game, state, belief, observer, rng):
    """Put the living who are out of sight somewhere where they can be."""
    unseen = 0
    for player in range(game.players):
        if state.alive >> player & 1 and belief.last_seen[player] != state.steps:
            unseen |= 1 << player
    unseen &= ~(1 << observer)
    if unseen == 0:
        return
    if game.shuffle_corners:
        draw_corners(game, state, belief, observer, rng)
    hidden = carray(stack_int32(SET_AS_INT32), WORDS, np.uint64)
    free = carray(stack_int32(SET_AS_INT32), WORDS, np.uint64)
    reached = carray(stack_int32(SET_AS_INT32), WORDS, np.uint64)
    passable = carray(stack_int32(SET_AS_INT32), WORDS, np.uint64)
    write_view(game, np.int64(state.cells[observer]), hidden)
    for word in range(WORDS):
        hidden[word] = ~hidden[word]
    for other in range(game.players):
        if not unseen >> other & 1 and state.alive >> other & 1:
            remove(hidden, np.int64(state.cells[other]))
    write_free(game, state, np.int64(WALL), free)
    write_free(game, state, np.int64(RIGID), passable)
    for player in range(game.players):
        if unseen >> player & 1:
            last = max(np.int64(belief.last_seen[player]), 0)
            elapsed = np.int64(state.steps) - last
            cell = np.int64(state.cells[player])
            write_reached(cell, free, passable, elapsed, reached)
            cell = draw_cell(game, state, belief, reached, hidden, passable, rng)
            state.cells[player] = cell
            clear_cell(state, cell)
            remove(hidden, cell)


@njit
def draw_corners(game, state, belief, observer, rng):
    """Let those who were never seen begin in random corners but the observer's."""
    corners = carray(stack_int32(SEATS), SEATS, np.int32)
    at_first = carray(stack_int32(SEATS), SEATS, np.int32)
    for player in range(SEATS):
        at_first[player] = state.cells[player]
    place_agents(game, world_of(state))
    number = 0
    for player in range(game.players):
        if state.cells[player] != belief.corner:
            corners[number] = state.cells[player]
            number += 1
    for player in range(SEATS):
        state.cells[player] = at_first[player]
    for player in range(game.players):
        if player != observer and belief.last_seen[player] < 0:
            i = random_below(rng, number)
            state.cells[player] = corners[i]
            number -= 1
            corners[i] = corners[number]


@njit
def write_reached(cell, free, passable, steps, reached):
    """Write what can be reached in a number of steps, through wood as well."""
    for word in range(WORDS):
        reached[word] = NO_CELLS
    add(reached, cell)
    while steps > 0:
        if spread(reached, free):
            steps -= 1
        elif steps > STEPS_THROUGH_WOOD and spread(reached, passable):
            steps -= STEPS_THROUGH_WOOD + 1
        else:
            return


@njit
def draw_cell(game, state, belief, reached, hidden, passable, rng):
    """Draw where an agent is that can have reached some cells.

    Where all that the observer believes leaves it no place, it is anywhere out of sight
    but in cells known to be rigid.
    """
    places = carray(stack_int32(SET_AS_INT32), WORDS, np.uint64)
    write_free(game, state, np.int64(0xFF), places)
    some = NO_CELLS
    for word in range(WORDS):
        places[word] &= hidden[word]
        reached[word] &= places[word]
        some |= reached[word]
    if some != 0:
        return nth_in(reached, random_below(rng, number_in(reached)))
    number = number_in(places)
    if number:
        return nth_in(places, random_below(rng, number))
    for closed in (BOMB, 0):
        write_free(game, state, closed, places)
        for word in range(WORDS):
            places[word] &= hidden[word]
            places[word] &= passable[word] | ~belief.known[word]
        number = number_in(places)
        if number:
            return nth_in(places, random_below(rng, number))
    raise RuntimeError("pommerman: an agent is alive where no agent can be")


@njit
def clear_cell(state, cell):
    """Make a cell one that an agent can be in."""
    terrain = np.int64(state.terrain[cell])
    if terrain == 0:
        return
    state.terrain[cell] = terrain & BOMB
    for life in range(3):
        remove(state.flames[life], cell)
    remove(state.covered, cell)
    if terrain & BOMB:
        for i in range(np.int64(state.bomb_count)):
            if bomb_cell(state.bombs[i]) == cell:
                state.bombs[i] &= np.uint32(~DIRECTION)
