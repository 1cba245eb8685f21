"""`HeadsEvaluator`: what a network's two heads say, as a search wants it."""

import copy
from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np

from mcts_agents.model import ForwardModel
from mcts_agents.model.win_shares import shares_by_player
from mcts_agents.networks.config import NetworkConfig
from mcts_agents.networks.description import NetworkDescription, check_sizes

# Observations (rows, *shape) -> the policy's logits (rows, actions), values (rows,
# teams), both float32.
Answers = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]


class HeadsEvaluator:
    """A network as leaf evaluator and prior of a search.

    Of several teams it gives shares of the win, so it takes `value=win`. With a single
    team its value is the return that it expects from the position on; the search gets
    that and what was scored already, and takes `value=score`.

    Args:
        answers: The network.
        config: Its architecture.
        description: The game that it is for, if that is known.
    """

    def __init__(
        self,
        answers: Answers,
        config: NetworkConfig,
        description: NetworkDescription | None = None,
    ):
        self.answers = answers
        self.config = config
        self.description = description
        self.required_value = "score" if config.teams == 1 else "win"
        self._model: ForwardModel | None = None
        # `Search` asks for observations itself if this is None.
        self.observe: Callable[..., Any] | None = (
            self._observe_with_scores if config.teams == 1 else None
        )

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of a {self.config.kind} network>"

    def for_model(self, model: ForwardModel) -> Self:
        """Return the evaluator for a game.

        Raises:
            ValueError: The network does not fit the game.
        """
        if self.description is None:
            check_sizes(self.config, model)
        else:
            self.description.check(model)
        bound = copy.copy(self)
        bound._model = model
        if self.config.teams == 1:
            bound.observe = bound._observe_with_scores
        return bound

    def __call__(
        self, observations: Any, players: np.ndarray, legal: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return what positions are worth, and the logits of their actions.

        Args:
            observations: What the player of each row sees, shape (rows, *observation
                shape), int8 or any other numbers.
            players: The player of each row, shape (rows,).
            legal: The legal actions, bool of shape (rows, actions).

        Returns:
            Values, float32 of shape (rows, players), by seat; logits, float32 of shape
            (rows, actions), -inf for illegal actions.

        Raises:
            ValueError: No game has been named, see `for_model`.
        """
        model = self._model
        if model is None:
            raise ValueError(
                f"{self!r}: not bound to a game yet; call what for_model(model) returns"
            )
        scores = 0.0
        if self.config.teams == 1:
            observations, scores = observations
        logits, values = self.answers(observations)
        logits = np.where(legal, logits, -np.inf)
        return values_by_player(values, players, model.teams) + scores, logits

    def _observe_with_scores(
        self, model: ForwardModel, states: np.ndarray, players: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the observations of a batch, and its scores, (rows, players)."""
        scores = np.array([model.scores(state) for state in states])
        return observations_of(model, states, players), scores


def values_by_player(
    values: np.ndarray, players: np.ndarray, teams: Sequence[int]
) -> np.ndarray:
    """Return what a network's values say of each player.

    Args:
        values: Shape (rows, teams), as `Network.forward` returns them.
        players: The player who observes, shape (rows,).
        teams: The team of each player, from 0.

    Returns:
        Shape (rows, players), by seat: shares of the win; with one team the return.
    """
    if values.shape[1] > 1:
        values = softmax(values)
    return shares_by_player(values, players, teams)


def softmax(logits: np.ndarray) -> np.ndarray:
    """Return the probabilities of each row's logits, shape (rows, n)."""
    weights = np.exp(logits - logits.max(axis=1, keepdims=True))
    shares: np.ndarray = weights / weights.sum(axis=1, keepdims=True)
    return shares


def observations_of(
    model: ForwardModel, states: np.ndarray, players: np.ndarray
) -> np.ndarray:
    """Return what players see, shape (rows, *observation shape).

    Args:
        model: The game.
        states: uint8 of shape (rows, state size).
        players: Whose view each row is, shape (rows,).
    """
    of_many = getattr(model, "observations", None)  # copied environments have it
    if of_many is not None:
        return np.asarray(of_many(states, players))
    rows = zip(states, players, strict=True)
    return np.array([model.observe(state, int(player)) for state, player in rows])
