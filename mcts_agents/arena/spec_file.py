"""Tournaments in YAML files, and errors that name the line and the key."""

from os.path import dirname
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from mcts_agents.agents.files import in_folder, read_yaml
from mcts_agents.arena.spec import GameSpec, SettingError, TournamentSpec
from mcts_agents.names import unknown_name

Place = tuple[str | int, ...]


class SpecFile:
    """A tournament in a YAML file, `{games: [...], agents: {...}, ...}`.

    The keys are the attributes of `TournamentSpec`. Names of agents' files in it are
    taken from the folder of the file. Nothing in it is executed.

    Args:
        path: The file.

    Raises:
        ValueError: The file cannot be read, or is no mapping in YAML; the message names
            the line.
    """

    def __init__(self, path: str):
        self.path = path
        try:
            text = Path(path).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "it is no text"
            raise ValueError(f"{path}: cannot be read: {reason}") from error
        try:
            self.data = read_yaml(text)
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from error
        if not isinstance(self.data, dict):
            raise ValueError(
                f"{path}, line 1: expected a mapping with the keys "
                f"{', '.join(TournamentSpec.model_fields)}"
            )
        self._lines = _lines(yaml.compose(text, yaml.SafeLoader))

    def spec(self, **instead: Any) -> TournamentSpec:
        """Return the tournament.

        Args:
            **instead: Keys that are taken from here, not from the file.

        Raises:
            ValueError: Something in it is not allowed; the message names the file, the
                line and the key.
        """
        data = {**self.data, **instead}
        if isinstance(data.get("agents"), dict):
            data["agents"] = {
                name: self._from_folder(agent, ("agents", name))
                for name, agent in data["agents"].items()
            }
        elif "agents" in data:
            data["agents"] = self._from_folder(data["agents"], ("agents",))
        if "field" in data:
            data["field"] = self._from_folder(data["field"], ("field",))
        try:
            return TournamentSpec(**data)
        except (TypeError, ValidationError) as error:
            raise ValueError(self.told(error)) from error

    def _from_folder(self, agents: Any, place: Place) -> Any:
        """Take the names of agents' files from the folder of this file."""
        try:
            return in_folder({0: agents}, dirname(self.path))[0]
        except ValueError as error:
            raise ValueError(self._at(place, str(error))) from error

    def told(self, error: Exception) -> str:
        """Return what an error about the tournament says, with its line and key."""
        if isinstance(error, SettingError):
            return self._at(error.place, str(error))
        if isinstance(error, ValidationError):
            return "; ".join(
                self._at(place, message) for place, message in complaints(error)
            )
        return f"{self.path}: {error}"

    def _at(self, place: Place, message: str) -> str:
        known = place
        while known and known not in self._lines:
            known = known[:-1]
        line = self._lines.get(known, 1)
        key = ".".join(map(str, place))
        return f"{self.path}, line {line}{', ' if key else ''}{key}: {message}"


def complaints(error: ValidationError) -> list[tuple[Place, str]]:
    """Return where each thing that is not allowed stands, and what is said of it."""
    return [(tuple(one["loc"]), _message(one)) for one in error.errors()]


def _message(one: Any) -> str:
    if one["type"] == "extra_forbidden":
        *inside, key = one["loc"]
        known = GameSpec.model_fields if inside else TournamentSpec.model_fields
        return unknown_name("key", str(key), known)
    if one["type"] == "missing":
        return "this key is missing"
    if one["type"] == "value_error":
        return str(one["ctx"]["error"])
    message = one["msg"][0].lower() + one["msg"][1:]
    return f"{message}, not {one['input']!r}"


def _lines(node: yaml.Node | None, place: Place = ()) -> dict[Place, int]:
    """Return the line of each key and each entry of a YAML text, from 1."""
    if node is None:
        return {}
    found = {place: node.start_mark.line + 1}
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            inner = (*place, key.value)
            found |= _lines(value, inner) | {inner: key.start_mark.line + 1}
    elif isinstance(node, yaml.SequenceNode):
        for number, value in enumerate(node.value):
            found |= _lines(value, (*place, number))
    return found
