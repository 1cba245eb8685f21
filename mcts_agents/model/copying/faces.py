"""`Face`: three kinds of environments (AEC, parallel, Gymnasium) seen alike.

A face holds one environment, live or a copy, and answers what a forward model asks:
who moves, which actions are legal, what a step earns. Actions are the numbers that the
environment's own Discrete spaces use.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces

from mcts_agents.model.copying.cloning import Cloner
from mcts_agents.model.copying.comparing import first_difference
from mcts_agents.model.copying.uncached import without_caches
from mcts_agents.model.copying.watchers import layers
from mcts_agents.model.masks import as_mask, mask_in, shows_masks

# With more actions a node's edges alone fill the memory.
MOST_ACTIONS = 2**20

# A return beyond this, or its square, would overflow in a search's sums.
GREATEST_RETURN = 1e100

_NUMBERS = (float, int, np.float64)


class Face(ABC):
    """One environment as a forward model sees it.

    Attributes:
        env: The environment.
        name: Its name, for messages.
        agents: Names of all agents; a player's number is its place.
        actions: One more than the greatest action of any agent.
    """

    _shown: Any = None

    def __init__(self, env: Any, agents: list[str]):
        self.env = env
        self.agents = agents
        self.name = str(getattr(env, "unwrapped", env))
        self.action_spaces = [self._checked_space(agent) for agent in agents]
        self.actions = max(int(s.start + s.n) for s in self.action_spaces)
        self._numbers = {agent: player for player, agent in enumerate(agents)}
        # Of agents without a mask; nobody changes these lists.
        self._whole_spaces = [
            list(range(int(s.start), int(s.start + s.n))) for s in self.action_spaces
        ]

    def _checked_space(self, agent: str) -> spaces.Discrete:
        space = self._action_space(agent)
        if not isinstance(space, spaces.Discrete) or space.start < 0:
            raise ValueError(
                f"{self.name}: the action space of {agent} is {space}; planning needs "
                "Discrete spaces that start at 0 or above"
            )
        check_number_of_actions(space, f"{self.name}: the action space of {agent}")
        return space

    @abstractmethod
    def _action_space(self, agent: str) -> spaces.Space:
        """Return the action space of one agent."""

    @abstractmethod
    def movers(self) -> list[int]:
        """Return the players who decide now, none when the environment is done."""

    @abstractmethod
    def step(self, joint_action: list[int], returns: list[float]) -> None:
        """Let the movers act; add what each player earns to `returns`."""

    def _earn(self, rewards: Mapping[str, Any], returns: list[float]) -> None:
        """Add each agent's reward to its return.

        Raises:
            ValueError: A reward is no finite number, or a return leaves the range in
                which a search can compute.
        """
        for agent, reward in rewards.items():
            player = self._numbers[agent]
            if type(reward) in _NUMBERS and abs(reward) <= GREATEST_RETURN:
                total = returns[player] + reward
                if -GREATEST_RETURN <= total <= GREATEST_RETURN:
                    returns[player] = total
                    continue
            earned = finite_reward(reward, f"{self.name}: the reward of {agent}")
            total = float(returns[player]) + earned
            if abs(total) > GREATEST_RETURN:
                raise ValueError(
                    f"{self.name}: the rewards of {agent} add up to {total} (the last "
                    f"one is {reward!r}); planning needs returns from "
                    f"-{GREATEST_RETURN:g} to {GREATEST_RETURN:g}"
                )
            returns[player] = total

    @abstractmethod
    def mask_of(self, player: int) -> np.ndarray | None:
        """Return the mask of a player's actions if the environment shows one."""

    def shown(self) -> Any:
        """Return what the last step showed, if the environment does not keep it itself.

        The environment may fill the same arrays again in its next step.
        """
        return self._shown

    def show(self, shown: Any) -> None:
        """Take what somebody else's last step was shown."""
        self._shown = shown

    @abstractmethod
    def _shown_to(self, player: int) -> Any:
        """Return what the environment shows to a player, None if it cannot tell."""

    def observation(self, player: int) -> Any:
        """Return what the environment shows to a player, without its mask.

        Raises:
            ValueError: It shows that only to those who step it.
        """
        shown = self._shown_to(player)
        if shown is None:
            raise ValueError(
                f"{self.name}: what it shows at the root lies only in what reset() or "
                "step() returned; wrap the environment before reset: env = "
                "mcts_agents.remember(env)"
            )
        if mask_in(shown) is not None and "observation" in shown:
            return shown["observation"]
        return shown

    @abstractmethod
    def _observation_space(self, agent: str) -> spaces.Space:
        """Return the observation space of one agent."""

    def observation_space(self, player: int) -> spaces.Space:
        """Return the space of what `observation` returns."""
        space = self._observation_space(self.agents[player])
        if shows_masks(space) and "observation" in space.spaces:
            return space["observation"]
        return space

    def checked_mask(self, player: int) -> np.ndarray | None:
        """Return the mask of a player's actions, or None; see `as_mask`.

        Raises:
            ValueError: It is no mask of the player's action space.
        """
        mask = self.mask_of(player)
        if mask is None:
            return None
        size = int(self.action_spaces[player].n)
        return as_mask(mask, size, f"{self.name}: the mask of {self.agents[player]}")

    def legal_actions(self, player: int) -> list[int]:
        """Return a player's legal actions; all of its space where no mask is shown.

        Raises:
            ValueError: What is shown is no mask of the player's action space, or
                leaves no action.
        """
        mask = self.checked_mask(player)
        if mask is None:
            return self._whole_spaces[player]
        start = int(self.action_spaces[player].start)
        legal = mask.nonzero()[0].tolist()
        if not legal:
            raise ValueError(
                f"{self.name}: the mask of {self.agents[player]} holds zeros only, "
                "though it is to decide"
            )
        return [action + start for action in legal] if start else legal

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

    def prepare(self, dice: np.random.Generator) -> None:
        """Make a first copy fit for planning: no pictures, no caches of copies."""
        without_pictures(self.env)
        for layer in layers(self.env):
            without_caches(layer, self.agents)


def without_pictures(env: Any) -> None:
    """Let an environment, a copy, and all that it wraps draw no pictures any more."""
    for layer in layers(env):
        if getattr(layer, "__dict__", {}).get("render_mode") is not None:
            layer.render_mode = None


def finite_reward(reward: Any, whose: str) -> float:
    """Return a reward as a float.

    Raises:
        ValueError: It is no number, infinite or NaN.
    """
    try:
        earned = float(reward)
    except (TypeError, ValueError, OverflowError):
        earned = math.nan
    if not math.isfinite(earned):
        raise ValueError(f"{whose} is {reward!r}, expected a finite number")
    return earned


def check_number_of_actions(space: spaces.Discrete, whose: str) -> None:
    """Raise ValueError if a space has more actions than can be planned for."""
    if space.start + space.n > MOST_ACTIONS:
        raise ValueError(
            f"{whose} is {space}; planning allows actions up to {MOST_ACTIONS - 1}"
        )


def require_reset(env: Any, made: str) -> None:
    """Raise RuntimeError unless a PettingZoo environment has what `reset` makes."""
    if not hasattr(env, made):
        raise RuntimeError(f"{env}: call reset() first")
