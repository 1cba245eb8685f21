"""What the tests of hidden information share: samples, chances and pictures."""

from collections import Counter
from collections.abc import Mapping

import numpy as np
from scipy import stats

from mcts_agents.envs import load_game
from mcts_agents.envs.painting import load_pygame
from mcts_agents.model import new_generator


def sample_of(model, state, observer, seed):
    """A world that the observer holds possible."""
    sample = model.copy(state)
    model.redeterminise(sample, observer, new_generator(seed))
    return sample


def assert_looks_alike(model, one, other, observer):
    """Check that an observer cannot tell two states apart."""
    assert (model.observe(one, observer) == model.observe(other, observer)).all()
    assert model.state_key(one, observer) == model.state_key(other, observer)


def assert_sampled_alike(model, one, other, observer, seed):
    """Check that two states an observer cannot tell apart give the same sample."""
    assert_looks_alike(model, one, other, observer)
    samples = [sample_of(model, state, observer, seed) for state in (one, other)]
    assert (samples[0] == samples[1]).all()


def assert_chances(expected: Mapping, found: Counter):
    """Check by a chi-square test that worlds were drawn as often as is expected.

    Args:
        expected: By world, a number in proportion to its chance.
        found: By world, how often it was drawn.
    """
    assert set(found) == set(expected)
    chances = np.array([expected[world] for world in found]) / sum(expected.values())
    drawn = list(found.values())
    assert stats.chisquare(drawn, chances * sum(drawn)).pvalue > 1e-4


def picture(name, model, state, observer=None):
    """What `paint` of a game draws, uint8 of shape (width, height, 3)."""
    game = load_game(name)
    surface = load_pygame().Surface(game.size(model), 0, 32)
    game.paint(surface, model, state, observer)
    return load_pygame().surfarray.array3d(surface)
