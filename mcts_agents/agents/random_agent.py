"""`RandomAgent`: chooses uniformly among the legal actions."""

from typing import Any

import numpy as np

from mcts_agents.agents.agent import Agent
from mcts_agents.agents.kinds import AgentKind
from mcts_agents.model import ForwardModel, draw_below
from mcts_agents.model.copying.cloning import Cloner
from mcts_agents.model.copying.face_kinds import face_of, player_with_masks
from mcts_agents.search.driver.one_thread import one_thread


class RandomAgent(Agent):
    """Plays a uniformly random legal action; see `Agent` for the arguments."""

    @one_thread
    def act(
        self, env: Any, agent: str | None = None, *, action_mask: Any = None
    ) -> Any:
        """Return a legal action; third-party environments are only observed."""
        if hasattr(getattr(env, "unwrapped", env), "planning_state"):
            return super().act(env, agent, action_mask=action_mask)
        face = face_of(env, self.copying)
        player = player_with_masks(face, agent, action_mask)
        if callable(self.copying.continuous):  # which may change what it is given
            face = face.clone(Cloner())
        actions = face.legal_actions(player)
        return face.action(player, actions[draw_below(self._rng, len(actions))])

    def decide(self, model: ForwardModel, state: np.ndarray, player: int) -> int:
        """Return a legal action, all equally likely."""
        actions = model.legal_actions(state, player)
        return int(actions[draw_below(self._rng, len(actions))])


KIND = AgentKind(
    name="random",
    agent=RandomAgent,
    make=RandomAgent,
    options=("seed",),
    written=lambda agent, full: {},
)
