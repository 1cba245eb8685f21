"""Steps over several numbers at a time, which no loop over an array becomes."""

from contextlib import contextmanager
from functools import partial

import llvmlite.ir
import numpy as np
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from mcts_agents.model.bits import everywhere
from mcts_agents.permutation.kernel.records import LANES

# A key is a number whose lowest bits, of this many values, say in which row it is. The
# greatest key leads to the greatest number without another look at all of them, if no
# other one is as near to it as these bits can tell: the second key would say so.
KEYED = 1 << 10
# The greatest key: of infinity it would be no number.
_MOST = np.finfo(np.float64).max
_MOST_SINGLE = float(np.finfo(np.float32).max)
# By this feature processors count the bits of several words in one step.
_COUNTS_BITS = "+avx512vpopcntdq"
# By this one they take the bits of a byte for eight flags.
_MASKS = "+avx512dq"

_BIT, _NUMBER, _SHORT, _WORD = (
    llvmlite.ir.IntType(1),
    llvmlite.ir.DoubleType(),
    llvmlite.ir.IntType(32),
    llvmlite.ir.IntType(64),
)


def _lanes(count):
    """Return the type of so many float64 side by side."""
    return llvmlite.ir.VectorType(_NUMBER, count)


def _constant(number, kind):
    """Return a vector of a type with the same number everywhere."""
    return llvmlite.ir.Constant(kind, [kind.element(number)] * kind.count)


def _numbers(first, count):
    """Return a constant vector of numbers that follow each other."""
    kind = llvmlite.ir.VectorType(_SHORT, count)
    return llvmlite.ir.Constant(kind, list(range(first, first + count)))


# The counts, and the sums, of a step.
_COUNTS, _SUMS = llvmlite.ir.VectorType(_SHORT, LANES), _lanes(LANES)


def _address(builder, address, kind):
    """Build a pointer to something of a type at an address."""
    return builder.inttoptr(address, kind.as_pointer())


def _greater(builder, one, other):
    """Build the greater ones of two vectors of float64; of `other`, if one is NaN."""
    return builder.select(builder.fcmp_ordered(">", one, other), one, other)


def _less(builder, one, other):
    """Build the lesser ones of two vectors of float64; of `other`, if one is NaN."""
    return builder.select(builder.fcmp_ordered("<", one, other), one, other)


def _halves(builder, lanes):
    """Build the two halves of a vector."""
    width = lanes.type.count // 2
    return [
        builder.shuffle_vector(lanes, lanes, _numbers(first, width))
        for first in (0, width)
    ]


def _greatest(builder, lanes):
    """Build the greatest of a vector."""
    while lanes.type.count > 1:
        lanes = _greater(builder, *_halves(builder, lanes))
    return builder.extract_element(lanes, _SHORT(0))


def _two_greatest(builder, best, second):
    """Build the greatest and the second of two vectors, of the second ones the other.

    In each lane `second` is not greater than `best`.
    """
    while best.type.count > 1:
        low, high = _halves(builder, best)
        second = _greater(builder, *_halves(builder, second))
        second = _greater(builder, _less(builder, low, high), second)
        best = _greater(builder, low, high)
    return [builder.extract_element(lanes, _SHORT(0)) for lanes in (best, second)]


@intrinsic
def greatest_where(typingctx, address, bits):
    """Return the greatest of those of 64 float64 at an address whose bits are set.

    None of them is NaN. Without a bit that is set it is minus infinity.
    """

    def codegen(context, builder, signature, args):
        flags = llvmlite.ir.VectorType(llvmlite.ir.IntType(1), 64)
        numbers = builder.load(_address(builder, args[0], _lanes(64)), align=8)
        wanted = builder.bitcast(args[1], flags)
        numbers = builder.select(wanted, numbers, _constant(-np.inf, _lanes(64)))
        return _greatest(builder, numbers)

    return types.float64(types.intp, types.uint64), codegen


def _write_in_steps(builder, pairs, out, count, ratio):
    """Build a loop that writes a value of each row of columns; return the best row.

    Args:
        builder: LLVM's.
        pairs: Where columns begin, of counts, int32, and of sums, float64.
        out: Where the values go.
        count: How many rows; a multiple of LANES, each a step.
        ratio: Builds numerators and denominators of the rows of a step.

    Returns:
        The row of the greatest value; -1 if its key does not tell, or it is below 0.
    """
    words = llvmlite.ir.VectorType(_WORD, LANES)
    upper = llvmlite.ir.Constant(words, [-KEYED] * LANES)
    rows = cgutils.alloca_once(builder, words)
    builder.store(llvmlite.ir.Constant(words, list(range(LANES))), rows)
    best, second = (cgutils.alloca_once(builder, _SUMS) for _ in range(2))
    builder.store(_constant(-1.0, _SUMS), best)
    builder.store(_constant(-1.0, _SUMS), second)
    with cgutils.for_range(builder, builder.udiv(count, _WORD(LANES))) as loop:
        statistics = []
        for counts, sums in pairs:
            counts = builder.load(_step(builder, counts, loop.index, _COUNTS), align=4)
            statistics.append(builder.sitofp(counts, _SUMS))
            sums = _step(builder, sums, loop.index, _SUMS)
            statistics.append(builder.load(sums, align=8))
        values = _quotients(builder, *ratio(*statistics))
        at = _step(builder, out, loop.index, _SUMS)
        builder.store(values, at, align=8)
        keys = builder.bitcast(_less(builder, values, _constant(_MOST, _SUMS)), words)
        keys = builder.or_(builder.and_(keys, upper), builder.load(rows))
        keys = builder.bitcast(keys, _SUMS)
        # The key of minus infinity, too, is no number: it is neither here.
        before = builder.load(best)
        lesser = _less(builder, before, keys)
        builder.store(_greater(builder, lesser, builder.load(second)), second)
        builder.store(_greater(builder, keys, before), best)
        steps = llvmlite.ir.Constant(words, [LANES] * LANES)
        builder.store(builder.add(builder.load(rows), steps), rows)
    found = _two_greatest(builder, builder.load(best), builder.load(second))
    key, other = (builder.bitcast(number, _WORD) for number in found)
    differs = builder.icmp_unsigned(">", builder.xor(key, other), _WORD(KEYED - 1))
    tells = builder.and_(differs, builder.icmp_signed(">=", key, _WORD(0)))
    tells = builder.and_(tells, builder.icmp_unsigned("<=", count, _WORD(KEYED)))
    row = builder.and_(key, _WORD(KEYED - 1))
    return builder.select(tells, row, _WORD(-1))


def _quotients(builder, totals, weights):
    """Build quotients; where a weight is 0, infinity."""
    weighed = builder.fcmp_ordered(">", weights, _constant(0.0, _SUMS))
    quotients = builder.fdiv(totals, weights)
    return builder.select(weighed, quotients, _constant(np.inf, _SUMS))


def _grave_ratio(builder, bias, n, total, known, known_total):
    """Build numerator and denominator of `weights.grave_value`."""
    add, times = builder.fadd, builder.fmul
    if n.type.element != bias.type:
        bias = builder.fptrunc(bias, n.type.element)
    biased = times(everywhere(builder, bias, LANES), known)
    weight = add(add(known, n), times(biased, n))
    total = times(add(_constant(1.0, n.type), biased), total)
    return add(total, known_total), weight


@intrinsic
def write_grave_values(typingctx, own, amaf, bias, out, count):
    """Write `weights.grave_value` of edges in a row; return the best row.

    Args:
        typingctx: Numba's.
        own: The addresses of N(s, a), int32, of the first edge, and of the sum of its
            values, float64.
        amaf: Likewise of AMAF statistics.
        bias: See there.
        out: Where the values go.
        count: How many edges, a multiple of LANES.

    Returns:
        The row of the greatest; -1 if none is 0 or greater, or another is as near as
        keys can tell.
    """

    def codegen(context, builder, signature, args):
        *pairs, bias, out, count = args
        pairs = [cgutils.unpack_tuple(builder, pair) for pair in pairs]
        ratio = partial(_grave_ratio, builder, bias)
        return _write_in_steps(builder, pairs, out, count, ratio)

    pairs = [types.UniTuple(types.intp, 2)] * 2
    return types.int64(*pairs, types.float64, types.intp, types.intp), codegen


def _mcps_ratio(builder, n, total, known, known_total, permutations, permuted):
    """Build numerator and denominator of `weights.mcps_value`."""
    add, times = builder.fadd, builder.fmul
    others = add(known, permutations)
    others = _greater(builder, others, _constant(1.0, others.type))
    weight = times(add(n, known), others)
    known_total = times(known, add(known_total, permuted))
    return add(times(total, others), known_total), weight


@intrinsic
def write_mcps_values(typingctx, own, amaf, permutations, out, count):
    """Write `weights.mcps_value` of edges in a row; return the best row.

    Args:
        typingctx: Numba's.
        own: The addresses of N(s, a), int32, of the first edge, and of the sum of its
            values, float64.
        amaf: Likewise of AMAF statistics.
        permutations: Likewise of permutation statistics.
        out: Where the values go.
        count: How many edges, a multiple of LANES.

    Returns:
        The row of the greatest; -1 if none is 0 or greater, or another is as near as
        keys can tell.
    """

    def codegen(context, builder, signature, args):
        *pairs, out, count = args
        pairs = [cgutils.unpack_tuple(builder, pair) for pair in pairs]
        ratio = partial(_mcps_ratio, builder)
        return _write_in_steps(builder, pairs, out, count, ratio)

    pairs = [types.UniTuple(types.intp, 2)] * 3
    return types.int64(*pairs, types.intp, types.intp), codegen


# A float32 value of an edge is no farther from the truth than 14 roundings, each by
# 2**-24 of it at most, since nothing is subtracted; its row's bits are up to 2**-16.
_ROUGHLY = 1 << 7
_CLEARLY = 1.0 - 2.0**-14
# Less than one of as many playouts as there can be.
_LEAST = 2.0**-80


def _clearly_best(builder, pairs, count, ratio):
    """Build a loop that looks for a greatest value that is clearly one.

    Values are computed with half as many digits, so twice as many at a time.

    Args:
        builder: LLVM's.
        pairs: See `_write_in_steps`; all sums are 0 or more, but of illegal actions.
        count: Likewise.
        ratio: Likewise.

    Returns:
        The row of the greatest value; -1 if another is nearly as great, or has no
        value, or if there are more than 128 rows.
    """
    lanes = llvmlite.ir.VectorType(llvmlite.ir.FloatType(), LANES)
    rows = cgutils.alloca_once(builder, _COUNTS)
    builder.store(llvmlite.ir.Constant(_COUNTS, list(range(LANES))), rows)
    best, second = (cgutils.alloca_once(builder, lanes) for _ in range(2))
    builder.store(_constant(-1.0, lanes), best)
    builder.store(_constant(-1.0, lanes), second)
    with cgutils.for_range(builder, builder.udiv(count, _WORD(LANES))) as loop:
        statistics = []
        for counts, sums in pairs:
            counts = builder.load(_step(builder, counts, loop.index, _COUNTS), align=4)
            statistics.append(builder.sitofp(counts, lanes))
            sums = _step(builder, sums, loop.index, _SUMS)
            statistics.append(builder.fptrunc(builder.load(sums, align=8), lanes))
        values = builder.fdiv(*ratio(*statistics))
        # What has no value, 0 / 0, becomes the greatest, so that there is none.
        values = _less(builder, values, _constant(_MOST_SINGLE, lanes))
        keys = builder.and_(
            builder.bitcast(values, _COUNTS), _constant(-_ROUGHLY, _COUNTS)
        )
        keys = builder.bitcast(builder.or_(keys, builder.load(rows)), lanes)
        before = builder.load(best)
        lesser = _less(builder, before, keys)
        builder.store(_greater(builder, lesser, builder.load(second)), second)
        builder.store(_greater(builder, keys, before), best)
        builder.store(builder.add(builder.load(rows), _constant(LANES, _COUNTS)), rows)
    best, second = _two_greatest(builder, builder.load(best), builder.load(second))
    clear = builder.fcmp_ordered(">", builder.fmul(best, best.type(_CLEARLY)), second)
    # Mean values are 1 at most, and 0 if no playout was won: then a key is a row alone.
    for sign, bound in ((">", _LEAST), ("<", 2.0)):
        within = builder.fcmp_ordered(sign, best, best.type(bound))
        clear = builder.and_(clear, within)
    few = builder.icmp_unsigned("<=", count, _WORD(_ROUGHLY))
    row = builder.and_(builder.bitcast(best, _SHORT), _SHORT(_ROUGHLY - 1))
    row = builder.zext(row, _WORD)
    return builder.select(builder.and_(clear, few), row, _WORD(-1))


@intrinsic
def clearly_best_of_grave(typingctx, own, amaf, bias, count):
    """Return the row of the greatest value that `write_grave_values` would write.

    No value of a playout may be below 0, or above 1, nor the bias.

    Args:
        typingctx: Numba's.
        own: See `write_grave_values`.
        amaf: Likewise.
        bias: Likewise.
        count: Likewise.

    Returns:
        The row; -1 if it takes more digits to tell, or if there are more than 128.
    """

    def codegen(context, builder, signature, args):
        *pairs, bias, count = args
        pairs = [cgutils.unpack_tuple(builder, pair) for pair in pairs]
        return _clearly_best(
            builder, pairs, count, partial(_grave_ratio, builder, bias)
        )

    pairs = [types.UniTuple(types.intp, 2)] * 2
    return types.int64(*pairs, types.float64, types.intp), codegen


@intrinsic
def clearly_best_of_mcps(typingctx, own, amaf, permutations, count):
    """Do what `clearly_best_of_grave` does for `write_mcps_values`."""

    def codegen(context, builder, signature, args):
        *pairs, count = args
        pairs = [cgutils.unpack_tuple(builder, pair) for pair in pairs]
        return _clearly_best(builder, pairs, count, partial(_mcps_ratio, builder))

    pairs = [types.UniTuple(types.intp, 2)] * 3
    return types.int64(*pairs, types.intp), codegen


def _has(context, feature):
    """Return whether the processor that is compiled for has a feature."""
    _, _, features = context.codegen().magic_tuple()
    return feature in features.split(",")


@intrinsic
def counts_columns_fast(typingctx):
    """Whether the processor counts the bits of several words in one step."""

    def codegen(context, builder, signature, args):
        return context.get_constant(types.boolean, _has(context, _COUNTS_BITS))

    return types.boolean(), codegen


@contextmanager
def _steps(builder, lanes):
    """Build a loop over steps of up to 64 numbers; yield the number of the step."""
    fewer = builder.icmp_signed("<", lanes, _WORD(64))
    lanes = builder.select(fewer, lanes, _WORD(64))
    with cgutils.for_range(builder, builder.sdiv(lanes, _WORD(LANES))) as loop:
        yield loop.index


def _step(builder, address, step, kind):
    """Build a pointer to the vector of a step."""
    size = LANES * (8 if kind.element == _NUMBER else kind.element.width // 8)
    at = builder.add(address, builder.mul(step, _WORD(size)))
    return _address(builder, at, kind)


def _flags(context, builder, address, step, width):
    """Build which bits of a set are set in a step.

    Args:
        context: Numba's.
        builder: LLVM's.
        address: Where the set is.
        step: The number of the step.
        width: Bits of the numbers that they are for.
    """
    at = builder.add(address, step)
    byte = builder.load(_address(builder, at, llvmlite.ir.IntType(8)))
    if _has(context, _MASKS):
        return builder.bitcast(byte, llvmlite.ir.VectorType(_BIT, LANES))
    # Elsewhere each lane gets all bits, and keeps its own.
    kind = llvmlite.ir.VectorType(llvmlite.ir.IntType(width), LANES)
    bits = builder.bitcast(everywhere(builder, byte, LANES * width // 8), kind)
    own = llvmlite.ir.Constant(kind, [1 << lane for lane in range(LANES)])
    nothing = llvmlite.ir.Constant(kind, [0] * LANES)
    return builder.icmp_unsigned("!=", builder.and_(bits, own), nothing)


def _add_counts(builder, counts, at):
    """Build the addition of a vector to the int32 at a pointer."""
    builder.store(builder.add(builder.load(at, align=4), counts), at, align=4)


def _add(builder, numbers, at):
    """Build the addition of a vector to the float64 at a pointer."""
    builder.store(builder.fadd(builder.load(at, align=8), numbers), at, align=8)


@intrinsic
def add_in_columns(typingctx, rows, step, chosen, masks, count, outs, lanes):
    """Add to each of up to 64 numbers how many bits its words share with masks.

    Args:
        typingctx: Numba's.
        rows: The address of row 0: a word, uint64, for each of 64 numbers.
        step: Bytes from one row to the next.
        chosen: The address of the chosen rows' numbers, uint64.
        masks: Two addresses, each of a mask, uint64, for each of them.
        count: How many are chosen.
        outs: The addresses of the numbers, int32 of those for the first mask, float64
            of those for the second.
        lanes: How many of the 64 there are, a multiple of LANES.
    """

    def codegen(context, builder, signature, args):
        rows, step, chosen, masks, count, outs, lanes = args
        masks, outs = (cgutils.unpack_tuple(builder, pair) for pair in (masks, outs))
        # All 64 at a time where the processor has room for their counts, else row after
        # row for each step.
        width = 64 if _has(context, _COUNTS_BITS) else LANES
        words = llvmlite.ir.VectorType(_WORD, width)
        kind = llvmlite.ir.FunctionType(words, [words])
        name = f"llvm.ctpop.v{width}i64"
        bits_in = builder.module.declare_intrinsic(name, (), kind)
        counts = [cgutils.alloca_once(builder, words) for _ in masks]

        def count_rows(first):
            for shared in counts:
                builder.store(llvmlite.ir.Constant(words, [0] * width), shared)
            with cgutils.for_range(builder, count) as loop:

                def item(address):
                    items = _address(builder, address, _WORD)
                    return builder.load(builder.gep(items, [loop.index]))

                at = builder.add(first, builder.mul(item(chosen), step))
                row = builder.load(_address(builder, at, words), align=8)
                for mask, shared in zip(masks, counts, strict=True):
                    common = builder.and_(row, everywhere(builder, item(mask), width))
                    found = builder.call(bits_in, [common])
                    builder.store(builder.add(builder.load(shared), found), shared)

        if width == 64:
            count_rows(rows)
        with _steps(builder, lanes) as i:
            some = llvmlite.ir.VectorType(_WORD, LANES)
            found = [builder.ptrtoint(shared, _WORD) for shared in counts]
            if width == 64:
                found = [_step(builder, at, i, some) for at in found]
            else:
                count_rows(builder.ptrtoint(_step(builder, rows, i, some), _WORD))
                found = [_address(builder, at, some) for at in found]
            having, winning = (
                builder.trunc(builder.load(at, align=8), _COUNTS) for at in found
            )
            _add_counts(builder, having, _step(builder, outs[0], i, _COUNTS))
            winning = builder.sitofp(winning, _SUMS)
            _add(builder, winning, _step(builder, outs[1], i, _SUMS))
        return count

    one, pair = types.intp, types.UniTuple(types.intp, 2)
    return types.int64(one, one, one, pair, one, pair, one), codegen


@intrinsic
def write_untried(typingctx, visits, sums, legal, lanes):
    """Write N(s, a) and its sum of values of up to 64 new edges.

    An illegal action gets one visit with a sum that is never the greatest.

    Args:
        typingctx: Numba's.
        visits: The address of N(s, a), int32.
        sums: The address of sums, float64.
        legal: The address of the set of legal actions.
        lanes: How many of the 64 there are, a multiple of LANES.
    """

    def codegen(context, builder, signature, args):
        visits, sums, legal, lanes = args
        ones = llvmlite.ir.Constant(_COUNTS, [1] * LANES)
        nothing = llvmlite.ir.Constant(_COUNTS, [0] * LANES)
        with _steps(builder, lanes) as i:
            flags = _flags(context, builder, legal, i, 32)
            counts = builder.select(flags, nothing, ones)
            builder.store(counts, _step(builder, visits, i, _COUNTS), align=4)
            flags = _flags(context, builder, legal, i, 64)
            values = builder.select(
                flags, _constant(0.0, _SUMS), _constant(-np.inf, _SUMS)
            )
            builder.store(values, _step(builder, sums, i, _SUMS), align=8)
        return lanes

    return types.int64(*[types.intp] * 4), codegen


@intrinsic
def count_where(typingctx, counts, sums, members, value, lanes):
    """Count up to 64 numbers whose bits are set, and add a value to their sums.

    Args:
        typingctx: Numba's.
        counts: The address of the int32 to which 1 is added.
        sums: The address of the float64 to which the value is added.
        members: The address of the set that says which of them.
        value: The value.
        lanes: How many of the 64 there are, a multiple of LANES.
    """

    def codegen(context, builder, signature, args):
        counts, sums, members, value, lanes = args

        def count(i):
            flags = _flags(context, builder, members, i, 32)
            counted = builder.zext(flags, _COUNTS)
            _add_counts(builder, counted, _step(builder, counts, i, _COUNTS))

        some = builder.fcmp_unordered("!=", value, _NUMBER(0.0))
        with builder.if_else(some) as (adding, counting):
            with adding:
                values = everywhere(builder, value, LANES)
                with _steps(builder, lanes) as i:
                    count(i)
                    flags = _flags(context, builder, members, i, 64)
                    added = builder.select(flags, values, _constant(0.0, _SUMS))
                    _add(builder, added, _step(builder, sums, i, _SUMS))
            with counting, _steps(builder, lanes) as i:
                count(i)
        return lanes

    addresses = [types.intp] * 3
    return types.int64(*addresses, types.float64, types.intp), codegen


@intrinsic
def set_where(typingctx, words, members, added, lanes):
    """Set the bits `added` in those of up to 64 words whose own bits are set.

    Args:
        typingctx: Numba's.
        words: The address of the words, uint64.
        members: The address of the set that says which of them.
        added: The bits, uint64.
        lanes: How many of the 64 there are, a multiple of LANES.
    """

    def codegen(context, builder, signature, args):
        words, members, added, lanes = args
        kind = llvmlite.ir.VectorType(_WORD, LANES)
        added = everywhere(builder, added, LANES)
        nothing = llvmlite.ir.Constant(kind, [0] * LANES)
        with _steps(builder, lanes) as i:
            flags = _flags(context, builder, members, i, 64)
            at = _step(builder, words, i, kind)
            bits = builder.select(flags, added, nothing)
            builder.store(builder.or_(builder.load(at, align=8), bits), at, align=8)
        return lanes

    return types.int64(types.intp, types.intp, types.uint64, types.intp), codegen


@intrinsic
def add_bytes(typingctx, added, added_won, counts, sums, lanes):
    """Add bytes to up to 64 counts, and other bytes to their sums.

    Args:
        typingctx: Numba's.
        added: The address of what is added to counts.
        added_won: The address of what is added to sums.
        counts: The address of the counts, int32.
        sums: The address of the sums, float64.
        lanes: How many of the 64 there are, a multiple of LANES.
    """

    def codegen(context, builder, signature, args):
        added, added_won, counts, sums, lanes = args
        kind = llvmlite.ir.VectorType(llvmlite.ir.IntType(8), LANES)
        with _steps(builder, lanes) as i:
            having, winning = (
                builder.zext(
                    builder.load(_step(builder, at, i, kind), align=1), _COUNTS
                )
                for at in (added, added_won)
            )
            _add_counts(builder, having, _step(builder, counts, i, _COUNTS))
            winning = builder.sitofp(winning, _SUMS)
            _add(builder, winning, _step(builder, sums, i, _SUMS))
        return lanes

    return types.int64(*[types.intp] * 5), codegen
