"""The edge with the greatest Q*, of a run, without a look at each value.

Values are computed for LANES edges at a time. A *key* is a number whose lowest bits, of
KEYED values, say in which row it is. The greatest key leads to the greatest number, if
no other one is as near to it as these bits can tell: the second key would say so.
"""

from functools import partial

import llvmlite.ir
import numpy as np
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from mcts_agents.model.bits import everywhere
from mcts_agents.permutation.kernel.lanes import (
    NARROW,
    NUMBER,
    SHORT,
    WORD,
    address_as,
    constant,
    either,
    load,
    step_at,
)
from mcts_agents.permutation.kernel.records import LANES, NARROW_LANES

KEYED = 1 << 10
# The greatest key: of infinity it would be no number.
_MOST = np.finfo(np.float64).max
_MOST_SINGLE = float(np.finfo(np.float32).max)
_COUNTS = llvmlite.ir.VectorType(SHORT, LANES)
_SINGLES = llvmlite.ir.VectorType(llvmlite.ir.FloatType(), LANES)
_DOUBLES = llvmlite.ir.VectorType(NUMBER, LANES)


def _numbers(first, count):
    """Return a constant vector of numbers that follow each other."""
    kind = llvmlite.ir.VectorType(SHORT, count)
    return llvmlite.ir.Constant(kind, list(range(first, first + count)))


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
    return builder.extract_element(lanes, SHORT(0))


def _two_greatest(builder, best, second):
    """Build the greatest and the second of two vectors, of the second ones the other.

    In each lane `second` is not greater than `best`.
    """
    while best.type.count > 1:
        low, high = _halves(builder, best)
        second = _greater(builder, *_halves(builder, second))
        second = _greater(builder, _less(builder, low, high), second)
        best = _greater(builder, low, high)
    return [builder.extract_element(lanes, SHORT(0)) for lanes in (best, second)]


@intrinsic
def greatest_where(typingctx, address, bits):
    """Return the greatest of those of 64 float64 at an address whose bits are set.

    None of them is NaN. Without a bit that is set it is minus infinity.
    """

    def codegen(context, builder, signature, args):
        flags = llvmlite.ir.VectorType(llvmlite.ir.IntType(1), 64)
        lanes = llvmlite.ir.VectorType(NUMBER, 64)
        numbers = load(builder, address_as(builder, args[0], lanes))
        wanted = builder.bitcast(args[1], flags)
        numbers = builder.select(wanted, numbers, constant(-np.inf, lanes))
        return _greatest(builder, numbers)

    return types.float64(types.intp, types.uint64), codegen


def _statistics(builder, pairs, step, width, kind):
    """Build the statistics of a step, as numbers of a kind: counts, sums, and so on."""
    found = []
    for pair in pairs:
        for address, column in zip(pair, width.columns, strict=True):
            row = llvmlite.ir.VectorType(column, LANES)
            at = step_at(builder, address, step, row)
            found.append(_converted(builder, load(builder, at), kind))
    return found


def _converted(builder, row, kind):
    """Build a row of a column as numbers of a kind."""
    if row.type == kind:
        return row
    if row.type.element == NUMBER:
        return builder.fptrunc(row, kind)
    return builder.sitofp(row, kind)


def _write_in_steps(builder, width, pairs, out, count, ratio):
    """Build a loop that writes a value of each row of columns; return the best row.

    Args:
        builder: LLVM's.
        width: Of statistics.
        pairs: Where columns begin, of counts and of sums.
        out: Where the values go.
        count: How many rows; a multiple of LANES, each a step.
        ratio: Builds numerators and denominators of the rows of a step.

    Returns:
        The row of the greatest value; -1 if its key does not tell, or it is below 0.
    """
    words = llvmlite.ir.VectorType(WORD, LANES)
    upper = llvmlite.ir.Constant(words, [-KEYED] * LANES)
    rows = cgutils.alloca_once(builder, words)
    builder.store(llvmlite.ir.Constant(words, list(range(LANES))), rows)
    best, second = (cgutils.alloca_once(builder, _DOUBLES) for _ in range(2))
    builder.store(constant(-1.0, _DOUBLES), best)
    builder.store(constant(-1.0, _DOUBLES), second)
    with cgutils.for_range(builder, builder.udiv(count, WORD(LANES))) as loop:
        statistics = _statistics(builder, pairs, loop.index, width, _DOUBLES)
        values = _quotients(builder, *ratio(*statistics))
        at = step_at(builder, out, loop.index, _DOUBLES)
        builder.store(values, at, align=8)
        keys = builder.bitcast(_less(builder, values, constant(_MOST, _DOUBLES)), words)
        keys = builder.or_(builder.and_(keys, upper), builder.load(rows))
        keys = builder.bitcast(keys, _DOUBLES)
        # The key of minus infinity, too, is no number: it is neither here.
        before = builder.load(best)
        lesser = _less(builder, before, keys)
        builder.store(_greater(builder, lesser, builder.load(second)), second)
        builder.store(_greater(builder, keys, before), best)
        steps = llvmlite.ir.Constant(words, [LANES] * LANES)
        builder.store(builder.add(builder.load(rows), steps), rows)
    found = _two_greatest(builder, builder.load(best), builder.load(second))
    key, other = (builder.bitcast(number, WORD) for number in found)
    differs = builder.icmp_unsigned(">", builder.xor(key, other), WORD(KEYED - 1))
    tells = builder.and_(differs, builder.icmp_signed(">=", key, WORD(0)))
    tells = builder.and_(tells, builder.icmp_unsigned("<=", count, WORD(KEYED)))
    row = builder.and_(key, WORD(KEYED - 1))
    return builder.select(tells, row, WORD(-1))


def _quotients(builder, totals, weights):
    """Build quotients; where a weight is 0, infinity."""
    weighed = builder.fcmp_ordered(">", weights, constant(0.0, _DOUBLES))
    quotients = builder.fdiv(totals, weights)
    return builder.select(weighed, quotients, constant(np.inf, _DOUBLES))


def _grave_ratio(builder, bias, n, total, known, known_total):
    """Build numerator and denominator of `weights.grave_value`."""
    add, times = builder.fadd, builder.fmul
    if n.type.element != bias.type:
        bias = builder.fptrunc(bias, n.type.element)
    biased = times(everywhere(builder, bias, LANES), known)
    weight = add(add(known, n), times(biased, n))
    total = times(add(constant(1.0, n.type), biased), total)
    return add(total, known_total), weight


@intrinsic
def write_grave_values(typingctx, narrow, own, amaf, bias, out, count):
    """Write `weights.grave_value` of edges in a row; return the best row.

    Args:
        typingctx: Numba's.
        narrow: Whether statistics are narrow, int64; see `records`.
        own: The addresses of N(s, a) of the first edge, and of the sum of its values.
        amaf: Likewise of AMAF statistics.
        bias: See there.
        out: Where the values go.
        count: How many edges, a multiple of LANES.

    Returns:
        The row of the greatest; -1 if none is 0 or greater, or another is as near as
        keys can tell.
    """

    def codegen(context, builder, signature, args):
        narrow, *pairs, bias, out, count = args
        pairs = [cgutils.unpack_tuple(builder, pair) for pair in pairs]
        ratio = partial(_grave_ratio, builder, bias)
        columns = pairs, out, count, ratio
        return either(
            builder, narrow, lambda width: _write_in_steps(builder, width, *columns)
        )

    pairs = [types.UniTuple(types.intp, 2)] * 2
    given = types.int64, *pairs, types.float64, types.intp, types.intp
    return types.int64(*given), codegen


def _mcps_ratio(builder, n, total, known, known_total, permutations, permuted):
    """Build numerator and denominator of `weights.mcps_value`."""
    add, times = builder.fadd, builder.fmul
    others = add(known, permutations)
    others = _greater(builder, others, constant(1.0, others.type))
    weight = times(add(n, known), others)
    known_total = times(known, add(known_total, permuted))
    return add(times(total, others), known_total), weight


@intrinsic
def write_mcps_values(typingctx, narrow, own, amaf, permutations, out, count):
    """Write `weights.mcps_value` of edges in a row; return the best row.

    Args:
        typingctx: Numba's.
        narrow: Whether statistics are narrow, int64; see `records`.
        own: The addresses of N(s, a) of the first edge, and of the sum of its values.
        amaf: Likewise of AMAF statistics.
        permutations: Likewise of permutation statistics.
        out: Where the values go.
        count: How many edges, a multiple of LANES.

    Returns:
        The row of the greatest; -1 if none is 0 or greater, or another is as near as
        keys can tell.
    """

    def codegen(context, builder, signature, args):
        narrow, *pairs, out, count = args
        pairs = [cgutils.unpack_tuple(builder, pair) for pair in pairs]
        columns = pairs, out, count, partial(_mcps_ratio, builder)
        return either(
            builder, narrow, lambda width: _write_in_steps(builder, width, *columns)
        )

    pairs = [types.UniTuple(types.intp, 2)] * 3
    return types.int64(types.int64, *pairs, types.intp, types.intp), codegen


# A float32 value of an edge is no farther from the truth than 14 roundings, each by
# 2**-24 of it at most, since nothing is subtracted; its row's bits are up to 2**-16.
_ROUGHLY = 1 << 7
_CLEARLY = 1.0 - 2.0**-14
# Less than one of as many playouts as there can be.
_LEAST = 2.0**-80


def _clearly_best(builder, width, pairs, count, ratio):
    """Build a loop that looks for a greatest value that is clearly one.

    Values are computed with half as many digits, so twice as many at a time.

    Args:
        builder: LLVM's.
        width: See `_write_in_steps`.
        pairs: Likewise; all sums are 0 or more, but of illegal actions.
        count: Likewise.
        ratio: Likewise.

    Returns:
        The row of the greatest value; -1 if another is nearly as great, or has no
        value, or if there are more than 128 rows.
    """

    def ratios(step):
        return [ratio(*_statistics(builder, pairs, step, width, _SINGLES))]

    steps = builder.udiv(count, WORD(LANES))
    return _clearly_best_of(builder, count, steps, [range(LANES)], ratios)


def _clearly_best_of(builder, count, steps, rows, ratios):
    """Build the loop of `_clearly_best`.

    Args:
        builder: LLVM's.
        count: How many rows there are.
        steps: How many steps.
        rows: The rows of step 0, LANES of them for each vector of it.
        ratios: Builds for a step the numerator and denominator of each vector.
    """
    width = LANES * len(rows)
    numbers = [cgutils.alloca_once(builder, _COUNTS) for _ in rows]
    for at, own in zip(numbers, rows, strict=True):
        builder.store(llvmlite.ir.Constant(_COUNTS, list(own)), at)
    best, second = (cgutils.alloca_once(builder, _SINGLES) for _ in range(2))
    builder.store(constant(-1.0, _SINGLES), best)
    builder.store(constant(-1.0, _SINGLES), second)
    with cgutils.for_range(builder, steps) as loop:
        for at, ratio in zip(numbers, ratios(loop.index), strict=True):
            values = builder.fdiv(*ratio)
            # What has no value, 0 / 0, becomes the greatest, so that there is none.
            values = _less(builder, values, constant(_MOST_SINGLE, _SINGLES))
            keys = builder.and_(
                builder.bitcast(values, _COUNTS), constant(-_ROUGHLY, _COUNTS)
            )
            own = builder.load(at)
            keys = builder.bitcast(builder.or_(keys, own), _SINGLES)
            before = builder.load(best)
            lesser = _less(builder, before, keys)
            builder.store(_greater(builder, lesser, builder.load(second)), second)
            builder.store(_greater(builder, keys, before), best)
            builder.store(builder.add(own, constant(width, _COUNTS)), at)
    best, second = _two_greatest(builder, builder.load(best), builder.load(second))
    clear = builder.fcmp_ordered(">", builder.fmul(best, best.type(_CLEARLY)), second)
    # Mean values are 1 at most, and 0 if no playout was won: then a key is a row alone.
    for sign, bound in ((">", _LEAST), ("<", 2.0)):
        within = builder.fcmp_ordered(sign, best, best.type(bound))
        clear = builder.and_(clear, within)
    few = builder.icmp_unsigned("<=", count, WORD(_ROUGHLY))
    row = builder.and_(builder.bitcast(best, SHORT), SHORT(_ROUGHLY - 1))
    row = builder.zext(row, WORD)
    return builder.select(builder.and_(clear, few), row, WORD(-1))


@intrinsic
def clearly_best_of_grave(typingctx, narrow, own, amaf, bias, count):
    """Return the row of the greatest value that `write_grave_values` would write.

    No value of a playout may be below 0, or above 1, nor the bias.

    Args:
        typingctx: Numba's.
        narrow: See `write_grave_values`.
        own: Likewise.
        amaf: Likewise.
        bias: Likewise.
        count: Likewise.

    Returns:
        The row; -1 if it takes more digits to tell, or if there are more than 128.
    """

    def codegen(context, builder, signature, args):
        narrow, *pairs, bias, count = args
        pairs = [cgutils.unpack_tuple(builder, pair) for pair in pairs]
        columns = pairs, count, partial(_grave_ratio, builder, bias)
        return either(
            builder, narrow, lambda width: _clearly_best(builder, width, *columns)
        )

    pairs = [types.UniTuple(types.intp, 2)] * 2
    return types.int64(types.int64, *pairs, types.float64, types.intp), codegen


@intrinsic
def clearly_best_of_mcps(typingctx, narrow, own, amaf, permutations, count):
    """Do what `clearly_best_of_grave` does for `write_mcps_values`."""

    def codegen(context, builder, signature, args):
        narrow, *pairs, count = args
        pairs = [cgutils.unpack_tuple(builder, pair) for pair in pairs]
        columns = pairs, count, partial(_mcps_ratio, builder)
        return either(
            builder, narrow, lambda width: _clearly_best(builder, width, *columns)
        )

    pairs = [types.UniTuple(types.intp, 2)] * 3
    return types.int64(types.int64, *pairs, types.intp), codegen


# Whole numbers of so many playouts, added in pairs, are int16, and products of these,
# added in pairs, int32.
MOST_MULTIPLIED = (1 << 14) - 1


def _shuffled(builder, one, other, places):
    """Build a vector of some numbers of two vectors."""
    return builder.shuffle_vector(
        one, other, llvmlite.ir.Constant(llvmlite.ir.VectorType(SHORT, 16), places)
    )


def _products(builder, ones, others):
    """Build for each lane the sum of two products of int16, as float32.

    Args:
        builder: LLVM's.
        ones: Vectors of 16 first factors, two in turn for each lane.
        others: The second factors likewise.
    """
    kind = llvmlite.ir.VectorType(SHORT, 16)
    products = builder.mul(builder.sext(ones, kind), builder.sext(others, kind))
    halves = [
        builder.shuffle_vector(
            products, products, llvmlite.ir.Constant(_COUNTS, list(range(first, 16, 2)))
        )
        for first in (0, 1)
    ]
    return builder.sitofp(builder.add(*halves), _SINGLES)


@intrinsic
def clearly_best_of_few_playouts(typingctx, own, amaf, permutations, count):
    """Do what `clearly_best_of_mcps` does, with whole numbers as long as it goes.

    Args:
        typingctx: Numba's.
        own: See `write_mcps_values`, narrow ones, of up to MOST_MULTIPLIED playouts.
        amaf: Likewise.
        permutations: Likewise.
        count: How many edges; up to NARROW_LANES - 1 further ones are read, illegal.
    """

    def codegen(context, builder, signature, args):
        *pairs, count = args
        addresses = [at for pair in pairs for at in cgutils.unpack_tuple(builder, pair)]
        # As the processor interleaves two vectors, four numbers of each.
        rows = [[0, 1, 2, 3, 8, 9, 10, 11], [4, 5, 6, 7, 12, 13, 14, 15]]

        def ratios(step):
            kind = NARROW.counts
            n, total, known, known_total, permuting, permuted = (
                load(builder, step_at(builder, at, step, kind)) for at in addresses
            )
            others = builder.add(known, permuting)
            one = constant(1, kind)
            some = builder.icmp_signed(">", others, one)
            others = builder.select(some, others, one)
            sums = builder.add(known_total, permuted)
            for own in rows:
                places = [place + more for place in own for more in (0, 16)]
                factors = [
                    _shuffled(builder, *pair, places)
                    for pair in (
                        (total, known),
                        (others, sums),
                        (n, known),
                        (others, others),
                    )
                ]
                yield _products(builder, *factors[:2]), _products(builder, *factors[2:])

        steps = builder.add(count, WORD(NARROW_LANES - 1))
        steps = builder.udiv(steps, WORD(NARROW_LANES))
        return _clearly_best_of(builder, count, steps, rows, ratios)

    pairs = [types.UniTuple(types.intp, 2)] * 3
    return types.int64(*pairs, types.intp), codegen
