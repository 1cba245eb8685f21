"""`Copier`: what the ways to copy a thing know of the copy that is being made."""

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from gymnasium import spaces

from mcts_agents.model.copying.cloning_kinds import UncopyableEnvironmentError


class Copier(ABC):
    """Copies one object graph.

    Args:
        dice: Where the copy's random generators take their numbers from; None makes an
            exact copy, generators included, and pictures too.

    Attributes:
        generators: The original random generators met by an exact copy.
        spaces: The spaces met by an exact copy (shared, their generators with them).
    """

    def __init__(self, dice: np.random.Generator | None = None) -> None:
        self.dice = dice
        self.generators: list[Any] = []
        self.spaces: list[spaces.Space] = []
        self._memo: dict[int, Any] = {}
        # Originals are kept alive as long as their ids stand in the memo.
        self._alive: list[Any] = []
        self._memo[id(self._memo)] = self._alive

    @abstractmethod
    def clone(self, value: Any) -> Any:
        """Return a copy of `value` that shares nothing that can change with it.

        Raises:
            UncopyableEnvironmentError: Something cannot be copied; the message gives
                the way to it from `value`.
        """

    def remember(self, value: Any, twin: Any) -> Any:
        """Note the copy of `value`, before its parts are copied."""
        self._memo[id(value)] = twin
        self._alive.append(value)
        return twin

    def known(self, value: Any) -> Any:
        """Return the copy of `value` if it was made already."""
        return self._memo.get(id(value))

    def met(self) -> list[Any]:
        """Return the originals of all copies."""
        return list(self._alive)

    def forget(self, count: int) -> None:
        """Forget all copies but the first `count`."""
        for value in self._alive[count:]:
            self._memo.pop(id(value), None)
        del self._alive[count:]

    def part(self, owner: Any, name: object, value: Any) -> Any:
        """Copy a part of an object; an error names the part."""
        try:
            return self.clone(value)
        except UncopyableEnvironmentError as error:
            label = f"{type(owner).__name__}.{name}"
            raise UncopyableEnvironmentError(f"{label} -> {error}") from error
