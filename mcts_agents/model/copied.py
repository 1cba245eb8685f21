"""`CopiedEnvironment`: anybody's environment as a forward model, stepped in copies.

The same compiled search that runs compiled rules runs here: each entry of the table is
a C callback into Python. A state's bytes hold only the number of a copy, and copying a
state is copying the environment.

What keeps a plan honest:

- Whether an environment hides information from its players cannot be detected, so the
  caller says that it does not, or gives a function that resamples what is hidden.
- The first copy is compared with the live environment; a copy that differs is an error.
- Random generators in the copies, and the global ones of `random` and `numpy.random`
  while planning goes on, draw from the planner's seed: a search never sees the real
  future dice, and the live environment and the global generators end as they began.
- An exception in the environment, Ctrl-C included, is caught in the callback, ends the
  search, and is raised again by `raise_pending` as itself.
"""

import ctypes
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from mcts_agents.model.cloning import (
    Cloner,
    UncopyableEnvironmentError,
    first_difference,
)
from mcts_agents.model.contract import (
    DRAWN,
    ENTRIES,
    HEADER,
    LOST,
    PLAYING,
    ROW,
    WON,
)
from mcts_agents.model.dice import reseed
from mcts_agents.model.faces import Face, face_of
from mcts_agents.model.forward_model import ForwardModel
from mcts_agents.model.random import next_uint64

# Returns of two players closer than this count as equal.
TIE = 1e-9


class UnfaithfulCopyError(ValueError):
    """A copy of an environment is not in the same situation as the original."""


class CopiedEnvironment(ForwardModel):
    """The forward model of a PettingZoo or Gymnasium environment, by copies.

    Scores are returns since the plan's root: the sums of each agent's rewards. When the
    environment is done the highest return has won if it is higher than another, those
    who share it draw, the others lose; a single agent draws.

    Args:
        env: A PettingZoo AEC or parallel environment, or a Gymnasium environment,
            after `reset`, wrapped or not. Every agent's action space is Discrete.
        perfect_information: The caller's word that the environment hides nothing from
            the player to move.
        redeterminise: `(env_copy, agent_name, numpy.random.Generator)`: resamples in
            the copy what the agent cannot know.

    Raises:
        ValueError: Neither `perfect_information` nor `redeterminise`, an action space
            that is not Discrete, or an environment of another kind.
        RuntimeError: The environment was not reset.
    """

    def __init__(
        self,
        env: Any,
        *,
        perfect_information: bool = False,
        redeterminise: Callable[..., Any] | None = None,
    ):
        self.env = env
        self._live = face_of(env)
        name = self._live.name
        if not perfect_information and redeterminise is None:
            raise ValueError(
                f"{name}: whether this environment hides information from its players "
                "cannot be seen from outside. If it hides nothing pass "
                "perfect_information=True; else pass redeterminise=function(env_copy, "
                "agent_name, generator), which resamples what the agent cannot know"
            )
        self._redeterminise = redeterminise
        self._copies: dict[int, _Copy] = {}
        self._last_handle = 0
        self._pending: BaseException | None = None
        self._random = np.random.default_rng(0)
        game = np.zeros(1, np.dtype(HEADER))
        game["players"] = len(self._live.agents)
        game["actions"] = game["legal_limit"] = self._live.actions
        super().__init__(
            name=name,
            variant={"players": len(self._live.agents)},
            game=game,
            state_size=ctypes.sizeof(ctypes.c_int64),
            chance=True,
            table=np.zeros((len(ENTRIES), 2), np.intp),
            observation_shape=None,
            observation_bounds=(0, 1),
            search_defaults={"value": "score", "score_bonus": 0.0},
        )
        self._functions = {
            "movers": self._movers,
            "legal_actions": self._legal_actions,
            "apply": self._apply,
            "scores": self._scores,
            "results": self._results,
            "copy": self._copy,
        }
        if redeterminise is not None:
            self._functions["redeterminise"] = self._resample
        self._callbacks = {
            name: self._callback(name, function)
            for name, function in self._functions.items()
        }
        for name, callback in self._callbacks.items():
            address = ctypes.cast(callback, ctypes.c_void_p).value
            self.table[ROW[name], 0] = address

    # -- planning

    @contextmanager
    def planning(
        self, agent: str | None, rng: np.ndarray
    ) -> Iterator[tuple[np.ndarray, int]]:
        """Give a state that is a copy of the live environment, and a player's number.

        Leaving the context releases all copies and puts the global generators back.

        Args:
            agent: The acting agent; the selected one of an AEC environment, the only
                one of a Gymnasium environment, by default.
            rng: The planner's generator, advanced.

        Raises:
            UnfaithfulCopyError: The copy is not in the same situation.
            UncopyableEnvironmentError: A part of the environment cannot be copied.
            RuntimeError: Before `reset`, or after the game is over.
            ValueError: The agent has no decision to make.
        """
        live = self._live = face_of(self.env)
        player = live.player_of(agent)
        python_state, numpy_state = random.getstate(), np.random.get_state()
        # Numbers, unlike the environment's own generator, that the planner may know.
        self._random = np.random.default_rng(int(next_uint64(rng)))
        try:
            state = self.new_state()
            handle = self._store(state.ctypes.data, self._first_copy(live))
            random.seed(int(self._random.integers(2**63)))
            np.random.seed(int(self._random.integers(2**32)))
            if self._redeterminise is not None:
                self._resample(state.ctypes.data, player, 0)
            self._copies[handle].returns[:] = 0.0
            yield state, player
        finally:
            self.release()
            random.setstate(python_state)
            np.random.set_state(numpy_state)

    def _first_copy(self, live: Face) -> "_Copy":
        """Copy the live environment, compare, and only then give it other dice."""
        cloner = Cloner()
        try:
            face = live.clone(cloner)
        except UncopyableEnvironmentError as error:
            raise UncopyableEnvironmentError(
                f"{self.name} cannot be copied: {error}. Planning needs copies; remove "
                "that part before planning, or give the environment a __deepcopy__"
            ) from error
        found = first_difference(live.env, face.env) or live.difference(face)
        if found:
            raise UnfaithfulCopyError(
                f"{self.name}: a copy of this environment is not in the same "
                f"situation: {found}. Planning on it would plan for another game; "
                "give the environment a faithful __deepcopy__"
            )
        face.prepare(self._random)
        self._reseed(cloner.generators)
        return _Copy(face, np.zeros(len(live.agents)))

    def _reseed(self, generators: list[Any]) -> None:
        """Give copied generators another future, drawn from the planner's."""
        for generator in generators:
            reseed(generator, self._random)

    def release(self) -> None:
        """Drop all copies; states of this model are empty from then on."""
        self._copies.clear()

    def raise_pending(self) -> None:
        """Raise what a callback caught, as itself; nothing if it caught nothing."""
        pending, self._pending = self._pending, None
        self.error[0] = 0
        if pending is not None:
            raise pending

    def call(self, name: str, *arguments: int) -> int:
        """Call the function `name` of the table; its exceptions come out at once."""
        if name not in self._functions:
            raise ValueError(f"{self.name}: a copied environment has no {name!r}")
        return int(self._functions[name](*arguments) or 0)

    # -- the functions of the table (addresses as integers; `game` is not needed)

    def _callback(self, name: str, function: Callable[..., int | None]) -> Any:
        """Wrap a function for compiled code, which knows no exceptions of Python."""

        def guarded(game: int, *arguments: int) -> int:
            if self._pending is not None:
                return 0
            try:
                return int(function(*arguments) or 0)
            except BaseException as error:
                self._pending = error
                self.error[0] = 1
                return 0

        parameters = [ctypes.c_int64] * len(ENTRIES[name].parameters)
        return ctypes.CFUNCTYPE(ctypes.c_int64, *parameters)(guarded)

    def _at(self, state: int) -> "_Copy":
        return self._copies[ctypes.c_int64.from_address(state).value]

    def _store(self, target: int, held: "_Copy") -> int:
        """Put a copy into the slot of a state; what it held is released."""
        handle = ctypes.c_int64.from_address(target)
        if handle.value == 0:
            self._last_handle += 1
            handle.value = self._last_handle
        self._copies[handle.value] = held
        return handle.value

    def _copy(self, target: int, source: int) -> None:
        held = self._at(source)
        cloner = Cloner()
        face = held.face.clone(cloner)
        # Each copy has a future of its own, as each throw of the dice.
        self._reseed(cloner.generators)
        self._store(target, _Copy(face, held.returns.copy()))

    def _movers(self, state: int) -> int:
        return sum(1 << player for player in self._at(state).face.movers())

    def _legal_actions(self, state: int, player: int, out: int) -> int:
        legal = self._at(state).face.legal_actions(player)
        room = (ctypes.c_int32 * self.legal_limit).from_address(out)
        room[: len(legal)] = legal
        return len(legal)

    def _apply(self, state: int, joint_action: int, rng: int) -> None:
        held = self._at(state)
        joint = (ctypes.c_int32 * self.players).from_address(joint_action)
        held.face.step(list(joint), held.returns)

    def _scores(self, state: int, out: int) -> None:
        returns = self._at(state).returns
        (ctypes.c_double * self.players).from_address(out)[:] = returns.tolist()

    def _results(self, state: int, out: int) -> None:
        held = self._at(state)
        results = [PLAYING] * self.players
        if not held.face.movers():
            results = results_by_return(held.returns)
        (ctypes.c_int32 * self.players).from_address(out)[:] = results

    def _resample(self, state: int, player: int, rng: int) -> None:
        held = self._at(state)
        agent = held.face.agents[player]
        changed = self._redeterminise(held.face.env, agent, self._random)
        if changed is not None:
            held.face = held.face.around(changed)


class _Copy:
    """One copy of the environment and the returns since the plan's root."""

    __slots__ = ("face", "returns")

    def __init__(self, face: Face, returns: np.ndarray):
        self.face = face
        self.returns = returns


def results_by_return(returns: np.ndarray) -> list[int]:
    """Return WON, DRAWN or LOST for each player of a finished environment."""
    best = returns.max()
    leads = returns >= best - TIE
    if leads.all():
        return [DRAWN] * len(returns)
    leader = WON if leads.sum() == 1 else DRAWN
    return [leader if lead else LOST for lead in leads]


def visible_legal_actions(env: Any, agent: str | None) -> list[int]:
    """Return the legal actions that an environment of somebody else shows.

    Raises:
        RuntimeError: Before `reset`, or after the game is over.
        ValueError: The agent has no decision to make.
    """
    face = face_of(env)
    return face.legal_actions(face.player_of(agent))
