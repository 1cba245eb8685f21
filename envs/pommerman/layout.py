"""The record of a state of Pommerman, and how cells, bombs and flames lie in it.

A cell is one byte at row * 12 + column, counted from a border of rigid cells around
the board, so that nothing ever asks whether a neighbour is on the board. Bombs and
agents are not painted on it: what the official program calls the board is put together
when somebody looks at it (`official.painted_board`).

Flames need no list. Each step adds at most one to a cell, with two steps to live, so
there are three generations, each a set of cells; the official list holds the oldest
generation first and each one in row-major order, which is the order of the bits.

Bombs stand in one list in the order in which they were laid. A player lays at most one
a step, and a bomb that is laid in step t goes off in step t + 9 at the latest, before
which its owner may have laid one in step t + 9: ten bombs a player, `MOST_BOMBS`.

In the fog a state also holds what each player remembers (`belief`); without fog its
record ends before that.
"""

from typing import Any

import numpy as np
from numba import from_dtype, njit
from numba.extending import intrinsic

from mcts_agents.model.bits import bit_of

SEATS = 4
LARGEST = 11
STRIDE = LARGEST + 1
CELLS = 160  # 13 * 12 + 1, rounded up to words
WORDS = 3  # of 64 bits, one for each cell
CELLS_AS_INT32 = CELLS // 4  # for one byte a cell on the stack
FIRST_CELL = STRIDE + 1
MOST_BOMBS = 40
MOVABLE = MOST_BOMBS + SEATS
MOST_AMMO = 10

# A cell's byte.
RIGID, WOOD, FLAME, BOMB = 1, 2, 4, 8
HIDDEN = 3 << 4  # the kind of the item under wood or flames, 0 for none
OPEN = 3 << 6  # the kind of the item that lies there, 0 for none
HIDDEN_SHIFT, OPEN_SHIFT = 4, 6
WALL = RIGID | WOOD
EXTRA_BOMB, RANGE, KICK = 1, 2, 3

# A bomb's word: life (4 bits), blast strength (4), owner (2), direction (3), cell (8).
LIFE = 15
STRENGTH_SHIFT, OWNER_SHIFT, DIRECTION_SHIFT, BOMB_CELL_SHIFT = 4, 8, 10, 16
DIRECTION = 7 << DIRECTION_SHIFT
BOMB_LIFE = 10  # counted down at the end of the step in which it is laid

STOP, UP, DOWN, LEFT, RIGHT, LAY = range(6)
MOVES = 6
DELTA = np.array([0, -STRIDE, STRIDE, -1, 1, 0], np.int64)

# Generations of flames by the steps that they still burn.
OLDEST, NEWEST = 0, 2

# Only in a belief: nobody saw who laid the bomb.
UNKNOWN_OWNER = 1 << 13

_FIELDS_OF_WORLD = [
    ("flames", np.uint64, (3, WORDS)),  # bit: a cell; by remaining life
    ("covered", np.uint64, WORDS),  # bit: wood that burns, its content unseen
    ("bombs", np.uint32, MOST_BOMBS),  # in the order of laying
    ("terrain", np.uint8, CELLS),
    ("cells", np.uint8, SEATS),  # where each agent is, or died
    ("ammo", np.uint8, SEATS),
    ("strength", np.uint8, SEATS),
    ("messages", np.uint8, SEATS),  # what each said last: 8 * first + second word
    ("steps", np.int16),
    ("bomb_count", np.uint8),
    ("alive", np.uint8),  # mask
    ("alive_before", np.uint8),  # mask: alive at the start of the last step
    ("kick", np.uint8),  # mask: who can kick
    ("over", np.uint8),
    ("unseen_items", np.uint8),  # items that nobody has seen, those lost unseen too
    ("unseen_cells", np.uint8),  # wood whose content nobody saw, gone or not
    ("walled_in", np.uint8),  # mask: who died when a ring turned rigid after this step
]

# What the rules play in; a state and a belief begin with it.
WORLD = np.dtype(_FIELDS_OF_WORLD, align=True)

# What a player believes the world to be: the fields of a state, so that a step can be
# played in it, nothing hidden under wood, and bombs in the order of their lives.
BELIEF = np.dtype(
    [
        *_FIELDS_OF_WORLD,
        ("known", np.uint64, WORDS),  # bit: a cell seen, or that must be so
        ("unsettled", np.uint64, WORDS),  # bit: pair of cells, walls at first unknown
        ("not_rigid", np.uint64, WORDS),  # bit: one of these pairs that is not rigid
        ("opened", np.uint64, WORDS),  # bit: wood whose content the player saw
        ("last_seen", np.int16, SEATS),  # step, -1 for never
        ("rigid_pairs", np.uint8),  # how many of the unsettled are rigid
        ("wood_pairs", np.uint8),  # how many of the unsettled are or were wood
        ("corner", np.uint8),  # where the player began
    ],
    align=True,
)

STATE = np.dtype(
    [
        *_FIELDS_OF_WORLD,
        # From here on only in the fog.
        ("beliefs", BELIEF, SEATS),
        ("remembering", np.uint8),  # mask: whose belief is kept here
    ],
    align=True,
)
OF_FOG = ("beliefs", "remembering")

GAME = np.dtype(
    [
        ("team", np.int64),  # 1: players 0 and 2 against 1 and 3
        ("message_bits", np.int64),  # 6 with messages, else 0
        ("sight", np.int64),  # how far a player sees, 0 for the whole board
        ("most_strength", np.int64),  # to which picking up raises it
        ("size", np.int64),
        ("rigid", np.int64),  # cells at the start
        ("wood", np.int64),
        ("items", np.int64),
        ("shuffle_corners", np.int64),
        ("first_collapse", np.int64),  # step, 0 for never
        ("collapse_interval", np.int64),
        ("max_steps", np.int64),
        ("planes", np.int64),  # 1: observations are planes
    ]
)


def cell_at(row: Any, column: Any) -> Any:
    """Return the cell of a row and a column, numbers or arrays."""
    return (row + 1) * STRIDE + column + 1


def place_of(cell: Any) -> tuple[Any, Any]:
    """Return the row and the column of a cell, a number or an array."""
    return cell // STRIDE - 1, cell % STRIDE - 1


@intrinsic
def world_of(typingctx, record):
    """View the WORLD that a state or a belief begins with.

    So what plays in a world is compiled once, and not for each of the two.
    """
    world = from_dtype(WORLD)

    def codegen(context, builder, signature, args):
        return builder.bitcast(args[0], context.get_value_type(world))

    return world(record), codegen


@njit
def contains(cells, cell):
    """Whether a set of cells (`WORDS` words) holds a cell."""
    return cells[cell >> 6] & bit_of(cell) != 0


@njit
def new_bomb(cell, owner, strength):
    """Return the word of a bomb that is laid now."""
    return np.uint32(
        np.int64(BOMB_LIFE)
        | strength << STRENGTH_SHIFT
        | owner << OWNER_SHIFT
        | cell << BOMB_CELL_SHIFT
    )


@njit
def bomb_cell(bomb):
    """Return where a bomb is."""
    return np.int64(bomb) >> BOMB_CELL_SHIFT


@njit
def bomb_direction(bomb):
    """Return where a bomb rolls, `STOP` if it rests."""
    return np.int64(bomb) >> DIRECTION_SHIFT & 7


@njit
def direction_of(step):
    """Return the direction of a move between neighbours."""
    for direction in range(1, 5):
        if DELTA[direction] == step:
            return direction
    return 0


@njit
def give_ammo(state, player):
    """One more bomb to lay, dead or alive, up to the official limit."""
    state.ammo[player] = min(np.int64(state.ammo[player]) + 1, MOST_AMMO)
