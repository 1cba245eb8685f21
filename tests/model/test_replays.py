"""Copies by replay: as the live game went, and then with other dice."""

import itertools
import threading
from functools import partial

import gymnasium
import numpy as np
import pettingzoo
import pytest

from mcts_agents import MCTSAgent, remember
from mcts_agents.model import new_generator
from mcts_agents.model.copying import suspicions
from mcts_agents.model.copying.copied import CopiedEnvironment, UnfaithfulCopyError
from tests.model.third_party import Countdown, Dice, Matching


class LockedDice(Dice):
    """Cannot be copied; sums up what was thrown."""

    def __init__(self):
        super().__init__()
        self.lock = threading.Lock()

    def reset(self, *, seed=None, options=None):
        self.total = 0
        return super().reset(seed=seed, options=options)

    def step(self, action):
        seen, reward, terminated, truncated, info = super().step(action)
        self.total += seen
        return self.total, reward, terminated, truncated, info


class Unseeded(LockedDice):
    """Throws dice that no seed reaches, and never the same sum again."""

    thrown_by_all = itertools.count()

    def throw(self):
        return next(self.thrown_by_all)


class Lookalike(Unseeded):
    """Shows nothing of its dice but what the first was worth, when it is thrown."""

    def step(self, action):
        _, _, *rest = super().step(action)
        return 0, float(self.total * (self.thrown == 1)), *rest


class Diceless(gymnasium.Env):
    """Has no generator at all."""

    observation_space = gymnasium.spaces.Discrete(9)
    action_space = gymnasium.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        self.lock = threading.Lock()
        return 0, {}

    def step(self, action):
        return 0, 0.0, False, False, {}


def planner(make, simulations=40, **settings):
    return MCTSAgent(
        simulations=simulations,
        perfect_information=True,
        seed=0,
        replay=make,
        **settings,
    )


def started(make, seed=1):
    env = remember(make())
    env.reset(seed=seed)
    return env


def test_a_replay_is_where_the_live_game_is():
    live, untouched = started(LockedDice), started(LockedDice)
    agent = planner(LockedDice)
    for _ in range(6):
        action = agent.act(live)
        assert live.step(action) == untouched.step(action)
    model = CopiedEnvironment(live, perfect_information=True, replay=LockedDice)
    with model.planning(None, new_generator(0)) as (state, _):
        copied = model.environment(state)
        assert copied.unwrapped is not live.unwrapped
        assert copied.unwrapped.total == live.unwrapped.total
        assert copied.unwrapped.thrown == 6


def test_the_future_dice_are_others_in_each_copy_and_a_copys_own_past_stays():
    live = started(LockedDice)
    for _ in range(3):
        live.step(0)
    model = CopiedEnvironment(live, perfect_information=True, replay=LockedDice)
    rng, totals = new_generator(0), []

    def total(state):
        return model.environment(state).unwrapped.total

    with model.planning(None, new_generator(0)) as (state, _):
        copies = [model.copy(state) for _ in range(8)]
        for _ in range(2):
            for twin in copies:  # in turn: each is replayed again and again
                model.apply(twin, [0], rng)
        totals = [total(twin) for twin in copies]
        assert [total(twin) for twin in reversed(copies)] == totals[::-1]
        assert total(state) == live.unwrapped.total
        twin = model.copy(copies[0])
        model.apply(copies[1], [0], rng)
        assert total(twin) == totals[0]
    assert len(set(totals)) > 2


def test_the_search_does_not_see_the_live_dice():
    right = 0
    for seed in range(30):
        env = started(LockedDice, seed)
        action = planner(LockedDice, rollout=0).act(env)
        right += env.step(action)[1] == 1
    assert right < 14  # 5 expected, 30 if it saw


def test_decisions_are_reproducible(monkeypatch):
    visits = []
    # However far looking for what a search must not see has come.
    for seconds in (1.0, 0.0, 5e-4, 1e-3, 2e-3):
        monkeypatch.setattr(suspicions, "SECONDS", seconds)
        for _ in range(4):
            env, agent = started(LockedDice), planner(LockedDice, 60)
            visits.append([agent.plan(env).visits.tolist() for _ in range(2)])
            assert visits[-1] == visits[0]


def test_resets_without_a_seed_follow_from_the_last_seed():
    first, second = started(LockedDice, 5), started(LockedDice, 5)
    thrown = []
    for env in (first, second):
        env.reset()
        thrown.append([env.step(0)[0] for _ in range(10)])
    assert thrown[0] == thrown[1]
    again = started(LockedDice, 5)
    assert [again.step(0)[0] for _ in range(10)] != thrown[0]
    assert planner(LockedDice).act(started(LockedDice, None)) in range(6)


@pytest.mark.parametrize(
    ("make", "agent"),
    [
        (partial(Countdown, 3, 4), None),
        (Matching, "player_1"),
        (partial(pettingzoo.make, "aec", "classic/connect_four"), None),
    ],
)
def test_pettingzoo_environments_are_replayed_too(make, agent):
    make_with_dice = partial(with_dice, make)
    env = remember(make_with_dice())
    env.reset(seed=1)
    if agent is None:
        env.step(0)
    before = str(env.remembered.situation())
    copying = MCTSAgent(simulations=60, perfect_information=True, seed=0)
    replaying = planner(make_with_dice, 60)
    plain = make_with_dice()
    plain.reset(seed=1)
    if agent is None:
        plain.step(0)
    assert (
        replaying.plan(env, agent).visits.tolist()
        == copying.plan(plain, agent).visits.tolist()
    )
    assert str(env.remembered.situation()) == before


def with_dice(make):
    env = make()
    env.unwrapped.unused = np.random.default_rng(0)
    return env


@pytest.mark.parametrize("watched", [False, True])
def test_one_wrapper_serves_replays_and_kept_trees(watched):
    make = partial(with_dice, partial(pettingzoo.make, "aec", "classic/connect_four"))
    env = remember(make())
    if watched:
        env = pettingzoo.utils.OrderEnforcingWrapper(env)
    env.reset(seed=1)
    agent = planner(make, 100, reuse_tree=True)
    for move in (agent.act(env), 3):
        env.step(move)
    result = agent.plan(env)
    assert result.reused > 0
    assert result.visits.sum() == 100 + result.reused


def test_positions_kept_from_earlier_plans_do_not_disturb_a_replay():
    """Looking for dice goes on where the last plan's copies are."""
    make = partial(with_dice, partial(pettingzoo.make, "aec", "classic/connect_four"))
    env, agent = remember(make()), planner(make, 60)
    env.reset(seed=1)
    for _ in range(4):
        assert agent.plan(env).simulations == 60
        env.step(agent.act(env))


def test_wrappers_above_the_recording_are_copied():
    env = remember(LockedDice())
    env = gymnasium.wrappers.TimeLimit(env, 3)
    env.reset(seed=0)
    env.step(0)
    result = planner(LockedDice, 50).plan(env)
    assert np.nanmax(result.values) <= 2.0
    assert env._elapsed_steps == 1


def test_what_cannot_be_replayed_is_told():
    bare = LockedDice()
    bare.reset(seed=0)
    with pytest.raises(ValueError, match=r"mcts_agents\.remember\(env\)"):
        planner(LockedDice).act(bare)
    with pytest.raises(ValueError, match=r"expected another"):
        planner(Dice).act(started(LockedDice))
    with pytest.raises(ValueError, match="no random generator"):
        planner(Diceless).act(started(Diceless))
    unseeded = started(Unseeded)
    for _ in range(5):
        unseeded.step(0)
    with pytest.raises(UnfaithfulCopyError, match="not in the same situation"):
        planner(Unseeded).act(unseeded)
    lookalike = started(Lookalike)
    lookalike.step(0)
    lookalike.step(0)
    with pytest.raises(UnfaithfulCopyError, match="not in the same situation"):
        planner(Lookalike).act(lookalike)
    with pytest.raises(ValueError, match="exclude each other"):
        planner(LockedDice, snapshots=True)
    with pytest.raises(ValueError, match=r"redeterminise.*lost"):
        MCTSAgent(simulations=5, replay=Dice, redeterminise=print)


def test_lunar_lander_is_planned_by_replay():
    pytest.importorskip("Box2D")
    make = partial(gymnasium.make, "LunarLander-v3")
    live, untouched = started(make), started(make)
    agent = planner(make, 6, rollout=4)
    for _ in range(4):
        action = agent.act(live)
        ours, theirs = live.step(action), untouched.step(action)
        assert (ours[0] == theirs[0]).all()
        assert ours[1:] == theirs[1:]


class Strict(LockedDice):
    """Refuses an action before anything has changed."""

    def step(self, action):
        if action not in range(6):
            raise IndexError(action)
        return super().step(action)


def test_a_step_that_raised_has_not_been_played():
    live, untouched = started(Strict), started(Strict)
    for env in (live, untouched):
        env.step(0)
    with pytest.raises(IndexError):
        live.step(9)
    agent = planner(Strict)
    assert agent.act(live) in range(6)
    assert live.step(1) == untouched.step(1)
    assert agent.act(live) in range(6)
