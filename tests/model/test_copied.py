"""Copied environments: faithful, honest about the future, and untouched."""

import pickle
import random
from collections import Counter

import gymnasium
import numpy as np
import pettingzoo
import pytest
from gymnasium import spaces

from mcts_agents import MCTSAgent, OneStepAgent, RandomAgent
from mcts_agents.model import DRAWN, LOST, WON, new_generator
from mcts_agents.model.copying.cloning import Cloner
from mcts_agents.model.copying.cloning_kinds import UncopyableEnvironmentError
from mcts_agents.model.copying.copied import (
    CopiedEnvironment,
    UnfaithfulCopyError,
    results_by_return,
)
from tests.model.third_party import (
    AtOnce,
    Countdown,
    Dice,
    Failing,
    Forgetful,
    HiddenDice,
    Locked,
    Matching,
    serialised_matching,
)


def planner(simulations=60, **settings):
    return MCTSAgent(
        simulations=simulations, perfect_information=True, seed=0, **settings
    )


def connect_four(moves=()):
    env = pettingzoo.make("aec", "classic/connect_four")
    env.reset(seed=0)
    for move in moves:
        env.step(move)
    return env


def fingerprint(env):
    """All attributes of an environment as bytes, EzPickle's own way left aside."""
    inner = env.unwrapped
    kept = {
        name: value
        for name, value in vars(inner).items()
        if not isinstance(value, spaces.Space) and "spaces" not in name
    }
    generator = kept.pop("_np_random", None)
    state = None if generator is None else generator.bit_generator.state
    return pickle.dumps((kept, state))


def test_the_callers_word_is_asked_for():
    env = connect_four()
    with pytest.raises(
        ValueError, match=r"connect_four.*perfect_information=True.*red"
    ):
        MCTSAgent(simulations=10).act(env)
    assert RandomAgent(seed=0).act(env) in range(7)


def test_a_win_in_one_is_found_and_a_threat_is_met():
    assert planner(300).act(connect_four([0, 6, 0, 6, 0, 5])) == 0
    assert planner(600).act(connect_four([0, 6, 1, 6, 5, 6])) == 6
    agent = OneStepAgent(perfect_information=True, seed=1)
    assert agent.act(connect_four([0, 6, 0, 6, 0, 5])) == 0


def test_planning_leaves_the_environment_as_it_was():
    tictactoe = pettingzoo.make("aec", "classic/tictactoe")
    tictactoe.reset(seed=1)
    for env in (connect_four([3, 3, 2]), tictactoe):
        before = fingerprint(env)
        planner().act(env)
        assert fingerprint(env) == before
        env.step(planner().act(env))


def test_the_same_seed_decides_the_same():
    env = connect_four([3, 3, 2])
    first, second = planner().plan(env), planner().plan(env)
    assert first.visits.tolist() == second.visits.tolist()
    assert first.action == second.action


def test_full_columns_are_not_legal():
    env = connect_four([0, 0, 0, 0, 0, 0])
    result = planner().plan(env)
    assert result.actions.tolist() == [1, 2, 3, 4, 5, 6]
    assert RandomAgent(seed=0).act(env) != 0


def test_a_game_is_played_to_its_end_and_then_there_is_no_decision():
    env = connect_four()
    agents = {"player_0": planner(20), "player_1": RandomAgent(seed=2)}
    for name in env.agent_iter():
        *_, termination, truncation, _ = env.last()
        env.step(None if termination or truncation else agents[name].act(env))
    with pytest.raises(RuntimeError, match="game is over"):
        planner().act(env)


@pytest.mark.parametrize("agent", [planner(), RandomAgent(seed=0)])
def test_before_reset_there_is_no_decision(agent):
    for env in (
        Matching(),
        Countdown(),
        pettingzoo.make("aec", "classic/connect_four"),
    ):
        with pytest.raises(RuntimeError, match="reset"):
            agent.act(env)
    with pytest.raises(RuntimeError, match="reset"):
        agent.act(gymnasium.make("FrozenLake-v1"))


def test_agents_who_die_early_are_stepped_out_of_the_way():
    env = Countdown(players=3, start=4)
    env.reset()
    model = CopiedEnvironment(env, perfect_information=True)
    assert model.teams == (0, 1, 2)
    with model.planning(None, new_generator(0)) as (state, player):
        rng = new_generator(1)
        assert player == 0
        movers = []
        while not model.is_over(state):
            (mover,) = model.movers(state)
            movers.append(mover)
            model.apply(state, {mover: 1}, rng)
        # 4: 0 takes 2, 1 takes 2 and is out; 2 takes 2, 0 takes 2 and is out.
        assert movers == [0, 1, 2, 0]
        assert model.scores(state).tolist() == [-1.0, -1.0, 1.0]
        assert model.results(state).tolist() == [LOST, LOST, WON]
    assert env.left == 4
    # Who has 3 left to take from must take 2: the next one is out with any choice.
    env.step(0)
    assert planner(400).act(env) == 1


class Staying(Countdown):
    """Whoever has finished is never removed, and so asked again and again."""

    def step(self, action):
        if action is not None:
            super().step(action)


@pytest.mark.parametrize("rollout", [0, 20])
def test_finished_agents_who_stay_are_named(rollout):
    env = Staying(players=3, start=4)
    env.reset()
    told = r"player_\d has finished, but step\(None\) does not remove it"
    with pytest.raises(RuntimeError, match=told):
        planner(100, rollout=rollout).act(env)


def test_a_fresh_copy_by_ez_pickle_is_not_planned_on():
    env = Countdown(start=9)
    env.reset()
    env.step(1)
    model = CopiedEnvironment(env, perfect_information=True)
    with model.planning("player_1", new_generator(0)) as (state, _):
        copied = model.environment(state)
        assert copied is not env
        assert copied.left == 7
        assert copied.agent_selection == "player_1"


def test_simultaneous_moves_of_a_parallel_environment():
    env = Matching()
    env.reset()
    result = planner(3000).plan(env, "player_1")
    # Matching pennies: neither choice may be neglected.
    assert result.visits.min() > 0.25 * result.visits.sum()
    assert env.rounds == 0
    with pytest.raises(ValueError, match="name the agent"):
        planner().act(env)
    with pytest.raises(ValueError, match=r"no agent 'player_7'.*player_0"):
        planner().act(env, "player_7")


def test_a_pending_action_in_the_aec_form_is_not_seen():
    found = []
    for secret in (0, 1):
        env = serialised_matching()
        env.reset(seed=0)
        env.step(secret)
        assert env.agent_selection == "player_1"
        result = planner(500).plan(env)
        found.append((result.visits.tolist(), result.values.tolist()))
        env.step(0)  # the live game goes on with the pending action
        assert env.unwrapped.rounds == 1
    assert found[0] == found[1]


@pytest.mark.parametrize("kind", [Dice, HiddenDice])
def test_the_search_does_not_see_the_real_dice(kind):
    # With the live generator every guess would be right.
    right = 0
    for seed in range(60):
        env = kind()
        env.reset(seed=seed)
        action = planner(40).act(env)
        right += env.step(action)[1] == 1
    assert right < 25  # 10 expected, 60 if it saw


@pytest.mark.parametrize("source", ["np_random", "numpy.random"])
def test_each_iteration_throws_its_own_dice(source):
    env = Dice(source)
    env.reset(seed=1)
    result = planner(600, rollout=0).plan(env)
    # Had all iterations the same throw, one guess would be worth 1, the others 0.
    assert 0.05 < np.nanmin(result.values)
    assert np.nanmax(result.values) < 0.95


def test_decisions_are_reproducible_with_chance():
    for make in (Dice, lambda: Dice("numpy.random")):
        visits = []
        for _ in range(2):
            env = make()
            env.reset()
            visits.append(planner(200).plan(env).visits.tolist())
        assert visits[0] == visits[1]


def test_global_generators_end_as_they_began():
    env = Dice("numpy.random")
    env.reset()
    random.seed(5)
    np.random.seed(5)
    expected = random.getstate(), np.random.get_state()[1].tolist()
    planner().act(env)
    assert (random.getstate(), np.random.get_state()[1].tolist()) == expected
    failing = Failing(lambda: 1 / 0)
    failing.reset()
    with pytest.raises(ZeroDivisionError):
        planner().act(failing)
    assert (random.getstate(), np.random.get_state()[1].tolist()) == expected


@pytest.mark.parametrize("error", [ZeroDivisionError("odd"), KeyboardInterrupt()])
def test_exceptions_come_out_as_themselves(error):
    def fail():
        raise error

    env = Failing(fail)
    env.reset()
    agent = planner()
    with pytest.raises(type(error)) as caught:
        agent.act(env)
    assert caught.value is error
    assert env.steps == 0
    # The agent works on; it raises again because the environment does.
    with pytest.raises(type(error)):
        agent.act(env)
    assert agent.act(connect_four()) in range(7)


def test_what_cannot_be_copied_is_named():
    env = Locked()
    env.reset()
    with pytest.raises(UncopyableEnvironmentError, match=r"Locked.*lock") as caught:
        planner().act(env)
    assert "Locked.lock" in str(caught.value)


def test_a_copy_in_another_situation_is_an_error():
    env = Forgetful()
    env.reset(seed=0)
    for _ in range(3):
        env.step(0)
    with pytest.raises(UnfaithfulCopyError, match=r"Forgetful.*not in the same"):
        planner().act(env)


def test_hidden_information_is_resampled_by_the_callers_function():
    env = Dice()
    env.reset(seed=0)
    seen = []

    def redeterminise(copied, agent, generator):
        assert copied is not env
        seen.append((agent, int(generator.integers(1000))))
        copied.thrown = 9  # the next throw is the last

    agent = MCTSAgent(simulations=30, redeterminise=redeterminise, seed=0)
    result = agent.plan(env)
    assert result.depth == 1
    assert {name for name, _ in seen} == {"player_0"}
    assert len(seen) == 31  # the root's copy and one an iteration
    assert len(Counter(seen)) > 25
    assert env.thrown == 0


@pytest.mark.parametrize(
    "name",
    ["FrozenLake-v1", "CliffWalking-v1", "Taxi-v4", "CartPole-v1", "Blackjack-v1"],
)
def test_environments_of_gymnasium(name):
    env = gymnasium.make(name)
    env.reset(seed=1)
    first, second = planner(20, rollout=10), planner(20, rollout=10)
    assert first.plan(env).visits.tolist() == second.plan(env).visits.tolist()
    env.step(first.act(env))


def test_a_time_limit_is_part_of_the_plan():
    env = gymnasium.make("CartPole-v1", max_episode_steps=4)
    env.reset(seed=0)
    env.step(0)
    result = planner(50).plan(env)
    assert np.nanmax(result.values) == 3.0  # of four steps one is gone


def test_a_recording_does_not_hold_what_the_search_played():
    inner = gymnasium.make("CartPole-v1", render_mode="rgb_array")
    env = gymnasium.wrappers.RecordEpisodeStatistics(inner)
    env.reset(seed=0)
    for _ in range(3):
        env.step(planner(20).act(env))
    assert env.episode_returns == 3
    assert env.unwrapped.render_mode == "rgb_array"


@pytest.mark.parametrize("name", ["Pendulum-v1", "MountainCarContinuous-v0"])
def test_spaces_that_are_not_discrete_are_refused(name):
    env = gymnasium.make(name)
    env.reset()
    with pytest.raises(ValueError, match="Discrete"):
        planner().act(env)


def test_what_is_no_environment_is_refused():
    with pytest.raises(ValueError, match=r"^3 is neither a PettingZoo environment"):
        planner().act(3)


def test_all_copies_are_released():
    env = connect_four()
    model = CopiedEnvironment(env, perfect_information=True)
    with model.planning(None, new_generator(0)) as (state, _):
        kept = model.copy(state)
        model.copy(state)  # dropped at once, and its copy with it
        assert len(model._copies) == 2
        assert model.movers(kept) == (0,)
    assert not model._copies
    with pytest.raises(RuntimeError, match="empty"):
        model.movers(kept)


def test_equal_parts_stay_one_in_the_copy():
    shared = [1, 2]
    env = Dice()
    env.reset()
    env.a, env.b, env.itself = shared, {"x": shared}, env
    twin = Cloner().clone(env)
    assert twin.a is twin.b["x"]
    assert twin.a is not shared
    assert twin.itself is twin


@pytest.mark.parametrize(
    ("returns", "results"),
    [
        ([1.0, -1.0], [WON, LOST]),
        ([0.0, 0.0], [DRAWN, DRAWN]),
        ([2.0, 2.0, 1.0], [DRAWN, DRAWN, LOST]),
        ([5.0], [DRAWN]),
    ],
)
def test_results_by_return(returns, results):
    assert results_by_return(np.array(returns)) == results


@pytest.mark.parametrize("returned", [True, 3, "env"])
def test_what_redeterminise_returns_by_mistake_is_named(returned):
    env = HiddenDice()
    env.reset(seed=0)
    agent = MCTSAgent(simulations=10, redeterminise=lambda *_: returned)
    with pytest.raises(ValueError, match=f"redeterminise returned {returned!r}; exp"):
        agent.act(env)


class Misnaming(Matching):
    """Its first step names a stranger, or nobody."""

    def __init__(self, place):
        super().__init__()
        self.place = place

    def step(self, actions):
        if "stranger" in actions:
            raise AssertionError("nobody may decide for a stranger")
        observations, rewards, *others = super().step(actions)
        if self.place == "agents":
            self.agents = [*self.agents, "stranger"]
        elif self.place == "rewards":
            rewards["stranger"] = 1.0
        else:
            rewards = None
        return observations, rewards, *others


@pytest.mark.parametrize(
    ("place", "told"),
    [
        ("agents", r"'stranger', who is not in possible_agents \(.*\)"),
        ("rewards", r"'stranger', who is not in possible_agents \(.*\)"),
        ("none", "the rewards are None, expected a dictionary"),
    ],
)
def test_steps_that_name_a_stranger_or_nobody_are_refused(place, told):
    env = Misnaming(place)
    env.reset(seed=0)
    agent = MCTSAgent(simulations=10, perfect_information=True, seed=0)
    with pytest.raises(ValueError, match=told):
        agent.act(env, env.agents[0])


class NumberedInTurn(Countdown):
    """Its agents are numbers."""

    def __init__(self):
        super().__init__(players=2)
        self.possible_agents = [0, 1]


class NumberedAtOnce(AtOnce):
    """Its agents are numbers; each is paid what it plays."""

    def __init__(self):
        super().__init__([0, 1])

    def step(self, actions):
        self.rounds += 1
        paid = {agent: float(action) for agent, action in actions.items()}
        return self.outcome(paid, self.rounds == 3)


def test_agents_may_be_numbers():
    in_turn, at_once = NumberedInTurn(), NumberedAtOnce()
    for env in (in_turn, at_once):
        env.reset(seed=0)
    assert planner().act(in_turn) in (0, 1)
    assert planner().act(at_once, 0) == planner().act(at_once, 1) == 1
    for env in (in_turn, at_once):
        with pytest.raises(ValueError, match=r"no agent 2; its agents are 0, 1"):
            planner().act(env, 2)
    with pytest.raises(ValueError, match="name the agent, one of 0, 1"):
        planner().act(at_once)
    with pytest.raises(ValueError, match="1 has no decision to make now, only 0"):
        planner().act(in_turn, 1)
    masks = {2: np.ones(2, np.int8)}
    with pytest.raises(ValueError, match=r"names 2; the agents are 0, 1"):
        planner().act(at_once, 0, action_mask=masks)
    model = CopiedEnvironment(at_once, perfect_information=True)
    at_once.possible_agents = [0, 1, 2]
    at_once.reset(seed=0)
    with pytest.raises(RuntimeError, match=r"have changed .*\(0, 1\)"):
        with model.planning(0, new_generator(0)):
            pass


def test_a_step_that_names_an_unknown_number_is_refused():
    class Misnumbering(NumberedAtOnce):
        def step(self, actions):
            observations, rewards, *others = super().step(actions)
            return observations, rewards | {7: 1.0}, *others

    env = Misnumbering()
    env.reset(seed=0)
    with pytest.raises(ValueError, match=r"names 7, who .* \(0, 1\)"):
        planner().act(env, 0)
