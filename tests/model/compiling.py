"""Processes that compile a small module, stop where a test wants them to, and tell.

They are forked from a process that has imported the library, so that dozens take a few
seconds; each begins without having compiled or loaded the module.
"""

import errno
import multiprocessing
import os
import resource
import signal
import sys
import threading
from dataclasses import dataclass, field

import pytest
from numba import int64, njit

from mcts_agents.model.compilation import compile_module, statistics

njit(int64(int64))(lambda x: x + 1)  # what Numba prepares once is prepared here

SOURCE = """
begun()

@njit(int64(int64), cache=CACHE)
def doubled(x):
    return x + x

@njit([int64(int64, int64)], cache=CACHE, nogil=True)
def added(x, y):
    return x + y

compiled()
"""
FUNCTIONS = 2
# A guard against hanging for good; no test waits so long.
PATIENCE = 600

_context = multiprocessing.get_context("forkserver")
_context.set_forkserver_preload([__name__])


def root(x):
    """Stands in for what the source of a module calls."""


class Gate:
    """Where a process says that it is there, and waits to be sent on."""

    def __init__(self, connection, place, stops):
        self.connection, self.place, self.stops = connection, place, stops

    def reach(self):
        if self.place in self.stops:
            self.connection.send(("at", self.place))
            self.connection.recv()


class Teller:
    """A standard error that sends what is printed to the test."""

    encoding = "utf-8"

    def __init__(self, connection):
        self.connection = connection

    def write(self, text):
        self.connection.send(("said", text))
        return len(text)

    def flush(self):
        pass


@dataclass(frozen=True)
class Fault:
    """What goes wrong with the files below a folder."""

    kind: str  # "error", "interrupt", "kill", or "size" and "kill size" (of a file)
    at: int  # the number of the change to the folder, from 0; or bytes
    error: int = errno.ENOSPC
    lasting: bool = False  # every change from that one on

    def begin(self, folder):
        if "size" in self.kind:
            _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
            resource.setrlimit(resource.RLIMIT_FSIZE, (self.at, most))
            kills = self.kind == "kill size"
            handling = signal.SIG_DFL if kills else signal.SIG_IGN
            signal.signal(signal.SIGXFSZ, handling)
            return
        changes = 0

        def hook(event, arguments):
            nonlocal changes
            if not changes_files(event, arguments, folder):
                return
            changes += 1
            if changes - 1 == self.at or (self.lasting and changes > self.at):
                if self.kind == "kill":
                    os.kill(os.getpid(), signal.SIGKILL)
                if self.kind == "interrupt":
                    raise KeyboardInterrupt
                raise OSError(self.error, os.strerror(self.error), str(arguments[0]))

        sys.addaudithook(hook)


def changes_files(event, arguments, folder):
    """Would the audited event change something below the folder?"""
    if event == "open":
        path, _, flags = arguments
        if not flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
            return False
    elif event in ("os.rename", "os.remove", "os.mkdir"):
        path = arguments[0]
    else:
        return False
    return not isinstance(path, int) and os.fsdecode(path).startswith(folder)


def toy(connection=None, stops=()):
    """Compile the small module in this process."""
    namespace = {
        place: Gate(connection, place, stops).reach for place in ("begun", "compiled")
    }
    return compile_module("toy", SOURCE, namespace, [root])


def _run(connection, folder, stops, fault):
    os.environ["NUMBA_CACHE_DIR"] = str(folder)
    sys.stderr = Teller(connection)
    if fault is not None:
        fault.begin(str(folder))
    try:
        module = toy(connection, stops)
        value = module.doubled(1) + module.added(2, 3)
    except KeyboardInterrupt:
        connection.send(("done", None))
        return
    found = statistics()
    connection.send(("done", (value, found.cache_hits, found.cache_misses)))


@dataclass
class Told:
    """What a process said, and came to; None if it ended without."""

    value: int | None = None
    hits: int = 0
    misses: int = 0
    said: str = ""


@dataclass
class Compiling:
    """A process that compiles the small module with a cache of its own."""

    folder: os.PathLike
    stops: tuple[str, ...] = ()
    fault: Fault | None = None
    told: Told = field(default_factory=Told)

    def __post_init__(self):
        self.connection, theirs = _context.Pipe()
        self.process = _context.Process(
            target=_run, args=(theirs, self.folder, self.stops, self.fault)
        )
        self.process.start()
        theirs.close()

    def until(self, kind, text=""):
        """Wait until the process says so; False if it ends before."""
        while True:
            if not self.connection.poll(PATIENCE):
                pytest.fail(f"waited {PATIENCE} s for {kind} {text}")
            try:
                what, content = self.connection.recv()
            except (EOFError, ConnectionResetError):
                return False
            if what == "said":
                self.told.said += content
            if what == "done" and content is not None:
                self.told.value, self.told.hits, self.told.misses = content
            if what == kind and (what == "done" or text in content):
                return True

    def go_on(self):
        self.connection.send("go on")

    def kill(self):
        self.process.kill()
        self.process.join()

    def end(self):
        """Wait for the end; return what was told."""
        self.until("done")
        self.process.join()
        return self.told


def in_two_threads():
    """Call from two threads, the second while the first compiles; what each found."""
    inside, go_on, found = threading.Event(), threading.Event(), []

    class Stop:
        def reach(self):
            inside.set()
            go_on.wait()

    def one():
        namespace = {
            "begun": Stop().reach,
            "compiled": Gate(None, "", ()).reach,
        }
        module = compile_module("toy", SOURCE, namespace, [root])
        found.append(hasattr(module, "added"))

    first, second = threading.Thread(target=one), threading.Thread(target=one)
    first.start()
    inside.wait()
    second.start()
    second.join(0.2)  # if it does not wait, it is done by then
    go_on.set()
    first.join()
    second.join()
    return found
