"""`CopyPlan`: how the copies of one plan are made, found out with its first copy."""

from collections.abc import Callable
from typing import Any

import numpy as np

from mcts_agents.model.copying.cloning import Cloner
from mcts_agents.model.copying.cloning_constants import noted, warn_of_changes
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
        self._constants: list[tuple[Any, dict[str, Any]]] = []

    def first(self, face: Face) -> Face:
        """Return the copy that all others come from."""
        cloner = Cloner(self._dice)
        copied = face.clone(cloner)
        shared = cloner.generators + cloner.constants
        self._shared = {id(value): value for value in shared}
        self._constants = noted(cloner.constants)
        for snapshot in cloner.snapshots:
            throw_for(snapshot, self._dice)
        return self._reseeded(copied)

    def copy(self, face: Face) -> Face:
        """Return a copy of the first copy, or of one that came from it."""
        cloner = Cloner(self._dice)
        cloner.memo.update(self._shared)
        return self._reseeded(face.clone(cloner))

    def _reseeded(self, copied: Face) -> Face:
        """Give a copy another future where only its user knows how."""
        if self._reseed is not None:
            self._reseed(copied.env, self._dice)
        return copied

    def end(self) -> None:
        """Look whether what was shared has changed; see `warn_of_changes`."""
        warn_of_changes(self._constants)
