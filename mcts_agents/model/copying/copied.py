"""`CopiedEnvironment`: anybody's environment as a forward model, stepped in copies.

The same compiled search that runs compiled rules runs here: where it has to know or
change more than a state's bytes say, entries of the table call Python. These bytes hold
the number of a copy and what is asked most (`situations`); a state that changes gets a
copy of the environment for its own.

What keeps a plan honest:

- Whether an environment hides information from its players cannot be detected, so the
  caller says that it does not, or gives a function that resamples what is hidden.
- The first copy is compared with the live environment; a copy that differs is an error.
- Random generators in the copies, and the global ones of libraries (`global_dice`)
  while planning goes on, draw from the planner's seed: a search never sees the real
  future dice, and the live environment and the global generators end as they began.
- An exception in the environment, Ctrl-C included, is caught in the callback, ends the
  search, and is raised again by `raise_pending` as itself.
"""

import ctypes
import weakref
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from contextvars import copy_context
from dataclasses import dataclass
from functools import partial
from typing import Any, Unpack

import gymnasium
import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv, ParallelEnv

from mcts_agents.model import clock
from mcts_agents.model.contract import ENTRIES, PLAYING, ROW
from mcts_agents.model.copying.certainty import Certainty
from mcts_agents.model.copying.cloning import Cloner
from mcts_agents.model.copying.cloning_checks import check_copy
from mcts_agents.model.copying.cloning_kinds import UncopyableEnvironmentError
from mcts_agents.model.copying.comparing import first_difference
from mcts_agents.model.copying.copy_options import CopyKeywords, CopyOptions
from mcts_agents.model.copying.copy_plan import CopyPlan
from mcts_agents.model.copying.dice import planners_dice, reached_from, reseed
from mcts_agents.model.copying.environment_snapshots import EnvironmentSnapshots
from mcts_agents.model.copying.face_kinds import face_of, player_with_masks
from mcts_agents.model.copying.faces import (
    NO_RANGE,
    Face,
    UndeclaredMasksError,
    listed,
)
from mcts_agents.model.copying.global_dice import seed_globally
from mcts_agents.model.copying.guards import (
    alike_dice,
    global_generators,
    noted_signals,
    one_thread,
    space_generators,
    spaces_unchanged,
    unchanged,
)
from mcts_agents.model.copying.held_copies import HeldCopies, HeldCopy
from mcts_agents.model.copying.mask_looks import MaskLooks
from mcts_agents.model.copying.outside import Outside
from mcts_agents.model.copying.outside_contents import Contents
from mcts_agents.model.copying.playouts import play_at_random
from mcts_agents.model.copying.replays import Replays
from mcts_agents.model.copying.shown_copies import ShownCopies
from mcts_agents.model.copying.situations import (
    ASKED,
    GAME,
    UNSAID,
    Situations,
    results_by_return,
)
from mcts_agents.model.copying.state_keys import key_of
from mcts_agents.model.copying.suspicions import Suspicions
from mcts_agents.model.copying.watchers import (
    remembered_by,
)
from mcts_agents.model.spec import Spec

# Functions of the table that end before anybody could look at the clock.
_QUICK = ("movers", "legal_actions", "scores", "results", "copy")

# What each callback is called with.
SIGNATURES = {name: entry.signature for name, entry in ENTRIES.items()} | ASKED

# Random steps of somebody else's environment take long; many games are over by then.
ROLLOUT = 100


class UnfaithfulCopyError(ValueError):
    """A copy of an environment is not in the same situation as the original."""


class CopiedEnvironment(ShownCopies):
    """The forward model of a PettingZoo or Gymnasium environment, by copies.

    Scores are returns, the sums of each agent's rewards: since the plan's root, or
    since `reset` if the environment remembers them (`remembering.remember`). When the
    environment is done the highest return has won if it is higher than another, those
    who share it draw, the others lose; a single agent draws.

    Args:
        env: A PettingZoo AEC or parallel environment, or a Gymnasium environment,
            after `reset`, wrapped or not, of at most 62 agents. Every agent's action
            space is Discrete, MultiDiscrete or MultiBinary, of at most 2**20 actions,
            or a Box with `continuous`; rewards are finite, returns within 1e100.
        **options: What only the caller can say of it; see `CopyOptions`.

    Attributes:
        hurry: Whether plans have a budget in seconds, which leaves little time to look
            for what a plan must not see.

    Raises:
        ValueError: Neither `perfect_information` nor `redeterminise`, an action space
            that cannot be numbered, too many agents, or an environment of another
            kind.
        RuntimeError: The environment was not reset.
    """

    hurry = False

    def __init__(self, env: Any, **options: Unpack[CopyKeywords]):
        self.env = env
        self.options = CopyOptions(**options)
        live = face_of(env, self.options)
        name, self._agents = live.name, live.agents
        self._masks_seen = live.masks_seen
        self._check_options(live)
        redeterminise = self.options.redeterminise
        self._redeterminise = redeterminise
        self._outside = Outside(name, self.options.caches)
        self._suspicions = Suspicions(env, self.options)
        self._copies = HeldCopies(name, self._copied)
        self._certainty = Certainty(name, self.options.deterministic)
        self._pending: BaseException | None = None
        self._steps = 0  # of the last plan
        self._mask_looks = MaskLooks()
        self._dice = np.random.default_rng(0)
        self._plan = CopyPlan(self._dice)
        self._snapshots = _snapshots_of(self.options)
        # Replays do that in each step: in copies it would be lost.
        self._reseed = self.options.reseed if self.options.replay is None else None
        game = np.zeros(1, GAME)
        self._situations = Situations(len(live.agents), game, live.actions)
        super().__init__(
            name,
            Spec(players=len(live.agents), actions=live.actions),
            variant={"players": len(live.agents)},
            game=game[:],
            state_size=self._situations.size,
            chance=not self.options.deterministic,
            search_defaults={
                "value": "score",
                "score_bonus": 0.0,
                "rollout": ROLLOUT,
                "loop": "closed" if self.options.deterministic else "open",
            },
        )
        self._show(live)
        self._hand_over()

    def _check_options(self, live: Face) -> None:
        """Refuse options that do not go together, or not with the environment.

        Raises:
            ValueError: They do not.
        """
        name, redeterminise = live.name, self.options.redeterminise
        if not self.options.perfect_information and redeterminise is None:
            raise ValueError(
                f"{name}: whether this environment hides information from its players "
                "cannot be detected. If it hides nothing, pass "
                "perfect_information=True; otherwise pass "
                "redeterminise=function(env_copy, agent_name, generator), which "
                "resamples what the agent cannot know"
            )
        if redeterminise is not None and self.options.state_key is not None:
            raise ValueError(
                f"{name}: state_key distinguishes whole positions, so with "
                "redeterminise the search would know what is hidden; leave it out"
            )
        continuous = self.options.continuous
        if continuous is not None and not any(
            isinstance(space, spaces.Box) for space in live.action_spaces()
        ):
            raise ValueError(
                f"continuous={continuous!r}: {name} has no action space that is a Box; "
                "leave it out"
            )

    def _hand_over(self) -> None:
        """Give compiled code the functions of this object."""
        # Arrays that compiled code hands over.
        self._legal_room = ctypes.c_int32 * self.legal_limit
        self._numbers_each = ctypes.c_int32 * self.players
        self._scores_each = ctypes.c_double * self.players
        self._functions = {
            "movers": self._movers,
            "legal_actions": self._legal_actions,
            "apply": self._apply,
            "scores": self._scores,
            "results": self._results,
            "copy": self._copy,
            "playout": self._playout,
        }
        if self.options.state_key is not None:
            self._functions["state_key"] = self._state_key
        if self._redeterminise is not None:
            self._functions["redeterminise"] = self._resample
        asked = {"step": self._take_step, "play": self._play}
        self._guarded_code = self._guarded(self._movers).__code__
        self._callbacks = {
            name: self._callback(name, function)
            for name, function in (*self._functions.items(), *asked.items())
        }
        addresses = {
            name: ctypes.cast(callback, ctypes.c_void_p).value
            for name, callback in self._callbacks.items()
        }
        for name in self._functions:
            self.table[ROW[name], 0] = addresses[name]
        self._situations.answer(self.table, addresses)

    # -- planning

    @contextmanager
    def planning(
        self, agent: str | None, rng: np.ndarray, action_mask: Any = None
    ) -> Iterator[tuple[np.ndarray, int]]:
        """Give a state that is a copy of the live environment, and a player's number.

        Leaving the context releases all copies and puts the global generators back.

        Args:
            agent: The acting agent; the selected one of an AEC environment, the only
                one of a Gymnasium environment, by default.
            rng: The planner's generator, advanced.
            action_mask: See `Agent.act`.

        Raises:
            SharedStateError: A step changed something outside the environment, which
                has been put back; raised when the context ends.
            UnfaithfulCopyError: The copy is not in the same situation.
            UncopyableEnvironmentError: A part of the environment cannot be copied.
            RuntimeError: Before `reset`, or after the game is over.
            ValueError: The agent has no decision to make.
        """
        live = face_of(self.env, self.options)
        self._check_unchanged(live)
        live.take_masks_seen(self._masks_seen)
        if live.is_over():
            raise live.game_over()
        self._dice = planners_dice(rng)
        with ExitStack() as borrowed:
            borrowed.enter_context(one_thread(self.name))
            self._refuse_nesting()
            borrowed.callback(self.release)
            borrowed.enter_context(global_generators(np.random.default_rng(0)))
            borrowed.enter_context(noted_signals(self._note, self._guarded_code))
            exact, shared = self._copy_live(live, borrowed)
            player = self._ask_live(live, exact, shared, agent, action_mask)
            seed_globally(self._dice)
            exact.prepare(self._dice)
            outside = shared.outside
            if outside.is_kept and self._suspicions.are_open(self.hurry):
                # Context variables that copies set are as they were afterwards, as in
                # the search.
                copy_context().run(self._look, exact, shared)
            outside.reseed(self._dice)
            borrowed.enter_context(space_generators(shared.spaces, self._dice))
            self._plan = CopyPlan(self._dice, self._reseed)
            borrowed.callback(lambda: self._plan.check())
            state = self._first_state(exact, player)
            del exact, shared  # copies must be able to go before the plan ends
            self._mask_looks.begin(
                live.may_miss_masks(), anew=self._suspicions.has_refused
            )
            began, self._steps = clock.now(), 0
            try:
                yield state, player
            except UndeclaredMasksError:
                self._suspicions.refuse()
                raise
            self._suspicions.searched(clock.now() - began, self._steps)

    def _copy_live(self, live: Face, borrowed: ExitStack) -> tuple[Face, "_Shared"]:
        """Copy the live environment, and look after what the copy shares with it.

        Raises:
            UnfaithfulCopyError: The copy is not in the same situation.
        """
        if self._snapshots is None:
            exact, cloner = self._exact_copy(live)
            outside = borrowed.enter_context(
                self._outside.unchanged(cloner.met(), live.env, self.release)
            )
            own = outside.own_generators
        else:
            outside, own = self._watch_snapshots(live, borrowed)
            exact, cloner = self._exact_copy(live)
        with unchanged(cloner.generators):
            self._check_same(live, first_difference(live.env, exact.env))
        return exact, _Shared(
            outside,
            cloner,
            [*outside.generators, *own, *cloner.generators],
            [*cloner.spaces, *live.action_spaces(), *outside.spaces],
        )

    def _ask_live(
        self,
        live: Face,
        exact: Face,
        shared: "_Shared",
        agent: str | None,
        action_mask: Any,
    ) -> int:
        """Return who decides, and compare what the live environment and a copy say.

        Where the live environment is asked something, what that changes is undone, and
        dice fall alike for both.

        Raises:
            UnfaithfulCopyError: They do not say the same.
            ValueError: The agent has no decision to make, or a mask is wrong.
        """
        # What the reset of a replay changes outside has happened by now.
        settling, alike = nullcontext, nullcontext
        if live.asks_live or self._snapshots is not None:
            settling = shared.outside.settling
            alike = partial(alike_dice, shared.generators, shared.spaces)
        with settling(), alike():
            player = player_with_masks(live, agent, action_mask)
        exact.take_given(live)
        with settling():
            self._check_same(live, live.difference(exact, alike))
        if self._snapshots is not None:
            self._snapshots.check(exact, live, shared.cloner.met()[0])
        return player

    def _first_state(self, exact: Face, player: int) -> np.ndarray:
        """Return the state of a search's root, where `player` is to decide."""
        earned = self._begin(exact)
        root = HeldCopy(self._plan.first(exact), earned)
        state = self.new_state()
        root, handle = self._copies.store(0, root)
        self._situations.write(state.ctypes.data, root, handle)
        self._certainty.begin()
        if self._redeterminise is not None:
            self._resample(state.ctypes.data, player, 0)
        root.face.settle_proposals(player)
        self._list_root(state.ctypes.data, root, handle)
        self._situations.begin(handle)
        return state

    def _watch_snapshots(
        self, live: Face, borrowed: ExitStack
    ) -> tuple[Contents, list[Any]]:
        """Look after all that a scratch environment may change; see `Outside`.

        It is made, reset and stepped, and may share generators with the live one, which
        are returned, too.
        """
        assert self._snapshots is not None
        reached = reached_from(live.env)
        outside = borrowed.enter_context(
            self._outside.unchanged((set(), reached.code()), live.env, self.release)
        )
        borrowed.enter_context(unchanged(reached.generators))
        found = [*reached.spaces, *live.action_spaces(), *outside.spaces]
        borrowed.enter_context(spaces_unchanged(found))
        bound = borrowed.enter_context(self._outside.generators_bound())
        borrowed.enter_context(
            self._snapshots.borrowing(
                lambda: [*outside.generators, *bound()], outside.spaces
            )
        )
        return outside, reached.generators

    def _list_root(self, state: int, root: HeldCopy, handle: int) -> None:
        """Write down what is legal at the root, which each simulation asks."""
        movers, *span = self._situations.said(state)
        if tuple(span) == NO_RANGE and movers > 0 and not movers & (movers - 1):
            player = movers.bit_length() - 1
            if player not in root.legal:
                root.legal[player] = root.face.legal_actions(player)
            said = listed(player, root.legal[player], root.legal)
            self._situations.say(handle, said, root.returns, root.legal)
            self._situations.write_news(state)

    def _look(self, exact: Face, shared: "_Shared") -> None:
        """Look for what a search would see; leave all dice and what lies outside."""
        own = np.random.default_rng(0)
        shared.outside.reseed(own)
        with global_generators(own), space_generators(shared.spaces, own):
            self._suspicions.look(exact, self._with_dice, self.hurry)
        # Here games are begun anew, which a plan never does.
        shared.outside.put_back()

    def _check_unchanged(self, live: Face) -> None:
        """Refuse an environment that has become another game since the model's."""
        if (live.agents, live.actions) != (self._agents, self.actions):
            raise RuntimeError(
                f"{self.name}: its agents or actions have changed since this model "
                f"was made ({', '.join(map(str, self._agents))}); make a new model or "
                "agent"
            )

    def _refuse_nesting(self) -> None:
        if self._copies:
            raise RuntimeError(f"{self.name}: this model is already planning")

    def _exact_copy(self, live: Face) -> tuple[Face, Cloner]:
        """Copy the live environment, dice and all."""
        cloner = Cloner()
        try:
            if self._snapshots is not None:
                self._snapshots.begin(cloner, live)
            face = live.clone(cloner)
            check_copy(cloner, live.env)
        except UncopyableEnvironmentError as error:
            raise UncopyableEnvironmentError(
                f"{self.name} cannot be copied: {error}. Planning needs copies; remove "
                "that part before planning, or give the environment a __deepcopy__"
            ) from error
        return face, cloner

    def _check_same(self, live: Face, found: str | None) -> None:
        """Raise UnfaithfulCopyError if a difference was found."""
        if found:
            raise UnfaithfulCopyError(
                f"{self.name}: a copy of this environment is not in the same "
                f"situation: {found}. Planning on it would plan for another game; "
                "give the environment a faithful __deepcopy__"
            )

    def _with_dice(self, face: Face, dice: np.random.Generator) -> Face:
        """Copy an environment as a search does that draws from `dice`."""
        return CopyPlan(dice, self._reseed).first(face)

    def throw_again(self, state: np.ndarray, seed: np.random.SeedSequence) -> None:
        """Give the copies of this process dice of their own, that of `state` too.

        For a process that was forked while `planning` went on.
        """
        # In place: others hold these dice, too.
        reseed(self._dice, np.random.default_rng(seed))
        seed_globally(self._dice)
        held = self._copies.at(state.ctypes.data)
        self._plan = CopyPlan(self._dice, self._reseed)
        held.face = self._plan.first(held.face)

    def _copied(self, face: Face) -> Face:
        """Copy an environment for a search: each copy has a future of its own."""
        return self._plan.copy(face)

    def _begin(self, root: Face) -> list[float]:
        """Return what was earned so far, and let a root show what the last step did."""
        remembered = remembered_by(self.env)
        if remembered is None:
            return [0.0] * self.players
        if remembered.shown is not None:
            root.show(remembered.shown)
        return [remembered.returns[agent] for agent in self._agents]

    def release(self) -> None:
        """Drop all copies; states of this model are empty from then on."""
        self._copies.clear()
        self._situations.begin(0)
        self._pending = None
        self.error[0] = 0

    @property
    def copies_environments(self) -> bool:
        """True: states are handles."""
        return True

    def action_decoder(
        self, state: np.ndarray, player: int
    ) -> Callable[[int], Any] | None:
        """See `ForwardModel.action_decoder`."""
        return self._copies.at(state.ctypes.data).face.decoder(player)

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
        weakref.finalize(target, self._copies.drop, handle)
        return target

    def call(self, name: str, *arguments: int) -> int:
        """Call the function `name` of the table; its exceptions come out at once."""
        if name not in self._functions:
            raise ValueError(f"{self.name}: a copied environment has no {name!r}")
        return int(self._functions[name](*arguments) or 0)

    # -- the functions of the table (addresses as integers; `game` is not needed)

    def _callback(self, name: str, function: Callable[..., int | None]) -> Any:
        """Make the address of a function that compiled code can call."""
        parameters = [ctypes.c_int64] * len(SIGNATURES[name].args)
        guarded = self._guarded(function, None if name in _QUICK else clock.look)
        return ctypes.CFUNCTYPE(ctypes.c_int64, *parameters)(guarded)

    def _guarded(
        self,
        function: Callable[..., int | None],
        look: Callable[[], None] | None = None,
    ) -> Callable[..., int]:
        """Wrap a function for compiled code, which knows no exceptions of Python."""

        def guarded(game: int, *arguments: int) -> int:
            if self._pending is not None:
                return 0
            try:
                answer = function(*arguments)
                if look is not None:
                    look()
                return answer or 0
            except BaseException as error:
                self._note(error)
                return 0

        return guarded

    def _note(self, error: BaseException) -> None:
        """Keep the first exception, and tell compiled code to stop."""
        if self._pending is None:
            self._pending = error
        self.error[0] = 1

    def _copy(self, target: int, source: int) -> None:
        _, own = self._situations.handles(target)
        held = self._copies.at(source)
        if held.is_lent:  # who may change it means this one alone
            held, handle = self._copies.store(own, held.clone(self._copied))
            self._situations.write(target, held, handle)
            return
        _, handle = self._copies.store(own, held)
        self._situations.copy(target, source, handle)

    def _movers(self, state: int) -> int:
        return self._copies.at(state).face.movers_mask()

    def _legal_actions(self, state: int, player: int, out: int) -> int:
        held = self._copies.at(state)
        legal = None if held.is_lent else held.legal.get(player)
        if legal is None:  # masks are parts of observations, which may be large
            legal = held.face.legal_actions(player)
            if not held.is_lent:
                held.legal[player] = legal
            clock.look()
        self._legal_room.from_address(out)[: len(legal)] = legal
        return len(legal)

    def _apply(self, state: int, joint_action: int, rng: int) -> None:
        joint = self._numbers_each.from_address(joint_action)[:]
        held, handle = self._copies.own(*self._situations.handles(state))
        self._step(held, joint)
        self._situations.write(state, held, handle)

    def _take_step(self, handle: int, own: int, player: int, action: int) -> None:
        held, handle = self._copies.own(handle, own)
        if self._certainty.due or held.is_lent or self._mask_looks.left:
            joint = [-1] * self.players
            joint[player] = action
            self._step(held, joint)
            self._situations.tell(held, handle)
            return
        self._steps += 1
        known = held.legal = {}
        said = held.face.step_one(player, action, held.returns, known)
        self._situations.say(handle, said, held.returns, known)

    def _step(self, held: HeldCopy, joint: list[int]) -> None:
        """Apply a joint action."""
        self._steps += 1
        held.legal = {}
        self._step_and_look(held, joint)

    def _step_and_look(self, held: HeldCopy, joint: list[int]) -> None:
        """Apply a joint action, twice where `deterministic` is to be checked.

        Raises:
            UndeclaredMasksError: Masks appear where nobody would have looked for them.
        """
        if self._certainty.due:
            self._step_twice(held, joint)
        else:
            held.face.step(joint, held.returns)
        if self._mask_looks.left:
            self._mask_looks.look(held.face)

    def _playout(self, state: int, rng: int, limit: int) -> int:
        handle, own = self._situations.handles(state)
        if limit <= 0 or not self._copies.of(handle).face.movers():
            return 0
        draws = self._situations.draws
        draws.look_ahead(rng, limit)
        played = self._play(handle, own, limit)
        draws.advance(rng, played)
        self._situations.write_news(state)
        return played

    def _play(self, handle: int, own: int, limit: int) -> int:
        held, handle = self._copies.own(handle, own)
        self._plan.check_sometimes()
        draws = self._situations.draws.within(limit)
        played = 0
        if self._certainty.due or self._mask_looks.left:
            first = min(limit, max(self._certainty.due, self._mask_looks.left))
            played = play_at_random(
                held, draws, first, lambda joint, _: self._step_and_look(held, joint)
            )
        watch = clock.running()
        if not played or watch is None or not watch.flag[0]:
            played += play_at_random(held, draws, limit - played)
        self._steps += played
        # Most likely nobody will ask what is legal there.
        situation = UNSAID if held.is_lent else (held.face.movers_mask(), *NO_RANGE)
        self._situations.say(handle, situation, held.returns, held.legal)
        return played

    def _step_twice(self, held: HeldCopy, joint: list[int]) -> None:
        check = self._plan.check
        self._certainty.step(held, self._copied, lambda f, r: f.step(joint, r), check)

    def _scores(self, state: int, out: int) -> None:
        returns = self._copies.at(state).returns
        self._scores_each.from_address(out)[:] = returns

    def _results(self, state: int, out: int) -> None:
        held = self._copies.at(state)
        results = [PLAYING] * self.players
        if not held.face.movers():
            results = results_by_return(held.returns)
        self._numbers_each.from_address(out)[:] = results

    def _resample(self, state: int, player: int, rng: int) -> None:
        held, handle = self._copies.own(*self._situations.handles(state))
        agent = held.face.agents[player]
        held.legal = {}
        changed = self._redeterminise(held.face.env, agent, self._dice)
        if changed is not None:
            if not isinstance(changed, gymnasium.Env | ParallelEnv | AECEnv):
                raise ValueError(
                    f"{self.name}: redeterminise returned {changed!r}; expected None, "
                    "when it has changed the copy that it was given, or another copy"
                )
            held.face = held.face.around(changed)
        held.face.forget_others(player)
        self._situations.write(state, held, handle)

    def _state_key(self, state: int, observer: int) -> int:
        held = self._copies.at(state)
        key = self.options.state_key(held.face.env)
        # What was earned on the way counts too: leaves are worth the sum of rewards.
        earned = [round(value, 9) for value in held.returns]
        return key_of(key, f"{self.name}: state_key", beside=earned)


@dataclass(frozen=True)
class _Shared:
    """What a first copy shares with the live environment.

    Attributes:
        outside: What lies outside the environment object.
        cloner: Made the copy.
        generators: Random generators.
        spaces: Spaces, which have generators.
    """

    outside: Contents
    cloner: Cloner
    generators: list[Any]
    spaces: list[spaces.Space]


def _snapshots_of(options: CopyOptions) -> EnvironmentSnapshots | Replays | None:
    """Return what stands for copies of the innermost environment, if anything does."""
    if options.replay is not None:
        return Replays(options)
    return EnvironmentSnapshots(options.snapshots) if options.snapshots else None
