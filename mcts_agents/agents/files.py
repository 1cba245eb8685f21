"""Agents in files: YAML or JSON, read and written.

A file holds one mapping, `{agent: mcts, tree: multi, opponent_model: {agent: one-step,
samples: 3}}`, or TAG's own JSON of MCTS parameters (`tag_json`). Nothing in a file is
executed: YAML's tags for Python objects are refused.
"""

import json
from collections.abc import Mapping
from os.path import dirname, isabs, join
from pathlib import Path
from typing import Any

import yaml

from mcts_agents.agents.tag_json import from_tag, is_tag
from mcts_agents.names import MAX_NESTING
from mcts_agents.writing import replacing

SUFFIXES = (".yaml", ".yml", ".json")


def is_file_name(name: str) -> bool:
    """Say whether a name is that of a file with an agent."""
    return name.lower().endswith(SUFFIXES)


def read_file(path: str) -> dict[str, Any]:
    """Return the mapping that a file holds.

    Names of files in it are taken from the folder of the file.

    Raises:
        ValueError: The file cannot be read, or holds something else; the message names
            the file, and the line where the syntax is wrong.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is no text"
        raise ValueError(f"{path}: cannot be read: {reason}") from error
    try:
        read = _json if path.lower().endswith(".json") else read_yaml
        data = read(text)
        if not isinstance(data, dict):
            raise ValueError(
                f"expected a mapping such as {{agent: mcts, tree: multi}}, not {data!r}"
            )
        return in_folder(from_tag(data) if is_tag(data) else data, dirname(path))
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


def write_file(path: str, mapping: Mapping[str, Any]) -> None:
    """Write a mapping that `read_file` reads again; whole or not at all.

    Raises:
        ValueError: The name of the file ends as no file of an agent does.
        OSError: It cannot be written; the file is as it was.
    """
    if not is_file_name(path):
        raise ValueError(f"{path}: expected a name that ends in {', '.join(SUFFIXES)}")
    if path.lower().endswith(".json"):
        text = json.dumps(mapping, indent=2) + "\n"
    else:
        text = yaml.safe_dump(dict(mapping), sort_keys=False, allow_unicode=True)
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def _begins_with_file(value: str) -> bool:
    """Say whether a text is a file's name, with or without options after it."""
    return is_file_name(value) or is_file_name(value.partition(":")[0].strip())


def _json(text: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_unique)
    except json.JSONDecodeError as error:
        raise ValueError(
            f"line {error.lineno}, column {error.colno}: {error.msg}"
        ) from error


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"{key!r} is given twice")
        found[key] = value
    return found


class _Loader(yaml.SafeLoader):
    """YAML's safe loader, which also refuses a key that is given twice."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> Any:
        seen = set()
        for key_node, _ in node.value:
            key = key_node.value if isinstance(key_node, yaml.ScalarNode) else None
            if key in seen:
                raise yaml.constructor.ConstructorError(
                    problem=f"{key!r} is given twice", problem_mark=key_node.start_mark
                )
            seen.add(key)
        return super().construct_mapping(node, deep)

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        try:
            return super().construct_object(node, deep)
        except (ValueError, LookupError, AttributeError, TypeError) as error:
            kind = node.tag.rpartition(":")[2]
            raise yaml.constructor.ConstructorError(
                problem=f"{node.value!r} is no {kind}", problem_mark=node.start_mark
            ) from error


def read_yaml(text: str) -> Any:
    """Return what a YAML text holds; nothing in it is executed.

    Raises:
        ValueError: The syntax is wrong, a key is given twice, or a tag is not YAML's
            own; the message names the line.
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
    except RecursionError as error:
        raise ValueError("nested without end") from error


def in_folder(data: Mapping[Any, Any], folder: str, nesting: int = 0) -> Any:
    """Return a mapping in which names of files are taken from a folder.

    These are agents' files, and what stands under the key `file`: a policy's.
    """
    if nesting > MAX_NESTING:
        raise ValueError(f"nested more than {MAX_NESTING} deep")
    found: dict[Any, Any] = {}
    for key, value in data.items():
        if isinstance(value, Mapping):
            value = from_tag(value) if is_tag(value) else value
            value = in_folder(value, folder, nesting + 1)
        elif isinstance(value, list):
            value = [in_folder({0: entry}, folder, nesting + 1)[0] for entry in value]
        elif isinstance(value, str) and not isabs(value):
            if key == "file" or _begins_with_file(value):
                value = join(folder, value)
        found[key] = value
    return found
