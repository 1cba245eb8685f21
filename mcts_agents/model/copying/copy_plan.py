"""`CopyPlan`: how the copies of one plan are made, found out with its first copy."""

from collections.abc import Callable
from typing import Any

import numpy as np

from mcts_agents.model.copying.cloning import Cloner
from mcts_agents.model.copying.cloning_constants import SharedConstants
from mcts_agents.model.copying.faces import Face
from mcts_agents.model.copying.snapshots import throw_for


class CopyPlan:
    """Makes the copies that one search steps.

    The first copy gets random generators of its own, seeded by the planner. The copies
    of this copy share them: a search plays one copy at a time, so each of them draws
    numbers that no other has drawn, and to seed a generator takes longer than all the
    rest of many games (39 microseconds for a `numpy.random.RandomState`). Generators
    that an environment makes while it is stepped are still replaced by fresh ones.
    (Only where an environment itself puts a generator back into an earlier state would
    several copies meet the same numbers.)

    The copies also share what cannot change; see `cloning_constants`.

    Args:
        dice: The planner's.
        reseed: See `CopyOptions`.
    """

    def __init__(
        self, dice: np.random.Generator, reseed: Callable[..., Any] | None = None
    ):
        self._dice = dice
        self._reseed = reseed
        self._shared: dict[int, Any] = {}
        self._constants = SharedConstants()

    def first(self, face: Face) -> Face:
        """Return the copy that all others come from."""
        cloner = Cloner(self._dice)
        copied = face.clone(cloner)
        shared = cloner.generators + cloner.constants
        self._shared = {id(value): value for value in shared}
        self._constants.note(cloner.constants)
        for snapshot in cloner.snapshots:
            throw_for(snapshot, self._dice)
        return self._reseeded(copied)

    def copy(self, face: Face) -> Face:
        """Return a copy of the first copy, or of one that came from it."""
        self.check_sometimes()
        cloner = Cloner(self._dice)
        cloner.memo.update(self._shared)
        copied = face.clone(cloner)
        if cloner.constants:  # which a step has made
            self._constants.note(cloner.constants)
        return self._reseeded(copied)

    def _reseeded(self, copied: Face) -> Face:
        """Give a copy another future where only its user knows how."""
        if self._reseed is not None:
            self._reseed(copied.env, self._dice)
        return copied

    def check_sometimes(self) -> None:
        """See whether what was shared has changed, ever more rarely."""
        if self._constants.is_due():
            self.check()

    def check(self) -> bool:
        """Return whether what was shared has changed; share it no more.

        Warns:
            UserWarning: It has; see `SharedConstants.changed`.
        """
        changed = self._constants.changed()
        for place in changed:
            self._shared.pop(place, None)
        return bool(changed)
