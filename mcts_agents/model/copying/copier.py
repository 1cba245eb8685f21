"""`Copier`: what the ways to copy a thing know of the copy that is being made."""

from collections.abc import Callable
from typing import Any

import numpy as np
from gymnasium import spaces

from mcts_agents.model.copying.cloning_kinds import (
    UNCOPIED_EXACTLY,
    UNCOPIED_WITH_DICE,
    UncopyableEnvironmentError,
)
from mcts_agents.model.copying.snapshots import Snapshot


class Copier:
    """Copies one object graph.

    Args:
        dice: Where the copy's random generators take their numbers from; None makes an
            exact copy, generators included, and pictures too.

    Attributes:
        generators: The random generators met by an exact copy; those made by a copy
            with dice.
        spaces: The spaces met by an exact copy (shared, their generators with them).
        constants: The objects that a copy with dice shares with its original because
            their classes declare them constant; see `cloning_constants`.
        snapshots: The snapshots made.
        arrays: The arrays met by an exact copy.
        hashes: Dictionaries and sets with a copied key each, and the hash that it had
            when it was put into the copy; in an exact copy.
        strangers: What it met that may stand over memory of others without saying so.
        memo: The copies made so far, by the ids of their originals. Whoever calls
            `clone` with something that nobody else holds has to `keep` it, since ids
            are given again.
        uncopied: The classes whose objects are never copied, in such a copy.
        handlers: How objects of each class are copied.
    """

    handlers: dict[type, Callable[["Copier", Any], Any]]

    def __init__(self, dice: np.random.Generator | None = None) -> None:
        self.dice = dice
        self.generators: list[Any] = []
        self.spaces: list[spaces.Space] = []
        self.constants: list[Any] = []
        self.snapshots: list[Snapshot] = []
        self.arrays: list[np.ndarray] = []
        self.hashes: list[tuple[Any, Any, int]] = []
        self.strangers: list[Any] = []
        self.memo: dict[int, Any] = {}
        self.uncopied = UNCOPIED_EXACTLY if dice is None else UNCOPIED_WITH_DICE
        self._kept: list[Any] = []

    def clone(self, value: Any) -> Any:
        """Return a copy of `value` that shares nothing that can change with it.

        Raises:
            UncopyableEnvironmentError: Something cannot be copied; the message gives
                the way to it from `value`.
        """
        kind = type(value)
        if kind in self.uncopied:
            return value
        known = self.memo.get(id(value))
        return self.handlers[kind](self, value) if known is None else known

    def remember(self, value: Any, twin: Any) -> Any:
        """Note the copy of `value`, before its parts are copied."""
        self.memo[id(value)] = twin
        return twin

    def known(self, value: Any) -> Any:
        """Return the copy of `value` if it was made already."""
        return self.memo.get(id(value))

    def keep(self, value: Any) -> Any:
        """Keep something alive that only the copying holds, and return it."""
        self._kept.append(value)
        return value

    def met(self) -> tuple[set[int], list[Any]]:
        """Return the ids of all originals, and their copies."""
        return set(self.memo), list(self.memo.values())

    def forget(self, count: int) -> None:
        """Forget all copies but the first `count`."""
        while len(self.memo) > count:
            self.memo.popitem()

    def part(self, owner: Any, name: object, value: Any) -> Any:
        """Copy a part of an object; an error names the part."""
        try:
            return self.clone(value)
        except UncopyableEnvironmentError as error:
            raise named(owner, name, error) from error


def named(
    owner: Any, name: object, error: UncopyableEnvironmentError
) -> UncopyableEnvironmentError:
    """Return the error with the name of the part of `owner` that it is about."""
    return UncopyableEnvironmentError(f"{type(owner).__name__}.{name} -> {error}")
