"""What a player of Pommerman knows, and worlds that it cannot tell from the true one.

Nobody knows what lies under wood. At the start a known number of items is hidden under
a known number of wood cells, all choices equally likely and each item of any kind.
Everybody sees what comes out when a flame on former wood ends. Where another flame
burns on, or where the board collapses, the content is lost unseen, so it is not known
how many items are left: `unseen_items` counts all that nobody saw, `unseen_cells` the
wood that they were under, gone or not.
"""

import numpy as np
from numba import carray, njit

from mcts_agents.envs.pommerman.layout import (
    BOMB,
    CELLS,
    HIDDEN,
    HIDDEN_SHIFT,
    LAY,
    SEATS,
    STATE,
    WOOD,
    contains,
    direction_of,
)
from mcts_agents.envs.pommerman.step import advance
from mcts_agents.model import random_below
from mcts_agents.model.addresses import stack_int32

ITEM_KINDS = 3
STATE_AS_INT32 = STATE.itemsize // 4


@njit
def resample_items(state, rng):
    """Hide items anew under all wood, burning wood included, cell by cell.

    Each cell in turn gets one of the items nobody has seen with the probability that
    it has one, given what the cells before it got; those that remain were lost.
    """
    items = np.int64(state.unseen_items)
    cells = np.int64(state.unseen_cells)
    for cell in range(CELLS):
        terrain = np.int64(state.terrain[cell])
        if terrain & WOOD == 0 and not contains(state.covered, cell):
            continue
        kind = 0
        if random_below(rng, cells) < items:
            kind = 1 + random_below(rng, ITEM_KINDS)
            items -= 1
        cells -= 1
        state.terrain[cell] = terrain & ~HIDDEN | kind << HIDDEN_SHIFT


@njit
def check_sight(game):
    """Refuse variants with fog, where what a player knows is not worked out yet."""
    if game.sight:
        raise NotImplementedError(
            "pommerman: planning in the fog needs a memory of what was seen, which "
            "there is not yet; choose fog=false"
        )


@njit
def resample(game, state, observer, rng):
    """Replace all that the observer cannot know."""
    # In the fog, what lies out of sight has to be resampled here, from what the player
    # has seen during the game; planning on the truth instead would be cheating.
    check_sight(game)
    resample_items(state, rng)


@njit
def seen_move(game, state, joint_action, actor):
    """Return the move that an action looks like: where the actor went, or what it laid.

    An action without effect looks like a stop; of one that died nobody sees more, for
    which `actions` is returned.
    """
    after = carray(stack_int32(STATE_AS_INT32), 1, STATE)
    after[0] = state
    moves = carray(stack_int32(SEATS), SEATS, np.int32)
    for player in range(SEATS):
        moves[player] = 0
    for player in range(game.players):
        if state.alive >> player & 1:
            moves[player] = joint_action[player] >> game.message_bits
    advance(game, after[0], moves)
    if after[0].alive >> actor & 1 == 0:
        return game.actions
    if moves[actor] == LAY:
        could = state.ammo[actor] > 0 and not is_on_bomb(state, actor)
        return np.int64(LAY) if could else np.int64(0)
    return direction_of(np.int64(after[0].cells[actor]) - np.int64(state.cells[actor]))


@njit
def is_on_bomb(state, player):
    """Whether a player stands on a bomb."""
    return state.terrain[state.cells[player]] & BOMB != 0


@njit
def seen_action(game, state, joint_action, actor, observer):
    """Return what an observer sees of an action; see `visible_action` in the contract.

    Messages are heard by the team mate alone: others see a move that is no action.
    """
    action = np.int64(joint_action[actor])
    if actor == observer:
        return action
    move = seen_move(game, state, joint_action, actor)
    if game.message_bits == 0:
        return move
    if (actor + 2) % SEATS != observer:
        return game.actions + 1 + move
    message = action & ((1 << game.message_bits) - 1)
    if move == game.actions:
        return 2 * game.actions + 2 + message
    return move << game.message_bits | message
