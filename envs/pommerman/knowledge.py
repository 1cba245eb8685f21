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

from mcts_agents.envs.pommerman.fog import (
    copy_world,
    draw_board,
    draw_owners,
    forget_the_others,
    place_unseen,
)
from mcts_agents.envs.pommerman.layout import (
    BOMB,
    CELLS,
    FLAME,
    HIDDEN,
    HIDDEN_SHIFT,
    LAY,
    OPEN_SHIFT,
    SEATS,
    WALL,
    WOOD,
    WORLD,
    contains,
    direction_of,
    world_of,
)
from mcts_agents.envs.pommerman.observation import is_in_sight
from mcts_agents.envs.pommerman.step import advance
from mcts_agents.model import random_below
from mcts_agents.model.addresses import stack_int32
from mcts_agents.model.bits import bit_of

ITEM_KINDS = 3
WORLD_AS_INT32 = WORLD.itemsize // 4
WALL_OR_FLAME = WALL | FLAME


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
        if terrain & WALL_OR_FLAME:
            state.terrain[cell] = terrain & ~HIDDEN | kind << HIDDEN_SHIFT
        else:
            show_item(state, cell, kind)


@njit
def show_item(state, cell, kind):
    """Let an item lie where wood is believed to have burnt out of sight."""
    state.covered[cell >> 6] &= ~bit_of(cell)
    if state.terrain[cell] & BOMB == 0:  # no bomb rolls onto items
        state.terrain[cell] |= kind << OPEN_SHIFT
        state.unseen_cells -= 1
        state.unseen_items -= kind != 0


@njit
def resample(game, state, observer, rng):
    """Replace all that the observer cannot know.

    In the fog the observer's belief decides, and all other beliefs are forgotten. A
    copy that was made for another player or has been played on since is a world that
    its planner has imagined: there only items are hidden anew.
    """
    for other in range(SEATS):
        if not hears(game, observer, other):
            state.messages[other] = 0
    if game.sight:
        if state.remembering == 0:
            raise RuntimeError(
                "pommerman: this position was set up without what players have seen, "
                "so nobody can plan on it in the fog; play from an opening"
            )
        belief = state.beliefs[observer]
        if state.remembering >> observer & 1 and belief.steps == state.steps:
            draw_board(game, state, belief, observer, rng)
            draw_owners(game, state, observer, rng)
            resample_items(state, rng)
            place_unseen(game, state, belief, observer, rng)
            forget_the_others(state, observer)
            return
    resample_items(state, rng)


@njit
def hears(game, observer, other):
    """Whether a player hears what another says: itself and its team mate."""
    return other == observer or (game.team and other == (observer + 2) % SEATS)


@njit
def seen_move(game, state, joint_action, actor, observer):
    """Return the move that an action looks like: where the actor went, or what it laid.

    An action without effect looks like a stop; of one that died nobody sees more, for
    which `actions` is returned. In the fog the actor must be in sight before and after
    the step, or nothing is seen: `actions + 1`.
    """
    after = carray(stack_int32(WORLD_AS_INT32), 1, WORLD)
    copy_world(after[0], world_of(state))
    moves = carray(stack_int32(SEATS), SEATS, np.int32)
    for player in range(SEATS):
        moves[player] = 0
    for player in range(game.players):
        if state.alive >> player & 1:
            moves[player] = joint_action[player] >> game.message_bits
    advance(game, after[0], moves)
    if after[0].alive >> actor & 1 == 0:
        return game.actions
    before = world_of(state)
    if not (
        sees(game, before, observer, actor) and sees(game, after[0], observer, actor)
    ):
        return game.actions + 1
    if moves[actor] == LAY:
        could = state.ammo[actor] > 0 and not is_on_bomb(state, actor)
        return np.int64(LAY) if could else np.int64(0)
    return direction_of(np.int64(after[0].cells[actor]) - np.int64(state.cells[actor]))


@njit
def sees(game, world, observer, actor):
    """Whether a player sees the cell of another."""
    own, other = np.int64(world.cells[observer]), np.int64(world.cells[actor])
    return is_in_sight(game, own, other)


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
    move = seen_move(game, state, joint_action, actor, observer)
    if game.message_bits == 0:
        return move
    if (actor + 2) % SEATS != observer:
        return game.actions + 1 + move
    words = 1 << game.message_bits
    message = action & (words - 1)
    if move >= game.actions:
        return (2 + move - game.actions) * (game.actions + words) + message
    return move << game.message_bits | message
