"""Agents and plain Python functions inside a compiled search.

Each becomes a C callback of the signature that the kernel expects in its place. An
exception, Ctrl-C included, is caught in the callback, ends the search by the model's
error flag, and is raised again by `raise_pending`. After each call the search looks at
its clock. Modelled players get a copy of the state that holds only what they may know.
"""

import ctypes
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np

from mcts_agents.model import ForwardModel, clock, draw_uint64
from mcts_agents.model.actions import as_action
from mcts_agents.model.contract import ENTRIES, POLICY
from mcts_agents.model.copying.guards import noted_signals
from mcts_agents.search.kernel.records import LEAF


class Callbacks:
    """The callbacks of one search, and the exception that one of them caught.

    Args:
        model: The game.
        error: int64 of shape (1,): 1 once a callback has caught an exception.
    """

    def __init__(self, model: ForwardModel, error: np.ndarray):
        self.model = model
        self.used = False
        self._error = error
        self._agents: list[Any] = []
        self._kept: list[Any] = []  # ctypes forgets a callback that nobody holds
        self._pending: BaseException | None = None

    def raise_pending(self) -> None:
        """Raise what a callback caught, as itself; nothing if it caught nothing."""
        pending, self._pending = self._pending, None
        if pending is not None:
            self._error[0] = 0
            raise pending

    def signals(self) -> AbstractContextManager[None]:
        """Keep what signals raise at the entry of a callback, while a search runs."""
        if not self.used:
            return nullcontext()
        return noted_signals(self._note, self._guarded(int).__code__)

    def _note(self, error: BaseException) -> None:
        """Keep the first exception, and tell compiled code to stop."""
        if self._pending is None:
            self._pending = error
        self._error[0] = 1
        clock.end()

    def seed(self, rng: np.ndarray) -> None:
        """Start the modelled agents' generators anew, from the search's."""
        for agent in self._agents:
            agent.reset(draw_uint64(rng))

    def policy(self, agent: Any) -> int:
        """Return the address of a policy: an agent, or (model, state, player)."""
        decide = getattr(agent, "decide", agent)
        if hasattr(agent, "reset") and agent not in self._agents:
            self._agents.append(agent)

        def act(game, state, player, memory, rng):
            view = self._copy(state)
            generator = _array(rng, 2, np.uint64)
            self.model.redeterminise(view, player, generator)
            legal = self.model.legal_actions(view, player)  # it may change its view
            chosen = decide(self.model, view, player)
            action = as_action(chosen)
            if action is None or action not in legal:
                told = repr(chosen) if action is None else action
                raise ValueError(
                    f"{agent!r} chose action {told} for player {player} of "
                    f"{self.model.name}; legal: {legal.tolist()}"
                )
            return action

        return self._address(act, len(POLICY.parameters))

    def leaf_value(self, function: Callable[..., Any]) -> int:
        """Return the address of a leaf heuristic `(model, state) -> values`."""

        def value(view, settings, rng):
            leaf = _array(view, 1, LEAF)[0]
            values = np.asarray(
                function(self.model, self._copy(int(leaf["state"]))), np.float64
            )
            if self.model.players == 1 and values.shape == ():
                values = values.reshape(1)
            if values.shape != (self.model.players,) or not np.isfinite(values).all():
                raise ValueError(
                    f"the leaf heuristic {function!r} returned {values!r}; expected "
                    f"{self.model.players} finite numbers, one for each player"
                )
            _array(int(leaf["out"]), self.model.players, np.float64)[:] = values
            return 0

        return self._address(value, 3)

    def action_values(self, function: Callable[..., Any]) -> int:
        """Return the address of `(model, state, player, actions) -> values`."""

        def values(game, state, player, actions, n, out):
            legal = _array(actions, n, np.int32).copy()
            view = self._copy(state)
            found = np.asarray(function(self.model, view, player, legal), np.float64)
            if found.shape != (n,) or not np.isfinite(found).all():
                raise ValueError(
                    f"the action heuristic {function!r} returned {found!r}; expected "
                    f"{n} finite numbers, one for each action"
                )
            _array(out, n, np.float64)[:] = found
            return 0

        return self._address(values, len(ENTRIES["action_values"].parameters))

    def _copy(self, address: int) -> np.ndarray:
        """Return a copy of the state at an address."""
        return self.model.copy(_array(address, self.model.state_size, np.uint8))

    def _address(self, function: Callable[..., int], parameters: int) -> int:
        kinds = [ctypes.c_int64] * parameters
        callback = ctypes.CFUNCTYPE(ctypes.c_int64, *kinds)(self._guarded(function))
        self._kept.append(callback)
        self.used = True
        return ctypes.cast(callback, ctypes.c_void_p).value

    def _guarded(self, function: Callable[..., int]) -> Callable[..., int]:
        """Wrap a function for compiled code, which knows no exceptions of Python."""

        def guarded(*arguments: int) -> int:
            if self._pending is not None:
                return -1
            try:
                answer = function(*arguments)
                clock.look()
                return answer
            except BaseException as error:
                self._note(error)
                return -1

        return guarded


def _array(address: int, length: int, dtype: Any) -> np.ndarray:
    """View an array at an address."""
    size = np.dtype(dtype).itemsize * length
    return np.frombuffer((ctypes.c_uint8 * size).from_address(address), dtype)
