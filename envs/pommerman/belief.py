"""What a player remembers in the fog: the world as it believes it to be.

A belief has the fields of a state. After every step it is played on by the rules, the
player's own move in it, the others standing still; so bombs that were seen roll, go off
and burn wood, and flames end. Then all that the player sees is written over it. What
was out of sight and has come otherwise stays as it was believed until it is seen.

A belief depends on nothing but the player's official observations and its own actions:
`look` reads of the true state only what these show. So it is not known who laid a bomb
unless that was seen, and the strength, bombs and kicks of others are what could be
followed: bombs seen laid, items seen taken, bombs seen kicked. How many of its own
bombs are still there a player knows by how many it can lay.

The opening board mirrors itself in its main diagonal. Each cell that is seen therefore
tells what was on the other side at first; `unsettled` are the pairs of which neither
cell has told yet. When nothing can have burnt, a passage tells as well.
"""

import numpy as np
from numba import carray, njit

from mcts_agents.envs.pommerman.cell_sets import (
    NO_CELLS,
    ONE,
    SET_AS_INT32,
    add,
    remove,
    write_view,
)
from mcts_agents.envs.pommerman.layout import (
    BOMB_LIFE,
    CELLS,
    DELTA,
    EXTRA_BOMB,
    FIRST_CELL,
    FLAME,
    HIDDEN,
    MOST_AMMO,
    MOST_BOMBS,
    OPEN_SHIFT,
    RANGE,
    RIGID,
    SEATS,
    STRIDE,
    WOOD,
    WORDS,
    bomb_cell,
    bomb_direction,
    contains,
    give_ammo,
    world_of,
)
from mcts_agents.envs.pommerman.opening import (
    clear,
    is_kept_free,
    is_ring_wood,
    mirrored,
    place_agents,
    ring_wood,
)
from mcts_agents.envs.pommerman.remembered_bombs import (
    MOST_OWN,
    keep_own_bombs,
    look_at_bombs,
    write_own_bombs,
)
from mcts_agents.envs.pommerman.step import collapse, collapses_now, play
from mcts_agents.model.addresses import stack_int32
from mcts_agents.model.bits import lowest_bit

# Nothing burns away in fewer steps: a bomb of the first one, and its flames.
FIRST_BURNT = BOMB_LIFE + 1


@njit
def begin_beliefs(game, state):
    """Let all players remember, from their first look at an opening on."""
    nothing = carray(stack_int32(SET_AS_INT32), WORDS, np.uint64)
    for word in range(WORDS):
        nothing[word] = NO_CELLS
    state.remembering = (1 << game.players) - 1
    for player in range(SEATS):
        belief = state.beliefs[player]
        forget(belief)
        if player < game.players:
            begin_belief(game, belief)
            belief.corner = state.cells[player]
            look(game, belief, state, player, nothing)


@njit
def begin_belief(game, belief):
    """Write what all know before they look."""
    clear(game, world_of(belief))
    place_agents(game, world_of(belief))
    for cell in range(CELLS):
        belief.terrain[cell] = RIGID
    for word in range(WORDS):
        belief.known[word] = ~NO_CELLS
        belief.unsettled[word] = NO_CELLS
        belief.not_rigid[word] = NO_CELLS
        belief.opened[word] = NO_CELLS
    for player in range(SEATS):
        belief.last_seen[player] = -1 if game.shuffle_corners else 0
    for row in range(game.size):
        for column in range(game.size):
            cell = FIRST_CELL + row * STRIDE + column
            belief.terrain[cell] = 0
            if is_ring_wood(game, row, column):
                belief.terrain[cell] = WOOD
            elif row != column and not is_kept_free(game, row, column):
                remove(belief.known, cell)
                if row < column:
                    add(belief.unsettled, cell)
    belief.rigid_pairs = game.rigid // 2
    belief.wood_pairs = (game.wood - ring_wood(game)) // 2


@njit
def forget(belief):
    """Set everything in a belief to zero."""
    for word in range(WORDS):
        for life in range(3):
            belief.flames[life, word] = NO_CELLS
        belief.covered[word] = NO_CELLS
        belief.known[word] = NO_CELLS
        belief.unsettled[word] = NO_CELLS
        belief.not_rigid[word] = NO_CELLS
        belief.opened[word] = NO_CELLS
    for i in range(MOST_BOMBS):
        belief.bombs[i] = 0
    for cell in range(CELLS):
        belief.terrain[cell] = 0
    for player in range(SEATS):
        belief.cells[player] = 0
        belief.ammo[player] = 0
        belief.strength[player] = 0
        belief.messages[player] = 0
        belief.last_seen[player] = 0
    belief.steps = 0
    belief.bomb_count = 0
    belief.alive = 0
    belief.alive_before = 0
    belief.kick = 0
    belief.over = 0
    belief.unseen_items = 0
    belief.unseen_cells = 0
    belief.walled_in = 0
    belief.rigid_pairs = 0
    belief.wood_pairs = 0
    belief.corner = 0


@njit
def bring_forward(game, state, player, move):
    """Bring a player's belief forward by a step that was made in the state."""
    belief = state.beliefs[player]
    before = carray(stack_int32(SET_AS_INT32), WORDS, np.uint64)
    write_view(game, np.int64(belief.cells[player]), before)
    own_bombs = carray(stack_int32(MOST_OWN), MOST_OWN, np.uint32)
    number = write_own_bombs(belief, player, own_bombs)
    at_most = number + np.int64(belief.ammo[player]) - np.int64(state.ammo[player])
    at_least = at_most
    cell = np.int64(state.cells[player])
    if cell != belief.cells[player]:
        entered = np.int64(belief.terrain[cell])
        at_least += entered >> OPEN_SHIFT == EXTRA_BOMB
        # A flame may have ended there, on an item that nobody has seen.
        at_most = at_least + (entered & FLAME != 0)
    were_at = carray(stack_int32(SEATS), SEATS, np.int32)
    moves = carray(stack_int32(SEATS), SEATS, np.int32)
    for other in range(SEATS):
        were_at[other] = belief.cells[other]
        moves[other] = 0
        if other != player and belief.last_seen[other] != belief.steps:
            belief.alive &= ~(1 << other)  # out of everybody's way
    moves[player] = move
    world = world_of(belief)
    play(game, world, moves)
    if game.first_collapse and not state.over and collapses_now(game, world):
        collapse(game, world, world.steps - game.first_collapse)
        for cell in range(CELLS):
            if belief.terrain[cell] & RIGID:
                add(belief.known, cell)
    look(game, belief, state, player, before)
    if belief.bomb_count or number:
        write_view(game, cell, before)
        if state.ammo[player] < MOST_AMMO:  # where bombs that go off are not counted
            bombs = own_bombs[:number]
            left = at_least, at_most
            keep_own_bombs(game, belief, state, player, bombs, left, were_at, before)
        note_where_bombs_rolled(belief, state, before)


@njit
def look(game, belief, state, player, before):
    """Write all over a belief that a player sees now; `before` is its last view."""
    view = carray(stack_int32(SET_AS_INT32), WORDS, np.uint64)
    write_view(game, np.int64(state.cells[player]), view)
    look_at_flames(belief, state, view)
    look_at_cells(game, belief, state, view, before)
    look_at_bombs(game, belief, state, player, view, before)
    for other in range(SEATS):
        cell = np.int64(state.cells[other])
        if state.alive >> other & 1 and contains(view, cell):
            belief.cells[other] = cell
            belief.last_seen[other] = state.steps
    belief.alive = state.alive
    belief.alive_before = state.alive_before
    belief.walled_in = state.walled_in
    belief.over = state.over
    belief.steps = state.steps
    belief.cells[player] = state.cells[player]
    belief.last_seen[player] = state.steps
    belief.ammo[player] = state.ammo[player]
    belief.strength[player] = state.strength[player]
    belief.kick = belief.kick & ~(1 << player) | state.kick & 1 << player
    for other in range(SEATS):
        heard = other == player or (game.team and other == (player + 2) % SEATS)
        belief.messages[other] = state.messages[other] if heard else 0


@njit
def look_at_flames(belief, state, view):
    """Take over the newest flame of each cell in view; older ones lie hidden under it.

    These stay if they were seen when they were new.
    """
    for word in range(WORDS):
        new = state.flames[2, word] & view[word]
        middle = state.flames[1, word] & view[word] & ~new
        old = state.flames[0, word] & view[word] & ~(new | middle)
        kept = ~view[word]
        belief.flames[2, word] = belief.flames[2, word] & kept | new
        belief.flames[1, word] = belief.flames[1, word] & (kept | new) | middle
        belief.flames[0, word] = belief.flames[0, word] & (kept | new | middle) | old


@njit
def look_at_cells(game, belief, state, view, before):
    """Take over the terrain in view, and learn from what is new."""
    for word in range(WORDS):
        rest = view[word]
        while rest != 0:
            bit = rest & (~rest + ONE)
            cell = word << 6 | lowest_bit(rest)
            rest ^= bit
            seen = np.int64(state.terrain[cell]) & ~HIDDEN
            believed = np.int64(belief.terrain[cell])
            is_new = belief.known[word] & bit == 0
            # Wood burnt, and the flames have ended, here or out of sight.
            came_out = belief.covered[word] & bit != 0 and seen & FLAME == 0
            if seen == believed and not is_new and not came_out:
                continue
            belief.terrain[cell] = seen
            belief.known[word] |= bit
            was_in_view = before[word] & bit != 0
            agent = agent_at(state, cell)
            if seen & FLAME:
                if believed & WOOD:
                    belief.covered[word] |= bit
                elif believed & FLAME == 0:
                    belief.covered[word] &= ~bit
            elif came_out:
                belief.covered[word] &= ~bit
                if seen == 0 and was_in_view and agent < 0:
                    note_content(belief, cell, np.int64(0))
            item = seen >> OPEN_SHIFT
            if item:
                note_content(belief, cell, item)
            elif believed >> OPEN_SHIFT and was_in_view and agent >= 0:
                take(game, belief, agent, believed >> OPEN_SHIFT)
            settle_pair(belief, state, cell, seen, is_new)


@njit
def note_where_bombs_rolled(belief, state, view):
    """Note that nothing stands where a bomb has just rolled out of view."""
    for i in range(np.int64(belief.bomb_count)):
        cell = bomb_cell(belief.bombs[i])
        delta = DELTA[bomb_direction(belief.bombs[i])]
        if delta == 0 or contains(view, cell) or contains(belief.known, cell):
            continue
        if contains(view, cell - delta):
            add(belief.known, cell)
            settle_pair(belief, state, cell, np.int64(0), True)


@njit
def agent_at(state, cell):
    """Return who stands in a cell, -1 for nobody."""
    for player in range(SEATS):
        if state.cells[player] == cell and state.alive >> player & 1:
            return player
    return -1


@njit
def note_content(belief, cell, item):
    """Note that the player has seen what wood had hidden, 0 for nothing."""
    if not contains(belief.opened, cell):
        add(belief.opened, cell)
        belief.unseen_cells -= 1
        belief.unseen_items -= item != 0


@njit
def take(game, belief, player, item):
    """Let a player have what it was seen to take."""
    if item == EXTRA_BOMB:
        give_ammo(world_of(belief), player)
    elif item == RANGE:
        stronger = np.int64(belief.strength[player]) + 1
        belief.strength[player] = min(stronger, game.most_strength)
    else:
        belief.kick |= 1 << player


@njit
def settle_pair(belief, state, cell, seen, is_new):
    """Conclude from a cell what its pair was at first, if that was open."""
    other = mirrored(cell)
    pair = min(cell, other)
    if not contains(belief.unsettled, pair):
        return
    if seen & RIGID:
        if not is_new:  # the board has collapsed there
            return
        content = RIGID
        belief.rigid_pairs -= 1
    elif seen & WOOD or seen >> OPEN_SHIFT:
        content = WOOD
        belief.wood_pairs -= 1
    elif state.steps < FIRST_BURNT and seen & FLAME == 0:
        content = 0
    else:
        add(belief.not_rigid, pair)
        return
    remove(belief.unsettled, pair)
    if contains(belief.known, other):
        return
    add(belief.known, other)
    put_wall(world_of(belief), other, content)


@njit
def put_wall(world, cell, wall):
    """Put a wall, or 0, where a passage was believed to be, flames perhaps on it."""
    if wall == RIGID:
        world.terrain[cell] = RIGID
        for life in range(3):
            remove(world.flames[life], cell)
        remove(world.covered, cell)
    elif wall == WOOD:
        if world.terrain[cell] & FLAME:
            add(world.covered, cell)
        else:
            world.terrain[cell] = WOOD
