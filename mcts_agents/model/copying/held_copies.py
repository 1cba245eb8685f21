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
        is_lent: Whether a function of the user may change it at any time.
    """

    __slots__ = ("face", "holders", "is_lent", "legal", "returns")

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
        self.is_lent = False

    def clone(self, clone: Callable[[Face], Face]) -> "HeldCopy":
        """Return a copy in the same situation, with dice and so a future of its own."""
        legal = None if self.is_lent else self.legal
        return HeldCopy(clone(self.face), self.returns.copy(), legal)


class HeldCopies:
    """All copies of one model, by the handles that its states hold.

    A state begins with two int64: the handle of what it stands for, 0 for nothing yet,
    and its own handle, which belongs to one place in memory and is never given away
    again. They differ only where a state stands for the plan's root, which never
    changes: compiled code makes such copies by itself (`situations.copy`).

    Args:
        name: The environment's name, for messages.
        clone: Copies an environment, with dice of its own.
    """

    def __init__(self, name: str, clone: Callable[[Face], Face]):
        self.name = name
        self._clone = clone
        self.held: dict[int, HeldCopy] = {}
        self._last_handle = 0

    def __len__(self) -> int:
        return len(self.held)

    def at(self, state: int) -> HeldCopy:
        """Return the copy that the state at an address stands for, to look at.

        Raises:
            RuntimeError: It stands for none any more.
        """
        return self.of(ctypes.c_int64.from_address(state).value)

    def of(self, handle: int) -> HeldCopy:
        """Return the copy of a handle; see `at`."""
        held = self.held.get(handle)
        if held is None:
            raise RuntimeError(
                f"{self.name}: this state is empty; states of a copied environment "
                "live inside `planning` only"
            )
        return held

    def own(self, handle: int, own: int) -> tuple[HeldCopy, int]:
        """Return a copy to change, which no other state stands for, and its handle.

        Args:
            handle: Of what the state stands for.
            own: The state's own handle, 0 if it has none yet.
        """
        held = self.held.get(handle)
        if handle == own and held is not None and held.holders == 1:
            return held, own
        return self.store(own, self.of(handle).clone(self._clone))

    def store(self, own: int, held: HeldCopy) -> tuple[HeldCopy, int]:
        """Let the state of a handle, 0 for a new one, stand for a copy; return both."""
        if own == 0:
            self._last_handle += 1
            own = self._last_handle
        else:
            self.drop(own)
        held.holders += 1
        self.held[own] = held
        return held, own

    def drop(self, handle: int) -> None:
        """Let the state of a handle stand for nothing."""
        before = self.held.pop(handle, None)
        if before is not None:
            before.holders -= 1

    def clear(self) -> None:
        """Let all states stand for nothing."""
        self.held.clear()
