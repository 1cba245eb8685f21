"""`dataset.json`: what a folder of recorded decisions holds."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mcts_agents.learn.dataset_columns import OBSERVED, Layout
from mcts_agents.learn.shards import DatasetError
from mcts_agents.reading import MOST_TEXT, read_bytes, read_json
from mcts_agents.writing import replacing

# Raised when a reader of the old files would misread the new ones.
SCHEMA = 1
FILE = "dataset.json"

_KEYS = {
    "schema": int,
    "format": str,
    "games": int,
    "games_per_shard": int,
    "observation_shape": list,
    "actions": int,
    "agents": list,
    "columns": dict,
}


def read_description(folder: Path) -> dict[str, Any]:
    """Return what a dataset's file says.

    Raises:
        DatasetError: There is none, it cannot be read, or it is of a newer version.
    """
    path = folder / FILE
    try:
        found = read_json(read_bytes(path, MOST_TEXT).decode())
    except (FileNotFoundError, NotADirectoryError) as error:
        raise DatasetError(
            f"{path}: there is no such file, so {folder} is not a dataset"
        ) from error
    except OSError as error:
        raise DatasetError(f"{path}: cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise DatasetError(f"{path}: damaged: {error}") from error
    if not isinstance(found, dict) or not isinstance(found.get("schema"), int):
        raise DatasetError(f"{path}: not a description of a dataset")
    if found["schema"] > SCHEMA:
        raise DatasetError(
            f"{path}: written by a newer version of mcts-agents (schema "
            f"{found['schema']}, this one knows up to {SCHEMA}); install that version"
        )
    for key, kind in _KEYS.items():
        if not isinstance(found.get(key), kind):
            raise DatasetError(f"{path}: damaged: {key} is {found.get(key)!r}")
    if found.get("observation_dtype", "int8") not in OBSERVED:
        raise DatasetError(
            f"{path}: damaged: observation_dtype is {found['observation_dtype']!r}"
        )
    if layout_of(found).description() != found["columns"]:
        raise DatasetError(f"{path}: damaged: its columns are not those of its game")
    return found


def write_description(folder: Path, description: Mapping[str, Any]) -> None:
    """Write a dataset's file.

    Raises:
        OSError: It cannot be written; the file is as it was.
    """
    with replacing(folder / FILE) as temporary:
        text = json.dumps(description, indent=2, ensure_ascii=False) + "\n"
        temporary.write_text(text, encoding="utf-8")


def layout_of(description: Mapping[str, Any]) -> Layout:
    """Return the columns that a description is of."""
    shape, actions = tuple(description["observation_shape"]), description["actions"]
    dtype, players = description.get("observation_dtype", "int8"), None
    if "shares" in description["columns"]:  # self-play
        players = len(description.get("teams", ()))
    return Layout(shape, actions, dtype, players)
