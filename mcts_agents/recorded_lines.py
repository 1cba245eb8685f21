"""Reading files of recorded games: JSON lines, plain or gzipped."""

import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from json import JSONDecodeError
from pathlib import Path
from typing import Any

from mcts_agents.envs.recordings import RecordError
from mcts_agents.reading import read_bytes, read_json_line

# Of a file, plain or unpacked, and of a line of it.
MOST_BYTES = 1 << 25
MOST_LINE = 1 << 22


def read_lines(path: Path) -> tuple[dict[str, Any], Iterator[dict[str, Any]]]:
    """Return the header of a file and, as they are asked for, the objects that follow.

    Raises:
        RecordError: The file cannot be read, or holds something else; also raised
            while lines are asked for.
    """
    lines = _objects(path)
    header = next(lines, None)
    if header is None:
        raise RecordError(f"{path}: not a record of games: no JSON objects in lines")
    return header, lines


def count_lines(path: Path) -> int:
    """Return how many lines follow the header; RecordError if they cannot be read."""
    with _errors_of(path):
        return sum(1 for _ in _lines(path)) - 1


def _objects(path: Path) -> Iterator[dict[str, Any]]:
    """Give the objects of a file."""
    with _errors_of(path):
        for number, text in enumerate(_lines(path), 1):
            yield _object(number, text)


def _object(number: int, text: str) -> dict[str, Any]:
    """Return the object of a line; ValueError, with its number, if there is none."""
    try:
        line = read_json_line(text)
    except JSONDecodeError as error:  # which counts its lines from here
        column = error.pos + 1
        raise ValueError(
            f"line {number}, column {column}: not JSON: {error.msg}"
        ) from error
    except ValueError as error:
        raise ValueError(f"line {number}: {error}") from error
    if not isinstance(line, dict):
        raise ValueError(f"line {number}: not a JSON object")
    return line


@contextmanager
def _errors_of(path: Path) -> Iterator[None]:
    """Turn errors of reading into such as name the file."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or "not a whole gzip file"
        raise RecordError(f"{path}: cannot be read: {reason}") from error
    except UnicodeDecodeError as error:
        raise RecordError(
            f"{path}: not a record of games, which is text (datasets of `record` are "
            "rows for training, not games to verify)"
        ) from error
    except (ValueError, EOFError, zlib.error) as error:
        raise RecordError(f"{path}: not a record of games: {error}") from error


def _lines(path: Path) -> Iterator[str]:
    """Give the lines of a file, plain or gzipped.

    Raises:
        ValueError: It is longer than allowed, or no text.
        OSError: It cannot be read.
    """
    content = read_bytes(path, MOST_BYTES)
    packed = content[:2] == b"\x1f\x8b"
    size = 0
    with gzip.open(io.BytesIO(content)) if packed else io.BytesIO(content) as file:
        while line := file.readline(MOST_LINE + 1):
            size += len(line)
            if len(line) > MOST_LINE:
                raise ValueError(
                    f"a line has more than the {MOST_LINE:,} bytes allowed"
                )
            if size > MOST_BYTES:
                raise ValueError(f"it has more than the {MOST_BYTES:,} bytes allowed")
            yield line.decode()
