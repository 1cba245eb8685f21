"""The copies of an environment that states of a search stand for.

Copying a state copies no environment: both states stand for the same copy from then
on, and one that is about to change takes a copy of its own first. So an environment
is copied as often as a search plays on from a state that it still needs, and not for
what only looks at one: a leaf that is valued, a position that is stored.
"""

import ctypes
from collections.abc import Callable

from mcts_agents.model.copying.faces import Face


class HeldCopy:
    """One copy of the environment and the returns since the plan's root.

    Args:
        face: The copy.
        returns: One number a player.
        legal: The legal actions of each player who was asked for them since the last
            step; copies of one situation share them.

    Attributes:
        holders: The number of states that stand for it.
    """

    __slots__ = ("face", "holders", "legal", "returns")

    def __init__(
        self,
        face: Face,
        returns: list[float],
        legal: dict[int, list[int]] | None = None,
    ):
        self.face = face
        self.returns = returns
        self.legal = {} if legal is None else legal
        self.holders = 0

    def clone(self, clone: Callable[[Face], Face]) -> "HeldCopy":
        """Return a copy in the same situation, with dice and so a future of its own."""
        return HeldCopy(clone(self.face), self.returns.copy(), self.legal)


class HeldCopies:
    """All copies of one model, by the handles that its states hold.

    A state is an int64: its handle, 0 before it stands for anything. A handle belongs
    to one place in memory and is never given away again.

    Args:
        name: The environment's name, for messages.
        clone: Copies an environment, with dice of its own.
    """

    def __init__(self, name: str, clone: Callable[[Face], Face]):
        self.name = name
        self._clone = clone
        self._held: dict[int, HeldCopy] = {}
        self._last_handle = 0

    def __len__(self) -> int:
        return len(self._held)

    def at(self, state: int) -> HeldCopy:
        """Return the copy that the state at an address stands for, to look at.

        Raises:
            RuntimeError: It stands for none any more.
        """
        held = self._held.get(ctypes.c_int64.from_address(state).value)
        if held is None:
            raise RuntimeError(
                f"{self.name}: this state is empty; states of a copied environment "
                "live inside `planning` only"
            )
        return held

    def own(self, state: int) -> HeldCopy:
        """Return the copy of a state, to change: no other state stands for it."""
        held = self.at(state)
        if held.holders > 1:
            held = held.clone(self._clone)
            self.store(state, held)
        return held

    def store(self, target: int, held: HeldCopy) -> int:
        """Let the state at an address stand for a copy; return its handle."""
        handle = ctypes.c_int64.from_address(target)
        if handle.value == 0:
            self._last_handle += 1
            handle.value = self._last_handle
        else:
            self.drop(handle.value)
        held.holders += 1
        self._held[handle.value] = held
        return handle.value

    def drop(self, handle: int) -> None:
        """Let the state of a handle stand for nothing."""
        before = self._held.pop(handle, None)
        if before is not None:
            before.holders -= 1

    def clear(self) -> None:
        """Let all states stand for nothing."""
        self._held.clear()
