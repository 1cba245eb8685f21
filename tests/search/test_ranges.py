"""Values are scaled by what each player has seen of its own."""

import numpy as np
import pytest

from mcts_agents.envs.hex.rules import rules as hex_rules
from mcts_agents.model import new_generator
from mcts_agents.search import Search, SearchSettings
from tests.search.by_hand import Node
from tests.search.golden_searches import Remainders
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
@pytest.mark.parametrize("policy", ["ucb1", "ucb_tuned", "kl_ucb", "alphago", "exp3"])
@pytest.mark.parametrize("model", [IN_TURN, AT_ONCE], ids=["in turn", "at once"])
def test_what_another_is_paid_does_not_hide_ones_own_values(model, policy, tree):
    """A power of two as a factor changes no bit; a constant rounds means otherwise."""
    settings = {"tree": tree, "tree_policy": policy}
    for seed in range(3):
        plain = visits(model, lambda totals: totals, seed, **settings)
        for factors in ((1, 128), (128, 1)):
            found = visits(
                model, lambda totals, f=factors: totals * f, seed, **settings
            )
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


# -- values as they are


class Shifted(Remainders):
    """Values in eighths, less a constant."""

    def __init__(self, constant):
        self.constant = constant

    def __call__(self, observations, players, legal):
        values, logits = super().__call__(observations, players, legal)
        return np.round(values * 8) / 8 - self.constant, logits


@pytest.mark.parametrize("constant", [64.0, -64.0])
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"batch": 1},
        {"virtual_loss": 5},
        {"first_play_urgency": 1.0},
        {"first_play_value": "parent", "first_play_reduction": 0.25},
    ],
    ids=str,
)
def test_waiting_and_untried_actions_are_no_better_for_negative_values(
    settings, constant
):
    """Without `normalise` a constant in the evaluator's values changes nothing."""
    model = hex_rules.model(size=4)
    state = model.reset(new_generator(0))
    found = []
    for shift in (0.0, constant):
        chosen = SearchSettings(
            simulations=300,
            evaluator=Shifted(shift),
            tree_policy="alphago",
            value="score",
            score_bonus=0.0,
            max_depth=4,  # no game ends there: its score knows no constant
            normalise=False,
            **settings,
        )
        search = Search(model, chosen)
        found.append(search.run(state, 0, new_generator(1)).visits)
    assert np.abs(found[0] - found[1]).sum() <= 30


@pytest.mark.parametrize("least", [-1024.0, 0.0, 1024.0])
def test_untried_actions_count_as_the_least_value_seen(least):
    settings = {"normalise": False, "first_play_urgency": 1.5}

    def value(totals):
        return totals + least

    for seed in range(10):
        found = visits(IN_TURN, value, seed, **settings)
        assert np.argmax(found) == 2
        assert min(found) > 0


# -- first play as the parent


@pytest.mark.parametrize("policy", ["ucb1_extended", "ucb_tuned", "kl_ucb", "alphago"])
def test_an_untried_action_counts_as_its_parent(policy):
    node = Node(3, first_play_urgency=0.0, exploration=0.0, first_play_parent=1)
    node.visit([6, 2, 0], [0.75, 0.35, 0.0])  # the parent's mean is 0.65
    assert node.choose(policy) == 0
    node.settings["first_play_urgency"] = 0.11
    assert node.choose(policy) == 2
    node.settings["first_play_reduction"] = 0.02
    assert node.choose(policy) == 0
    node.view["low"], node.view["high"] = -3.0, 5.0
    node.visit([6, 2, 0], [3.0, -0.2, 0.0])  # the same, eight times as far apart
    assert node.choose(policy) == 0
    node.settings["first_play_reduction"] = 0.0
    assert node.choose(policy) == 2


def test_the_reduction_grows_with_the_share_of_priors_tried():
    node = Node(3, exploration=0.0, first_play_parent=1, first_play_reduction=0.4)
    node.statistics["prior"] = [0.04, 0.6, 0.36]
    node.visit([4, 0, 0], [0.5, 0.0, 0.0])
    # The parent's 0.5 less 0.4 sqrt(0.04) = 0.42.
    assert node.choose("puct") == 0
    node.edges["mean"][0] = 0.5
    node.settings["first_play_reduction"] = 0.0
    node.settings["first_play_urgency"] = 0.1
    assert node.choose("puct") == 1
    # An action that waits only is a loss, not untried.
    node.statistics["virtual_visits"] = [0, 1, 0]
    assert node.choose("puct") == 2


def test_first_play_as_the_parent_does_not_starve_untried_actions():
    """The best action is tried although it counts no more than the others before."""
    for paranoid in (False, True):
        found = visits(
            IN_TURN,
            lambda totals: totals,
            1,
            first_play_urgency=0.3,
            first_play_value="parent",
            paranoid=paranoid,
        )
        assert np.argmax(found) == 2
