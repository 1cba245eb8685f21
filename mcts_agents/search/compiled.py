"""The kernel and the plug-ins, compiled once per process or found in the cache."""

import numpy as np
from numba import from_dtype

from mcts_agents.model.addresses import as_pointer, compiled_address
from mcts_agents.model.compilation import compile_module
from mcts_agents.search import arithmetic, backups, kernel, leaf_values, reuse, tree
from mcts_agents.search.records import JOINT, PLUG_IN, POOL, SEARCH
from mcts_agents.search.tree_policies import (
    exp3,
    extended,
    regret_matching,
    ucb1,
    uniform,
)

_SOURCE = """
@njit(int64(intp, int64, int64), cache=CACHE, nogil=True)
def run_slice(search, iterations, call_limit):
    return kernel_run_slice(
        carray(as_pointer(search), 1, SEARCH)[0], iterations, call_limit
    )

@njit(int64(intp, int64), cache=CACHE, nogil=True)
def run_playouts(search, count):
    return kernel_run_playouts(carray(as_pointer(search), 1, SEARCH)[0], count)

@njit(int64(intp, int64), cache=CACHE, nogil=True)
def run_random_games(search, count):
    return kernel_run_random_games(carray(as_pointer(search), 1, SEARCH)[0], count)

@njit(int64(FLOATS), cache=CACHE)
def fill_logs(table):
    return kernel_fill_logs(table)

@njit(int64(intp, int64, ACTIONS), cache=CACHE)
def link_of_joint(search, node, actions):
    return kernel_link_of_joint(
        carray(as_pointer(search), 1, SEARCH)[0], node, actions
    )

@njit(int64(JOINTS, JOINTS), cache=CACHE)
def rehash(old, new):
    return kernel_rehash(old, new)

@njit(int64(POOLS, POOLS), cache=CACHE)
def rehash_pools(old, new):
    return kernel_rehash_pools(old, new)

@njit(int64(intp, intp, LINKS, LINKS, ACTIONS), cache=CACHE)
def keep_subtrees(old, new, roots, order, remap):
    return kernel_keep_subtrees(
        carray(as_pointer(old), 1, SEARCH)[0],
        carray(as_pointer(new), 1, SEARCH)[0],
        roots,
        order,
        remap,
    )
"""
_PLUG_IN_SOURCE = """
@njit(PLUG_IN, cache=CACHE)
def call_{name}(view, settings, rng):
    return plug_in_{name}(view, settings, rng)
"""
_PLUG_INS = {
    "ucb1": ucb1.ucb1,
    "ucb1_extended": extended.ucb1_extended,
    "ucb_tuned": extended.ucb_tuned,
    "alphago": extended.alphago,
    "exp3": exp3.exp3,
    "exp3_update": exp3.exp3_update,
    "exp3_boltzmann": exp3.exp3_boltzmann,
    "regret_matching": regret_matching.regret_matching,
    "regret_matching_update": regret_matching.regret_matching_update,
    "uniform": uniform.uniform,
    "epsilon_greedy": uniform.epsilon_greedy,
    "win": leaf_values.win,
    "score": leaf_values.score,
    "leader": leaf_values.leader,
    "evaluate": leaf_values.evaluate,
    "lambda": backups.lambda_return,
    "max_lambda": backups.max_lambda,
    "max_mc": backups.max_mc,
}


class Compiled:
    """The compiled functions, and the addresses of the plug-ins."""

    def __init__(self):
        namespace = {
            "SEARCH": SEARCH,
            "as_pointer": as_pointer,
            "FLOATS": from_dtype(np.dtype(np.float64))[::1],
            "JOINTS": from_dtype(JOINT)[::1],
            "POOLS": from_dtype(POOL)[::1],
            "ACTIONS": from_dtype(np.dtype(np.int32))[::1],
            "LINKS": from_dtype(np.dtype(np.int64))[::1],
            "PLUG_IN": PLUG_IN,
            "kernel_run_slice": kernel.run_slice,
            "kernel_run_playouts": kernel.run_playouts,
            "kernel_run_random_games": kernel.run_random_games,
            "kernel_fill_logs": arithmetic.fill_square_root_logs,
            "kernel_rehash": tree.rehash,
            "kernel_rehash_pools": tree.rehash_pools,
            "kernel_link_of_joint": tree.link_of_joint,
            "kernel_keep_subtrees": reuse.keep_subtrees,
        }
        source = _SOURCE
        for name, function in _PLUG_INS.items():
            namespace[f"plug_in_{name}"] = function
            source += _PLUG_IN_SOURCE.format(name=name)
        roots = [value for value in namespace.values() if hasattr(value, "py_func")]
        module = compile_module("search_kernel", source, namespace, roots)
        self.run_slice = module.run_slice
        self.run_playouts = module.run_playouts
        self.run_random_games = module.run_random_games
        self.rehash = module.rehash
        self.rehash_pools = module.rehash_pools
        self.link_of_joint = module.link_of_joint
        self.keep_subtrees = module.keep_subtrees
        self.plug_ins = {
            name: compiled_address(getattr(module, f"call_{name}"), PLUG_IN)
            for name in _PLUG_INS
        }
        self.square_root_logs = np.empty(arithmetic.LOG_TABLE_SIZE)
        module.fill_logs(self.square_root_logs)


_compiled: Compiled | None = None


def compiled() -> Compiled:
    """Compile or load the kernel on first use."""
    global _compiled
    if _compiled is None:
        _compiled = Compiled()
    return _compiled


def compiled_plug_in(function) -> int:
    """Compile a user's plug-in, `(view, settings, rng) -> int64`; return its address.

    Raises:
        TypeError: It is not a function compiled with `numba.njit`, or does not compile
            for three addresses (`numba.intp`).
    """
    if not hasattr(function, "py_func"):
        raise TypeError(
            f"{function!r}: decorate a tree policy with numba.njit; it is called with "
            "the addresses of DECISION, SETTINGS and a generator, and returns an edge"
        )
    function.compile(PLUG_IN)
    return compiled_address(function, PLUG_IN)
