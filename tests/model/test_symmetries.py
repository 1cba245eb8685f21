"""Symmetries of games: the mirrored game is played beside the original one."""

import copy
import pickle

import numpy as np
import pytest

from mcts_agents.envs import make_model
from mcts_agents.model import Rules, RulesError, new_generator
from mcts_agents.model.symmetries import Symmetry, twins, with_identity

# Specs, and how many views there are of the board.
GAMES = {
    "atarigo": 8,
    "breakthrough": 2,
    "breakthrough:rows=6,columns=5": 2,
    "connect_four": 2,
    "connect_four:width=5,height=4": 2,
    "gomoku:size=6": 8,
    "hex:size=5": 2,
    "hex:size=5,first_cell=c3": 2,
    "hex:size=5,first_cell=a1": 1,
    "knightthrough": 2,
    "nogo": 8,
    "nogo:players=3": 8,
    "othello": 4,
    "tictactoe": 8,
    "sushi_go": 1,
    "pommerman": 1,
    "pommerman:observation=planes": 8,
    "pommerman:observation=planes,mode=radio": 8,
    "pommerman:observation=planes,players=2": 8,
}


def masks(model, state):
    """The legal actions of all players."""
    found = np.zeros((model.players, model.actions), bool)
    for player in model.movers(state):
        found[player, model.legal_actions(state, player)] = True
    return found


def seen(model, state):
    """The observations of all players."""
    return np.array([model.observe(state, p) for p in range(model.players)])


# Boards of Pommerman are drawn at random: test_pommerman_planes turns positions.
TURNED = [s for s in GAMES if GAMES[s] > 1 and not s.startswith("pommerman")]


@pytest.mark.parametrize("spec", TURNED)
def test_twins_of_random_games(spec):
    model = make_model(spec)[1]
    rng = new_generator(1)
    draw = np.random.default_rng(1)
    for symmetry in model.symmetries:
        state, twin = model.reset(rng), model.reset(rng)
        while movers := model.movers(state):
            legal = masks(model, state)
            assert model.movers(twin) == movers
            np.testing.assert_array_equal(
                masks(model, twin), legal[:, symmetry.actions]
            )
            flat = seen(model, state).reshape(model.players, -1)
            expected = flat[:, symmetry.observation].reshape(
                model.players, *model.observation_shape
            )
            np.testing.assert_array_equal(seen(model, twin), expected)
            joint = {p: int(draw.choice(legal[p].nonzero()[0])) for p in movers}
            model.apply(state, joint, rng)
            model.apply(twin, {p: symmetry.twin_of(a) for p, a in joint.items()}, rng)
        np.testing.assert_array_equal(model.results(twin), model.results(state))


@pytest.mark.parametrize("spec", GAMES)
def test_no_two_are_alike_and_they_are_closed(spec):
    model = make_model(spec)[1]
    orders = {tuple(s.observation) + tuple(s.actions) for s in model.symmetries}
    assert len(orders) == len(model.symmetries) == GAMES[spec]
    np.testing.assert_array_equal(
        model.symmetries[0].observation, np.arange(model.observation_size)
    )
    for first in model.symmetries:
        for second in model.symmetries:
            both = second.observation[first.observation], second.actions[first.actions]
            assert (*both[0], *both[1]) in orders


def test_a_batch_of_twins():
    model = make_model("gomoku:size=5")[1]
    draw = np.random.default_rng(2)
    observations = draw.integers(0, 9, (30, 3, 5, 5)).astype(np.int8)
    policies = draw.random((30, 25)).astype(np.float32)
    legal = policies > 0.3
    chosen = draw.integers(0, 8, 30)
    found = twins(model.symmetries, chosen, observations, policies, legal)
    assert [a.dtype for a in found] == [np.int8, np.float32, bool]
    for row, number in enumerate(chosen):
        symmetry = model.symmetries[number]
        flat = observations[row].reshape(-1)
        np.testing.assert_array_equal(found[0][row].flat, flat[symmetry.observation])
        np.testing.assert_array_equal(found[1][row], policies[row][symmetry.actions])
        np.testing.assert_array_equal(found[2][row], legal[row][symmetry.actions])


def test_models_travel_with_them():
    model = make_model("breakthrough")[1]
    for other in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert len(other.symmetries) == 2


@pytest.mark.parametrize(
    ("observation", "actions", "why"),
    [
        ([0, 2, 1], [1], "actions is not a permutation of the numbers from 0 to 1"),
        ([0, 2, 1], [1, 1], "actions is not a permutation of the numbers from 0 to 1"),
        (
            [1, 2, 3],
            [1, 0],
            "observation is not a permutation of the numbers from 0 to 2",
        ),
    ],
)
def test_what_is_no_permutation(observation, actions, why):
    declared = Symmetry(np.array(observation), np.array(actions))
    with pytest.raises(ValueError, match=f"^symmetry 1: {why}$"):
        with_identity([declared], 3, 2)


def test_declarations_of_another_form():
    rules = Rules("toy", state=np.dtype([("n", np.int8)]))
    with pytest.raises(RulesError, match=r"write `def views\(game, spec\)` instead of"):

        @rules.symmetries
        def views(game):
            return []
