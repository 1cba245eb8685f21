"""Tournaments in YAML files, and errors that name the line and the key."""

from collections.abc import Mapping
from os.path import dirname
from typing import Any

import yaml
from pydantic import ValidationError

from mcts_agents.agents.files import in_folder
from mcts_agents.arena.tournaments.spec_values import SettingError, split_name
from mcts_agents.arena.tournaments.tournament_spec import GameSpec, TournamentSpec
from mcts_agents.importing import named_in_file
from mcts_agents.names import quoted, unknown_name
from mcts_agents.reading import read_settings, read_yaml

Place = tuple[str | int, ...]

# Keys and entries of a tournament lie no deeper: games.0.players.0.
_DEEPEST = 4

# Pydantic's words for its own types, in those of a file.
_EXPECTED = {
    "model_type": "expected the name of a game, or a mapping with the keys "
    + ", ".join(GameSpec.model_fields),
    "dict_type": "expected a list of agents, or a mapping of names to agents",
    "tuple_type": "expected a list",
    "string_type": "expected text",
    "too_short": "expected at least one",
    "int_type": "expected a whole number",
}


class SpecFile:
    """A tournament in a YAML file, `{games: [...], agents: {...}, ...}`.

    The keys are the attributes of `TournamentSpec`. Names of agents' files in it are
    taken from the folder of the file. Nothing in it is executed, and no module is
    imported because the file names it, unless `mcts_agents.allow_in_files` did too.

    Args:
        path: The file.
        names: What keys are called that are not taken from the file; by default as in
            the file.

    Raises:
        ValueError: The file cannot be read, or is no mapping in YAML; the message names
            the line.
    """

    def __init__(self, path: str, names: Mapping[str, str] | None = None):
        self.path = path
        self._names = names or {}
        try:
            self.data, root = read_settings(path, read_with_nodes)
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from error
        if not isinstance(self.data, dict):
            raise ValueError(
                f"{path}, line 1: expected a mapping with the keys "
                f"{', '.join(TournamentSpec.model_fields)}"
            )
        for key, _ in root.value:
            # A number, null, true or false; what `<<` merges was looked at by YAML.
            if key.value not in self.data and key.value != "<<":
                raise ValueError(
                    f"{path}, line {key.start_mark.line + 1}: "
                    + unknown_name("key", key.value, TournamentSpec.model_fields)
                )
        self._lines = lines_of(root)
        self._instead: set[str] = set()
        self._name_agents()

    def spec(self, **instead: Any) -> TournamentSpec:
        """Return the tournament.

        Args:
            **instead: Keys that are taken from here, not from the file.

        Raises:
            ValueError: Something in it is not allowed; the message names the file, the
                line and the key.
        """
        self._instead = set(instead)
        data = {**self.data, **instead}
        for key in ("games", "agents", "field"):
            if key not in data:
                continue
            if key == "agents" and isinstance(data[key], dict):
                data[key] = {
                    name: self._from_folder(agent, (key, name))
                    for name, agent in data[key].items()
                }
            elif key == "games":
                data[key] = self._games_from_folder(data[key])
            else:
                data[key] = self._from_folder(data[key], (key,))
        try:
            with named_in_file(self.path):
                return TournamentSpec.model_validate(data)
        except ValueError as error:
            raise ValueError(self.told(error)) from error

    def _games_from_folder(self, games: Any) -> Any:
        """Take what searches name from the folder of this file; games are no files."""
        if isinstance(games, list):
            return [
                self._game_from_folder(game, ("games", number))
                for number, game in enumerate(games)
            ]
        return self._game_from_folder(games, ("games",))

    def _game_from_folder(self, game: Any, place: Place) -> Any:
        if not isinstance(game, dict) or "search" not in game:
            return game
        return {**game, "search": self._from_folder(game["search"], place)}

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

    def _name_agents(self) -> None:
        """Turn a list of agents into a mapping; names in it are no files' names."""
        agents = self.data.get("agents")
        if not isinstance(agents, list):
            return
        pairs = [split_name(agent) for agent in agents]
        if len(dict(pairs)) < len(pairs):
            return  # which is refused
        self.data = {**self.data, "agents": dict(pairs)}
        for number, (name, _) in enumerate(pairs):
            line = self._lines.get(("agents", number))
            if line is not None:
                self._lines["agents", name] = line

    def _at(self, place: Place, message: str) -> str:
        if place and place[0] in self._instead:
            return f"{self._names.get(str(place[0]), place[0])}: {message}"
        known = place
        while known and known not in self._lines:
            known = known[:-1]
        line = self._lines.get(known, 1)
        key = ".".join(map(str, place))
        return f"{self.path}, line {line}{', ' if key else ''}{key}: {message}"


def read_with_nodes(text: str) -> tuple[Any, yaml.Node | None]:
    """Return what a text holds, and the nodes that know where it stands."""
    return read_yaml(text), yaml.compose(text, yaml.SafeLoader)


def complaints(error: ValidationError) -> list[tuple[Place, str]]:
    """Return where each thing that is not allowed stands, and what is said of it."""
    found = []
    for one in error.errors():
        cause = one.get("ctx", {}).get("error")
        inside = cause.place if isinstance(cause, SettingError) else ()
        place = (*one["loc"], *inside)
        found.append((place, _message(one)))
    return found


def _message(one: Any) -> str:
    if one["type"] == "extra_forbidden":
        *inside, key = one["loc"]
        known = GameSpec.model_fields if inside else TournamentSpec.model_fields
        return unknown_name("key", str(key), known)
    if one["type"] == "missing":
        return "this key is missing"
    if one["type"] == "value_error":
        return str(one["ctx"]["error"])
    expected = _EXPECTED.get(one["type"])
    if expected is None:
        expected = one["msg"][0].lower() + one["msg"][1:]
    return f"{expected}, not {quoted(one['input'])}"


def lines_of(node: yaml.Node | None, place: Place = ()) -> dict[Place, int]:
    """Return the line of each key and each entry of a YAML text, from 1."""
    if node is None or len(place) > _DEEPEST:
        return {}
    found = {place: node.start_mark.line + 1}
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            inner = (*place, key.value)
            found |= lines_of(value, inner) | {inner: key.start_mark.line + 1}
    elif isinstance(node, yaml.SequenceNode):
        for number, value in enumerate(node.value):
            found |= lines_of(value, (*place, number))
    return found
