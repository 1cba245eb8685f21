"""Training configs in YAML files, and errors that name the line and the key."""

from collections.abc import Iterable
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from mcts_agents.arena.tournaments.spec_file import lines_of, read_with_nodes
from mcts_agents.names import quoted, unknown_name
from mcts_agents.reading import read_settings

C = TypeVar("C", bound=BaseModel)


def read_config(path: str, kind: type[C]) -> C:
    """Read a config; nothing in the file is executed.

    Args:
        path: The file.
        kind: What it is: `TrainingConfig` or `ImitationConfig`.

    Raises:
        ValueError: The file cannot be read, or something in it is not allowed; the
            message names the file, the line and the key.
    """
    try:
        data, root = read_settings(path, read_with_nodes)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error
    if data is None:  # an empty file
        data = {}
    if not isinstance(data, dict):
        raise ValueError(
            f"{path}, line 1: expected a mapping with the keys "
            f"{', '.join(kind.model_fields)}"
        )
    lines = lines_of(root) if root is not None else {}
    try:
        return kind.model_validate(data)
    except ValidationError as error:
        raise ValueError(
            "; ".join(_told(path, kind, lines, one) for one in error.errors())
        ) from error


def _told(
    path: str, kind: type[BaseModel], lines: dict[tuple[Any, ...], int], one: Any
) -> str:
    """Return what is wrong, after the file, the line and the key."""
    place = known = tuple(one["loc"])
    while known and known not in lines:
        known = known[:-1]
    key = ".".join(map(str, place))
    at = f"{path}, line {lines.get(known, 1)}{', ' if key else ''}{key}"
    if one["type"] == "extra_forbidden":
        known_keys = _keys(kind, place[:-1])
        return f"{at}: {unknown_name('key', str(place[-1]), known_keys)}"
    if one["type"] == "value_error":
        return f"{at}: {one['ctx']['error']}"
    message = one["msg"][0].lower() + one["msg"][1:]
    return f"{at}: {message}, not {quoted(one['input'])}"


def _keys(section: type[BaseModel], place: Iterable[Any]) -> Iterable[str]:
    """Return the keys that a section of a config has."""
    for name in place:
        annotation = section.model_fields[str(name)].annotation
        assert isinstance(annotation, type) and issubclass(annotation, BaseModel)
        section = annotation
    return section.model_fields
