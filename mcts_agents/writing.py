"""Output files: whole or not at all, and devices and pipes written into.

Every output file of the package is written by `replacing`. What grows while several
processes may be about (stores, datasets) is kept for one of them by `locked`.
"""

import errno
import os
import secrets
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock

# Characters of a file's name that its temporary file has, too; of up to four bytes.
_NAMED = 40


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a temporary file whose content becomes that of `path` at the end.

    A regular file is replaced in one step: if anything goes wrong before, `path` stays
    as it was, and the temporary file is removed. A symbolic link stays, and the file to
    which it leads is replaced. What is no regular file (a device, a pipe, the standard
    output under the name `/dev/stdout`) is never replaced: the content is written into
    it at the end.

    Args:
        path: The file. It need not exist, but its folder must.

    Yields:
        The temporary file, which exists and is empty.

    Raises:
        OSError: `path` is a folder, its folder is not there, or it cannot be written;
            the error's `filename` is `path` where the file could not be begun.
    """
    mode = _mode(path)
    if mode is None or (stat.S_ISREG(mode) and _descriptor(path) is None):
        with _beside(path, mode) as temporary:
            yield temporary
    else:
        with tempfile.TemporaryDirectory() as folder:
            temporary = Path(folder, "content")
            temporary.touch()
            yield temporary
            _write_into(path, temporary)


def locked(path: str | os.PathLike[str]) -> FileLock:
    """Return a lock that this process holds until it is released, or the process ends.

    Args:
        path: The file of the lock, which stays behind.

    Raises:
        Timeout: Another process holds it (of `filelock`).
        OSError: The file cannot be made.
    """
    if not os.path.lexists(path):
        # What this raises, where no file can be made, a lock would take for a race with
        # somebody who removes it, and wait.
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o666))
    lock = FileLock(path, timeout=0)
    lock.acquire()
    return lock


def _mode(path: str | os.PathLike[str]) -> int | None:
    """Return what kind of file a path leads to, None if there is none yet."""
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    return mode


def _descriptor(path: str | os.PathLike[str]) -> int | None:
    """Return the standard output or error, if the path leads to one of them.

    A name such as `/dev/stdout` opens a file of its own where the output goes to a
    regular file, and would write over what the file has, or behind what comes later.
    """
    for descriptor in (1, 2):
        try:
            if os.path.samestat(os.stat(path), os.fstat(descriptor)):
                return descriptor
        except OSError:  # it is closed
            continue
    return None


@contextmanager
def _beside(path: str | os.PathLike[str], mode: int | None) -> Iterator[Path]:
    """Give a new file beside the one that a path leads to, which it then replaces."""
    target = Path(os.path.realpath(path))
    name = f".{target.name[:_NAMED]}.{secrets.token_hex(4)}.part"
    temporary = target.with_name(name)
    begun = False
    try:
        # With the rights of any new file: the standard library's temporary files are
        # for their owner alone.
        os.close(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
        begun = True
        yield temporary
        with open(temporary, "r+b") as file:
            os.fsync(file.fileno())  # the content is on the disk before the name is
        if mode is not None:
            temporary.chmod(stat.S_IMODE(mode))
        temporary.replace(target)
    except BaseException as error:
        with suppress(OSError):  # the first error says more
            temporary.unlink(missing_ok=True)
        if isinstance(error, OSError) and not begun:  # named after what was asked for
            raise OSError(error.errno, error.strerror, os.fspath(path)) from error
        raise


def _write_into(path: str | os.PathLike[str], content: Path) -> None:
    """Write a file's content into a device, a pipe or an open output."""
    descriptor = _descriptor(path)
    if descriptor is None:
        descriptor = os.open(path, os.O_WRONLY)
    else:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()  # what was printed before stands before
        descriptor = os.dup(descriptor)
    with open(descriptor, "wb") as file, open(content, "rb") as read:
        shutil.copyfileobj(read, file)
