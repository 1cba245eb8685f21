"""Heaps of cards and of loot: how many there are of each of eight kinds, in one word.

Byte k of the word is the number of kind k. Sums and comparisons of all eight are then a
few operations on the word (H. S. Warren, "Hacker's Delight", 2012, chapters 5 and 6).
"""

import numpy as np
from numba import carray, njit

from mcts_agents.model import random_below
from mcts_agents.model.addresses import as_pointer
from mcts_agents.model.bits import count_bits

KINDS = 8
BYTE = np.uint64(8)
ONES = np.uint64(0x0101010101010101)
HIGH = np.uint64(0x8080808080808080)
LOW = ~HIGH
# Multiplied with a bit at the bottom of each byte, it has them all in the top byte.
GATHER = np.uint64(0x0102040810204080)
TOP = np.uint64(56)
MOST = 127  # in a heap that is compared as a word


@njit
def heap_at(rows, number):
    """Return a row of eight numbers, uint8, as a word."""
    words = carray(as_pointer(rows.ctypes.data), rows.shape[0], np.uint64)
    return words[number]


@njit
def put_heap(rows, number, heap):
    """Make a word a row of eight numbers."""
    words = carray(as_pointer(rows.ctypes.data), rows.shape[0], np.uint64)
    words[number] = heap


@njit
def one_of(kind):
    """Return the heap of one thing."""
    return np.uint64(1) << np.uint64(kind) * BYTE


@njit
def size_of(heap):
    """Return how many there are of all kinds, below 256."""
    return np.int64(heap * ONES >> TOP)


@njit
def kinds_in(heap):
    """Return the mask of the kinds of which there are some."""
    marks = (((heap & LOW) + LOW) | heap) & HIGH
    return (marks >> np.uint64(7)) * GATHER >> TOP


@njit
def random_kind(heap, rng):
    """Return the kind of a random thing of a heap."""
    size = size_of(heap)
    left = random_below(rng, size)
    if size <= MOST:
        # Byte k of the product is the number of all kinds up to k.
        passed = (np.uint64(left) * ONES | HIGH) - heap * ONES
        return np.int64(count_bits(passed & HIGH))
    kind = 0
    while left >= np.int64(heap & np.uint64(255)):
        left -= np.int64(heap & np.uint64(255))
        heap >>= BYTE
        kind += 1
    return np.int64(kind)
