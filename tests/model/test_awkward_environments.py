"""Rewards of odd kinds, ended episodes, foreign memory, JAX; and real ones of them."""

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.wrappers import TimeLimit
from pettingzoo.utils import BaseParallelWrapper

from mcts_agents import MCTSAgent, RandomAgent
from mcts_agents.model.copying.cloning import Cloner
from mcts_agents.model.copying.cloning_kinds import UncopyableEnvironmentError
from mcts_agents.model.copying.comparing import first_difference
from tests.model.third_party import Dice, Matching


def planner(**options):
    settings = {"simulations": 20, "rollout": 5, "seed": 0} | options
    return MCTSAgent(perfect_information=True, **settings)


class Paying(gymnasium.Env):
    """Pays what it is told to, for action 1 twice as much; three steps."""

    observation_space = spaces.Discrete(4)
    action_space = spaces.Discrete(2)

    def __init__(self, pay):
        self.pay = pay

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps = 0
        return 0, {}

    def step(self, action):
        self.steps += 1
        return self.steps, self.pay(float(action)), self.steps == 3, False, {}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "pay",
    [
        lambda number: np.array(number),
        lambda number: np.array([number]),
        lambda number: np.array([[number]], np.float32),
        lambda number: np.float32(number),
        lambda number: int(number),
        lambda number: bool(number),
    ],
)
def test_rewards_that_are_arrays_of_one_number_are_taken(pay):
    env = Paying(pay)
    env.reset()
    assert planner(simulations=60).plan(env).values.max() > 1.5


@pytest.mark.parametrize("gradient", [False, True])
def test_tensors_of_one_number_are_taken_and_others_named(gradient):
    torch = pytest.importorskip("torch")
    env = Paying(lambda number: torch.tensor([number], requires_grad=gradient))
    env.reset()
    assert planner(simulations=60).plan(env).values.max() > 1.5
    env = Paying(lambda number: torch.tensor([number, 1.0], requires_grad=gradient))
    env.reset()
    with pytest.raises(ValueError, match=r"reward of player_0 is tensor\(\[.*finite"):
        planner().plan(env)


class Telling(Paying):
    """Returns the first few of what a step returns, and `info` as the last of five."""

    def __init__(self, parts, info, late=False):
        super().__init__(float)
        self.parts, self.info, self.late = parts, info, late

    def step(self, action):
        told = (*super().step(action)[:4], self.info)
        return told if self.late and self.steps < 2 else told[: self.parts]


class Doubled(gymnasium.RewardWrapper):
    def reward(self, reward):
        return 2 * reward


@pytest.mark.parametrize("late", [False, True])
def test_steps_that_return_too_little_are_named(late):
    env = Telling(4, {}, late)
    env.reset()
    with pytest.raises(ValueError, match=r"step\(\) must return five values") as raised:
        planner().plan(env)
    assert "expected 5, got 4" in str(raised.value)
    assert not getattr(raised.value, "__notes__", [])


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("rollout", [0, 5])
@pytest.mark.parametrize("wrap", [lambda env: TimeLimit(env, 50), Doubled])
def test_they_are_named_below_wrappers_that_unpack(wrap, rollout, late):
    env = wrap(Telling(4, {}, late))
    env.reset()
    with pytest.raises(ValueError, match=r"step\(\) must return five values.* got 4"):
        planner(rollout=rollout).plan(env)


def test_a_step_that_unpacks_something_else_raises_its_own_error():
    class Unpacking(Paying):
        def step(self, action):
            first, second = (action,)
            return first, second

    env = TimeLimit(Unpacking(float), 50)
    env.reset()
    with pytest.raises(ValueError, match=r"^not enough values to unpack"):
        planner().plan(env)


@pytest.mark.parametrize(
    ("told", "words"),
    [
        (lambda found: found[:4], r"must return five values: obs.*expected 5, got 4"),
        (lambda found: None, r"must return five values: obs.*\(cannot unpack .*None"),
        (lambda found: (*found[:4], None), "returned None; it must return five values"),
        (lambda found: ([1, 2], *found[1:]), r"returned \[1, 2\]; it must return five"),
    ],
)
@pytest.mark.parametrize("wrapped", [False, True])
def test_parallel_steps_that_return_something_else_are_named(told, words, wrapped):
    class Wrong(Matching):
        def step(self, actions):
            return told(super().step(actions))

    env = BaseParallelWrapper(Wrong()) if wrapped else Wrong()
    env.reset()
    with pytest.raises(ValueError, match=rf"matching_v0: step\(\) {words}"):
        planner().plan(env, "player_0")


@pytest.mark.parametrize("rollout", [0, 5])
def test_no_info_is_an_empty_one(rollout):
    env = Telling(5, None)
    env.reset()
    assert planner(rollout=rollout).plan(env).action == 1


@pytest.mark.parametrize(
    "reward", [None, float("nan"), np.nan, np.array([1.0, 2.0]), np.array([np.nan]), {}]
)
def test_other_rewards_are_refused(reward):
    env = Paying(lambda number: reward)
    env.reset()
    with pytest.raises(ValueError, match=r"reward of player_0 is .*a finite number"):
        planner().act(env)


@pytest.mark.parametrize("name", ["terminated", "_done", "game_over"])
def test_an_episode_that_is_noted_as_over_has_no_decision(name):
    env = Dice()
    setattr(env, name, False)
    env.reset(seed=0)
    planner().act(env)
    setattr(env, name, np.True_)
    for agent in (planner(), RandomAgent(seed=0)):
        with pytest.raises(RuntimeError, match=r"over; call reset\(\)"):
            agent.act(env)


def test_a_fallen_pole_has_no_decision():
    env = gymnasium.make("CartPole-v1")
    env.reset(seed=0)
    while not env.step(0)[2]:
        pass
    with pytest.raises(RuntimeError, match="over"):
        planner().act(env)
    env.reset(seed=0)
    assert planner().act(env) in (0, 1)


def test_names_in_messages_are_of_one_line():
    class Verbose(Dice):
        def __str__(self):
            return "Verbose:\n - size: 3"

    env = Verbose()
    env.reset()
    with pytest.raises(ValueError, match=r"^Verbose: whether this"):
        MCTSAgent(simulations=10).act(env)


class SwigPyObject:
    """What SWIG's addresses are called; theirs can be pickled, and have no module."""


def test_addresses_in_foreign_memory_are_refused():
    env = Dice()
    env.reset()
    env.world = SwigPyObject()
    with pytest.raises(UncopyableEnvironmentError, match=r"Dice\.world -> Swig.*C\+\+"):
        planner().act(env)


@pytest.mark.parametrize(
    ("name", "options"),
    [("LunarLander-v3", {}), ("BipedalWalker-v3", {"continuous": 2})],
)
def test_box2d_is_refused_clearly(name, options):
    pytest.importorskip("Box2D")
    env = gymnasium.make(name)
    env.reset(seed=0)
    with pytest.raises(UncopyableEnvironmentError, match=r"world.*memory of a C\+\+"):
        planner(**options).act(env)


@pytest.fixture(scope="module")
def jax():
    return pytest.importorskip("jax")


def test_arrays_of_jax_are_shared_and_keys_are_not(jax):
    board = jax.numpy.arange(6)
    old, new = jax.random.PRNGKey(3), jax.random.key(3)
    step = jax.jit(lambda value: value + 1)
    held = {"board": board, "old": old, "new": new, "step": step}
    exact = Cloner().clone(held)
    assert all(exact[name] is value for name, value in held.items())
    twin = Cloner(np.random.default_rng(0)).clone(held)
    assert twin["board"] is board
    assert twin["step"] is step
    assert (twin["old"].dtype, twin["old"].shape) == (old.dtype, old.shape)
    assert twin["old"].tolist() != old.tolist()
    assert twin["new"].dtype == new.dtype
    assert float(jax.random.uniform(twin["new"])) != float(jax.random.uniform(new))


def test_arrays_of_jax_are_compared_by_their_numbers(jax):
    array = jax.numpy.array([1.0, float("nan")])
    same, other = jax.numpy.array([1.0, float("nan")]), jax.numpy.array([1.0, 2.0])
    assert first_difference({"board": array}, {"board": same}) is None
    assert "board" in first_difference({"board": array}, {"board": other})
    step, twin = jax.jit(lambda value: value + 1), jax.jit(lambda value: value + 1)
    assert first_difference(step, twin) is None


@pytest.mark.parametrize("typed", [False, True])
def test_the_dice_of_jax_are_not_seen(jax, typed):
    class Thrown(Dice):
        def reset(self, *, seed=None, options=None):
            make = jax.random.key if typed else jax.random.PRNGKey
            self.key = make(seed)
            return super().reset(seed=seed)

        def throw(self):
            self.key, now = jax.random.split(self.key)
            return int(jax.random.randint(now, (), 0, 6))

    right = 0
    for seed in range(24):
        env = Thrown()
        env.reset(seed=seed)
        action = planner(simulations=20, seed=seed).act(env)
        right += env.step(action)[1] == 1
    assert right < 14  # 4 expected; 24 if it saw


def jumanji(name):
    made = pytest.importorskip("jumanji")
    wrappers = pytest.importorskip("jumanji.wrappers")
    return wrappers.JumanjiToGymWrapper(made.make(name))


@pytest.mark.parametrize("name", ["Game2048-v1", "Tetris-v0"])
def test_jumanji_is_planned_in_and_left_alone(name):
    env, untouched = jumanji(name), jumanji(name)
    observation, _ = env.reset(seed=3)
    untouched.reset(seed=3)
    agent = planner(simulations=6, rollout=2)
    with pytest.raises(ValueError, match="action_mask"):
        agent.act(env)
    for _ in range(3):
        action = agent.act(env, action_mask=observation["action_mask"])
        observation, *ours = env.step(action)
        expected, *theirs = untouched.step(action)
        assert ours[:3] == theirs[:3]
        assert all(np.array_equal(observation[k], expected[k]) for k in expected)


def test_copies_of_jumanji_throw_dice_of_their_own():
    env = jumanji("Game2048-v1")
    env.reset(seed=3)
    boards = set()
    for seed in range(8):
        twin = Cloner(np.random.default_rng(seed)).clone(env)
        twin.step(0)
        boards.add(np.asarray(twin._state.board).tobytes())
    assert len(boards) > 3


class Crowd(Matching):
    """Many choose at once; the first two decide about the rewards."""

    def __init__(self, agents):
        super().__init__()
        self.possible_agents = [f"player_{number}" for number in range(agents)]

    def step(self, actions):
        observations, rewards, *others = super().step(actions)
        return observations, dict.fromkeys(actions, 0.0) | rewards, *others


def test_more_agents_than_bits_are_refused():
    agent = MCTSAgent(simulations=10, perfect_information=True, seed=0)
    env = Crowd(62)
    env.reset()
    assert agent.act(env, "player_61") in (0, 1)
    env = Crowd(63)
    env.reset()
    with pytest.raises(ValueError, match="has 63 players or agents; planning allows"):
        agent.act(env, "player_62")
