"""Environments of three kinds (AEC, parallel, Gymnasium) played by one kind of loop."""

from abc import ABC, abstractmethod
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv, ParallelEnv

from mcts_agents.model.copying.actions import check_number_of_actions
from mcts_agents.model.copying.copied_parallel import shown_mask
from mcts_agents.model.copying.rewards import finite_reward
from mcts_agents.model.masks import as_mask, mask_in
from mcts_agents.testing.report import Place

# An agent's name; an environment of Gymnasium has one agent without a name.
Agent = str | None


class Loop(ABC):
    """One environment, live or a copy, between two decisions.

    Args:
        env: The environment.
        place: Where the check is.

    Attributes:
        shown: All that the last `reset` or `step` showed, but `infos`.
    """

    def __init__(self, env: Any, place: Place):
        self.env, self.place = env, place
        self.shown: dict[str, Any] = {}

    @abstractmethod
    def reset(self, seed: int) -> None:
        """Start an episode."""

    @abstractmethod
    def deciding(self) -> list[Agent]:
        """Return the agents who decide now, none at the end of the episode."""

    @abstractmethod
    def step(self, actions: dict[Agent, int]) -> None:
        """Let all who decide act, and finished agents leave."""

    @abstractmethod
    def mask(self, agent: Agent) -> np.ndarray | None:
        """Return the mask that the environment has shown to an agent, if any."""

    def masks(self) -> Any:
        """Return the masks of all who decide, as `Agent.act` takes them."""
        shown = {agent: self.mask(agent) for agent in self.deciding()}
        return shown[None] if None in shown else shown

    @abstractmethod
    def space(self, agent: Agent) -> spaces.Discrete:
        """Return the action space of an agent."""

    def legal(self, agent: Agent) -> list[int]:
        """Return the legal actions that were shown to an agent."""
        space = self.space(agent)
        whose = f"the action space of {agent or 'the agent'}"
        if not isinstance(space, spaces.Discrete):
            raise ValueError(f"{whose} is {space}; only Discrete spaces can be checked")
        check_number_of_actions(int(space.start + space.n), space, whose)
        mask, start = self.mask(agent), int(space.start)
        if mask is None:
            return list(range(start, start + int(space.n)))
        mask = as_mask(mask, int(space.n), f"the mask of {agent or 'the agent'}")
        return [int(action) + start for action in mask.nonzero()[0]]

    def _check_shown(
        self, observations: dict[Agent, Any], rewards: dict[Agent, Any]
    ) -> None:
        for agent, reward in rewards.items():
            finite_reward(reward, f"the reward of {agent or 'the agent'}")
        for agent, observation in observations.items():
            space = self._observation_space(agent)
            if not space.contains(observation):
                self.place.fail(
                    "observation_space",
                    f"does not hold what {agent or 'the agent'} was shown: "
                    f"{_short(observation)} is not in {_short(space)}",
                    "Make the space as wide as the observations, of the same dtype",
                )

    @abstractmethod
    def _observation_space(self, agent: Agent) -> spaces.Space:
        """Return the observation space of an agent."""


class AECLoop(Loop):
    """A PettingZoo AEC environment."""

    def reset(self, seed: int) -> None:  # noqa: D102
        self.env.reset(seed=seed)
        self._look()

    def deciding(self) -> list[Agent]:  # noqa: D102
        env = self.env
        return [env.agent_selection] if env.agents and not self._is_finished() else []

    def _is_finished(self) -> bool:
        agent = self.env.agent_selection
        return self.env.terminations[agent] or self.env.truncations[agent]

    def step(self, actions: dict[Agent, int]) -> None:  # noqa: D102
        env = self.env
        env.step(actions[env.agent_selection])
        rewards = dict(env.rewards)
        for _ in env.possible_agents:
            if not env.agents or not self._is_finished():
                break
            env.step(None)
        self._look(rewards)

    def _look(self, rewards: dict[str, Any] | None = None) -> None:
        env = self.env
        rewards = dict(env.rewards) if rewards is None else rewards
        observations = {a: env.observe(a) for a in self.deciding()}
        self.shown = {
            "agents": list(env.agents),
            "deciding": self.deciding(),
            "observations": observations,
            "rewards": rewards,
            "terminations": dict(env.terminations),
            "truncations": dict(env.truncations),
        }
        self._check_shown(observations, rewards)

    def mask(self, agent: Agent) -> np.ndarray | None:  # noqa: D102
        return shown_mask(self.shown["observations"][agent], self.env.infos.get(agent))

    def space(self, agent: Agent) -> spaces.Discrete:  # noqa: D102
        return self.env.action_space(agent)

    def _observation_space(self, agent: Agent) -> spaces.Space:
        return self.env.observation_space(agent)


class ParallelLoop(Loop):
    """A PettingZoo parallel environment."""

    def reset(self, seed: int) -> None:  # noqa: D102
        observations, infos = self.env.reset(seed=seed)
        self._infos = infos
        self.shown = {"agents": list(self.env.agents), "observations": observations}
        self._check_shown(observations, {})

    def deciding(self) -> list[Agent]:  # noqa: D102
        agents = list(self.env.agents)
        return [agent for agent in agents if not self._waits(agent)] or agents

    def _waits(self, agent: Agent) -> bool:
        mask = self.mask(agent)
        return mask is not None and not mask.any()

    def legal(self, agent: Agent) -> list[int]:
        """Return the legal actions; one of no effect where all agents wait."""
        return super().legal(agent) or [int(self.space(agent).start)]

    def step(self, actions: dict[Agent, int]) -> None:  # noqa: D102
        idle = {a: int(self.space(a).start) for a in self.env.agents}
        observations, rewards, terminations, truncations, infos = self.env.step(
            idle | actions
        )
        self._infos = infos
        self.shown = {
            "agents": list(self.env.agents),
            "observations": observations,
            "rewards": rewards,
            "terminations": terminations,
            "truncations": truncations,
        }
        self._check_shown(observations, rewards)

    def mask(self, agent: Agent) -> np.ndarray | None:  # noqa: D102
        observation = self.shown["observations"].get(agent)
        return shown_mask(observation, self._infos.get(agent))

    def space(self, agent: Agent) -> spaces.Discrete:  # noqa: D102
        return self.env.action_space(agent)

    def _observation_space(self, agent: Agent) -> spaces.Space:
        return self.env.observation_space(agent)


class GymnasiumLoop(Loop):
    """A Gymnasium environment."""

    def reset(self, seed: int) -> None:  # noqa: D102
        observation, self._info = self.env.reset(seed=seed)
        self._over = False
        self.shown = {"observation": observation}
        self._check_shown({None: observation}, {})

    def deciding(self) -> list[Agent]:  # noqa: D102
        return [] if self._over else [None]

    def step(self, actions: dict[Agent, int]) -> None:  # noqa: D102
        observation, reward, terminated, truncated, self._info = self.env.step(
            actions[None]
        )
        self._over = bool(terminated or truncated)
        self.shown = {
            "observation": observation,
            "reward": reward,
            "terminated": terminated,
            "truncated": truncated,
        }
        self._check_shown({None: observation}, {None: reward})

    def mask(self, agent: Agent) -> np.ndarray | None:  # noqa: D102
        if self.env.has_wrapper_attr("action_masks"):
            return np.asarray(self.env.get_wrapper_attr("action_masks")())
        observation = mask_in(self.shown["observation"])
        return mask_in(self._info) if observation is None else observation

    def space(self, agent: Agent) -> spaces.Discrete:  # noqa: D102
        return self.env.action_space

    def _observation_space(self, agent: Agent) -> spaces.Space:
        return self.env.observation_space


def loop_of(env: Any, place: Place) -> Loop:
    """Return the loop that plays an environment.

    Raises:
        ValueError: It is no environment.
    """
    for kind, loop in (
        (gymnasium.Env, GymnasiumLoop),
        (ParallelEnv, ParallelLoop),
        (AECEnv, AECLoop),
    ):
        if isinstance(env, kind):
            return loop(env, place)
    raise ValueError(
        f"{env!r}: expected a PettingZoo environment (AEC or parallel), an environment "
        "of Gymnasium, or a function that makes one"
    )


def _short(value: Any) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) <= 80 else f"{text[:77]}..."
