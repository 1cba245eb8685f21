"""Values are scaled by what each player has seen of its own."""

import numpy as np
import pytest

from mcts_agents.envs.hex.rules import rules as hex_rules
from mcts_agents.model import new_generator
from mcts_agents.search import Search, SearchSettings
from tests.search.schedule_game import schedule

IN_TURN = schedule((1, 2) * 4)
AT_ONCE = schedule((3,) * 4)


def visits(model, value, seed, **settings):
    """Return the visits of the root's actions; `value` takes the players' totals."""
    search = Search(
        model,
        SearchSettings(
            simulations=400,
            value=lambda model, state: value(model.view(state)["totals"][:2] / 8.0),
            **settings,
        ),
    )
    state = model.reset(new_generator(0))
    return search.run(state, 0, new_generator(seed)).visits.tolist()


@pytest.mark.parametrize("tree", ["one", "multi", "self"])
@pytest.mark.parametrize("policy", ["ucb1", "ucb_tuned", "alphago", "exp3"])
@pytest.mark.parametrize("model", [IN_TURN, AT_ONCE], ids=["in turn", "at once"])
def test_what_another_is_paid_does_not_hide_ones_own_values(model, policy, tree):
    """A power of two as a factor changes no bit; a constant rounds means otherwise."""
    settings = {"tree": tree, "tree_policy": policy}
    for seed in range(3):
        plain = visits(model, lambda totals: totals, seed, **settings)
        for factors in ((1, 128), (128, 1)):
            found = visits(model, lambda totals, f=factors: totals * f, seed, **settings)
            assert found == plain
        if policy != "exp3":  # which draws
            assert np.argmax(plain) == 2
            for constants in ((0, 1024), (-1024, 0)):
                found = visits(
                    model, lambda totals, c=constants: totals + c, seed, **settings
                )
                assert np.abs(np.subtract(found, plain)).max() < 40


def test_paranoid_explores_as_much_as_maxn():
    """With the same K as many visits go to the best actions."""
    model = hex_rules.model(size=5)
    state = model.reset(new_generator(0))
    most = {}
    for paranoid in (False, True):
        settings = SearchSettings(simulations=2000, paranoid=paranoid, solver=False)
        search = Search(model, settings)
        found = [search.run(state, 0, new_generator(seed)) for seed in range(20)]
        most[paranoid] = np.mean([result.visits.max() for result in found])
    assert most[True] == pytest.approx(most[False], rel=0.1)
