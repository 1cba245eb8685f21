"""`GameSettings`: which moves of self-play are not those of the searches."""

from dataclasses import dataclass

import numpy as np

from mcts_agents.model import ForwardModel
from mcts_agents.search import AnsweredLater, SearchSettings
from mcts_agents.search.kernel.root_policies import root_policy_of


@dataclass(frozen=True, kw_only=True)
class GameSettings:
    """Which moves are not those that searches choose.

    Attributes:
        explore_moves: Moves of a game's first so many plies are drawn in proportion to
            visits ** (1 / temperature).
        temperature: See `explore_moves`; above 0.
        random_moves: In games of odd number, a number of first plies from 1 to this is
            played at random. These have no rows.
        opponents: Name of a scripted policy of the game. All players follow it except
            one team, whose decisions alone have rows; teams take turns. None: all
            players search.

    Raises:
        ValueError: A value that is not allowed.
    """

    explore_moves: int = 0
    temperature: float = 1.0
    random_moves: int = 0
    opponents: str | None = None

    def __post_init__(self) -> None:
        for name in ("explore_moves", "random_moves"):
            check_whole(name, getattr(self, name), 0)
        if not 0.0 < self.temperature < np.inf:
            raise ValueError(
                f"temperature={self.temperature!r}: expected a number above 0"
            )

    def check(self, model: ForwardModel, settings: SearchSettings) -> None:
        """Check that games can be played so.

        Args:
            model: The game.
            settings: Complete settings of the searches.

        Raises:
            ValueError: They do not say what is played, or what learners are told; or
                the game does not bring the opponents.
        """
        _check_searches(model, settings)
        if settings.root_policy == "gumbel" and self.explore_moves:
            raise ValueError(
                f"explore_moves={self.explore_moves}: root_policy='gumbel' samples its "
                "moves; use explore_moves=0"
            )
        if self.opponents is None:
            return
        if self.opponents not in model.policies:
            known = ", ".join(model.policies) or "none"
            raise ValueError(
                f"opponents={self.opponents!r}: {model.name} has these scripted "
                f"policies: {known}"
            )
        if model.team_count < 2:
            raise ValueError(
                f"opponents={self.opponents!r}: all players of {model.name} are one "
                "team"
            )


def check_whole(name: str, value: int, least: int) -> None:
    """Refuse what is no integer from `least`.

    Raises:
        ValueError: It is none.
    """
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not (whole and value >= least):
        raise ValueError(f"{name}={value!r}: expected an integer from {least}")


def _check_searches(model: ForwardModel, settings: SearchSettings) -> None:
    if settings.evaluator is None or isinstance(settings.evaluator, AnsweredLater):
        raise ValueError(
            f"evaluator={settings.evaluator!r}: self-play asks an evaluator, a "
            "function (observations, players, legal) -> (values, logits)"
        )
    if model.observation_shape is None:
        raise ValueError(f"{model.name} has no function `observe`, so nothing to learn")
    policy = root_policy_of(settings.root_policy)
    own = policy.final is not None or policy.policy is not None
    if own and settings.root_policy != "gumbel":
        raise ValueError(
            f"root_policy={policy.name!r} decides in Python; self-play takes 'tree', "
            "'sequential_halving', 'gumbel', or a policy of yours without `final` and "
            "`policy`"
        )
