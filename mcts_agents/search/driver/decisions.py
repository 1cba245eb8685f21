"""`Decisions`: what searches of their own kernel share from a state to a result."""

import math
from abc import ABC, abstractmethod
from dataclasses import replace
from typing import Any

import numpy as np

from mcts_agents.model import ForwardModel, clock
from mcts_agents.search.driver.compiled import compiled
from mcts_agents.search.driver.one_thread import OneThread
from mcts_agents.search.inspection.result import SearchResult
from mcts_agents.search.kernel import plug_ins
from mcts_agents.search.kernel.leaf_values import LEAF_VALUES
from mcts_agents.search.kernel.status import SLICE_DONE

# A slice is made about this long, so that clocks and Ctrl-C are heard.
SLICE_SECONDS = 0.001


class Decisions(ABC):
    """Decisions of a compiled search in one game, with one set of settings.

    Args:
        model: The game.
        settings: What to do; open choices are the game's.

    Attributes:
        model: The game.
        settings: Complete settings.
        record: The search's record, shape (1,), with `stop`, which ends a slice.

    Raises:
        ValueError: Settings that the game cannot serve.
    """

    record: np.ndarray

    def __init__(self, model: ForwardModel, settings: Any):
        self.model = model
        self._given = settings
        self.settings = settings.for_model(model)
        self._one_thread = OneThread()
        # Not while a decision is made: one that was interrupted leaves anything.
        self._whole = False

    def __reduce__(self):
        """Copy and pickle by making a new search: addresses do not travel."""
        return type(self), (self.model, self._given)

    def run(
        self,
        state: np.ndarray,
        player: int,
        rng: np.ndarray,
        *,
        started: float | None = None,
        reserve: float = 0.0,
    ) -> SearchResult:
        """Search from `state` for `player`, who must be one of its movers.

        Args:
            state: The root, not modified; must hold only what `player` may know.
            player: The acting player.
            rng: The generator, advanced.
            started: The time by `clock.now` from which a budget in seconds counts.
            reserve: Seconds before the end of such a budget at which to end.

        Raises:
            ValueError: `player` has no decision to make in `state`, or the search is
                expected to take more than its `memory`.
            RuntimeError: The game contradicts itself, or players decide at once where
                the search does not support it; or this search is running already, in
                another thread or around a callback.
            BaseException: Whatever the game's own functions raise.
        """
        return self._one_thread.call(
            self._refusal, self._run, state, player, rng, started, reserve
        )

    def cancel(self) -> None:
        """End a run in another thread as soon as there is something to choose by."""
        self.record["stop"] = 1

    def _refusal(self) -> str:
        return (
            f"{self.model.name}: this search is running already, in another thread or "
            f"around a callback of its own; use another {type(self).__name__}, or "
            "another agent"
        )

    def _run(self, state, player, rng, started, reserve) -> SearchResult:
        started = clock.now() if started is None else started
        model, settings = self.model, self.settings
        movers = model.movers(state)
        if player not in movers:
            raise ValueError(
                f"{model.name}: player {player} has no decision to make here; the "
                f"movers are {movers}"
            )
        self._check_movers(movers)
        actions = model.legal_actions(state, player)
        considered = self._considered(state, player, actions)
        if len(considered) == 1:
            only = int(considered[0])
            seconds = clock.now() - started
            result = SearchResult(action=only, actions=actions, seconds=seconds)
            return result.showing([(player, only)])
        self._check_memory(state, movers)
        deadline = clock.deadline()
        if settings.seconds is not None:
            own = started + settings.seconds - settings.safety_margin - reserve
            deadline = min(own, deadline)
        if not self._whole:
            self._set_up()
        self._whole = False
        found = self._search(state, player, rng, deadline)
        self._whole = True
        result = self._result(found, player, actions, rng)
        return replace(result, seconds=clock.now() - started)

    def _check_movers(self, movers: tuple[int, ...]) -> None:  # noqa: B027
        """Refuse players who decide at once where that is not supported."""

    def _considered(self, state, player: int, actions: np.ndarray) -> np.ndarray:
        """Return the actions that the search will choose from."""
        return actions

    def _check_memory(self, state, movers: tuple[int, ...]) -> None:  # noqa: B027
        """Refuse a search that will take more memory than it may."""

    @abstractmethod
    def _set_up(self) -> None:
        """Make all memory anew, and `_whole` true."""

    @abstractmethod
    def _search(self, state, player, rng, deadline) -> Any:
        """Search, and return what `_result` asks for."""

    @abstractmethod
    def _result(self, found, player, actions, rng) -> SearchResult:
        """Return what was found, the search's memory being whole again."""

    @abstractmethod
    def _slice(self, size: int) -> int:
        """Run a slice of the search, of a size in what it counts; return its status."""

    def _run_slices(self, done: np.ndarray, first: int, deadline: float) -> int:
        """Run slices of about a millisecond; return the status that ended the last.

        Args:
            done: What slices count, shape (1,).
            first: The size of the first slice.
            deadline: The time by `clock.now` from which on the search must end.
        """
        size = first
        while True:
            began, before = clock.now(), int(done[0])
            status = self._slice(size)
            if status != SLICE_DONE:
                return status
            now = clock.now()
            if now >= deadline:
                # The next slice ends as soon as there is something to choose by.
                self.record["stop"] = 1
            each = (now - began) / max(int(done[0]) - before, 1)
            wanted = SLICE_SECONDS / each if each > 0.0 else math.inf
            # At most fourfold at a time: the first ones are not typical.
            size = int(max(1, min(4 * size, wanted)))
            if now < deadline < math.inf and each > 0.0:
                size = int(max(1, min(size, (deadline - now) / each)))

    def _write_game(self, arrays: dict[str, np.ndarray]) -> None:
        """Write what compiled code has to know of the game and of leaf values."""
        model, settings = self.model, self.settings
        arrays["table"][:] = model.table.ravel()
        arrays["teams"][:] = model.teams
        leaf = arrays["leaf"]
        leaf["game"] = model.game_address
        leaf["players"] = model.players
        leaf["team_count"] = model.team_count
        arrays["settings"]["score_bonus"] = settings.score_bonus or 0.0
        if isinstance(settings.value, str):
            row = arrays["plug_ins"].reshape(-1, 2)[plug_ins.LEAF_VALUE]
            row[1] = compiled().plug_in(settings.value, LEAF_VALUES[settings.value])

    def _no_legal_action(self) -> str:
        return (
            "a player who is to move has no legal action, or more than "
            f"legal_limit={self.model.legal_limit}; `movers` and `legal_actions` must "
            "agree"
        )
