"""Sets of up to 64 places as the bits of a `uint64`.

Machine instructions that Numba does not offer by name, and what is made of them.
"""

import llvmlite.ir
import numpy as np
from numba import njit, types
from numba.extending import intrinsic

# So many bits are taken away one by one sooner than the word is halved six times.
FEW = 4

_ONE = np.uint64(1)

# Processors that take a hundred cycles and more to deposit bits.
_SLOW_DEPOSIT = ("bdver4", "znver1", "znver2")


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
def nth_by_counting(word, n):
    """Return what `nth_bit` does, by instructions that all processors have."""
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


@intrinsic
def _nth_by_best_means(typingctx, word, n):
    """Return what `nth_bit` does, by what the processor offers."""

    def codegen(context, builder, signature, args):
        _, processor, features = context.codegen().magic_tuple()
        if "+bmi2" not in features.split(",") or processor in _SLOW_DEPOSIT:
            plain = nth_by_counting.py_func
            return context.compile_internal(builder, plain, signature, args)
        word, n = args
        kind = llvmlite.ir.FunctionType(word.type, [word.type, word.type])
        name = "llvm.x86.bmi.pdep.64"
        deposit = builder.module.declare_intrinsic(name, (), kind)
        bit = builder.call(deposit, [builder.shl(word.type(1), n), word])
        return builder.cttz(bit, context.get_constant(types.boolean, False))

    return types.int64(types.uint64, types.int64), codegen


@njit
def nth_bit(word, n):
    """Return the position of the set bit of a `uint64` that `n` set bits lie below.

    Two instructions on processors that deposit bits fast, a third of the time of
    counting.
    """
    return _nth_by_best_means(word, n)
