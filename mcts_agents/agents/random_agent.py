"""`RandomAgent`: every legal action equally likely."""

import numpy as np

from mcts_agents.agents.agent import Agent
from mcts_agents.model import ForwardModel, random_below


class RandomAgent(Agent):
    """Plays a uniformly random legal action; see `Agent` for the arguments."""

    def decide(self, model: ForwardModel, state: np.ndarray, player: int) -> int:
        """Return a legal action, all equally likely."""
        actions = model.legal_actions(state, player)
        return int(actions[random_below(self._rng, len(actions))])
