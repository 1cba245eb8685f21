"""Values that are no finite numbers, and numbers at the edge of what there is."""

import numpy as np
import pytest

from mcts_agents.model import new_generator
from mcts_agents.search import Search, SearchSettings
from tests.search import web
from tests.search.toy_games import three_moves


def search(worth, **chosen):
    model = three_moves(worth)
    state = model.reset(new_generator(0))
    settings = SearchSettings(simulations=500, **chosen)
    return Search(model, settings).run(state, 0, new_generator(1))


@pytest.mark.parametrize("worth", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize(
    "chosen",
    [
        {},
        {"tree_policy": "exp3_boltzmann"},
        {"tree_policy": "kl_ucb"},
        {"value": "evaluate", "rollout": 0},
        {"loop": "closed"},
        {"threads": 2},
        {"value": "win", "action_heuristic": "game", "prior_temperature": 0.5},
        {"value": "win", "action_heuristic": "game", "progressive_bias": 1.0},
        {"value": "win", "action_heuristic": "game", "widening": 1.0},
    ],
    ids=str,
)
def test_a_game_s_values_must_be_finite(worth, chosen):
    with pytest.raises(
        RuntimeError, match=r"three_moves: a leaf's value, or .* finite"
    ):
        search(worth, **chosen)


@pytest.mark.parametrize("worth", [1e-310, 1e-12, 1.0, 1e12, 1e300, -1e300])
@pytest.mark.parametrize(
    "chosen",
    [
        {"tree_policy": "exp3_boltzmann", "temperature": 1e-310},
        {"tree_policy": "exp3_boltzmann", "temperature": 1e300},
        {"tree_policy": "kl_ucb"},
        {"tree_policy": "ucb1", "exploration": 1e300},
        {"rollout_policy": "mast", "mast_temperature": 1e-310},
    ],
    ids=str,
)
def test_small_and_large_numbers_end_the_search_with_a_move(worth, chosen):
    found = search(worth, **chosen)
    assert found.visits.sum() == found.simulations == 500
    assert np.isfinite(found.values[found.visits > 0]).all()


@pytest.mark.parametrize("worth", [1.0, 1e6])
def test_a_cold_softmax_of_averages_draws_the_best(worth):
    """Not the last legal action, where all weights are too small to be told from 0."""
    chosen = {"rollout_policy": "mast", "mast_temperature": 1e-310}
    found = search(worth, **chosen)
    assert found.values.max() == pytest.approx(3 * worth, rel=0.1)


# -- KL-UCB, whose rewards have bounds in the paper


def patience():
    """One point at once and no more, or nothing, and then five."""
    points = [0, 1, 0, 1, 0, 5]
    return web.RULES.model(
        movers=(1, 1, 1, 0, 0, 0),
        targets=((1, 2), (3, 3), (4, 5)),
        payoffs=[(gained, 0) for gained in points],
    )


@pytest.mark.parametrize("policy", ["ucb1", "ucb_tuned", "alphago", "kl_ucb"])
def test_what_always_brought_the_most_leaves_room_for_doubt(policy):
    model = patience()
    state = model.reset(new_generator(0))
    chosen = {"tree_policy": policy, "rollout": 0, "simulations": 2000}
    found = Search(model, SearchSettings(**chosen)).run(state, 0, new_generator(1))
    assert found.action == 1


@pytest.mark.parametrize(
    "chosen",
    [
        {"normalise": False},
        {"action_heuristic": "game", "prior_temperature": 1.0},
    ],
    ids=str,
)
def test_kl_ucb_refuses_what_would_bound_its_exploration(chosen):
    with pytest.raises(ValueError, match=f"{list(chosen)[-1]}=.* has an effect only"):
        search(1.0, tree_policy="kl_ucb", **chosen)
