"""The kernel and the plug-ins, compiled once per version or found in the cache."""

import functools
from collections.abc import Callable
from types import ModuleType
from weakref import WeakKeyDictionary

import numpy as np
from numba import boolean, float64, from_dtype, int64
from numba.core.errors import NumbaError
from numba.core.types import Integer
from numba.extending import overload

from mcts_agents.model.addresses import as_pointer, compiled_address, float64_at
from mcts_agents.model.compilation import compile_module
from mcts_agents.search.kernel import (
    abstraction,
    arithmetic,
    batches,
    fleets,
    iterations,
    priors,
    reuse,
    root_reading,
    tree,
)
from mcts_agents.search.kernel.records import JOINT, PLUG_IN, POOL
from mcts_agents.search.kernel.search_record import SEARCH
from mcts_agents.search.kernel.variants import VARIANTS, variant_of

_RECORD = "carray(as_pointer({}), 1, {})[0]"
# An array whose slices are not counted: that takes longer than reading a short one.
_BARE = "float64_at({0}.ctypes.data, len({0}))"

# Modules of compiled entry points: their sources, and the functions they call. Apart,
# because most searches need few of them, and each takes seconds to compile. Functions
# that reach a constant of `variants` have the name of the variant before theirs.
_KERNEL_SOURCE = """
@njit(int64(intp, int64, int64), cache=CACHE, nogil=True)
def VARIANT_run_slice(search, iterations, call_limit):
    return kernel_VARIANT_run_slice(RECORD(search), iterations, call_limit)
"""
_MODULES = {
    **{
        f"{name}_search": (
            _KERNEL_SOURCE.replace("VARIANT", name),
            {f"{name}_run_slice": (iterations.run_slice, constants)},
        )
        for name, constants in VARIANTS.items()
    },
    "search_tables": (
        """
@njit(int64(FLOATS), cache=CACHE)
def fill_logs(table):
    return kernel_fill_logs(table)

@njit(int64(intp, int64, ACTIONS), cache=CACHE)
def link_of_joint(search, node, actions):
    return kernel_link_of_joint(RECORD(search), node, actions)

@njit(int64(JOINTS, JOINTS), cache=CACHE)
def rehash(old, new):
    return kernel_rehash(old, new)

@njit(int64(intp, int64, int64, ACTIONS, LINKS, FLOATS, LINKS), cache=CACHE)
def read_root(search, link, player, actions, visits, values, ranks):
    return kernel_read_root(
        RECORD(search), link, player, actions, visits, values, ranks
    )

@njit(int64(intp, boolean), cache=CACHE)
def begin_decision(search, empty):
    return kernel_begin_decision(RECORD(search), empty)

@njit(int64(intp, int64, int64, ACTIONS, boolean, GENERATOR), cache=CACHE)
def choose_action(search, link, player, actions, by_value, rng):
    return kernel_choose_action(
        RECORD(search), link, player, actions, by_value, rng
    )

@njit(int64(LINKS, LINKS, FLOATS, boolean, LINKS), cache=CACHE)
def list_best(ranks, visits, values, by_value, best):
    return kernel_list_best(ranks, visits, values, by_value, best)
""",
        {
            "fill_logs": arithmetic.fill_square_root_logs,
            "link_of_joint": tree.link_of_joint,
            "rehash": tree.rehash,
            "begin_decision": root_reading.begin_decision,
            "choose_action": root_reading.choose_action,
            "read_root": root_reading.read_root,
            "list_best": root_reading.list_best,
        },
    ),
    "answers": (
        """
@njit(int64(intp, FLOATS, FLOATS), cache=CACHE, nogil=True)
def take_answers(search, values, logits):
    return kernel_take_answers(RECORD(search), BARE(values), BARE(logits))

@njit(int64(intp, float64, float64), cache=CACHE)
def add_root_noise(search, noise, alpha):
    return kernel_add_root_noise(RECORD(search), noise, alpha)
""",
        {"take_answers": batches.take_answers, "add_root_noise": priors.add_root_noise},
    ),
    "fleets": (
        """
@njit(int64(intp, intp, intp, intp, GENERATOR), cache=CACHE)
def begin_search(fleet, member, blank, root_state, rng):
    return kernel_begin_search(
        RECORD(fleet), RECORD(member), blank, root_state, rng
    )

@njit(int64(intp, MEMBERS, int64), cache=CACHE, nogil=True)
def advance_fleet(fleet, members, descents):
    return kernel_advance_fleet(RECORD(fleet), members, descents)

@njit(int64(intp, MEMBERS, FLOATS, FLOATS), cache=CACHE, nogil=True)
def answer_fleet(fleet, members, values, logits):
    return kernel_answer_fleet(RECORD(fleet), members, BARE(values), BARE(logits))
""",
        {
            "begin_search": fleets.begin_search,
            "advance_fleet": fleets.advance_fleet,
            "answer_fleet": fleets.answer_fleet,
        },
    ),
    "random_play": (
        """
@njit(int64(intp, int64), cache=CACHE, nogil=True)
def run_playouts(search, count):
    return kernel_run_playouts(RECORD(search), count)

@njit(int64(intp, int64), cache=CACHE, nogil=True)
def run_random_games(search, count):
    return kernel_run_random_games(RECORD(search), count)
""",
        {
            "run_playouts": iterations.run_playouts,
            "run_random_games": iterations.run_random_games,
        },
    ),
    "tree_reuse": (
        """
@njit(int64(intp, intp, LINKS, LINKS, ACTIONS), cache=CACHE)
def keep_subtrees(old, new, roots, order, remap):
    return kernel_keep_subtrees(RECORD(old), RECORD(new), roots, order, remap)
""",
        {"keep_subtrees": reuse.keep_subtrees},
    ),
    "pools": (
        """
@njit(int64(POOLS, int64, ACTIONS), cache=CACHE)
def enter_pools(pools, count, places):
    return kernel_enter_pools(pools, count, places)

@njit(int64(POOLS, ACTIONS, POOLS, CONTEXTS, LINKS, LINKS), cache=CACHE)
def keep_pools(old, old_places, new, root_contexts, movers, actions):
    return kernel_keep_pools(old, old_places, new, root_contexts, movers, actions)
""",
        {
            "enter_pools": abstraction.enter_pools,
            "keep_pools": abstraction.keep_pools,
        },
    ),
}
_PLUG_IN_SOURCE = """
@njit(PLUG_IN, cache=CACHE)
def call(view, settings, rng):
    return as_integer(plug_in(view, settings, rng))
"""


def as_integer(value):
    """Return what a plug-in returned; what is no integer does not compile."""
    raise NotImplementedError("for compiled code only")


@overload(as_integer)
def _as_integer(value):
    if isinstance(value, Integer):
        return lambda value: int64(value)
    return None


class Compiled:
    """The compiled entry points, each module compiled when it is first asked for."""

    def __init__(self):
        self.square_root_logs = np.empty(arithmetic.LOG_TABLE_SIZE)
        self.entry("fill_logs")(self.square_root_logs)
        # Functions come and go: a worker process gets them anew with every game.
        self._plug_ins: WeakKeyDictionary[Callable, int] = WeakKeyDictionary()

    @functools.cache  # noqa: B019 (there is one instance)
    def entry(self, name: str) -> Callable:
        """Return a compiled entry point."""
        for module, (_, functions) in _MODULES.items():
            if name in functions:
                return getattr(self._module(module), name)
        raise ValueError(f"no entry point {name!r}")

    def plug_in(self, name: str, function: Callable) -> int:
        """Return the address of a plug-in, a function of three addresses.

        Args:
            name: What is shown while it compiles.
            function: Compiled with `numba.njit`.

        Raises:
            TypeError: It does not compile for three addresses (`numba.intp`), or does
                not return an integer.
        """
        if function not in self._plug_ins:
            self._plug_ins[function] = self._compiled_plug_in(name, function)
        return self._plug_ins[function]

    def _compiled_plug_in(self, name: str, function: Callable) -> int:
        namespace = {
            "PLUG_IN": PLUG_IN,
            "plug_in": function,
            "as_integer": as_integer,
        }
        roots = [function, as_integer]
        try:
            module = compile_module(
                f"plug_in_{name}", _PLUG_IN_SOURCE, namespace, roots
            )
            return compiled_address(module.call, PLUG_IN)
        except NumbaError as error:
            raise TypeError(
                f"{name}: expected a compiled function of three addresses (numba.intp) "
                f"that returns an integer; Numba says: {error}"
            ) from error

    @functools.cache  # noqa: B019
    def _module(self, name: str) -> ModuleType:
        source, named = _MODULES[name]
        functions = {
            entry: f if callable(f) else variant_of(*f) for entry, f in named.items()
        }
        for array in ("values", "logits"):
            source = source.replace(f"BARE({array})", _BARE.format(array))
        for record in ("search", "old", "new", "fleet", "member"):
            kind = record.upper() if record in ("fleet", "member") else "SEARCH"
            source = source.replace(f"RECORD({record})", _RECORD.format(record, kind))
        namespace = {
            "SEARCH": SEARCH,
            "FLEET": fleets.FLEET,
            "MEMBER": fleets.MEMBER,
            "MEMBERS": from_dtype(fleets.MEMBER)[::1],
            "float64": float64,
            "boolean": boolean,
            "as_pointer": as_pointer,
            "float64_at": float64_at,
            "FLOATS": from_dtype(np.dtype(np.float64))[::1],
            "JOINTS": from_dtype(JOINT)[::1],
            "POOLS": from_dtype(POOL)[::1],
            "ACTIONS": from_dtype(np.dtype(np.int32))[::1],
            "LINKS": from_dtype(np.dtype(np.int64))[::1],
            "GENERATOR": from_dtype(np.dtype(np.uint64))[::1],
            "CONTEXTS": from_dtype(np.dtype(np.uint64))[::1],
            **{f"kernel_{entry}": f for entry, f in functions.items()},
        }
        roots = list(functions.values())
        roots += [as_pointer, float64_at]
        return compile_module(name, source, namespace, roots)


@functools.cache
def compiled() -> Compiled:
    """Return the compiled functions, the kernel compiled or loaded on first use."""
    return Compiled()
