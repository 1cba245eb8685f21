"""Snapshots of environments whose user says that they have them; see `CopyOptions`."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from mcts_agents.model.copying.cloning import Cloner
from mcts_agents.model.copying.cloning_kinds import UncopyableEnvironmentError
from mcts_agents.model.copying.comparing import first_difference
from mcts_agents.model.copying.copy_options import SnapshotFunctions
from mcts_agents.model.copying.dice import (
    Reached,
    is_generator,
    reached_from,
    reseed,
    restore,
    state_of,
)
from mcts_agents.model.copying.faces import Face
from mcts_agents.model.copying.guards import with_parts
from mcts_agents.model.copying.snapshots import METHODS, Scratch, Snapshot
from mcts_agents.model.copying.uncached import without_caches


class UnfaithfulSnapshotError(ValueError):
    """An environment that was put back into a situation is in another one."""


class EnvironmentSnapshots:
    """Puts snapshots where copies of the innermost environment would stand.

    Args:
        said: `CopyOptions.snapshots`.
    """

    def __init__(self, said: bool | SnapshotFunctions):
        self._said = said
        self._made_again: Any = None
        self._made_apart: Scratch | None = None
        self._checked = False
        # The ids of what the innermost environment holds; none if it cannot be copied.
        self._inside: set[int] = set()
        self._brings_dice_back = self._brings_others = False

    @contextmanager
    def borrowing(
        self, outside: Callable[[], list[Any]], shared: list[spaces.Space]
    ) -> Iterator[None]:
        """See `Replays.borrowing`; here nothing is begun anew."""
        yield

    def begin(self, cloner: Cloner, live: Face) -> None:
        """Let `cloner` put a snapshot where it meets the innermost environment.

        Raises:
            ValueError: The environment has no such methods.
            UncopyableEnvironmentError: There is no way to a scratch environment.
        """
        core = live.env.unwrapped
        get, put = self._functions(core, live.name)
        inner = Cloner()
        try:
            scratch = self._around(inner.clone(core), get, put, live)
            situation = get(scratch.core)
            self._inside = inner.met()[0] - {id(core)}
        except UncopyableEnvironmentError as error:
            again = self._another(core, live.name, error)
            scratch = self._around(again, get, put, live)
            situation = get(core)
        cloner.spaces += inner.spaces
        cloner.generators += inner.generators
        self._snapshot = Snapshot(scratch, situation)
        cloner.remember(core, self._snapshot)

    def _functions(self, core: Any, name: str) -> SnapshotFunctions:
        if not isinstance(self._said, bool):
            return self._said
        for pair in METHODS:
            if all(callable(getattr(core, method, None)) for method in pair):
                get, put = (getattr(type(core), method) for method in pair)
                return get, put
        pairs = " nor ".join(f"{get}() and {put}(state)" for get, put in METHODS)
        raise ValueError(
            f"snapshots=True: {name} has neither {pairs}; pass two functions, "
            "snapshots=(get, put), that are called as get(env) and put(env, state)"
        )

    def _another(self, core: Any, name: str, error: ValueError) -> Any:
        """Return a scratch environment of one that cannot be copied, kept for later."""
        if self._made_again is None:
            self._made_again = self._made(core, name, error)
        return self._made_again

    def _made(self, core: Any, name: str, error: ValueError) -> Any:
        spec = getattr(core, "spec", None)
        if not isinstance(core, gymnasium.Env) or spec is None:
            raise UncopyableEnvironmentError(
                f"{error}. The search could create its own {name} instead, but only if "
                "it was made with gymnasium.make (it has no spec)"
            ) from error
        made = gymnasium.make(spec)
        made.reset(seed=0)
        return made.unwrapped

    def _throw(
        self,
        scratch: Scratch,
        put: Callable[[Any, Any], Any],
        dice: np.random.Generator,
    ) -> None:
        """Give the scratch environment the dice of a plan."""
        # Looked for now: `reset` makes new ones.
        reached = reached_from(scratch.core)
        _throw_anew(reached, dice)
        if self._brings_dice_back:
            # Each situation would come with the dice that it was left with, the first
            # one with the live ones.
            def put_without_dice(core: Any, situation: Any) -> None:
                put(core, situation)
                now = reached_from(core) if self._brings_others else reached
                _throw_anew(now, dice)

            scratch.put = put_without_dice

    def _around(
        self,
        core: Any,
        get: Callable[[Any], Any],
        put: Callable[[Any, Any], Any],
        live: Face,
    ) -> Scratch:
        """Return a scratch environment, of which there can be another one."""
        # Caches on its methods would keep it alive after the plan.
        without_caches(core, live.agents)
        scratch = Scratch(core, get, put)
        scratch.throw = lambda dice: self._throw(scratch, put, dice)
        scratch.apart = lambda: self._apart(scratch, put, live)
        return scratch

    def _apart(
        self, scratch: Scratch, put: Callable[[Any, Any], Any], live: Face
    ) -> Scratch:
        """Return another scratch environment, where games are begun anew.

        A situation need not contain what only `reset` changes, such as a map.
        """
        try:
            return self._around(Cloner().clone(scratch.core), scratch.get, put, live)
        except UncopyableEnvironmentError as error:
            if self._made_apart is None:
                core = self._made(scratch.core, live.name, error)
                self._made_apart = self._around(core, scratch.get, put, live)
            return self._made_apart

    def check(self, face: Face, live: Face, met: set[int]) -> None:
        """Step a first copy and put it back, once; see whether all is as it was.

        Args:
            face: The first copy, whose environment `begin` has put a snapshot into.
            live: What it is a copy of.
            met: The ids of what the copy holds copies of.

        Raises:
            UnfaithfulSnapshotError: Something is another than before; it is named. Or
                a wrapper holds a part of the environment that a step changes.
        """
        if self._checked:
            return
        self._check_wrappers(live, met & self._inside)
        snapshot = self._snapshot
        scratch = snapshot._scratch
        core, situation = scratch.load(snapshot), scratch.situation_of(snapshot)
        generators = reached_from(core).generators
        try:
            before, after = Cloner().clone(core), core
        except UncopyableEnvironmentError:
            before, after = situation, None
        dice = [state_of(generator) for generator in generators]
        self._step(face.clone(Cloner()))
        for generator in generators:
            reseed(generator, np.random.default_rng(0))
        stepped = reached_from(core)
        scratch.put(core, situation)
        scratch.forget()
        now = reached_from(core)
        self._brings_others = _are_new(now.generators, stepped.generators) or (
            _are_new(now.spaces, stepped.spaces)
        )
        self._brings_dice_back = self._brings_others or any(
            first_difference(state, state_of(generator)) is None
            for generator, state in zip(generators, dice, strict=True)
        )
        for generator, state in zip(generators, dice, strict=True):
            restore(generator, state)
        found = first_difference(
            before, scratch.get(core) if after is None else after, "env"
        )
        if found:
            raise UnfaithfulSnapshotError(
                f"{face.name}: after a step and a restored snapshot, the environment "
                f"is not in its old state: {found}. A snapshot must contain copies of "
                "everything that a step changes; or plan without snapshots"
            )
        self._checked = True

    def _check_wrappers(self, live: Face, held: set[int]) -> None:
        """See whether wrappers hold what a snapshot would change behind their backs.

        Args:
            live: The environment.
            held: The ids of what both its wrappers and the environment inside hold.
        """
        if not held:
            return
        before, after = Cloner(), Cloner()
        before.clone(live.env)
        self._step(live.clone(after))
        for place in held & before.met()[0] & after.met()[0]:
            kind = type(before.memo[place])
            if is_generator(kind):  # the search throws dice of its own everywhere
                continue
            found = first_difference(before.memo[place], after.memo[place], "it")
            if found:
                raise UnfaithfulSnapshotError(
                    f"{live.name}: a wrapper holds a reference to an object of type "
                    f"{kind.__name__} inside the environment, which a step changes "
                    f"({found}); restoring a snapshot would not update what the "
                    "wrapper holds. Make the wrapper read it from the environment each "
                    "time, or plan without snapshots"
                )

    def _step(self, face: Face) -> None:
        """Take some legal step."""
        joint_action = [-1] * len(face.agents)
        for player in face.movers():
            joint_action[player] = face.legal_actions(player)[0]
        face.step(joint_action, np.zeros(len(face.agents)))


def _throw_anew(reached: Reached, dice: np.random.Generator) -> None:
    for generator in reached.generators:
        reseed(generator, dice)
    for space in reached.spaces:
        for part in with_parts(space):
            part._np_random = dice


def _are_new(now: list[Any], before: list[Any]) -> bool:
    return bool({id(each) for each in now} - {id(each) for each in before})
