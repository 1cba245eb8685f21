"""The clock of decisions, and how Python code inside a search keeps to it.

A search looks at the clock between two slices of compiled code. Whatever runs in Python
within a slice (copied environments, agents that play rollouts, heuristics) looks at the
clock after each call, and sets the flag that the compiled loop reads at each action. So
a rollout that takes longer than the budget ends when the budget does.

A search inside another search's callback ends with it, whatever its own budget is.
"""

import contextvars
import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np


class Watch:
    """One running search: when it has to end, and the flag that ends it.

    Args:
        deadline: The time by `now` at which it has to end; inf for none.
        flag: int64 of shape (1,), which the compiled loop reads; 1 ends the search.
    """

    def __init__(self, deadline: float, flag: np.ndarray):
        self.deadline = deadline
        self.flag = flag
        self.is_timed = deadline < math.inf
        self._flags = memoryview(flag)  # read at each step of a rollout

    def look(self) -> bool:
        """End the search if its time is up; return whether it ends."""
        if self.is_timed and self.deadline <= now():
            self.flag[0] = 1
        return self._flags[0] != 0

    def in_a_loop(self) -> tuple[memoryview, Callable[[], bool] | None]:
        """Return what a loop of short steps looks at, instead of calling `look`.

        Returns:
            The flag, and `look` if the search has a deadline.
        """
        return self._flags, self.look if self.is_timed else None


# Contexts are entered and left by the interpreter itself: whatever is raised, and
# wherever, no search that has ended stays in here.
_RUNNING: contextvars.ContextVar[Watch | None] = contextvars.ContextVar(
    "running", default=None
)


def now() -> float:
    """Return the time in seconds; differences of two times mean something."""
    return time.perf_counter()


def deadline() -> float:
    """Return the deadline of the search whose callback is running; inf for none."""
    watch = _RUNNING.get()
    return math.inf if watch is None else watch.deadline


def running() -> Watch | None:
    """Return the watch of the innermost running search."""
    return _RUNNING.get()


def look() -> None:
    """End the innermost running search if its time is up."""
    watch = _RUNNING.get()
    if watch is not None and watch.is_timed:
        watch.look()


def end() -> None:
    """End the innermost running search."""
    watch = _RUNNING.get()
    if watch is not None:
        watch.flag[0] = 1


def watched(watch: Watch, function: Any, *arguments: Any) -> Any:
    """Call a function while `watch` is the innermost running search."""
    return contextvars.copy_context().run(_entered, watch, function, arguments)


def _entered(watch: Watch, function: Any, arguments: tuple[Any, ...]) -> Any:
    _RUNNING.set(watch)
    return function(*arguments)
