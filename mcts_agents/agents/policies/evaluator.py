"""`PolicyEvaluator`: a policy with a value as leaf evaluator and prior of a search."""

from typing import Any, Protocol

import numpy as np
from gymnasium import spaces
from gymnasium.vector.utils import batch_space, iterate

from mcts_agents.model import ForwardModel
from mcts_agents.model.copying.copied import CopiedEnvironment
from mcts_agents.networks.heads import HeadsEvaluator


class PolicyPlayer(Protocol):
    """What the evaluator asks of a `PolicyAgent`."""

    policy: Any
    observation: str

    def prepare(self, model: ForwardModel) -> None:
        """Check that the policy can play a game."""


class PolicyEvaluator:
    """Asks a policy about the leaves of a search; see docs/neural_evaluation.md.

    The policy's value of a position, to the player who is to move, is on the scale of
    returns: 1 for a won game, 0 for a drawn and -1 for a lost one; what lies beyond is
    cut off. The search gets shares of a win, (value + 1) / 2, so it takes `value=win`.
    Team mates have the same, and the other teams what is left, in equal parts: a
    policy says nothing about them. A network of `mcts_agents.networks` does: it is
    asked itself.

    Args:
        agent: The policy.
        model: The game; None until a search begins, which asks `for_model`.

    Raises:
        ValueError: The policy ranks actions without probabilities (DQN); when asked,
            if it gives no value.
    """

    # The one setting `value` that goes with these values.
    required_value = "win"

    def __init__(self, agent: PolicyPlayer, model: ForwardModel | None = None):
        if agent.policy.greedy_only:
            raise ValueError(
                f"{agent!r} ranks actions; an evaluator needs probabilities and a value"
            )
        self.agent = agent
        self._model = model
        # Of a policy that values positions for every player, not for its own alone.
        self._own: HeadsEvaluator | None = agent.policy.evaluator()
        if self._own is not None:
            self.required_value = self._own.required_value
        if model is not None:
            agent.prepare(model)
            teams = np.array(model.teams)
            # (player, other): whether they are of one team.
            self._together = teams[:, None] == teams

    def __repr__(self) -> str:
        return f"{self.agent!r}.evaluator()"

    def for_model(self, model: ForwardModel) -> "PolicyEvaluator | HeadsEvaluator":
        """Return the evaluator for a game.

        Raises:
            ValueError: The policy cannot play this game.
        """
        if self._own is not None:
            self.agent.prepare(model)
            return self._own.for_model(model)
        kind = CopiesEvaluator if model.copies_environments else PolicyEvaluator
        return kind(self.agent, model)

    def __call__(
        self, observations: np.ndarray, players: np.ndarray, legal: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return (values (rows, players), logits (rows, actions)) of a batch.

        Args:
            observations: Shape (rows, *observation shape).
            players: The player of each row, shape (rows,).
            legal: The actions that it may take, bool of shape (rows, actions).
        """
        model = self._model
        if model is None:
            raise ValueError(
                f"{self!r}: not bound to a game yet; call what for_model(model) returns"
            )
        logits, values = self._answers(observations, legal.astype(np.int8))
        own = np.clip((values[:, None] + 1.0) / 2.0, 0.0, 1.0)
        others = (1.0 - own) / max(model.team_count - 1, 1)
        return np.where(self._together[players], own, others), logits

    def _answers(
        self, observations: Any, masks: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return what the policy says of a batch: logits, and values (rows,)."""
        if self.agent.observation == "flat":
            seen = observations.reshape(len(masks), -1)
        else:
            seen = {"observation": observations, "action_mask": masks}
        logits, values = self.agent.policy.answers(seen, masks)
        if values is None:
            raise ValueError(
                f"{self.agent!r} gives no value; an evaluator needs (logits, value)"
            )
        return logits, values


class CopiesEvaluator(PolicyEvaluator):
    """The same in copies of somebody else's environment, and what that shows.

    With a single agent a policy's value is the return that it expects from here on, as
    learners have it. The search then takes `value=score`: what was earned on the way,
    and that.
    """

    def __init__(self, agent: PolicyPlayer, model: CopiedEnvironment):
        super().__init__(agent, model)
        self._alone = model.players == 1
        self.required_value = "score" if self._alone else "win"

    def observe(
        self, model: CopiedEnvironment, states: np.ndarray, players: np.ndarray
    ) -> tuple[Any, np.ndarray]:
        """Return the observations of a batch, and its scores, (rows, players)."""
        scores = np.array([model.scores(state) for state in states])
        return model.observations(states, players), scores

    def __call__(
        self, observations: Any, players: np.ndarray, legal: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return values and logits; see `PolicyEvaluator`."""
        shown, scores = observations
        if not self._alone:
            return super().__call__(shown, players, legal)
        logits, values = self._answers(shown, legal.astype(np.int8))
        return scores + values[:, None], logits

    def _answers(
        self, observations: Any, masks: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        space = self._model.own_observation_space
        if self.agent.observation == "flat" and not isinstance(space, spaces.Box):
            each = iterate(batch_space(space, len(masks)), observations)
            observations = np.stack([spaces.flatten(space, one) for one in each])
        return super()._answers(observations, masks)
