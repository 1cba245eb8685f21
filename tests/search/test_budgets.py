"""Budgets end a search where they say, and bounds hold; time: `test_deadlines`."""

import contextlib
import threading
import time
from concurrent.futures import CancelledError

import pytest

from mcts_agents.envs import make_model
from mcts_agents.model import new_generator
from mcts_agents.search import Search, SearchSettings
from mcts_agents.search.kernel.status import LACKS_EDGES, LACKS_JOINTS, LACKS_NODES
from tests.search.evaluators import PUCT, of_states
from tests.toy_games import auction, fuse, hands, nim


def search(model, *, seed=0, **settings):
    """Search from an opening for its first mover."""
    rng = new_generator(seed)
    state = model.reset(rng)
    player = model.movers(state)[0]
    return Search(model, SearchSettings(**settings)).run(state, player, rng)


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


def test_seconds_count_from_where_the_caller_started():
    model = auction()
    rng = new_generator(0)
    state = model.reset(rng)
    late = time.perf_counter() - 100.0
    found = Search(model, SearchSettings(seconds=50.0)).run(state, 0, rng, started=late)
    assert found.simulations == 1
    assert found.seconds > 100.0


def test_the_first_budget_to_be_spent_ends_the_search():
    many = 10**9
    found = search(auction(), simulations=50, forward_model_calls=many, seconds=60.0)
    assert found.simulations == 50
    found = search(auction(), simulations=many, forward_model_calls=60, seconds=60.0)
    assert 60 <= found.forward_model_calls < 72
    found = search(auction(), simulations=many, forward_model_calls=many, seconds=0.02)
    assert 0 < found.simulations < many


def test_a_caller_may_ask_for_fewer_simulations():
    model = auction()
    rng = new_generator(0)
    state = model.reset(rng)
    found = Search(model, SearchSettings()).run(state, 0, rng, simulations=3)
    assert found.simulations == 3


@pytest.mark.parametrize("tree", ["one", "multi"])
def test_memory_is_not_exceeded(tree):
    many = {"simulations": 1_000_000, "exploration": 100.0, "tree": tree}
    found = search(make_model("sushi_go")[1], memory=2, **many)
    assert found.simulations < 1_000_000
    assert 1 << 20 < found.bytes <= 2 << 20
    more = search(make_model("sushi_go")[1], memory=4, **many)
    assert more.simulations > found.simulations


def test_a_search_that_would_grow_past_its_deadline_ends(monkeypatch):
    model = make_model("hex:size=5")[1]
    settings = SearchSettings(seconds=0.3, solver=False)
    search = Search(model, settings, nodes=64, edges=600)
    monkeypatch.setattr(search._workspace, "_growing", lambda: 10.0)
    monkeypatch.setattr(search._workspace, "_grow", lambda: 1 / 0)
    found = search.run(model.reset(new_generator(0)), 0, new_generator(1))
    assert 0 < found.simulations < 100


def test_a_search_with_an_evaluator_does_not_grow_past_its_deadline(monkeypatch):
    model = make_model("hex:size=5")[1]
    evaluator = of_states(model)
    chosen = {"tree_policy": "alphago", "value": "win", "batch": 4}
    settings = SearchSettings(seconds=0.3, evaluator=evaluator, **chosen)
    search = Search(model, settings, nodes=64, edges=600)
    monkeypatch.setattr(search._workspace, "_growing", lambda: 10.0)
    monkeypatch.setattr(search._workspace, "_grow", lambda: 1 / 0)
    found = search.run(model.reset(new_generator(0)), 0, new_generator(1))
    assert 0 < found.simulations < 100


def test_arrays_that_are_almost_empty_grow_at_once():
    """In a graph each iteration may need many edges, and few of them are in use."""
    model = make_model("hex:size=19")[1]
    settings = SearchSettings(simulations=1, graph=True, tree_policy="ucb_tuned")
    search = Search(model, settings)
    search.run(model.reset(new_generator(0)), 0, new_generator(1))
    workspace = search._workspace
    workspace.record["lacking"] = LACKS_EDGES | LACKS_NODES | LACKS_JOINTS
    assert 0.0 < workspace.memory.seconds_to_grow(workspace.record) < 0.001


@pytest.mark.parametrize("threads", [1, 2])
def test_a_search_that_was_cancelled_searches_again(threads):
    """Whether the run before gave a result or not."""
    model = make_model("hex:size=5")[1]
    settings = {"max_depth": 1, "solver": False, "threads": threads}
    search = Search(model, SearchSettings(simulations=10**9, **settings))
    state = model.reset(new_generator(0))
    found = []

    def run():
        with contextlib.suppress(CancelledError):
            found.append(search.run(state, 0, new_generator(1)))

    searching = threading.Thread(target=run, daemon=True)
    searching.start()
    while searching.is_alive():
        search.cancel()
        searching.join(0.05)
    assert all(one.simulations < 10**9 for one in found)
    for _ in range(2):
        again = search.run(state, 0, new_generator(1), simulations=100)
        assert again.simulations == 100


def test_steps_end_when_they_are_cancelled():
    model = make_model("hex:size=5")[1]
    search = Search(model, SearchSettings(simulations=100))
    state, rng = model.reset(new_generator(0)), new_generator(1)
    search.begin(state, 0, rng)
    assert search.advance(10) == 10
    search.cancel()
    with pytest.raises(CancelledError):
        search.advance(10)
    with pytest.raises(RuntimeError, match="no decision was begun"):
        search.advance(10)
    search.begin(state, 0, rng)
    assert search.advance(10) == 10


@pytest.mark.parametrize("evaluated", [False, True])
@pytest.mark.parametrize("stepped", [False, True])
def test_what_was_cancelled_gives_no_part_of_a_result(evaluated, stepped):
    """Compiled code that is stopped says that its budget is spent."""
    model = make_model("hex:size=4")[1]
    chosen = {"evaluator": of_states(model), **PUCT} if evaluated else {}
    search = Search(model, SearchSettings(simulations=2000, **chosen))
    workspace = search._workspace
    runs = workspace.evaluation if evaluated else workspace
    state, run_slice = model.reset(new_generator(0)), runs._run_slice

    def cancelled(*arguments):
        search.cancel()
        return run_slice(*arguments)

    runs._run_slice = cancelled
    with pytest.raises(CancelledError):
        if stepped:
            search.begin(state, 0, new_generator(1))
            search.advance(50)
        else:
            search.run(state, 0, new_generator(1))
    assert search.run(state, 0, new_generator(1)).simulations == 2000


def test_an_evaluator_is_not_asked_once_it_is_cancelled():
    """Also where `cancel` comes before the first batch, while the search begins."""
    model = make_model("hex:size=4")[1]
    settings = SearchSettings(simulations=2000, evaluator=of_states(model), **PUCT)
    search = Search(model, settings)
    state, begin = model.reset(new_generator(0)), search._workspace.begin

    def cancelled(*arguments):
        search.cancel()
        begin(*arguments)

    search._workspace.begin = cancelled
    with pytest.raises(CancelledError):
        search.run(state, 0, new_generator(1))


def test_trees_with_several_roots_are_not_read_as_one():
    model = make_model("love_letter:players=2")[1]
    chosen = {"tree": "multi", "opponent_information": "separate"}
    search = Search(model, SearchSettings(simulations=50, **chosen))
    state = model.reset(new_generator(0))
    (player,) = model.movers(state)
    search.run(state, player, new_generator(1))
    assert search.read_tree(player)
    with pytest.raises(RuntimeError, match="a root for each of its information sets"):
        search.read_tree(1 - player)
