"""Numbers of an environment that no search can use: errors that name them."""

import math
import re

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from pettingzoo.utils import parallel_to_aec

from mcts_agents import MCTSAgent, OneStepAgent, RandomAgent
from mcts_agents.wrappers import SingleAgentEnv
from tests.model.third_party import Countdown, Matching


def planner(**settings):
    return MCTSAgent(simulations=30, perfect_information=True, seed=0, **settings)


class Walk(gymnasium.Env):
    """Five steps, each with the same reward; shows a mask if it has one."""

    observation_space = spaces.Discrete(2)

    def __init__(self, reward=1.0, actions=3, mask=None):
        self.action_space = spaces.Discrete(actions)
        self.reward = reward
        if mask is not None:
            self.action_masks = lambda: mask

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps = 0
        return 0, {}

    def step(self, action):
        self.steps += 1
        return 0, self.reward, self.steps == 5, False, {}


def walk(**options):
    env = Walk(**options)
    env.reset(seed=0)
    return env


class PaidMatching(Matching):
    """Pays one agent something else in the second round."""

    def __init__(self, reward):
        super().__init__()
        self.reward = reward

    def step(self, actions):
        shown, rewards, *rest = super().step(actions)
        if self.rounds == 2:
            rewards["player_1"] = self.reward
        return shown, rewards, *rest


class PaidCountdown(Countdown):
    """Pays who loses something else."""

    def __init__(self, reward):
        super().__init__()
        self.reward = reward

    def step(self, action):
        agent = self.agent_selection
        super().step(action)
        if self.terminations.get(agent):
            self.rewards[agent] = self.reward


class MaskedCountdown(Countdown):
    """Shows a mask in its observations."""

    mask = (1, 1)

    def observation_space(self, agent):
        parts = {
            "observation": spaces.Discrete(100),
            "action_mask": spaces.Box(0, 1, (2,), np.int8),
        }
        return spaces.Dict(parts)

    def observe(self, agent):
        return {"observation": self.left, "action_mask": np.array(self.mask)}


NO_NUMBERS = [math.nan, math.inf, -math.inf, np.float32("nan"), None, "much", 1j]


@pytest.mark.parametrize("reward", NO_NUMBERS)
def test_rewards_that_are_no_finite_numbers(reward):
    words = re.escape(f" is {reward!r}, expected a finite number")
    with pytest.raises(ValueError, match=f"Walk.*the reward of player_0{words}"):
        planner().act(walk(reward=reward))
    for env in (PaidMatching(reward), PaidCountdown(reward)):
        env.reset(seed=0)
        name = str(env)
        with pytest.raises(
            ValueError, match=rf"{name}: the reward of player_\d{words}"
        ):
            planner().act(env, "player_0")


def test_integers_of_many_digits_are_not_printed():
    with pytest.raises(ValueError, match=r"is an integer of 33220 bits, expected"):
        planner().act(walk(reward=10**10000))


def test_a_one_step_agent_is_told_too():
    with pytest.raises(ValueError, match="the reward of player_0 is nan"):
        OneStepAgent(perfect_information=True, seed=0).act(walk(reward=math.nan))


@pytest.mark.parametrize("reward", [1e308, -1e308, 1e200, 9e99])
def test_returns_that_a_search_cannot_add_up(reward):
    words = r"the rewards of player_0 add up to .*\(the last one is "
    with pytest.raises(ValueError, match=words + re.escape(repr(reward))):
        planner(rollout=10).act(walk(reward=reward))


@pytest.mark.parametrize("reward", [1e90, -1e90, True, np.float32(0.5), np.int64(7)])
def test_large_rewards_and_other_kinds_of_numbers_are_numbers(reward):
    found = planner(rollout=10).plan(walk(reward=reward))
    assert np.nanmax(found.values) == 5 * float(reward)


MASKS = [
    ([1, 1], "the mask of player_0 has the shape (2,); its action space needs (3,)"),
    ([1, 1, 1, 1], "the mask of player_0 has the shape (4,)"),
    ([[1, 1, 1]], "the mask of player_0 has the shape (1, 3)"),
    (1, "the mask of player_0 is 1; expected an array of 3 zeros and ones"),
    (None, "the mask of player_0 is None; expected an array of 3"),
    ({0, 1}, "the mask of player_0 is {0, 1}; expected an array of 3"),
    ("110", "the mask of player_0 is '110'; expected an array of 3"),
    ([-1, 1, 1], "the mask of player_0 holds -1; expected 1 for each legal action"),
    ([1, 2, 1], "the mask of player_0 holds 2"),
    ([math.nan, 1, 1], "the mask of player_0 holds nan"),
    ([0.5, 1, 1], "the mask of player_0 holds 0.5"),
    (["a", "b", "c"], "the mask of player_0 holds 'a'"),
    ([0, 0, 0], "the mask of player_0 contains only zeros"),
]


@pytest.mark.parametrize(("mask", "words"), MASKS)
@pytest.mark.parametrize("agent", [planner(), RandomAgent(seed=0)])
def test_masks_that_are_none(agent, mask, words):
    with pytest.raises(ValueError, match="Walk.*" + re.escape(words)):
        agent.act(walk(mask=np.array(mask)))


@pytest.mark.parametrize("kind", [bool, np.int8, np.uint8, np.int64, float, object])
def test_masks_of_all_kinds_are_understood(kind):
    mask = np.array([0, 1, 1]).astype(kind)
    assert planner().plan(walk(mask=mask)).actions.tolist() == [1, 2]


@pytest.mark.parametrize(
    ("mask", "words"), [((1,), "(1,)"), ((1, 0, 0), "(3,)"), ((3, 1), "holds 3")]
)
def test_masks_in_observations_of_an_aec_environment(mask, words):
    env = MaskedCountdown()
    env.reset(seed=0)
    env.mask = mask
    for agent in (planner(), RandomAgent(seed=0)):
        with pytest.raises(ValueError, match="countdown.*" + re.escape(words)):
            agent.act(env)


@pytest.mark.parametrize("actions", [2**20 + 1, 2**40, 2**62])
def test_action_spaces_that_no_memory_holds(actions):
    words = rf"Walk.*the action space of player_0 is Discrete\({actions}\)"
    for agent in (planner(), RandomAgent(seed=0)):
        with pytest.raises(ValueError, match=words):
            agent.act(walk(actions=actions))


# -- the same for learners


class Endless(Countdown):
    def action_space(self, agent):
        return spaces.Discrete(2**40)


def test_a_learner_s_environment_says_the_same():
    with pytest.raises(ValueError, match=r"the action space of player_0 is Discrete"):
        SingleAgentEnv(Endless)
    env = SingleAgentEnv(lambda: PaidMatching(math.nan))
    env.reset(seed=0)
    env.step(0)
    with pytest.raises(ValueError, match="the reward of player_1 is nan"):
        env.step(0)
    masked = MaskedCountdown()
    masked.mask = (1, -1)
    with pytest.raises(ValueError, match="the mask of player_0 holds -1"):
        SingleAgentEnv(masked).reset(seed=0)


def test_a_serialised_environment_says_so_too():
    env = parallel_to_aec(PaidMatching(math.inf))
    env.reset(seed=0)
    with pytest.raises(ValueError, match="the reward of player_1 is inf"):
        planner().act(env)
