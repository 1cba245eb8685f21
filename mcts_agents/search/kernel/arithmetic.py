"""Logarithms and exponentials from exact operations only, alike on every machine.

The platform's functions differ in their last bit from one library to another, and one
bit is enough for another decision. Additions, multiplications, divisions and square
roots are exact to the last bit everywhere (IEEE 754).
"""

import math

import numpy as np
from numba import njit, types
from numba.extending import intrinsic

# sqrt(ln N) is looked up for N below this and computed above.
LOG_TABLE_SIZE = 1 << 14
LN_2 = 0.6931471805599453
# ln 2 in two parts; the first has so few bits that its small multiples are exact.
LN_2_HIGH = 0.693147180369123816490
LN_2_LOW = 1.90821492927058770002e-10
INVERSE_LN_2 = 1.4426950408889634
# e**x is the sum of x**k times these.
TAYLOR = tuple(1.0 / math.factorial(k) for k in range(14))


@njit
def natural_log(x):
    """Return ln x for x >= 1, relative error below 1e-15; NaN and inf are returned."""
    if not x < np.inf:  # halving would not end
        return x
    halvings = 0
    while x > 1.5:
        x *= 0.5
        halvings += 1
    # ln x = 2 artanh((x - 1) / (x + 1)), |argument| <= 1/5 for x in (0.75, 1.5]
    z = (x - 1.0) / (x + 1.0)
    square = z * z
    total = 0.0
    for k in range(25, 0, -2):
        total = total * square + 1.0 / k
    return halvings * LN_2 + 2.0 * z * total


@njit
def fill_square_root_logs(table):
    """Write sqrt(ln N) at each N >= 1, and 0 at 0."""
    table[0] = 0.0
    for n in range(1, len(table)):
        table[n] = np.sqrt(natural_log(float(n)))
    return 0


@njit
def square_root_log(table, n):
    """Return sqrt(ln n) for n >= 1."""
    if n < LOG_TABLE_SIZE:
        return table[n]
    return np.sqrt(natural_log(float(n)))


@intrinsic
def _float_of_bits(typingctx, bits):
    """Take the 64 bits of an int64 for those of a float64."""

    def codegen(context, builder, signature, args):
        return builder.bitcast(args[0], context.get_value_type(types.float64))

    return types.float64(types.int64), codegen


@njit(inline="always")
def exponential(x):
    """Return e**x for x <= 0, relative error below 1e-15; 0 below -700; NaN for NaN.

    There is no branch and no division, so that a loop over an array computes several at
    a time.
    """
    inside = min(max(x, -700.0), 0.0)
    halvings = np.int64(np.int32(0.5 - inside * INVERSE_LN_2))
    # |rest| <= ln(2) / 2
    rest = (inside + halvings * LN_2_HIGH) + halvings * LN_2_LOW
    total = TAYLOR[13]
    for k in range(12, -1, -1):
        total = total * rest + TAYLOR[k]
    total *= _float_of_bits((1023 - halvings) << 52)  # 2**-halvings, exactly
    if x >= -700.0:
        return total
    return 0.0 if x < -700.0 else x


@njit(inline="always")
def share_out(weights, n, temperature):
    """Turn the first n values into probabilities, in place.

    Their softmax of this temperature; for 0 their positive parts, normalised (even
    shares if there are none).
    """
    most = -np.inf
    for i in range(n):
        most = max(most, weights[i])
    total = 0.0
    for i in range(n):
        if temperature > 0.0:
            weights[i] = exponential((weights[i] - most) / temperature)
        else:
            weights[i] = max(weights[i], 0.0)
    for i in range(n):
        total += weights[i]
    for i in range(n):
        weights[i] = weights[i] / total if total > 0.0 else 1.0 / n
