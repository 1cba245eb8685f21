"""Environments of three kinds played by random legal actions in one kind of loop.

Unlike `mcts_agents.testing.loops` these know action spaces of all kinds, and check
nothing: an environment that agents refuse has to be played too.
"""

import random
from typing import Any

import numpy as np
from gymnasium import Env, spaces
from pettingzoo import ParallelEnv


class Episode:
    """An environment after `reset(seed)`, and what it has shown last.

    Attributes:
        env: The environment.
        shown: What the last `reset` or `step` returned or left to be looked at.
        agent: Who decides now; None in a Gymnasium environment.
        is_over: Whether nobody has a decision to make any more.
    """

    def __init__(self, env: Any, seed: int):
        self.env = env
        self.choices = random.Random(seed)
        self.shown: Any = None
        self.agent: str | None = None
        self.is_over = False
        self._start(seed)

    def _start(self, seed: int) -> None:
        raise NotImplementedError

    def step(self) -> None:
        """Let all who decide take random legal actions."""
        raise NotImplementedError

    def around(self, env: Any) -> "Episode":
        """Return the same episode of a copy, which goes on by other random actions."""
        twin = object.__new__(type(self))
        twin.__dict__.update(vars(self), env=env, choices=random.Random(0))
        return twin

    def _random_action(self, space: spaces.Space, mask: Any) -> Any:
        """Return a random action; spaces' own generators are left alone."""
        choices = self.choices
        if isinstance(space, spaces.Discrete):
            legal = range(int(space.n)) if mask is None else np.flatnonzero(mask)
            return int(space.start) + int(choices.choice(list(legal)))
        if isinstance(space, spaces.MultiDiscrete):
            numbers = [choices.randrange(int(n)) for n in space.nvec.ravel()]
            return np.array(numbers, space.dtype).reshape(space.shape) + space.start
        if isinstance(space, spaces.Box):
            low = np.maximum(space.low, -10.0).ravel().tolist()
            high = np.minimum(space.high, 10.0).ravel().tolist()
            drawn = [choices.uniform(a, b) for a, b in zip(low, high, strict=True)]
            return np.array(drawn, space.dtype).reshape(space.shape)
        raise TypeError(f"no random action of {space} is known")


class AECEpisode(Episode):
    """A PettingZoo AEC environment."""

    def _start(self, seed: int) -> None:
        self.env.reset(seed=seed)
        self._look({})

    def _look(self, rewards: dict[str, Any]) -> None:
        env = self.env
        while env.agents and (
            env.terminations[env.agent_selection]
            or env.truncations[env.agent_selection]
        ):
            env.step(None)
        self.is_over = not env.agents
        self.agent = None if self.is_over else env.agent_selection
        observation = None if self.is_over else env.observe(self.agent)
        self.shown = (self.agent, observation, rewards, dict(env.infos))

    def step(self) -> None:  # noqa: D102
        _, observation, _, infos = self.shown
        action = self._random_action(
            self.env.action_space(self.agent),
            _mask(observation, infos.get(self.agent)),
        )
        self.env.step(action)
        self._look(dict(self.env.rewards))


class ParallelEpisode(Episode):
    """A PettingZoo parallel environment."""

    def _start(self, seed: int) -> None:
        observations, infos = self.env.reset(seed=seed)
        self._look(observations, infos, None)

    def _look(self, observations: Any, infos: Any, earned: Any) -> None:
        self.is_over = not self.env.agents
        self.agent = None if self.is_over else self.env.agents[0]
        self.shown = (observations, infos, earned)

    def step(self) -> None:  # noqa: D102
        observations, infos, _ = self.shown
        actions = {
            agent: self._random_action(
                self.env.action_space(agent),
                _mask(observations.get(agent), infos.get(agent)),
            )
            for agent in self.env.agents
        }
        observations, *earned, infos = self.env.step(actions)
        self._look(observations, infos, earned)


class GymnasiumEpisode(Episode):
    """A Gymnasium environment."""

    def _start(self, seed: int) -> None:
        # Some environments show what the space's own generator draws.
        self.env.action_space.seed(seed)
        self.shown = self.env.reset(seed=seed)

    def step(self) -> None:  # noqa: D102
        observation, info = self.shown[0], self.shown[-1]
        mask = _mask(observation, info)
        if mask is None and self.env.has_wrapper_attr("action_masks"):
            mask = self.env.get_wrapper_attr("action_masks")()
        self.shown = self.env.step(self._random_action(self.env.action_space, mask))
        self.is_over = bool(self.shown[2] or self.shown[3])


def _mask(observation: Any, info: Any) -> Any:
    for shown in (observation, info):
        if isinstance(shown, dict) and "action_mask" in shown:
            return np.asarray(shown["action_mask"])
    return None


def episode(env: Any, seed: int) -> Episode:
    """Start an episode of an environment of any kind."""
    if isinstance(env, Env):
        return GymnasiumEpisode(env, seed)
    return (ParallelEpisode if isinstance(env, ParallelEnv) else AECEpisode)(env, seed)
