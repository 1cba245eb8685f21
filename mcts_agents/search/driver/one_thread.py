"""What one thread at a time may use: a second one gets an error, not a wrong plan.

Compiled code runs without Python's lock, so two threads would write to the same arrays.
"""

import threading
from collections.abc import Callable
from functools import wraps
from typing import Any, Self


class OneThread:
    """Admits one thread at a time; that thread may come in again where that is allowed.

    A copy, by `copy` or `pickle`, is a new one that nobody uses.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._thread: int | None = None

    def __reduce__(self) -> tuple[type[Self], tuple[()]]:
        return type(self), ()

    @property
    def mine(self) -> bool:
        """Whether this very thread is inside."""
        return self._lock.locked() and self._thread == threading.get_ident()

    def call(
        self, refusal: Callable[[], str], function: Callable[..., Any], *args, **kwargs
    ) -> Any:
        """Call a function as the only one inside.

        Raises:
            RuntimeError: Another thread is inside; the message is that of `refusal`.
        """
        if self._lock.locked():
            raise RuntimeError(refusal())
        thread = threading.get_ident()
        # A thread that comes at this very moment waits. Python enters and leaves a
        # lock's block without a chance for a signal in between, so no Ctrl-C leaves it
        # locked.
        with self._lock:
            self._thread = thread
            return function(*args, **kwargs)


def one_thread(method: Callable[..., Any]) -> Callable[..., Any]:
    """Let one thread at a time into the methods of an agent that are decorated so."""

    @wraps(method)
    def guarded(self: Any, *args: Any, **kwargs: Any) -> Any:
        if self._one_thread.mine:
            return method(self, *args, **kwargs)

        def refusal() -> str:
            return (
                f"{self!r} is deciding in another thread; an agent serves one thread "
                "at a time, so give each thread its own, such as copy.deepcopy(agent)"
            )

        return self._one_thread.call(refusal, method, self, *args, **kwargs)

    return guarded
