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

from mcts_agents.model.addresses import (
    ROW_BYTES,
    as_pointer,
    first_class,
    stack_int32,
)
from mcts_agents.model.compilation import compile_module
from mcts_agents.model.contract import ENTRIES, HEADER, MAX_PLAYERS, ROW
from mcts_agents.model.forward_model import ForwardModel

# Places in the exchange, an array that Python and compiled code share.
TABLE, VARIANT, GENERATOR, LEGAL, WANTED, HAS_NEWS, FIRST_ACTION = range(7)

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
def _address(array):
    return np.intp(array.ctypes.data)


@njit
def movers_of(table, game, state):
    """Return the bit mask of the players who decide."""
    function = _load_movers(table + ROW_BYTES * _MOVERS)
    return function(game, state)


@njit
def list_legal(table, game, state, player, legal):
    """Write a player's legal actions; return their number."""
    function = _load_legal_actions(table + ROW_BYTES * _LEGAL_ACTIONS)
    n = function(game, state, player, _address(legal))
    if n < 1 or n > len(legal):
        raise RuntimeError("a player who moves has no legal action, or too many")
    return n


@njit
def is_legal(table, game, state, player, action, legal):
    """Whether an action is legal."""
    n = list_legal(table, game, state, player, legal)
    for i in range(n):
        if legal[i] == action:
            return True
    return False


@njit
def observe_all(exchange, state, seen):
    """Write what each wanted player sees, and may do; return who decides, a mask.

    Args:
        exchange: See `Stepper`.
        state: The state, uint8, (state_size,).
        seen: Where it goes, int8: for each player its observation, then its mask.
    """
    table, game, wanted = exchange[TABLE], exchange[VARIANT], exchange[WANTED]
    at = _address(state)
    sizes = carray(as_pointer(game), 1, SIZES)[0]
    legal = carray(as_pointer(exchange[LEGAL]), sizes.legal_limit, np.int32)
    movers = movers_of(table, game, at)
    observe = _load_observe(table + ROW_BYTES * _OBSERVE)
    each = sizes.observation_size + sizes.actions
    seen[:] = 0
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
def step_all(exchange, before, after, seen):
    """Let all movers act at once, and see what comes of it.

    Args:
        exchange: See `Stepper`; it has the joint action, and gets the results.
        before: The state, uint8, (state_size,); not changed.
        after: Where the next one goes.
        seen: Where it goes, int8: for each player its observation, then its mask.

    Returns:
        The mask of who decides next; or -1 - player for the first player whose action
        is not legal, and then nothing has changed.
    """
    table, game = exchange[TABLE], exchange[VARIANT]
    sizes = carray(as_pointer(game), 1, SIZES)[0]
    legal = carray(as_pointer(exchange[LEGAL]), sizes.legal_limit, np.int32)
    joint_action = carray(stack_int32(MAX_PLAYERS), sizes.players, np.int32)
    results = carray(stack_int32(MAX_PLAYERS), sizes.players, np.int32)
    movers = movers_of(table, game, _address(before))
    for player in range(sizes.players):
        if movers >> player & 1 == 0:
            exchange[FIRST_ACTION + player] = -1
        action = exchange[FIRST_ACTION + player]
        if movers >> player & 1 and not is_legal(
            table, game, _address(before), player, action, legal
        ):
            return -1 - player
        joint_action[player] = action
    after[:] = before
    apply = _load_apply(table + ROW_BYTES * _APPLY)
    apply(game, _address(after), _address(joint_action), exchange[GENERATOR])
    write_results = _load_results(table + ROW_BYTES * _RESULTS)
    write_results(game, _address(after), _address(results))
    at = FIRST_ACTION + sizes.players
    exchange[HAS_NEWS] = 0
    for player in range(sizes.players):
        if exchange[at + player] != results[player]:
            exchange[at + player] = results[player]
            exchange[HAS_NEWS] = 1
    return observe_all(exchange, after, seen)


_SOURCE = """
@njit(int64(EXCHANGE, BYTES, MAP), cache=CACHE)
def observe_all(exchange, state, seen):
    return kernel_observe_all(exchange, state, seen)

@njit(int64(EXCHANGE, BYTES, BYTES, MAP), cache=CACHE)
def step_all(exchange, before, after, seen):
    return kernel_step_all(exchange, before, after, seen)
"""


@functools.cache
def _compiled() -> tuple[Callable[..., int], Callable[..., int]]:
    namespace = {
        "BYTES": from_dtype(np.dtype(np.uint8))[::1],
        "EXCHANGE": from_dtype(np.dtype(np.int64))[::1],
        "MAP": from_dtype(np.dtype(np.int8))[::1],
        "kernel_observe_all": observe_all,
        "kernel_step_all": step_all,
    }
    module = compile_module("environment_steps", _SOURCE, namespace, [step_all])
    return module.observe_all, module.step_all


class Stepper:
    """The two calls above for one model and one generator.

    All that does not change from step to step is on one array, since each argument of
    a compiled call takes as long as some of what it does.

    Args:
        model: A model of compiled rules that has `observe`.
        rng: The game's generator, uint64, (2,), advanced in place.

    Attributes:
        exchange: int64: addresses, whose observations are wanted (a mask, at
            `WANTED`), one action a player (from `FIRST_ACTION`), one result a player,
            and whether one of these has changed in the last step (at `HAS_NEWS`).
        observe_all: See the function, without its first argument.
        step_all: See the function, without its first argument.
    """

    def __init__(self, model: ForwardModel, rng: np.ndarray):
        legal = np.empty(model.legal_room, np.int32)
        self._kept = (model, rng, legal)  # what addresses on the exchange lead to
        self.exchange = np.full(FIRST_ACTION + 2 * model.players, -1, np.int64)
        self.exchange[TABLE] = model.table_address
        self.exchange[VARIANT] = model.game_address
        self.exchange[GENERATOR] = rng.ctypes.data
        self.exchange[LEGAL] = legal.ctypes.data
        self.exchange[WANTED] = 0
        observe_all, step_all = _compiled()
        self.observe_all = functools.partial(observe_all, self.exchange)
        self.step_all = functools.partial(step_all, self.exchange)
