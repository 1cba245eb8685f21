"""Agents in files: YAML or JSON, read and written.

A file holds one mapping, `{agent: mcts, tree: multi, opponent_model: {agent: one-step,
samples: 3}}`, or TAG's own JSON of MCTS parameters (`tag_json`). Nothing in a file is
executed: YAML's tags for Python objects are refused.
"""

import json
import re
from collections.abc import Mapping
from os.path import dirname, join
from typing import Any

import yaml

from mcts_agents.agents.own import is_in_module, known_names
from mcts_agents.agents.tag_json import from_tag, is_tag
from mcts_agents.names import (
    MAX_NESTING,
    begins_in_module,
    name_in,
    parse_spec,
    quoted,
)
from mcts_agents.reading import read_json, read_settings, read_yaml
from mcts_agents.writing import replacing

SUFFIXES = (".yaml", ".yml", ".json")

# As a spec begins whose name may be misspelt; a file's name would begin with `./`.
_WITH_OPTIONS = re.compile(r"\s*[\w-]+\s*:\s*\w+\s*=")


def is_file_name(name: str) -> bool:
    """Return whether a name is the name of a file with an agent."""
    return name.lower().endswith(SUFFIXES)


def read_file(path: str) -> dict[str, Any]:
    """Return the mapping in a file.

    Names of files in it are taken from the folder of the file.

    Raises:
        ValueError: The file cannot be read, or holds something else; the message names
            the file, and the line where the syntax is wrong.
    """
    try:
        read = read_json if path.lower().endswith(".json") else read_yaml
        data = read_settings(path, read)
        if not isinstance(data, dict):
            raise ValueError(
                "expected a mapping such as {agent: mcts, tree: multi}, not "
                f"{quoted(data)}"
            )
        return in_folder(from_tag(data) if is_tag(data) else data, dirname(path))
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


def write_file(path: str, mapping: Mapping[str, Any]) -> None:
    """Write a mapping for `read_file`; the file is written completely or not at all.

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


def precedes_options(name: str) -> bool:
    """Say whether a colon after a name is that of its options."""
    return name in known_names() or is_file_name(name)


def file_in(spec: str) -> str | None:
    """Return the file that a spec begins with, None if it begins with something else.

    Args:
        spec: A spec, with or without options.
    """
    name = name_in(spec, precedes_options)
    # The file may be that of an option.
    if name in known_names() or _WITH_OPTIONS.match(spec):
        return None
    if is_file_name(name):
        return name
    # An equals sign, too, may belong to the path.
    return spec if is_file_name(spec) and not begins_in_module(spec) else None


def in_folder(data: Mapping[Any, Any], folder: str, nesting: int = 0) -> Any:
    """Return a mapping whose file names are relative to a folder.

    These are agents' files, also those in specs, and what stands under the key `file`:
    a policy's. A spec that names any becomes a mapping.
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
        elif isinstance(value, str):
            if key not in ("file", "agent"):
                value = _spec_in_folder(value, folder, nesting)
            elif key == "file" or file_in(value) is not None:
                value = join(folder, value)
        found[key] = value
    return found


def _spec_in_folder(spec: str, folder: str, nesting: int) -> Any:
    """Return a spec, or any other text, whose file names are relative to a folder."""
    try:
        name, options = parse_spec(spec, precedes_options)
    except ValueError:  # a path with parentheses; or it is refused by whoever reads it
        name, options = spec, {}
    known = precedes_options(name) or is_in_module(name)
    if not options or not known or "agent" in options:
        return spec if file_in(spec) is None else join(folder, spec)
    mapping = {"agent": name, **options}
    found = in_folder(mapping, folder, nesting + 1)
    return spec if found == mapping else found
