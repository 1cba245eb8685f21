"""Sets of up to 64 places as the bits of a `uint64`.

Three machine instructions that Numba does not offer by name, and what is made of them.
"""

import numpy as np
from numba import njit, types
from numba.extending import intrinsic

# So many bits are taken away one by one sooner than the word is halved six times.
FEW = 4

_ONE = np.uint64(1)


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


@intrinsic
def highest_bit(typingctx, word):
    """Return the position of the highest set bit of a `uint64`, int64; -1 for zero."""

    def codegen(context, builder, signature, args):
        zeros = builder.ctlz(args[0], context.get_constant(types.boolean, False))
        return builder.sub(context.get_constant(types.int64, 63), zeros)

    return types.int64(types.uint64), codegen


@njit
def bit_of(place):
    """Return the bit, uint64, of a place in its word: words have 64 places each."""
    return _ONE << np.uint64(place & 63)


@njit
def nth_bit(word, n):
    """Return the position of the set bit of a `uint64` that `n` set bits lie below."""
    if n < FEW:
        for _ in range(n):
            word &= word - _ONE
        return lowest_bit(word)
    position = np.uint64(0)
    width = np.uint64(32)
    while width:
        below = count_bits(word >> position & ((_ONE << width) - _ONE))
        if n >= below:
            n -= below
            position += width
        width >>= _ONE
    return np.int64(position)
