"""`SinglePlayerEnv`: a Gymnasium environment with PettingZoo's AEC API."""

from typing import Any

import gymnasium
from pettingzoo import AECEnv

from mcts_agents.envs.numbered import with_masks_kept
from mcts_agents.model.copying.rewards import finite_reward

PLAYER = "player_0"


class SinglePlayerEnv(AECEnv):
    """A Gymnasium environment that one agent, `player_0`, plays.

    Agents do not plan on this environment but on the one inside, `planned`.

    Args:
        env: The environment, wrapped by `remember`.

    Attributes:
        planned: The environment.
    """

    def __init__(self, env: gymnasium.Wrapper):
        self.planned = env
        self.metadata = dict(env.metadata or {})
        self.render_mode = env.render_mode
        self.possible_agents = [PLAYER]
        self.agents: list[str] = []
        self._seen: Any = None

    @property
    def unwrapped(self) -> Any:
        """The innermost environment."""
        return self.planned.unwrapped

    def observation_space(self, agent: str) -> gymnasium.Space:
        """Return the environment's observation space."""
        return self.planned.observation_space

    def action_space(self, agent: str) -> gymnasium.Space:
        """Return the environment's action space."""
        return self.planned.action_space

    def observe(self, agent: str) -> Any:
        """Return what the last `reset` or `step` returned."""
        return self._seen

    def reset(self, seed: int | None = None, options: dict | None = None) -> None:
        """Begin an episode."""
        self._seen, info = self.planned.reset(seed=seed, options=options)
        # Whoever plans on it is shown no more than the environment. What remembers, and
        # is looked for outermost, stays so.
        self.planned.env = with_masks_kept(self.planned.env, PLAYER, self._seen, info)
        self.agents = [PLAYER]
        self.agent_selection = PLAYER
        self.infos = {PLAYER: info}
        self._tell(0.0, False, False)
        self._cumulative_rewards = {PLAYER: 0.0}

    def step(self, action: int | None) -> None:
        """Take one step."""
        if self.terminations[PLAYER] or self.truncations[PLAYER]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[PLAYER] = 0.0
        self._seen, reward, terminated, truncated, info = self.planned.step(action)
        self.infos = {PLAYER: info}
        earned = finite_reward(reward, f"{self}: the reward")
        self._tell(earned, bool(terminated), bool(truncated))
        self._accumulate_rewards()

    def render(self) -> Any:
        """Show the position as the environment does."""
        return self.planned.render()

    def close(self) -> None:
        """Close the environment."""
        self.planned.close()

    def _tell(self, reward: float, terminated: bool, truncated: bool) -> None:
        self.rewards = {PLAYER: reward}
        self.terminations = {PLAYER: terminated}
        self.truncations = {PLAYER: truncated}
