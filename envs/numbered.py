"""Environments with actions numbered from 0, as in tables and records.

Spaces that begin below 0, MultiDiscrete and MultiBinary spaces, and samples of a Box,
are numbered as searches number them (`model/copying/actions.py`). The wrappers take
numbers, and show masks of numbers.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.utils import BaseParallelWrapper, BaseWrapper

from mcts_agents.model.copying.actions import ActionNumbers, numbers_of
from mcts_agents.model.copying.copied_gymnasium import GymnasiumFace
from mcts_agents.model.copying.watchers import layers
from mcts_agents.model.masks import mask_in, shows_masks


class Numbers:
    """The action numbers of all agents.

    Args:
        numbers: By the names of agents.
    """

    def __init__(self, numbers: Mapping[str, ActionNumbers]):
        self._numbers = dict(numbers)
        self.spaces = {
            agent: spaces.Discrete(n.limit) if n.are_coded else n.space
            for agent, n in numbers.items()
        }
        some = [n for n in numbers.values() if n.space == self.any.space]
        self.are_alike = len(some) == len(self._numbers)

    @property
    def any(self) -> ActionNumbers:
        """The numbers of one agent, which hold for all agents with the same space."""
        return next(iter(self._numbers.values()))

    def action(self, agent: str, number: Any) -> Any:
        """Return the environment's own action for a number; None stays None."""
        if number is None:
            return None
        return self._numbers[agent].action(int(number))

    def shown(self, agent: str, found: Any) -> Any:
        """Return an observation or an info with a mask of numbers, if it has one."""
        mask = mask_in(found)
        if mask is None:
            return found
        whose = f"the mask of {agent}"
        return {**found, "action_mask": self._numbers[agent].flat(mask, whose)}

    def observation_space(self, agent: str, space: spaces.Space) -> spaces.Space:
        """Return the space of what `shown` returns."""
        if not shows_masks(space):
            return space
        mask = spaces.Box(0, 1, (int(self.spaces[agent].n),), np.int8)
        return spaces.Dict({**space.spaces, "action_mask": mask})


class NumberedAEC(BaseWrapper):
    """An AEC environment whose actions are numbers; see `numbered`."""

    def __init__(self, env: AECEnv, numbers: Numbers):
        super().__init__(env)
        self.numbers = numbers

    def action_space(self, agent: str) -> spaces.Space:
        """Return the space of numbers."""
        return self.numbers.spaces[agent]

    def observation_space(self, agent: str) -> spaces.Space:
        """Return the environment's own space, except for the mask."""
        space = self.env.observation_space(agent)
        return self.numbers.observation_space(agent, space)

    def observe(self, agent: str) -> Any:
        """Return an agent's observation."""
        return self.numbers.shown(agent, self.env.observe(agent))

    @property
    def infos(self) -> dict[str, Any]:
        """The infos of the environment."""
        return {a: self.numbers.shown(a, info) for a, info in self.env.infos.items()}

    def step(self, action: int | None) -> None:
        """Step the environment with its own action."""
        self.env.step(self.numbers.action(self.env.agent_selection, action))


class NumberedParallel(BaseParallelWrapper):
    """A parallel environment whose actions are numbers; see `numbered`."""

    def __init__(self, env: ParallelEnv, numbers: Numbers):
        super().__init__(env)
        self.numbers = numbers

    def action_space(self, agent: str) -> spaces.Space:
        """Return the space of numbers."""
        return self.numbers.spaces[agent]

    def observation_space(self, agent: str) -> spaces.Space:
        """Return the environment's own space, except for the mask."""
        space = self.env.observation_space(agent)
        return self.numbers.observation_space(agent, space)

    def _shown(self, found: Mapping[str, Any]) -> dict[str, Any]:
        return {agent: self.numbers.shown(agent, each) for agent, each in found.items()}

    def reset(self, seed: int | None = None, options: dict | None = None) -> Any:
        """Reset the environment."""
        observations, infos = self.env.reset(seed=seed, options=options)
        return self._shown(observations), self._shown(infos)

    def step(self, actions: dict[str, Any]) -> Any:
        """Step the environment with its own actions."""
        own = {agent: self.numbers.action(agent, n) for agent, n in actions.items()}
        observations, *others, infos = self.env.step(own)
        return (self._shown(observations), *others, self._shown(infos))


class NumberedGymnasium(gymnasium.Wrapper):
    """A Gymnasium environment that takes numbers, and keeps the last mask.

    Args:
        env: The environment.
        numbers: The numbers of the only agent.
        shown: The observation and the info that the environment has shown last.
    """

    def __init__(self, env: gymnasium.Env, numbers: Numbers, shown: Any = ()):
        super().__init__(env)
        self.numbers = numbers
        (agent,) = numbers.spaces
        self._agent = agent
        self._mask: Any = None
        self._shown(*shown)
        self.action_space = numbers.spaces[agent]
        space = numbers.observation_space(agent, env.observation_space)
        self.observation_space = space

    @property
    def action_masks(self) -> Callable[[], Any]:
        """The method that returns masks; missing if the environment shows no masks."""
        if self.env.has_wrapper_attr("action_masks"):
            shown = {"action_mask": self.env.get_wrapper_attr("action_masks")()}
            mask = self.numbers.shown(self._agent, shown)["action_mask"]
        else:
            mask = self._mask
        if mask is None:
            raise AttributeError(f"{self.env} shows no masks")
        return lambda: mask

    def _shown(self, *found: Any) -> list[Any]:
        shown = [self.numbers.shown(self._agent, each) for each in found]
        masks = [mask for mask in map(mask_in, shown) if mask is not None]
        self._mask = np.array(masks[0]) if masks else None
        return shown

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        """Reset the environment."""
        return tuple(self._shown(*self.env.reset(seed=seed, options=options)))

    def step(self, action: int) -> Any:
        """Step the environment with its own action."""
        own = self.numbers.action(self._agent, action)
        observation, reward, terminated, truncated, info = self.env.step(own)
        observation, info = self._shown(observation, info)
        return observation, reward, terminated, truncated, info


NUMBERED = NumberedAEC | NumberedParallel | NumberedGymnasium


def numbered(
    env: Any, agents: Iterable[str], name: str, samples: int | None = None
) -> Any:
    """Return an environment that takes numbers; unchanged if its actions are numbers.

    Args:
        env: An AEC, parallel or Gymnasium environment, before `reset`.
        agents: The names of all agents; of a Gymnasium environment one.
        name: The environment's name, for messages.
        samples: How many numbers each axis of a Box has; None: a Box is refused.

    Raises:
        ValueError: A Box without `samples`, one without bounds, or `samples` without
            a Box.
    """
    found = {agent: _space_of(env, agent) for agent in agents}
    boxes = [agent for agent, s in found.items() if isinstance(s, spaces.Box)]
    if boxes and samples is None:
        raise ValueError(
            f"{name}: the action space of {boxes[0]} is {found[boxes[0]]}, not "
            "Discrete; add samples=5 to the game's name to take five numbers on each "
            "axis, both bounds among them"
        )
    if samples is not None and not boxes and None not in found.values():
        raise ValueError(
            f"{name}: samples={samples} has no effect: no action space is a Box"
        )
    if not all(isinstance(space, _NUMBERED) for space in found.values()):
        return env  # whoever plans or records says what is wrong
    numbers = {
        agent: numbers_of(space, f"{name}: the action space of {agent}", samples)
        for agent, space in found.items()
    }
    if not any(each.are_coded for each in numbers.values()):
        return env
    if isinstance(env, gymnasium.Env):
        return NumberedGymnasium(env, Numbers(numbers))
    if isinstance(env, ParallelEnv):
        return NumberedParallel(env, Numbers(numbers))
    return NumberedAEC(env, Numbers(numbers))


_NUMBERED = spaces.Discrete | spaces.MultiDiscrete | spaces.MultiBinary | spaces.Box


def _space_of(env: Any, agent: str) -> spaces.Space | None:
    """Return the action space of an agent, None where only `reset` makes it."""
    try:
        if isinstance(env, gymnasium.Env):
            return env.action_space
        return env.action_space(agent)
    except Exception:  # whatever an environment does that was not reset
        return None


def with_masks_kept(env: gymnasium.Env, agent: str, *shown: Any) -> gymnasium.Env:
    """Return an environment with a method for its masks; unchanged if it has one.

    Args:
        env: A Gymnasium environment after `reset`.
        agent: The name of its agent.
        *shown: The observation and the info that it has shown last.
    """
    if all(mask_in(each) is None for each in shown):
        return env
    if GymnasiumFace(env).checked_mask(0) is not None:
        return env
    numbers = numbers_of(env.action_space, f"{env}: the action space of {agent}")
    return NumberedGymnasium(env, Numbers({agent: numbers}), shown)


def numbers_in(env: Any) -> ActionNumbers | None:
    """Return a table environment's action numbers, if they are the same for all agents.

    None: its numbers are its own actions, or differ between its agents.
    """
    for layer in layers(getattr(env, "planned", env)):
        if isinstance(layer, NUMBERED):
            return layer.numbers.any if layer.numbers.are_alike else None
    return None
