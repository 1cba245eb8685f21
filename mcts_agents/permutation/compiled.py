"""The entry points of searches by permutation statistics, compiled once or cached."""

import functools
from types import ModuleType

from numba import int64

from mcts_agents.model import calls as call
from mcts_agents.model.addresses import as_pointer
from mcts_agents.model.compilation import compile_module
from mcts_agents.permutation.kernel.positions import enter_all
from mcts_agents.permutation.kernel.records import PERMUTATION
from mcts_agents.permutation.kernel.slices import begin, run_slice

_SOURCE = """
@njit(int64(intp), cache=CACHE)
def begin(search):
    return kernel_begin(carray(as_pointer(search), 1, PERMUTATION)[0])

@njit(int64(intp, int64), cache=CACHE, nogil=True)
def run_slice(search, iterations):
    return kernel_run_slice(carray(as_pointer(search), 1, PERMUTATION)[0], iterations)

@njit(int64(intp, intp), cache=CACHE)
def playout_moves(search, out):
    record = carray(as_pointer(search), 1, PERMUTATION)[0]
    return kernel_playout_moves(record, record.rollout, record.code_kind, out)

@njit(int64(intp), cache=CACHE)
def enter_all(search):
    kernel_enter_all(carray(as_pointer(search), 1, PERMUTATION)[0])
    return 0
"""


@functools.cache
def compiled() -> ModuleType:
    """Return the module of `begin`, `run_slice`, `playout_moves` and `enter_all`."""
    functions = {
        "kernel_begin": begin,
        "kernel_run_slice": run_slice,
        "kernel_playout_moves": call.playout_moves,
        "kernel_enter_all": enter_all,
    }
    namespace = {
        **functions,
        "PERMUTATION": PERMUTATION,
        "as_pointer": as_pointer,
        "int64": int64,
    }
    roots = [*functions.values(), as_pointer]
    return compile_module("permutation_search", _SOURCE, namespace, roots)
