"""Copies that functions of users may change, and what stays as it was then."""

import pytest

from mcts_agents import MCTSAgent
from mcts_agents.model import new_generator
from mcts_agents.model.copying.copied import CopiedEnvironment
from tests.model.gathering import gathering
from tests.model.third_party import Uneven


@pytest.fixture
def planned():
    """A model of a game in three heaps of 4, and its root."""
    model = CopiedEnvironment(gathering(), perfect_information=True)
    with model.planning(None, new_generator(1)) as (state, _):
        yield model, state


def test_legal_actions_are_those_of_now(planned):
    model, root = planned
    state = model.copy(root)
    env = model.environment(state, own=True)
    assert model.legal_actions(state, 0).tolist() == list(range(9))
    env.step(2)
    env.step(0)  # nothing is left of the first heap
    assert model.legal_actions(state, 0).tolist() == list(range(3, 9))


@pytest.mark.parametrize("of_root", [False, True])
def test_a_copy_stays_where_it_was(planned, of_root):
    model, root = planned
    state = root if of_root else model.copy(root)
    env = model.environment(state, own=True)
    env.step(2)
    copied = model.copy(state)
    env.step(5)
    assert list(model.environment(copied).heaps) == [1, 4, 4]
    assert list(env.heaps) == [1, 1, 4]


def test_a_policy_may_try_what_it_is_about_to_do():
    def takes_all_of_a_heap(model, state, player):
        action = int(model.legal_actions(state, player)[-1])
        env = model.environment(state, own=True)
        while not env.terminations[env.agent_selection]:
            mask = env.observe(env.agent_selection)["action_mask"]
            env.step(int(mask.nonzero()[0][-1]))
        return action

    def the_same(model, state, player):
        return int(model.legal_actions(state, player)[-1])

    results = [
        MCTSAgent(
            simulations=50, perfect_information=True, rollout_policy=policy, seed=3
        ).plan(gathering())
        for policy in (takes_all_of_a_heap, the_same)
    ]
    assert results[0].visits.tolist() == results[1].visits.tolist()


def test_actions_of_who_is_not_to_move_are_not_played():
    env = Uneven()
    env.reset()
    model = CopiedEnvironment(env, perfect_information=True)
    with model.planning(None, new_generator(1)) as (root, _):
        for seed in range(10):
            state = model.copy(root)
            model.legal_actions(state, 1)
            assert model.playout(state, new_generator(seed), 100) == 6
