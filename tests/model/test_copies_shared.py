"""What functions of users see of copies, and when an environment is copied at all."""

import gc
import weakref

import numpy as np
import pytest

from mcts_agents import MCTSAgent
from mcts_agents.model import new_generator
from mcts_agents.model.copying.cloning import Cloner
from mcts_agents.model.copying.copied import CopiedEnvironment
from tests.model.gathering import Gathering, gathering
from tests.model.third_party import Dice, Matching, serialised_matching


@pytest.fixture
def copies(monkeypatch):
    """The number of environments that were copied."""
    counted = [0]
    plain = Cloner.clone

    def clone(self, value):
        counted[0] += type(value) is Gathering
        return plain(self, value)

    monkeypatch.setattr(Cloner, "clone", clone)
    return counted


def test_an_environment_is_copied_when_a_state_changes_and_not_before(copies):
    model = CopiedEnvironment(gathering(), perfect_information=True)
    with model.planning(None, new_generator(0)) as (state, _):
        before = copies[0]
        first, second = model.copy(state), model.copy(state)
        assert model.environment(first) is model.environment(state)
        assert copies[0] == before
        model.apply(first, {0: 2}, new_generator(1))
        assert copies[0] == before + 1
        assert model.environment(first).heaps == [1, 4, 4]
        assert model.environment(second).heaps == [4, 4, 4]
        model.apply(first, {1: 0}, new_generator(1))  # nobody else has it
        assert copies[0] == before + 1
        model.apply(state, {0: 5}, new_generator(1))
        model.apply(second, {0: 8}, new_generator(1))
        assert model.environment(state).heaps == [4, 1, 4]
        assert model.environment(second).heaps == [4, 4, 1]
        assert copies[0] == before + 2  # the last one needs no copy


def test_copies_with_one_past_have_futures_of_their_own():
    env = Dice()
    env.reset(seed=0)
    model = CopiedEnvironment(env, perfect_information=True)
    thrown = []
    with model.planning(None, new_generator(0)) as (state, _):
        for _ in range(40):
            twin = model.copy(state)
            model.apply(twin, [0], new_generator(1))
            model.apply(twin, [0], new_generator(1))
            thrown.append(model.observe(twin, 0))
    assert len(set(thrown)) == 6


def test_an_environment_of_ones_own_may_be_changed():
    tried = []

    def trying(model, state):
        env = model.environment(state, own=True)
        scores = model.scores(state)
        while env.agents and not env.terminations[env.agent_selection]:
            env.step(int(env.observe(env.agent_selection)["action_mask"].argmax()))
        tried.append(list(env.heaps))
        return scores

    def looking(model, state):
        assert any(model.environment(state).heaps) or not model.movers(state)
        return model.scores(state)

    for loop in ("open", "closed"):
        found = []
        for value in (trying, looking):
            agent = MCTSAgent(
                simulations=80,
                value=value,
                loop=loop,
                perfect_information=True,
                deterministic=True,
                seed=0,
            )
            found.append(agent.plan(gathering()))
        assert found[0].visits.tolist() == found[1].visits.tolist()
        assert found[0].values == pytest.approx(found[1].values, nan_ok=True)
    assert tried[-1] == [0, 0, 0]


def test_values_of_environments_decide():
    def stones(model, state):
        """Leave few stones of the first heap, whoever moves."""
        heaps = model.environment(state).heaps
        return [-float(heaps[0]), float(heaps[0])]

    agent = MCTSAgent(
        simulations=60, value=stones, max_depth=1, perfect_information=True, seed=0
    )
    assert agent.act(gathering()) == 2
    assert agent.plan(gathering()).forward_model_calls == 60  # and no rollouts


def test_a_single_agents_value_is_one_number():
    env = Dice()
    env.reset(seed=0)
    for value in (lambda m, s: m.environment(s).thrown, lambda m, s: [0.5]):
        agent = MCTSAgent(simulations=20, value=value, perfect_information=True, seed=0)
        assert np.isfinite(agent.plan(env).values).all()
    agent = MCTSAgent(simulations=20, value=lambda m, s: 0.5, perfect_information=True)
    with pytest.raises(ValueError, match="2 finite numbers, one for each player"):
        agent.plan(gathering())


def test_what_an_environment_shows():
    env = gathering()
    model = CopiedEnvironment(env, perfect_information=True)
    assert model.observation_shape == (4,)
    with model.planning(None, new_generator(0)) as (state, _):
        assert model.observe(state, 1).dtype == np.float32
        assert model.observe(state, 1).tolist() == [4, 4, 4, 1]
        seen = model.observations(np.stack([state, state]), np.array([0, 1]))
        assert seen.shape == (2, 4)
        assert seen.dtype == np.float32
    for made in (Matching, serialised_matching):
        env = made()
        env.reset(seed=0)
        model = CopiedEnvironment(env, perfect_information=True)
        with model.planning("player_0", new_generator(0)) as (state, _):
            if made is Matching:
                with pytest.raises(ValueError, match=r"mcts_agents\.remember\(env\)"):
                    model.observe(state, 0)
            else:
                assert model.observe(state, 0).tolist() == [0]
            model.apply(state, [0, 1], new_generator(0))
            assert model.observe(state, 0).tolist() == [1]


def test_copies_are_released_with_the_last_state():
    model = CopiedEnvironment(gathering(), perfect_information=True)
    with model.planning(None, new_generator(0)) as (state, _):
        twin = model.copy(state)
        model.apply(twin, {0: 0}, new_generator(0))
        seen = weakref.ref(model.environment(twin))
        assert seen() is not None
        del twin
        gc.collect()
        assert seen() is None
    with pytest.raises(RuntimeError, match="this state is empty"):
        model.environment(state)
