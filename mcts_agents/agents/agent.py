"""`Agent`, the base class; `Planner`, an agent that returns search results."""

import inspect
import math
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from typing import Any, Unpack

import numpy as np

from mcts_agents.model import ForwardModel, History, clock, new_generator
from mcts_agents.model.copying.copied import CopiedEnvironment
from mcts_agents.model.copying.copy_options import (
    COPY_OPTIONS,
    CopyKeywords,
    CopyOptions,
)
from mcts_agents.model.copying.guards import no_full_collections
from mcts_agents.model.failures import raise_explained
from mcts_agents.model.masks import as_mask
from mcts_agents.names import made_with, quoted, unknown_name
from mcts_agents.search import SearchResult
from mcts_agents.search.driver.one_thread import OneThread, one_thread

# A search ends a little before its time is up, so that what follows is within it
# (reading the tree, dropping copies, a call of Python code that was going on): a little
# longer before than so many last decisions were late. The latest of them is left out if
# it took more than this share of the time: one pause of the machine is no measure of
# what follows.
RESERVE_DECISIONS = 100
RESERVE_SHARE_OF_ONE = 0.02
RESERVE_MARGIN = 1.1
# What takes more than this share of the time, such as compiling, is no measure of the
# next decision. Copies of other people's environments may take long each time.
RESERVE_SHARE = 0.05
RESERVE_SHARE_OF_COPIES = 0.5

# With a budget of so many seconds or less full collections of garbage are put off; a
# longer one could fill the memory with copies that refer to themselves.
SHORT_OF_TIME = 1.0


# What the constructor of `Agent` sets first and last.
NO_SUPER = "its __init__ does not call super().__init__()"
_SET_UP = ("copying", "_copied", "_one_thread", "_seed", "_rng")


class AgentError(RuntimeError):
    """An agent has returned what no agent may; the message says what was expected."""


class AgentOptions(CopyKeywords, total=False):
    """The keywords of `Agent`, for subclasses to pass on."""

    seed: int | None


class Agent(ABC):
    """A player for any environment; one agent can play several seats.

    An agent never changes the environment, and plans on a copy that holds only what
    the player to move may know. Copies of an agent (`copy.deepcopy`, `pickle`) have its
    settings and its generator, and remember no game.

    An agent serves one thread at a time: a second thread that asks it meanwhile gets a
    RuntimeError. Give each thread its own agent, for example `copy.deepcopy(agent)`.
    Two agents in two threads are independent, unless both were given the same third
    agent as an option, such as `rollout_policy`. In third-party environments only one
    thread of a process can plan at a time, whatever its agent: a second one gets a
    RuntimeError, so plan in several processes there. After an exception or Ctrl-C you
    can use the agent as before.

    Args:
        seed: Seed of the agent's own random generator; None draws one from the system.
            The same seed and the same sequence of decisions give the same actions.
        **copying: What only you can say of third-party environments, such as
            `perfect_information=True`; see `CopyOptions`.

    Attributes:
        copying: The same.
        made_as: The name `module:Class` and the options of a spec from which the agent
            was made; None if it was not made from such a spec.
        plans_in_processes: Whether the class has a use for `processes` above 1.
    """

    plans_in_processes = False
    made_as: tuple[str, dict[str, Any]] | None = None

    def __init__(
        self,
        *,
        seed: int | None = None,
        **copying: Unpack[CopyKeywords],
    ):
        for name in copying:
            if name not in COPY_OPTIONS:
                kind = f"option of {type(self).__name__}"
                raise TypeError(unknown_name(kind, name, ("seed", *COPY_OPTIONS)))
        self.copying = CopyOptions(**copying)
        if self.copying.processes > 1 and not self.plans_in_processes:
            raise ValueError(
                f"processes={self.copying.processes}: {type(self).__name__} decides in "
                "one process"
            )
        self._copied: CopiedEnvironment | None = None
        self._one_thread = OneThread()
        self._seed = seed
        self.reset(seed)

    def reset(self, seed: int | None = None) -> None:
        """Reset the agent's random number generator.

        Raises:
            ValueError: `seed` is not a non-negative integer.
        """
        if seed is not None and (
            isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0
        ):
            raise ValueError(f"seed={seed!r}: expected an integer from 0, or None")
        self._rng = new_generator(
            np.random.SeedSequence(None if seed is None else int(seed))
        )

    def __repr__(self) -> str:
        """Show the arguments that differ from their defaults, in one line."""
        given = self._given()
        if self._seed is not None:
            given["seed"] = int(self._seed)
        return made_with(type(self).__name__, {**given, **self.copying.given()})

    def _given(self) -> dict[str, Any]:
        """Return what a subclass was made with, as far as no default says it.

        It is what the agent keeps under the names of its constructor's parameters.
        """
        parameters = inspect.signature(type(self).__init__).parameters.values()
        return {
            p.name: vars(self)[p.name]
            for p in parameters
            if p.name in vars(self)
            and p.name not in ("seed", "copying")
            and vars(self)[p.name] is not p.default
            and repr(vars(self)[p.name]) != repr(p.default)
        }

    def __getattr__(self, name: str) -> Any:
        # Only what is missing is looked up here.
        told = f"{type(self).__name__!r} object has no attribute {name!r}"
        if name in _SET_UP:
            told = f"{type(self).__name__}: {NO_SUPER}"
        raise AttributeError(told, name=name, obj=self)

    def __getstate__(self) -> dict[str, Any]:
        # Copies keep settings and generator, not what belongs to an environment.
        return {**vars(self), "_copied": None}

    @one_thread
    def act(
        self, env: Any, agent: str | None = None, *, action_mask: Any = None
    ) -> Any:
        """Return the action to take in `env` now.

        Args:
            env: A PettingZoo AEC or parallel environment or a Gymnasium environment,
                wrapped or not, after `reset`.
            agent: Name of the acting agent; an AEC environment's selected agent by
                default. Required for a parallel environment.
            action_mask: 1 for each legal action, 0 for the rest, where only `reset` and
                `step` return it, as `observation["action_mask"]` or
                `info["action_mask"]`. A mapping from names of agents gives those of
                several, which a parallel environment needs.

        Returns:
            What `env.step` takes: an int, or an array for a space that is not Discrete.

        Raises:
            RuntimeError: Before `reset`, or after the game is over; or the agent is
                deciding in another thread. A `mcts_agents.model.GameError` is one,
                too: a function of the game's rules failed, and the message says where.
            ValueError: `agent` has no decision to make, or does not exist; the
                environment's copies are not faithful or it might hide information; its
                masks are needed, or differ from `action_mask`.
        """
        with self.position(env, agent, action_mask) as (model, state, player):
            decode = model.action_decoder(state, player)
            action = self.decide(model, state, player)
            return action if decode is None else decode(action)

    def prepare(self, model: ForwardModel, player: int = 0) -> None:  # noqa: B027
        """Set up everything to play a game as `player`, before any clock runs.

        Raises:
            ValueError: The agent cannot play this game.
        """

    @abstractmethod
    def decide(self, model: ForwardModel, state: np.ndarray, player: int) -> int:
        """Return the action of `player` in a state that holds only what it may know."""

    @property
    def is_timed(self) -> bool:
        """Whether decisions of the agent, or of an agent it uses, depend on the clock.

        Then the same seed need not give the same actions.
        """
        return False

    def bind(self, env: Any) -> Callable[[Any, str], int]:
        """Return `policy(observation, agent)` that acts in `env`, for PettingZoo loops.

        The observation is not used: the agent looks at `env` itself.
        """

        def policy(observation: Any, agent: str) -> Any:
            return self.act(env, agent)

        return policy

    @contextmanager
    def position(
        self, env: Any, agent: str | None = None, action_mask: Any = None
    ) -> Iterator[tuple[ForwardModel, np.ndarray, int]]:
        """Context manager that gives (forward model, agent's state, player number).

        For the arguments see `act`.
        """
        inner = getattr(env, "unwrapped", env)
        if hasattr(inner, "planning_state"):
            self.copying.check_rules(inner.forward_model)
            agent = selected_agent(inner) if agent is None else agent
            state, player = inner.planning_state(agent, self._rng)
            if action_mask is not None:
                check_mask(inner.forward_model, state, player, action_mask, agent)
            with inner.forward_model.signals():
                try:
                    yield inner.forward_model, state, player
                except Exception as error:
                    raise_explained(inner.forward_model, error, state)
                    raise
            return
        model = self._copied_model(env)
        model.hurry = getattr(self, "seconds", None) is not None
        with model.planning(agent, self._rng, action_mask) as (state, player):
            yield model, state, player

    def _copied_model(self, env: Any) -> CopiedEnvironment:
        """Return the model of somebody else's environment, kept for the next move."""
        if self._copied is None or self._copied.env is not env:
            self._copied = CopiedEnvironment(env, **self.copying.given())
        return self._copied


class Planner(Agent):
    """An agent that searches and returns the results.

    A subclass defines `search`, and sets those of the attributes below that differ from
    the defaults here. Nothing else is needed to play, show or measure an agent, so the
    search can use any algorithm. `SearchAgent` is the subclass that runs `Search`.

    Attributes:
        seconds: Budget of a decision in seconds, or None.
        safety_margin: Seconds by which a decision with such a budget ends early.
        uses_history: Whether `search` gets what the player has seen of the game so far,
            which takes time to collect.
        counts_visits: Whether results count the visits of actions. If so, moves can be
            drawn in proportion to them.

    Args:
        **agent: See `Agent`.
    """

    seconds: float | None = None
    safety_margin: float = 0.0
    uses_history: bool = False
    counts_visits: bool = False

    def __init__(self, **agent: Unpack[AgentOptions]):
        self._reserve = 0.0  # seconds, of each decision
        self._late: deque[float] = deque(maxlen=RESERVE_DECISIONS)
        super().__init__(**agent)

    @abstractmethod
    def search(
        self,
        model: ForwardModel,
        state: np.ndarray,
        player: int,
        history: History | None = None,
        *,
        started: float | None = None,
    ) -> SearchResult:
        """Search for `player` from a state that holds only what it may know.

        Args:
            model: The game.
            state: The position.
            player: The player to move.
            history: What the player has seen of the game so far, for tree reuse; only
                if `uses_history`.
            started: The time by `time.perf_counter` from which a budget in seconds
                counts; now by default.
        """

    def choose(
        self,
        model: ForwardModel,
        state: np.ndarray,
        player: int,
        history: History | None = None,
        *,
        started: float | None = None,
    ) -> int:
        """Return the action of `search` without the rest of the result.

        A subclass that can do with less than a whole result defines it.
        """
        result = self.search(model, state, player, history, started=started)
        return self.checked(result).action

    def checked(self, result: Any) -> SearchResult:
        """Return what `search` returned.

        Raises:
            AgentError: It is no SearchResult.
        """
        if not isinstance(result, SearchResult):
            raise AgentError(
                f"{self!r}: search returned {quoted(result)}, expected a SearchResult; "
                "an agent that only knows its action is an Agent with `decide`"
            )
        return result

    def cancel(self) -> None:
        """End a decision that is going on in another thread, as soon as can be.

        It ends with what was found so far or with a `CancelledError`. A planner that
        does not define this goes on until its budget is spent.
        """

    @property
    def is_timed(self) -> bool:
        """Whether a decision depends on the clock; see `Agent.is_timed`."""
        return self.seconds is not None

    def value_scale(self, model: ForwardModel) -> str | None:
        """Return the scale of result values in a game, for datasets.

        It is the name of a leaf heuristic (`win`: 0 to 1, `score`: the game's points,
        and so on), or None if the agent does not say.
        """
        return None

    def deadline(self, started: float | None = None) -> float:
        """Return the time, as of `time.perf_counter`, by which a decision must end.

        It is a little before the end of a budget in seconds, so that what follows the
        search is within the budget too; and never later than the deadline of a search
        that has asked for this decision. inf: nothing ends it.

        Args:
            started: When the decision began; now by default.
        """
        own = math.inf
        if self.seconds is not None:
            began = clock.now() if started is None else started
            own = began + self.seconds - self.safety_margin - self._reserve
        return min(own, clock.deadline())

    def act(
        self, env: Any, agent: str | None = None, *, action_mask: Any = None
    ) -> Any:
        """Return the action to take in `env` now; see `Agent.act`."""
        return self._decided(env, agent, action_mask, self._chosen)

    def _chosen(self, *position: Any, decode: Any, started: float) -> Any:
        action = self.choose(*position, started=started)
        return action if decode is None else decode(action)

    @one_thread
    def reset(self, seed: int | None = None) -> None:
        """Reset the generator, and forget how late earlier decisions were."""
        super().reset(seed)
        self._reserve = 0.0
        self._late.clear()

    def decide(self, model: ForwardModel, state: np.ndarray, player: int) -> int:
        """Return the action that the search chooses."""
        return self.choose(model, state, player)

    def plan(
        self, env: Any, agent: str | None = None, *, action_mask: Any = None
    ) -> SearchResult:
        """Search for the action to take in `env` now; see `act` for arguments.

        A budget in seconds covers all that this takes, copies of the environment too.
        Actions in the result are numbers; `SearchResult.environment_action` returns
        what `env.step` takes.
        """
        return self._decided(env, agent, action_mask, self._found)

    def _found(self, *position: Any, decode: Any, started: float) -> SearchResult:
        result = self.checked(self.search(*position, started=started))
        return result if decode is None else replace(result, _decode=decode)

    @one_thread
    def _decided(
        self,
        env: Any,
        agent: str | None,
        action_mask: Any,
        decide: Callable[..., Any],
    ) -> Any:
        """Return what `search` or `choose` makes of a position in an environment."""
        started = clock.now()
        short = self.seconds is not None and self.seconds <= SHORT_OF_TIME
        with (
            no_full_collections() if short else nullcontext(),
            self.position(env, agent, action_mask) as (model, state, player),
        ):
            history = None
            if self.uses_history:
                inner = getattr(env, "unwrapped", env)
                if isinstance(model, CopiedEnvironment):
                    history = model.history()
                elif hasattr(inner, "history"):
                    history = inner.history(inner.possible_agents[player])
            decode = model.action_decoder(state, player)
            found = decide(
                model, state, player, history, decode=decode, started=started
            )
        copies = model.copies_environments
        self._learn_reserve(
            started, RESERVE_SHARE_OF_COPIES if copies else RESERVE_SHARE
        )
        return found

    def _learn_reserve(self, started: float, share: float) -> None:
        """Take in how late this decision ended; `share` of the time is the most."""
        if self.seconds is None:
            return
        seconds = self.seconds - self.safety_margin
        late = clock.now() - started - (seconds - self._reserve)
        self._late.append(late if late <= share * seconds else 0.0)
        *_, second, most = 0.0, 0.0, *sorted(self._late)
        is_ordinary = most <= RESERVE_SHARE_OF_ONE * seconds
        late_again = max(0.0, most if is_ordinary else second)
        self._reserve = min(RESERVE_MARGIN * late_again, share * seconds)


def check_mask(
    model: ForwardModel, state: np.ndarray, player: int, mask: Any, agent: str
) -> None:
    """Raise ValueError if a mask differs from the mask of this package's game."""
    if isinstance(mask, Mapping):
        mask = mask.get(agent)
    whose = f"{model.name}: the action_mask given for {agent}"
    flat = as_mask(np.asarray(mask), model.actions, whose)
    legal = model.legal_actions(state, player)
    if not np.array_equal(flat.nonzero()[0], np.sort(legal)):
        raise ValueError(
            f"{whose} allows the actions {flat.nonzero()[0].tolist()}, but the legal "
            f"actions are {legal.tolist()}; leave it out, because this game knows its "
            "legal actions"
        )


def agent_seed(seed: int, seat: int) -> int:
    """Return the seed of the agent in a seat, derived from the seed of the game."""
    return int(np.random.SeedSequence([seed, seat]).generate_state(1)[0])


def selected_agent(env: Any) -> str:
    """Return the agent whose turn it is in an AEC environment.

    Raises:
        ValueError: A parallel environment, where several may be asked at once.
    """
    selected = getattr(env, "agent_selection", None)
    if selected is None and not hasattr(env, "agent_iter"):
        raise ValueError(
            f"{env}: in a parallel environment name the agent: act(env, agent), with "
            f"one of {', '.join(map(str, env.possible_agents))}"
        )
    return selected
