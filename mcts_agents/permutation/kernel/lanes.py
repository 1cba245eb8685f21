"""The greatest of 64 numbers in a few steps, which no loop over an array becomes."""

import llvmlite.ir
import numpy as np
from numba import types
from numba.extending import intrinsic

_LANES = 64


def _numbers(first, count):
    """Build a constant vector of numbers that follow each other."""
    kind = llvmlite.ir.VectorType(llvmlite.ir.IntType(32), count)
    return llvmlite.ir.Constant(kind, list(range(first, first + count)))


@intrinsic
def greatest_where(typingctx, address, bits):
    """Return the greatest of those of 64 float64 at an address whose bits are set.

    None of them is NaN. Without a bit that is set it is minus infinity.
    """

    def codegen(context, builder, signature, args):
        number = llvmlite.ir.DoubleType()
        lanes = llvmlite.ir.VectorType(number, _LANES)
        flags = llvmlite.ir.VectorType(llvmlite.ir.IntType(1), _LANES)
        numbers = builder.load(builder.inttoptr(args[0], lanes.as_pointer()), align=8)
        least = llvmlite.ir.Constant(lanes, [number(-np.inf)] * _LANES)
        greatest = builder.select(builder.bitcast(args[1], flags), numbers, least)
        width = _LANES
        while width > 1:  # the greater ones of two halves
            width //= 2
            low, high = (
                builder.shuffle_vector(greatest, greatest, _numbers(first, width))
                for first in (0, width)
            )
            is_greater = builder.fcmp_ordered(">", low, high, flags=("nnan", "nsz"))
            greatest = builder.select(is_greater, low, high)
        return builder.extract_element(greatest, llvmlite.ir.IntType(32)(0))

    return types.float64(types.intp, types.uint64), codegen
