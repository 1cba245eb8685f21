"""Actions of all kinds of spaces by number, and what `act` returns of them."""

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

from mcts_agents import MCTSAgent, OneStepAgent, RandomAgent, remember
from mcts_agents.model.copying.actions import MOST_PROPOSALS, numbers_of


class Target(gymnasium.Env):
    """One step: the nearer the action is to the best one, the better."""

    observation_space = spaces.Discrete(1)

    def __init__(self, space, best):
        self.action_space = space
        self.best = np.asarray(best)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return 0, {}

    def step(self, action):
        assert self.action_space.contains(action), action
        distance = np.abs(np.asarray(action, float) - self.best).sum()
        return 0, -float(distance), True, False, {}


SPACES = [
    (spaces.Discrete(4), 2),
    (spaces.Discrete(3, start=5), 6),
    (spaces.Discrete(4, start=-1), -1),
    (spaces.Discrete(4, start=-2), 1),
    (spaces.MultiDiscrete([2, 3]), [1, 2]),
    (spaces.MultiDiscrete([[2, 2], [2, 2]]), [[0, 1], [1, 0]]),
    (spaces.MultiDiscrete([2, 3], start=[5, -1]), [5, 1]),
    (spaces.MultiBinary(3), [1, 0, 1]),
    (spaces.MultiBinary([2, 1]), [[0], [1]]),
]


@pytest.mark.parametrize(("space", "best"), SPACES)
def test_the_best_action_is_returned_as_the_environment_takes_it(space, best):
    env = Target(space, best)
    env.reset()
    agent = MCTSAgent(simulations=60, perfect_information=True, seed=0)
    action = agent.act(env)
    assert space.contains(action)
    assert np.array_equal(action, best)
    result = agent.plan(env)
    assert isinstance(result.action, int)
    assert np.array_equal(result.environment_action(), best)
    returned = [result.environment_action(number) for number in result.actions.tolist()]
    assert all(map(space.contains, returned))
    assert len({np.asarray(action).tobytes() for action in returned}) == len(returned)
    one_step = OneStepAgent(perfect_information=True, seed=0)
    assert np.array_equal(one_step.act(env), best)
    assert space.contains(RandomAgent(seed=0).act(env))


def test_numbers_of_discrete_spaces_from_zero_are_their_actions():
    env = Target(spaces.Discrete(3, start=5), 6)
    env.reset()
    result = MCTSAgent(simulations=20, perfect_information=True, seed=0).plan(env)
    assert result.actions.tolist() == [5, 6, 7]
    assert result.environment_action() == result.action


@pytest.mark.parametrize(
    ("space", "size"),
    [
        (spaces.MultiDiscrete([2**11, 2**11]), 2**22),
        (spaces.MultiBinary(64), 2**64),
        (spaces.Box(0, 1, (30,)), 5**30),
    ],
)
def test_too_many_actions_are_refused(space, size):
    with pytest.raises(ValueError, match=r"^whose is .*actions up to 1048575"):
        numbers_of(space, "whose", 5)


@pytest.mark.parametrize(
    "mask",
    [
        (np.array([0, 1], np.int8), np.array([1, 1, 0], np.int8)),
        np.array([0, 1, 1, 1, 0], np.int8),
        np.array([[0, 0, 0], [1, 1, 0]], np.int8),
    ],
)
def test_masks_of_combinations(mask):
    numbers = numbers_of(spaces.MultiDiscrete([2, 3]), "whose")
    legal = numbers.flat(mask, "the mask").nonzero()[0]
    assert [numbers.action(n).tolist() for n in legal] == [[1, 0], [1, 1]]


@pytest.mark.parametrize(
    "mask", [np.ones(4, np.int8), (np.ones(2),), np.full((2, 3), 2), np.ones((3, 2))]
)
def test_wrong_masks_of_combinations_are_refused(mask):
    numbers = numbers_of(spaces.MultiDiscrete([2, 3]), "whose")
    with pytest.raises(ValueError, match=r"^the mask "):
        numbers.flat(mask, "the mask")


def box(best=(0.5, -1.0)):
    env = Target(spaces.Box(-1, 1, (2,), np.float32), best)
    env.reset()
    return env


def test_a_grid_over_a_box():
    agent = MCTSAgent(simulations=150, perfect_information=True, continuous=5, seed=0)
    result = agent.plan(box())
    assert result.actions.tolist() == list(range(25))
    assert result.environment_action().tolist() == [0.5, -1.0]
    action = agent.act(box())
    assert (action.dtype, action.shape) == (np.float32, (2,))
    middle = numbers_of(spaces.Box(0, 4, (1,)), "whose", 1)
    assert middle.action(0).tolist() == [2.0]
    random = RandomAgent(continuous=3, seed=0)
    assert set(random.act(box()).tolist()) <= {-1.0, 0.0, 1.0}


def first_is_best(model, state, player, actions):
    return 1 / (1 + np.asarray(actions, float))


def test_a_function_proposes_actions():
    asked = []

    def propose(copied, agent, generator):
        asked.append((copied, agent))
        return np.concatenate([[copied.best], generator.uniform(-1, 1, (19, 2))])

    env = box((0.25, -0.3))
    agent = MCTSAgent(
        simulations=200,
        perfect_information=True,
        continuous=propose,
        widening=2.0,
        action_heuristic=first_is_best,
        seed=0,
    )
    result = agent.plan(env)
    assert np.allclose(result.environment_action(), [0.25, -0.3])
    assert all(copied is not env for copied, _ in asked)
    assert {name for _, name in asked} == {"player_0"}
    assert np.allclose(agent.act(env), [0.25, -0.3])
    assert env.action_space.contains(RandomAgent(continuous=propose, seed=0).act(env))
    assert all(copied is not env for copied, _ in asked)


class Scaling(gymnasium.Env):
    """Four steps that earn half of the action, and scale the action they get."""

    observation_space = spaces.Box(-99, 99, (1,))

    def __init__(self, space=None):
        self.action_space = space or spaces.Box(-1, 1, (1,))

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.sum, self.steps = 0.0, 0
        return np.zeros(1, np.float32), {}

    def step(self, action):
        assert self.action_space.contains(action), action
        earned = action[0] / 2
        action //= 2
        self.sum += float(earned)
        self.steps += 1
        seen = np.array([self.sum], np.float32)
        return seen, float(earned), self.steps >= 4, False, {}


OFFERS = np.array([[-1.0], [0.5], [1.0]], np.float32)


@pytest.mark.parametrize(
    "options",
    [
        {"continuous": lambda env, agent, generator: OFFERS},
        {"continuous": lambda env, agent, generator: OFFERS, "deterministic": True},
        {"continuous": 3},
        {},
    ],
)
def test_a_step_may_change_the_action_that_it_is_given(options):
    space = None if options else spaces.MultiDiscrete([3])
    env = Scaling(space)
    env.reset(seed=1)
    agent = MCTSAgent(simulations=80, perfect_information=True, seed=0, **options)
    result = agent.plan(env)
    best = 1.0 if options else 2
    assert result.environment_action().tolist() == [best]
    result.environment_action()[:] = 0  # as a live step may do
    assert result.environment_action().tolist() == [best]
    offered = [result.environment_action(a).tolist() for a in result.actions.tolist()]
    assert len({number for (number,) in offered}) == 3


def test_what_is_remembered_is_what_was_played():
    env = remember(Scaling(spaces.MultiDiscrete([3])))
    env.reset(seed=1)
    options = {"perfect_information": True, "seed": 0, "simulations": 60}
    replaying = MCTSAgent(replay=lambda: Scaling(spaces.MultiDiscrete([3])), **options)
    reusing = MCTSAgent(reuse_tree=True, **options)
    for _ in range(3):
        assert replaying.act(env).tolist() == [2]
        result = reusing.plan(env)
        assert result.environment_action().tolist() == [2]
        env.step(result.environment_action())
    assert result.reused > 0


@pytest.mark.parametrize(
    ("proposed", "message"),
    [
        ([[5.0, 0.0]], "not in Box"),
        ([[float("nan"), 0.0]], "not in Box"),
        ([0.0, 0.0], r"shape \(2,\), expected \(n, 2,\)"),
        (np.zeros((0, 2)), "expected"),
        (np.zeros((MOST_PROPOSALS + 1, 2)), "at most 1024"),
    ],
)
def test_wrong_proposals_are_refused(proposed, message):
    agent = MCTSAgent(
        simulations=10,
        perfect_information=True,
        continuous=lambda copied, name, generator: proposed,
        seed=0,
    )
    with pytest.raises(ValueError, match=message):
        agent.act(box())


def test_boxes_are_refused_with_the_option_that_opens_them():
    agent = MCTSAgent(simulations=10, perfect_information=True, seed=0)
    with pytest.raises(ValueError, match=r"not Discrete; pass continuous=5"):
        agent.act(box())
    unbounded = Target(spaces.Box(-np.inf, np.inf, (1,)), [0.0])
    unbounded.reset()
    agent = MCTSAgent(simulations=10, perfect_information=True, continuous=3, seed=0)
    with pytest.raises(ValueError, match=r"no bounds.*continuous=function"):
        agent.act(unbounded)
    other = Target(spaces.Tuple([spaces.Discrete(2)]), [0])
    other.reset()
    with pytest.raises(ValueError, match="needs a Discrete, MultiDiscrete"):
        agent.act(other)


@pytest.mark.parametrize("value", [0, -3, True, 2.5, "5"])
def test_values_of_continuous_are_checked(value):
    with pytest.raises(ValueError, match="continuous="):
        MCTSAgent(simulations=10, continuous=value)


@pytest.mark.parametrize(
    ("name", "continuous"),
    [
        ("Pendulum-v1", 3),
        (
            "MountainCarContinuous-v0",
            lambda env, agent, rng: rng.uniform(-1, 1, (4, 1)),
        ),
    ],
)
def test_gymnasiums_continuous_tasks(name, continuous):
    env, untouched = gymnasium.make(name), gymnasium.make(name)
    env.reset(seed=1)
    untouched.reset(seed=1)
    agent = MCTSAgent(
        simulations=10,
        rollout=5,
        perfect_information=True,
        continuous=continuous,
        seed=0,
    )
    for _ in range(5):
        action = agent.act(env)
        assert env.action_space.contains(action)
        ours, theirs = env.step(action), untouched.step(action)
        assert np.array_equal(ours[0], theirs[0])
        assert ours[1] == theirs[1]
