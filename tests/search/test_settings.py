"""Settings: which values are refused and how, and which choices are the game's."""

import dataclasses
import math
import re
from pathlib import Path

import pytest

import mcts_agents.search
from mcts_agents import make_agent
from mcts_agents.search import Search, SearchSettings
from mcts_agents.search.options.option import options_of
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
    "value": ["points", "", 1, [1]],
    "score_bonus": [-0.1, 1.1, *NUMBERLESS],
    "score_bonus_by": ["score", None, 1],
    "solver": [0, 1, "yes"],
    "final": ["robust", "", 1],
    "safety_margin": [-0.1, None, *NUMBERLESS],
    "memory": [0, -1, 1.0, True, "1"],
    "threads": [0, 257, None, 1.0, True],
    "reuse_tree": [0, 1, None, "yes"],
    "abstraction": ["oma", None, 1],
    "abstraction_visits": [0.0, -1.0, None, *NUMBERLESS],
    "abstraction_context": ["all", None, 1],
    "keep_abstraction": [0, 1, None, "yes"],
    "graph": [0, None, "yes"],
    "expand_after_clash": [0, None, "yes"],
    "simultaneous": ["together", None, 1],
    "opponent": ["closest", "", 1, 0],
    "action_filter": ["none", "", 1, True],
    "loop": ["half", 1],
    "opponent_information": ["all", None, 1],
    "determinizations": [0, 10_001, None, 1.0, True],
    "combine": ["best", None, 1],
    "tree_policy": ["ucb", "", None, 1],
    "root_policy": ["halving", "", None, 1, len],
    "gumbel_actions": [0, -1, None, 2.5],
    "gumbel_noise": [-0.1, None, *NUMBERLESS],
    "gumbel_visits": [-0.1, None, *NUMBERLESS],
    "gumbel_scale": [-0.1, None, *NUMBERLESS],
    "epsilon": [0.0, 1.1, None, *NUMBERLESS],
    "temperature": [0.0, -1.0, None, *NUMBERLESS],
    "first_play_urgency": [-0.1, *NUMBERLESS],
    "first_play_value": ["most", None, 1],
    "first_play_reduction": [-0.1, None, *NUMBERLESS],
    "normalise": [0, 1, None, "yes"],
    "action_heuristic": ["own", None, 1],
    "action_heuristic_interval": [0, None, 1.0, True],
    "prior_temperature": [-0.1, *NUMBERLESS],
    "progressive_bias": [-0.1, None, *NUMBERLESS],
    "initial_visits": [-1, 1_000_001, None, 1.0, True],
    "widening": [-0.1, None, *NUMBERLESS],
    "widening_exponent": [-0.1, 1.1, None, *NUMBERLESS],
    "rollout_per_player": [0, 1, None, "yes"],
    "rollout_end": ["now", None, 1],
    "rollout_policy": [1, [1]],
    "opponent_model": [1, 0.5, True],
    "mast": ["all", None, 1],
    "mast_decay": [-0.1, 1.1, None, *NUMBERLESS],
    "mast_temperature": [0.0, -1.0, None, *NUMBERLESS],
    "mast_default": [-0.1, 1.1, None, *NUMBERLESS],
    "evaluator": ["net", "none", 1, True, [1], make_agent("random")],
    "batch": [0, 65_537, None, 1.0, True],
    "virtual_loss": [-1, 1_000_001, None, 1.0, True],
    "root_noise": [-0.1, 1.1, None, *NUMBERLESS],
    "root_noise_alpha": [0.0, -1.0, None, *NUMBERLESS],
    "discount": [0, -0.1, 1.1, *NUMBERLESS],
    "backup": ["best", None, 1],
    "backup_lambda": [-0.1, 1.1, None, *NUMBERLESS],
    "backup_threshold": [-0.1, None, *NUMBERLESS],
}
LIMITS = {
    "safety_margin": [0, 0.0, 2.5],
    "memory": [1, None],
    "threads": [1, 256],
    "abstraction_visits": [1e-9, 1000],
    "determinizations": [1, 10_000],
    "epsilon": [1e-9, 1, 1.0],
    "temperature": [1e-9, 100],
    "first_play_urgency": [0, 10.0, None],
    "action_heuristic_interval": [1],
    "prior_temperature": [0, 10.0, None],
    "progressive_bias": [0, 10.0],
    "initial_visits": [0, 1_000_000],
    "widening": [0, 100.0],
    "widening_exponent": [0.0, 1e-9, 1],
    "mast_decay": [0, 1.0],
    "mast_temperature": [1e-9, 10],
    "mast_default": [0, 1.0],
    "discount": [1e-9, 1.0],
    "backup_lambda": [0, 1.0],
    "evaluator": [None, len],
    "batch": [1, 65_536],
    "virtual_loss": [0, 1_000_000],
    "root_noise": [0, 1.0],
    "root_noise_alpha": [1e-9, 100],
    "backup_threshold": [0, 1e9],
    "simulations": [1, None],
    "seconds": [1e-9, 1, None],
    "forward_model_calls": [1, None],
    "exploration": [0, 0.0, 1000.0],
    "rollout": [0, None],
    "max_depth": [1, 100_000],
    "score_bonus": [0, 1.0, None],
    "solver": [None, False, True],
}


@pytest.mark.parametrize("name", FIELDS)
def test_the_file_of_an_option_speaks_of_it(name):
    room = Path(mcts_agents.search.__file__).parent
    file = room / options_of(SearchSettings)[name].file
    assert re.search(rf"\b{name}\b", file.read_text(encoding="utf-8"))


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


def test_a_game_cannot_choose_what_nobody_leaves_open():
    message = r"names \['exploration'\], which already have fixed defaults; a game may"
    with pytest.raises(ValueError, match=message):
        SearchSettings().for_model(game_with_defaults(exploration=3.0))


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


def test_an_open_loop_goes_with_every_tree():
    for tree in ("one", "self", "pair", "multi", "observers"):
        assert SearchSettings(tree=tree, loop="open").for_model(nim()).loop == "open"
