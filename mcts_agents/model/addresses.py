"""Addresses, and what compiled code sees at them.

States, variants and random generators travel through the search as plain addresses
(`intp`), so that one compiled loop serves every game. A game's functions see records
and arrays instead; the views below cost nothing once compiled.
"""

import numpy as np
from numba import carray, njit, types
from numba.core import cgutils
from numba.extending import intrinsic


@intrinsic
def as_pointer(typingctx, address):
    """Turn an `intp` address into the `void*` that `numba.carray` accepts."""

    def codegen(context, builder, signature, args):
        return builder.inttoptr(args[0], cgutils.voidptr_t)

    return types.voidptr(types.intp), codegen


def first_class(signature):
    """Make a compiled loader of first-class functions of one `signature`.

    Passing a compiled function as an argument makes Numba look up its address in
    Python on every call (24 microseconds a function, measured), which a search that
    returns to Python every millisecond cannot afford. The loader builds the same
    first-class function value from two addresses kept in a table: of a C callback and
    of a compiled function, one of which is 0. Calling the value is then Numba's own
    business, exceptions included.

    The loader takes the address in the table at which these two lie.
    """
    function_type = types.FunctionType(signature)

    @intrinsic
    def load(typingctx, address):
        def codegen(context, builder, _signature, args):
            word = context.get_value_type(types.intp)
            pair = builder.inttoptr(args[0], word.as_pointer())
            value = cgutils.create_struct_proxy(function_type)(context, builder)
            for place, field in enumerate(("c_addr", "jit_addr")):
                at = builder.gep(pair, [context.get_constant(types.intp, place)])
                found = builder.inttoptr(builder.load(at), cgutils.voidptr_t)
                setattr(value, field, found)
            value.py_addr = cgutils.get_null_value(cgutils.voidptr_t)
            return value._getvalue()

        return function_type(types.intp), codegen

    return load


# Bytes from one function of a table to the next.
ROW_BYTES = 16


@intrinsic
def stack_int32(typingctx, length):
    """Reserve `length` (a literal) int32 on the stack of the calling function.

    For scratch space inside functions that are called millions of times a second,
    where `numpy.empty` costs as much as a move. Never return a view of it.
    """
    if not isinstance(length, types.IntegerLiteral):
        return None
    count = length.literal_value

    def codegen(context, builder, signature, args):
        scratch = cgutils.alloca_once(
            builder, context.get_value_type(types.int32), size=count
        )
        return builder.bitcast(scratch, cgutils.voidptr_t)

    return types.voidptr(length), codegen


def compiled_address(dispatcher, signature) -> int:
    """Return the address of `dispatcher` compiled for `signature`."""
    result = dispatcher.get_compile_result(signature)
    return result.library.get_pointer_to_function(result.fndesc.llvm_func_name)


@njit
def float64_at(address, length):
    """View `length` float64 at `address` (no copy)."""
    return carray(as_pointer(address), length, np.float64)


@njit
def int32_at(address, length):
    """View `length` int32 at `address` (no copy)."""
    return carray(as_pointer(address), length, np.int32)


@njit
def int64s_at(address, length):
    """View `length` int64 at `address` (no copy)."""
    return carray(as_pointer(address), length, np.int64)


@njit
def int64_at(address):
    """Read the int64 at `address`."""
    return carray(as_pointer(address), 1, np.int64)[0]
