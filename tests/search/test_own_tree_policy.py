"""Tree policies of users: the same form as this package's, and the same treatment."""

import dataclasses
import re
from pathlib import Path

import numpy as np
import pytest
from numba import njit, types

from mcts_agents import MCTSAgent
from mcts_agents.agents import to_mapping
from mcts_agents.envs import tictactoe
from mcts_agents.model import new_generator
from mcts_agents.model.random import random_below, random_float
from mcts_agents.search import Search, SearchSettings, TreePolicy
from mcts_agents.search.kernel.records import settings_at
from mcts_agents.search.kernel.tree_policies import TREE_POLICIES
from mcts_agents.search.kernel.tree_policies.indices import (
    candidate,
    decision_at,
    edges_at,
    rng_at,
)
from tests.search.evaluators import of_states
from tests.toy_games import auction, hands, nim


@njit
def greedy(view_address, settings_address, rng_address):
    """As `epsilon_greedy`, with an epsilon of its own."""
    view = decision_at(view_address)
    rng = rng_at(rng_address)
    if random_float(rng) < settings_at(settings_address).user[1]:
        return candidate(view, random_below(rng, view.count))
    edges = edges_at(view)
    best, best_value, ties = candidate(view, 0), -np.inf, 1
    for i in range(view.count):
        index = candidate(view, i)
        value = edges[index].mean if edges[index].visits > 0 else view.low
        if value > best_value:
            best, best_value, ties = index, value, 1
        elif value == best_value:
            ties += 1
            if random_below(rng, ties) == 0:
                best = index
    return best


GREEDY = TreePolicy(
    "greedy", choose=greedy, kind="other", parameters={"unused": 7.0, "epsilon": 0.3}
)


def found(model, **settings):
    """The result of one search."""
    rng = new_generator(0)
    state = model.reset(rng)
    search = Search(model, SearchSettings(simulations=400, **settings))
    return search.run(state, model.movers(state)[0], new_generator(3))


def assert_same(one, other):
    assert one.visits.tolist() == other.visits.tolist()
    np.testing.assert_array_equal(one.values, other.values)
    assert one.action == other.action
    if other.strategy is None:
        assert one.strategy is None
    else:
        assert one.strategy.tolist() == other.strategy.tolist()


@pytest.mark.parametrize("name", TREE_POLICIES)
def test_a_policy_given_as_an_object_is_the_one_of_that_name(name):
    model = auction()
    own = dataclasses.replace(TREE_POLICIES[name], name="mine")
    assert_same(found(model, tree_policy=own), found(model, tree_policy=name))


def test_parameters_reach_the_policy_in_their_order():
    model = nim()
    theirs = found(model, tree_policy="epsilon_greedy", epsilon=0.3)
    assert_same(found(model, tree_policy=GREEDY), theirs)
    other = dataclasses.replace(GREEDY, parameters={"unused": 0.3, "epsilon": 0.9})
    assert found(model, tree_policy=other).visits.tolist() != theirs.visits.tolist()


@njit
def by_depth(view_address, settings_address, rng_address):
    """The first action at the root, the last one below; the last one of the search."""
    view = decision_at(view_address)
    known = view.raw_value == view.raw_value
    if known or view.depth > 0 or view.simulations_left == 1:
        return candidate(view, view.count - 1)
    return candidate(view, 0)


@pytest.mark.parametrize("chosen", [{}, {"memory": 100}])
def test_a_policy_sees_where_it_chooses(chosen):
    policy = TreePolicy("by_depth", choose=by_depth, kind="other")
    result = found(nim(), tree_policy=policy, **chosen)
    assert result.visits[[0, -1]].tolist() == [399, 1]
    (bandit,) = result.tree()["children"][0]["node"]["bandits"]
    visited = [entry["visits"] for entry in bandit["actions"]]
    assert sum(visited[:-1]) == 0 < visited[-1]


def test_an_update_needs_leaves_that_do_not_wait():
    policy = TreePolicy("learning", choose=greedy, kind="other", update=greedy)
    told = dataclasses.replace(policy, options=None)
    model = nim()
    with pytest.raises(ValueError, match=r"evaluator=.* has an effect only with"):
        found(model, tree_policy=told, value="win", evaluator=of_states(model))


def test_what_a_policy_does_not_read_is_refused():
    for option, value in (("epsilon", 0.2), ("exploration", 2.0)):
        with pytest.raises(ValueError, match=f"{option}=.* has an effect only with"):
            found(nim(), tree_policy=GREEDY, **{option: value})
    reading = dataclasses.replace(GREEDY, options=("epsilon",))
    assert found(nim(), tree_policy=reading, epsilon=0.2).simulations == 400
    with pytest.raises(ValueError, match="average strategy"):
        found(nim(), tree_policy=GREEDY, final="sample")


def test_a_bare_function_may_read_every_option():
    settings = {"epsilon": 0.2, "exploration": 2.0, "temperature": 3.0}
    assert found(auction(), tree_policy=greedy, **settings).simulations == 400


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"kind": "best"}, ValueError, "kind='best'; expected one of index, sampling"),
        (
            {"parameters": dict.fromkeys("abcdefghijklmnopq", 0.0)},
            ValueError,
            "most 16",
        ),
        ({"choose": len}, TypeError, "choose=.*numba.njit"),
        ({"update": len}, TypeError, "update=.*numba.njit"),
        ({"name": "../greedy"}, ValueError, "'../greedy': expected as a name a letter"),
        ({"name": "x" * 61}, ValueError, "up to 59"),
        ({"name": "x\0"}, ValueError, "expected as a name"),
        ({"name": 3}, ValueError, "policy 3: expected as a name"),
        ({"options": "epsilon"}, TypeError, "options='epsilon'; expected a tuple"),
        ({"options": ("explorration",)}, ValueError, "options names 'explorration'"),
        ({"ignores": ("prior",)}, ValueError, "ignores names 'prior'; expected some"),
        ({"parameters": {"x": "1"}}, ValueError, "x='1'; expected a finite number"),
        ({"parameters": {"x": float("nan")}}, ValueError, "x=nan; expected a finite"),
        ({"kind": "sampling"}, ValueError, "keeps_statistics=True"),
        (
            {"update": GREEDY.choose, "evaluated": GREEDY.choose},
            ValueError,
            "has both `update` and `evaluated`",
        ),
    ],
)
def test_what_is_no_policy(change, error, words):
    with pytest.raises(error, match=words):
        dataclasses.replace(GREEDY, **change)


def test_parameters_are_copied():
    given = {"unused": 7.0, "epsilon": 0.3}
    policy = dataclasses.replace(GREEDY, parameters=given)
    given.update(dict.fromkeys("abcdefghijklmnopqrst", 1.0))
    assert_same(found(nim(), tree_policy=policy), found(nim(), tree_policy=GREEDY))
    assert len({policy, GREEDY}) == 2


# -- what a policy may not return


@njit
def before_all(view, settings, rng):
    return -1


@njit
def far_away(view, settings, rng):
    return 1 << 40


@njit
def of_the_root(view, settings, rng):
    return 1


@njit
def after_all(view, settings, rng):
    decision = decision_at(view)
    return decision.first + decision.count


@njit
def not_legal_now(view, settings, rng):
    """The first edge of the decision, which may be no candidate."""
    return decision_at(view).first


@pytest.mark.parametrize(
    ("policy", "game"),
    [
        (before_all, nim),
        (far_away, nim),
        (of_the_root, nim),
        (after_all, nim),
        (before_all, auction),
        (not_legal_now, hands),
    ],
)
def test_an_edge_that_cannot_be_taken_is_an_error(policy, game):
    for given in (policy, TreePolicy("own", choose=policy, kind="other")):
        with pytest.raises(RuntimeError, match=r"tree_policy=.*did not return the ind"):
            found(game(), tree_policy=given)


@njit
def no_number(view, settings, rng):
    return np.nan


@njit
def half_an_edge(view, settings, rng):
    return decision_at(view).first + 0.5


@njit
def nothing(view, settings, rng):
    pass


@njit
def of_two(view, settings):
    return 0


@pytest.mark.parametrize("wrong", [no_number, half_an_edge, nothing, of_two])
def test_functions_of_another_form_do_not_compile(wrong):
    with pytest.raises(TypeError, match=r"three addresses .* returns an integer"):
        found(nim(), tree_policy=wrong)
    policy = dataclasses.replace(GREEDY, update=wrong)
    with pytest.raises(TypeError, match="greedy_update: expected a compiled"):
        found(nim(), tree_policy=policy)


@njit
def loud(view, settings, rng):
    if view != 0:
        raise ArithmeticError("update was called")
    return 0


def test_an_update_is_called_whatever_else_is_asked_for():
    policy = dataclasses.replace(GREEDY, update=loud)
    assert policy.keeps_statistics
    for chosen in ({}, {"backup": "lambda"}):
        with pytest.raises(ArithmeticError, match="update was called"):
            found(nim(), tree_policy=policy, **chosen)


def test_an_object_is_refused_what_its_name_is():
    chosen = {"first_play_urgency": 0.5, "action_heuristic": "mast"}
    for policy in ("ucb1", TREE_POLICIES["ucb1"]):
        with pytest.raises(ValueError, match=r"action_heuristic='mast' has an effect"):
            found(nim(), tree_policy=policy, **chosen)


def test_the_examples_of_the_documentation_run():
    page = Path(__file__).parents[2] / "docs" / "algorithms" / "README.md"
    examples = re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL)
    for code in examples:
        namespace = {"__name__": "example"}
        exec(compile(code, str(page), "exec"), namespace)
        env = tictactoe.env()
        env.reset(seed=1)
        result = namespace["agent"].plan(env)
        assert result.simulations == 2000
        assert result.policy.sum() == pytest.approx(1.0)
    assert len(examples) == 2


def test_no_text_stands_for_a_policy_of_a_user():
    with pytest.raises(ValueError, match=r"tree_policy=.*cannot be written as text"):
        to_mapping(MCTSAgent(tree_policy=GREEDY))


@njit(locals={"place": types.uint8})
def with_declared_types(view, settings, rng):
    place = 256  # which is 0
    return candidate(decision_at(view), place)


@njit("int64(int64, int64, int64)")
def with_a_signature(view, settings, rng):
    return candidate(decision_at(view), 0) / 1


@njit
def with_any_number_of_parameters(view, *rest):
    return candidate(decision_at(view), 0)


@pytest.mark.parametrize(
    "choose",
    [with_declared_types, with_a_signature, with_any_number_of_parameters],
    ids=lambda function: function.py_func.__name__,
)
def test_what_a_function_declares_holds(choose):
    model = nim()
    policy = TreePolicy("declared", choose=choose, kind="other")
    settings = SearchSettings(simulations=50, tree_policy=policy, solver=False)
    found = Search(model, settings).run(
        model.reset(new_generator(0)), 0, new_generator(0)
    )
    assert found.visits.tolist()[0] == 50


@njit
def raises(view, settings, rng):
    raise ValueError("mine")


def test_a_policy_that_returns_nothing_is_refused():
    with pytest.raises(TypeError, match="that returns an integer"):
        policy = TreePolicy("raising", choose=raises, kind="other")
        Search(nim(), SearchSettings(tree_policy=policy))
