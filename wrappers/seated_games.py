"""`SeatedGame`: a PettingZoo environment with a learner in one seat, agents in others.

It plays on by itself from one decision of the learner to the next, and adds up
what the learner earns on the way.
"""

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.utils.conversions import parallel_to_aec_wrapper

from mcts_agents.model.copying.actions import check_number_of_actions
from mcts_agents.model.copying.copied import results_by_return
from mcts_agents.model.copying.copied_parallel import (
    ParallelFace,
    observes,
    seen_mask,
)
from mcts_agents.model.copying.rewards import finite_reward
from mcts_agents.model.copying.watchers import layers
from mcts_agents.model.masks import as_mask, shows_masks
from mcts_agents.wrappers.opponents import Chooser


class SeatedGame(ABC):
    """A live environment that is played from one decision of the learner to the next.

    Args:
        env: The environment.

    Attributes:
        names: All agents; a seat's number is its place.
        learner: The agent that the learner plays.
        observation: What the environment shows the learner.
        mask: 1 for each of the learner's legal actions, int8, all zeros when it has
            nothing to decide any more.
        reward: What the learner has earned since its last decision.
        terminated: Whether the learner's game has ended.
        truncated: Whether it was broken off.

    Raises:
        ValueError: An agent's action space is not Discrete.
    """

    def __init__(self, env: Any):
        self.env = env
        self.names = list(env.possible_agents)
        for name in self.names:
            space = env.action_space(name)
            whose = f"{env}: the action space of {name}"
            if not isinstance(space, spaces.Discrete):
                raise ValueError(f"{whose} is {space}, expected a Discrete one")
            check_number_of_actions(int(space.start + space.n), space, whose)
        actions = {name: env.action_space(name) for name in self.names}
        self.starts = [int(space.start) for space in actions.values()]
        # What agents do who are not asked.
        self._idle = dict(zip(self.names, self.starts, strict=True))
        self._everything = {a: np.ones(int(s.n), np.int8) for a, s in actions.items()}
        # This package's environments know the results; of others returns are compared.
        self.model = getattr(env.unwrapped, "forward_model", None)
        # Masks of this package's environments are right, and need no look.
        self._declared = {
            a
            for a in self.names
            if self.model is not None and _declares_mask(env.observation_space(a))
        }
        self.learner = self.names[0]

    def begin(self, learner: str, choosers: dict[str, Chooser], seed: int) -> None:
        """Start a game and play to the learner's first decision, or to the end."""
        self.learner = learner
        self._choosers = choosers
        self._returns = dict.fromkeys(self.names, 0.0)
        self.reward = 0.0
        self.terminated = self.truncated = False
        self._begin(seed)

    @abstractmethod
    def _begin(self, seed: int) -> None:
        """Reset the environment, and play to the learner's first decision."""

    @abstractmethod
    def play_on(self, action: int) -> None:
        """Let the learner act, then the others until its next decision or its end."""

    def result(self) -> int:
        """Return WON, DRAWN or LOST for the learner; its game must have ended.

        In environments of other people the highest return so far has won, those who
        share it draw, and the others have lost.
        """
        if self.model is not None:
            state = self.env.unwrapped.spectator_state()
            return int(self.model.results(state)[self.names.index(self.learner)])
        results = results_by_return(np.array(list(self._returns.values())))
        return results[self.names.index(self.learner)]

    def masks_to_pass(self) -> dict[str, np.ndarray] | None:
        """Return the agents' masks that a plan cannot find; None if there are none."""
        return None

    def _mask(self, agent: str, observation: Any, info: Any) -> np.ndarray:
        """Return the mask that an agent was shown, else that everything is legal.

        Raises:
            ValueError: What was shown is no mask of the agent's action space.
        """
        if agent in self._declared:
            return observation["action_mask"]
        mask = seen_mask(observation, info)
        if mask is None:
            return self._everything[agent]
        size = len(self._everything[agent])
        mask = as_mask(mask, size, f"{self.env}: the mask of {agent}")
        return mask.astype(np.int8, copy=False)

    def _earn(self, rewards: dict[str, float]) -> None:
        if self.model is not None:
            self.reward += float(rewards.get(self.learner, 0.0))
            return
        for agent, reward in rewards.items():
            earned = finite_reward(reward, f"{self.env}: the reward of {agent}")
            self._returns[agent] += earned
            if agent == self.learner:
                self.reward += earned

    def _end(self, observation: Any, terminated: bool, truncated: bool) -> None:
        self.observation = observation
        self.mask = np.zeros_like(self._everything[self.learner])
        self.terminated, self.truncated = terminated, truncated


class ParallelSeatedGame(SeatedGame):
    """A parallel environment: all agents with a decision to make act at once."""

    def _begin(self, seed: int) -> None:
        observations, infos = self.env.reset(seed=seed)
        if self.learner not in observations:
            raise RuntimeError(
                f"{self.env}: {self.learner} is missing from the observations that "
                "reset() returned; the learner must be in the game from the first step"
            )
        self._seen = observations, infos
        self.observation = observations[self.learner]
        self.mask = self._mask(self.learner, self.observation, infos.get(self.learner))
        if 1 not in self.mask.tobytes():
            self.play_on(self._idle[self.learner])

    def play_on(self, action: int) -> None:
        """Let all agents act until the learner's next decision or its end."""
        env, learner, choosers = self.env, self.learner, self._choosers
        observations, infos = self._seen
        while True:
            actions = {}
            for agent in env.agents:
                if agent == learner:
                    actions[agent] = action
                    continue
                observation = observations[agent]
                mask = self._mask(agent, observation, infos.get(agent))
                # The quickest way to see whether any action is legal.
                if 1 in mask.tobytes():
                    actions[agent] = choosers[agent](self, agent, observation, mask)
                else:
                    actions[agent] = self._idle[agent]
            observations, rewards, terminations, truncations, infos = env.step(actions)
            self._earn(rewards)
            self._seen = observations, infos
            ended, cut = (
                terminations.get(learner, True),
                truncations.get(learner, False),
            )
            observation = observations.get(learner, self.observation)
            if ended or cut:
                return self._end(observation, bool(ended), bool(cut))
            mask = self._mask(learner, observation, infos.get(learner))
            if 1 in mask.tobytes():
                self.observation, self.mask = observation, mask
                return None
            action = self._idle[learner]

    def masks_to_pass(self) -> dict[str, np.ndarray] | None:
        """Return the agents' masks; None for this package's games.

        Others may show masks only in what `reset` and `step` return. Of whom these
        showed none, a plan asks `observe`; if that shows none either all is legal now,
        and a plan has to know it, because its own first step may show a mask.
        """
        if self.model is not None:
            return None
        observations, infos = self._seen
        face = ParallelFace(self.env) if observes(self.env) else None
        masks = {}
        for agent in self.env.agents:
            observation, info = observations.get(agent), infos.get(agent)
            told = seen_mask(observation, info) is not None
            if told or face is None or face.mask_of(face.agents.index(agent)) is None:
                masks[agent] = self._mask(agent, observation, info)
        return masks or None


class AECSeatedGame(SeatedGame):
    """An AEC environment: agents act one after another.

    PettingZoo's AEC form of a parallel environment asks all agents in each step. Those
    with nothing to decide there, whose masks are empty, take their first action.
    """

    def _begin(self, seed: int) -> None:
        self.env.reset(seed=seed)
        parts = layers(self.env)
        self._asks_all = any(isinstance(p, parallel_to_aec_wrapper) for p in parts)
        if self._asks_all:  # the learner may wait until its game is over
            self.observation = self.env.observe(self.learner)
        self._go_on()

    def play_on(self, action: int) -> None:
        """Let the learner act, then the others until its next decision or its end."""
        self._step(action)
        self._go_on()

    def _step(self, action: int) -> None:
        self.env.step(action)
        self._earn(self.env.rewards)

    def _last_seen(self) -> Any:
        """Return what the learner observes; what it saw last, if that is over."""
        try:
            seen = self.env.observe(self.learner)
        except KeyError:
            if not self._asks_all:
                raise
            seen = None  # the parallel environment shows it no more
        return self.observation if seen is None else seen

    def _go_on(self) -> None:
        env, learner = self.env, self.learner
        while True:
            ended = env.terminations.get(learner, True)
            cut = env.truncations.get(learner, False)
            if ended or cut:
                return self._end(self._last_seen(), bool(ended), bool(cut))
            agent = env.agent_selection
            observation, _, termination, truncation, info = env.last()
            if termination or truncation:
                env.step(None)
                continue
            mask = self._mask(agent, observation, info)
            if self._asks_all and not mask.any():
                self._step(self._idle[agent])
            elif agent == learner:
                self.observation, self.mask = observation, mask
                return None
            else:
                self._step(self._choosers[agent](self, agent, observation, mask))


def _declares_mask(space: spaces.Space) -> bool:
    """Whether all observations of a space have a mask as it is used here."""
    return shows_masks(space) and space["action_mask"].dtype == np.int8


def seated_game_of(env: Any) -> SeatedGame:
    """Return an environment as a seated game.

    Raises:
        ValueError: It is no PettingZoo environment, or has other than Discrete actions.
    """
    if isinstance(env, ParallelEnv):
        return ParallelSeatedGame(env)
    if isinstance(env, AECEnv):
        return AECSeatedGame(env)
    raise ValueError(
        f"{env!r}: expected a PettingZoo environment, AEC or parallel, or a function "
        "that makes one"
    )
