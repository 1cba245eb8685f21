"""The rules of Dots and Boxes on boards of 1 to 10 boxes a side, for 2 to 6 players.

Drawn edges are kept in bits (see `edges`), and the sides or the owner of each box in a
byte, so that a move costs a look at the two boxes beside the edge. For edges on the
border a byte that belongs to no box takes the place of the second one, which saves
a branch.
"""

import numpy as np
from numba import carray, njit

from mcts_agents.envs.dots_and_boxes.edges import (
    LARGEST,
    MOST_EDGES,
    SLOTS,
    WORDS,
    boxes_beside,
    edge_slots,
    is_empty,
    random_slot,
    taking_and_giving,
    undrawn,
    without,
    write_slots,
)
from mcts_agents.model import (
    DRAWN,
    LOST,
    PLAYING,
    WON,
    Rules,
    Spec,
    random_below,
)
from mcts_agents.model.addresses import stack_int32
from mcts_agents.model.bits import bit_of
from mcts_agents.model.hashing import mixed

FEWEST_PLAYERS, MOST_PLAYERS = 2, 6
BOXES = LARGEST * LARGEST
OUTSIDE = BOXES  # stands for the box beyond the border
# What that byte begins with: no count of border edges takes it to SIDES.
OUTSIDE_START = 100
SIDES = 4
NO_EDGE = -1

STATE = np.dtype(
    [
        ("drawn", np.uint64, WORDS),  # bit: a drawn edge, by slot
        ("left", np.int16),  # edges not drawn yet
        ("turns", np.int16),  # turns ended
        ("last", np.int16),  # action of the last edge, NO_EDGE before the first
        ("mover", np.int8),
        ("scores", np.uint8, MOST_PLAYERS),  # boxes of each player
        ("boxes", np.uint8, BOXES + 1),  # drawn sides 0 to 3, or 4 + the owner
    ]
)

GAME = np.dtype(
    [
        ("width", np.int64),
        ("height", np.int64),
        ("tag_ties", np.int64),
        ("edges", np.uint64, WORDS),  # bit: a slot that is an edge
        ("boxes", np.uint64, 2),  # bit: a box, see `edges`
        ("slot", np.uint8, MOST_EDGES),  # of each action
        ("action", np.uint8, SLOTS),  # of each slot
        ("first_box", np.uint8, SLOTS),  # beside a slot's edge
        ("second_box", np.uint8, SLOTS),  # OUTSIDE at the border
    ]
)

rules = Rules(
    "dots_and_boxes",
    state=STATE,
    game=GAME,
    chance=False,
    search_defaults={"value": "score", "rollout": 0},
)


@rules.variant
def variant(game, *, players=2, width=7, height=5, tag_ties=False):
    """Fill the tables of one board.

    Args:
        game: The variant's record, filled in place.
        players: 2 to 6.
        width: Boxes in a row, 1 to 10.
        height: Rows of boxes, 1 to 10.
        tag_ties: Whether the lowest seat wins of those with equally many boxes; they
            draw otherwise.
    """
    _check(players, width, height, tag_ties)
    game["width"], game["height"], game["tag_ties"] = width, height, tag_ties
    slots = edge_slots(width, height)
    for action, slot in enumerate(slots):
        game["slot"][action] = slot
        game["action"][slot] = action
        game["edges"][slot // 64] |= np.uint64(1 << slot % 64)
        beside = [*boxes_beside(slot, width, height), OUTSIDE]
        game["first_box"][slot], game["second_box"][slot] = beside[:2]
    for row in range(height):
        for column in range(width):
            bit = row * (width + 1) + column
            game["boxes"][bit // 64] |= np.uint64(1 << bit % 64)
    return Spec(
        players=players,
        actions=len(slots),
        observation_shape=(2 + 2 * players, height + 1, width + 1),
    )


def _check(players, width, height, tag_ties):
    if not FEWEST_PLAYERS <= players <= MOST_PLAYERS:
        raise ValueError(
            f"players={players}: dots_and_boxes is for {FEWEST_PLAYERS} to "
            f"{MOST_PLAYERS} players"
        )
    for name, value in (("width", width), ("height", height)):
        whole = isinstance(value, int) and not isinstance(value, bool)
        if not whole or not 1 <= value <= LARGEST:
            raise ValueError(
                f"{name}={value!r}: dots_and_boxes has boards of 1 to {LARGEST} boxes "
                "a side"
            )
    if not isinstance(tag_ties, bool):
        raise ValueError(f"tag_ties={tag_ties!r}: expected true or false")


@rules.define
def reset(game, state, rng):
    """Dots only; player 0 begins."""
    for word in range(WORDS):
        state.drawn[word] = 0
    for player in range(MOST_PLAYERS):
        state.scores[player] = 0
    for box in range(BOXES):
        state.boxes[box] = 0
    state.boxes[OUTSIDE] = OUTSIDE_START
    state.left = game.actions
    state.turns = 0
    state.last = NO_EDGE
    state.mover = 0


@njit
def add_side(state, box, mover):
    """Count one more side of a box; return 1 if the mover owns it now, else 0."""
    sides = np.uint64(state.boxes[box]) + np.uint64(1)
    taken = sides == SIDES
    state.boxes[box] = sides + np.uint64(mover) if taken else sides
    return np.int64(taken)


@njit
def draw(game, state, slot, mover):
    """Give the boxes that an edge completes to the mover; return who moves next."""
    taken = add_side(state, game.first_box[slot], mover)
    taken += add_side(state, game.second_box[slot], mover)
    state.scores[mover] += np.uint8(taken)
    state.turns += taken == 0
    following = mover + 1
    if following == game.players:
        following = 0
    return mover if taken else following


@rules.define
def movers(game, state):
    """The player to move, nobody once all edges are drawn."""
    return 0 if state.left == 0 else 1 << state.mover


@rules.define
def legal_actions(game, state, player, out):
    """Every edge that is not drawn."""
    n = write_slots(undrawn(game, state), out)
    for i in range(n):
        out[i] = game.action[out[i]]
    return n


@rules.define
def random_action(game, state, player, rng):
    """A uniformly random edge that is not drawn."""
    return np.int64(game.action[random_slot(undrawn(game, state), rng)])


@rules.define
def apply(game, state, joint_action, rng):
    """Draw an edge; who completes a box moves again."""
    mover = np.int64(state.mover)
    action = np.int64(joint_action[mover])
    slot = np.int64(game.slot[action])
    state.drawn[slot >> 6] |= bit_of(slot)
    state.left -= 1
    state.last = action
    state.mover = draw(game, state, slot, mover)


@rules.define
def playout(game, state, rng, limit):
    """Random play: the undrawn edges in random order, as far as `limit` allows."""
    free = carray(stack_int32(MOST_EDGES), MOST_EDGES, np.int32)
    left = write_slots(undrawn(game, state), free)
    stop = max(left - limit, 0)
    played = left - stop
    if played <= 0:
        return 0
    mover = np.int64(state.mover)
    slot = 0
    while left > stop:
        chosen = random_below(rng, left)
        left -= 1
        slot = np.int64(free[chosen])
        free[chosen] = free[left]
        mover = draw(game, state, slot, mover)
    for word in range(WORDS):
        state.drawn[word] = game.edges[word]
    for i in range(left):
        slot_left = np.int64(free[i])
        state.drawn[slot_left >> 6] ^= bit_of(slot_left)
    state.left = left
    state.last = game.action[slot]
    state.mover = mover
    return played


@rules.define
def scores(game, state, out):
    """Own boxes."""
    for player in range(game.players):
        out[player] = state.scores[player]


@rules.define
def results(game, state, out):
    """Most boxes win; the tied draw, or with `tag_ties` the lowest seat wins."""
    most = 0
    winners = 0
    for player in range(game.players):
        boxes = np.int64(state.scores[player])
        winners = 1 if boxes > most else winners + (boxes == most)
        most = max(most, boxes)
    for player in range(game.players):
        if state.left > 0:
            out[player] = PLAYING
        elif np.int64(state.scores[player]) < most:
            out[player] = LOST
        elif winners == 1:
            out[player] = WON
        elif game.tag_ties:
            out[player] = WON
            most = BOXES + 1  # nobody after this one has as many
        else:
            out[player] = DRAWN


@rules.define
def evaluate(game, state, out):
    """Share of the boxes, those that nobody owns yet being shared evenly."""
    boxes = game.width * game.height
    owned = 0
    for player in range(game.players):
        owned += np.int64(state.scores[player])
    open_share = (boxes - owned) / game.players
    for player in range(game.players):
        out[player] = (np.int64(state.scores[player]) + open_share) / boxes


@rules.define
def action_values(game, state, player, actions, n, out):
    """1 for an edge that completes a box, 0 for a box's third side, 0.5 for others."""
    for i in range(n):
        slot = np.int64(game.slot[actions[i]])
        first = state.boxes[game.first_box[slot]]
        second = state.boxes[game.second_box[slot]]
        if first == SIDES - 1 or second == SIDES - 1:
            out[i] = 1.0
        elif first == SIDES - 2 or second == SIDES - 2:
            out[i] = 0.0
        else:
            out[i] = 0.5


@rules.define
def pass_turn(game, state):
    """The next player is to move, which the rules never allow without an edge drawn."""
    state.mover += 1
    if state.mover == game.players:
        state.mover = 0


@rules.define
def state_key(game, state, observer):
    """A hash of edges, boxes of each player and mover; who owns which box is no matter.

    Computed when asked for, which takes less time than keeping it up to date would.
    """
    standing = np.uint64(state.mover)
    for player in range(game.players):
        standing = standing << np.uint64(8) | np.uint64(state.scores[player])
    key = mixed(np.uint64(0), standing)
    for word in range(WORDS):
        key = mixed(key, state.drawn[word])
    return np.int64(key)


@rules.define
def turn(game, state):
    """A turn ends with an edge that completes no box."""
    return np.int64(state.turns)


@rules.define
def round(game, state):
    """A round ends when every player has ended a turn."""
    return np.int64(state.turns) // game.players


@rules.policy
def greedy(game, state, player, rng):
    """Complete a box, else give none away, else anything; at random among equals."""
    taking, giving = taking_and_giving(game, state)
    if not is_empty(taking):
        return np.int64(game.action[random_slot(taking, rng)])
    free = undrawn(game, state)
    safe = without(free, giving)
    if not is_empty(safe):
        return np.int64(game.action[random_slot(safe, rng)])
    return np.int64(game.action[random_slot(free, rng)])


@rules.define
def observe(game, state, player, out):
    """Planes of edges, of boxes by owner, and of who is to move; own seat first."""
    row = game.width + 1
    size = row * (game.height + 1)
    for slot in range(SLOTS):
        if state.drawn[slot >> 6] & bit_of(slot):
            out[slot if slot < SLOTS // 2 else size + slot - SLOTS // 2] = 1
    for box in range(game.width * game.height):
        owner = np.int64(state.boxes[box]) - SIDES
        if owner >= 0:
            seat = (owner - player + game.players) % game.players
            place = box // game.width * row + box % game.width
            out[(2 + seat) * size + place] = 1
    if state.left > 0:
        seat = (np.int64(state.mover) - player + game.players) % game.players
        first = (2 + game.players + seat) * size
        for place in range(first, first + size):
            out[place] = 1
