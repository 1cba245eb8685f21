"""Copies by replay: a fresh environment that is taken through the same actions.

A search has one such environment. To put it into a situation takes a reset and all
actions since, those of the live game with the dice that it has thrown, those of the
search with dice of its own, which are noted as seeds.
"""

import copy
from collections.abc import Callable
from typing import Any

from mcts_agents.model.copying.cloning import Cloner
from mcts_agents.model.copying.dice import generators_in
from mcts_agents.model.copying.faces import Face
from mcts_agents.model.copying.remembering import (
    REMEMBERING,
    Situation,
    remember,
)
from mcts_agents.model.copying.snapshots import Scratch, Snapshot
from mcts_agents.model.copying.watchers import layers


class Replays:
    """Puts replays where copies of an environment that remembers would stand.

    Args:
        make: `CopyOptions.replay`.
    """

    def __init__(self, make: Callable[[], Any]):
        self._make = make
        self._recorder: Any = None
        # One for all plans: copies of an earlier plan may still be looked at.
        self._scratch: Scratch | None = None

    def begin(self, cloner: Cloner, live: Face) -> None:
        """Let `cloner` put a replay where it meets the wrapper that remembers.

        Raises:
            ValueError: No layer of it remembers, `make` makes another environment, or
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
            self._scratch = Scratch(made, _situation, _replay, shown=self._shown)
            self._scratch.throw = lambda dice: setattr(made.remembered, "dice", dice)
        self._scratch.core.remembered.dice = None
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
        made = remember(self._make())
        if type(made) is not type(recorder) or str(made) != str(recorder):
            raise ValueError(
                f"replay: {self._make!r} made {made}, expected another {recorder}"
            )
        made.reset(**recorder.remembered.begun)
        if not generators_in(made.env):
            raise ValueError(
                f"replay: no random generator can be reached in {name}, so a replay "
                "would foresee the live environment's random numbers"
            )
        return made

    def check(self, face: Face, live: Face, met: set[int]) -> None:
        """Nothing to check: what a replay shows is compared with every plan."""


def _situation(made: Any) -> Situation:
    return made.remembered.situation()


def _replay(made: Any, situation: Situation) -> None:
    """Take the search's environment through the actions that lead to a situation."""
    begun, steps = situation
    remembered = made.remembered
    done = remembered.steps
    dice, remembered.dice = remembered.dice, None
    try:
        goes_on = remembered.begun is begun and len(done) <= len(steps)
        if not goes_on or any(a is not b for a, b in zip(done, steps, strict=False)):
            made.reset(**begun)
            done = remembered.steps
        for step in steps[len(done) :]:
            remembered.given = step
            # A copy, since a step may change what it is given.
            made.step(copy.deepcopy(step[1]))
        remembered.begun = begun
    finally:
        remembered.dice = dice
