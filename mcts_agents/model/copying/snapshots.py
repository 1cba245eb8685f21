"""Snapshots instead of copies: one scratch environment for all situations.

Where an environment can say in which situation it is, and be put back into it, a copy
is no more than that situation. A `Snapshot` stands where a copy of the environment
would stand, below the wrappers, which are copied as always, and passes everything on to
the scratch environment; whoever is asked first has the scratch environment put into its
situation.

The live environment is neither stepped nor put into a situation.
"""

import weakref
from collections.abc import Callable
from typing import Any

# Pairs of methods by which environments give their situation and take it back.
METHODS = (("get_state", "set_state"), ("clone_state", "restore_state"))


class Scratch:
    """What many snapshots share: something that can be put into their situations.

    Args:
        core: An environment, or what an environment is made of, which nobody else uses.
        get: Returns its situation as something that later steps leave alone.
        put: Called with `core` and what `get` returned.
        is_harmless: Whether the use of an attribute of this name changes nothing.
        shown: Returns what of `core` is compared with the original.
    """

    def __init__(
        self,
        core: Any,
        get: Callable[[Any], Any],
        put: Callable[[Any, Any], Any],
        is_harmless: Callable[[str], bool] = lambda name: False,
        shown: Callable[[Any], Any] = lambda core: core,
    ):
        self.core, self.get, self.put = core, get, put
        self.is_harmless, self.shown = is_harmless, shown
        # Begins new dice for a plan, from the planner's; what it returns is kept with
        # the plan's snapshots.
        self.throw: Callable[[Any], Any] = lambda dice: None
        # Called with that as a snapshot is loaded; with None if it is an exact one.
        self.use: Callable[[Any], None] = lambda future: None
        # Makes another one, for whoever begins games anew in it.
        self.apart: Callable[[], Scratch] = lambda: self
        self._now: weakref.ref[Snapshot] | None = None

    def load(self, snapshot: "Snapshot") -> Any:
        """Put the core into the situation of a snapshot, and return it."""
        now = None if self._now is None else self._now()
        if now is not snapshot:
            self.keep()
            self.use(snapshot._future)
            self.put(self.core, snapshot._situation)
            self._now = weakref.ref(snapshot)
        return self.core

    def keep(self) -> None:
        """Let the snapshot whose situation this is take note of it."""
        now = None if self._now is None else self._now()
        if now is not None and now._situation is None:
            now._situation = self.get(self.core)

    def forget(self) -> None:
        """Note that the core is in the situation of no snapshot."""
        self._now = None

    def situation_of(self, snapshot: "Snapshot") -> Any:
        """Return the situation of a snapshot, taken from the core where it is newer."""
        if snapshot._situation is None:
            snapshot._situation = self.get(self.load(snapshot))
        return snapshot._situation


class Snapshot:
    """Stands for the core of a scratch environment in one situation.

    Args:
        scratch: What it shares with others.
        situation: What `scratch.get` returned.
        future: What `scratch.throw` returned for the plan that it belongs to.
    """

    __slots__ = ("__weakref__", "_future", "_scratch", "_situation")

    def __init__(self, scratch: Scratch, situation: Any, future: Any = None):
        object.__setattr__(self, "_scratch", scratch)
        object.__setattr__(self, "_situation", situation)
        object.__setattr__(self, "_future", future)

    def __getattr__(self, name: str) -> Any:
        scratch = self._scratch
        core = scratch.load(self)
        if not scratch.is_harmless(name):
            object.__setattr__(self, "_situation", None)
        return getattr(core, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "_situation":
            object.__setattr__(self, name, value)
            return
        core = self._scratch.load(self)
        object.__setattr__(self, "_situation", None)
        setattr(core, name, value)

    @property
    def __class__(self) -> type:
        """The class of what it stands for, so that `isinstance` tells the same."""
        return type(self._scratch.core)

    def __repr__(self) -> str:
        return repr(self._scratch.core)


def copied(snapshot: Snapshot) -> Snapshot:
    """Return a snapshot of the same situation."""
    scratch = snapshot._scratch
    return Snapshot(scratch, scratch.situation_of(snapshot), snapshot._future)


def throw_for(snapshot: Snapshot, dice: Any) -> None:
    """Give what a snapshot shares with others the dice of a new plan."""
    scratch = snapshot._scratch
    scratch.situation_of(snapshot)
    scratch.keep()  # another one may be looked at later
    object.__setattr__(snapshot, "_future", scratch.throw(dice))
    scratch.forget()


def set_apart(snapshot: Snapshot) -> None:
    """Give a snapshot a scratch of its own, as far as there can be another one."""
    scratch = snapshot._scratch
    scratch.situation_of(snapshot)
    object.__setattr__(snapshot, "_scratch", scratch.apart())


def compared(original: Any, snapshot: Snapshot) -> tuple[Any, Any]:
    """Return what is compared of an original and of a snapshot of it."""
    scratch = snapshot._scratch
    if type(original) is Snapshot:  # a copy that is planned on in its turn
        original = scratch.shown(scratch.load(original))
    else:
        original = scratch.shown(original)
    return original, scratch.shown(scratch.load(snapshot))
