"""`NetworkDescription`: what a file says of the network in it, and for which game."""

import json
from dataclasses import dataclass
from typing import Any, Self

from mcts_agents.model import ForwardModel
from mcts_agents.names import quoted
from mcts_agents.networks.config import NetworkConfig, observation_shape_of
from mcts_agents.reading import read_json

# Raised when files change in a way that older versions of this package do not read.
FORMAT = 1

# Under which name the metadata of both kinds of files hold the description.
KEY = "mcts_agents_network"

# Characters of a description.
MOST_CHARACTERS = 1 << 16


@dataclass(frozen=True)
class NetworkDescription:
    """A network and its game.

    Attributes:
        config: The architecture.
        game: The game's name, as `model.name`; a network plays no other.
        spec: What the trainer called the variant, such as `hex:size=5`. For people:
            another variant with the same sizes is allowed.
        teams: The team of each player, from 0, shape (players,).
    """

    config: NetworkConfig
    game: str
    spec: str
    teams: tuple[int, ...]

    def __post_init__(self) -> None:
        teams = self.teams
        if not all(type(team) is int for team in teams) or set(teams) != set(
            range(self.config.teams)
        ):
            raise ValueError(
                f"teams={quoted(teams)}: expected the number of a team for each player,"
                f" from 0 to {self.config.teams - 1}"
            )
        for name in ("game", "spec"):
            if not isinstance(getattr(self, name), str):
                raise ValueError(f"{name}={quoted(getattr(self, name))}: expected text")

    @classmethod
    def of(cls, config: NetworkConfig, model: ForwardModel, spec: str) -> Self:
        """Return the description of a network that has been trained on a game.

        Raises:
            ValueError: The network does not fit the game.
        """
        found = cls(config, model.name, spec, model.teams)
        found.check(model)
        return found

    def check(self, model: ForwardModel) -> None:
        """Check that the network plays a game.

        Raises:
            ValueError: Another game, or other sizes.
        """
        if model.name != self.game:
            raise ValueError(
                f"the network is for {quoted(self.spec)}, not for {model.name}"
            )
        if model.teams != self.teams:
            raise ValueError(
                f"the network is for players of the teams {self.teams}; here they are "
                f"{model.teams}"
            )
        check_sizes(self.config, model)

    def to_json(self) -> str:
        """Return the description as text for a file."""
        return json.dumps(
            {
                "format": FORMAT,
                "game": self.game,
                "spec": self.spec,
                "players": len(self.teams),
                "teams": list(self.teams),
                "config": self.config.to_mapping(),
            }
        )

    @classmethod
    def from_json(cls, text: str | None) -> Self:
        """Return what `to_json` has written.

        Raises:
            ValueError: It has not written this; the message says what is wrong.
        """
        if text is None:
            raise ValueError(
                f"it has no description of a network (metadata {KEY!r}), which "
                "mcts_agents.networks writes"
            )
        if len(text) > MOST_CHARACTERS:
            raise ValueError(f"its description has more than {MOST_CHARACTERS} letters")
        found = read_json(text)
        expected = {"format", "game", "spec", "players", "teams", "config"}
        if not isinstance(found, dict) or set(found) != expected:
            raise ValueError(
                f"its description is not one with {', '.join(sorted(expected))}"
            )
        if found["format"] != FORMAT:
            raise ValueError(
                f"its description has the format {quoted(found['format'])}; this "
                f"version of mcts-agents reads {FORMAT}"
            )
        teams = found["teams"]
        if not isinstance(teams, list) or found["players"] != len(teams):
            raise ValueError(
                f"teams={quoted(teams)}: expected one for each of "
                f"{quoted(found['players'])} players"
            )
        config = NetworkConfig.from_mapping(found["config"])
        return cls(config, found["game"], found["spec"], _hashable(teams))


def check_sizes(config: NetworkConfig, model: ForwardModel) -> None:
    """Check that a network has the sizes of a game.

    Raises:
        ValueError: It has others; the message has both.
    """
    for what, has, needs in (
        (
            "observations of shape",
            config.observation_shape,
            observation_shape_of(model),
        ),
        ("actions:", config.actions, model.actions),
        ("teams:", config.teams, model.team_count),
    ):
        if has != needs:
            raise ValueError(
                f"the network is for {what} {has}; in {model.name} it needs {needs}"
            )


def _hashable(values: list[Any]) -> tuple[Any, ...]:
    if any(isinstance(value, list | dict) for value in values):
        raise ValueError(f"teams={quoted(values)}: expected whole numbers")
    return tuple(values)
