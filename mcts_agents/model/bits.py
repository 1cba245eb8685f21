"""Two machine instructions on 64-bit words that Numba does not offer by name."""

from numba import types
from numba.extending import intrinsic


@intrinsic
def count_bits(typingctx, word):
    """Return how many bits of a `uint64` are set."""

    def codegen(context, builder, signature, args):
        return builder.ctpop(args[0])

    return types.uint64(types.uint64), codegen


@intrinsic
def lowest_bit(typingctx, word):
    """Return the position of the lowest set bit of a `uint64`, 64 for zero."""

    def codegen(context, builder, signature, args):
        return builder.cttz(args[0], context.get_constant(types.boolean, False))

    return types.uint64(types.uint64), codegen
