"""A thread for each table, the only one that touches its game and its searches.

Sockets put commands into its mailbox, and it tells listeners what happens. Between two
commands it works: a slice of a search, a move of an agent. A table at which nothing is
to be done waits without taking any processor time.
"""

import queue
import threading
import traceback
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

from mcts_agents.names import shortened
from mcts_agents.ui.audience import Listener

# Commands that wait; a page that sends more is told to wait.
MOST_COMMANDS = 64
MOST_TOLD = 1000

Job = Callable[[], None]


class Task(ABC):
    """What a worker works on; all its methods run in the worker's thread.

    Attributes:
        listeners: The pages that are told.
    """

    def __init__(self) -> None:
        self.listeners: list[Listener] = []

    @abstractmethod
    def prepare(self) -> None:
        """Get ready; an exception ends the worker."""

    @abstractmethod
    def join(self, listener: Listener) -> None:
        """Admit a page and tell it all it may know."""

    @abstractmethod
    def handle(self, command: Any, listener: Listener) -> None:
        """Do what a page asks for; a ValueError or RuntimeError is told to it."""

    @abstractmethod
    def work(self) -> None:
        """Do a slice of work."""

    @property
    @abstractmethod
    def delay(self) -> float | None:
        """Seconds after which there is work; 0: now, None: none."""

    def left(self) -> None:  # noqa: B027
        """The last page is gone."""

    def interrupt(self) -> None:  # noqa: B027
        """End what is being done now; the one method that other threads call."""

    def close(self) -> None:  # noqa: B027
        """Give back what the task holds."""


class Worker:
    """A task and its thread.

    Args:
        task: The task.
        name: Name of the thread.

    Attributes:
        listening: How many pages are connected.
        failed: Why the task ended; empty if it did not.
    """

    def __init__(self, task: Task, name: str):
        self.task = task
        self.listening = 0
        self.failed: dict[str, Any] | None = None
        self._mailbox: queue.SimpleQueue[Job] = queue.SimpleQueue()
        # Pages that come and go always get a place in the mailbox, commands may not.
        self._room = threading.Semaphore(MOST_COMMANDS)
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    @property
    def alive(self) -> bool:
        """Whether the thread runs."""
        return self._thread.is_alive()

    def join(self, listener: Listener) -> None:
        """Add a page."""
        self.listening += 1
        if self.failed is not None:
            listener.tell("failed", self.failed)
            return
        self.task.listeners = [*self.task.listeners, listener]
        self._mailbox.put(lambda: self._join(listener))

    def leave(self, listener: Listener) -> None:
        """Remove a page; with the last one, what is being searched ends."""
        self.listening -= 1
        listener.close()
        self.task.listeners = [one for one in self.task.listeners if one != listener]
        if not self.task.listeners and not self._closing.is_set():
            self.task.interrupt()
            self._mailbox.put(self._left)

    def send(self, command: Any, listener: Listener) -> bool:
        """Put a command into the mailbox; return whether there was room for it."""
        if not self._room.acquire(blocking=False):
            return False
        self._mailbox.put(lambda: self._handle(command, listener))
        return True

    def close(self) -> None:
        """End the thread when what it does now is done, which is told to end."""
        self._closing.set()
        self.task.interrupt()
        self._mailbox.put(lambda: None)

    def wait(self, seconds: float) -> bool:
        """Wait until the thread has ended; return whether it has."""
        self._thread.join(seconds)
        return not self.alive

    # -- in the thread

    def _run(self) -> None:
        try:
            self.task.prepare()
            while not self._closing.is_set():
                self._one_round()
        except (
            BaseException
        ) as error:  # SystemExit, too, would end the thread in silence
            self._fail(error)
        finally:
            self.task.close()
            for listener in self.task.listeners:
                listener.close()

    def _one_round(self) -> None:
        """Do the commands that wait; if there are none, a slice of work."""
        delay = self.task.delay
        try:
            if delay == 0:
                job = self._mailbox.get_nowait()
            else:
                job = self._mailbox.get(timeout=delay)
        except queue.Empty:
            self.task.work()
            return
        job()

    def _join(self, listener: Listener) -> None:
        if listener in self.task.listeners:
            self._told(lambda: self.task.join(listener), listener)

    def _left(self) -> None:
        if not self.task.listeners:
            self.task.left()

    def _handle(self, command: Any, listener: Listener) -> None:
        self._room.release()
        # What a page asked for before it was closed is not wanted any more.
        if listener.admitted and listener in self.task.listeners:
            self._told(lambda: self.task.handle(command, listener), listener)

    def _told(self, job: Job, listener: Listener) -> None:
        """Do a job, and tell a page why it is refused."""
        try:
            job()
        except (ValueError, RuntimeError) as error:
            listener.tell("refused", refusal(str(error)))
        except Exception as error:  # of an agent or environment of somebody else
            traceback.print_exc()
            listener.tell("refused", refusal(f"{type(error).__name__}: {error}"))

    def _fail(self, error: BaseException) -> None:
        if not isinstance(error, ValueError):
            traceback.print_exc()
        self.failed = {
            "kind": "failed",
            "place": getattr(error, "place", ""),
            "reason": shortened(str(error) or type(error).__name__, MOST_TOLD),
        }
        for listener in self.task.listeners:
            listener.tell("failed", self.failed)


def refusal(reason: str) -> dict[str, Any]:
    """Return the message that refuses what a page asked for."""
    return {"kind": "refused", "reason": shortened(reason, MOST_TOLD)}
