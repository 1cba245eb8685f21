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
def advance(game, state, moves):
    """Carry out one step.

    Args:
        game: The variant.
        state: The state, changed in place.
        moves: What each agent does, 0 to 5, int32 of shape (4,); of the dead ignored.
    """
    if play(game, state, moves):
        count_seen(state)
    if is_decided(game, state):
        state.over = 1
    elif game.first_collapse and collapses_now(game, state):
        collapse(game, state, (state.steps - game.first_collapse))


@njit
def play(game, state, moves):
    """Carry out all of a step but its end: what was seen, who has won, the collapse.

    Returns whether anything came out of wood.
    """
    came_out = age_flames(state)
    wishes = carray(stack_int32(SEATS), SEATS, np.int32)
    if take_wishes(state, moves, wishes):
        settle(state, wishes)
    move_agents(game, state, wishes)
    explode(state)
    state.alive_before = state.alive
    for player in range(SEATS):
        if state.terrain[state.cells[player]] & FLAME:
            state.alive &= ~(1 << player)
    state.steps += 1
    return came_out


@njit
def take_wishes(state, moves, wishes):
    """Lay bombs and write the cell that each agent wants.

    Returns whether anything may be in the way of anything: a bomb that rolls, a bomb
    in a cell that an agent wants to enter, or two agents who want one cell or each
    other's.
    """
    crowded = False
    for player in range(SEATS):
        cell = np.int64(state.cells[player])
        # The dead stay out of the others' way: rigid cells that nobody can want.
        wishes[player] = player
        if state.alive >> player & 1 == 0:
            continue
        wish = cell + DELTA[moves[player]]
        if moves[player] == LAY:
            lay_bomb(state, player, cell)
        elif state.terrain[wish] & WALL:
            wish = cell
        wishes[player] = wish
    rolling = np.uint32(0)
    for i in range(state.bomb_count):
        rolling |= state.bombs[i]
    crowded = rolling & DIRECTION != 0
    for player in range(SEATS):
        cell, wish = np.int64(state.cells[player]), wishes[player]
        crowded |= wish != cell and state.terrain[wish] & BOMB != 0
        for other in range(player):
            crowded |= wishes[other] == wish
            crowded |= wishes[other] == cell and state.cells[other] == wish
    return crowded


@njit
def lay_bomb(state, player, cell):
    """Lay a bomb if there is one to lay and none is there."""
    if state.ammo[player] == 0 or state.terrain[cell] & BOMB:
        return
    if state.bomb_count == MOST_BOMBS:
        raise RuntimeError("pommerman: more bombs than the rules allow")
    state.ammo[player] -= 1
    strength = np.int64(state.strength[player])
    state.bombs[state.bomb_count] = new_bomb(cell, player, strength)
    state.bomb_count += 1
    state.terrain[cell] |= BOMB


@njit
def move_agents(game, state, wishes):
    """Take the living to where they got, and let them pick up what lies there."""
    for player in range(SEATS):
        if state.alive >> player & 1 == 0 or wishes[player] == state.cells[player]:
            continue
        cell = wishes[player]
        state.cells[player] = cell
        item = state.terrain[cell] >> OPEN_SHIFT
        if item == 0:
            continue
        state.terrain[cell] &= ~OPEN & 0xFF
        if item == EXTRA_BOMB:
            give_ammo(state, player)
        elif item == RANGE:
            stronger = np.int64(state.strength[player]) + 1
            state.strength[player] = min(stronger, game.most_strength)
        else:
            state.kick |= 1 << player


@njit
def is_decided(game, state):
    """Whether the game is over by who lives and by the number of steps."""
    alive = np.int64(state.alive)
    if state.steps >= game.max_steps or alive & (alive - 1) == 0:
        return True
    return game.team and (alive & EVEN_TEAM == 0 or alive & ODD_TEAM == 0)


# -- the collapsing board


@njit
def collapses_now(game, state):
    """Whether a ring turns rigid after this step."""
    since = state.steps - game.first_collapse
    return since >= 0 and since % game.collapse_interval == 0


@njit
def collapse(game, state, since):
    """Turn the next ring rigid, after the end of the step was decided.

    Agents there die, which is noticed at the end of the next step; bombs vanish and
    can be laid again; flames and items vanish.
    """
    ring = since // game.collapse_interval
    last = game.size - 1 - ring
    for row in range(ring, last + 1):
        for column in range(ring, last + 1):
            if row in (ring, last) or column in (ring, last):
                collapse_cell(state, DELTA[2] * (row + 1) + column + 1)


@njit
def collapse_cell(state, cell):
    """Turn one cell rigid."""
    for player in range(SEATS):
        if state.cells[player] == cell:
            state.alive &= ~(1 << player)
    kept = 0
    for i in range(state.bomb_count):
        bomb = state.bombs[i]
        if bomb_cell(bomb) == cell:
            give_ammo(state, np.int64(bomb) >> OWNER_SHIFT & 3)
        else:
            state.bombs[kept] = bomb
            kept += 1
    state.bomb_count = kept
    word = cell >> 6
    for life in range(3):
        state.flames[life, word] &= ~bit_of(cell)
    state.covered[word] &= ~bit_of(cell)
    state.terrain[cell] = RIGID
