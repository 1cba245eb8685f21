"""What a worker process does: play games, whatever happens to them."""

import os
import signal
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TypeVar

from mcts_agents.arena.playing.fixtures import Failure, Fixture, GameRecord
from mcts_agents.arena.playing.match import play_fixture
from mcts_agents.importing import module_named

T = TypeVar("T")

# With it Python does not look for modules in the working folder first.
SAFE_PATH = "PYTHONSAFEPATH"

# Seconds between looks whether the process that wants the results still lives.
WATCH = 1.0


def begin_worker(
    parent: int, modules: Sequence[str] = (), safe_path: bool = True
) -> None:
    """Set up a local worker process.

    Args:
        parent: The process that wants the games.
        modules: Where kinds of agents are registered that games may name.
        safe_path: Whether Python's variable `SAFE_PATH` is for processes that this one
            starts, too, as it is for those of the parent.

    An interrupt from the keyboard reaches all processes; the parent alone decides what
    it means. A parent that was killed cannot tell its workers to end, so they watch.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if not safe_path:
        os.environ.pop(SAFE_PATH, None)
    know_kinds(modules)
    threading.Thread(target=_watch, args=(parent,), daemon=True).start()


def know_kinds(modules: Sequence[str]) -> None:
    """Import modules that register kinds of agents."""
    for module in modules:
        with suppress(ValueError):  # an agent that is missing then says so
            module_named(module, "a worker")


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(WATCH)
    os._exit(1)


def play(fixture: Fixture) -> GameRecord | Failure:
    """Play a game; an exception in it becomes a `Failure`."""
    return attempt(play_fixture, fixture)


def attempt(work: Callable[[Fixture], T], fixture: Fixture) -> T | Failure:
    """Do something with a game; an exception in it becomes a `Failure`."""
    try:
        return work(fixture)
    except Exception as error:
        line = f"{type(error).__name__}: {' '.join(str(error).split())}"
        return Failure(fixture, line, traceback.format_exc())
