"""The search that anybody would write first for somebody else's environment.

UCT in a dictionary, about forty lines, with nothing between it and the environment: no
checks, no masks but those it needs, no clock. `copied_environments.py` measures what
planning by `MCTSAgent` costs against it.
"""

import math
import random
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np

from mcts_agents.model.copying.watchers import seen_through

# The constant of UCB1, for values between 0 and 1.
EXPLORATION = math.sqrt(2.0)


class World:
    """A copy of an environment, AEC or Gymnasium, and what was earned in it.

    Args:
        env: The environment, after `reset`.
        returns: What each agent has earned so far, by name.
        over: Whether the episode has ended.
    """

    def __init__(self, env: Any, returns: dict[str, float], over: bool = False):
        self.env, self.returns, self.over = env, returns, over
        self.mask: Any = None
        self.single = isinstance(env, gymnasium.Env)

    def mover(self) -> str:
        """Return who is to act."""
        return "player_0" if self.single else self.env.agent_selection

    def legal(self) -> list[int]:
        """Return what the mover may do."""
        if self.single:
            if self.mask is not None:
                return self.mask.nonzero()[0].tolist()
            return list(range(self.env.action_space.n))
        agent = self.env.agent_selection
        mask = self.env.infos[agent].get("action_mask")
        if mask is not None:
            return np.nonzero(mask)[0].tolist()
        shown = self.env.observe(agent)
        if isinstance(shown, dict) and "action_mask" in shown:
            return shown["action_mask"].nonzero()[0].tolist()
        return list(range(self.env.action_space(agent).n))

    def step(self, action: int) -> None:
        """Let the mover act, and add what everybody earns."""
        if self.single:
            _, reward, terminated, truncated, info = self.env.step(action)
            self.mask = info.get("action_mask")
            self.returns["player_0"] += float(reward)
            self.over = terminated or truncated
            return
        env = self.env
        env.step(action)
        for agent, reward in env.rewards.items():
            self.returns[agent] += reward
        self.over = not env.agents or (
            env.terminations[env.agent_selection]
            or env.truncations[env.agent_selection]
        )


def world_of(env: Any) -> World:
    """Return the live environment as a world, without wrappers that only watch."""
    inner = seen_through(env)
    agents = ["player_0"] if isinstance(env, gymnasium.Env) else env.possible_agents
    return World(inner, dict.fromkeys(agents, 0.0))


def search(
    root: World,
    copied: Callable[[Any], Any],
    simulations: int,
    rollout: int,
    seed: int = 0,
) -> int:
    """Search by UCT from a world; return the action that was tried most.

    Args:
        root: Where to begin; not changed.
        copied: Copies an environment, its dice made anew.
        simulations: Iterations.
        rollout: The most random actions below the tree.
        seed: Of the random actions.
    """
    tree: dict[tuple[int, ...], dict[int, list[float]]] = {(): {}}
    dice = random.Random(seed)
    low, high = math.inf, -math.inf
    for _ in range(simulations):
        world = World(copied(root.env), dict(root.returns))
        path: tuple[int, ...] = ()
        taken = []
        while not world.over and path in tree:
            node, legal = tree[path], world.legal()
            untried = [action for action in legal if action not in node]
            if untried:
                action = dice.choice(untried)
                node[action] = [0, 0.0]
            else:
                visits = math.log(sum(node[action][0] for action in legal))
                width = (high - low) or 1.0
                action = max(
                    legal,
                    key=lambda a: (
                        (node[a][1] / node[a][0] - low) / width
                        + EXPLORATION * math.sqrt(visits / node[a][0])
                    ),
                )
            taken.append((path, world.mover(), action))
            world.step(action)
            path = (*path, action)
        if not world.over:
            tree[path] = {}
        for _ in range(rollout):
            if world.over:
                break
            world.step(dice.choice(world.legal()))
        for at, mover, action in taken:
            value = world.returns[mover]
            low, high = min(low, value), max(high, value)
            tree[at][action][0] += 1
            tree[at][action][1] += value
    return max(tree[()], key=lambda action: tree[()][action][0])
