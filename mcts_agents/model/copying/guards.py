"""What planning on copies of an environment borrows from the process, and gives back.

Random generators that no copy has for itself (`global_dice`, and those of shared
spaces) draw from the planner's dice while planning goes on. Signals are noted,
because an exception at the entry of a callback out of compiled code is lost.
"""

import gc
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import CodeType, FrameType
from typing import Any

import numpy as np
from gymnasium import spaces

from mcts_agents.model.copying.dice import restore, state_of
from mcts_agents.model.copying.global_dice import (
    global_states,
    restore_globally,
    seed_globally,
)

_PLANNING = threading.RLock()
# Signals whose Python handlers raise exceptions: Ctrl-C, those of time limits, and
# those that programs send themselves.
_SIGNALS = tuple(
    getattr(signal, name)
    for name in (
        *("SIGINT", "SIGTERM", "SIGALRM", "SIGVTALRM", "SIGPROF", "SIGXCPU"),
        *("SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGBREAK"),
    )
    if hasattr(signal, name)
)

# Stands for no full collections of garbage; and for how many seconds at the most, in
# case that what should end it was interrupted.
_NEVER = 2**31 - 1
_LONGEST = 2.0


class _FullCollections:
    """Puts full collections of garbage off, for a second or so.

    A full collection looks at every object of the program, which takes 20 to 50 ms in
    a large one. What was made lately is collected as always. Only who has switched them
    off switches them on again, so with decisions in several threads, which never end
    all at once, one is done whenever any of these ends.
    """

    def __init__(self) -> None:
        self._third = gc.get_threshold()[2]
        self._since = 0.0

    @contextmanager
    def put_off(self) -> Iterator[None]:
        """Do without full collections for as long as the context lasts."""
        *younger, third = gc.get_threshold()
        if third == _NEVER:
            if time.monotonic() - self._since > _LONGEST:
                gc.set_threshold(*younger, self._third)
            yield
            return
        try:
            self._third, self._since = third, time.monotonic()
            gc.set_threshold(*younger, _NEVER)
            yield
        finally:
            *younger, now = gc.get_threshold()
            if now == _NEVER:  # else somebody has changed it meanwhile
                gc.set_threshold(*younger, third)


no_full_collections = _FullCollections().put_off


@contextmanager
def one_thread(name: str) -> Iterator[None]:
    """Refuse to plan on copies in two threads at once: they share global generators.

    Raises:
        RuntimeError: Another thread is planning.
    """
    if not _PLANNING.acquire(blocking=False):
        raise RuntimeError(
            f"{name}: another thread is planning on copies of an environment, which "
            "borrow the global random generators; plan in processes instead"
        )
    try:
        yield
    finally:
        _PLANNING.release()


@contextmanager
def global_generators(dice: np.random.Generator) -> Iterator[None]:
    """Let the generators of whole libraries draw from `dice` for a while."""
    before = global_states()
    try:
        seed_globally(dice)
        yield
    finally:
        restore_globally(before)


@contextmanager
def unchanged(generators: Iterable[Any]) -> Iterator[None]:
    """Put random generators back to where they were."""
    before = [(generator, state_of(generator)) for generator in generators]
    try:
        yield
    finally:
        for generator, state in before:
            restore(generator, state)


@contextmanager
def space_generators(
    found: Iterable[spaces.Space], dice: np.random.Generator
) -> Iterator[None]:
    """Let spaces, which copies share with the live environment, draw from `dice`."""
    before = {id(s): (s, s._np_random) for space in found for s in with_parts(space)}
    try:
        for space, _ in before.values():
            space._np_random = dice
        yield
    finally:
        for space, generator in before.values():
            space._np_random = generator


@contextmanager
def alike_dice(
    generators: Iterable[Any], shared: Iterable[spaces.Space]
) -> Iterator[None]:
    """Let dice that many share fall alike each time.

    Args:
        generators: Random generators, put back; not those of whole libraries, which
            begin anew and must be borrowed (`global_generators`).
        shared: Spaces, which may have no generator yet.
    """
    dice = np.random.default_rng(0)
    seed_globally(dice)
    with unchanged(generators), space_generators(shared, dice):
        yield


@contextmanager
def spaces_unchanged(found: Iterable[spaces.Space]) -> Iterator[None]:
    """Put the generators of spaces back, whatever others seed or draw meanwhile."""
    before = {id(s): (s, s._np_random) for space in found for s in with_parts(space)}
    generators = [own for _, own in before.values() if own is not None]
    try:
        with unchanged(generators):
            yield
    finally:
        for space, own in before.values():
            space._np_random = own


def with_parts(
    space: spaces.Space, met: set[int] | None = None
) -> Iterator[spaces.Space]:
    """Give a space and all spaces inside, each once: those of a Graph, too."""
    met = set() if met is None else met
    if id(space) in met:
        return
    met.add(id(space))
    yield space
    inside = dict(vars(space))
    parts = inside.pop("spaces", ())
    listed = parts.values() if isinstance(parts, dict) else parts
    for part in (*listed, *inside.values()):
        if isinstance(part, spaces.Space):
            yield from with_parts(part, met)


class _RaisedInSignals:
    """Whether a signal's handler has raised while something was planned."""

    def __init__(self) -> None:
        self.count = 0
        self._depth = 0

    @contextmanager
    def noted(self) -> Iterator[None]:
        """Begin to count, unless somebody else has."""
        if self._depth == 0:
            self.count = 0
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1


_raised_in_signals = _RaisedInSignals()


def signal_has_raised() -> bool:
    """Whether an exception may come from a signal's handler, such as a time limit's.

    Nobody but the caller of the agent may catch such an exception; it may have come out
    of an environment's function as the cause of another one.
    """
    return _raised_in_signals.count > 0


@contextmanager
def noted_signals(
    note: Callable[[BaseException], None], callback: CodeType
) -> Iterator[None]:
    """Hand to `note` what a signal's handler raises in the frame of a C callback.

    Python runs handlers at the entry of functions. In a function that compiled code
    calls, that is before its first `try`: the exception would be printed and lost, and
    compiled code would go on with a number that means nothing.

    Args:
        note: Called with the exception.
        callback: The code of the function that compiled code calls.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {}
    try:
        for number in _SIGNALS:
            handler = signal.getsignal(number)
            if callable(handler):
                before[number] = handler
                signal.signal(number, _noting(handler, note, callback))
        with _raised_in_signals.noted():
            yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _noting(
    handler: Callable[[int, FrameType | None], Any],
    note: Callable[[BaseException], None],
    callback: CodeType,
) -> Callable[[int, FrameType | None], None]:
    def handle(number: int, frame: FrameType | None) -> None:
        try:
            handler(number, frame)
        except BaseException as error:
            _raised_in_signals.count += 1
            if frame is None or frame.f_code is not callback:
                raise
            note(error)

    return handle
