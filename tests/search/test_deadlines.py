"""A budget of seconds ends a decision, whatever takes the time.

The clock stands still but for what the tests' own environments, agents and evaluators
say that they take, so that nothing here depends on how fast the machine is.
"""

import time
from functools import partial
from typing import ClassVar

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

from mcts_agents import MCTSAgent, OneStepAgent, remember
from mcts_agents.agents.agent import Agent
from mcts_agents.envs import make_model, tictactoe
from mcts_agents.minimax import Minimax, MinimaxSettings
from mcts_agents.model import new_generator
from mcts_agents.model.copying import outside
from mcts_agents.permutation import PermutationSearch, PermutationSettings
from mcts_agents.search import Search, SearchSettings


class Clock:
    """Stands in for `time.perf_counter`."""

    def __init__(self):
        self.time = 1000.0
        self.step = 1.0  # seconds that a step of an environment takes
        self.steps = 0
        self.lengths = []

    def __call__(self):
        return self.time

    def __deepcopy__(self, memo):
        return self

    def spend(self, seconds):
        self.time += seconds


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(time, "perf_counter", clock)
    # All copies spend the time of one clock, which no plan puts back.
    kept = tuple(f"env.clock.{name}" for name in vars(clock))
    monkeypatch.setattr(outside, "_KNOWN_CACHES", kept)
    return clock


class Corridor(gymnasium.Env):
    """Costs a point a step until it ends; a copy takes `copying` seconds."""

    action_space = spaces.Discrete(3)
    observation_space = spaces.Discrete(1)
    metadata: ClassVar = {"render_modes": []}

    def __init__(self, clock, length=10_000, copying=0.0):
        self.clock, self.length, self.copying = clock, length, copying
        self.at = 0

    def __deepcopy__(self, memo):
        twin = Corridor(self.clock, self.length, self.copying)
        twin.at = self.at
        self.clock.spend(self.copying)
        return twin

    def reset(self, *, seed=None, options=None):
        self.at = 0
        return 0, {}

    def step(self, action):
        self.clock.spend(self.clock.step)
        self.clock.steps += 1
        self.at += 1
        if self.at == 1 and self.clock.lengths:
            self.length = self.clock.lengths.pop(0)
        return 0, -1.0, self.at >= self.length, False, {}


def planner(**settings):
    return MCTSAgent(seed=0, perfect_information=True, **settings)


def spent(clock, agent, env):
    """Let an agent plan; return what it found, and the seconds that it took."""
    started = clock.time
    found = agent.plan(env)
    assert found.action in found.actions
    assert found.seconds == clock.time - started
    return found, clock.time - started


def test_a_rollout_longer_than_the_budget_ends_with_it(clock):
    env = Corridor(clock)
    env.reset()
    found, seconds = spent(clock, planner(seconds=50.0), env)
    assert found.simulations == 1
    assert seconds == clock.steps == 50


def test_an_iteration_that_would_end_late_is_not_begun(clock):
    env = Corridor(clock, length=8)
    env.reset()
    found, seconds = spent(clock, planner(seconds=50.0), env)
    assert (found.simulations, seconds) == (6, 48)


@pytest.mark.parametrize("margin", [0.0, 9.0, 41.0, 60.0])
def test_a_safety_margin_ends_a_search_earlier(clock, margin):
    env = Corridor(clock)
    env.reset()
    _, seconds = spent(clock, planner(seconds=50.0, safety_margin=margin), env)
    assert seconds == max(1, 50 - margin)


@pytest.mark.parametrize("margin", [0.0, 0.03, 0.08])
@pytest.mark.parametrize(
    ("search_class", "settings"),
    [
        (Minimax, partial(MinimaxSettings, "alphabeta")),
        (Minimax, partial(MinimaxSettings, "max-n")),
        *(
            (PermutationSearch, partial(PermutationSettings, name))
            for name in ("rave", "grave", "mcps")
        ),
    ],
)
def test_a_safety_margin_ends_decisions_of_other_kernels_earlier(
    clock, monkeypatch, search_class, settings, margin
):
    model = make_model("hex:size=5")[1]
    search = search_class(model, settings(seconds=0.1, safety_margin=margin))
    run_slice = search._slice
    counted = "nodes" if search_class is Minimax else "simulations"

    def timed_slice(size):
        before = int(search.record[counted][0])
        status = run_slice(size)
        clock.spend(1e-5 * (int(search.record[counted][0]) - before))
        return status

    monkeypatch.setattr(search, "_slice", timed_slice)
    state = model.reset(new_generator(0))
    for reserve in (0.0, 0.01):
        started = clock.time
        result = search.run(state, 0, new_generator(1), reserve=reserve)
        assert result.seconds == clock.time - started
        assert result.seconds == pytest.approx(0.1 - margin - reserve, abs=0.002)


def test_the_planning_copy_counts(clock):
    env = Corridor(clock, length=8, copying=3.0)
    env.reset()
    for _ in range(3):
        _, seconds = spent(clock, planner(seconds=50.0), env)
        # The last step, and the copy after which it was too late.
        assert 30 < seconds <= 50 + 3 + 1


def test_a_rollout_that_is_cut_short_is_left_out(clock):
    clock.lengths = [8] * 4 + [10_000] * 10
    env = Corridor(clock)
    env.reset()
    found, seconds = spent(clock, planner(seconds=50.0), env)
    assert (found.simulations, seconds) == (4, 50)
    tried = found.values[found.visits > 0]
    assert tried.tolist() == [-8.0] * len(tried)


def test_decisions_that_end_a_little_late_end_earlier_from_then_on(clock):
    env, agent = Corridor(clock), planner(seconds=100.5)
    env.reset()
    assert [spent(clock, agent, env)[1] for _ in range(3)] == [101, 100, 100]


def test_one_pause_does_not_shorten_later_decisions(clock):
    env, agent = Corridor(clock), planner(seconds=100.0)
    env.reset()
    clock.step = 7.0
    assert spent(clock, agent, env)[1] == 105
    clock.step = 1.0
    assert spent(clock, agent, env)[1] == 100


@pytest.mark.parametrize("copying", [60.0, 1000.0])
def test_without_time_for_a_copy_there_is_an_action_after_one_step(clock, copying):
    env = Corridor(clock, copying=copying)
    env.reset()
    found, _ = spent(clock, planner(seconds=50.0), env)
    assert (found.simulations, clock.steps) == (1, 1)


def test_each_determinization_has_its_share_and_none_is_begun_late(clock):
    env = Corridor(clock)
    env.reset()
    agent = MCTSAgent(
        seed=0,
        seconds=50.0,
        determinizations=5,
        redeterminise=lambda env, name, dice: None,
    )
    found, seconds = spent(clock, agent, env)
    assert (found.simulations, seconds) == (5, 50)
    env.copying = 8.0
    found, seconds = spent(clock, agent, env)
    assert 1 <= found.simulations < 5
    assert seconds <= 50 + 8 + 8 + 1  # a world, its copy and one step


@pytest.mark.parametrize("combine", ["visits", "average", "vote"])
def test_a_determinization_with_nothing_but_a_cut_rollout_is_not_heard(clock, combine):
    clock.lengths = [10_000] + [4] * 10
    env = Corridor(clock)
    env.reset()
    agent = MCTSAgent(
        seed=0,
        seconds=50.0,
        determinizations=2,
        combine=combine,
        redeterminise=lambda env, name, dice: None,
    )
    found, seconds = spent(clock, agent, env)
    assert seconds > 40
    tried = found.values[~np.isnan(found.values)]
    assert len(tried) and tried.tolist() == [-4.0] * len(tried)
    heard = 1 if combine == "vote" else found.simulations - 1
    assert found.visits.sum() == heard


def hidden_planner(**settings):
    """An agent that plans on two worlds of a corridor, 25 seconds for each."""
    return MCTSAgent(
        seed=0,
        seconds=50.0,
        determinizations=2,
        redeterminise=lambda env, name, dice: None,
        **settings,
    )


def test_a_whole_rollout_that_ends_with_its_time_is_heard(clock):
    clock.lengths = [25] + [4] * 10
    env = Corridor(clock)
    env.reset()
    found, _ = spent(clock, hidden_planner(combine="visits"), env)
    assert found.visits.sum() == found.simulations > 2
    assert found.values[~np.isnan(found.values)].min() < -4.0


@pytest.mark.parametrize("rollout", [0, 3])
def test_a_whole_simulation_is_heard_however_long_its_leaf_takes(clock, rollout):
    def value(model, state):
        clock.spend(waits.pop(0) if waits else 0.0)
        return model.scores(state)

    waits = [30.0]
    env = Corridor(clock)
    env.reset()
    agent = hidden_planner(combine="visits", value=value, rollout=rollout)
    found, _ = spent(clock, agent, env)
    assert found.visits.sum() == found.simulations > 2


def test_the_first_slice_is_one_iteration(clock):
    def value(model, state):
        clock.spend(20.0)
        return [0.5] * model.players

    model = make_model("tictactoe")[1]
    rng = new_generator(0)
    state = model.reset(rng)
    for seconds, simulations in ((50.0, 2), (1e-9, 1)):
        search = Search(model, SearchSettings(seconds=seconds, value=value))
        assert search.run(state, 0, rng).simulations == simulations


class Slow(Agent):
    """Takes a second to choose the first action."""

    def __init__(self, clock):
        self.clock = clock
        super().__init__(seed=0)

    def decide(self, model, state, player):
        self.clock.spend(1.0)
        return int(model.legal_actions(state, player)[0])


@pytest.mark.parametrize("loop", ["open", "closed"])
@pytest.mark.parametrize("option", ["rollout_policy", "opponent_model"])
def test_an_agent_that_plays_rollouts_does_not_outlast_the_budget(clock, option, loop):
    env = tictactoe.env()
    env.reset(seed=0)
    agent = planner(seconds=1.0, loop=loop, **{option: Slow(clock)})
    found, seconds = spent(clock, agent, env)
    assert found.simulations == 1
    assert seconds == 1.0


def slow_value(clock):
    def value(model, state):
        clock.spend(0.01)
        return [0.5] * model.players

    return value


@pytest.mark.parametrize(
    "inner",
    [
        {"simulations": 10**6},
        {"seconds": 1e6},
        {"simulations": 10**6, "determinizations": 7},
    ],
    ids=["simulations", "seconds", "determinizations"],
)
def test_a_search_inside_a_search_ends_with_it(clock, inner):
    model = make_model("love_letter:players=3")[1]
    nested = planner(value=slow_value(clock), **inner)
    settings = SearchSettings(seconds=50.0, rollout_policy=nested)
    rng = new_generator(0)
    state = model.reset(rng)
    player = model.movers(state)[0]
    started = clock.time
    found = Search(model, settings).run(state, player, rng)
    assert found.simulations == 1
    assert clock.time - started == pytest.approx(50.0, abs=0.02 * model.players)


def test_a_search_with_less_time_than_the_one_around_it_keeps_to_its_own(clock):
    model = make_model("love_letter:players=3")[1]
    nested = planner(value=slow_value(clock), seconds=1.0)
    settings = SearchSettings(seconds=200.0, rollout_policy=nested)
    rng = new_generator(0)
    state = model.reset(rng)
    found = Search(model, settings).run(state, model.movers(state)[0], rng)
    assert found.simulations > 4


def test_a_one_step_agent_on_copies_ends_with_the_search_around_it(clock):
    env = Corridor(clock, length=100)
    env.reset()
    agent = planner(seconds=500.0, rollout_policy=OneStepAgent(samples=1000, seed=1))
    found, seconds = spent(clock, agent, env)
    assert found.simulations == 1
    assert seconds <= 500 + 2  # each of the two searches takes one more step at most


@pytest.mark.parametrize("batch", [1, 4])
def test_an_evaluator_is_not_asked_when_no_time_is_left_for_it(clock, batch):
    def evaluator(observations, players, legal):
        clock.spend(8.0)
        return np.full((len(players), 2), 0.5), np.zeros(legal.shape)

    env = tictactoe.env()
    env.reset(seed=0)
    asked = {"tree_policy": "alphago", "evaluator": evaluator, "batch": batch}
    agent = planner(seconds=50.0, **asked)
    found, seconds = spent(clock, agent, env)
    assert seconds == 48
    assert found.simulations == found.visits.sum() > 0
    agent = planner(seconds=1e-9, **asked)
    found, seconds = spent(clock, agent, env)
    assert seconds == 16  # the root, and what was found below it
    assert found.simulations > 0


@pytest.mark.parametrize("deterministic", [False, True])
@pytest.mark.parametrize("calling", [0.0, 3.0])
@pytest.mark.parametrize("batch", [1, 8, 64])
def test_batches_gathered_step_by_step_end_in_time(
    clock, batch, calling, deterministic
):
    def evaluator(observations, players, legal):
        clock.spend(calling)
        return np.zeros((len(players), 1)), np.zeros(legal.shape)

    env = remember(Corridor(clock))
    env.reset()
    agents = {
        budget: planner(
            seconds=budget,
            evaluator=evaluator,
            tree_policy="alphago",
            rollout=0,
            batch=batch,
            reuse_tree=True,
            deterministic=deterministic,
        )
        for budget in (2.0, 8.5, 30.5)
    }
    for _ in range(4):
        for budget, agent in agents.items():
            found, seconds = spent(clock, agent, env)
            assert found.simulations == found.visits.sum() - found.reused > 0
            # There is always a step, between two calls.
            assert seconds <= max(budget, 2 * calling) + 1.0
        clock.spend(-1.0)  # the live step
        env.step(0)


def test_steps_that_are_made_twice_end_in_time(clock):
    env = Corridor(clock)
    env.reset()
    agent = planner(seconds=2.5, deterministic=True)
    agents = [agent, agent, planner(seconds=2.5, deterministic=True, rollout=5)]
    for agent in agents:
        found, seconds = spent(clock, agent, env)
        assert found.simulations == 1
        assert seconds <= 3.5
    agent = planner(seconds=100.0, deterministic=True)
    before = clock.steps
    found, seconds = spent(clock, agent, env)
    assert seconds == 100 == clock.steps - before


def test_what_follows_the_search_is_within_the_budget_from_the_third_time_on(clock):
    def value(model, state):
        clock.spend(2.0)
        return [float(model.scores(state)[0])]

    env = Corridor(clock)
    env.reset()
    agent = planner(seconds=50.0, value=value, rollout=1000)
    taken = [spent(clock, agent, env)[1] for _ in range(5)]
    assert taken[:2] == [52, 52]  # once may be a pause of the machine
    assert max(taken[2:]) <= 50 + 1
