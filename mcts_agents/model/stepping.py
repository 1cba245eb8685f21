"""One step of an environment in one compiled call, for any game.

What takes time in a Python environment is not the game but the way there: a call of the
table costs more than a step of Pommerman, and an environment makes a dozen of them for
its four players. So checking the actions, applying them, results, observations and
masks are one call here (measured on Pommerman: benchmarks/environment_steps.py).
"""

import functools
from collections.abc import Callable

import numpy as np
from numba import carray, from_dtype, njit

from mcts_agents.model.addresses import as_pointer, first_class
from mcts_agents.model.compilation import compile_module
from mcts_agents.model.contract import ENTRIES, HEADER, ROW

# The head of every variant's record.
SIZES = np.dtype(HEADER, align=True)

_MOVERS, _LEGAL_ACTIONS = ROW["movers"], ROW["legal_actions"]
_APPLY, _RESULTS, _OBSERVE = ROW["apply"], ROW["results"], ROW["observe"]
_load_movers = first_class(ENTRIES["movers"].signature)
_load_legal_actions = first_class(ENTRIES["legal_actions"].signature)
_load_apply = first_class(ENTRIES["apply"].signature)
_load_results = first_class(ENTRIES["results"].signature)
_load_observe = first_class(ENTRIES["observe"].signature)


@njit
def _row(table, row):
    """Return the two addresses of one function."""
    return carray(as_pointer(table + 16 * row), 2, np.intp)


@njit
def _address(array):
    return np.intp(array.ctypes.data)


@njit
def movers_of(table, game, state):
    """Return the bit mask of the players who decide."""
    row = _row(table, _MOVERS)
    function = _load_movers(row[0], row[1])
    return function(game, state)


@njit
def list_legal(table, game, state, player, legal):
    """Write a player's legal actions; return their number."""
    row = _row(table, _LEGAL_ACTIONS)
    function = _load_legal_actions(row[0], row[1])
    return function(game, state, player, _address(legal))


@njit
def is_legal(table, game, state, player, action, legal):
    """Whether an action is legal."""
    n = list_legal(table, game, state, player, legal)
    for i in range(n):
        if legal[i] == action:
            return True
    return False


@njit
def observe_all(table, game, state, wanted, seen, legal):
    """Write what each wanted player (a mask) sees, and may do; return the movers.

    Args:
        table: Address of the model's table.
        game: Address of the variant's record.
        state: The state, uint8, (state_size,).
        wanted: Mask of players.
        seen: Zeros, int8: for each player its observation, then its action mask.
        legal: Scratch, int32, (legal_limit,).
    """
    at = _address(state)
    sizes = carray(as_pointer(game), 1, SIZES)[0]
    movers = movers_of(table, game, at)
    row = _row(table, _OBSERVE)
    observe = _load_observe(row[0], row[1])
    each = sizes.observation_size + sizes.actions
    for player in range(sizes.players):
        if wanted >> player & 1 == 0:
            continue
        observe(game, at, player, _address(seen) + player * each)
        if movers >> player & 1:
            mask = player * each + sizes.observation_size
            n = list_legal(table, game, at, player, legal)
            for i in range(n):
                seen[mask + legal[i]] = 1
    return movers


@njit
def step_all(
    table,
    game,
    before,
    after,
    joint_action,
    rng,
    wanted,
    seen,
    results,
    legal,
):
    """Let all movers act at once, and see what comes of it.

    Args:
        table: Address of the model's table.
        game: Address of the variant's record.
        before: The state, uint8, (state_size,); not changed.
        after: Where the next one goes.
        joint_action: One action a player, int32; of players who do not move ignored.
        rng: The game's generator, uint64, (2,).
        wanted: Mask of the players who get an observation.
        seen: Zeros, int8: for each player its observation, then its action mask.
        results: Where the results go, int32, (players,).
        legal: Scratch, int32, (legal_limit,).

    Returns:
        The mask of who decides next; or -1 - player for the first player whose action
        is not legal, and then nothing has changed.
    """
    movers = movers_of(table, game, _address(before))
    for player in range(len(results)):
        if movers >> player & 1 == 0:
            joint_action[player] = -1
        elif not is_legal(
            table, game, _address(before), player, joint_action[player], legal
        ):
            return -1 - player
    after[:] = before
    row = _row(table, _APPLY)
    apply = _load_apply(row[0], row[1])
    apply(game, _address(after), _address(joint_action), _address(rng))
    row = _row(table, _RESULTS)
    write_results = _load_results(row[0], row[1])
    write_results(game, _address(after), _address(results))
    return observe_all(table, game, after, wanted, seen, legal)


_SOURCE = """
@njit(int64(intp, intp, BYTES, int64, MAP, INTS), cache=CACHE)
def observe_all(table, game, state, wanted, seen, legal):
    return kernel_observe_all(table, game, state, wanted, seen, legal)

@njit(int64(intp, intp, BYTES, BYTES, INTS, WORDS, int64, MAP, INTS, INTS), cache=CACHE)
def step_all(table, game, before, after, joint, rng, wanted, seen, results, legal):
    return kernel_step_all(
        table, game, before, after, joint, rng, wanted, seen, results, legal
    )
"""


@functools.cache
def stepping() -> tuple[Callable[..., int], Callable[..., int]]:
    """Return `observe_all` and `step_all`, compiled or found in the cache."""
    namespace = {
        "BYTES": from_dtype(np.dtype(np.uint8))[::1],
        "INTS": from_dtype(np.dtype(np.int32))[::1],
        "WORDS": from_dtype(np.dtype(np.uint64))[::1],
        "MAP": from_dtype(np.dtype(np.int8))[::1],
        "kernel_observe_all": observe_all,
        "kernel_step_all": step_all,
    }
    module = compile_module("environment_steps", _SOURCE, namespace, [step_all])
    return module.observe_all, module.step_all
