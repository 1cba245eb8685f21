"""Each option does something: a case for every option and every one of its choices.

K, the closed loop and the order in which actions are tried were without effect in TAG
for years, and no test noticed. An option that is added without a case here fails.
"""

import dataclasses
import time

import numpy as np
import pytest

from mcts_agents.model import History, new_generator
from mcts_agents.search import Search, SearchSettings
from mcts_agents.search.options import option_of
from tests.games import kuhn_poker
from tests.search.by_hand import some_tree_policy
from tests.search.schedule_game import schedule
from tests.toy_games import auction, fuse, hands, nim

FIELDS = {field.name: field for field in dataclasses.fields(SearchSettings)}
TURNS = {"turns": (0, 0, 1, 1, 1, 2, 2, 3, 3, 4), "rounds": (0, 0, 0, 0, 1, 1, 1, 1, 1)}
IN_TURN = schedule((1, 1, 2, 2, 1, 2, 1, 1, 2), **TURNS)
THREE = schedule((1, 2, 4) * 3, players=3)
HEURISTIC = {"action_heuristic": "game"}
INFORMED = hands(3)
MAST = {"rollout_policy": "mast"}


def by_number(model, state, player, actions):
    """An action heuristic of the user."""
    return [0.1 * action for action in actions]


def greatest(model, state, player):
    """A policy of the user."""
    return max(model.legal_actions(state, player))


def constant(model, state):
    """A leaf heuristic of the user."""
    return [float(model.view(state)["step"])] * model.players


# Option: a game, what is held fixed, and values between any two of which the visits of
# the root's actions differ. Several such cases for some.
VISITS = {
    "simulations": [(auction(), {}, 100, 200)],
    "forward_model_calls": [(auction(), {}, 100, 200)],
    "threads": [(auction(), {}, 1, 2, 3)],
    "tree": [(auction(), {}, "one", "self", "multi", "observers")],
    "paranoid": [(auction(), {}, False, True)],
    "abstraction": [(THREE, {}, "none", "own", "all")],
    "abstraction_visits": [(THREE, {"abstraction": "all"}, 1.0, 30.0, 1000.0)],
    "graph": [(IN_TURN, {}, False, True)],
    "expand_after_clash": [(IN_TURN, {"graph": True}, False, True)],
    "simultaneous": [(auction(), {}, "decoupled", "serialised")],
    "max_depth": [(IN_TURN, {}, 1, 2, 1000)],
    "solver": [(nim(), {"simulations": 3000}, False, True)],
    "information": [(INFORMED, {}, "set", "perfect")],
    "loop": [(auction(), {}, "open", "sampled")],
    "opponent_information": [
        (kuhn_poker.KUHN.model(), {"tree": "multi"}, "merged", "separate")
    ],
    "determinizations": [(INFORMED, {}, 1, 2, 5)],
    "combine": [(INFORMED, {"determinizations": 5}, "visits", "vote")],
    "tree_policy": [(IN_TURN, {}, *option_of(FIELDS["tree_policy"]).choices)],
    "exploration": [
        (auction(), {"tree_policy": p}, 0.0, 0.1, 1.0, 3.0)
        for p in ("ucb1", "ucb_tuned", "alphago")
    ],
    "epsilon": [
        (auction(), {"tree_policy": p}, 0.05, 0.3, 1.0)
        for p in ("exp3", "exp3_boltzmann", "regret_matching", "epsilon_greedy")
    ],
    "temperature": [(auction(), {"tree_policy": "exp3_boltzmann"}, 0.02, 0.1, 2.0)],
    "first_play_urgency": [(IN_TURN, {"simulations": 40}, None, 0.0, 0.8)],
    "normalise": [
        (auction(), {"tree_policy": p}, True, False)
        for p in ("ucb1", "ucb_tuned", "alphago", "exp3", "exp3_boltzmann")
    ],
    "action_heuristic": [
        (IN_TURN, {"progressive_bias": 3.0}, "game", "mast", by_number),
        (IN_TURN, {"simulations": 200}, "none", "game"),
    ],
    "action_heuristic_interval": [
        (IN_TURN, {"action_heuristic": "mast", "progressive_bias": 5.0}, 1, 10**6)
    ],
    "prior_temperature": [(IN_TURN, HEURISTIC, None, 0.0, 0.1, 2.0)],
    "progressive_bias": [(IN_TURN, HEURISTIC, 0.0, 1.0, 10.0)],
    "initial_visits": [(IN_TURN, HEURISTIC, 0, 5, 50)],
    "widening": [(IN_TURN, HEURISTIC, 0.0, 0.1, 0.2)],
    "widening_exponent": [(IN_TURN, HEURISTIC | {"widening": 0.4}, 0.1, 0.3)],
    "rollout": [(auction(), {}, 0, 1, 1000)],
    "rollout_per_player": [(auction(), {"rollout": 1}, False, True)],
    "rollout_end": [
        (IN_TURN, {"rollout": 1}, *option_of(FIELDS["rollout_end"]).choices)
    ],
    "rollout_policy": [(IN_TURN, {}, "random", "mast", "lowest", "highest")],
    "opponent_model": [
        (IN_TURN, {}, "random", "mast", "lowest", greatest),
        (IN_TURN, {"tree": "self", "rollout": 0}, "random", "lowest", greatest),
    ],
    "mast": [(IN_TURN, MAST, "tree", "rollout", "both")],
    "mast_temperature": [(IN_TURN, MAST, 0.01, 0.1, 10.0)],
    "mast_default": [(IN_TURN, MAST | {"simulations": 60}, 0.0, 0.5, 1.0)],
    "value": [(THREE, {"rollout": 3}, "win", "score", "leader", "evaluate", constant)],
    "score_bonus": [
        (auction(), {"value": value}, 0.0, 0.5, 1.0) for value in ("score", "leader")
    ],
    "backup": [(IN_TURN, {}, "monte_carlo", "lambda", "max_lambda", "max_mc")],
    "backup_lambda": [
        (IN_TURN, {"backup": backup}, 0.0, 0.5, 1.0)
        for backup in ("lambda", "max_lambda")
    ],
    "backup_threshold": [(IN_TURN, {"backup": "max_mc"}, 0.0, 50.0, 1e6)],
}
# Options with an effect of another kind, and where it is tested.
OTHERWISE = {
    "seconds": "test_seconds_end_a_search",
    "safety_margin": "test_a_search_ends_by_its_margin_earlier",
    "memory": "test_memory_ends_a_search",
    "reuse_tree": "test_a_reused_tree_begins_with_its_visits",
    "final": "test_final_move",
    "mast_decay": "test_averages_decay_from_one_decision_to_the_next",
}
CASES = [(name, *case) for name, cases in VISITS.items() for case in cases]


def search(model, *, seed=0, **settings):
    """Search from an opening for its first mover."""
    rng = new_generator(seed)
    while True:
        state = model.reset(rng)
        player = model.movers(state)[0]
        if len(model.legal_actions(state, player)) > 1:
            break
    if not {"simulations", "seconds", "forward_model_calls"} & set(settings):
        settings["simulations"] = 500
    return Search(model, SearchSettings(**settings)).run(state, player, rng)


def test_every_option_has_a_case():
    assert set(VISITS) | set(OTHERWISE) == set(FIELDS)
    assert not set(VISITS) & set(OTHERWISE)
    for test in OTHERWISE.values():
        assert callable(globals()[test])


def test_every_choice_has_a_case():
    tested = {
        (name, value)
        for name, _, fixed, *values in CASES
        for value in [*values, *fixed.values()]
        if isinstance(value, str)
    }
    elsewhere = {
        ("final", "visits"),  # test_final_move
        ("final", "value"),
        ("final", "sample"),
        ("loop", "closed"),  # test_closed_loop: the same visits for fewer calls
        ("combine", "average"),  # test_merging: other decisions
        ("mast", "none"),
    }
    missing = {
        (name, choice)
        for name, field in FIELDS.items()
        for choice in option_of(field).choices
    } - (tested | elsewhere)
    assert not missing


@pytest.mark.parametrize(
    "case", CASES, ids=lambda c: f"{c[0]}-{'-'.join(map(str, c[2].values()))}"
)
def test_option_changes_the_search(case):
    name, model, fixed, *values = case
    found = [search(model, **fixed, **{name: value}) for value in values]
    again = search(model, **fixed, **{name: values[0]})
    assert again.visits.tolist() == found[0].visits.tolist()
    visits = [tuple(result.visits) for result in found]
    assert len(set(visits)) == len(values), dict(zip(values, visits, strict=True))


def test_a_tree_policy_of_the_user():
    # It always takes the last candidate.
    found = search(IN_TURN, tree_policy=some_tree_policy, simulations=50)
    assert found.visits.tolist() == [0, 0, 50]


def test_a_tree_policy_of_the_user_may_read_all_options():
    options = {"exploration": 3.0, "epsilon": 0.3, "temperature": 2.0}
    options |= {"normalise": False, "first_play_urgency": 0.5}
    search(IN_TURN, tree_policy=some_tree_policy, simulations=50, **options)


# -- final move


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
        assert value.values[chosen] == np.nanmax(value.values)
        different += visits.action != value.action
    assert different > 0


@pytest.mark.parametrize("policy", ["exp3", "exp3_boltzmann", "regret_matching"])
def test_final_move_is_drawn_from_the_average_strategy(policy):
    model = auction()
    state = model.reset(new_generator(0))
    settings = SearchSettings(simulations=60, tree_policy=policy)
    searching = Search(model, settings)
    drawn = np.zeros(4)
    expected = np.zeros(4)
    for seed in range(600):
        found = searching.run(state, 0, new_generator(seed))
        assert found.strategy.sum() == pytest.approx(1.0)
        expected[found.actions] += found.strategy / 600
        drawn[found.action] += 1 / 600
    np.testing.assert_allclose(drawn, expected, atol=0.08)
    assert (drawn > 0).sum() > 1
    most = search(model, tree_policy=policy, final="visits")
    chosen = most.actions.tolist().index(most.action)
    assert most.visits[chosen] == most.visits.max()


@pytest.mark.parametrize("max_depth", [1, 2, 3])
@pytest.mark.parametrize("tree", ["one", "self", "multi"])
def test_max_depth_bounds_the_depth_of_each_tree(max_depth, tree):
    found = search(fuse(), simulations=3000, max_depth=max_depth, tree=tree)
    assert found.depth == max_depth


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


# -- resources


def test_seconds_end_a_search():
    search(auction(), simulations=10)  # compiled now
    started = time.perf_counter()
    assert search(auction(), seconds=0.05).seconds > 0.02
    assert time.perf_counter() - started < 1.0


def test_a_search_ends_by_its_margin_earlier():
    search(auction(), simulations=10)
    found = search(auction(), seconds=30.0, safety_margin=29.95)
    assert 0.02 < found.seconds < 5.0


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"loop": "closed"},
        {"tree": "multi"},
        {"backup": "lambda"},
        {"graph": True, "max_depth": 12},
        {"abstraction": "all"},
        {"action_heuristic": "game"},
    ],
    ids=str,
)
def test_memory_ends_a_search(options):
    model = schedule((7,) * 12, players=3)
    spent = []
    for memory in (1, 2):
        found = search(
            model, seconds=30.0, memory=memory, rollout=0, value="score", **options
        )
        assert found.bytes <= memory << 20
        assert found.seconds < 20.0
        spent.append(found.bytes)
    assert spent[1] > 1.5 * spent[0] > 1 << 19


def test_a_reused_tree_begins_with_its_visits():
    visits = {}
    for reuse in (False, True):
        model = schedule((1, 2, 1, 2, 1, 2))
        state = model.reset(new_generator(0))
        searching = Search(model, SearchSettings(simulations=400, reuse_tree=reuse))
        first = searching.run(state, 0, new_generator(1), history=History("game", ()))
        played = ((first.action, -1), (-1, 2))
        below = first.tree()
        for joint in played:
            taken = {p: a for p, a in enumerate(joint) if a >= 0}
            below = next(c["node"] for c in below["children"] if c["actions"] == taken)
        before = below["visits"]
        for joint in played:
            actions = {p: a for p, a in enumerate(joint) if a >= 0}
            model.apply(state, actions, new_generator(0))
        second = searching.run(
            state, 0, new_generator(2), history=History("game", played)
        )
        assert second.simulations == 400
        assert second.reused == (before if reuse else 0)
        assert second.visits.sum() == 400 + second.reused
        visits[reuse] = second.visits.tolist()
    assert before > 10
    assert visits[True] != visits[False]


def test_averages_decay_from_one_decision_to_the_next():
    visits = {}
    for decay in (0.0, 0.5, 1.0):
        model = schedule((1, 2) * 3)
        state = model.reset(new_generator(0))
        searching = Search(
            model, SearchSettings(simulations=60, mast_decay=decay, **MAST)
        )
        found = [searching.run(state, 0, new_generator(5)) for _ in range(2)]
        visits[decay] = tuple(found[1].visits)
        assert (found[0].visits.tolist() == found[1].visits.tolist()) == (decay == 0.0)
        searching.forget()
        again = searching.run(state, 0, new_generator(5))
        assert again.visits.tolist() == found[0].visits.tolist()
    assert len(set(visits.values())) == 3
