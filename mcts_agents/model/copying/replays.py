"""Copies by replay: a fresh environment that is taken through the same actions.

A search has one such environment. To put it into a situation takes a reset and all
actions since, those of the live game with the dice that it has thrown, those of the
search with dice of its own, which are noted as seeds.

Where the live game's actions end, all dice are thrown anew: those of generators in the
environment, of its spaces, of what functions hold, of modules and classes that its code
names, and of whole libraries. A step of the search throws them again. What draws its
chance from elsewhere is foreseen; `suspicions` looks for that.
"""

import copy
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import gymnasium
import numpy as np
from gymnasium import spaces

from mcts_agents.model.copying.cloning import Cloner
from mcts_agents.model.copying.comparing import first_difference
from mcts_agents.model.copying.copy_options import CopyOptions
from mcts_agents.model.copying.dice import Reached, reached_from, reseed
from mcts_agents.model.copying.faces import Face
from mcts_agents.model.copying.global_dice import global_states, throw_globally
from mcts_agents.model.copying.guards import with_parts
from mcts_agents.model.copying.remembering import (
    REMEMBERING,
    Situation,
    remember,
)
from mcts_agents.model.copying.snapshots import Scratch, Snapshot
from mcts_agents.model.copying.watchers import layers

# Tells the seed at the root from the first step's.
_ROOT = 0x2545F4914F6CDD1D


class _Future(NamedTuple):
    """The dice of one plan: where steps get seeds, and the seed at the root."""

    dice: np.random.Generator
    root: int


class Replays:
    """Puts replays where copies of an environment that remembers would stand.

    Args:
        options: What the user says of the environment, `CopyOptions.replay` too.
    """

    def __init__(self, options: CopyOptions):
        self._options = options
        self._recorder: Any = None
        # One for all plans: copies of an earlier plan may still be looked at.
        self._scratch: Scratch | None = None
        self._outside: Callable[[], list[Any]] = list
        self._shared: list[spaces.Space] = []
        self._future: _Future | None = None
        # The episode of the search's environment in which it was thrown at the root.
        self._thrown: tuple[int, _Future] | None = None
        self._generators: list[Any] = []
        self._episode = -1
        # For spaces that have no generator yet.
        self._unseeded = np.random.default_rng(0)

    @contextmanager
    def borrowing(
        self, outside: Callable[[], list[Any]], shared: list[spaces.Space]
    ) -> Iterator[None]:
        """Throw dice that lie outside, too, for as long as a plan goes on.

        Args:
            outside: Returns the random generators there.
            shared: The spaces there.
        """
        self._outside, self._shared, self._episode = outside, shared, -1
        try:
            yield
        finally:
            self._outside, self._shared = list, []
            self._generators, self._episode = [], -1

    def begin(self, cloner: Cloner, live: Face) -> None:
        """Let `cloner` put a replay where it meets the wrapper that remembers.

        Raises:
            ValueError: No layer of it remembers, `replay` makes another environment, or
                no random generator can be reached in it.
        """
        recorders = [each for each in layers(live.env) if isinstance(each, REMEMBERING)]
        if not recorders:
            raise ValueError(
                f"replay: {live.name} does not record its actions; wrap the live "
                "environment before its reset: env = mcts_agents.remember(env)"
            )
        recorder = self._recorder = recorders[0]
        if self._scratch is None:
            made = self._another(recorder, live.name)
            made.remembered.throw = self._throw
            self._scratch = Scratch(made, _situation, self._replay, shown=self._shown)
            self._scratch.throw = self._future_of
            self._scratch.use = self._use
        situation = recorder.remembered.situation()
        cloner.remember(recorder, Snapshot(self._scratch, situation))

    def _shown(self, env: Any) -> Any:
        """Return what can be seen of the live environment or the search's own.

        What was earned on the way tells games apart that came to look alike.
        """
        own = self._scratch is not None and env is self._scratch.core
        seen = env if own else self._recorder
        return [seen.outcome(), dict(seen.remembered.returns)]

    def _another(self, recorder: Any, name: str) -> Any:
        make = self._options.replay
        assert make is not None
        made = remember(make())
        if type(made) is not type(recorder) or str(made) != str(recorder):
            raise ValueError(
                f"replay: {make!r} made {made}, expected another {recorder}"
            )
        before = global_states()
        made.reset(**recorder.remembered.begun)
        known = self._options.deterministic or self._options.reseed is not None
        outside = [each for each in self._outside() if each is not None]
        if not (known or reached_from(made.env).generators or outside):
            if first_difference(before, global_states()) is None:
                raise ValueError(
                    f"replay: no random generator can be reached in {name}, so a "
                    "replay would reproduce the live environment's random numbers; if "
                    "the environment uses no randomness, pass deterministic=True"
                )
        return made

    def check(self, face: Face, live: Face, met: set[int]) -> None:
        """Nothing to check: what a replay shows is compared with every plan."""

    # -- dice

    def _future_of(self, dice: np.random.Generator) -> _Future:
        # Nothing is drawn: the first step gets the number that comes next.
        root = int(copy.deepcopy(dice).integers(2**63)) ^ _ROOT
        reseed(self._unseeded, np.random.default_rng(root))
        return _Future(dice, root)

    def _use(self, future: _Future | None) -> None:
        """Let what is loaded next have a future of its own; None: the live one."""
        assert self._scratch is not None
        self._future = future
        dice = None if future is None else future.dice
        self._scratch.core.remembered.dice = dice

    def _throw(self, seed: int) -> None:
        """Give the search's environment other dice everywhere."""
        assert self._scratch is not None
        made = self._scratch.core
        if self._episode != made.remembered.episode:  # a reset may make new generators
            self._generators = self._all_generators(made.env)
            self._episode = made.remembered.episode
        dice = np.random.default_rng(seed)
        for generator in self._generators:
            reseed(generator, dice)
        throw_globally(dice)
        if self._options.reseed is not None:
            self._options.reseed(made, dice)

    def _all_generators(self, env: Any) -> list[Any]:
        reached = Reached(env)
        parts = [part for space in _spaces_of(env) for part in with_parts(space)]
        found = [*reached.generators, *[part._np_random for part in parts]]
        while reached.waiting:
            reached.follow()
        others = [*reached.spaces, *self._shared]
        parts += [part for space in others for part in with_parts(space)]
        for part in parts:
            if part._np_random is None:  # else the system would seed it
                part._np_random = self._unseeded
        found += [*reached.generators, *[part._np_random for part in parts]]
        found += self._outside()
        without = {id(None), id(self._unseeded), id(self._dice())}
        return [each for key, each in by_id(found).items() if key not in without]

    def _dice(self) -> np.random.Generator | None:
        return None if self._future is None else self._future.dice

    # -- situations

    def _replay(self, made: Any, situation: Situation) -> None:
        """Take the environment through the actions that lead to a situation."""
        begun, steps = situation
        remembered = made.remembered
        dice, remembered.dice = remembered.dice, None
        try:
            if not self._goes_on(remembered, begun, steps):
                made.reset(**begun)
            for step in steps[len(remembered.steps) :]:
                if step[0] is not None:
                    self._throw_at_root(remembered)
                remembered.given = step
                made.step(copy.deepcopy(step[1]))  # which it may change
            self._throw_at_root(remembered)
            remembered.begun = begun
        finally:
            remembered.dice = dice

    def _goes_on(self, remembered: Any, begun: Any, steps: tuple[Any, ...]) -> bool:
        """Whether a situation is one that comes after that of the environment."""
        done = remembered.steps
        if remembered.begun is not begun or len(done) > len(steps):
            return False
        thrown = self._thrown is not None and self._thrown[0] == remembered.episode
        if thrown and self._thrown != (remembered.episode, self._future):
            return False
        return all(a is b for a, b in zip(done, steps, strict=False))

    def _throw_at_root(self, remembered: Any) -> None:
        """Leave none of the live dice behind where the live game's actions end."""
        at_root = remembered.episode, self._future
        if self._future is not None and self._thrown != at_root:
            self._thrown = at_root
            self._throw(self._future.root)


def by_id(values: list[Any]) -> dict[int, Any]:
    """Return values by their ids, each once, in their order."""
    return {id(value): value for value in values}


def _situation(made: Any) -> Situation:
    return made.remembered.situation()


def _spaces_of(env: Any) -> list[spaces.Space]:
    if isinstance(env, gymnasium.Env):
        return [env.action_space, env.observation_space]
    agents = env.possible_agents
    found = [env.action_space(agent) for agent in agents]
    return found + [env.observation_space(agent) for agent in agents]
