"""Work that forked processes do side by side, each on what the calling process holds.

A forked process begins as a copy of the whole calling process, so nothing has to be
sent to it, which is what third-party environments need: they cannot be pickled
faithfully. What it returns comes back through a pipe. It writes nothing else, ends with
its work, and runs nothing that the calling process has registered for its own end.

A fork has the calling thread only. What other threads held at that moment, such as the
lock of a logger, stays held for ever, so a program with busy threads, or with a library
that forbids forks (JAX, CUDA), should not use this.
"""

import gc
import os
import pickle
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

# Signals that end a program, or a search that takes too long.
_SIGNALS = [
    getattr(signal, name)
    for name in ("SIGINT", "SIGTERM", "SIGALRM")
    if hasattr(signal, name)
]


def in_forks(work: Callable[[int], Any], count: int) -> list[Any]:
    """Return what `work` returns for each number from 0 to `count - 1`.

    The last number is worked on by the calling process, the others each by a fork.

    Args:
        work: What to do; results and exceptions of forks are pickled.
        count: How many, from 1.

    Raises:
        BaseException: Whatever `work` raises, in a fork too. Whatever is raised, Ctrl-C
            among it, all forks have ended by then.
        RuntimeError: A fork has ended without a result, or its exception cannot be
            pickled.
    """
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:  # what waits there would be written by each fork
            stream.flush()
    forks: list[_Fork] = []
    try:
        with _no_signals() as before:
            for number in range(count - 1):
                forks.append(_Fork(work, number, before))  # noqa: PERF401
        own = work(count - 1)
        return [*[fork.result() for fork in forks], own]
    finally:
        with _no_signals():
            for fork in forks:
                fork.end()


class _Fork:
    """A forked process at work.

    Args:
        work: What it does.
        number: The argument.
        signals: The signals that it is to block, as its caller did.
    """

    def __init__(
        self, work: Callable[[int], Any], number: int, signals: set[signal.Signals]
    ):
        self._pipe, end = os.pipe()
        try:
            self._process: int | None = os.fork()
        except OSError:
            os.close(self._pipe)
            os.close(end)
            raise
        if self._process == 0:
            os.close(self._pipe)
            _work_and_exit(work, number, end, signals)
        os.close(end)

    def result(self) -> Any:
        """Wait for what the fork returns."""
        with open(self._pipe, "rb", closefd=False) as pipe:
            written = pipe.read()
        if not written:
            status = self._wait()
            raise RuntimeError(
                "a process of the search has ended without a result: " + _reason(status)
            )
        is_result, found = pickle.loads(written)
        if not is_result:
            raise found
        return found

    def end(self) -> None:
        """End the process if it is still at work, and leave nothing of it."""
        if self._process is not None:
            try:
                os.kill(self._process, signal.SIGKILL)
            except ProcessLookupError:
                pass  # somebody else has waited for it
            self._wait()
        os.close(self._pipe)

    def _wait(self) -> int | None:
        process, self._process = self._process, None
        assert process is not None
        try:
            return os.waitpid(process, 0)[1]
        except ChildProcessError:  # somebody else has waited for it
            return None


def _reason(status: int | None) -> str:
    if status is None:
        return "exit status unknown"
    code = os.waitstatus_to_exitcode(status)
    return f"signal {-code}" if code < 0 else f"exit code {code}"


def _work_and_exit(
    work: Callable[[int], Any], number: int, pipe: int, signals: set[signal.Signals]
) -> NoReturn:
    """Be the forked process."""
    status = 1
    try:
        # What the calling process has thrown away is not for this one to take down.
        gc.freeze()
        for number_of_signal in _SIGNALS:
            signal.signal(number_of_signal, signal.SIG_DFL)
        # Ctrl-C goes to all processes of a terminal; the calling one hears it.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_SETMASK, signals)
        try:
            answer = pickle.dumps((True, work(number)))
        except BaseException as error:
            answer = pickle.dumps((False, _sendable(error)))
        with open(pipe, "wb") as stream:
            stream.write(answer)
        for written in (sys.stdout, sys.stderr):
            if written is not None:
                written.flush()
        status = 0
    finally:
        os._exit(status)


def _sendable(error: BaseException) -> BaseException:
    """Return an exception that can be pickled, with where it came from as a note."""
    told = "In a process of the search:\n" + "".join(traceback.format_exception(error))
    try:
        twin = pickle.loads(pickle.dumps(error))
        if type(twin) is type(error):
            error.add_note(told)
            return error
    except Exception:  # whatever a class of exceptions may do when it is pickled
        pass
    twin = RuntimeError(f"{type(error).__name__}: {error}")
    twin.add_note(told)
    return twin


@contextmanager
def _no_signals() -> Iterator[set[signal.Signals]]:
    """Put signals off, so that no process is begun and then forgotten."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
    try:
        yield before
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
