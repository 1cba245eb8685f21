"""`Facts`: one of pyspiel's games, and what the package has to know of it."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

# Of int8, in which environments of this package show what players see.
OBSERVATION_BOUNDS = (-128, 127)

# What `observation` may be, besides the default `auto`.
OBSERVATIONS = ("auto", "observation", "information_state", "blank")

# A position of these games is all that matters for what follows, and OpenSpiel's text
# of it shows it whole: no repetitions, no counters, no pieces that once moved.
HISTORY_FREE = frozenset(
    {
        "amazons", "breakthrough", "clobber", "connect_four", "dots_and_boxes",
        "gomoku", "havannah", "hex", "mnk", "nim", "othello", "pentago",
        "tic_tac_toe", "ultimate_tic_tac_toe", "y",
    }
)  # fmt: skip


@dataclass(frozen=True)
class Facts:
    """One of pyspiel's games, and what the package has to know of it.

    Args:
        rules: What the game was made from.
        game: The pyspiel.Game.
        pyspiel: The module.
        observation: One of OBSERVATIONS.
        counted: Whether rollouts count their actions and keep their last positions.

    Raises:
        ValueError: OpenSpiel has no such observation of the game.
    """

    rules: Any
    game: Any
    pyspiel: Any
    observation: str
    counted: bool
    observation_shape: tuple[int, ...] = field(init=False)

    def __post_init__(self):
        kind = self.game.get_type()
        offered = {
            "observation": kind.provides_observation_tensor,
            "information_state": kind.provides_information_state_tensor,
            "blank": True,
        }
        if self.observation not in OBSERVATIONS:
            raise ValueError(
                f"observation={self.observation!r}: {self.name} has "
                f"{', '.join(('auto', *(n for n, has in offered.items() if has)))}"
            )
        chosen = self.observation
        if chosen == "auto":
            chosen = next(name for name, has in offered.items() if has)
        if not offered[chosen] or (chosen == "blank" and self.observation == "auto"):
            raise ValueError(
                f"{self.name}: OpenSpiel has no tensor of what a player sees there; "
                "add the option observation=blank, with which observations are a single "
                "0: agents that plan need no more"
            )
        object.__setattr__(self, "observation", chosen)
        shape: tuple[int, ...] = (1,)
        if chosen != "blank":
            shape = tuple(getattr(self.game, f"{chosen}_tensor_shape")())
        object.__setattr__(self, "observation_shape", shape)

    @property
    def name(self) -> str:
        """The game's name in the registry."""
        return self.rules.name

    @property
    def players(self) -> int:
        """Number of players."""
        return self.game.num_players()

    @property
    def at_once(self) -> bool:
        """Whether several players may decide at once."""
        return self.rules.at_once

    @property
    def chance(self) -> bool:
        """Whether there are chance nodes."""
        return self.rules.chance

    @property
    def hidden(self) -> bool:
        """Whether players may not see everything."""
        return self.rules.hidden

    @property
    def pays_on_the_way(self) -> bool:
        """Whether returns may change before the end of the game."""
        kind = self.game.get_type().reward_model
        return kind == self.pyspiel.GameType.RewardModel.REWARDS

    @property
    def sum(self) -> float:
        """What all returns add up to, in games where that is fixed."""
        return self.game.utility_sum() or 0.0

    @property
    def shared(self) -> bool:
        """Whether all players get the same."""
        return self._utility == "IDENTICAL"

    @property
    def _utility(self) -> str:
        return self.game.get_type().utility.name

    @property
    def one_return(self) -> bool:
        """Whether the return of who is to move says what everybody gets."""
        fixed = self._utility in ("ZERO_SUM", "CONSTANT_SUM", "IDENTICAL")
        simple = not (self.at_once or self.pays_on_the_way)
        return simple and (self.players == 1 or (self.players == 2 and fixed))

    @property
    def longest(self) -> int:
        """More actions than any game has, all players together."""
        return self.game.max_game_length() * (self.players if self.at_once else 1)

    @property
    def tells_information_state(self) -> bool:
        """Whether there are information states as text."""
        return self.game.get_type().provides_information_state_string

    @property
    def tells_observation(self) -> bool:
        """Whether there are observations as text."""
        return self.game.get_type().provides_observation_string

    @property
    def has_key(self) -> bool:
        """Whether positions, or what players know, have keys."""
        if self.hidden:
            return self.tells_information_state
        return self.game.get_type().short_name in HISTORY_FREE

    @property
    def one_position(self) -> bool:
        """Whether an action of one player always leads to one position, unpaid."""
        return not (self.at_once or self.chance or self.hidden or self.pays_on_the_way)

    @property
    def search_defaults(self) -> dict[str, object]:
        """The settings that suit the game."""
        chosen: dict[str, object] = {"rollout": self.longest}
        won_or_lost = (
            self._utility == "ZERO_SUM"
            and self.players == 2
            and (self.game.min_utility(), self.game.max_utility()) == (-1.0, 1.0)
        )
        if won_or_lost:
            chosen["value"] = "win"
        else:
            chosen |= {"value": "score", "score_bonus": 0.0}
        return chosen

    def observe(self, position: Any, player: int) -> np.ndarray:
        """Return what a player sees in a position, int8, flat.

        Raises:
            RuntimeError: It has values that are no int8.
        """
        if self.observation == "blank":
            return np.zeros(1, np.int8)
        values = getattr(position, f"{self.observation}_tensor")(player)
        exact = np.asarray(values)
        seen = exact.astype(np.int8)
        if (seen != exact).any():
            wrong = exact[seen != exact][0]
            low, high = OBSERVATION_BOUNDS
            raise RuntimeError(
                f"{self.name}: OpenSpiel's {self.observation} tensor holds {wrong:g}, "
                f"and environments have whole numbers from {low} to {high}; add the "
                "option observation=blank, with which observations are a single 0: "
                "agents that plan need no more"
            )
        return seen
