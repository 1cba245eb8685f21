"""Reading files of recorded games: JSON lines, plain or gzipped."""

import gzip
import io
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mcts_agents.envs.recordings import RecordError
from mcts_agents.reading import read_bytes, read_json_line

# Of a file, plain or unpacked, and of a line of it.
MOST_BYTES = 1 << 25
MOST_LINE = 1 << 22


def read_lines(path: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the header of a file and the JSON objects that follow it.

    Raises:
        RecordError: The file cannot be read, or holds something else.
    """
    try:
        lines = [read_json_line(text) for text in _lines(path)]
    except OSError as error:
        reason = error.strerror or "not a whole gzip file"
        raise RecordError(f"{path}: cannot be read: {reason}") from error
    except (ValueError, EOFError, zlib.error) as error:
        raise RecordError(f"{path}: not a record of games: {error}") from error
    if not lines or not all(isinstance(line, dict) for line in lines):
        raise RecordError(f"{path}: not a record of games: no JSON objects in lines")
    return lines[0], lines[1:]


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
