"""Sets of up to 64 places as the bits of a `uint64`.

Machine instructions that Numba does not offer by name, and what is made of them.
"""

import llvmlite.ir
import numpy as np
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic

_ONE = np.uint64(1)
_BYTE = np.uint64(0xFF)
_EACH = np.uint64(0x0101010101010101)  # 1 in every byte
_TOPS = np.uint64(0x8080808080808080)
_PAIRS = np.uint64(0x5555555555555555)
_FOURS = np.uint64(0x3333333333333333)
_BYTES = np.uint64(0x0F0F0F0F0F0F0F0F)


def _nth_bits() -> np.ndarray:
    """Return the position of the n-th set bit of each byte, uint8 (8, 256)."""
    found = np.zeros((8, 256), np.uint8)
    for byte in range(256):
        places = [place for place in range(8) if byte >> place & 1]
        found[: len(places), byte] = places
    return found


_NTH_BIT = _nth_bits()

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


def everywhere(builder, number, count):
    """Build a vector of `count` times the same number."""
    index = llvmlite.ir.IntType(32)
    lanes = llvmlite.ir.VectorType(number.type, count)
    nothing = llvmlite.ir.Constant(lanes, llvmlite.ir.Undefined)
    first = builder.insert_element(nothing, number, index(0))
    places = llvmlite.ir.Constant(llvmlite.ir.VectorType(index, count), [0] * count)
    return builder.shuffle_vector(first, nothing, places)


@intrinsic
def equal_bits(typingctx, address, value):
    """Return which of the 64 float64 at an address are equal to a value, as bits.

    Eight comparisons where the processor compares eight at a time, which no loop over
    an array becomes.
    """

    def codegen(context, builder, signature, args):
        lanes = llvmlite.ir.VectorType(args[1].type, 64)
        numbers = builder.load(builder.inttoptr(args[0], lanes.as_pointer()), align=8)
        values = everywhere(builder, args[1], 64)
        equal = builder.fcmp_ordered("==", numbers, values)
        return builder.bitcast(equal, llvmlite.ir.IntType(64))

    return types.uint64(types.intp, types.float64), codegen


@intrinsic
def bits_at_least(typingctx, address, value):
    """Return which of the 64 float64 at an address are a value or more, as bits."""

    def codegen(context, builder, signature, args):
        lanes = llvmlite.ir.VectorType(args[1].type, 64)
        numbers = builder.load(builder.inttoptr(args[0], lanes.as_pointer()), align=8)
        values = everywhere(builder, args[1], 64)
        equal = builder.fcmp_ordered(">=", numbers, values)
        return builder.bitcast(equal, llvmlite.ir.IntType(64))

    return types.uint64(types.intp, types.float64), codegen


@intrinsic
def set_where(typingctx, address, bits, added):
    """Set the bits `added` in those of 64 `uint64` at an address whose bits are set."""

    def codegen(context, builder, signature, args):
        lanes = llvmlite.ir.VectorType(args[2].type, 64)
        flags = llvmlite.ir.VectorType(llvmlite.ir.IntType(1), 64)
        at = builder.inttoptr(args[0], lanes.as_pointer())
        zeros = llvmlite.ir.Constant(lanes, [0] * 64)
        wanted = builder.bitcast(args[1], flags)
        added = builder.select(wanted, everywhere(builder, args[2], 64), zeros)
        builder.store(builder.or_(builder.load(at, align=8), added), at, align=8)
        return args[1]

    return types.uint64(types.intp, types.uint64, types.uint64), codegen


@intrinsic
def count_in_columns(typingctx, words, step, chosen, count, marks, out, out_marked):
    """Count for each of 64 places in how many chosen words its bit is set.

    Those words are counted apart whose number has its bit set in a set of numbers.

    Args:
        typingctx: Numba's.
        words: The address of word 0, uint64.
        step: Bytes from one word to the next.
        chosen: The address of the chosen words' numbers, uint32.
        count: How many numbers, up to 255.
        marks: The address of a set of numbers, uint64 each 64 of them.
        out: The address of 64 bytes to which the counts are written.
        out_marked: Likewise of those words whose numbers are in `marks`.
    """

    def codegen(context, builder, signature, args):
        lanes = llvmlite.ir.VectorType(llvmlite.ir.IntType(8), 64)
        flags = llvmlite.ir.VectorType(llvmlite.ir.IntType(1), 64)
        word, short = llvmlite.ir.IntType(64), llvmlite.ir.IntType(32)
        first, step, chosen, count, marks, *outs = args
        numbers = builder.inttoptr(chosen, short.as_pointer())
        sets = builder.inttoptr(marks, word.as_pointer())
        counts = [cgutils.alloca_once(builder, lanes) for _ in range(2)]
        for sums in counts:
            builder.store(llvmlite.ir.Constant(lanes, [0] * 64), sums)
        with cgutils.for_range(builder, count) as loop:
            number = builder.load(builder.gep(numbers, [loop.index]))
            number = builder.zext(number, word)
            at = builder.add(first, builder.mul(number, step))
            bits = builder.load(builder.inttoptr(at, word.as_pointer()))
            marked = builder.load(builder.gep(sets, [builder.lshr(number, word(6))]))
            marked = builder.lshr(marked, builder.and_(number, word(63)))
            marked = builder.neg(builder.and_(marked, word(1)))  # all bits or none
            chosen_bits = bits, builder.and_(bits, marked)
            for sums, added in zip(counts, chosen_bits, strict=True):
                added = builder.zext(builder.bitcast(added, flags), lanes)
                builder.store(builder.add(builder.load(sums), added), sums)
        for sums, out in zip(counts, outs, strict=True):
            at = builder.inttoptr(out, lanes.as_pointer())
            builder.store(builder.load(sums), at, align=1)
        return count

    return types.int64(*[types.intp] * 7), codegen


@njit
def bit_of(place):
    """Return the bit, uint64, of a place in its word: words have 64 places each."""
    return _ONE << np.uint64(place & 63)


@njit
def nth_by_counting(word, n):
    """Return what `nth_bit` does, by instructions that all processors have.

    After S. Vigna, "Broadword implementation of rank/select queries" (WEA 2008):
    without a branch, since random numbers `n` make branches hard to predict.
    """
    sums = word - (word >> _ONE & _PAIRS)
    sums = (sums & _FOURS) + (sums >> np.uint64(2) & _FOURS)
    # Byte i: how many bits of bytes 0 to i are set.
    sums = (sums + (sums >> np.uint64(4)) & _BYTES) * _EACH
    rank = np.uint64(n)
    # As many bytes lie below the bit as have sums of at most n.
    place = np.uint64(count_bits((rank * _EACH | _TOPS) - sums & _TOPS)) << np.uint64(3)
    rank -= sums << np.uint64(8) >> place & _BYTE
    return np.int64(place | np.uint64(_NTH_BIT[rank, word >> place & _BYTE]))


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

    `n` is less than the number of set bits.

    Two instructions on processors that deposit bits fast, a third of the time of
    counting.
    """
    return _nth_by_best_means(word, n)
