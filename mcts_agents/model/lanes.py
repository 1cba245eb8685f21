"""Four `uint64` side by side, on which the processor works at once.

Numba puts words side by side by itself only in loops over long arrays. Here they are
values of a type of their own, which compiled functions keep in registers and pass to
one another; on a processor without such registers the compiler does it in parts.
"""

import llvmlite.ir
from numba import types
from numba.extending import intrinsic, models, register_model

LANES = 4
_WORD = llvmlite.ir.IntType(64)
_VECTOR = llvmlite.ir.VectorType(_WORD, LANES)


class FourWords(types.Type):
    """Numba's type of four words."""

    def __init__(self):
        super().__init__(name="FourWords")


four_words = FourWords()


@register_model(FourWords)
class _FourWordsModel(models.PrimitiveModel):
    """How the compiler holds four words: as one vector."""

    def __init__(self, manager, kind):
        super().__init__(manager, kind, _VECTOR)


@intrinsic
def four_at(typingctx, array):
    """Return the first four words of an array of `uint64`."""

    def codegen(context, builder, signature, args):
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        return builder.load(builder.bitcast(data, _VECTOR.as_pointer()), align=8)

    return four_words(array), codegen


@intrinsic
def four_of(typingctx, word):
    """Return a `uint64` four times."""

    def codegen(context, builder, signature, args):
        first = llvmlite.ir.Constant(llvmlite.ir.IntType(32), 0)
        alone = builder.insert_element(
            llvmlite.ir.Constant(_VECTOR, llvmlite.ir.Undefined), args[0], first
        )
        places = llvmlite.ir.Constant(
            llvmlite.ir.VectorType(llvmlite.ir.IntType(32), LANES), [0] * LANES
        )
        return builder.shuffle_vector(alone, alone, places)

    return four_words(types.uint64), codegen


@intrinsic
def both(typingctx, first, second):
    """Return the bits that are set in both."""

    def codegen(context, builder, signature, args):
        return builder.and_(*args)

    return four_words(four_words, four_words), codegen


@intrinsic
def either(typingctx, first, second):
    """Return the bits that are set in one of the two or in both."""

    def codegen(context, builder, signature, args):
        return builder.or_(*args)

    return four_words(four_words, four_words), codegen


@intrinsic
def moved_down(typingctx, words, following, steps):
    """Return the bits of `words` so many places lower, 1 to 63, one number for each.

    The bits of `following`, which lie above those of `words`, come down after them.
    """

    def codegen(context, builder, signature, args):
        words, following, steps = args
        width = llvmlite.ir.Constant(_VECTOR, [64] * LANES)
        above = builder.shl(following, builder.sub(width, steps))
        return builder.or_(builder.lshr(words, steps), above)

    return four_words(four_words, four_words, four_words), codegen


@intrinsic
def any_bit(typingctx, words):
    """Return whether any bit of four words is set."""

    def codegen(context, builder, signature, args):
        whole = builder.bitcast(args[0], llvmlite.ir.IntType(64 * LANES))
        return builder.icmp_unsigned("!=", whole, whole.type(0))

    return types.boolean(four_words), codegen
