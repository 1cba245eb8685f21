"""`remember`: environments of others that keep what was played, earned and shown.

From outside an environment nobody can see which actions led to where it is, nor what
its last step returned. Wrapped, it keeps both for agents that plan in it: for tree
reuse (`reuse_tree`), for evaluators, which are shown the root as well, and for replays
(`CopyOptions.replay`).
"""

import copy
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import gymnasium
import numpy as np
from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.utils.conversions import parallel_to_aec_wrapper
from pettingzoo.utils.wrappers import BaseParallelWrapper, BaseWrapper

from mcts_agents.model.copying.rewards import finite_reward
from mcts_agents.model.history import History
from mcts_agents.model.masks import mask_in

# A step: the seed from which it threw its dice (None: its own dice), and its action.
Step = tuple[int | None, Any]
# The arguments of the last reset, by name, and all steps since.
Situation = tuple[dict[str, Any], tuple[Step, ...]]


class Remembered:
    """What was played, earned and shown since `reset`.

    Args:
        agents: The names of all agents.

    Attributes:
        returns: What each agent has earned, by name.
        shown: What `reset` or the last step showed, a copy; None for AEC environments,
            which can be asked.
        begun: The arguments of the last reset; None before.
        steps: All calls of `step` since.
        dice: In a search's environment, the planner's, from which each step gets a
            seed of its own; None where the environment throws its own dice.
        throw: In a search's environment, gives it the dice of a step's seed.
        given: The next step where one is gone through again.
    """

    def __init__(self, agents: list[str]):
        self.agents = agents
        self.episode = 0
        self.returns = dict.fromkeys(agents, 0.0)
        self.shown: Any = None
        self.begun: dict[str, Any] | None = None
        self.steps: list[Step] = []
        self.dice: np.random.Generator | None = None
        self.throw: Callable[[int], None] | None = None
        self.given: Step | None = None
        self._moves: list[dict[str, Any]] = []
        self._seeds = np.random.SeedSequence()

    # -- noting

    def begin(self, seed: int | None, options: Any) -> dict[str, Any]:
        """Begin an episode; return the arguments for `reset`, with a seed always.

        A reset without a seed gets one that follows from the last one given.
        """
        if seed is None:
            seed = int(self._seeds.spawn(1)[0].generate_state(1)[0] >> 1)
        else:
            self._seeds = np.random.SeedSequence(int(seed))
        self.begun = {"seed": seed, "options": copy.deepcopy(options)}
        self.episode += 1
        self.returns = dict.fromkeys(self.agents, 0.0)
        self.steps, self._moves = [], []
        return {"seed": seed} if options is None else {"seed": seed, "options": options}

    def see(self, shown: Any) -> None:
        """Keep what a step showed."""
        # The environment may fill the same arrays again in its next step.
        self.shown = copy.deepcopy(shown)

    def earn(self, rewards: Mapping[str, Any]) -> None:
        """Add each agent's reward.

        Raises:
            ValueError: A reward is no finite number.
        """
        for agent, reward in rewards.items():
            self.returns[agent] += finite_reward(reward, f"the reward of {agent}")

    @contextmanager
    def step(self, action: Any) -> Iterator[None]:
        """Note a step, or go again through the one that was `given`.

        One that raises an error, such as for an illegal action, has not been made. It
        stays noted in a search's environment, where nobody shall go on after it.
        """
        step, self.given = self.given, None
        if step is None:
            seed = None if self.dice is None else int(self.dice.integers(2**63))
            step = seed, copy.deepcopy(action)
        if step[0] is not None:
            assert self.throw is not None
            self.throw(step[0])
        self.steps.append(step)
        try:
            yield
        except BaseException:
            if self.throw is None:
                self.steps.pop()
            raise

    def play(self, actions: Mapping[str, Any]) -> None:
        """Note a joint action: those of agents who had a decision to make."""
        self._moves.append(copy.deepcopy(dict(actions)))

    # -- telling

    def history(self, number: Callable[[str, Any], int] | None = None) -> History:
        """Return the game so far.

        Args:
            number: Called with an agent and its action, returns the action's number.
                Without it actions are whole numbers themselves.
        """
        moves = tuple(
            tuple(
                (int(played[agent]) if number is None else number(agent, played[agent]))
                if agent in played
                else -1
                for agent in self.agents
            )
            for played in self._moves
        )
        return History(self.episode, moves)

    def situation(self) -> Situation:
        """Return how the environment came to where it is."""
        assert self.begun is not None
        return self.begun, tuple(self.steps)


class RememberingGymnasium(gymnasium.Wrapper):
    """A Gymnasium environment that remembers; see `remember`."""

    def __init__(self, env: gymnasium.Env):
        super().__init__(env)
        self.remembered = Remembered(["player_0"])
        self._outcome: Any = None

    def reset(
        self, *, seed: int | None = None, options: Any = None
    ) -> tuple[Any, dict[str, Any]]:
        """Reset, and begin to remember."""
        result = self.env.reset(**self.remembered.begin(seed, options))
        self._note(result[:-1])
        return result

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Step, and remember it."""
        played = {"player_0": copy.deepcopy(action)}  # which the step may change
        with self.remembered.step(action):
            result = self.env.step(action)
        self.remembered.play(played)
        self.remembered.earn({"player_0": result[1]})
        self._note(result[:-1])
        return result

    def _note(self, found: tuple[Any, ...]) -> None:
        self.remembered.see(found[0])
        self._outcome = [self.remembered.shown, *found[1:]]

    def outcome(self) -> Any:
        """Return what can be seen after the last step."""
        return self._outcome


class RememberingParallel(BaseParallelWrapper):
    """A parallel environment that remembers; see `remember`."""

    def __init__(self, env: ParallelEnv):
        super().__init__(env)
        self.remembered = Remembered(list(env.possible_agents))
        self._outcome: Any = None
        self._waiting: set[str] = set()

    def reset(self, seed: int | None = None, options: dict | None = None) -> Any:
        """Reset, and begin to remember."""
        result = self.env.reset(**self.remembered.begin(seed, options))
        self._note(result)
        return result

    def step(self, actions: dict[str, Any]) -> Any:
        """Step, and remember it."""
        deciding = {a: v for a, v in actions.items() if a not in self._waiting}
        played = copy.deepcopy(deciding or actions)  # which the step may change
        with self.remembered.step(actions):
            result = self.env.step(actions)
        self.remembered.play(played)
        self.remembered.earn(result[1])
        self._note(result)
        return result

    def _note(self, result: tuple[Any, ...]) -> None:
        *found, infos = result
        self.remembered.see(found[0])
        agents = list(self.env.agents)
        self._waiting = {a for a in agents if _waits(found[0].get(a), infos.get(a))}
        others = [dict(each) for each in found[1:]]
        self._outcome = [agents, self.remembered.shown, *others]

    def outcome(self) -> Any:
        """Return what can be seen after the last step."""
        return self._outcome


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
        self.env.reset(**self.remembered.begin(seed, options))
        self._together = {}

    def step(self, action: Any) -> None:
        """Step, and remember it."""
        agent = self.env.agent_selection
        decides = action is not None and not (
            self._at_once and _waits(self.env.observe(agent), self.env.infos.get(agent))
        )
        played = copy.deepcopy(action)  # which the step may change
        last = not self._at_once or agent == self.env.agents[-1]
        with self.remembered.step(action):
            self.env.step(action)
        if action is None:
            return
        if decides:
            self._together[agent] = played
        self.remembered.earn(self.env.rewards)
        if last and self._together:
            self.remembered.play(self._together)
            self._together = {}

    def outcome(self) -> Any:
        """Return what can be seen after the last step."""
        env = self.env
        shown = [env.agents, env.rewards, env.terminations, env.truncations]
        if env.agents:
            shown += [env.agent_selection, env.observe(env.agent_selection)]
        return shown


REMEMBERING = (RememberingGymnasium, RememberingAEC, RememberingParallel)


def remember(env: Any) -> Any:
    """Return an environment that keeps what was played in it since `reset`.

    Wrap it last, around all other wrappers, and call `reset` afterwards. It serves
    tree reuse (`reuse_tree`), evaluators, and copies by replay (`replay`). Every reset
    has a seed then: without one, one that follows from the last that was given.

    Args:
        env: A PettingZoo environment, AEC or parallel, or a Gymnasium environment. One
            that remembers already is returned as it is.

    Raises:
        ValueError: It is neither.
    """
    if isinstance(env, REMEMBERING):
        return env
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


def _waits(observation: Any, info: Any) -> bool:
    """Whether an agent's mask, wherever it is, leaves it nothing to decide."""
    mask = mask_in(observation)
    mask = mask_in(info) if mask is None else mask
    if isinstance(mask, tuple):  # of the parts of an action
        return not all(np.any(part) for part in mask)
    return mask is not None and not mask.any()


def _is_converted(env: Any) -> bool:
    """Whether an AEC environment is made of a parallel one."""
    while env is not None and not isinstance(env, parallel_to_aec_wrapper):
        env = vars(env).get("env")
    return env is not None
