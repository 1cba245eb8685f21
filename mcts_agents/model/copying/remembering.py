"""`remember`: environments of others that keep what was played, earned and shown.

From outside an environment nobody can see which actions led to where it is, nor what
its last step returned. Wrapped, it keeps both for agents that plan in it: for tree
reuse (`reuse_tree`), and for evaluators, which are shown the root as well.
"""

import copy
from collections.abc import Mapping
from typing import Any

import gymnasium
from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.utils.conversions import parallel_to_aec_wrapper
from pettingzoo.utils.wrappers import BaseParallelWrapper, BaseWrapper

from mcts_agents.model.history import History
from mcts_agents.model.masks import mask_in


class Remembered:
    """What was played, earned and shown since `reset`.

    Args:
        agents: The names of all agents.

    Attributes:
        returns: What each agent has earned, by name.
        shown: What `reset` or the last step showed, a copy; None for AEC environments,
            which can be asked.
    """

    def __init__(self, agents: list[str]):
        self.agents = agents
        self.episode = 0
        self.returns = dict.fromkeys(agents, 0.0)
        self.shown: Any = None
        self._moves: list[tuple[int, ...]] = []

    def begin(self, shown: Any = None) -> None:
        """Begin an episode."""
        self.episode += 1
        self.returns = dict.fromkeys(self.agents, 0.0)
        self._moves = []
        self.see(shown)

    def see(self, shown: Any) -> None:
        """Keep what a step showed."""
        # The environment may fill the same arrays again in its next step.
        self.shown = copy.deepcopy(shown)

    def earn(self, rewards: Mapping[str, Any]) -> None:
        """Add each agent's reward."""
        for agent, reward in rewards.items():
            self.returns[agent] += float(reward)

    def play(self, actions: Mapping[str, Any]) -> None:
        """Note a joint action: those of agents who had a decision to make."""
        self._moves.append(tuple(int(actions.get(agent, -1)) for agent in self.agents))

    def history(self) -> History:
        """Return the game so far."""
        return History(self.episode, tuple(self._moves))


class RememberingGymnasium(gymnasium.Wrapper):
    """A Gymnasium environment that remembers; see `remember`."""

    def __init__(self, env: gymnasium.Env):
        super().__init__(env)
        self.remembered = Remembered(["player_0"])

    def reset(self, **arguments: Any) -> tuple[Any, dict[str, Any]]:
        """Reset, and begin to remember."""
        shown, info = self.env.reset(**arguments)
        self.remembered.begin(shown)
        return shown, info

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Step, and remember it."""
        result = self.env.step(action)
        self.remembered.play({"player_0": action})
        self.remembered.earn({"player_0": result[1]})
        self.remembered.see(result[0])
        return result


class RememberingParallel(BaseParallelWrapper):
    """A parallel environment that remembers; see `remember`."""

    def __init__(self, env: ParallelEnv):
        super().__init__(env)
        self.remembered = Remembered(list(env.possible_agents))

    def reset(self, seed: int | None = None, options: dict | None = None) -> Any:
        """Reset, and begin to remember."""
        observations, infos = self.env.reset(seed=seed, options=options)
        self.remembered.begin(observations)
        return observations, infos

    def step(self, actions: dict[str, Any]) -> Any:
        """Step, and remember it."""
        shown = self.remembered.shown
        deciding = {a: v for a, v in actions.items() if not _waits(shown.get(a))}
        result = self.env.step(actions)
        self.remembered.play(deciding or actions)
        self.remembered.earn(result[1])
        self.remembered.see(result[0])
        return result


class RememberingAEC(BaseWrapper):
    """An AEC environment that remembers; see `remember`.

    The agents of the AEC form of a parallel environment are noted as they decide: all
    at once.
    """

    def __init__(self, env: AECEnv):
        super().__init__(env)
        self.remembered = Remembered(list(env.possible_agents))
        self._together: dict[str, Any] = {}
        self._at_once = _is_converted(env)

    def reset(self, seed: int | None = None, options: dict | None = None) -> None:
        """Reset, and begin to remember."""
        self.env.reset(seed=seed, options=options)
        self._together = {}
        self.remembered.begin()

    def step(self, action: Any) -> None:
        """Step, and remember it."""
        agent = self.env.agent_selection
        if action is not None and not (
            self._at_once and _waits(self.env.observe(agent))
        ):
            self._together[agent] = action
        last = not self._at_once or agent == self.env.agents[-1]
        self.env.step(action)
        if action is None:
            return
        self.remembered.earn(self.env.rewards)
        if last and self._together:
            self.remembered.play(self._together)
            self._together = {}


def remember(env: Any) -> Any:
    """Return an environment that keeps what was played in it since `reset`.

    Wrap it last, around all other wrappers, and call `reset` afterwards.

    Args:
        env: A PettingZoo environment, AEC or parallel, or a Gymnasium environment.

    Raises:
        ValueError: It is neither.
    """
    if isinstance(env, gymnasium.Env):
        return RememberingGymnasium(env)
    if isinstance(env, ParallelEnv):
        return RememberingParallel(env)
    if isinstance(env, AECEnv):
        return RememberingAEC(env)
    raise ValueError(
        f"{env!r} is neither a PettingZoo environment (AEC or parallel) nor a "
        "Gymnasium environment"
    )


def _waits(shown: Any) -> bool:
    """Whether an agent's mask leaves it nothing to decide."""
    mask = mask_in(shown)
    return mask is not None and not mask.any()


def _is_converted(env: Any) -> bool:
    """Whether an AEC environment is made of a parallel one."""
    while env is not None and not isinstance(env, parallel_to_aec_wrapper):
        env = vars(env).get("env")
    return env is not None
