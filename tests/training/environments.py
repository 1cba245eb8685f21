"""Third-party environments that networks are trained in, small ones."""

import numpy as np
from gymnasium import spaces

from tests.model.third_party import AtOnce, InTurn


class Nim(InTurn):
    """Two players take 1 to 3 from a heap in turn; who takes the last one wins.

    Players see how much is left, as float32, and a mask.
    """

    metadata = InTurn.metadata | {"name": "nim_v0"}

    def __init__(self, heap=6):
        super().__init__(["player_0", "player_1"])
        self.heap = heap

    def observation_space(self, agent):
        parts = {
            "observation": spaces.Box(0.0, 1.0, (self.heap + 1,), np.float32),
            "action_mask": spaces.Box(0, 1, (3,), np.int8),
        }
        return spaces.Dict(parts)

    def action_space(self, agent):
        return spaces.Discrete(3)

    def observe(self, agent):
        left = np.zeros(self.heap + 1, np.float32)
        left[self.left] = 1.0
        mask = (np.arange(3) < self.left).astype(np.int8)
        return {"observation": left, "action_mask": mask}

    def reset(self, seed=None, options=None):
        super().reset(seed, options)
        self.left = self.heap

    def step(self, action):
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        assert action < self.left
        self.left -= action + 1
        other = self.agents[1 - self.agents.index(agent)]
        if not self.left:
            self.rewards = {agent: 1.0, other: -1.0}
            self.terminations = dict.fromkeys(self.agents, True)
        self.agent_selection = other
        self._accumulate_rewards()


class Signals(AtOnce):
    """Three rounds at once: the first of two actions, the second of three, no masks.

    Equal actions pay the first, others the second.
    """

    metadata = AtOnce.metadata | {"name": "signals_v0"}

    def __init__(self):
        super().__init__(["first", "second"])

    def action_space(self, agent):
        return spaces.Discrete(2 if agent == "first" else 3)

    def observation_space(self, agent):
        return spaces.Box(0, 3, (2, 1), np.uint16)

    def observations(self):
        shown = np.full((2, 1), self.rounds, np.uint16)
        return {agent: shown.copy() for agent in self.agents}

    def step(self, actions):
        self.rounds += 1
        paid = 1.0 if actions["first"] == actions["second"] else -1.0
        return self.outcome({"first": paid, "second": -paid}, self.rounds == 3)


class Unlike(Signals):
    """The same, but the second sees more."""

    metadata = AtOnce.metadata | {"name": "unlike_v0"}

    def observation_space(self, agent):
        return spaces.Box(0, 3, (1 if agent == "first" else 2,), np.uint16)

    def observations(self):
        return {
            agent: np.zeros(self.observation_space(agent).shape, np.uint16)
            for agent in self.agents
        }


class Steering(Signals):
    """The same with an axis instead of a number of actions."""

    metadata = AtOnce.metadata | {"name": "steering_v0"}

    def action_space(self, agent):
        return spaces.Box(-1.0, 1.0, (1,), np.float32)


class Broken(Nim):
    """Nim that fails when its heap is taken by the second player."""

    metadata = InTurn.metadata | {"name": "broken_v0"}

    def step(self, action):
        if self.left == action + 1 and self.agent_selection == "player_1":
            raise KeyError("a bug of its own")
        super().step(action)
