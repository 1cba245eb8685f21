"""What is said while code is compiled: a bar on a terminal, else one line."""

import multiprocessing
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar

from numba.core import event
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from mcts_agents.interrupts import interrupt_held

# Called with what is being compiled, the functions that are done, and those in all.
Watcher = Callable[[str, int, int], None]
_watcher: ContextVar[Watcher | None] = ContextVar("watcher", default=None)


@contextmanager
def watched_by(watcher: Watcher | None) -> Iterator[None]:
    """Report to a function, too, what this thread compiles in the meantime.

    Args:
        watcher: Called when something begins to be compiled, and after each function;
            None: nobody is told.
    """
    token = _watcher.set(watcher)
    try:
        yield
    finally:
        _watcher.reset(token)


def say(line: str) -> None:
    """Print one line on standard error, however long it is."""
    Console(stderr=True, emoji=False).print(
        line, style="dim", markup=False, highlight=False, soft_wrap=True
    )


def interrupt_held_until_compiled(shown: str) -> AbstractContextManager[None]:
    """Hear the first Ctrl-C when this is compiled.

    An exception inside of LLVM's callbacks is lost, and compiling again in the same
    process may crash then.
    """
    line = f"Stopping when {shown} is compiled; press Ctrl-C again to stop now"
    return interrupt_held(lambda: say(line))


class Compiled(event.Listener):
    """Tells with each function that Numba has compiled how many are done.

    The last one, which the others are linked into, is done when all is done.
    """

    def __init__(self, functions: int, tell: Callable[[int], None]):
        self._done, self._last, self._tell = 0, functions - 1, tell

    def on_start(self, event: event.Event) -> None:
        """Do nothing: a function begins when one that calls it is looked at."""

    def on_end(self, event: event.Event) -> None:
        """Count a function, but for what the estimate did not know of."""
        if self._done < self._last:
            self._done += 1
            self._tell(self._done)


@contextmanager
def told(shown: str, functions: int, kept: str) -> Iterator[None]:
    """Say what is being compiled, and on a terminal how much of it is left.

    Args:
        shown: What is being compiled.
        functions: How many functions that takes.
        kept: For how long it need not be done again.
    """
    watcher = _watcher.get()
    if watcher is not None:
        watcher(shown, 0, functions)
        counter = Compiled(functions, lambda done: watcher(shown, done, functions))
        with watched_by(None), event.install_listener("numba:compile", counter):
            with told(shown, functions, kept):
                yield
        watcher(shown, functions, functions)
        return
    several = "function" if functions == 1 else "functions"
    console = Console(stderr=True, emoji=False)
    # Other processes and this one would draw over each other.
    if not console.is_terminal or multiprocessing.parent_process() is not None:
        say(f"Compiling {shown} ({functions} {several}; {kept})")
        yield
        return
    columns = (
        TextColumn("{task.description}", style="dim", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn(f"[dim]functions; {kept}"),
    )
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task(f"Compiling {shown}", total=functions)
        counter = Compiled(functions, lambda _: progress.advance(task))
        with event.install_listener("numba:compile", counter):
            yield
