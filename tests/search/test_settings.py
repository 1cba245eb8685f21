"""Settings: what is refused and how, and that each one does what it says."""

import dataclasses
import math
import time

import pytest

from mcts_agents.model import new_generator
from mcts_agents.search import Search, SearchSettings
from tests.toy_games import auction, fuse, hands, nim

FIELDS = [field.name for field in dataclasses.fields(SearchSettings)]
NUMBERLESS = [math.nan, math.inf, -math.inf, True, "1", [1]]
INVALID = {
    "simulations": [0, -1, 1.0, True, "1", [1]],
    "seconds": [0, 0.0, -1.0, *NUMBERLESS],
    "forward_model_calls": [0, -1, 1.0, True, "1", [1]],
    "tree": ["two", "", None, 1, "One", ["one"]],
    "paranoid": [0, 1, None, "yes"],
    "information": ["none", None, 0],
    "exploration": [-0.1, None, *NUMBERLESS],
    "rollout": [-1, 1.5, False, "1"],
    "max_depth": [0, -1, 100_001, None, 1.0, True],
    "value": ["points", "", 1],
    "score_bonus": [-0.1, 1.1, *NUMBERLESS],
    "solver": [0, 1, "yes"],
    "final": ["robust", None, 1],
}
LIMITS = {
    "simulations": [1, None],
    "seconds": [1e-9, 1, None],
    "forward_model_calls": [1, None],
    "exploration": [0, 0.0, 1000.0],
    "rollout": [0, None],
    "max_depth": [1, 100_000],
    "score_bonus": [0, 1.0, None],
    "solver": [None, False, True],
}


def test_every_setting_has_invalid_values():
    assert set(INVALID) == set(FIELDS)


@pytest.mark.parametrize(
    ("name", "value"), [(n, v) for n, values in INVALID.items() for v in values]
)
def test_invalid_values_are_refused_by_name(name, value):
    with pytest.raises(ValueError, match=f"^{name}="):
        SearchSettings(**{name: value})


@pytest.mark.parametrize(
    ("name", "value"), [(n, v) for n, values in LIMITS.items() for v in values]
)
def test_values_at_the_limits_are_taken(name, value):
    settings = SearchSettings(**({"simulations": 5} | {name: value}))
    if name != "simulations" or value is not None:
        assert getattr(settings, name) == value


def test_budget_is_a_thousand_simulations_only_if_none_is_given():
    assert SearchSettings().simulations == 1000
    assert SearchSettings(seconds=1.0).simulations is None
    assert SearchSettings(forward_model_calls=10).simulations is None


# -- open choices are the game's


def test_open_choices():
    settings = SearchSettings().for_model(auction())
    assert (settings.value, settings.rollout) == ("score", 1000)
    assert (settings.score_bonus, settings.solver) == (0.5, False)
    assert SearchSettings().for_model(nim()).value == "win"
    assert SearchSettings(value="score").for_model(nim()).value == "score"


def game_with_defaults(**defaults):
    """`fuse` with other search defaults."""
    model = fuse.__wrapped__()
    model.search_defaults = defaults
    return model


def test_a_game_chooses_what_was_left_open():
    chosen = {"value": "win", "rollout": 7, "score_bonus": 0.25, "solver": False}
    settings = SearchSettings(rollout=9).for_model(game_with_defaults(**chosen))
    for name, value in (chosen | {"rollout": 9}).items():
        assert getattr(settings, name) == value


def test_a_game_cannot_choose_what_does_not_exist():
    with pytest.raises(ValueError, match=r"fuse: search_defaults names \['depth'\]"):
        SearchSettings().for_model(game_with_defaults(depth=3))


def test_a_games_choice_is_checked_too():
    with pytest.raises(ValueError, match=r"^rollout=-1"):
        SearchSettings().for_model(game_with_defaults(rollout=-1))


def test_evaluation_needs_an_evaluation_function():
    with pytest.raises(ValueError, match="value='evaluate': fuse has no evaluation"):
        Search(fuse(), SearchSettings(value="evaluate"))


@pytest.mark.parametrize(
    ("model", "settings"),
    [
        (auction(), {"value": "win"}),  # chance
        (hands(2), {"value": "win"}),  # chance and hidden information
        (nim(), {"tree": "self"}),
        (nim(), {"tree": "multi"}),
        (nim(), {"value": "score"}),
        (nim(), {"paranoid": True}),  # three players
    ],
)
def test_solver_is_refused_where_nothing_can_be_proven(model, settings):
    assert SearchSettings(**settings).for_model(model).solver is False
    with pytest.raises(ValueError, match=r"^solver=true: "):
        SearchSettings(solver=True, **settings).for_model(model)


# -- every setting does something


def search(model, *, seed=0, **settings):
    """Search from an opening for its first mover."""
    rng = new_generator(seed)
    state = model.reset(rng)
    player = model.movers(state)[0]
    return Search(model, SearchSettings(**settings)).run(state, player, rng)


FIXED = {"simulations": 500}
# What to hold fixed, and two values between which the visits of the root differ.
CHANGES_VISITS = {
    "simulations": (auction(), {}, 100, 200),
    "forward_model_calls": (auction(), {}, 100, 200),
    "tree": (auction(), FIXED, "one", "multi"),
    "paranoid": (auction(), FIXED, False, True),
    "information": (hands(2), FIXED, "set", "perfect"),
    "exploration": (auction(), FIXED, 0.1, 2.0),
    "rollout": (auction(), FIXED, 0, 1000),
    "max_depth": (auction(), FIXED, 1, 1000),
    "value": (auction(), FIXED, "score", "evaluate"),
    "score_bonus": (auction(), FIXED, 0.0, 1.0),
    "solver": (nim(), {"simulations": 3000}, False, True),
}
# These are tested below.
CHANGES_OTHERWISE = {
    "seconds": "test_seconds_end_a_search",
    "final": "test_final_move",
}


def test_every_setting_has_a_case():
    assert set(CHANGES_VISITS) | set(CHANGES_OTHERWISE) == set(FIELDS)
    assert not set(CHANGES_VISITS) & set(CHANGES_OTHERWISE)
    for test in CHANGES_OTHERWISE.values():
        assert callable(globals()[test])


@pytest.mark.parametrize("name", CHANGES_VISITS)
def test_setting_changes_the_search(name):
    model, fixed, one, other = CHANGES_VISITS[name]
    found = search(model, **fixed, **{name: one})
    again = search(model, **fixed, **{name: one})
    changed = search(model, **fixed, **{name: other})
    assert found.visits.tolist() == again.visits.tolist()
    assert found.visits.tolist() != changed.visits.tolist()


@pytest.mark.parametrize("tree", ["self", "multi"])
def test_trees_differ_from_each_other(tree):
    one = search(auction(), **FIXED)
    assert search(auction(), tree=tree, **FIXED).visits.tolist() != one.visits.tolist()


@pytest.mark.parametrize("value", ["score", "evaluate"])
def test_values_differ_from_results(value):
    # Rollouts to the end would leave nothing to evaluate.
    win = search(auction(), value="win", rollout=0, **FIXED)
    other = search(auction(), value=value, rollout=0, **FIXED)
    assert win.visits.tolist() != other.visits.tolist()


def test_final_move():
    # Some search in which the most visited action is not the one of greatest mean.
    different = 0
    for seed in range(50):
        settings = {"seed": seed, "simulations": 40, "exploration": 3.0}
        visits = search(auction(), final="visits", **settings)
        value = search(auction(), final="value", **settings)
        assert visits.visits.tolist() == value.visits.tolist()
        chosen = visits.actions.tolist().index(visits.action)
        assert visits.visits[chosen] == visits.visits.max()
        chosen = value.actions.tolist().index(value.action)
        assert value.values[chosen] == value.values.max()
        different += visits.action != value.action
    assert different > 0


@pytest.mark.parametrize("max_depth", [1, 2, 3])
@pytest.mark.parametrize("tree", ["one", "self", "multi"])
def test_max_depth_bounds_the_depth_of_each_tree(max_depth, tree):
    found = search(fuse(), simulations=3000, max_depth=max_depth, tree=tree)
    assert found.depth == max_depth


@pytest.mark.parametrize("rollout", [0, 1, 4])
@pytest.mark.parametrize("tree", ["one", "multi"])
def test_rollout_bounds_the_actions_after_the_tree(rollout, tree):
    # One decision deep: each iteration applies at most one action in each tree.
    trees = 1 if tree == "one" else 2
    found = search(fuse(), simulations=100, max_depth=1, rollout=rollout, tree=tree)
    assert found.forward_model_calls == 100 * (trees + rollout)


@pytest.mark.parametrize("bonus", [0.0, 0.25, 1.0])
def test_score_bonus_is_a_share_of_the_score(bonus):
    # The second player has 0.25 points. Of two stones it takes one and loses, or both
    # and wins.
    model = nim()
    state = model.reset(new_generator(0))
    model.view(state)["heaps"] = (2, 0, 0)
    model.view(state)["turn"] = 1
    settings = SearchSettings(value="score", score_bonus=bonus)
    found = Search(model, settings).run(state, 1, new_generator(0))
    assert found.actions.tolist() == [0, 1]
    assert found.values == pytest.approx([0.25 * (1 - bonus), 0.25 * (1 + bonus)])


# -- budgets


@pytest.mark.parametrize("model", [auction(), hands(3), fuse()])
@pytest.mark.parametrize("simulations", [1, 2, 17, 1000, 12_345])
def test_simulations_are_exact(model, simulations):
    found = search(model, simulations=simulations)
    assert found.simulations == simulations
    assert found.visits.sum() == simulations


@pytest.mark.parametrize("model", [auction(), hands(3), fuse()])
@pytest.mark.parametrize("calls", [1, 10, 999, 20_000])
def test_calls_overshoot_by_less_than_one_iteration(model, calls):
    found = search(model, forward_model_calls=calls)
    assert found.forward_model_calls >= calls
    before = search(model, simulations=found.simulations - 1 or 1)
    if found.simulations > 1:
        assert before.forward_model_calls < calls
    longest = 12  # actions of any of these games
    assert found.forward_model_calls < calls + longest


@pytest.mark.parametrize("seconds", [0.01, 0.1])
def test_seconds_end_a_search(seconds):
    search(auction(), simulations=10)  # compiled now
    started = time.perf_counter()
    found = search(auction(), seconds=seconds)
    assert time.perf_counter() - started < seconds + 1.0
    assert found.seconds < seconds + 1.0
    assert found.seconds > seconds / 2
    assert found.simulations > 10


def test_seconds_count_from_where_the_caller_started():
    model = auction()
    rng = new_generator(0)
    state = model.reset(rng)
    late = time.perf_counter() - 100.0
    found = Search(model, SearchSettings(seconds=50.0)).run(state, 0, rng, started=late)
    assert 1 <= found.simulations < 100
    assert found.seconds > 100.0


def test_the_first_budget_to_be_spent_ends_the_search():
    many = 10**9
    found = search(auction(), simulations=50, forward_model_calls=many, seconds=60.0)
    assert found.simulations == 50
    found = search(auction(), simulations=many, forward_model_calls=60, seconds=60.0)
    assert 60 <= found.forward_model_calls < 72
    found = search(auction(), simulations=many, forward_model_calls=many, seconds=0.02)
    assert found.seconds < 1.0


def test_a_caller_may_ask_for_fewer_simulations():
    model = auction()
    rng = new_generator(0)
    state = model.reset(rng)
    found = Search(model, SearchSettings()).run(state, 0, rng, simulations=3)
    assert found.simulations == 3
