"""Chance: samples where outcomes are not listed, and Star1 where they hardly add up."""

import numpy as np
import pytest
from numba import njit

from mcts_agents.minimax import Minimax, MinimaxSettings
from mcts_agents.model import DRAWN, LOST, PLAYING, WON, Rules, Spec, random_below
from tests.games import dice
from tests.minimax.reference import Paranoid, generator
from tests.minimax.test_games import best_value, expected_win

# -- samples


def without_outcomes():
    rules = Rules(
        "dice_sampled", state=dice.rules.state, game=dice.rules.game, chance=True
    )
    rules.variant(dice.variant)
    names = ("reset", "movers", "legal_actions", "apply", "scores", "results")
    for name in names:
        rules.define(getattr(dice, name))
    return rules


SAMPLED = without_outcomes()
# Of the three dice: points expected, and their standard deviation.
MEANS = np.array([3.0, 5 / 2, 8 / 3])
DEVIATIONS = np.array([0.0, 3 / 2, np.sqrt(40 / 3 - 64 / 9)])
BY_LEAD = {"value": "leader", "score_bonus": 0.0}


def searched(turns, samples, seed, **chosen):
    settings = MinimaxSettings("expectiminimax", depth=turns, samples=samples, **chosen)
    model = SAMPLED.model(turns=turns)
    rng = generator(seed)
    return Minimax(model, settings).run(model.reset(rng), 0, rng)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("turns", "samples"), [(1, 1000), (2, 400)])
def test_samples_are_near_what_is_expected(turns, samples, seed):
    """The opponent takes the sure 3, unless samples of another die come to more."""
    result = searched(turns, samples, seed, **BY_LEAD)
    expected = MEANS if turns == 1 else MEANS - 3.0
    # To be more than 3, the mean of a die's samples must miss by 2.6 deviations.
    error = 5 * DEVIATIONS / np.sqrt(samples) + (0.01 if turns == 2 else 1e-9)
    assert result.actions.tolist() == [0, 1, 2]
    assert (np.abs(result.values - expected) <= error).all()
    assert not result.solved


@pytest.mark.parametrize("star1", [True, False])
@pytest.mark.parametrize("lead", [-4, -3, -1, 0, 2])
def test_chances_to_win_are_near_the_exact_ones(lead, star1):
    model = SAMPLED.model(turns=1)
    settings = MinimaxSettings(
        "expectiminimax", depth=1, samples=1000, value="win", star1=star1
    )
    rng = generator(lead + 5)
    state = model.reset(rng)
    sums = (10 + lead, 10)
    model.view(state)["sums"] = sums
    result = Minimax(model, settings).run(state, 0, rng)
    exact, _ = expected_win(sums, 1, 0)
    # No deviation of what is from 0 to 1 is greater than a half.
    assert best_value(result) == pytest.approx(float(exact), abs=5 * 0.5 / 1000**0.5)


def test_each_sample_is_one_more_call():
    for samples in (1, 10, 1000):
        result = searched(1, samples, 0, **BY_LEAD)
        assert result.forward_model_calls == result.nodes == 3 * samples
        # A step of one move, then one of two: nothing is cut off.
        if samples < 1000:
            result = searched(2, samples, 0, **BY_LEAD)
            n = 3 * samples
            assert result.forward_model_calls == result.nodes == n + n + n * n


# -- outcomes whose probabilities add up to 1 but for rounding

# Nodes: of the player, the opponent, the player; and three ends.
FIRST, SECOND, LAST, DRAW, WIN, LOSS = range(6)
# Two actions of each of them.
SURE_DRAW, ON, LOTTERY, THIRDS, LOSE, GAIN = range(6)
TRIFLE = 2.0**-27  # less than what three thirds are above 1
THIRD = float(np.float32(1 / 3))

THIRDS_GAME = Rules("thirds", state=np.dtype([("node", np.int64)]), chance=True)


@njit
def sides_of(action):
    """Return how many things chance may do."""
    return 3 if action == THIRDS else 2 if action == LOTTERY else 1


@njit
def go_on(state, action, side):
    if action == ON:
        state.node = SECOND
    elif action == THIRDS and side == 2:
        state.node = LAST
    elif action in (SURE_DRAW, THIRDS):
        state.node = DRAW
    elif action == LOTTERY:
        state.node = WIN if side == 0 else LOSS
    else:
        state.node = WIN if action == GAIN else LOSS


@THIRDS_GAME.variant
def variant(game, *, players=2):
    return Spec(players=players, actions=6)


@THIRDS_GAME.define
def reset(game, state, rng):
    state.node = FIRST


@THIRDS_GAME.define
def movers(game, state):
    if state.node >= DRAW:
        return 0
    return 2 if state.node == SECOND else 1


@THIRDS_GAME.define
def legal_actions(game, state, player, out):
    out[0] = 2 * state.node
    out[1] = 2 * state.node + 1
    return 2


@THIRDS_GAME.define
def outcomes(game, state, joint_action, limit, out):
    n = sides_of(max(joint_action[0], joint_action[1]))
    for side in range(min(n, limit)):
        out[side] = THIRD if n == 3 else 1.0
    if n == 2:
        out[0] = 0.5 + TRIFLE
        out[1] = 0.5 - TRIFLE
    return n


@THIRDS_GAME.define
def apply_outcome(game, state, joint_action, outcome):
    go_on(state, max(joint_action[0], joint_action[1]), outcome)


@THIRDS_GAME.define
def apply(game, state, joint_action, rng):
    action = max(joint_action[0], joint_action[1])
    go_on(state, action, random_below(rng, sides_of(action)))


@THIRDS_GAME.define
def scores(game, state, out):
    out[:] = 0.0


@THIRDS_GAME.define
def results(game, state, out):
    out[:] = PLAYING
    if state.node == DRAW:
        out[:] = DRAWN
    elif state.node >= WIN:
        out[0] = WON if state.node == WIN else LOST
        out[1] = LOST if state.node == WIN else WON


@THIRDS_GAME.define
def evaluate(game, state, out):
    # Looks bad before the last node is looked into: so the draw is searched first.
    out[0] = 0.25 if state.node == LAST else 0.5
    out[1] = 1.0 - out[0]


@pytest.mark.parametrize("star1", [True, False])
def test_a_window_that_rounding_has_closed_is_opened(star1):
    """Below it the first action alone would be searched, which loses.

    A sure draw is worth 1/2, so the opponent's lottery, worth hardly more, leaves a
    window of a trifle. Its other action is worth (1/2 + 1/2 + 1) / 3, since the player
    wins at the last node; but once two of the thirds are known, the window of the third
    is empty, because they add up to more than 1.
    """
    assert 3 * THIRD - 1.0 > TRIFLE
    model = THIRDS_GAME.model()
    settings = MinimaxSettings("expectiminimax", depth=3, value="evaluate", star1=star1)
    result = Minimax(model, settings).run(model.reset(generator()), 0, generator())
    assert result.actions.tolist() == [SURE_DRAW, ON]
    assert result.values == pytest.approx([0.5, 0.5], abs=1e-6)
    assert best_value(result) == pytest.approx(0.5 + TRIFLE, abs=1e-6)
    plain = Paranoid(model, 0, "evaluate").actions(model.reset(generator()), 3)
    assert result.values == pytest.approx(list(plain.values()), abs=1e-6)
