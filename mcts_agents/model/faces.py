"""Three kinds of environments seen alike: AEC, parallel, Gymnasium.

A face holds one environment, live or a copy, and answers what a forward model asks:
who moves, which actions are legal, what a step earns. Actions are the numbers that the
environment's own Discrete spaces use.
"""

from abc import ABC, abstractmethod
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.utils.conversions import parallel_to_aec_wrapper

from mcts_agents.model.cloning import Cloner, first_difference
from mcts_agents.model.watchers import layers, seen_through


def face_of(env: Any) -> "Face":
    """Return the face of an environment after `reset`.

    Raises:
        ValueError: It is no environment, or an action space is not Discrete.
        RuntimeError: It was not reset.
    """
    if isinstance(env, gymnasium.Env):
        return GymnasiumFace(env)
    if isinstance(env, ParallelEnv):
        return ParallelFace(env)
    if isinstance(env, AECEnv):
        inner = seen_through(env)
        if isinstance(inner, parallel_to_aec_wrapper):
            # Planned from the parallel environment, where no pending action lies.
            return SerialisedFace(env, inner)
        return AECFace(inner)
    raise ValueError(
        f"{env!r} is neither a PettingZoo environment (AEC or parallel) nor a "
        "Gymnasium environment"
    )


class Face(ABC):
    """One environment as a forward model sees it.

    Attributes:
        env: The environment.
        name: Its name, for messages.
        agents: Names of all agents; a player's number is its place.
        actions: One more than the greatest action of any agent.
    """

    def __init__(self, env: Any, agents: list[str]):
        self.env = env
        self.agents = agents
        self.name = str(getattr(env, "unwrapped", env))
        self._spaces = [self._checked_space(agent) for agent in agents]
        self.actions = max(int(s.start + s.n) for s in self._spaces)

    def _checked_space(self, agent: str) -> spaces.Discrete:
        space = self._action_space(agent)
        if not isinstance(space, spaces.Discrete) or space.start < 0:
            raise ValueError(
                f"{self.name}: the action space of {agent} is {space}; planning needs "
                "Discrete spaces that start at 0 or above"
            )
        return space

    @abstractmethod
    def _action_space(self, agent: str) -> spaces.Space:
        """Return the action space of one agent."""

    @abstractmethod
    def movers(self) -> list[int]:
        """Return the players who decide now, none when the environment is done."""

    @abstractmethod
    def step(self, joint_action: list[int], returns: np.ndarray) -> None:
        """Let the movers act; add what each player earns to `returns`."""

    def mask_of(self, player: int) -> np.ndarray | None:
        """Return the mask of a player's actions if the environment shows one."""
        return None

    def legal_actions(self, player: int) -> list[int]:
        """Return a player's legal actions; all of its space where no mask is shown."""
        space = self._spaces[player]
        mask = self.mask_of(player)
        if mask is None:
            return list(range(int(space.start), int(space.start + space.n)))
        return (np.flatnonzero(mask) + int(space.start)).tolist()

    def player_of(self, agent: str | None) -> int:
        """Return the number of the agent that is to decide now.

        Raises:
            RuntimeError: The environment is done.
            ValueError: No agent is named where it must be, it does not exist, or it
                has no decision to make.
        """
        movers = self.movers()
        if not movers:
            raise RuntimeError(f"{self.name}: the game is over; call reset()")
        deciding = ", ".join(self.agents[player] for player in movers)
        if agent is None:
            if len(movers) > 1:
                raise ValueError(f"{self.name}: name the agent, one of {deciding}")
            return movers[0]
        if agent not in self.agents:
            raise ValueError(
                f"{self.name} has no agent {agent!r}; its agents are "
                f"{', '.join(self.agents)}"
            )
        if self.agents.index(agent) not in movers:
            raise ValueError(
                f"{self.name}: {agent} has no decision to make now, only {deciding}"
            )
        return self.agents.index(agent)

    def clone(self, cloner: Cloner) -> "Face":
        """Return the same face of a copy of the environment."""
        return self.around(cloner.clone(self.env))

    def around(self, env: Any) -> "Face":
        """Return the same face of another environment of the same kind."""
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin.env = env
        return twin

    def difference(self, twin: "Face") -> str | None:
        """Return what is different about a copy as players see it, None if nothing."""
        mine = (self.movers(), [self.legal_actions(p) for p in self.movers()])
        other = (twin.movers(), [twin.legal_actions(p) for p in twin.movers()])
        return first_difference(mine, other, "movers and legal actions")

    def prepare(self, generator: np.random.Generator) -> None:
        """Make a first copy fit for planning: it must not draw pictures."""
        for layer in layers(self.env):
            if vars(layer).get("render_mode") is not None:
                layer.render_mode = None


class AECFace(Face):
    """A PettingZoo AEC environment without the wrappers that watch over it."""

    def __init__(self, env: AECEnv):
        require_reset(env)
        super().__init__(env, list(env.possible_agents))

    def _action_space(self, agent: str) -> spaces.Space:
        return self.env.action_space(agent)

    def movers(self) -> list[int]:
        """Return the selected agent, none when all have finished."""
        env = self.env
        if not env.agents:
            return []
        agent = env.agent_selection
        if env.terminations[agent] or env.truncations[agent]:
            return []
        return [self.agents.index(agent)]

    def step(self, joint_action: list[int], returns: np.ndarray) -> None:
        """Let the selected agent act; finished agents are stepped out of the way."""
        env = self.env
        env.step(joint_action[self.agents.index(env.agent_selection)])
        for agent, reward in env.rewards.items():
            returns[self.agents.index(agent)] += reward
        while env.agents:
            agent = env.agent_selection
            if not (env.terminations[agent] or env.truncations[agent]):
                return
            if all(env.terminations[a] or env.truncations[a] for a in env.agents):
                return
            env.step(None)

    def mask_of(self, player: int) -> np.ndarray | None:
        """Return the mask in the observation, else the one in the infos."""
        agent = self.agents[player]
        mask = mask_in(self.env.observe(agent))
        return mask_in(self.env.infos.get(agent)) if mask is None else mask

    def difference(self, twin: Face) -> str | None:
        """Compare observations and PettingZoo's bookkeeping too."""
        for name in ("agents", "agent_selection", "rewards", "_cumulative_rewards",
                     "terminations", "truncations"):  # fmt: skip
            found = first_difference(
                getattr(self.env, name), getattr(twin.env, name), name
            )
            if found:
                return found
        agent = self.env.agent_selection
        return first_difference(
            self.env.observe(agent), twin.env.observe(agent), f"observe({agent!r})"
        ) or super().difference(twin)


class ParallelFace(Face):
    """A PettingZoo parallel environment.

    Masks lie in what `reset` and `step` return. Copies keep what their own steps
    returned; at the root, where the live environment gave it to somebody else, it is
    asked of the environment's `observe` if it has one.
    """

    def __init__(self, env: ParallelEnv):
        require_reset(env)
        super().__init__(env, list(env.possible_agents))
        self._observations: dict[str, Any] = {}
        self._infos: dict[str, Any] = {}
        self._check_masks()

    def _check_masks(self) -> None:
        space = self.env.observation_space(self.agents[0])
        masked = isinstance(space, spaces.Dict) and "action_mask" in space.spaces
        if masked and not hasattr(self.env.unwrapped, "observe"):
            raise ValueError(
                f"{self.name}: its masks lie only in what step() returned, which a "
                "parallel environment does not keep. Plan from its AEC form: "
                "pettingzoo.utils.parallel_to_aec(env)"
            )

    def _action_space(self, agent: str) -> spaces.Space:
        return self.env.action_space(agent)

    def movers(self) -> list[int]:
        """Return all live agents."""
        return [self.agents.index(agent) for agent in self.env.agents]

    def step(self, joint_action: list[int], returns: np.ndarray) -> None:
        """Let all live agents act."""
        actions = {a: joint_action[self.agents.index(a)] for a in self.env.agents}
        observations, rewards, _, _, infos = self.env.step(actions)
        self._observations, self._infos = observations, infos
        for agent, reward in rewards.items():
            returns[self.agents.index(agent)] += reward

    def mask_of(self, player: int) -> np.ndarray | None:
        """Return the mask in the last observation, else the one in the last infos."""
        agent = self.agents[player]
        if agent not in self._observations and hasattr(self.env.unwrapped, "observe"):
            return mask_in(self.env.unwrapped.observe(agent))
        mask = mask_in(self._observations.get(agent))
        return mask_in(self._infos.get(agent)) if mask is None else mask


class SerialisedFace(ParallelFace):
    """A parallel environment that the live loop steps through PettingZoo's AEC form.

    The converter keeps the observations of the last full step, hence the masks, and
    the actions of agents who were asked earlier, which nobody may see.
    """

    def __init__(self, env: AECEnv, converter: parallel_to_aec_wrapper):
        require_reset(converter)
        self._asked = converter
        super().__init__(converter.env)
        self._observations = dict(converter._observations)
        self._infos = dict(converter.infos)

    def _check_masks(self) -> None:
        """Nothing to check: the converter keeps the observations."""

    def player_of(self, agent: str | None) -> int:
        """Return the number of the agent, by default the one that is asked now."""
        if agent is None and self.movers():
            agent = self._asked.agent_selection
        return super().player_of(agent)

    def clone(self, cloner: Cloner) -> Face:
        """Return a copy that has forgotten the converter and its pending actions."""
        twin = super().clone(cloner)
        twin._asked = None
        return twin


class GymnasiumFace(Face):
    """A Gymnasium environment with all its wrappers, such as a time limit.

    Whether a live episode is over cannot be seen in a Gymnasium environment. Masks are
    taken from an `action_masks()` method if there is one.
    """

    def __init__(self, env: gymnasium.Env):
        self._done = False
        super().__init__(seen_through(env), ["player_0"])
        if any(vars(layer).get("_has_reset") is False for layer in layers(env)):
            raise RuntimeError(f"{self.name}: call reset() first")

    def _action_space(self, agent: str) -> spaces.Space:
        return self.env.action_space

    def movers(self) -> list[int]:
        """Return the one player until the episode ends."""
        return [] if self._done else [0]

    def step(self, joint_action: list[int], returns: np.ndarray) -> None:
        """Take one step."""
        _, reward, terminated, truncated, _ = self.env.step(joint_action[0])
        returns[0] += float(reward)
        self._done = bool(terminated or truncated)

    def mask_of(self, player: int) -> np.ndarray | None:
        """Return what `action_masks()` gives, None where there is no such method."""
        masks = getattr(self.env.unwrapped, "action_masks", None)
        return None if masks is None else np.asarray(masks())

    def prepare(self, generator: np.random.Generator) -> None:
        """Also give the copy a generator where the live one has not made its own yet.

        Made on first use, it would be seeded by the system.
        """
        super().prepare(generator)
        inner = self.env.unwrapped
        if getattr(inner, "_np_random", generator) is None:
            seed = int(generator.integers(2**63))
            inner._np_random = np.random.Generator(np.random.PCG64(seed))


def mask_in(shown: Any) -> np.ndarray | None:
    """Return the action mask in an observation or info, None if there is none."""
    if isinstance(shown, dict) and "action_mask" in shown:
        return np.asarray(shown["action_mask"])
    return None


def require_reset(env: Any) -> None:
    """Raise RuntimeError if a PettingZoo environment was not reset."""
    # What `reset` makes: the selected agent in an AEC environment, else the live ones.
    made = "agent_selection" if isinstance(env, AECEnv) else "agents"
    if not hasattr(env, made):
        raise RuntimeError(f"{env}: call reset() first")
