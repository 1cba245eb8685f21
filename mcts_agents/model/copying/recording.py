"""Wrappers that note how an environment came to where it is, for replays.

The last resort for environments that can neither be copied nor say in which state they
are; see `CopyOptions.replay`.
"""

from typing import Any

import gymnasium
import numpy as np
from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.utils import BaseParallelWrapper, BaseWrapper

from mcts_agents.model.copying.cloning import Cloner
from mcts_agents.model.copying.dice import generators_in, reseed
from mcts_agents.model.copying.guards import with_parts

# A step: its action, and the seed from which it threw its dice; None: its own dice.
Step = tuple[int | None, Any]
# The arguments of the last reset, by name, and all steps since.
Situation = tuple[dict[str, Any], tuple[Step, ...]]


class Recording:
    """How an environment came to where it is.

    Attributes:
        begun: The arguments of the last reset; None before.
        steps: All steps since.
        outcome: What can be seen after the last of them.
        dice: In a search's environment, the planner's, from which each step gets dice
            of its own; None where the environment throws its own.
        given: The next step where one is gone through again.
    """

    def __init__(self) -> None:
        self.begun: dict[str, Any] | None = None
        self.steps: list[Step] = []
        self.outcome: Any = None
        self.dice: np.random.Generator | None = None
        self.given: Step | None = None
        self._seeds = np.random.SeedSequence()
        self._generators: list[Any] | None = None

    def begin(self, seed: int | None, options: Any) -> int:
        """Note a reset; return its seed, a new one if there is none."""
        if seed is None:
            seed = int(self._seeds.spawn(1)[0].generate_state(1)[0] >> 1)
        else:
            self._seeds = np.random.SeedSequence(int(seed))
        self.begun = {"seed": seed, "options": Cloner().clone(options)}
        self.steps, self._generators = [], None
        return seed

    def step(self, env: Any, action: Any) -> None:
        """Note a step, or go again through the one that was `given`."""
        step, self.given = self.given, None
        if step is None:
            dice = self.dice
            seed = None if dice is None else int(dice.integers(2**63))
            step = seed, Cloner().clone(action)
        if step[0] is not None:
            self._throw(env, step[0])
        self.steps.append(step)

    def _throw(self, env: Any, seed: int) -> None:
        if self._generators is None:
            self._generators = [*generators_in(env), *_generators_of_spaces(env)]
        dice = np.random.default_rng(seed)
        for generator in self._generators:
            reseed(generator, dice)

    def situation(self) -> Situation:
        """Return how the environment came to where it is."""
        assert self.begun is not None
        return self.begun, tuple(self.steps)


def _generators_of_spaces(env: Any) -> list[np.random.Generator]:
    if isinstance(env, gymnasium.Env):
        spaces = [env.action_space, env.observation_space]
    else:
        agents = env.possible_agents
        spaces = [env.action_space(agent) for agent in agents]
        spaces += [env.observation_space(agent) for agent in agents]
    parts = [part for space in spaces for part in with_parts(space)]
    return [part._np_random for part in parts if part._np_random is not None]


class RecordedGymnasium(gymnasium.Wrapper):
    """A Gymnasium environment that notes its reset and its actions."""

    def __init__(self, env: gymnasium.Env):
        super().__init__(env)
        self.recording = Recording()

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        """Reset, always with a seed: without one, with one drawn from the last."""
        seed = self.recording.begin(seed, options)
        return self._noted(self.env.reset(seed=seed, options=options))

    def step(self, action: Any) -> Any:
        """Take a step."""
        self.recording.step(self.env, action)
        return self._noted(self.env.step(action))

    def _noted(self, found: Any) -> Any:
        self.recording.outcome = Cloner().clone(found[:-1])
        return found


class RecordedAEC(BaseWrapper):
    """A PettingZoo AEC environment that notes its reset and its actions."""

    def __init__(self, env: AECEnv):
        super().__init__(env)
        self.recording = Recording()

    def reset(self, seed: int | None = None, options: Any = None) -> None:
        """Reset, always with a seed: without one, with one drawn from the last."""
        self.env.reset(seed=self.recording.begin(seed, options), options=options)
        self._note()

    def step(self, action: Any) -> None:
        """Take a step."""
        self.recording.step(self.env, action)
        self.env.step(action)
        self._note()

    def _note(self) -> None:
        env = self.env
        shown = [env.agents, env.rewards, env.terminations, env.truncations]
        if env.agents:
            shown += [env.agent_selection, env.observe(env.agent_selection)]
        self.recording.outcome = Cloner().clone(shown)


class RecordedParallel(BaseParallelWrapper):
    """A PettingZoo parallel environment that notes its reset and its actions."""

    def __init__(self, env: ParallelEnv):
        super().__init__(env)
        self.recording = Recording()

    def reset(self, seed: int | None = None, options: Any = None) -> Any:
        """Reset, always with a seed: without one, with one drawn from the last."""
        seed = self.recording.begin(seed, options)
        return self._noted(self.env.reset(seed=seed, options=options))

    def step(self, actions: dict[str, Any]) -> Any:
        """Take a step."""
        self.recording.step(self.env, actions)
        return self._noted(self.env.step(actions))

    def _noted(self, found: Any) -> Any:
        self.recording.outcome = Cloner().clone([self.env.agents, found[:-1]])
        return found


RECORDED = (RecordedGymnasium, RecordedAEC, RecordedParallel)


def recorded(env: Any) -> Any:
    """Wrap an environment so that it notes its reset and its actions.

    Args:
        env: A Gymnasium environment, or a PettingZoo AEC or parallel environment.

    Raises:
        TypeError: It is none of these.
    """
    if isinstance(env, RECORDED):
        return env
    if isinstance(env, gymnasium.Env):
        return RecordedGymnasium(env)
    if isinstance(env, AECEnv):
        return RecordedAEC(env)
    if isinstance(env, ParallelEnv):
        return RecordedParallel(env)
    raise TypeError(
        f"{env!r} is neither a Gymnasium nor a PettingZoo environment; vectors of "
        "environments cannot be recorded"
    )
