"""`deterministic=True` is the caller's word: checked, and worth something."""

import types

import gymnasium
import numpy as np
import pytest

from mcts_agents import MCTSAgent
from mcts_agents.model import draw_below, new_generator
from mcts_agents.model.copying.certainty import ChanceError
from mcts_agents.model.copying.copied import CopiedEnvironment
from mcts_agents.model.copying.outside import SharedStateError
from mcts_agents.search import SearchSettings
from tests.model.gathering import gathering
from tests.model.third_party import Dice, HiddenDice, Matching


def planner(simulations=60, **options):
    return MCTSAgent(
        simulations=simulations,
        perfect_information=True,
        seed=0,
        **{"deterministic": True, **options},
    )


def started(made, **options):
    env = made(**options)
    env.reset(seed=1)
    return env


def loop_of(model, **settings):
    return SearchSettings(**settings).for_model(model).loop


def test_dice_are_found_out():
    for source in ("np_random", "numpy.random"):
        with pytest.raises(ChanceError, match=r"^deterministic=True: .* different ran"):
            planner().act(started(Dice, source=source))
    slippery = gymnasium.make("FrozenLake-v1")
    slippery.reset(seed=0)
    with pytest.raises(ChanceError, match="the observation is"):
        planner().act(slippery)
    # The live environment and the next plan are none the worse for it.
    assert planner(deterministic=False).act(slippery) in range(4)


COUNTER = types.SimpleNamespace(steps=0)


def test_what_changes_outside_is_not_taken_for_dice():
    class Counting(Dice):
        def throw(self):
            COUNTER.steps += 1
            return COUNTER.steps % 6

    with pytest.raises(SharedStateError, match=r"COUNTER\.steps") as raised:
        planner().act(started(Counting))
    assert isinstance(raised.value.__cause__, ChanceError)
    assert COUNTER.steps == 0


def test_dice_that_come_late_are_found_out_later():
    class Late(Dice):
        def throw(self):
            return 0 if self.thrown < 60 else super().throw()

        def step(self, action):
            shown, reward, *_ = super().step(action)
            return shown, reward, self.thrown == 200, False, {}

    env, agent = started(Late), planner(20, rollout=5)
    for _ in range(50):
        env.step(agent.act(env))
    with pytest.raises(ChanceError):
        for _ in range(20):
            env.step(agent.act(env))


def test_what_is_deterministic_passes():
    for env, name in ((gathering(), None), (started(Matching), "player_0")):
        assert planner().plan(env, name).visits.sum() == 60
    still = gymnasium.make("FrozenLake-v1", is_slippery=False)
    still.reset(seed=0)
    agent = planner(400, rollout=30, discount=0.95)
    over = False
    for _ in range(12):
        _, reward, over, _, _ = still.step(agent.act(still))
        if over:
            break
    assert over
    assert reward == 1.0


def test_the_loop_is_closed_where_it_may_be():
    certain = CopiedEnvironment(
        gathering(),
        perfect_information=True,
        deterministic=True,
        state_key=lambda env: env.heaps,
    )
    assert not certain.chance
    assert loop_of(certain) == "closed"
    for settings in (
        {"tree": "multi"},
        {"tree": "self"},
        {"graph": True},
        {"reuse_tree": True},
        {"solver": True, "value": "win"},
        {"loop": "open"},
    ):
        assert loop_of(certain, **settings) == "open"
    assert loop_of(certain, loop="sampled") == "sampled"
    alone = CopiedEnvironment(
        started(Dice), perfect_information=True, deterministic=True
    )
    assert loop_of(alone, tree="self") == "closed"
    plain = CopiedEnvironment(gathering(), perfect_information=True)
    assert loop_of(plain) == "open"
    with pytest.raises(ValueError, match="if it uses none, pass deterministic=True"):
        loop_of(plain, loop="closed")
    with pytest.raises(ValueError, match=r"solver=true: .* no chance"):
        loop_of(plain, solver=True, value="win")
    hidden = CopiedEnvironment(
        started(HiddenDice), redeterminise=lambda *_: None, deterministic=True
    )
    assert loop_of(hidden) == "open"


def test_a_closed_loop_steps_less():
    steps = {}
    for loop in ("open", "closed"):
        result = planner(300, loop=loop, rollout=0).plan(gathering())
        steps[loop] = result.forward_model_calls
    assert steps["closed"] <= 300 < steps["open"]


def test_the_solver_proves_in_copies():
    # One stone in two heaps each: who takes the last one is worth less than its cost.
    env = gathering(moves=(2, 5, 0, 3, 8))
    result = planner(500, value="win", solver=True).plan(env)
    assert result.simulations < 500  # nothing is left to search


@pytest.mark.parametrize(
    ("given", "rollout"),
    [
        ({}, 100),
        ({"rollout": 7}, 7),
        ({"value": lambda model, state: [0.0, 0.0]}, 0),
        ({"value": lambda model, state: [0.0, 0.0], "rollout": 7}, 7),
    ],
)
def test_the_length_of_rollouts(given, rollout):
    model = CopiedEnvironment(gathering(), perfect_information=True)
    assert SearchSettings(**given).for_model(model).rollout == rollout


def test_a_playout_ends_like_a_rollout_and_draws_alike():
    model = CopiedEnvironment(gathering(), perfect_information=True)
    with model.planning(None, new_generator(0)) as (state, _):
        for limit in (0, 1, 5, None):
            rng, twin = new_generator(3), new_generator(3)
            one, other = model.copy(state), model.copy(state)
            played = model.playout(one, rng, limit)
            steps = 0
            while (movers := model.movers(other)) and steps != limit:
                legal = model.legal_actions(other, movers[0])
                model.apply(
                    other, {movers[0]: legal[draw_below(twin, len(legal))]}, rng
                )
                steps += 1
            assert played == steps
            assert rng.tolist() == twin.tolist()
            assert model.scores(one).tolist() == model.scores(other).tolist()
            assert model.environment(one).heaps == model.environment(other).heaps
            assert np.array_equal(model.results(one), model.results(other))


@pytest.mark.parametrize("limit", [7, 8, 9, 31, 32, 33, 64, 65, 150])
def test_rollouts_longer_than_what_is_drawn_ahead(limit):
    env = gymnasium.make("MountainCar-v0").unwrapped
    env.reset(seed=1)
    model = CopiedEnvironment(env, perfect_information=True)
    with model.planning(None, new_generator(0)) as (state, _):
        rng, twin = new_generator(3), new_generator(3)
        one, other = model.copy(state), model.copy(state)
        assert model.playout(one, rng, limit) == limit
        for _ in range(limit):
            model.apply(other, {0: draw_below(twin, 3)}, rng)
        assert rng.tolist() == twin.tolist()
        assert np.array_equal(model.environment(one).state,
                              model.environment(other).state)  # fmt: skip


def test_words_that_are_none_are_refused():
    with pytest.raises(ValueError, match="deterministic='yes': expected true or false"):
        planner(deterministic="yes")
    with pytest.raises(ValueError, match=r"state_key='board': expected a function"):
        planner(state_key="board")
    for name in ("replay", "redeterminise", "reseed"):
        with pytest.raises(ValueError, match=rf"{name}=3: expected a function"):
            MCTSAgent(**{name: 3})
    for word in ("no", "false", 1, None):
        with pytest.raises(ValueError, match=f"perfect_information={word!r}: expected"):
            MCTSAgent(perfect_information=word)
    for word in ("yes", 1, len, (len,), (len, "put"), (len, len, len)):
        with pytest.raises(ValueError, match=r"snapshots=.*: expected true or false"):
            planner(snapshots=word)


def test_words_that_contradict_each_other_are_refused():
    with pytest.raises(ValueError, match="pass only one of them"):
        MCTSAgent(perfect_information=True, redeterminise=lambda *_: None)


def test_words_without_an_effect_are_refused():
    with pytest.raises(ValueError, match="state_key has an effect only with graph"):
        planner(state_key=lambda env: env.heaps)
    with pytest.raises(ValueError, match=r"continuous=5: .* no action space.* a Box"):
        planner(continuous=5).act(started(Dice))


def test_a_word_with_a_slip_is_told_the_right_one():
    with pytest.raises(ValueError, match=r"did you mean perfect_information\?"):
        MCTSAgent(perfect_info=True)


@pytest.mark.parametrize("deterministic", [False, True])
def test_whoever_plays_alone_wins_nothing(deterministic):
    """All results of one agent are alike, so a search by them chooses by chance."""
    env = started(Dice)
    agent = MCTSAgent(
        simulations=20,
        value="win",
        perfect_information=True,
        deterministic=deterministic,
    )
    with pytest.raises(ValueError, match=r"value='win': .* one agent.*value='score'"):
        agent.act(env)


class Chain(Dice):
    """Four rewards, whatever is done."""

    action_space = gymnasium.spaces.Discrete(2)

    def step(self, action):
        self.thrown += 1
        reward = (3.0, -2.0, 5.0, -1.0)[self.thrown - 1]
        return self.thrown, reward, self.thrown == 4, False, {}


@pytest.mark.parametrize("deterministic", [False, True])
def test_discounted_values_are_sums_of_rewards_on_the_way(deterministic):
    agent = planner(50, deterministic=deterministic, discount=0.5)
    whole = 3.0 - 0.5 * 2.0 + 0.25 * 5.0 - 0.125 * 1.0
    assert agent.plan(started(Chain)).values == pytest.approx([whole, whole])
    plain = planner(50, deterministic=deterministic)
    assert plain.plan(started(Chain)).values == pytest.approx([5.0, 5.0])
