"""Warnings about what a search would see: pending choices and known chance."""

import copy
import dataclasses
import signal
import warnings
from functools import partial

import gymnasium
import numpy as np
import pettingzoo
import pytest
from gymnasium import spaces

from mcts_agents import MCTSAgent, remember
from mcts_agents.model.copying import suspicions
from mcts_agents.model.copying.suspicions import HiddenStateWarning
from tests.model.third_party import Countdown, Dice, Matching, serialised_matching


@pytest.fixture(autouse=True)
def time_enough(monkeypatch):
    monkeypatch.setattr(suspicions, "SECONDS", 10.0)


def warnings_of(env, decisions=1, **options):
    options = {"perfect_information": True, "simulations": 10} | options
    agent = MCTSAgent(rollout=5, seed=0, **options)
    parallel = env.agents[0] if isinstance(env, pettingzoo.ParallelEnv) else None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(decisions):
            agent.act(env, parallel)
    return [str(w.message) for w in caught if w.category is HiddenStateWarning]


class Pennies(Countdown):
    """Two players choose at once, three rounds, in the form of an AEC environment."""

    def __init__(self, shown=False):
        super().__init__(players=2)
        self.shown = shown

    def reset(self, seed=None, options=None):
        super().reset(seed, options)
        self.rounds, self.choices, self.last = 0, [], []

    def observe(self, agent):
        return np.array(
            [self.rounds, *self.last, *(self.choices if self.shown else ())]
        )

    def step(self, action):
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self.choices.append(int(action))
        self.agent_selection = self.agents[len(self.choices) % 2]
        if len(self.choices) == 2:
            paid = 1.0 if self.choices[0] == self.choices[1] else -1.0
            self.rewards = {"player_0": paid, "player_1": -paid}
            self.last, self.choices = self.choices, []
            self.rounds += 1
            self.terminations = dict.fromkeys(self.agents, self.rounds == 3)
        self._accumulate_rewards()


@pytest.mark.parametrize("chosen", [(), (1,), (1, 0), (0, 0, 1)])
def test_a_choice_that_the_next_agent_is_not_shown_gives_a_warning(chosen):
    env = Pennies()
    env.reset(seed=0)
    for action in chosen:
        env.step(action)
    (message,) = warnings_of(env)
    assert "what player_0 does is not shown to player_1" in message
    assert "act(env, agent)" in message
    assert "redeterminise" in message
    assert not warnings_of(env, 3)  # once for an environment


def test_turns_and_resampled_choices_give_no_warning():
    shown = Pennies(shown=True)
    shown.reset(seed=0)
    assert not warnings_of(shown, 3)

    def redeterminise(env, agent, generator):
        env.choices = generator.integers(2, size=len(env.choices)).tolist()

    env = Pennies()
    env.reset(seed=0)
    options = {"perfect_information": False, "redeterminise": redeterminise}
    assert not warnings_of(env, 3, **options)
    for other in (serialised_matching(), Matching(), Countdown(3, 9)):
        other.reset(seed=0)
        assert not warnings_of(other, 3)


@pytest.mark.parametrize("name", ["tictactoe", "connect_four", "leduc_holdem"])
def test_games_of_turns_give_no_warning(name):
    env = pettingzoo.make("aec", f"classic/{name}")
    env.reset(seed=0)
    assert not warnings_of(env)


def test_rock_paper_scissors_gives_a_warning():
    env = pettingzoo.make("aec", "classic/rps")
    env.reset(seed=0)
    env.step(0)
    (message,) = warnings_of(env)
    assert "player_0 does is not shown to player_1" in message


class OwnGenerator(gymnasium.Env):
    """Guess a die that a home-made generator throws after the guess; ten throws."""

    observation_space = spaces.Discrete(7)
    action_space = spaces.Discrete(6)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.number = 1 if seed is None else seed + 12345
        self.thrown = 0
        return 0, {}

    def step(self, action):
        self.number = (self.number * 1103515245 + 12345) % 2**31
        face = (self.number >> 16) % 6
        self.thrown += 1
        return face + 1, float(face == action), self.thrown == 10, False, {}


def reseed(copied, generator):
    copied.unwrapped.number = int(generator.integers(2**31))


def test_a_home_made_generator_gives_a_warning_with_its_remedy():
    env = OwnGenerator()
    env.reset(seed=0)
    (message,) = warnings_of(env)
    assert "copies all go on alike" in message
    assert "reseed=function(env_copy, generator)" in message
    other = OwnGenerator()
    other.reset(seed=0)
    assert not warnings_of(other, 3, reseed=reseed)


class Deck(OwnGenerator):
    """The throws are settled when the game begins; what is shown has noise of its own.

    The noise is thrown anew in copies.
    """

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.deck = self.np_random.integers(6, size=10).tolist()
        return 0, {}

    def step(self, action):
        self.number = int(self.deck.pop())
        self.thrown += 1
        earned = float(self.number == action)
        return int(self.np_random.integers(7)), earned, self.thrown == 10, False, {}

    def get_state(self):
        return self.number, self.thrown, list(getattr(self, "deck", ()))

    def set_state(self, state):
        self.number, self.thrown, deck = state
        self.deck = list(deck)


class BeginsLate(OwnGenerator):
    """Its generator is made by the first step, from a seed that copies keep."""

    def reset(self, *, seed=None, options=None):
        self.seed, self.own = seed, None
        return super().reset(seed=seed)

    def step(self, action):
        if self.own is None:
            self.own = np.random.default_rng(self.seed)
        face = int(self.own.integers(6))
        self.thrown += 1
        return face + 1, float(face == action), self.thrown == 10, False, {}


class Counted(OwnGenerator):
    """Each step makes its generator anew, from the seed and the number of the step."""

    def step(self, action):
        face = int(np.random.default_rng(1000 * self.number + self.thrown).integers(6))
        self.thrown += 1
        return face + 1, float(face == action), self.thrown == 10, False, {}


@dataclasses.dataclass(frozen=True)
class Face:
    number: int


class Frozen(Counted):
    """Changes a frozen object in place."""

    def reset(self, *, seed=None, options=None):
        self.face = Face(0)
        return super().reset(seed=seed)

    def step(self, action):
        shown, _, *rest = super().step(action)
        object.__setattr__(self.face, "number", self.face.number + shown)
        return self.face.number, float(self.face.number % 7 > action), *rest


@pytest.mark.filterwarnings("ignore:objects of .*Face can be hashed")
def test_frozen_objects_that_change_hide_no_chance():
    env = Frozen()
    env.observation_space = spaces.Discrete(100)
    env.reset(seed=0)
    (message,) = warnings_of(env)
    assert "copies all go on alike" in message


@pytest.mark.parametrize("seconds", [10.0, 0.0])  # in one plan, in many
@pytest.mark.parametrize("kind", [OwnGenerator, Deck, BeginsLate, Counted])
@pytest.mark.parametrize("way", ["copies", "replay", "snapshots"])
def test_chance_that_is_to_come_gives_a_warning(monkeypatch, kind, way, seconds):
    monkeypatch.setattr(suspicions, "SECONDS", seconds)
    monkeypatch.setattr(suspicions, "PLANS", 1000)
    monkeypatch.setattr(suspicions, "FREE_SECONDS", 100.0)
    env = kind()
    options = {}
    if way == "replay":
        env, options = remember(env), {"replay": kind}
    elif way == "snapshots":
        get, put = everything_of, put_back
        options = {"snapshots": (get, put)}
    env.reset(seed=0)
    (message,) = warnings_of(env, 300 if seconds == 0.0 else 1, **options)
    assert "copies all go on alike" in message


def everything_of(env):
    return copy.deepcopy({k: v for k, v in vars(env).items() if k != "_np_random"})


def put_back(env, state):
    vars(env).update(copy.deepcopy(state))


@pytest.mark.parametrize("way", ["replay", "snapshots"])
@pytest.mark.parametrize("source", ["np_random", "numpy.random"])
def test_usual_chance_gives_no_warning_in_replays_and_snapshots(way, source):
    env = Dice(source)
    options = {"snapshots": (everything_of, put_back)}
    if way == "replay":
        env, options = remember(env), {"replay": partial(Dice, source)}
    env.reset(seed=0)
    assert not warnings_of(env, 3, **options)


class OneChoice(Pennies):
    """Each chooses once, and it is over."""

    def step(self, action):
        super().step(action)
        if self.rounds == 1:
            self.terminations = dict.fromkeys(self.agents, True)


@pytest.mark.parametrize("shown", [False, True])
@pytest.mark.parametrize("chosen", [0, 1])
def test_one_choice_each_gives_a_warning_to_the_second_too(chosen, shown):
    env = OneChoice(shown)
    env.reset(seed=0)
    for _ in range(chosen):
        env.step(1)
    found = warnings_of(env)
    assert len(found) == (not shown)
    assert all("player_0 does is not shown to player_1" in each for each in found)


def test_one_choice_each_gives_a_warning_to_plans_in_a_hurry():
    """Later plans know how long a step takes, whichever agent they are of."""
    found = []
    for _ in range(4):
        env = OneChoice()
        env.reset(seed=0)
        env.step(1)
        found += warnings_of(env, simulations=None, seconds=0.005)
    assert found


class TooLong(Exception):
    """A time limit of the caller."""


@pytest.mark.parametrize("wrapped", [False, True])
@pytest.mark.parametrize("place", ["step", "reset"])
def test_what_a_signal_raises_while_looking_comes_out(place, wrapped):
    class Alarmed(Dice):
        alarm = None

        def ring(self, place):
            if place != self.alarm:
                return
            try:
                signal.raise_signal(signal.SIGALRM)
            except TooLong as error:
                raise (RuntimeError("failed") if wrapped else error) from error

        def reset(self, *, seed=None, options=None):
            self.ring("reset")
            return super().reset(seed=seed)

        def step(self, action):
            self.ring("step")
            return super().step(action)

    def too_long(number, frame):
        raise TooLong

    env = Alarmed()
    env.reset(seed=0)
    env.alarm = place
    before = signal.signal(signal.SIGALRM, too_long)
    try:
        with pytest.raises(RuntimeError if wrapped else TooLong):
            warnings_of(env, simulations=1)
    finally:
        signal.signal(signal.SIGALRM, before)


def test_what_a_signal_raises_while_copying_comes_out():
    class Slow:
        def __deepcopy__(self, memo):
            signal.raise_signal(signal.SIGALRM)
            raise AssertionError

    def too_long(number, frame):
        raise TooLong

    env = Dice()
    env.reset(seed=0)
    env.part = Slow()
    before = signal.signal(signal.SIGALRM, too_long)
    try:
        with pytest.raises(TooLong):
            warnings_of(env)
    finally:
        signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize(("share", "count"), [(0.0, 0), (100.0, 1)])
def test_plans_look_no_longer_than_their_share(monkeypatch, share, count):
    # One thing a plan, such as a reset, however long it takes.
    for name, value in {"SECONDS": 0.0, "FREE_SECONDS": 0.0, "PLANS": 1000}.items():
        monkeypatch.setattr(suspicions, name, value)
    monkeypatch.setattr(suspicions, "SHARE", share)
    env = OwnGenerator()
    env.reset(seed=0)
    assert len(warnings_of(env, 150)) == count


@pytest.mark.parametrize("wrap", [False, True])
def test_a_reseeded_generator_is_not_seen(wrap):
    right = 0
    for seed in range(40):
        env = OwnGenerator()
        if wrap:
            env = gymnasium.wrappers.TimeLimit(env, 5)
        env.reset(seed=seed)
        agent = MCTSAgent(
            simulations=30, perfect_information=True, reseed=reseed, seed=seed
        )
        before = env.unwrapped.number
        action = agent.act(env)
        assert env.unwrapped.number == before
        right += env.step(action)[1] == 1
    assert right < 18  # 6.7 expected; 40 if it saw


def test_a_reseed_that_changes_nothing_is_noticed():
    env = OwnGenerator()
    env.reset(seed=0)
    assert warnings_of(env, reseed=lambda copied, generator: None)


@pytest.mark.parametrize(
    "make",
    [
        Dice,
        lambda: Dice("numpy.random"),
        lambda: gymnasium.make("FrozenLake-v1"),
        lambda: gymnasium.make("FrozenLake-v1", is_slippery=False),
        lambda: gymnasium.make("CartPole-v1"),
        lambda: gymnasium.make("Blackjack-v1"),
    ],
)
def test_usual_chance_and_none_give_no_warning(make):
    env = make()
    env.reset(seed=0)
    assert not warnings_of(env)


def test_what_is_looked_for_changes_no_decision(monkeypatch):
    def visits():
        env = Dice("numpy.random")
        env.reset(seed=0)
        agent = MCTSAgent(simulations=50, perfect_information=True, seed=0)
        return [agent.plan(env).visits.tolist() for _ in range(3)]

    long = visits()
    monkeypatch.setattr(suspicions, "SECONDS", 0.0)
    assert visits() == long
    monkeypatch.setattr(suspicions, "PLANS", 0)
    assert visits() == long


@dataclasses.dataclass
class Unhashable(Dice):
    """Data classes compare, so they have no hash."""

    source: str = "np_random"


def test_environments_without_a_hash_are_planned_in():
    env = Unhashable()
    env.reset(seed=0)
    with pytest.raises(TypeError):
        hash(env)
    assert MCTSAgent(simulations=10, perfect_information=True, seed=0).act(
        env
    ) in range(6)
