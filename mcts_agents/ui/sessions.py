"""The tables that are open: so many and no more, in memory only."""

import secrets
from collections.abc import Callable

from mcts_agents.ui.worker import Task, Worker

MOST_SESSIONS = 24
# Open sockets, of all sessions together and of one.
MOST_SOCKETS = 96
MOST_SOCKETS_EACH = 16
# Seconds that threads get to end with the server.
CLOSING_SECONDS = 2.0


class FullError(ValueError):
    """There is no room for another session or socket."""


class Sessions:
    """Workers by the ids of their sessions.

    With `MOST_SESSIONS` open, a new one takes the place of the oldest at which no page
    looks.
    """

    def __init__(self) -> None:
        self._workers: dict[str, Worker] = {}

    def open(self, make: Callable[[], Task]) -> str:
        """Start a worker; return its id.

        Raises:
            FullError: Pages look at all sessions there may be.
        """
        if len(self._workers) >= MOST_SESSIONS:
            idle = [key for key, one in self._workers.items() if not one.listening]
            if not idle:
                raise FullError(
                    f"{MOST_SESSIONS} games are open in pages, and there may be no "
                    "more: close one of them"
                )
            self._workers.pop(idle[0]).close()
        key = secrets.token_urlsafe(9)
        worker = Worker(make(), name=f"table {key}")
        self._workers[key] = worker
        worker.start()
        return key

    def find(self, key: str) -> Worker | None:
        """Return the worker of an id; None if there is none any more."""
        return self._workers.get(key)

    def check_room(self, worker: Worker) -> None:
        """Raise FullError if a worker can have no further socket."""
        sockets = sum(one.listening for one in self._workers.values())
        if sockets >= MOST_SOCKETS or worker.listening >= MOST_SOCKETS_EACH:
            raise FullError("too many pages are open: close some of them")

    def close(self) -> None:
        """End all threads."""
        workers = list(self._workers.values())
        self._workers = {}
        for worker in workers:
            worker.close()
        for worker in workers:
            worker.wait(CLOSING_SECONDS)
