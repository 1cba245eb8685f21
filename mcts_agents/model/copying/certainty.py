"""`deterministic=True`: the caller's word that there is no randomness is checked.

Some steps of a search are made twice, in two copies with different dice. Where they
come to different situations, the word was wrong, and an error says in what.
"""

from collections.abc import Callable

from mcts_agents.model import clock
from mcts_agents.model.copying.comparing import first_difference
from mcts_agents.model.copying.faces import Face
from mcts_agents.model.copying.held_copies import HeldCopy

# Steps that are made twice: in a model's first decision, and in each later one.
FIRST_CHECKS = 16
LATER_CHECKS = 2


class ChanceError(ValueError):
    """An environment that is said to be deterministic is not."""


class Certainty:
    """Checks the first steps of each decision; see above.

    Args:
        name: The environment's name, for messages.
        told: Whether the caller has given this word.
    """

    def __init__(self, name: str, told: bool):
        self.name = name
        self._told = told
        self._checks = FIRST_CHECKS
        self.due = 0

    def begin(self) -> None:
        """Begin a decision."""
        if self._told:
            self.due, self._checks = self._checks, LATER_CHECKS

    def step(
        self,
        held: HeldCopy,
        clone: Callable[[Face], Face],
        step: Callable[[Face, list[float]], None],
        has_changed: Callable[[], bool],
    ) -> None:
        """Make one step twice, in `held` and in a copy with other dice, and compare.

        Where the time of the search is up after the first, the second is left for
        another step.

        Args:
            held: The copy to step.
            clone: Copies a face, with dice of its own.
            step: Steps a face and adds to returns.
            has_changed: Says whether something has that copies share, which is another
                reason for two outcomes than chance; there is a warning then.

        Raises:
            ChanceError: They come to different situations.
        """
        twin = held.clone(clone)
        step(held.face, held.returns)
        changed = has_changed()
        watch = clock.running()
        if watch is not None and watch.look():
            return
        self.due -= 1
        step(twin.face, twin.returns)
        if has_changed() or changed:
            return
        mine, other = held.face, twin.face
        found = (
            first_difference(held.returns, twin.returns, "the sum of rewards")
            or first_difference(mine.shown(), other.shown(), "the observation")
            or mine.difference(other)
        )
        if found:
            raise ChanceError(
                f"deterministic=True: {self.name}: the same action from the same "
                "state had two outcomes in copies with different random numbers: "
                f"{found}. Leave out deterministic=True"
            )
