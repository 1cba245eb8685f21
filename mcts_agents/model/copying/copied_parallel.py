"""PettingZoo parallel environments as a forward model sees them."""

from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.utils.conversions import parallel_to_aec_wrapper

from mcts_agents.model.copying.cloning import Cloner
from mcts_agents.model.copying.faces import Face, require_reset
from mcts_agents.model.masks import mask_in, shows_masks


class ParallelFace(Face):
    """A PettingZoo parallel environment.

    Masks lie in what `reset` and `step` return. Copies keep what their own steps
    returned; at the root, where the live environment gave it to somebody else, it is
    asked of the environment's `observe` if it has one, and else every action of a
    player's space counts as legal there.

    Agents whose mask is empty wait: they are no movers, and their action is the first
    of their space.
    """

    def __init__(self, env: ParallelEnv):
        require_reset(env, "agents")
        super().__init__(env, list(env.possible_agents))
        self._finished: frozenset[str] = frozenset()
        self._masks: dict[str, np.ndarray | None] = {}
        self._declares_masks = any(
            shows_masks(env.observation_space(agent)) for agent in self.agents
        )
        self._observe = hasattr(env.unwrapped, "observe")
        self._check_masks()

    def _check_masks(self) -> None:
        if self._declares_masks and not self._observe:
            raise ValueError(
                f"{self.name}: its masks lie only in what step() returned, which a "
                "parallel environment does not keep. Plan from its AEC form: "
                "pettingzoo.utils.parallel_to_aec(env)"
            )

    def _action_space(self, agent: str) -> spaces.Space:
        return self.env.action_space(agent)

    def _observation_space(self, agent: str) -> spaces.Space:
        return self.env.observation_space(agent)

    def _shown_to(self, player: int) -> Any:
        agent = self.agents[player]
        if self._shown is not None:
            return self._shown.get(agent)
        inner = self.env.unwrapped
        return inner.observe(agent) if hasattr(inner, "observe") else None

    def movers(self) -> list[int]:
        """Return all live agents, without those who wait for others."""
        live = [a for a in self.env.agents if a not in self._finished]
        players = [self.agents.index(agent) for agent in live]
        deciding = [p for p in players if not self._waits(p)]
        return deciding or players

    def _waits(self, player: int) -> bool:
        mask = self.checked_mask(player)
        return mask is not None and not mask.any()

    def legal_actions(self, player: int) -> list[int]:
        """Return a player's legal actions; one who waits has one of no effect."""
        if self._waits(player):
            return [int(self.action_spaces[player].start)]
        return super().legal_actions(player)

    def step(self, joint_action: list[int], returns: list[float]) -> None:
        """Let all live agents act."""
        actions = {}
        for agent in self.env.agents:
            player = self.agents.index(agent)
            action = joint_action[player]
            if action < 0:
                action = int(self.action_spaces[player].start)
            actions[agent] = action
        observations, rewards, terminations, truncations, infos = self.env.step(actions)
        self._earn(rewards, returns)
        self._shown = observations
        over = {a for a in actions if terminations.get(a) or truncations.get(a)}
        self._finished |= over
        self._masks = {
            a: shown_mask(observations.get(a), infos.get(a)) for a in self.env.agents
        }

    def mask_of(self, player: int) -> np.ndarray | None:
        """Return the mask in the last observation, else the one in the last infos."""
        agent = self.agents[player]
        if agent in self._masks:
            return self._masks[agent]
        mask = mask_in(self.env.unwrapped.observe(agent)) if self._observe else None
        self._observe = self._declares_masks or mask is not None
        return mask


class SerialisedFace(ParallelFace):
    """A parallel environment that the live loop steps through PettingZoo's AEC form.

    The converter keeps the observations of the last full step, hence the masks, and
    the actions of agents who were asked earlier, which nobody may see.
    """

    def __init__(self, converter: parallel_to_aec_wrapper):
        require_reset(converter, "agent_selection")
        self._asked: AECEnv | None = converter
        super().__init__(converter.env)
        self._observe = False
        self._shown = converter._observations
        self._masks = {
            a: shown_mask(converter._observations.get(a), converter.infos.get(a))
            for a in converter.env.agents
        }

    def _check_masks(self) -> None:
        """Nothing to check: the converter keeps the observations."""

    def player_of(self, agent: str | None) -> int:
        """Return the number of the agent, by default the one that is asked now."""
        if agent is None and self._asked is not None and self.movers():
            agent = self._asked.agent_selection
        return super().player_of(agent)

    def clone(self, cloner: Cloner) -> Face:
        """Return a copy that has forgotten the converter and its pending actions."""
        twin = super().clone(cloner)
        twin.__dict__["_asked"] = None
        return twin


def shown_mask(observation: Any, info: Any) -> np.ndarray | None:
    """Return a copy of the mask in an observation, else of the one in the info."""
    mask = mask_in(observation)
    mask = mask_in(info) if mask is None else mask
    # The environment may fill the same array again in its next step.
    return None if mask is None else mask.copy()
