"""`check_environment`: sound environments pass, and every kind of mistake is named."""

import math
import random
import threading

import gymnasium
import numpy as np
import pettingzoo
import pytest
from gymnasium import spaces
from pettingzoo.utils import parallel_to_aec

import mcts_agents.envs as envs
from mcts_agents.testing import CheckError, check_environment
from mcts_agents.testing.environments import ACTIONS_TRIED, _spread
from tests.model.third_party import (
    Cached,
    Countdown,
    Forgetful,
    HiddenDice,
    Matching,
    Sampling,
    serialised_matching,
)

PLACE = r"\(episode \d+, move \d+, seed \d+\)\. [A-Z]"


class Cards(gymnasium.Env):
    """Guess whether the next of eight cards is higher; each pays 1 if right."""

    observation_space = spaces.Discrete(8)
    action_space = spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.deck = self.np_random.permutation(8).tolist()
        return self._get_obs(), {}

    def _get_obs(self):
        return self.deck[-1]

    def step(self, action):
        card = self.deck.pop()
        right = (self.deck[-1] > card) == action
        return self._get_obs(), float(right), len(self.deck) == 1, False, {}


class Numbered(Cards):
    """Its two actions have numbers from another one than 0 on."""

    def __init__(self, start):
        self.action_space = spaces.Discrete(2, start=start)

    def action_masks(self):
        return np.array([1, len(self.deck) > 2])

    def step(self, action):
        assert self.action_space.contains(action)
        return super().step(action - self.action_space.start)


class Paid(Cards):
    paid = math.nan

    def step(self, action):
        shown, reward, over, *rest = super().step(action)
        return shown, self.paid if len(self.deck) == 4 else reward, over, *rest


class PaidWithWords(Paid):
    paid = "a lot"


class Masked(Cards):
    mask = (1, 1)

    def action_masks(self):
        return np.array(self.mask)


class ShortMask(Masked):
    mask = (1,)


class NegativeMask(Masked):
    mask = (1, -1)


class EmptyMask(Masked):
    mask = (0, 0)


class Fragile(Masked):
    """Its mask allows an action that fails."""

    def step(self, action):
        if action == 1 and len(self.deck) == 5:
            raise RuntimeError("do not\ndo that")
        return super().step(action)


class OtherMask(Cards):
    """Shows one mask when it is reset, and another one when it is asked."""

    def _get_info(self):
        return {"action_mask": np.array([0, 1])}

    def reset(self, *, seed=None, options=None):
        return super().reset(seed=seed)[0], {"action_mask": np.array([1, 0])}


class Wide(Cards):
    observation_space = spaces.Discrete(7)


class Unseeded(Cards):
    def reset(self, *, seed=None, options=None):
        return super().reset()


class Global(Cards):
    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        random.shuffle(self.deck)
        return self._get_obs(), {}


class Leftover(Cards):
    """Goes on where the last episode ended."""

    begun = 0

    def reset(self, *, seed=None, options=None):
        self.begun += 1
        seen, info = super().reset(seed=seed)
        return (seen + self.begun) % 8, info


TABLE = {}


class Outside(Cards):
    """Keeps its deck in a module."""

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        TABLE["deck"] = self.deck
        del self.deck
        return self._get_obs(), {}

    def __getattr__(self, name):
        if name == "deck":
            return TABLE["deck"]
        raise AttributeError(name)


class OutsideNumbers(Cards):
    """Counts the steps of all its objects in its class."""

    steps = 0

    def reset(self, *, seed=None, options=None):
        type(self).steps = 0
        return super().reset(seed=seed)

    def step(self, action):
        type(self).steps += 1
        shown, reward, *rest = super().step(action)
        return shown, reward + type(self).steps, *rest


class HalfCopied(Cards):
    """Its own way of being copied forgets what it has begun to count."""

    def reset(self, *, seed=None, options=None):
        self.count = {"steps": 0}
        return super().reset(seed=seed)

    def step(self, action):
        self.count["steps"] += 1
        shown, reward, *rest = super().step(action)
        return shown, reward * self.count["steps"], *rest

    def __deepcopy__(self, memo):
        twin = HalfCopied()
        twin.__dict__.update(self.__dict__)
        twin.deck = list(self.deck)
        twin._np_random = np.random.default_rng(0)
        twin._np_random.bit_generator.state = self.np_random.bit_generator.state
        return twin


class Locked(Cards):
    def __init__(self):
        self.lock = threading.Lock()


class Continuous(Cards):
    action_space = spaces.Box(0, 1)


class Endless(Cards):
    action_space = spaces.Discrete(2**40)


class FailingReset(Cards):
    def reset(self, *, seed=None, options=None):
        raise KeyError("no cards")


class BadRewards(Countdown):
    def step(self, action):
        super().step(action)
        self.rewards[self.agents[0]] = math.inf


class MaskedMatching(Matching):
    """Masks only in what `step` returns, which a parallel environment does not keep."""

    def observation_space(self, agent):
        parts = {
            "observation": spaces.Box(0, 3, (1,), np.int8),
            "action_mask": spaces.Box(0, 1, (2,), np.int8),
        }
        return spaces.Dict(parts)

    def observations(self):
        mask = np.ones(2, np.int8)
        return {
            a: {"observation": o, "action_mask": mask}
            for a, o in super().observations().items()
        }


MISTAKES = {
    Paid: "`step` failed with ValueError: the reward of the agent is nan, expected",
    PaidWithWords: "`step` failed with ValueError: the reward of the agent is 'a lot'",
    BadRewards: r"`step` failed with ValueError: the reward of player_\d is inf",
    ShortMask: r"`masks` failed with ValueError: the mask of the agent has the shape "
    r"\(1,\)",
    NegativeMask: "`masks` failed with ValueError: the mask of the agent holds -1",
    EmptyMask: "`masks` leave the agent no legal action, though it is to decide",
    Fragile: r"`step(\(1\)| of a copy)?` failed with RuntimeError: do not do that",
    OtherMask: r"`masks` differ: \[0\] were shown to the agent, but a planner finds "
    r"\[1\]",
    Wide: r"`observation_space` does not hold what the agent was shown: 7 is not in",
    Unseeded: "`reset` does not reproduce an episode by its seed: .*Seed all gene",
    Global: "`reset` does not reproduce an episode by its seed: .*global generators",
    Outside: "`planning` failed with IndexError: .*copies may share nothing",
    OutsideNumbers: r"`planning` failed with SharedStateError: .*OutsideNumbers\.steps",
    HalfCopied: "`planning` failed with .*of the live environment itself",
    Cached: "`step` failed with AssertionError",  # it takes no step(None)
    Forgetful: "`planning` failed with UnfaithfulCopyError: .*not in the same",
    Locked: r"`(copying|planning)` failed with UncopyableEnvironmentError: .*lock",
    Continuous: "`masks` failed with ValueError: the action space of the agent is Box",
    Endless: "`masks` failed with ValueError: the action space of the agent is Discr",
    FailingReset: "`reset` failed with KeyError: 'no cards'",
    MaskedMatching: "`planning` failed with ValueError: .*parallel_to_aec",
}


@pytest.mark.parametrize("make", MISTAKES)
def test_every_mistake_is_named_with_its_place(make):
    with pytest.raises(CheckError, match=MISTAKES[make]) as error:
        check_environment(make, episodes=8, steps=8)
    error.match(PLACE)
    assert "\n" not in str(error.value)


def test_one_environment_is_asked_to_begin_anew():
    with pytest.raises(CheckError, match="begin with nothing left of earlier episodes"):
        check_environment(Leftover())
    check_environment(Leftover, steps=4)  # a new one for each episode


# -- hidden information


def shuffle_the_deck(env, agent, generator):
    """The card on top is seen; the others may lie in any order."""
    hidden = sorted(env.deck[:-1])
    generator.shuffle(hidden)
    env.deck[:-1] = hidden


def own_generator(env, agent, generator):
    hidden = sorted(env.deck[:-1])
    env.np_random.shuffle(hidden)
    env.deck[:-1] = hidden


def draw_only(env, agent, generator):
    env.np_random.random()


def forget(env, agent, generator):
    """Nothing is resampled."""


def turn_a_card(env, agent, generator):
    env.agent_selection = env.agents[1]


def unseeded(env, agent, generator):
    shuffle_the_deck(env, agent, np.random.default_rng())


def failing(env, agent, generator):
    raise IndexError("no\ncard")


class Sealed(Countdown):
    """Hides a number that nobody ever sees."""

    def reset(self, seed=None, options=None):
        super().reset(seed, options)
        self.np_random = np.random.default_rng(seed)
        self.sealed = int(self.np_random.integers(100))


class SealedAtOnce(Matching):
    def reset(self, seed=None, options=None):
        self.sealed = random.Random(seed).randrange(100)
        return super().reset(seed, options)


class ObservedAtOnce(SealedAtOnce):
    """Its function takes more than PettingZoo's, which nobody has to give."""

    def observe(self, agent, full=False, *, scale=1):
        return (self.rounds * scale, self.sealed) if full else self.rounds * scale


class ObservedWithMore(SealedAtOnce):
    """Its function must be told how far an agent sees."""

    def observe(self, agent, *, distance):
        return self.rounds


def seal_anew(env, agent, generator):
    env.sealed = int(generator.integers(100))


class Observed(Cards):
    """Has a function of its own by the name of PettingZoo's."""

    def observe(self):
        return self._get_obs()


class OldDice(Cards):
    """Holds a generator that cannot be seeded by NumPy's old way."""

    def __init__(self):
        self.dice = np.random.RandomState(np.random.PCG64(1))


def go_on(env, agent, generator):
    env.rounds += 1


def count_on(env, agent, generator):
    env.left += 1


LIVE = Cards()


def touches_the_live_one(env, agent, generator):
    LIVE.deck.reverse()


@pytest.mark.parametrize("make", [Sealed, ObservedAtOnce])
def test_a_resampling_function_that_is_sound(make):
    report = check_environment(make, episodes=3, redeterminise=seal_anew)
    assert report.checked["redeterminise keeps what the agent sees"] > 6
    assert not report.skipped


@pytest.mark.parametrize(
    ("make", "function"),
    [
        (Cards, shuffle_the_deck),
        (Observed, shuffle_the_deck),
        (OldDice, shuffle_the_deck),
        (SealedAtOnce, seal_anew),
        (ObservedWithMore, seal_anew),
    ],
)
def test_what_only_steps_show_is_not_compared(make, function):
    report = check_environment(make, episodes=3, redeterminise=function)
    assert report.checked["redeterminise leaves the live environment alone"] > 6
    assert report.checked["redeterminise keeps what the agent sees"] == 0
    assert report.skipped == {
        "redeterminise keeps what the agent sees": "observations come only from "
        "reset() and step(); only masks were compared"
    }


@pytest.mark.parametrize(
    ("make", "function", "words"),
    [
        (Cards, forget, r"`redeterminise` changed nothing in \d+ positions"),
        (Cards, draw_only, r"`redeterminise` changed nothing in \d+ positions"),
        (Cards, own_generator, "`redeterminise` gives player_0 two samples with the s"),
        (Sealed, count_on, "`redeterminise` changed for player_0 what it knows"),
        (ObservedAtOnce, go_on, "`redeterminise` changed for player_0 what it knows"),
        (Cards, unseeded, "`redeterminise` gives player_0 two samples with the same"),
        (Cards, failing, "failed with IndexError: no card"),
        (lambda: LIVE, touches_the_live_one, "changed env.deck of the live"),
        (Countdown, turn_a_card, "`redeterminise` changed for player_0 what it knows|"
         "has no decision to make"),
    ],
)  # fmt: skip
def test_resampling_functions_that_are_not(make, function, words):
    with pytest.raises(CheckError, match=words) as error:
        check_environment(make, redeterminise=function)
    error.match(PLACE)


# -- many actions


class Many(Cards):
    """The last of its actions fails."""

    action_space = spaces.Discrete(10_000)

    def step(self, action):
        if action == self.action_space.n - 1:
            raise RuntimeError("the last one")
        return super().step(action % 2)


def test_the_last_of_many_actions_is_tried():
    with pytest.raises(CheckError, match=r"`step\(9999\)` failed .*: the last one"):
        check_environment(Many, episodes=1, steps=2, simulations=1)


@pytest.mark.parametrize("count", [9, 10, 14, 100])
def test_each_move_tries_other_actions(count):
    legal = [action * 3 for action in range(count)]
    tried = [_spread(legal, move) for move in range(count)]
    for actions in tried:
        assert len(set(actions)) == ACTIONS_TRIED == len(actions)
        assert (actions[0], actions[-1]) == (legal[0], legal[-1])
    assert set().union(*tried) == set(legal)
    assert set(tried[0]) != set(tried[1])
    assert max(np.diff(sorted(tried[5]))) <= 3 * -(-count // 6)
    assert _spread(legal[:8], 3) == legal[:8]


# -- sound environments


SOUND = {
    "cards": Cards,
    "masked": Masked,
    "countdown": lambda: Countdown(players=4, start=9),
    "actions from -1 on": lambda: Numbered(-1),
    "actions from 5 on": lambda: Numbered(5),
    "matching": Matching,
    "masked matching": lambda: parallel_to_aec(MaskedMatching()),
    "serialised matching": serialised_matching,
    "generator inside": HiddenDice,
    "own spaces": Sampling,
    "connect four": lambda: pettingzoo.make("aec", "classic/connect_four"),
    "rock paper scissors": lambda: pettingzoo.make("parallel", "classic/rps"),
    "frozen lake": lambda: gymnasium.make("FrozenLake-v1"),
    "blackjack": lambda: gymnasium.make("Blackjack-v1"),
    "cart pole": lambda: gymnasium.make("CartPole-v1"),
    "our aec": envs.sushi_go.raw_env,
    "our wrapped aec": lambda: envs.hex.env(size=3),
    "our parallel": envs.diamant.parallel_env,
}


@pytest.mark.parametrize("name", SOUND)
def test_sound_environments_pass(name):
    report = check_environment(SOUND[name], episodes=1, steps=6)
    for what in (
        "reset(seed) reproduces episodes",
        "rewards are finite, observations in their space",
        "planning leaves the live environment alone",
        "exact copies do what the environment does",
        "legal actions can be taken",
        "plans on copies do not change what follows",
    ):
        assert report.checked[what] > 0, what
    assert f"{report.name}: no mistake found" in str(report)


def test_an_environment_that_is_made_already_passes_too():
    env = Countdown()
    assert check_environment(env, steps=5).checked["legal actions can be taken"] > 10


def test_global_generators_and_the_number_of_threads_are_as_before():
    random.seed(1)
    before = random.getstate(), np.random.get_state()[1].tolist()  # noqa: NPY002
    check_environment(Cards, episodes=1)
    after = random.getstate(), np.random.get_state()[1].tolist()  # noqa: NPY002
    assert before == after


@pytest.mark.parametrize(
    ("env", "options", "words"),
    [
        (7, {}, "7: expected a PettingZoo environment"),
        (lambda: None, {}, "None: expected a PettingZoo environment"),
        (Cards, {"steps": 0}, "steps=0"),
        (envs.hex.env, {"redeterminise": forget}, "rules have their own"),
    ],
)
def test_what_is_no_environment(env, options, words):
    with pytest.raises(ValueError, match=words):
        check_environment(env, **options)
