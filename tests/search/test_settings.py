"""Settings: what is refused and how, and that each one does what it says."""

import dataclasses
import math
import time

import pytest

from mcts_agents.model import new_generator
from mcts_agents.search import Search, SearchSettings
from mcts_agents.search.options import option_of
from tests.toy_games import auction, fuse, hands, nim

FIELDS = [field.name for field in dataclasses.fields(SearchSettings)]
NUMBERLESS = [math.nan, math.inf, -math.inf, True, "1", [1]]
FLAGS = [0, 1, None, "yes"]
COUNTS = [0, -1, 1.0, True, "1", [1]]
WORDLESS = ["", None, 0, ["one"]]
INVALID = {
    "simulations": COUNTS,
    "seconds": [0, 0.0, -1.0, *NUMBERLESS],
    "safety_margin": [-0.1, None, *NUMBERLESS],
    "forward_model_calls": COUNTS,
    "memory": COUNTS,
    "threads": [*COUNTS, None, 257],
    "reuse_tree": FLAGS,
    "tree": ["two", 1, "One", *WORDLESS],
    "paranoid": FLAGS,
    "abstraction": ["oma", True, *WORDLESS],
    "abstraction_visits": [0, -1.0, None, *NUMBERLESS],
    "graph": FLAGS,
    "expand_after_clash": FLAGS,
    "simultaneous": ["both", *WORDLESS],
    "max_depth": [0, -1, 100_001, None, 1.0, True],
    "solver": [0, 1, "yes"],
    "information": ["none", *WORDLESS],
    "loop": ["closed_loop", *WORDLESS],
    "opponent_information": ["all", *WORDLESS],
    "determinizations": [*COUNTS, None, 10_001],
    "combine": ["mean", *WORDLESS],
    "tree_policy": ["ucb", *WORDLESS],
    "exploration": [-0.1, None, *NUMBERLESS],
    "epsilon": [0, -0.1, 1.1, None, *NUMBERLESS],
    "temperature": [0, -0.1, None, *NUMBERLESS],
    "first_play_urgency": [-0.1, *NUMBERLESS],
    "normalise": FLAGS,
    "final": ["robust", 1, True, ""],
    "action_heuristic": ["rave", *WORDLESS],
    "action_heuristic_interval": [*COUNTS, None],
    "prior_temperature": [-0.1, *NUMBERLESS],
    "progressive_bias": [-0.1, None, *NUMBERLESS],
    "initial_visits": [-1, 1.0, None, 1_000_001, True, "1"],
    "widening": [-0.1, None, *NUMBERLESS],
    "widening_exponent": [0, 1.1, None, *NUMBERLESS],
    "rollout": [-1, 1.5, False, "1"],
    "rollout_per_player": FLAGS,
    "rollout_end": ["turns", *WORDLESS],
    "rollout_policy": [None, 0, ["random"]],
    "opponent_model": [0, True, ["random"]],
    "mast": ["all", True, *WORDLESS],
    "mast_decay": [-0.1, 1.1, None, *NUMBERLESS],
    "mast_temperature": [0, -0.1, None, *NUMBERLESS],
    "mast_default": [-0.1, 1.1, None, *NUMBERLESS],
    "value": ["points", "", 1],
    "score_bonus": [-0.1, 1.1, *NUMBERLESS],
    "backup": ["td", *WORDLESS],
    "backup_lambda": [-0.1, 1.1, None, *NUMBERLESS],
    "backup_threshold": [-0.1, None, *NUMBERLESS],
}


def no_policy(*arguments):
    """Stand for a function of the user."""


LIMITS = {
    "simulations": [1, None],
    "seconds": [1e-9, 1, None],
    "safety_margin": [0, 0.0, 1.0],
    "forward_model_calls": [1, None],
    "memory": [1, None],
    "threads": [1, 256],
    "reuse_tree": [False, True],
    "tree": ["one", "self", "multi", "observers"],
    "paranoid": [False, True],
    "abstraction": ["none", "own", "all"],
    "abstraction_visits": [1e-9, 1],
    "graph": [False, True],
    "expand_after_clash": [False, True],
    "simultaneous": ["decoupled", "serialised"],
    "max_depth": [1, 100_000],
    "solver": [None, False, True],
    "information": ["set", "perfect"],
    "loop": ["open", "closed", "sampled"],
    "opponent_information": ["merged", "separate"],
    "determinizations": [1, 10_000],
    "combine": ["average", "visits", "vote"],
    "tree_policy": [
        "ucb1",
        "ucb_tuned",
        "alphago",
        "exp3",
        "exp3_boltzmann",
        "regret_matching",
        "uniform",
        "epsilon_greedy",
        no_policy,
    ],
    "exploration": [0, 0.0, 1000.0],
    "epsilon": [1e-9, 1, 1.0],
    "temperature": [1e-9, 1],
    "first_play_urgency": [None, 0, 10.0],
    "normalise": [False, True],
    "final": [None, "visits", "value", "sample"],
    "action_heuristic": ["none", "game", "mast", no_policy],
    "action_heuristic_interval": [1, 10**6],
    "prior_temperature": [None, 0, 1.0],
    "progressive_bias": [0, 1.0],
    "initial_visits": [0, 1_000_000],
    "widening": [0, 10.0],
    "widening_exponent": [1e-9, 1, 1.0],
    "rollout": [0, None],
    "rollout_per_player": [False, True],
    "rollout_end": ["exact", "action", "start", "turn", "round"],
    "rollout_policy": ["random", "mast", no_policy],
    "opponent_model": [None, "random", no_policy],
    "mast": ["none", "tree", "rollout", "both"],
    "mast_decay": [0, 1],
    "mast_temperature": [1e-9, 1],
    "mast_default": [0, 1],
    "value": [None, "win", "score", "leader", "evaluate", no_policy],
    "score_bonus": [0, 1.0, None],
    "backup": ["monte_carlo", "lambda", "max_lambda", "max_mc"],
    "backup_lambda": [0, 1],
    "backup_threshold": [0, 1e9],
}


def test_every_setting_has_limits():
    assert set(LIMITS) == set(FIELDS)


def test_choices_are_all_there():
    for field in dataclasses.fields(SearchSettings):
        choices = option_of(field).choices
        assert [v for v in LIMITS[field.name] if v in choices] == list(choices)


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


# -- budgets


def search(model, *, seed=0, **settings):
    """Search from an opening for its first mover."""
    rng = new_generator(seed)
    state = model.reset(rng)
    player = model.movers(state)[0]
    return Search(model, SearchSettings(**settings)).run(state, player, rng)


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
