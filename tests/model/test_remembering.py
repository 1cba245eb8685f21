"""Environments that remember what was played, for tree reuse."""

import gymnasium
import numpy as np
import pettingzoo
import pytest
from gymnasium import spaces
from pettingzoo.utils import parallel_to_aec

from mcts_agents import MCTSAgent, remember
from mcts_agents.model.copying.watchers import remembered_by
from tests.model.gathering import gathering
from tests.model.third_party import (
    AtOnce,
    Countdown,
    Dice,
    Matching,
    serialised_matching,
)


def planner(simulations=100, **options):
    return MCTSAgent(
        simulations=simulations, perfect_information=True, seed=0, **options
    )


def moves_of(env):
    return remembered_by(env).history().moves


def test_gymnasium_environments_remember():
    env = remember(gymnasium.make("CartPole-v1"))
    shown, _ = env.reset(seed=0)
    memory = env.remembered
    assert memory.shown.tolist() == shown.tolist()
    for action in (0, 1, 1):
        shown, *_ = env.step(action)
    assert moves_of(env) == ((0,), (1,), (1,))
    assert memory.returns == {"player_0": 3.0}
    assert memory.shown.tolist() == shown.tolist()
    first = memory.history()
    env.reset(seed=0)
    assert moves_of(env) == ()
    env.step(0)
    assert not memory.history().continues(first)


def test_aec_environments_remember_those_who_die_too():
    env = remember(Countdown(players=3, start=4))
    env.reset()
    while env.agents:
        over = env.terminations[env.agent_selection]
        env.step(None if over else 1)
    assert moves_of(env) == ((1, -1, -1), (-1, 1, -1), (-1, -1, 1), (1, -1, -1))
    returns = {"player_0": -1.0, "player_1": -1.0, "player_2": 1.0}
    assert env.remembered.returns == returns


class Paying(Dice):
    """Pays in arrays of one number, or what is given instead of a number."""

    def __init__(self, reward=None):
        super().__init__()
        self.reward = reward

    def step(self, action):
        shown, reward, *others = super().step(action)
        paid = np.array([reward]) if self.reward is None else self.reward
        return shown, paid, *others


def test_rewards_that_are_arrays_are_remembered():
    env = remember(Paying())
    env.reset(seed=0)
    paid = sum(float(env.step(2)[1][0]) for _ in range(9))
    assert env.remembered.returns == {"player_0": paid}
    planner().act(env)


def test_rewards_that_are_no_numbers_are_refused():
    env = remember(Paying(reward=float("nan")))
    env.reset(seed=0)
    with pytest.raises(ValueError, match="reward of player_0 is nan"):
        env.step(2)


def test_simultaneous_moves_are_one():
    played = (((0, 1), (1, 1)), {"player_0": 0.0, "player_1": 0.0})
    env = remember(Matching())
    env.reset()
    for joint in played[0]:
        env.step(dict(zip(env.possible_agents, joint, strict=True)))
    assert (moves_of(env), env.remembered.returns) == played
    env = remember(serialised_matching())
    env.reset()
    for joint in played[0]:
        for action in joint:
            env.step(action)
    assert (moves_of(env), env.remembered.returns) == played
    env.step(0)
    assert moves_of(env) == played[0]  # the other has not decided yet


class Waiting(AtOnce):
    """Two agents who take turns in a parallel environment, by empty masks."""

    metadata = AtOnce.metadata | {"name": "waiting_v0"}

    def __init__(self):
        super().__init__("ab")

    def observation_space(self, agent):
        parts = {
            "observation": spaces.Discrete(9),
            "action_mask": spaces.MultiBinary(2),
        }
        return spaces.Dict(parts)

    def observe(self, agent):
        turn = self.possible_agents[self.rounds % 2] == agent
        return {"observation": self.rounds, "action_mask": np.full(2, turn, np.int8)}

    def observations(self):
        return {agent: self.observe(agent) for agent in self.agents}

    def step(self, actions):
        self.rounds += 1
        rewards = {agent: float(action) for agent, action in actions.items()}
        return self.outcome(rewards, self.rounds == 6)


def test_agents_who_wait_do_not_move():
    env = remember(Waiting())
    env.reset()
    agent = planner(reuse_tree=True)
    assert agent.plan(env, "a").reused == 0
    env.step({"a": 1, "b": 0})
    env.step({"a": 0, "b": 1})
    assert moves_of(env) == ((1, -1), (-1, 1))
    assert agent.plan(env, "a").reused > 0


@pytest.mark.parametrize("deterministic", [False, True])
def test_the_visits_of_what_was_played_are_left(deterministic):
    env = gathering()
    agent = planner(300, reuse_tree=True, deterministic=deterministic)
    first = agent.plan(env)
    assert first.reused == 0
    env.step(first.action)
    env.step(2 if first.action != 2 else 5)
    second = agent.plan(env)
    assert 0 < second.reused < first.visits.max()
    assert second.visits.sum() == second.reused + 300
    env.reset()
    assert agent.plan(env).reused == 0


def test_environments_may_have_a_history_of_their_own():
    class Noting(Dice):
        def reset(self, *, seed=None, options=None):
            self.history = []
            return super().reset(seed=seed)

    env = remember(Noting())
    env.reset(seed=0)
    agent = planner(reuse_tree=True)
    env.step(agent.act(env))
    assert agent.plan(env).reused > 0


def test_a_kept_tree_helps():
    env = remember(pettingzoo.make("aec", "classic/connect_four"))
    env.reset(seed=0)
    agent = planner(200, reuse_tree=True)
    for move in (agent.act(env), 3):
        env.step(move)
    result = agent.plan(env)
    assert result.reused > 5
    assert result.visits.sum() == 200 + result.reused


class Centred(gymnasium.Env):
    """Pays what is played: numbers from -1 to 1, and in pairs with `parts`."""

    observation_space = spaces.Discrete(9)

    def __init__(self, parts=False):
        self.action_space = spaces.Discrete(3, start=-1)
        if parts:
            self.action_space = spaces.MultiDiscrete([3, 3], start=[-1, -1])

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.time = 0
        return 0, {}

    def step(self, action):
        self.time += 1
        return self.time, float(np.sum(action)), self.time == 5, False, {}


@pytest.mark.parametrize("parts", [False, True])
def test_actions_that_do_not_count_from_0_are_found_in_a_kept_tree(parts):
    env = remember(Centred(parts))
    env.reset(seed=0)
    agent = planner(200, reuse_tree=True)
    env.step(agent.act(env))
    assert 0 < agent.plan(env).reused < 200


def test_what_was_played_in_a_box_is_found_in_no_tree():
    env = gymnasium.make("Pendulum-v1")
    env = remember(env)
    env.reset(seed=0)
    env.step(np.array([0.5], np.float32))
    agent = planner(20, reuse_tree=True, continuous=3)
    with pytest.raises(ValueError, match=r"reuse_tree=True: .*Box have no numbers"):
        agent.plan(env)
    assert planner(20, continuous=3).plan(env).simulations == 20


def test_resets_have_a_seed_and_an_environment_remembers_once():
    env = remember(Dice())
    assert remember(env) is env
    env.reset(seed=4)
    thrown = []
    for _ in range(2):
        env.reset()
        thrown.append([env.step(0)[0] for _ in range(10)])
    again = remember(Dice())
    again.reset(seed=4)
    again.reset()
    assert [again.step(0)[0] for _ in range(10)] == thrown[0] != thrown[1]


def test_nothing_is_noted_by_a_search():
    for env in (gathering(moves=(1, 3)), remember(Dice())):
        if not hasattr(env, "agents"):
            env.reset(seed=0)
        memory = remembered_by(env)
        before = memory.history(), dict(memory.returns)
        planner(rollout=10).plan(env)
        assert (memory.history(), memory.returns) == before


def test_what_was_played_must_be_known():
    env = Dice()
    env.reset(seed=0)
    with pytest.raises(ValueError, match=r"not visible from outside; wrap the env"):
        planner(reuse_tree=True).plan(env)
    with pytest.raises(ValueError, match="copies end with the decision; use loop='op"):
        planner(reuse_tree=True, deterministic=True, loop="closed").plan(gathering())
    agent = MCTSAgent(
        simulations=10, reuse_tree=True, redeterminise=lambda env, agent, rng: None
    )
    with pytest.raises(ValueError, match="hides something"):
        agent.plan(gathering())
    with pytest.raises(ValueError, match="is neither a PettingZoo environment"):
        remember(3)


def test_evaluators_see_the_root():
    seen = []

    def evaluator(observations, players, legal):
        seen.append(observations)
        return np.zeros((len(players), 1)), np.zeros(legal.shape)

    def plan(env):
        env.reset(seed=0)
        return planner(10, evaluator=evaluator, tree_policy="alphago").plan(env)

    env = gymnasium.make("CartPole-v1")
    with pytest.raises(
        ValueError, match=r"current observation is available only .*remember\(env\)"
    ):
        plan(env)
    seen.clear()
    plan(remember(env))
    assert seen[0].dtype == np.float32
    assert seen[0].shape == (1, 4)
    root = np.array(env.unwrapped.state, np.float32)
    assert seen[0][0].tolist() == root.tolist()


class Turns(AtOnce):
    """Both act in each step, but only one of them has a legal action; infos say it."""

    metadata = AtOnce.metadata | {"name": "turns_v0"}

    def __init__(self):
        super().__init__(["first", "second"])

    def infos(self):
        turn = self.possible_agents[self.rounds % 2]
        return {a: {"action_mask": np.full(2, a == turn)} for a in self.agents}

    def step(self, actions):
        self.rounds += 1
        rewards = {agent: float(action) for agent, action in actions.items()}
        return self.outcome(rewards, self.rounds == 8)


@pytest.mark.parametrize("convert", [None, parallel_to_aec])
def test_who_waits_by_a_mask_in_infos_has_not_moved(convert):
    env = remember(Turns() if convert is None else convert(Turns()))
    env.reset()
    for _ in range(2):
        if convert is None:
            env.step({"first": 0, "second": 0})
        else:
            env.step(0)
            env.step(0)
    assert moves_of(env) == ((0, -1), (-1, 0))


class Refusing(Countdown):
    """Refuses an action before anything has changed."""

    def step(self, action):
        if action not in (None, 0, 1):
            raise IndexError(action)
        super().step(action)


class RefusingAtOnce(Matching):
    def step(self, actions):
        if actions["player_0"] > 1:
            raise IndexError
        return super().step(actions)


@pytest.mark.parametrize(
    ("make", "wrong", "right"),
    [
        (Refusing, 2, 1),
        (
            RefusingAtOnce,
            {"player_0": 2, "player_1": 0},
            {"player_0": 1, "player_1": 0},
        ),
    ],
)
def test_steps_that_raise_are_not_remembered(make, wrong, right):
    env = remember(make())
    env.reset()
    with pytest.raises(IndexError):
        env.step(wrong)
    assert env.remembered.steps == []
    env.step(right)
    assert [action for _, action in env.remembered.steps] == [right]
    assert len(moves_of(env)) == 1
