"""Who is told what happens at a table: one listener for each open socket.

A listener keeps the newest message of each kind until its socket has sent it. So a slow
page gets fewer pictures instead of late ones, and memory stays bounded.
"""

import asyncio
import threading
from collections.abc import Callable
from typing import Any

# Messages that wait for a socket; the oldest are dropped.
MOST_WAITING = 64


class Listener:
    """A page that is told about a table.

    Args:
        loop: The event loop of the page's socket.
        seat: The seat that the page asks for; None if it asks for none.

    Attributes:
        viewer: Whose view the page gets, once the table has admitted it.
        admitted: Whether it has.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, seat: int | None):
        self.seat = seat
        self.viewer: int | None = None
        self.admitted = False
        self._loop = loop
        self._lock = threading.Lock()
        self._waiting: dict[str, dict[str, Any]] = {}
        self._news = asyncio.Event()
        self._closed = False

    def tell(self, key: str, message: dict[str, Any]) -> None:
        """Have a message sent, in place of an older one of the same key.

        Any thread may call this.
        """
        with self._lock:
            if self._closed:
                return
            self._waiting.pop(key, None)
            self._waiting[key] = message
            while len(self._waiting) > MOST_WAITING:
                del self._waiting[next(iter(self._waiting))]
            self._call(self._news.set)

    def close(self) -> None:
        """Tell nothing more; any thread may call this."""
        with self._lock:
            self._closed = True
            self._call(self._news.set)

    def _call(self, function: Callable[[], None]) -> None:
        try:
            self._loop.call_soon_threadsafe(function)
        except RuntimeError:  # the server is gone
            self._closed = True

    async def next(self) -> list[dict[str, Any]] | None:
        """Return the messages that wait, when there are some; None: there are no more.

        It takes no processor time until then.
        """
        while True:
            await self._news.wait()
            with self._lock:
                self._news.clear()
                messages = list(self._waiting.values())
                self._waiting = {}
                if messages:
                    if self._closed:
                        self._news.set()
                    return messages
                if self._closed:
                    return None
