"""`interrupt_held`: what Ctrl-C must not break into."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

# Seconds that a wait may take inside `interrupt_held`, again and again.
PATIENCE = 0.2


class _Noting:
    """The handler of Ctrl-C while it is held."""

    def __init__(self, before: Callable[[int, FrameType | None], object]):
        self.before = before
        self.noted = False
        self.told: list[Callable[[], None]] = []

    def __call__(self, number: int, frame: FrameType | None) -> None:
        if self.noted:
            self.before(number, frame)
        self.noted = True
        for told in self.told:
            told()


@contextmanager
def interrupt_held(told: Callable[[], None] = lambda: None) -> Iterator[None]:
    """Hear the first Ctrl-C when this is done; the second one at once.

    Python raises `KeyboardInterrupt` between any two steps of the main thread, also
    between the one that takes a lock and the one that would give it back. Whoever waits
    for that lock then waits for ever. Inside another `interrupt_held`, the first one is
    heard when the outer one is done.

    Args:
        told: Called when the first one comes.
    """
    handler = signal.getsignal(signal.SIGINT)
    main = threading.current_thread() is threading.main_thread()
    if not main or not callable(handler):
        yield
        return
    if isinstance(handler, _Noting):
        handler.told.append(told)
        try:
            yield
        finally:
            handler.told.remove(told)
        return
    noting = _Noting(handler)
    noting.told.append(told)
    signal.signal(signal.SIGINT, noting)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
        if noting.noted:
            handler(signal.SIGINT, None)
