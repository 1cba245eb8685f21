"""How tests play with a learner's view, and how they play the same game again."""

import numpy as np

from mcts_agents.envs import load_game
from mcts_agents.envs.environment import GameParallelEnv, environments
from tests.envs.variants import VARIANTS


class Recorded(GameParallelEnv):
    """Keeps the seed and the decisions of each game."""

    def reset(self, seed=None, options=None):
        self.seed, self.decisions = seed, []
        return super().reset(seed=seed)

    def step(self, actions):
        movers = self.forward_model.movers(self.spectator_state())
        asked = [self.possible_agents[player] for player in movers]
        self.decisions.append({agent: actions[agent] for agent in asked})
        return super().step(actions)


def recorded(label):
    """Return an environment of a variant that records."""
    name, options = VARIANTS[label]
    return Recorded(load_game(name), None, **options)


def returns_of(label, seed, decisions):
    """Play decisions again in the AEC environment; return (returns, who finished)."""
    name, options = VARIANTS[label]
    env = environments(load_game(name))[0](**options)
    env.reset(seed=seed)
    returns, finished = dict.fromkeys(env.possible_agents, 0.0), set()
    waiting = [dict(joint_action) for joint_action in decisions]
    while env.agents:
        agent = env.agent_selection
        _, reward, termination, _, _ = env.last(observe=False)
        if termination:
            returns[agent] += reward
            finished.add(agent)
            env.step(None)
            continue
        if not waiting:
            break
        env.step(waiting[0].pop(agent))
        if not waiting[0]:
            del waiting[0]
    assert not waiting
    return returns, finished


def random_action(info, rng):
    """Return a legal action, any action if there is none."""
    legal = np.flatnonzero(info["action_mask"])
    return int(rng.choice(legal)) if len(legal) else 0


def episode(env, rng, **reset):
    """Play an episode at random; return everything that the learner was shown."""
    observation, info = env.reset(**reset)
    shown = [(observation, info)]
    done = False
    while not done:
        action = random_action(info, rng)
        observation, reward, terminated, truncated, info = env.step(action)
        shown.append((action, observation, reward, terminated, truncated, info))
        done = terminated or truncated
    return shown


def plain(shown):
    """Return what was shown as something that can be compared."""
    if isinstance(shown, np.ndarray):
        return shown.shape, str(shown.dtype), shown.tobytes()
    if isinstance(shown, dict):
        return {key: plain(value) for key, value in shown.items()}
    if isinstance(shown, tuple | list):
        return [plain(value) for value in shown]
    return shown
