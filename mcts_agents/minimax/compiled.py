"""The entry points of the minimax searches, compiled once or found in the cache."""

import functools
from types import ModuleType

from numba import int64

from mcts_agents.minimax.kernel import max_n, two_sided
from mcts_agents.minimax.kernel.records import MINIMAX
from mcts_agents.model.addresses import as_pointer
from mcts_agents.model.compilation import compile_module

_SOURCE = """
@njit(int64(intp, int64), cache=CACHE)
def begin(search, depth):
    return kernel_begin(carray(as_pointer(search), 1, MINIMAX)[0], depth)

@njit(int64(intp, int64), cache=CACHE, nogil=True)
def run_slice(search, nodes):
    return kernel_run_slice(carray(as_pointer(search), 1, MINIMAX)[0], nodes)
"""
_SEARCHES = {"two_sided": two_sided, "max_n": max_n}


@functools.cache
def compiled(name: str) -> ModuleType:
    """Return the module of `two_sided` or `max_n`: `begin` and `run_slice`."""
    kernel = _SEARCHES[name]
    functions = {"kernel_begin": kernel.begin, "kernel_run_slice": kernel.run_slice}
    namespace = {
        **functions,
        "MINIMAX": MINIMAX,
        "as_pointer": as_pointer,
        "int64": int64,
    }
    roots = [*functions.values(), as_pointer]
    return compile_module(f"minimax_{name}", _SOURCE, namespace, roots)
