"""Standard output and error as they come: full, closed, or of a small alphabet."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import IO, Any, TextIO

# What a shell reports of a program that was interrupted, and of one whose reader has
# gone: 128 and the signal's number.
INTERRUPTED = 130
READER_GONE = 141

# Columns and lines of a terminal that may be believed.
_MOST_CELLS = 10_000


class OutputError(OSError):
    """Standard output cannot be written."""


class ReaderGone(SystemExit):
    """Nobody reads what this process writes any more.

    Rich and Typer make a SystemExit of such an error, too, but of every
    BrokenPipeError, and an environment or an agent may raise either.
    """

    def __init__(self, code: int = READER_GONE):  # a pickle brings it, from a fork
        super().__init__(code)


class _Standard:
    """Standard output or error, of which it is known when its reader has gone.

    Whoever writes: a console of Rich, a warning, or the code of a game or an agent.
    """

    def __init__(self, stream: TextIO):
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        with self._named_errors():
            return self._stream.write(text)

    def flush(self) -> None:
        with self._named_errors():
            self._stream.flush()

    @contextmanager
    def _named_errors(self) -> Iterator[None]:
        try:
            yield
        except BrokenPipeError as error:
            discard(self._stream)
            raise ReaderGone from error


class _Output(_Standard):
    """Standard output, whose other errors can be told from those of files, too."""

    @contextmanager
    def _named_errors(self) -> Iterator[None]:
        try:
            with super()._named_errors():
                yield
        except OSError as error:
            raise OutputError(error.errno, error.strerror) from error


def prepare_streams() -> None:
    """Make the three streams such that what cannot be written is noticed, and named.

    A stream that was closed by whoever started the process gets a descriptor: else the
    next file that is opened, a store for example, would have its number, and what
    libraries write to that number would go into the file.
    """
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            # To write to what was opened for reading is an error, as it should be.
            mode = os.O_RDWR if descriptor == 2 else os.O_RDONLY
            taken = os.open(os.devnull, mode)  # the lowest number that is free
            os.set_inheritable(taken, True)  # workers need the same
    if sys.stdout is None:
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)
    if sys.stderr is None:
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False)
    # What the alphabet lacks is written as \\u2026, which JSON understands, too.
    if getattr(sys.stdout, "errors", None) == "strict":
        sys.stdout.reconfigure(errors="backslashreplace")
    if not isinstance(sys.stdout, _Output):
        sys.stdout = _Output(sys.stdout)
    if not isinstance(sys.stderr, _Standard):
        sys.stderr = _Standard(sys.stderr)
    for name in ("COLUMNS", "LINES"):
        size = os.environ.get(name, "1")
        if not (size.isascii() and size.isdigit() and 1 <= float(size) <= _MOST_CELLS):
            del os.environ[name]


def give_up_output() -> None:
    """Drop what standard output could not take."""
    discard(sys.stdout)


def tell(line: str) -> None:
    """Write a line to standard error; where that cannot be written there is no way."""
    try:
        print(line, file=sys.stderr, flush=True)
    except (OSError, ReaderGone):
        discard(sys.stderr)


def discard(stream: IO[str]) -> None:
    """Drop what a stream could not write: Python tries again when the process ends."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
        stream.flush()
