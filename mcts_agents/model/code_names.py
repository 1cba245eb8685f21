"""The names that compiled Python code uses."""

import functools
from types import CodeType


@functools.cache
def names_in(code: CodeType) -> frozenset[str]:
    """Return the global and attribute names in some code and the code inside it."""
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            names |= names_in(constant)
    return frozenset(names)
