"""PettingZoo AEC environments as a forward model sees them."""

from typing import Any

from gymnasium import spaces
from pettingzoo import AECEnv

from mcts_agents.model.copying.comparing import first_difference
from mcts_agents.model.copying.copy_options import CopyOptions
from mcts_agents.model.copying.faces import Face, require_reset
from mcts_agents.model.masks import mask_in, shows_masks

# What PettingZoo asks of an AEC environment beside its observations.
BOOKKEEPING = (
    "agents",
    "agent_selection",
    "rewards",
    "_cumulative_rewards",
    "terminations",
    "truncations",
)


class AECFace(Face):
    """A PettingZoo AEC environment without the wrappers that watch over it."""

    def __init__(self, env: AECEnv, options: CopyOptions | None = None):
        require_reset(env, "agent_selection")
        super().__init__(env, list(env.possible_agents), options)
        self._declares_masks = any(
            shows_masks(env.observation_space(agent)) for agent in self.agents
        )
        self._masks_in_observations = True

    def _action_space(self, agent: str) -> spaces.Space:
        return self.env.action_space(agent)

    def _observation_space(self, agent: str) -> spaces.Space:
        return self.env.observation_space(agent)

    def _shown_to(self, player: int) -> Any:
        return self.env.observe(self.agents[player])

    def movers(self) -> list[int]:
        """Return the selected agent, none when all have finished."""
        env = self.env
        if not env.agents:
            return []
        agent = env.agent_selection
        if env.terminations[agent] or env.truncations[agent]:
            return []
        return [self._places[agent]]

    def _is_finished(self, agent: str) -> bool:
        return self.env.terminations[agent] or self.env.truncations[agent]

    def player_of(self, agent: str | None) -> int:
        """Return the number of the agent; see `Face.player_of`."""
        env = self.env
        if not self.movers() and not all(self._is_finished(a) for a in env.agents):
            raise ValueError(
                f"{self.name}: {env.agent_selection} has finished and has no decision "
                "to make; step(None) lets the others go on"
            )
        return super().player_of(agent)

    def step(self, joint_action: list[int], returns: list[float]) -> None:
        """Let the selected agent act; finished agents are stepped out of the way."""
        env = self.env
        player = self._places[env.agent_selection]
        env.step(self.action(player, joint_action[player]))
        self._step_is_over()
        self._earn(env.rewards, returns)
        agent = env.agent_selection
        if env.agents and not (env.terminations[agent] or env.truncations[agent]):
            return
        for _ in self.agents:
            if not env.agents or not self._is_finished(env.agent_selection):
                return
            if all(self._is_finished(agent) for agent in env.agents):
                return
            env.step(None)
        if self._is_finished(env.agent_selection):
            raise RuntimeError(
                f"{self.name}: {env.agent_selection} has finished, but step(None) does "
                "not remove it"
            )

    def restart(self, seed: int) -> None:
        """See `Face.restart`."""
        self.env.reset(seed=seed)
        self._step_is_over()

    def shown(self) -> Any:
        """Return the selected agent's observation and what it has earned."""
        env = self.env
        if not env.agents:
            return None
        agent = env.agent_selection
        earned = env._cumulative_rewards.get(agent)
        return agent, env.observe(agent), earned, dict(env.terminations)

    def mask_of(self, player: int) -> Any:
        """Return the mask in the observation, else the one in the infos."""
        agent = self.agents[player]
        mask = None
        if self._masks_in_observations:
            mask = mask_in(self.env.observe(agent))
            # Observations may be pictures: do not have them made for nothing.
            self._masks_in_observations = self._declares_masks or mask is not None
        return mask_in(self.env.infos.get(agent)) if mask is None else mask

    def difference(self, twin: Face) -> str | None:
        """Compare observations and PettingZoo's bookkeeping too."""
        for name in BOOKKEEPING:
            found = first_difference(
                getattr(self.env, name), getattr(twin.env, name), name
            )
            if found:
                return found
        agent = self.env.agent_selection
        return first_difference(
            self.env.observe(agent), twin.env.observe(agent), f"observe({agent!r})"
        ) or super().difference(twin)
