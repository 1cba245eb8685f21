"""Sets of up to 64 places as the bits of a `uint64`.

Machine instructions that Numba does not offer by name, and what is made of them.
"""

import llvmlite.ir
import numpy as np
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic

_WORD, _SHORT = llvmlite.ir.IntType(64), llvmlite.ir.IntType(32)
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


def _fold(builder, planes):
    """Build the sum of two halves of vectors that are the bits of numbers."""
    width = planes[0].type.count // 2
    kind = llvmlite.ir.VectorType(llvmlite.ir.IntType(32), width)
    halves = (
        llvmlite.ir.Constant(kind, list(range(first, first + width)))
        for first in (0, width)
    )
    low, high = (
        [builder.shuffle_vector(plane, plane, half) for plane in planes]
        for half in halves
    )
    carry = builder.and_(low[0], high[0])
    sums = [builder.xor(low[0], high[0])]
    for one, other in zip(low[1:], high[1:], strict=True):
        differs = builder.xor(one, other)
        sums.append(builder.xor(differs, carry))
        both = builder.and_(one, other)
        carry = builder.or_(both, builder.and_(differs, carry))
    return [*sums, carry]


_FOUR = llvmlite.ir.VectorType(_WORD, 4)
# Bits of each number while words are counted side by side, four sums of them. Two lists
# of so many words have counts that fit in a byte.
_PLANES = 5
MOST_IN_COLUMNS = 4 * ((1 << _PLANES) - 1)


def _add_up(builder, planes, one, other):
    """Build the addition of two vectors of bits to numbers that planes have bits of."""
    differs = builder.xor(one, other)
    ones = builder.load(planes[0])
    builder.store(builder.xor(ones, differs), planes[0])
    carry = builder.or_(builder.and_(one, other), builder.and_(ones, differs))
    for plane in planes[1:]:
        before = builder.load(plane)
        builder.store(builder.xor(before, carry), plane)
        carry = builder.and_(before, carry)


def bytes_of_bits(builder, word):
    """Build 64 bytes: all bits of a byte are those of a bit of a word."""
    byte, short = llvmlite.ir.IntType(8), llvmlite.ir.IntType(32)
    eight = builder.bitcast(word, llvmlite.ir.VectorType(byte, 8))
    places = llvmlite.ir.VectorType(short, 64)
    places = llvmlite.ir.Constant(places, [place >> 3 for place in range(64)])
    kind = llvmlite.ir.VectorType(byte, 64)
    own = llvmlite.ir.Constant(kind, [1 << (place & 7) for place in range(64)])
    bits = builder.and_(builder.shuffle_vector(eight, eight, places), own)
    return builder.sext(builder.icmp_unsigned("==", bits, own), kind)


@intrinsic
def count_in_columns(typingctx, words, step, chosen, counts, out, out_other):
    """Count for each of 64 places in how many chosen words its bit is set.

    There are two lists of chosen words, and what is counted in the second one is also
    written on its own. Words are added up side by side, 64 places in each: one vector
    holds the lowest bits of the counts, the next one the bits above them, and so on.

    Args:
        typingctx: Numba's.
        words: The address of word 0, uint64.
        step: Bytes from one word to the next.
        chosen: The addresses of the chosen words' numbers, uint32, two lists. Each is
            followed by seven numbers of a word without bits.
        counts: How many there are in either list, up to MOST_IN_COLUMNS.
        out: The address of 64 bytes to which the counts of both are written.
        out_other: Likewise of the second list alone.
    """

    def codegen(context, builder, signature, args):
        words, step, chosen, counts, out, out_other = args
        chosen = cgutils.unpack_tuple(builder, chosen)
        counts = cgutils.unpack_tuple(builder, counts)
        planes = [cgutils.alloca_once(builder, _FOUR) for _ in range(_PLANES)]
        kind = llvmlite.ir.VectorType(llvmlite.ir.IntType(8), 64)
        first, second = (
            _bytes_of_planes(
                builder, _added_up(builder, planes, words, step, numbers, count), kind
            )
            for numbers, count in zip(chosen, counts, strict=True)
        )
        for numbers, at in ((builder.add(first, second), out), (second, out_other)):
            at = builder.inttoptr(at, kind.as_pointer())
            builder.store(numbers, at, align=1)
        return words

    one, pair = types.intp, types.UniTuple(types.intp, 2)
    return one(one, one, pair, pair, one, one), codegen


def _added_up(builder, planes, words, step, chosen, count):
    """Build the sum of a list of words, as the bits of 64 numbers; see above."""
    for plane in planes:
        builder.store(llvmlite.ir.Constant(_FOUR, [0] * 4), plane)
    numbers = builder.inttoptr(chosen, _SHORT.as_pointer())
    steps = builder.udiv(builder.add(count, _WORD(7)), _WORD(8))
    with cgutils.for_range(builder, steps) as loop:
        first = builder.mul(loop.index, _WORD(8))
        both = []
        for begin in (0, 4):
            four = llvmlite.ir.Constant(_FOUR, llvmlite.ir.Undefined)
            for i in range(4):
                at = builder.gep(numbers, [builder.add(first, _WORD(begin + i))])
                number = builder.zext(builder.load(at), _WORD)
                at = builder.add(words, builder.mul(number, step))
                at = builder.inttoptr(at, _WORD.as_pointer())
                four = builder.insert_element(four, builder.load(at), _SHORT(i))
            both.append(four)
        _add_up(builder, planes, *both)
    sums = _fold(builder, [builder.load(plane) for plane in planes])
    return [builder.extract_element(plane, _SHORT(0)) for plane in _fold(builder, sums)]


def _bytes_of_planes(builder, planes, kind):
    """Build 64 bytes whose bits are those of words, the lowest ones in the first."""
    counts = llvmlite.ir.Constant(kind, [0] * 64)
    for plane in reversed(planes):
        bits = bytes_of_bits(builder, plane)
        counts = builder.sub(builder.add(counts, counts), bits)
    return counts


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
