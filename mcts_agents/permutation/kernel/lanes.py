"""Steps over several numbers at a time, which no loop over an array becomes."""

from contextlib import contextmanager
from typing import NamedTuple

import llvmlite.ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from mcts_agents.model.bits import bytes_of_bits, everywhere
from mcts_agents.permutation.kernel.records import (
    ILLEGAL_NARROW,
    ILLEGAL_WIDE,
    LANES,
    NARROW_LANES,
)

# By this feature processors count the bits of several words in one step.
_COUNTS_BITS = "+avx512vpopcntdq"
# By these they take the bits of a set as flags of so wide numbers.
_MASKS = {16: "+avx512bw", 32: "+avx512dq", 64: "+avx512dq"}

_BIT, _NARROW, SHORT, WORD = (llvmlite.ir.IntType(bits) for bits in (1, 16, 32, 64))
NUMBER = llvmlite.ir.DoubleType()
_BYTES = llvmlite.ir.VectorType(llvmlite.ir.IntType(8), 64)
# So many bytes can be added before one of them overflows.
MOST_ADDED = 255


class Width(NamedTuple):
    """How statistics are kept; see `records`."""

    columns: tuple[llvmlite.ir.Type, llvmlite.ir.Type]  # of counts, and of sums
    lanes: int  # of a step that adds to them
    illegal: float  # the sum of an illegal action

    @property
    def counts(self):
        """The type of the counts of a step."""
        return llvmlite.ir.VectorType(self.columns[0], self.lanes)

    @property
    def sums(self):
        """The type of the sums of a step."""
        return llvmlite.ir.VectorType(self.columns[1], self.lanes)


NARROW = Width((_NARROW, _NARROW), NARROW_LANES, ILLEGAL_NARROW)
WIDE = Width((SHORT, NUMBER), LANES, ILLEGAL_WIDE)


def either(builder, narrow, build):
    """Build what is done with narrow statistics, and what with wide ones.

    Args:
        builder: LLVM's.
        narrow: Says at run time which of them, int64.
        build: Builds it for a Width, and returns an int64.
    """
    found = cgutils.alloca_once(builder, WORD)
    is_narrow = builder.icmp_unsigned("!=", narrow, WORD(0))
    with builder.if_else(is_narrow) as (then, otherwise):
        for width, branch in ((NARROW, then), (WIDE, otherwise)):
            with branch:
                builder.store(build(width), found)
    return builder.load(found)


def constant(number, kind):
    """Return a vector of a type with the same number everywhere."""
    return llvmlite.ir.Constant(kind, [kind.element(number)] * kind.count)


def address_as(builder, address, kind):
    """Build a pointer to something of a type at an address."""
    return builder.inttoptr(address, kind.as_pointer())


def _bytes(kind):
    """Return the bytes of an element of a vector."""
    return 8 if kind.element == NUMBER else kind.element.width // 8


def step_at(builder, address, step, kind):
    """Build a pointer to the vector of a step."""
    at = builder.add(address, builder.mul(step, WORD(kind.count * _bytes(kind))))
    return address_as(builder, at, kind)


def load(builder, at):
    """Build the vector at a pointer, which lies where its elements may."""
    return builder.load(at, align=_bytes(at.type.pointee))


def _store(builder, vector, at):
    """Build a vector's way to a pointer; see `load`."""
    builder.store(vector, at, align=_bytes(vector.type))


def _add(builder, vector, at):
    """Build the addition of a vector to the one at a pointer."""
    add = builder.fadd if vector.type.element == NUMBER else builder.add
    _store(builder, add(load(builder, at), vector), at)


def _part(builder, lanes, first, count):
    """Build some lanes of a vector that follow each other."""
    kind = llvmlite.ir.VectorType(SHORT, count)
    places = llvmlite.ir.Constant(kind, list(range(first, first + count)))
    return builder.shuffle_vector(lanes, lanes, places)


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


def _converted(builder, counts, kind):
    """Build counts, words or bytes, as a type of counts or sums."""
    narrow = counts.type.element.width == 8
    if kind.element == NUMBER:
        short = llvmlite.ir.VectorType(SHORT, kind.count)
        return builder.sitofp(_converted(builder, counts, short), kind)
    return (builder.zext if narrow else builder.trunc)(counts, kind)


@contextmanager
def _steps(builder, lanes, width):
    """Build a loop over steps of `width` for up to 64 numbers; yield the step's."""
    fewer = builder.icmp_signed("<", lanes, WORD(64))
    lanes = builder.select(fewer, lanes, WORD(64))
    steps = builder.sdiv(builder.add(lanes, WORD(width - 1)), WORD(width))
    with cgutils.for_range(builder, steps) as loop:
        yield loop.index


def _all_steps(builder, lanes, width, build):
    """Build what is done in all steps at once, for each number of steps there may be.

    Args:
        builder: LLVM's.
        lanes: How many numbers there are; up to 64 count.
        width: Numbers of a step.
        build: Builds it for a number of steps.
    """
    steps = builder.sdiv(builder.add(lanes, WORD(width - 1)), WORD(width))
    most = 64 // width
    end = builder.append_basic_block("end")
    blocks = [builder.append_basic_block(f"steps{n}") for n in range(1, most + 1)]
    switch = builder.switch(steps, blocks[-1])  # more than there may be
    for n, block in enumerate(blocks, 1):
        if n < most:
            switch.add_case(WORD(n), block)
        builder.position_at_end(block)
        build(n)
        builder.branch(end)
    builder.position_at_end(end)


def _flags(context, builder, address, step, kind):
    """Build which bits of a set are set in a step.

    Args:
        context: Numba's.
        builder: LLVM's.
        address: Where the set is.
        step: The number of the step.
        kind: The type of the numbers that they are for.
    """
    count, element = kind.count, llvmlite.ir.IntType(8 * _bytes(kind))
    some = llvmlite.ir.IntType(count)
    at = builder.add(address, builder.mul(step, WORD(count // 8)))
    bits = builder.load(address_as(builder, at, some), align=1)
    if _has(context, _MASKS[element.width]):
        return builder.bitcast(bits, llvmlite.ir.VectorType(_BIT, count))
    # Elsewhere each lane gets all bits, and keeps its own.
    kind = llvmlite.ir.VectorType(element, count)
    bits = everywhere(builder, bits, element.width)
    own = llvmlite.ir.Constant(kind, [1 << lane for lane in range(count)])
    bits = builder.and_(builder.bitcast(bits, kind), own)
    return builder.icmp_unsigned("==", bits, own)


@intrinsic
def write_common(typingctx, out, rows, count):
    """Write the bits that three rows of words have in common.

    Args:
        typingctx: Numba's.
        out: The address to which they are written, uint64; one of the rows may be it.
        rows: The addresses of the rows.
        count: How many words; up to three further ones are read and written.
    """

    def codegen(context, builder, signature, args):
        out, rows, count = args
        kind = llvmlite.ir.VectorType(WORD, 4)
        steps = builder.udiv(builder.add(count, WORD(3)), WORD(4))
        with cgutils.for_range(builder, steps) as loop:
            one, other, third = (
                load(builder, step_at(builder, row, loop.index, kind))
                for row in cgutils.unpack_tuple(builder, rows)
            )
            common = builder.and_(builder.and_(one, other), third)
            _store(builder, common, step_at(builder, out, loop.index, kind))
        return count

    three = types.UniTuple(types.intp, 3)
    return types.int64(types.intp, three, types.intp), codegen


@intrinsic
def add_in_columns(typingctx, narrow, rows, chosen, masks, count, outs, lanes):
    """Add to each of up to 64 numbers how many bits its words share with masks.

    Args:
        typingctx: Numba's.
        narrow: Whether statistics are narrow, int64; see `records`.
        rows: The address of row 0, a word, uint64, for each of 64 numbers, and the
            bytes from one row to the next.
        chosen: The address of the chosen rows' numbers, uint64.
        masks: Two addresses, each of a mask, uint64, for each of them.
        count: How many are chosen.
        outs: The addresses of the counts, for the first mask, and of the sums, for the
            second.
        lanes: How many of the 64 there are, a multiple of LANES.
    """

    def codegen(context, builder, signature, args):
        narrow, rows, chosen, masks, count, outs, lanes = args
        rows, step = cgutils.unpack_tuple(builder, rows)
        masks, outs = (cgutils.unpack_tuple(builder, pair) for pair in (masks, outs))
        # All 64 at a time where the processor has room for their counts, else row after
        # row for each step.
        width = 64 if _has(context, _COUNTS_BITS) else LANES
        words = llvmlite.ir.VectorType(WORD, width)
        kind = llvmlite.ir.FunctionType(words, [words])
        name = f"llvm.ctpop.v{width}i64"
        bits_in = builder.module.declare_intrinsic(name, (), kind)
        counts = [cgutils.alloca_once(builder, words) for _ in masks]

        def count_rows(first):
            for shared in counts:
                builder.store(llvmlite.ir.Constant(words, [0] * width), shared)
            with cgutils.for_range(builder, count) as loop:

                def item(address):
                    items = address_as(builder, address, WORD)
                    return builder.load(builder.gep(items, [loop.index]))

                at = builder.add(first, builder.mul(item(chosen), step))
                row = builder.load(address_as(builder, at, words), align=8)
                for mask, shared in zip(masks, counts, strict=True):
                    common = builder.and_(row, everywhere(builder, item(mask), width))
                    found = builder.call(bits_in, [common])
                    builder.store(builder.add(builder.load(shared), found), shared)

        def count_all(kept):
            if width == 64:
                count_rows(rows)
            some = llvmlite.ir.VectorType(WORD, LANES)
            with _steps(builder, lanes, LANES) as i:
                found = [builder.ptrtoint(shared, WORD) for shared in counts]
                if width == 64:
                    found = [step_at(builder, at, i, some) for at in found]
                else:
                    count_rows(builder.ptrtoint(step_at(builder, rows, i, some), WORD))
                    found = [address_as(builder, at, some) for at in found]
                for at, out, column in zip(found, outs, kept.columns, strict=True):
                    kind = llvmlite.ir.VectorType(column, LANES)
                    shared = _converted(builder, load(builder, at), kind)
                    _add(builder, shared, step_at(builder, out, i, kind))
            return count

        return either(builder, narrow, count_all)

    one, pair = types.intp, types.UniTuple(types.intp, 2)
    return types.int64(types.int64, pair, one, pair, one, pair, one), codegen


@intrinsic
def write_untried(typingctx, narrow, own, legal, lanes):
    """Write N(s, a) and its sum of values of up to 64 new edges.

    An illegal action gets one visit with a sum that is never the greatest.

    Args:
        typingctx: Numba's.
        narrow: Whether statistics are narrow, int64.
        own: The addresses of N(s, a) and of sums.
        legal: The address of the set of legal actions.
        lanes: How many of the 64 there are, a multiple of LANES.
    """

    def codegen(context, builder, signature, args):
        narrow, own, legal, lanes = args
        own = cgutils.unpack_tuple(builder, own)

        def write(width):
            rows = zip(own, (width.counts, width.sums), (1, width.illegal), strict=True)
            rows = list(rows)
            with _steps(builder, lanes, width.lanes) as i:
                for address, kind, illegal in rows:
                    flags = _flags(context, builder, legal, i, kind)
                    row = builder.select(
                        flags, constant(0, kind), constant(illegal, kind)
                    )
                    _store(builder, row, step_at(builder, address, i, kind))
            return lanes

        return either(builder, narrow, write)

    pair = types.UniTuple(types.intp, 2)
    return types.int64(types.int64, pair, types.intp, types.intp), codegen


@intrinsic
def count_where(typingctx, narrow, pair, members, value, lanes):
    """Count up to 64 numbers whose bits are set, and add a value to their sums.

    Args:
        typingctx: Numba's.
        narrow: Whether statistics are narrow, int64; then the value is 0 or 1.
        pair: The addresses of the counts and of the sums.
        members: The address of the set that says which of them.
        value: The value.
        lanes: How many of the 64 there are, a multiple of LANES.
    """

    def codegen(context, builder, signature, args):
        narrow, pair, members, value, lanes = args
        counts, sums = cgutils.unpack_tuple(builder, pair)
        some = builder.fcmp_unordered("!=", value, NUMBER(0.0))

        def count(i, width):
            flags = _flags(context, builder, members, i, width.counts)
            counted = builder.sext(flags, width.counts)
            at = step_at(builder, counts, i, width.counts)
            _store(builder, builder.sub(load(builder, at), counted), at)
            return counted

        def count_all(width):
            if width is NARROW:  # no branch, since nobody can tell who wins
                won = builder.sext(some, _NARROW)
                won = everywhere(builder, won, width.lanes)

                def count_steps(steps):
                    for i in map(WORD, range(steps)):
                        counted = builder.and_(count(i, width), won)
                        at = step_at(builder, sums, i, width.sums)
                        _store(builder, builder.sub(load(builder, at), counted), at)

                _all_steps(builder, lanes, width.lanes, count_steps)
                return lanes
            with builder.if_else(some) as (adding, counting):
                with adding:
                    values = everywhere(builder, value, LANES)
                    with _steps(builder, lanes, LANES) as i:
                        count(i, width)
                        flags = _flags(context, builder, members, i, width.sums)
                        nothing = constant(0.0, width.sums)
                        added = builder.select(flags, values, nothing)
                        _add(builder, added, step_at(builder, sums, i, width.sums))
                with counting, _steps(builder, lanes, LANES) as i:
                    count(i, width)
            return lanes

        return either(builder, narrow, count_all)

    pair = types.UniTuple(types.intp, 2)
    given = types.int64, pair, types.intp, types.float64, types.intp
    return types.int64(*given), codegen


@intrinsic
def add_playouts(typingctx, pair, sets, step, words, playouts, lanes):
    """Add playouts to up to 64 narrow counts, and those that are won to their sums.

    They are counted in bytes, which stay in registers, and these are added to the
    numbers. One loop takes the playouts of all words: how many a word has, the
    processor would have to guess. The word that follows is read ahead.

    Args:
        typingctx: Numba's.
        pair: The addresses of the counts and of the sums.
        sets: The address of the set of numbers for which playout 0 counts.
        step: Bytes from the set of one playout to that of the next.
        words: Three addresses of uint64: which of 64 playouts, as bits, some at least;
            which of them are won; and the number of these 64. Two words behind the
            first ones are read, too.
        playouts: How many there are in all words, at least one.
        lanes: How many of the 64 numbers there are, a multiple of LANES.
    """

    def codegen(context, builder, signature, args):
        pair, sets, step, words, playouts, lanes = args
        pair = cgutils.unpack_tuple(builder, pair)
        masks, won, chosen = (
            address_as(builder, address, WORD)
            for address in cgutils.unpack_tuple(builder, words)
        )
        left, following, at, missing = (
            cgutils.alloca_once(builder, WORD) for _ in range(4)
        )
        counts = [cgutils.alloca_once(builder, _BYTES) for _ in pair]

        def item(row, i):
            return builder.load(builder.gep(row, [i]))

        def add_next():
            bits, i = builder.load(left), builder.load(at)
            bit = builder.cttz(bits, context.get_constant(types.boolean, False))
            playout = builder.add(builder.shl(item(chosen, i), WORD(6)), bit)
            members = builder.add(sets, builder.mul(playout, step))
            members = builder.load(address_as(builder, members, WORD))
            counted = bytes_of_bits(builder, members)
            is_won = builder.trunc(builder.lshr(item(won, i), bit), _BIT)
            is_won = builder.sext(is_won, _BYTES.element)
            both = counted, builder.and_(counted, everywhere(builder, is_won, 64))
            for added, out in zip(both, counts, strict=True):
                builder.store(builder.sub(builder.load(out), added), out)
            rest = builder.and_(bits, builder.sub(bits, WORD(1)))
            done = builder.icmp_unsigned("==", rest, WORD(0))
            builder.store(builder.select(done, builder.load(following), rest), left)
            i = builder.add(i, builder.zext(done, WORD))
            builder.store(i, at)
            builder.store(item(masks, builder.add(i, WORD(1))), following)

        def add(steps):
            for out, found in zip(pair, counts, strict=True):
                found = builder.load(found)
                for i in range(steps):
                    some = _part(builder, found, i * NARROW.lanes, NARROW.lanes)
                    some = builder.zext(some, NARROW.counts)
                    _add(builder, some, step_at(builder, out, WORD(i), NARROW.counts))

        builder.store(item(masks, WORD(0)), left)
        builder.store(item(masks, WORD(1)), following)
        builder.store(WORD(0), at)
        builder.store(playouts, missing)
        again = builder.append_basic_block("again")
        done = builder.append_basic_block("done")
        builder.branch(again)
        builder.position_at_end(again)
        for out in counts:
            builder.store(constant(0, _BYTES), out)
        before = builder.load(missing)
        fit = builder.icmp_unsigned("<", before, WORD(MOST_ADDED))
        fit = builder.select(fit, before, WORD(MOST_ADDED))
        builder.store(builder.sub(before, fit), missing)
        with cgutils.for_range(builder, fit):
            add_next()
        _all_steps(builder, lanes, NARROW.lanes, add)
        is_done = builder.icmp_unsigned("==", builder.load(missing), WORD(0))
        builder.cbranch(is_done, done, again)
        builder.position_at_end(done)
        return lanes

    one, pair = types.intp, types.UniTuple(types.intp, 2)
    three = types.UniTuple(types.intp, 3)
    return types.int64(pair, one, one, three, one, one), codegen


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
        kind = llvmlite.ir.VectorType(WORD, LANES)
        added = everywhere(builder, added, LANES)
        with _steps(builder, lanes, LANES) as i:
            flags = _flags(context, builder, members, i, kind)
            at = step_at(builder, words, i, kind)
            bits = builder.select(flags, added, constant(0, kind))
            _store(builder, builder.or_(load(builder, at), bits), at)
        return lanes

    return types.int64(types.intp, types.intp, types.uint64, types.intp), codegen


@intrinsic
def add_bytes(typingctx, narrow, added, pair, lanes):
    """Add bytes to up to 64 counts, and other bytes to their sums.

    Args:
        typingctx: Numba's.
        narrow: Whether statistics are narrow, int64.
        added: The addresses of what is added to counts and of what to sums.
        pair: The addresses of the counts and of the sums.
        lanes: How many of the 64 there are, a multiple of LANES.
    """

    def codegen(context, builder, signature, args):
        narrow, added, pair, lanes = args
        added, pair = (cgutils.unpack_tuple(builder, both) for both in (added, pair))

        def add(width):
            columns = list(zip(added, pair, (width.counts, width.sums), strict=True))
            with _steps(builder, lanes, width.lanes) as i:
                for address, out, kind in columns:
                    some = llvmlite.ir.VectorType(llvmlite.ir.IntType(8), width.lanes)
                    some = load(builder, step_at(builder, address, i, some))
                    some = _converted(builder, some, kind)
                    _add(builder, some, step_at(builder, out, i, kind))
            return lanes

        return either(builder, narrow, add)

    pair = types.UniTuple(types.intp, 2)
    return types.int64(types.int64, pair, pair, types.intp), codegen
