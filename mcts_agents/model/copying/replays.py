"""Copies by replay: a fresh environment that is taken through the same actions.

A search has one such environment. To put it into a situation takes a reset and all
actions since, those of the live game with the dice that it has thrown, those of the
search with dice of its own, which are noted as seeds.
"""

from collections.abc import Callable
from typing import Any

from mcts_agents.model.copying.cloning import Cloner
from mcts_agents.model.copying.dice import generators_in
from mcts_agents.model.copying.faces import Face
from mcts_agents.model.copying.recording import RECORDED, Situation, recorded
from mcts_agents.model.copying.snapshots import Scratch, Snapshot
from mcts_agents.model.copying.watchers import layers


class Replays:
    """Puts replays where copies of a recorded environment would stand.

    Args:
        make: `CopyOptions.replay`.
    """

    def __init__(self, make: Callable[[], Any]):
        self._make = make
        self._made: Any = None

    def begin(self, cloner: Cloner, live: Face) -> None:
        """Let `cloner` put a replay where it meets the recorded environment.

        Raises:
            ValueError: No layer of it is recorded, `make` makes another environment, or
                no random generator can be reached in it.
        """
        recorders = [layer for layer in layers(live.env) if isinstance(layer, RECORDED)]
        if not recorders:
            raise ValueError(
                f"replay: {live.name} does not note what was played; wrap the live "
                "environment with mcts_agents.wrappers.recorded(env) before its reset"
            )
        recorder = recorders[0]
        if self._made is None:
            self._made = self._another(recorder, live.name)
        made = self._made
        made.recording.dice = None
        scratch = Scratch(made, _situation, _replay, shown=_shown)
        scratch.throw = lambda dice: setattr(made.recording, "dice", dice)
        cloner.remember(recorder, Snapshot(scratch, recorder.recording.situation()))

    def _another(self, recorder: Any, name: str) -> Any:
        made = recorded(self._make())
        if type(made) is not type(recorder) or str(made) != str(recorder):
            raise ValueError(
                f"replay: {self._make!r} made {made}, expected another {recorder}"
            )
        made.reset(**recorder.recording.begun)
        if not generators_in(made.env):
            raise ValueError(
                f"replay: no random generator can be reached in {name}, so a replay "
                "would foresee the dice that the live environment is about to throw"
            )
        return made

    def check(self, face: Face) -> None:
        """Nothing to check: what a replay shows is compared with every plan."""


def _situation(made: Any) -> Situation:
    return made.recording.situation()


def _shown(env: Any) -> Any:
    return env.recording.outcome


def _replay(made: Any, situation: Situation) -> None:
    """Take the search's environment through the actions that lead to a situation."""
    begun, steps = situation
    recording = made.recording
    done = recording.steps
    dice, recording.dice = recording.dice, None
    try:
        goes_on = recording.begun is begun and len(done) <= len(steps)
        if not goes_on or any(a is not b for a, b in zip(done, steps, strict=False)):
            made.reset(**begun)
            done = recording.steps
        for step in steps[len(done) :]:
            recording.given = step
            made.step(step[1])
        recording.begun = begun
    finally:
        recording.dice = dice
