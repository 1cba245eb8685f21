"""Squares, captures and neighbours on a board of 8x8 in one 64-bit word.

Othello and Rolit capture alike: what lies in an unbroken line between a new disc and
another one of its owner. Bit `row * 8 + column` of a `uint64` is a square, rows from
the top. All functions are compiled, and take and return `uint64`.

A direction is a shift: by 1 along a row, 8 along a column, 7 and 9 along the diagonals,
up for four directions and down for the four opposite ones. The lines of all discs of a
set are followed at once. A line that leaves the board at the side would come in again
on the other side, so discs of the outer columns are no part of a line, except along
columns: they can only end one.

Four directions are the four words of one LLVM vector, of which LLVM makes vector
instructions where the processor has them, else single ones.
"""

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

SIDE = 8
SQUARES = SIDE * SIDE
ZERO, ONE = np.uint64(0), np.uint64(1)
ROW_STEP, COLUMN_STEP, RISING_STEP, FALLING_STEP = (
    np.uint64(shift) for shift in (1, 8, 7, 9)
)
NOT_LEFT = np.uint64(0xFEFEFEFEFEFEFEFE)
NOT_RIGHT = np.uint64(0x7F7F7F7F7F7F7F7F)
LEFT_AND_RIGHT = np.uint64(0x8181818181818181)
TOP_AND_BOTTOM = np.uint64(0xFF000000000000FF)

_ALL, _INNER_COLUMNS = 0xFFFFFFFFFFFFFFFF, 0x7E7E7E7E7E7E7E7E
# Of each direction: its shift, and the squares on which a disc can be part of a line.
_SHIFTS = (1, 8, 7, 9)
_INSIDE = (_INNER_COLUMNS, _ALL, _INNER_COLUMNS, _INNER_COLUMNS)


def _words(values):
    """Return a constant vector of 64-bit words."""
    word = ir.IntType(64)
    constants = [ir.Constant(word, value) for value in values]
    return ir.Constant(ir.VectorType(word, len(constants)), constants)


def _place(number):
    """Return the place of a word in a vector."""
    return ir.Constant(ir.IntType(32), number)


def _repeated(builder, word):
    """Return a vector that has a word once for each direction."""
    vector = _words([0] * len(_SHIFTS))
    for number in range(len(_SHIFTS)):
        vector = builder.insert_element(vector, word, _place(number))
    return vector


def _united(builder, vector):
    """Return the union of a vector's words."""
    found = builder.extract_element(vector, _place(0))
    for number in range(1, len(_SHIFTS)):
        word = builder.extract_element(vector, _place(number))
        found = builder.or_(found, word)
    return found


def _lines(builder, shifted, start, other):
    """Return the lines of `other` behind `start`, and the same moved on by a square.

    `shifted` is the instruction that shifts: `builder.shl` or `builder.lshr`. A line
    has six discs at most: one, one more, and twice the pairs that follow these two.
    """
    one, two = _words(_SHIFTS), _words([2 * shift for shift in _SHIFTS])
    through = builder.and_(other, _words(_INSIDE))
    line = builder.and_(through, shifted(start, one))
    line = builder.or_(line, builder.and_(through, shifted(line, one)))
    pairs = builder.and_(through, shifted(through, one))
    for _ in range(2):
        line = builder.or_(line, builder.and_(pairs, shifted(line, two)))
    return line, shifted(line, one)


@intrinsic
def _ends(typingctx, own, other):
    """Return the squares behind or inside the lines of `other` that follow `own`."""

    def codegen(context, builder, signature, args):
        start, others = (_repeated(builder, word) for word in args)
        _, above = _lines(builder, builder.shl, start, others)
        _, below = _lines(builder, builder.lshr, start, others)
        return _united(builder, builder.or_(above, below))

    return types.uint64(types.uint64, types.uint64), codegen


@intrinsic
def _flanked(typingctx, disc, own, other):
    """Return the lines of `other` from a single disc to another disc of `own`."""

    def codegen(context, builder, signature, args):
        start, owned, others = (_repeated(builder, word) for word in args)
        nothing = _words([0] * len(_SHIFTS))
        flanked = []
        for shifted in (builder.shl, builder.lshr):
            line, moved_on = _lines(builder, shifted, start, others)
            ends = builder.and_(moved_on, owned)
            is_flanked = builder.icmp_unsigned("!=", ends, nothing)
            flanked.append(builder.select(is_flanked, line, nothing))
        return _united(builder, builder.or_(*flanked))

    return types.uint64(types.uint64, types.uint64, types.uint64), codegen


@njit
def capturing(own, other):
    """Return the empty squares on which a disc of `own` captures at least one."""
    return _ends(own, other) & ~(own | other)


@njit
def captured(disc, own, other):
    """Return the discs of `other` that a new disc of `own`, a single bit, captures."""
    return _flanked(disc, own, other)


@njit
def beside(discs):
    """Return these squares and those that touch one of them."""
    wide = discs | (discs << ONE) & NOT_LEFT | (discs >> ONE) & NOT_RIGHT
    return wide | wide << COLUMN_STEP | wide >> COLUMN_STEP
