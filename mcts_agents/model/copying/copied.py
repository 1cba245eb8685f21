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
import weakref
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, Unpack

import gymnasium
import numpy as np
from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.utils.conversions import parallel_to_aec_wrapper

from mcts_agents.model import clock
from mcts_agents.model.contract import (
    DRAWN,
    ENTRIES,
    HEADER,
    LOST,
    PLAYING,
    ROW,
    WON,
)
from mcts_agents.model.copying.cloning import Cloner
from mcts_agents.model.copying.cloning_kinds import UncopyableEnvironmentError
from mcts_agents.model.copying.comparing import first_difference
from mcts_agents.model.copying.copied_aec import AECFace
from mcts_agents.model.copying.copied_gymnasium import GymnasiumFace
from mcts_agents.model.copying.copied_parallel import ParallelFace, SerialisedFace
from mcts_agents.model.copying.copy_options import CopyKeywords, CopyOptions
from mcts_agents.model.copying.dice import planners_dice
from mcts_agents.model.copying.faces import Face
from mcts_agents.model.copying.guards import (
    global_generators,
    noted_signals,
    one_thread,
    space_generators,
    unchanged,
)
from mcts_agents.model.copying.watchers import layers, seen_through
from mcts_agents.model.forward_model import ForwardModel
from mcts_agents.model.spec import Spec

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
            after `reset`, wrapped or not. Every agent's action space is Discrete, of
            at most 2**20 actions; rewards are finite, returns within 1e100.
        **options: What only the caller can say of it; see `CopyOptions`.

    Raises:
        ValueError: Neither `perfect_information` nor `redeterminise`, an action space
            that is not Discrete, or an environment of another kind.
        RuntimeError: The environment was not reset.
    """

    def __init__(self, env: Any, **options: Unpack[CopyKeywords]):
        self.env = env
        self.options = CopyOptions(**options)
        live = face_of(env)
        name, self._agents = live.name, live.agents
        redeterminise = self.options.redeterminise
        if not self.options.perfect_information and redeterminise is None:
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
        self._dice = np.random.default_rng(0)
        super().__init__(
            name,
            Spec(players=len(live.agents), actions=live.actions),
            variant={"players": len(live.agents)},
            game=np.zeros(1, np.dtype(HEADER)),
            state_size=ctypes.sizeof(ctypes.c_int64),
            chance=not self.options.deterministic,
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
        self._guarded_code = self._guarded(self._movers).__code__
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
        live = face_of(self.env)
        self._check_unchanged(live)
        player = live.player_of(agent)
        self._dice = planners_dice(rng)
        with ExitStack() as borrowed:
            borrowed.enter_context(one_thread(self.name))
            self._refuse_nesting()
            borrowed.callback(self.release)
            borrowed.enter_context(global_generators(self._dice))
            borrowed.enter_context(noted_signals(self._note, self._guarded_code))
            exact, found = self._exact_copy(live)
            borrowed.enter_context(space_generators(found, self._dice))
            exact.prepare(self._dice)
            root = _Copy(exact.clone(Cloner(self._dice)), np.zeros(self.players))
            state = self.new_state()
            self._store(state.ctypes.data, root)
            if self._redeterminise is not None:
                self._resample(state.ctypes.data, player, 0)
            yield state, player

    def _check_unchanged(self, live: Face) -> None:
        """Refuse an environment that has become another game since the model's."""
        if (live.agents, live.actions) != (self._agents, self.actions):
            raise RuntimeError(
                f"{self.name}: its agents or its actions are others than when this "
                f"model was made ({', '.join(self._agents)}); make a new model or agent"
            )

    def _refuse_nesting(self) -> None:
        if self._copies:
            raise RuntimeError(f"{self.name}: this model is already planning")

    def _exact_copy(self, live: Face) -> tuple[Face, list[Any]]:
        """Copy the live environment, dice and all; compare; list the shared spaces."""
        cloner = Cloner()
        try:
            face = live.clone(cloner)
        except UncopyableEnvironmentError as error:
            raise UncopyableEnvironmentError(
                f"{self.name} cannot be copied: {error}. Planning needs copies; remove "
                "that part before planning, or give the environment a __deepcopy__"
            ) from error
        # Observations may draw noise, the live one's too.
        with unchanged(cloner.generators):
            found = first_difference(live.env, face.env) or live.difference(face)
        if found:
            raise UnfaithfulCopyError(
                f"{self.name}: a copy of this environment is not in the same "
                f"situation: {found}. Planning on it would plan for another game; "
                "give the environment a faithful __deepcopy__"
            )
        return face, [*cloner.spaces, *live.action_spaces]

    def release(self) -> None:
        """Drop all copies; states of this model are empty from then on."""
        self._copies.clear()
        self._pending = None
        self.error[0] = 0

    @property
    def copies_environments(self) -> bool:
        """True: states are handles."""
        return True

    def raise_pending(self) -> None:
        """Raise what a callback caught, as itself; nothing if it caught nothing."""
        pending, self._pending = self._pending, None
        self.error[0] = 0
        if pending is not None:
            raise pending

    def copy(self, state: np.ndarray) -> np.ndarray:
        """Return an independent copy of `state`, released with the returned array."""
        target = super().copy(state)
        handle = int(target.view(np.int64)[0])
        weakref.finalize(target, self._copies.pop, handle, None)
        return target

    def call(self, name: str, *arguments: int) -> int:
        """Call the function `name` of the table; its exceptions come out at once."""
        if name not in self._functions:
            raise ValueError(f"{self.name}: a copied environment has no {name!r}")
        return int(self._functions[name](*arguments) or 0)

    # -- the functions of the table (addresses as integers; `game` is not needed)

    def _callback(self, name: str, function: Callable[..., int | None]) -> Any:
        """Make the address of a function that compiled code can call."""
        parameters = [ctypes.c_int64] * len(ENTRIES[name].parameters)
        return ctypes.CFUNCTYPE(ctypes.c_int64, *parameters)(self._guarded(function))

    def _guarded(self, function: Callable[..., int | None]) -> Callable[..., int]:
        """Wrap a function for compiled code, which knows no exceptions of Python."""

        def guarded(game: int, *arguments: int) -> int:
            if self._pending is not None:
                return 0
            try:
                answer = int(function(*arguments) or 0)
                clock.look()
                return answer
            except BaseException as error:
                self._note(error)
                return 0

        return guarded

    def _note(self, error: BaseException) -> None:
        """Keep the first exception, and tell compiled code to stop."""
        if self._pending is None:
            self._pending = error
        self.error[0] = 1

    def _at(self, state: int) -> "_Copy":
        held = self._copies.get(ctypes.c_int64.from_address(state).value)
        if held is None:
            raise RuntimeError(
                f"{self.name}: this state is empty; states of a copied environment "
                "live inside `planning` only"
            )
        return held

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
        # Each copy has dice, hence a future, of its own.
        face = held.face.clone(Cloner(self._dice))
        self._store(target, _Copy(face, held.returns.copy(), held.legal))

    def _movers(self, state: int) -> int:
        return sum(1 << player for player in self._at(state).face.movers())

    def _legal_actions(self, state: int, player: int, out: int) -> int:
        held = self._at(state)
        legal = held.legal.get(player)
        if legal is None:  # masks are parts of observations, which may be large
            legal = held.legal[player] = held.face.legal_actions(player)
        room = (ctypes.c_int32 * self.legal_limit).from_address(out)
        room[: len(legal)] = legal
        return len(legal)

    def _apply(self, state: int, joint_action: int, rng: int) -> None:
        held = self._at(state)
        joint = (ctypes.c_int32 * self.players).from_address(joint_action)
        held.legal = {}
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
        held.legal = {}
        changed = self._redeterminise(held.face.env, agent, self._dice)
        if changed is not None:
            held.face = held.face.around(changed)


def face_of(env: Any) -> Face:
    """Return the face of an environment after `reset`.

    Raises:
        ValueError: It is no environment, or an action space is not Discrete.
        RuntimeError: It was not reset.
    """
    if isinstance(env, gymnasium.Env):
        return GymnasiumFace(env)
    if isinstance(env, ParallelEnv):
        return ParallelFace(env)
    if not isinstance(env, AECEnv):
        raise ValueError(
            f"{env!r} is neither a PettingZoo environment (AEC or parallel) nor a "
            "Gymnasium environment of one game (vectors of them cannot be planned on)"
        )
    inner = seen_through(env)
    if isinstance(inner, parallel_to_aec_wrapper):
        # Planned from the parallel environment, where no pending action lies.
        return SerialisedFace(inner)
    if any(isinstance(layer, parallel_to_aec_wrapper) for layer in layers(inner)):
        raise ValueError(
            f"{inner}: {type(inner).__name__} wraps the AEC form of a parallel "
            "environment, where actions lie that others must not see yet; wrap the "
            "parallel environment and give it to parallel_to_aec"
        )
    return AECFace(inner)


class _Copy:
    """One copy of the environment and the returns since the plan's root.

    Args:
        face: The copy.
        returns: float64 of shape (players,).
        legal: The legal actions of each player who was asked for them since the last
            step; copies of one situation share them.
    """

    __slots__ = ("face", "legal", "returns")

    def __init__(
        self,
        face: Face,
        returns: np.ndarray,
        legal: dict[int, list[int]] | None = None,
    ):
        self.face = face
        self.returns = returns
        self.legal = {} if legal is None else legal


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
