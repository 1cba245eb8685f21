"""`interrupt_held`: what Ctrl-C must not break into."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

# Seconds that a wait may take inside `interrupt_held`, again and again.
PATIENCE = 0.2


@contextmanager
def interrupt_held(told: Callable[[], None] = lambda: None) -> Iterator[None]:
    """Hear the first Ctrl-C when this is done; the second one at once.

    Python raises `KeyboardInterrupt` between any two steps of the main thread, also
    between the one that takes a lock and the one that would give it back. Whoever waits
    for that lock then waits for ever.

    Args:
        told: Called when the first one comes.
    """
    handler = signal.getsignal(signal.SIGINT)
    main = threading.current_thread() is threading.main_thread()
    if not main or not callable(handler):
        yield
        return
    noted = []

    def note(number: int, frame: FrameType | None) -> None:
        if noted:
            handler(number, frame)
        noted.append(number)
        told()

    signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
        if noted:
            handler(signal.SIGINT, None)
