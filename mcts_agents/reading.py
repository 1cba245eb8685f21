"""Files of others, read within limits: bytes, nesting, values, arrays.

Everything that reads YAML, JSON or NumPy archives of unknown origin reads them here.
Sizes are looked at before memory is taken for them, and nothing in a file is executed.
Every refusal is a ValueError of one line, without the name of the file.
"""

import io
import json
import math
import os
import stat
import struct
import tokenize
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from os import PathLike
from typing import Any

import numpy as np
import yaml

from mcts_agents.names import quoted

# Of a file of settings: an agent's, a tournament's, the description of a dataset.
MOST_TEXT = 1 << 18
# Bytes that are asked for at least.
LEAST_ROOM = 1 << 16
# Lists and mappings in one another.
MOST_NESTING = 32
# Values of a file of settings, each as often as YAML's aliases repeat it.
MOST_VALUES = 10_000
# Bytes of the table of contents of an archive.
MOST_CONTENTS = 1 << 20

# What zipfile, zlib and NumPy raise where an archive is damaged, beside ValueErrors.
BROKEN_ARCHIVE = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    tokenize.TokenError,
    EOFError,
    KeyError,
    IndexError,
    TypeError,
    OverflowError,
    MemoryError,
    RecursionError,
    SyntaxError,
    RuntimeError,  # NotImplementedError is one
)

_COMPRESSIONS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


def read_bytes(path: str | PathLike[str], most: int) -> bytes:
    """Return what a plain file holds.

    Args:
        path: The file.
        most: Bytes that it may have.

    Raises:
        ValueError: It is larger, or no plain file: a folder, a pipe, a device.
        OSError: It cannot be read.
    """
    with io.BufferedReader(_plain_file(path)) as file:
        size = os.fstat(file.fileno()).st_size
        # Room is made for what is asked for; a file may have more than it says.
        room = min(max(size, LEAST_ROOM), most) + 1
        content = b"" if size > most else file.read(room)
        size = max(size, len(content))
    if size > most:
        raise ValueError(f"it has {size:,} bytes, more than the {most:,} allowed")
    return content


def _plain_file(path: str | PathLike[str]) -> io.FileIO:
    """Open a file, if it is no folder, pipe or device."""
    # A pipe that nobody writes to would be waited for.
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    mode = os.fstat(descriptor).st_mode
    if not stat.S_ISREG(mode):
        os.close(descriptor)
        what = "a folder" if stat.S_ISDIR(mode) else "not a plain file"
        raise ValueError(f"expected a file, but this is {what}")
    return io.FileIO(descriptor)


def read_settings(path: str | PathLike[str], read: Callable[[str], Any]) -> Any:
    """Return what a file of settings holds.

    Args:
        path: The file, of at most `MOST_TEXT` bytes in UTF-8.
        read: `read_yaml` or `read_json`.

    Raises:
        ValueError: It cannot be read, is no text, or `read` refuses it.
    """
    try:
        text = read_bytes(path, MOST_TEXT).decode()
    except OSError as error:
        raise ValueError(f"cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise ValueError("cannot be read: it is not text") from error
    except ValueError as error:
        raise ValueError(f"cannot be read: {error}") from error
    return read(text)


def read_json(text: str) -> Any:
    """Return what a JSON text holds.

    Raises:
        ValueError: The syntax is wrong, a key is given twice, it is nested more than
            `MOST_NESTING` deep, or holds more than `MOST_VALUES` values.
    """
    try:
        found = json.loads(text, object_pairs_hook=_unique)
    except json.JSONDecodeError as error:
        raise ValueError(
            f"line {error.lineno}, column {error.colno}: {error.msg}"
        ) from error
    except RecursionError as error:
        raise _too_deep() from error
    _check_nesting(found)
    return found


def read_json_line(text: str) -> Any:
    """Return what a line of a longer file holds, however many values those are.

    Raises:
        ValueError: The syntax is wrong, or the parser cannot follow its nesting.
    """
    try:
        return json.loads(text)
    except RecursionError as error:
        raise _too_deep() from error


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"{quoted(key)} is given twice")
        found[key] = value
    return found


def _check_nesting(data: Any) -> None:
    """Refuse what is nested too deep, or has too many values."""
    level, values = [data], 0
    for _ in range(MOST_NESTING + 1):
        values += len(level)
        if values > MOST_VALUES:
            raise _too_many()
        inner: list[Any] = []
        for value in level:
            if isinstance(value, dict):
                inner += value.values()
            elif isinstance(value, list):
                inner += value
        if not inner:
            return
        level = inner
    raise _too_deep()


def _too_deep() -> ValueError:
    return ValueError(f"nested more than {MOST_NESTING} deep")


def _too_many() -> ValueError:
    return ValueError(f"it holds more than {MOST_VALUES:,} values, all that is allowed")


class _Loader(yaml.SafeLoader):
    """YAML's safe loader, with limits; it refuses a key that is given twice, too.

    An alias shares what it stands for, but whoever walks through what was read, or
    writes it, meets that again at each alias. So values are counted as often.
    """

    def __init__(self, text: str):
        super().__init__(text)
        self._depth = 0
        self._values = 0
        # Of each node: the values in it, and how deep they are nested.
        self._sizes: dict[yaml.Node, tuple[int, int]] = {}
        self._deepest = 0

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        before, outside = self._values, self._deepest
        mark = self.peek_event().start_mark
        is_alias = self.check_event(yaml.AliasEvent)
        self._depth += 1
        self._deepest = self._depth
        if self._depth > MOST_NESTING:
            raise yaml.composer.ComposerError(None, None, str(_too_deep()), mark)
        node = super().compose_node(parent, index)
        if is_alias and node not in self._sizes:  # it is being read
            raise yaml.composer.ComposerError(
                None, None, "it contains itself (a recursive alias)", mark
            )
        values, height = self._sizes[node] if is_alias else (1, 0)
        self._values += values
        self._deepest = max(self._deepest, self._depth + height)
        if self._deepest > MOST_NESTING:
            raise yaml.composer.ComposerError(None, None, str(_too_deep()), mark)
        if self._values > MOST_VALUES:
            raise yaml.composer.ComposerError(None, None, str(_too_many()), mark)
        if not is_alias:
            self._sizes[node] = self._values - before, self._deepest - self._depth
        self._deepest = max(self._deepest, outside)
        self._depth -= 1
        return node

    def construct_mapping(self, node: yaml.Node, deep: bool = False) -> Any:
        if isinstance(node, yaml.MappingNode):
            self._refuse_twice(node)
        return super().construct_mapping(node, deep)

    def _refuse_twice(self, node: yaml.MappingNode) -> None:
        seen = set()
        for key_node, _ in node.value:
            key = key_node.value if isinstance(key_node, yaml.ScalarNode) else None
            if key in seen:
                raise yaml.constructor.ConstructorError(
                    problem=f"{quoted(key)} is given twice",
                    problem_mark=key_node.start_mark,
                )
            seen.add(key)

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        try:
            return super().construct_object(node, deep)
        except (ValueError, LookupError, AttributeError, TypeError) as error:
            kind = node.tag.rpartition(":")[2]
            raise yaml.constructor.ConstructorError(
                problem=f"{quoted(node.value)} is not a valid {kind}",
                problem_mark=node.start_mark,
            ) from error


def read_yaml(text: str) -> Any:
    """Return what a YAML text holds; nothing in it is executed.

    Raises:
        ValueError: The syntax is wrong, a key is given twice, a tag is not YAML's own,
            it is nested more than `MOST_NESTING` deep, or holds more than `MOST_VALUES`
            values; the message names the line.
    """
    try:
        return yaml.load(text, _Loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
        raise ValueError(f"{place}{error.problem}") from error
    except yaml.reader.ReaderError as error:
        line = text[: error.position].count("\n") + 1
        raise ValueError(f"line {line}: {error.reason}") from error


# -- archives


class _Guarded(io.BufferedReader):
    """An archive whose table of contents is being read.

    That is read in one piece, with an object for each entry. The entries themselves
    say how long they are; `check_sizes` limits them.
    """

    in_contents = True

    def read(self, size: int | None = -1) -> bytes:
        if not self.in_contents:
            return super().read(size)
        wanted = MOST_CONTENTS + 1 if size is None or size < 0 else size
        found = super().read(min(wanted, MOST_CONTENTS + 1))
        if len(found) > MOST_CONTENTS:
            raise ValueError(
                f"its table of contents has more than {MOST_CONTENTS:,} bytes, all "
                "that is allowed"
            )
        return found


@contextmanager
def open_archive(source: str | PathLike[str] | bytes) -> Iterator[zipfile.ZipFile]:
    """Open an archive (ZIP); what goes wrong in it is a ValueError of one line.

    Args:
        source: The file, or what it holds.

    Raises:
        ValueError: It is none, no plain file, or damaged.
        OSError: The file cannot be read.
    """
    try:
        if isinstance(source, bytes):
            raw = io.BytesIO(source)
        else:
            raw = _plain_file(source)
        with _Guarded(raw) as file, zipfile.ZipFile(file) as archive:
            file.in_contents = False
            yield archive
    except BROKEN_ARCHIVE as error:
        reason = error.args[0] if isinstance(error, KeyError) else str(error)
        line = " ".join(str(reason).split())
        raise ValueError(line or type(error).__name__) from error


def check_sizes(archive: zipfile.ZipFile, names: Iterable[str], most: int) -> None:
    """Refuse an archive if some of its entries would unpack to more than `most` bytes.

    No more than the table of contents says is ever unpacked.

    Raises:
        ValueError: They would, or are compressed in ways that take memory themselves.
        KeyError: There is no entry of a name.
    """
    entries = [archive.getinfo(name) for name in names]
    if any(entry.compress_type not in _COMPRESSIONS for entry in entries):
        raise ValueError(
            "it has entries with another compression than deflate; save it with "
            "deflate, or uncompressed"
        )
    total = sum(entry.file_size for entry in entries)
    if total > most:
        raise ValueError(
            f"it holds {total:,} bytes when unpacked, more than the {most:,} allowed"
        )


def read_arrays(
    source: str | PathLike[str] | bytes,
    most: int,
    names: Iterable[str] | None = None,
    check: Callable[[str, tuple[int, ...], np.dtype], None] | None = None,
) -> dict[str, np.ndarray]:
    """Return the arrays of a NumPy archive (`.npz`), without Python objects.

    Args:
        source: The file, or what it holds.
        most: Bytes that the arrays may take together.
        names: Which arrays; None: all.
        check: `(name, shape, dtype)`: called before an array is read; raises ValueError
            if it should not be.

    Raises:
        ValueError: It is no such archive, it is damaged, it lacks an array, its arrays
            take more, or one holds Python objects.
        OSError: It cannot be read.
    """
    with open_archive(source) as archive:
        entries = {
            entry.removesuffix(".npy"): entry
            for entry in archive.namelist()
            if entry.endswith(".npy")
        }
        wanted = list(entries) if names is None else list(names)
        for name in wanted:
            if name not in entries:
                raise ValueError(f"it has no array {name}")
        check_sizes(archive, [entries[name] for name in wanted], most)
        found = {}
        for name in wanted:
            shape, dtype = _described(archive, entries[name])
            if check is not None:
                check(name, shape, dtype)
            with archive.open(entries[name]) as file:
                found[name] = np.lib.format.read_array(file, allow_pickle=False)
        return found


def _described(
    archive: zipfile.ZipFile, entry: str
) -> tuple[tuple[int, ...], np.dtype]:
    """Return the shape and the type of an array, if the entry is as long as these say.

    Raises:
        ValueError: It is not, or the array holds Python objects.
    """
    with archive.open(entry) as file:
        version = np.lib.format.read_magic(file)
        if version not in _HEADERS:
            raise ValueError(f"{quoted(entry)} is an array of an unknown version")
        shape, _, dtype = _HEADERS[version](file)
        if dtype.hasobject:
            raise ValueError(f"{quoted(entry)} holds objects (allow_pickle=False)")
        held = archive.getinfo(entry).file_size - file.tell()
    if dtype.itemsize * math.prod(shape) != held or min(shape, default=0) < 0:
        raise ValueError(f"{quoted(entry)} does not have the size that it states")
    return shape, dtype


_HEADERS = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}
