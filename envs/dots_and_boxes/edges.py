"""Where the edges of a board lie in bits, and bit-parallel questions about them.

Slots: horizontal edge (r, c) has slot r * (width + 1) + c, vertical edge (r, c) slot
128 + r * (width + 1) + c, both in four 64-bit words: two of horizontal, two of vertical
edges. Box (r, c) has bit r * (width + 1) + c of two words. So the four edges of every
box come to lie on the box's bit by shifts of the words, the lower edge by a row, the
right edge by one, and all boxes are looked at together.
"""

import numpy as np
from numba import njit

from mcts_agents.model import random_below
from mcts_agents.model.bits import count_bits, lowest_bit, nth_bit

LARGEST = 10
WORDS = 4
VERTICAL = 128  # first slot of a vertical edge
SLOTS = 256
MOST_EDGES = 2 * LARGEST * (LARGEST + 1)

ZERO, ONE = np.uint64(0), np.uint64(1)
_64 = np.uint64(64)


def edge_slots(width: int, height: int) -> list[int]:
    """Return the slot of each action: horizontal edges row by row, then vertical."""
    row = width + 1
    across = [r * row + c for r in range(height + 1) for c in range(width)]
    down = [VERTICAL + r * row + c for r in range(height) for c in range(width + 1)]
    return across + down


def boxes_beside(slot: int, width: int, height: int) -> list[int]:
    """Return the one or two boxes, as row * width + column, that have an edge."""
    row, column = divmod(slot % VERTICAL, width + 1)
    up, left = (0, 1) if slot >= VERTICAL else (1, 0)
    places = ((row - up, column - left), (row, column))
    return [r * width + c for r, c in places if 0 <= r < height and 0 <= c < width]


@njit
def undrawn(game, state):
    """Return the words of the edges that are not drawn."""
    return (
        game.edges[0] & ~state.drawn[0],
        game.edges[1] & ~state.drawn[1],
        game.edges[2] & ~state.drawn[2],
        game.edges[3] & ~state.drawn[3],
    )


@njit
def down_by(first, second, shift):
    """Shift two words towards bit 0, by 1 to 63."""
    return first >> shift | second << (_64 - shift), second >> shift


@njit
def up_by(first, second, shift):
    """Shift two words away from bit 0, by 1 to 63."""
    return first << shift, second << shift | first >> (_64 - shift)


@njit
def with_sides(top, bottom, left, right):
    """Return the boxes of one word with two drawn sides, and those with three."""
    across, down = top & bottom, left & right
    one_across, one_down = top ^ bottom, left ^ right
    neither = ~(top | bottom | left | right)
    two = one_across & one_down | across & ~(left | right) | down & ~(top | bottom)
    three = across & one_down | down & one_across
    return two & ~neither, three


@njit
def edges_of(game, first, second):
    """Return the words of all edges of the boxes in two words."""
    row = np.uint64(game.width + 1)
    first &= game.boxes[0]
    second &= game.boxes[1]
    lower = up_by(first, second, row)
    right = up_by(first, second, ONE)
    return first | lower[0], second | lower[1], first | right[0], second | right[1]


@njit
def taking_and_giving(game, state):
    """Return the words of undrawn edges that complete a box, and that give one away.

    An edge gives a box away if it is the third side of one, whatever else it does.
    """
    row = np.uint64(game.width + 1)
    drawn = state.drawn
    bottom = down_by(drawn[0], drawn[1], row)
    right = down_by(drawn[2], drawn[3], ONE)
    two, three = with_sides(drawn[0], bottom[0], drawn[2], right[0])
    second_two, second_three = with_sides(drawn[1], bottom[1], drawn[3], right[1])
    taking = both(edges_of(game, three, second_three), undrawn(game, state))
    giving = both(edges_of(game, two, second_two), undrawn(game, state))
    return taking, giving


@njit
def both(some, others):
    """Return the edges in both of two sets of four words."""
    return (
        some[0] & others[0],
        some[1] & others[1],
        some[2] & others[2],
        some[3] & others[3],
    )


@njit
def without(some, others):
    """Return the edges of the first set that are not in the second."""
    return (
        some[0] & ~others[0],
        some[1] & ~others[1],
        some[2] & ~others[2],
        some[3] & ~others[3],
    )


@njit
def is_empty(words):
    """Whether no edge is in a set of four words."""
    return (words[0] | words[1] | words[2] | words[3]) == ZERO


@njit
def random_slot(words, rng):
    """Return a uniformly random slot out of four words that hold at least one."""
    first = count_bits(words[0])
    second = first + count_bits(words[1])
    third = second + count_bits(words[2])
    n = random_below(rng, third + count_bits(words[3]))
    if n < first:
        return nth_bit(words[0], n)
    if n < second:
        return 64 + nth_bit(words[1], n - first)
    if n < third:
        return 128 + nth_bit(words[2], n - second)
    return 192 + nth_bit(words[3], n - third)


@njit
def write_slots(words, out):
    """Write the slots in four words into `out`, ascending; return their number."""
    n = 0
    for number in range(WORDS):
        word = words[number]
        while word:
            out[n] = 64 * number + lowest_bit(word)
            word &= word - ONE
            n += 1
    return n
