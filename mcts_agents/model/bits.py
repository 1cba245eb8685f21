"""Sets of up to 64 places as the bits of a `uint64`.

Two machine instructions that Numba does not offer by name, and what is made of them.
"""

import numpy as np
from numba import njit, types
from numba.extending import intrinsic

_ONE, _32, _LOW = np.uint64(1), np.uint64(32), np.uint64(0xFFFFFFFF)


@intrinsic
def count_bits(typingctx, word):
    """Return how many bits of a `uint64` are set, int64."""

    def codegen(context, builder, signature, args):
        return builder.ctpop(args[0])

    return types.int64(types.uint64), codegen


@intrinsic
def lowest_bit(typingctx, word):
    """Return the position of the lowest set bit of a `uint64`, int64; 64 for zero."""

    def codegen(context, builder, signature, args):
        return builder.cttz(args[0], context.get_constant(types.boolean, False))

    return types.int64(types.uint64), codegen


@njit
def bit_of(place):
    """Return the bit, uint64, of a place in its word: words have 64 places each."""
    return _ONE << np.uint64(place & 63)


@njit
def nth_bit(word, n):
    """Return the position of the set bit of a `uint64` that `n` set bits lie below."""
    position = 0
    below = count_bits(word & _LOW)
    if n >= below:
        n -= below
        word >>= _32
        position = 32
    for _ in range(n):
        word &= word - _ONE
    return position + lowest_bit(word)
