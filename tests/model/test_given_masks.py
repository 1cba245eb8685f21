"""Masks that the caller passes on, and those that nobody did."""

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from pettingzoo import ParallelEnv
from pettingzoo.utils import parallel_to_aec

from mcts_agents import MCTSAgent, OneStepAgent, RandomAgent
from mcts_agents.envs import tictactoe
from mcts_agents.testing import check_environment
from tests.model.third_party import Matching


class Masked(gymnasium.Env):
    """Three actions, one of them illegal, another one each step; only steps tell."""

    action_space = spaces.Discrete(3)

    def __init__(self, place="info"):
        self.place = place
        space = spaces.Discrete(20)
        if place == "observation":
            mask = spaces.MultiBinary(3)
            space = spaces.Dict({"observation": space, "action_mask": mask})
        self.observation_space = space

    def shown(self):
        mask = (np.arange(3) != self.steps % 3).astype(np.int8)
        if self.place == "observation":
            return {"observation": self.steps, "action_mask": mask}, {}
        return self.steps, {"action_mask": mask}

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps = 0
        return self.shown()

    def step(self, action):
        assert action != self.steps % 3, "illegal"
        self.steps += 1
        observation, info = self.shown()
        return observation, float(action), self.steps == 9, False, info


def mask_of(observation, info):
    return (info if "action_mask" in info else observation)["action_mask"]


def agents():
    return [
        MCTSAgent(simulations=30, perfect_information=True, seed=0),
        OneStepAgent(perfect_information=True, seed=0),
        RandomAgent(seed=0),
    ]


@pytest.mark.parametrize("place", ["info", "observation"])
@pytest.mark.parametrize("agent", agents(), ids=repr)
def test_a_mask_that_only_steps_return_is_passed_on(place, agent):
    env = Masked(place)
    observation, info = env.reset(seed=0)
    over = False
    while not over:
        mask = mask_of(observation, info)
        if hasattr(agent, "plan"):
            legal = agent.plan(env, action_mask=mask).actions.tolist()
            assert legal == np.flatnonzero(mask).tolist()
        action = agent.act(env, action_mask=mask)
        observation, _, over, _, info = env.step(action)


@pytest.mark.parametrize("place", ["info", "observation"])
def test_without_it_planning_ends_with_the_remedy(place):
    env = Masked(place)
    env.reset(seed=0)
    env.steps = 3 * 10**6  # legal now are 1 and 2
    env.step = lambda action, step=env.step: step(max(action, 1))  # none raises
    with pytest.raises(ValueError, match=r"only in what reset.*act\(env, action_mask="):
        agents()[0].act(env)


def test_wrong_masks_are_refused():
    env = Masked()
    env.reset(seed=0)
    for wrong in ([1, 1], [0, 2, 1], [0.5, 1, 1]):
        with pytest.raises(ValueError, match="action_mask given for player_0"):
            agents()[0].act(env, action_mask=wrong)
    with pytest.raises(ValueError, match="zeros only"):
        agents()[0].act(env, action_mask=[0, 0, 0])
    with pytest.raises(ValueError, match=r"action_mask names 'nobody'.*player_0"):
        agents()[0].act(env, action_mask={"nobody": [1, 1, 1]})


def test_a_mask_must_be_the_one_that_the_environment_shows():
    env = gymnasium.make("Taxi-v4")
    _, info = env.reset(seed=0)
    agent = agents()[0]
    assert agent.act(env, action_mask=info["action_mask"]) in range(6)
    with pytest.raises(ValueError, match="the environment itself shows another"):
        agent.act(env, action_mask=1 - info["action_mask"])


def test_games_of_this_package_check_it():
    env = tictactoe.env()
    env.reset(seed=0)
    env.step(4)
    mask = env.observe(env.agent_selection)["action_mask"]
    for agent in agents():
        assert agent.act(env, action_mask=mask) != 4
        with pytest.raises(ValueError, match=r"legal are \[0, 1, 2, 3, 5, 6, 7, 8\]"):
            agent.act(env, action_mask=np.ones(9))


class MaskedMatching(Matching):
    """Each round another of three numbers is not allowed; infos say so."""

    def __init__(self, declared):
        super().__init__()
        self.declared = declared

    def observation_space(self, agent):
        if not self.declared:
            return super().observation_space(agent)
        mask = spaces.MultiBinary(3)
        return spaces.Dict({"observation": spaces.Discrete(4), "action_mask": mask})

    def action_space(self, agent):
        return spaces.Discrete(3)

    def masks(self):
        mask = (np.arange(3) != self.rounds % 3).astype(np.int8)
        return {a: {"action_mask": mask} for a in self.possible_agents}

    def reset(self, seed=None, options=None):
        observations, _ = super().reset(seed, options)
        return observations, self.masks()

    def _seen(self):
        if not self.declared:
            return super()._seen()
        return {a: {"observation": self.rounds} for a in self.agents}

    def step(self, actions):
        assert all(action != self.rounds % 3 for action in actions.values()), "illegal"
        *result, _ = super().step(actions)
        return *result, self.masks()


@pytest.mark.parametrize("declared", [False, True])
def test_masks_of_all_agents_of_a_parallel_environment(declared):
    env = MaskedMatching(declared)
    assert isinstance(env, ParallelEnv)
    _, infos = env.reset(seed=0)
    masks = {name: info["action_mask"] for name, info in infos.items()}
    agent = agents()[0]
    result = agent.plan(env, "player_1", action_mask=masks)
    assert result.actions.tolist() == [1, 2]
    if declared:
        with pytest.raises(ValueError, match="Pass those of all agents on"):
            agent.plan(env, "player_1", action_mask=masks["player_1"])
        with pytest.raises(ValueError, match="Pass those of all agents on"):
            agent.plan(env, "player_1")


def test_undeclared_masks_of_a_parallel_environment_are_missed():
    env = MaskedMatching(declared=False)
    env.reset(seed=0)
    env.step = lambda actions, step=env.step: step(dict.fromkeys(actions, 1))
    with pytest.raises(ValueError, match=r"action_mask=\{name.*parallel_to_aec"):
        agents()[0].plan(env, "player_1")
    serialised = parallel_to_aec(MaskedMatching(declared=False))
    serialised.reset(seed=0)
    assert agents()[0].plan(serialised).actions.tolist() == [1, 2]


def test_the_check_passes_masks_on_as_well():
    report = check_environment(Masked)
    assert "action_mask=" in str(report)
