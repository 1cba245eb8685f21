"""`Game`: everything that the package knows about a game, from the game's folder."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from mcts_agents.envs.recordings import Progress, Report
from mcts_agents.envs.regions import Region
from mcts_agents.envs.tag_records import TagRecords
from mcts_agents.model import ForwardModel, Rules


@dataclass(frozen=True)
class Game:
    """One game: rules, notation and pictures.

    Attributes:
        name: Name in the registry and of the folder, such as `"hex"`.
        version: Version of the environments; raised when agents would notice a change.
        title: The game's name as people write it.
        rules: The compiled rules; `rules.model(**variant)` is the forward model.
        player_counts: The numbers of players that the rules allow, ascending.
        simultaneous: Whether several players ever decide at once; None: nobody said.
        format_action: `(model, action) -> str`: an action as people write it, unique
            within the variant.
        parse_action: `(model, text) -> int`: its inverse; ValueError says what was
            expected.
        ansi: `(model, state, observer) -> str`: the position for a terminal. With an
            observer (a player's index) only what that player may see; with None all.
        size: `(model) -> (width, height)`: pixels of a picture.
        paint: `(surface, model, state, observer)`: draw on a `pygame.Surface` of that
            size.
        regions: `(model, state, observer, player) -> list[Region]`: where each legal
            action of `player` lies on the picture that `paint` draws for `observer`,
            who is the same player or None. Without it pictures can only be looked at.
        recorded_variant: `(header) -> dict`: the variant's keywords for the header line
            of a recorded file (`mcts-agents verify`); ValueError if it is another game.
        recordings: Readers of recorded files in formats of the game's own, by the
            ending of their names (`".npz"`): each replays a file and reports.
        tag_records: How recorded games of the TAG framework are read.
        official_rewards: `(model, state) -> rewards`: what the game's original program
            pays each player for the last step, if that is something else than +1, 0
            or -1 at the end; environments then have the option `official_rewards`.
    """

    name: str
    version: int
    title: str
    rules: Rules
    player_counts: tuple[int, ...]
    simultaneous: bool | None
    format_action: Callable[[ForwardModel, int], str]
    parse_action: Callable[[ForwardModel, str], int]
    ansi: Callable[[ForwardModel, np.ndarray, int | None], str]
    size: Callable[[ForwardModel], tuple[int, int]]
    paint: Callable[..., None]
    regions: (
        Callable[[ForwardModel, np.ndarray, int | None, int], list[Region]] | None
    ) = None
    recorded_variant: Callable[[Mapping[str, object]], dict] | None = None
    recordings: Mapping[str, Callable[[Path, Progress], Report]] = field(
        default_factory=dict
    )
    tag_records: TagRecords | None = None
    official_rewards: Callable[[ForwardModel, np.ndarray], Sequence[float]] | None = (
        None
    )

    def __post_init__(self):
        counts = self.player_counts
        if (
            not isinstance(counts, tuple | list)
            or not counts
            or any(type(number) is not int or number < 1 for number in counts)
            or list(counts) != sorted(set(counts))
        ):
            raise ValueError(
                f"{self.name}: player_counts is {counts!r}, expected the numbers of "
                "players that the rules allow, ascending, such as (2,) or (2, 3, 4)"
            )

    def __repr__(self) -> str:
        """Show the game and for how many it is, in one line."""
        counts = ", ".join(map(str, self.player_counts))
        return f"<Game {self.name}_v{self.version} for {counts} players>"
