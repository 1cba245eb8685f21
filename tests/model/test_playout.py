"""Uniformly random games from Python, of compiled rules and of copies."""

from collections import Counter

import numpy as np
import pytest
from pettingzoo.classic import rps_v2, tictactoe_v3

from mcts_agents.envs import make_model
from mcts_agents.model import new_generator
from mcts_agents.model.copying.copied import CopiedEnvironment


@pytest.mark.parametrize("game", ["tictactoe", "sushi_go"])
def test_a_playout_ends_the_game(game):
    _, model = make_model(game)
    rng = new_generator(1)
    opening = model.reset(rng)
    lengths = set()
    for _ in range(20):
        state = model.copy(opening)
        lengths.add(model.playout(state, rng))
        assert model.is_over(state)
        assert np.isfinite(model.scores(state)).all()
    assert min(lengths) >= 5
    assert not model.is_over(opening)
    assert model.playout(state, rng) == 0


def test_a_limit_leaves_no_room_for_part_of_a_joint_action():
    _, model = make_model("sushi_go", 3)
    rng = new_generator(1)
    opening = model.reset(rng)
    played = [model.playout(model.copy(opening), rng, limit) for limit in range(7)]
    assert played == [0, 0, 0, 3, 3, 3, 6]
    with pytest.raises(ValueError, match="limit=-1: expected a number of actions"):
        model.playout(opening, rng, -1)


def test_the_same_generator_plays_the_same_game():
    _, model = make_model("tictactoe")
    states = []
    for _ in range(2):
        state = model.reset(new_generator(0))
        model.playout(state, new_generator(7))
        states.append(state)
    assert (states[0] == states[1]).all()


def test_copies_of_an_environment_play_too():
    env = tictactoe_v3.env()
    env.reset(seed=1)
    model = CopiedEnvironment(env, perfect_information=True)
    rng = new_generator(1)
    first = Counter()
    with model.planning(None, rng) as (state, player):
        assert model.playout(model.copy(state), rng, 4) == 4
        for _ in range(90):
            world = model.copy(state)
            model.playout(world, rng, 1)
            (taken,) = set(range(9)) - set(model.legal_actions(world, 1 - player))
            first[taken] += 1
            model.playout(world, rng)
            assert model.is_over(world)
            assert sum(model.returns(world)) == 0
    assert set(first) == set(range(9))
    with pytest.raises(ValueError, match="limit=-1"):
        model.playout(state, rng, -1)


def test_simultaneous_moves_of_copies_count_each():
    env = rps_v2.parallel_env(max_cycles=3)
    env.reset(seed=1)
    model = CopiedEnvironment(env, perfect_information=True)
    rng = new_generator(1)
    with model.planning("player_0", rng) as (state, _):
        assert [model.playout(model.copy(state), rng, n) for n in (1, 2, 3)] == [
            0,
            2,
            2,
        ]
        assert model.playout(state, rng) == 6
