"""Third-party environments, AEC and parallel, with and without masks."""

import warnings

import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.utils.env_checker import check_env
from pettingzoo.utils.conversions import parallel_to_aec

from mcts_agents import MCTSAgent, RandomAgent
from mcts_agents.wrappers import SingleAgentEnv
from tests.envs.variants import random_legal
from tests.model.test_remembering import Waiting
from tests.model.third_party import AtOnce, Countdown, Matching, serialised_matching
from tests.wrappers.playing import episode, plain

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    from pettingzoo.classic import connect_four_v3, rps_v2, tictactoe_v3


class Unnested(Countdown):
    """Shows its mask beside the parts of its observation."""

    def observation_space(self, agent):
        parts = {
            "board": spaces.Box(0, 9, (3, 3), np.int8),
            "action_mask": spaces.Box(0, 1, (2,), np.int8),
        }
        return spaces.Dict(parts)

    def observe(self, agent):
        self.board = np.full((3, 3), self.left, np.int8)
        return {"board": self.board, "action_mask": np.ones(2, np.int8)}


@pytest.mark.parametrize("learner", ["a", "b"])
def test_who_waits_in_the_aec_form_is_not_asked(learner):
    env = SingleAgentEnv(parallel_to_aec(Waiting()), seat=learner, opponents="random")
    info = env.reset(seed=0)[1]
    rewards = []
    while True:
        assert info["action_mask"].all()
        _, reward, terminated, truncated, info = env.step(1)
        rewards.append(reward)
        if terminated or truncated:
            break
    assert len(rewards) == 3


FACTORIES = {
    "tictactoe": tictactoe_v3.env,
    "connect_four": connect_four_v3.env,
    "rps": rps_v2.env,
    "rps_parallel": rps_v2.parallel_env,
    "countdown": Countdown,
    "unnested": Unnested,
    "matching": Matching,
    "serialised_matching": serialised_matching,
}


def played_below(env, learner, actions, policy):
    """Play an AEC environment; return the learner's return and its last flags."""
    total = 0.0
    actions = iter(actions)
    for agent in env.agent_iter():
        observation, reward, termination, truncation, _ = env.last()
        if agent == learner:
            total += reward
            if termination or truncation:
                return total, termination, truncation
            env.step(next(actions))
        else:
            over = termination or truncation
            env.step(None if over else policy(observation, agent))
    raise AssertionError(f"{learner} never ended")


class Policy:
    """A random policy that begins anew where it is told to."""

    def __init__(self, env):
        self.env = env
        self.restart()

    def restart(self):
        self.rng = np.random.default_rng(3)

    def __call__(self, observation, agent):
        if isinstance(observation, dict):
            return random_legal(observation["action_mask"], self.rng)
        return int(self.rng.integers(self.env.action_space(agent).n))


@pytest.mark.parametrize(
    "name", [n for n in FACTORIES if n not in ("matching", "rps_parallel")]
)
def test_the_learner_earns_what_an_aec_loop_pays(name):
    below = FACTORIES[name]()
    policy = Policy(below)
    rng = np.random.default_rng(1)
    returns = set()
    for seat in range(len(below.possible_agents)):
        env = SingleAgentEnv(FACTORIES[name], policy, seat=seat)
        for seed in range(8):
            policy.restart()
            shown = episode(env, rng, seed=seed)
            policy.restart()
            below.reset(seed=seed)
            actions = [step[0] for step in shown[1:]]
            total, terminated, truncated = played_below(
                below, env.learner, actions, policy
            )
            assert sum(step[2] for step in shown[1:]) == total
            assert shown[-1][3:5] == (terminated, truncated)
            returns.add(total)
    assert len(returns) > 1


@pytest.mark.parametrize("factory", [Matching, serialised_matching])
def test_simultaneous_choices_without_masks(factory):
    env = SingleAgentEnv(factory, lambda observation, agent: 0, seat=1)
    _, info = env.reset(seed=1)
    assert env.observation_space == spaces.Box(0, 3, (1,), np.int8)
    np.testing.assert_array_equal(info["action_mask"], [1, 1])
    steps = [env.step(action) for action in (0, 1, 1)]
    assert [step[1] for step in steps] == [-1.0, 1.0, 1.0]
    assert [step[2] for step in steps] == [False, False, True]
    assert steps[-1][-1]["result"] == "won"


@pytest.mark.parametrize("kind", ["flat", "dict"])
def test_masks_beside_the_parts_of_an_observation(kind):
    env = SingleAgentEnv(Unnested, lambda observation, agent: 0, observation=kind)
    shown, info = env.reset(seed=1)
    assert shown in env.observation_space
    np.testing.assert_array_equal(info["action_mask"], [1, 1])
    if kind == "flat":
        assert env.observation_space == spaces.Box(0, 9, (9,), np.int8)
        assert shown.tolist() == [4] * 9
        return
    assert list(shown) == ["observation", "action_mask"]
    assert list(shown["observation"]) == ["board"]
    assert shown["observation"]["board"].tolist() == [[4] * 3] * 3
    assert not np.shares_memory(shown["observation"]["board"], env.environment.board)


def test_a_learner_who_is_out_ends_while_others_play_on():
    # Of 4 the first takes 2, the second takes the rest and is out.
    env = SingleAgentEnv(Countdown, lambda observation, agent: 1, seat=1)
    observation, _ = env.reset(seed=1)
    assert observation.sum() == 1 and observation[2] == 1  # one-hot
    _, reward, terminated, _, info = env.step(1)
    assert (reward, terminated, info["result"]) == (-1.0, True, "lost")
    assert env.environment.agents  # others are still there


def test_who_wins_without_being_asked_is_told():
    env = SingleAgentEnv(lambda: Countdown(2, start=1), lambda o, a: 0, seat=1)
    _, info = env.reset(seed=1)
    assert not info["action_mask"].any()
    _, reward, terminated, _, info = env.step(0)
    assert (reward, terminated, info["result"]) == (1.0, True, "won")


@pytest.mark.parametrize("name", FACTORIES)
@pytest.mark.parametrize("observation", ["flat", "dict"])
def test_gymnasium_s_check(name, observation):
    env = SingleAgentEnv(FACTORIES[name], seat="random", observation=observation)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # A render mode cannot be tried without a spec.
        warnings.filterwarnings("ignore", ".*not able to test alternative render modes")
        check_env(env)


def test_planners_play_if_somebody_gives_the_word():
    with pytest.raises(ValueError, match="perfect_information=True or redeterminise"):
        SingleAgentEnv(connect_four_v3.env, "mcts:simulations=10")
    planner = MCTSAgent(simulations=60, perfect_information=True)
    env = SingleAgentEnv(connect_four_v3.env, planner, seat="random")
    runs = [
        [episode(env, np.random.default_rng(n), seed=n) for n in range(4)]
        for _ in range(2)
    ]
    assert plain(runs[0]) == plain(runs[1])
    results = [shown[-1][-1]["result"] for shown in runs[0]]
    assert results.count("lost") >= 3


class Vetoed(AtOnce):
    """Numbers pay what they are, three times; each time another one is vetoed.

    The masks are only in what `reset` and `step` return: in observations or in infos.
    """

    def __init__(self, place):
        super().__init__(["player_0", "player_1"])
        self.place = place

    def observation_space(self, agent):
        if self.place == "infos":
            return super().observation_space(agent)
        mask = spaces.MultiBinary(3)
        return spaces.Dict({"observation": spaces.Discrete(4), "action_mask": mask})

    def action_space(self, agent):
        return spaces.Discrete(3)

    def mask(self):
        return (np.arange(3) != 2 - self.rounds).astype(np.int8)

    def observations(self):
        if self.place == "infos":
            return super().observations()
        return {
            agent: {"observation": self.rounds, "action_mask": self.mask()}
            for agent in self.agents
        }

    def infos(self):
        if self.place == "observations":
            return super().infos()
        return {agent: {"action_mask": self.mask()} for agent in self.agents}

    def step(self, actions):
        assert all(self.mask()[action] for action in actions.values()), "illegal"
        self.rounds += 1
        rewards = {agent: float(action) for agent, action in actions.items()}
        return self.outcome(rewards, self.rounds == 3)


@pytest.mark.parametrize("place", ["observations", "infos"])
def test_masks_that_a_parallel_environment_shows_only_in_steps(place):
    env = SingleAgentEnv(lambda: Vetoed(place), seat="random")
    results = {
        episode(env, np.random.default_rng(n), seed=n)[-1][-1]["result"]
        for n in range(30)
    }
    assert results == {"won", "drawn", "lost"}
    planner = MCTSAgent(simulations=60, perfect_information=True)
    env = SingleAgentEnv(lambda: Vetoed(place), planner)
    _, info = env.reset(seed=1)
    over = False
    while not over:
        least = int(info["action_mask"].argmax())
        _, _, over, _, info = env.step(least)
    assert info["result"] == "lost"


class Stubborn(RandomAgent):
    """An agent of somebody who never heard of masks."""

    def act(self, env, agent=None):
        return 1


def test_agents_need_not_take_masks_where_nobody_is_shown_one():
    env = SingleAgentEnv(Matching, Stubborn(), seat=0)
    env.reset(seed=1)
    assert [env.step(action)[1] for action in (0, 1, 1)] == [-1.0, 1.0, 1.0]


class Glimpsed(Matching):
    """`observe` shows masks to all, `reset` and `step` only to those who are told."""

    def __init__(self, told):
        super().__init__()
        self.told = told

    def infos(self):
        mask = np.array([0, 1], np.int8)
        return {a: {"action_mask": mask} if a in self.told else {} for a in self.agents}

    def observe(self, agent):
        mask = np.array([0, 1], np.int8)
        return {"observation": self.observations()[agent], "action_mask": mask}


@pytest.mark.parametrize("told", [[], ["player_0"]])
def test_masks_that_only_observe_shows_are_the_planner_s(told):
    planner = MCTSAgent(simulations=20, perfect_information=True)
    env = SingleAgentEnv(lambda: Glimpsed(told), planner)
    env.reset(seed=1)
    steps = [env.step(1) for _ in range(3)]
    assert [step[1] for step in steps] == [1.0] * 3
    assert steps[-1][-1]["result"] == "won"


class Hushed(Vetoed):
    """Vetoes without a word."""

    def infos(self):
        return AtOnce.infos(self)


def test_a_plan_says_that_it_found_no_mask():
    planner = MCTSAgent(simulations=60, perfect_information=True)
    env = SingleAgentEnv(lambda: Hushed("infos"), planner)
    env.reset(seed=1)
    with pytest.raises(AssertionError, match="illegal") as caught:
        env.step(0)
    assert any("No action mask was found" in note for note in caught.value.__notes__)


class Handed(Vetoed):
    """Only one of the two is vetoed each time and shown a mask, each in its turn."""

    def infos(self):
        told = {self.turn(): {"action_mask": self.mask()}}
        return {agent: told.get(agent, {}) for agent in self.agents}

    def turn(self):
        return self.possible_agents[self.rounds % 2]

    def step(self, actions):
        assert self.mask()[actions[self.turn()]], "illegal"
        self.rounds += 1
        rewards = {agent: float(action) for agent, action in actions.items()}
        return self.outcome(rewards, self.rounds == 3)


@pytest.mark.parametrize("seat", [0, 1])
def test_masks_that_are_shown_to_some(seat):
    planner = MCTSAgent(simulations=60, perfect_information=True)
    env = SingleAgentEnv(lambda: Handed("infos"), planner, seat=seat)
    env.reset(seed=1)
    over = False
    while not over:
        _, _, over, _, info = env.step(0)
    assert info["result"] == "lost"


class Dials(Countdown):
    """Actions that are no Discrete space."""

    def action_space(self, agent):
        return spaces.MultiDiscrete([2, 2])


class Unequal(Countdown):
    """Agents with spaces of their own."""

    def action_space(self, agent):
        return spaces.Discrete(2 + int(agent[-1]))


def test_spaces_that_do_not_do():
    with pytest.raises(ValueError, match="expected a Discrete one"):
        SingleAgentEnv(Dials)
    with pytest.raises(ValueError, match=r"agents of .* have different spaces"):
        SingleAgentEnv(Unequal, seat="random")
    assert SingleAgentEnv(Unequal, seat=2).action_space.n == 4


class Sometimes(Vetoed):
    """Shows masks in some rounds only, and never by `observe`."""

    def __init__(self, rounds):
        super().__init__("infos")
        self.masked = rounds

    def infos(self):
        told = super().infos()
        return told if self.rounds in self.masked else AtOnce.infos(self)

    def step(self, actions):
        if self.rounds in self.masked:
            assert all(self.mask()[action] for action in actions.values()), "illegal"
        self.rounds += 1
        rewards = {agent: float(action) for agent, action in actions.items()}
        return self.outcome(rewards, self.rounds == 3)


class Observed(Sometimes):
    def observe(self, agent):
        return self.observations()[agent]


@pytest.mark.parametrize("kind", [Sometimes, Observed])
@pytest.mark.parametrize("rounds", [[1], [0, 2], [2]])
def test_masks_that_are_shown_sometimes(kind, rounds):
    """The first step of a plan may be the first one that shows any."""
    planner = MCTSAgent(simulations=60, perfect_information=True)
    env = SingleAgentEnv(lambda: kind(rounds), planner)
    _, info = env.reset(seed=1)
    over = False
    while not over:
        _, _, over, _, info = env.step(int(info["action_mask"].argmax()))
    assert info["result"] in ("won", "lost", "drawn")
