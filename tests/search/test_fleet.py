"""Searches side by side find what each finds alone."""

from dataclasses import replace

import numpy as np
import pytest

from mcts_agents.envs import make_model
from mcts_agents.model import new_generator
from mcts_agents.search import AnsweredLater, Fleet, Search, SearchSettings
from mcts_agents.search.driver import memory
from tests.search.evaluators import of_states
from tests.search.test_steps import assert_same, named
from tests.toy_games import auction

PUCT = {"tree_policy": "alphago", "root_noise": 0.25}
GUMBEL = {"tree_policy": "gumbel", "root_policy": "gumbel"}
HALVING = {"tree_policy": "alphago", "root_policy": "sequential_halving"}
CASES = [
    ("connect_four", PUCT),
    ("connect_four", GUMBEL),
    ("connect_four", {**PUCT, "batch": 4}),
    ("connect_four", {**PUCT, "batch": 4, "virtual_loss": 3}),
    ("connect_four", {**GUMBEL, "batch": 4, "virtual_loss": 3}),
    ("hex:size=5", PUCT),
    ("hex:size=5", {**GUMBEL, "batch": 3}),
    ("hex:size=5", HALVING),
    ("hex:size=5", {**PUCT, "loop": "closed"}),
    ("sushi_go:players=3", PUCT),
    ("sushi_go:players=3", {**GUMBEL, "batch": 4}),
    ("sushi_go:players=3", {**PUCT, "tree": "multi"}),
    ("love_letter:players=3", PUCT),
    ("love_letter:players=3", {**GUMBEL, "tree": "multi"}),
    ("diamant:players=3", PUCT),
    ("connect_four", {**PUCT, "forward_model_calls": 150}),
    # A policy that remembers begins anew with each decision.
    (
        "pommerman",
        {**PUCT, "tree": "self", "opponent_model": "simple_unbiased"},
    ),
]


def positions_of(model, count):
    """Return positions after a few random moves, and who is to move there."""
    found = []
    rng = new_generator(4)
    while len(found) < count:
        state = model.reset(rng)
        for _ in range(len(found) % 7):
            joint = {
                p: int(model.legal_actions(state, p)[0]) for p in model.movers(state)
            }
            model.apply(state, joint, rng)
        movers = model.movers(state)
        if movers:
            view = model.copy(state)
            model.redeterminise(view, movers[-1], rng)
            found.append((view, movers[-1]))
    return found


def search_on(fleet, network):
    """Answer all leaves of a fleet; return the rows of each call."""
    rows = []
    while waiting := fleet.advance():
        rows.append(waiting)
        fleet.answer(*network(*fleet.leaves()))
    return rows


@pytest.mark.parametrize(("game", "chosen"), CASES, ids=named)
def test_each_finds_what_it_finds_alone(game, chosen):
    model = make_model(game)[1]
    network = of_states(model)
    settings = SearchSettings(
        **{"simulations": 60, "value": "win", "batch": 1, **chosen},
        evaluator=AnsweredLater(network.observe),
    )
    positions = positions_of(model, 12)
    fleet = Fleet(model, settings, len(positions), nodes=8, edges=8)
    alone = Search(model, replace(settings, evaluator=network))
    for _ in range(2):  # the second decision begins with what the first one has left
        for i, (state, player) in enumerate(positions):
            fleet.begin(i, state, player, new_generator(i))
        rows = search_on(fleet, network)
        assert rows[0] >= sum(len(model.legal_actions(*p)) > 1 for p in positions)
        for i, (state, player) in enumerate(positions):
            expected = alone.run(state, player, new_generator(i))
            found = fleet.result(i)
            assert fleet.finished(i)
            assert_same(found, expected)
            np.testing.assert_array_equal(found.policy, expected.policy)
        positions = positions[1:] + positions[:1]


def test_searches_need_not_begin_together():
    model = make_model("connect_four")[1]
    network = of_states(model)
    later = SearchSettings(
        simulations=20, value="win", batch=1, evaluator=AnsweredLater(network.observe),
        **PUCT,
    )  # fmt: skip
    fleet = Fleet(model, later, 3)
    state = model.reset(new_generator(0))
    fleet.begin(1, state, 0, new_generator(1))
    for _ in range(5):
        assert fleet.advance() == 1
        fleet.answer(*network(*fleet.leaves()))
    fleet.begin(0, state, 0, new_generator(2))
    assert fleet.advance() == 2
    with pytest.raises(RuntimeError, match="wait for an answer"):
        fleet.begin(0, state, 0, new_generator(2))
    with pytest.raises(RuntimeError, match="no decision was begun"):
        fleet.result(2)
    search_on(fleet, network)
    alone = Search(model, replace(later, evaluator=network))
    for i, seed in ((0, 2), (1, 1)):
        assert_same(fleet.result(i), alone.run(state, 0, new_generator(seed)))


def test_bad_answers_change_nothing():
    model = make_model("connect_four")[1]
    network = of_states(model)
    settings = SearchSettings(
        simulations=10, value="win", batch=1, evaluator=AnsweredLater(network.observe),
        **GUMBEL,
    )  # fmt: skip
    fleet = Fleet(model, settings, 2)
    state = model.reset(new_generator(0))
    for i in range(2):
        fleet.begin(i, state, 0, new_generator(i))
    assert fleet.advance() == 2
    values, logits = network(*fleet.leaves())
    for bad in (np.nan, 1.5):
        with pytest.raises(ValueError, match="from 0 to 1"):
            fleet.answer(np.where([[False], [True]], bad, values), logits)
    with pytest.raises(ValueError, match="logits that are NaN"):
        fleet.answer(values, np.where([[False], [True]], np.nan, logits))
    with pytest.raises(ValueError, match=r"shape \(1, 2\); expected \(2, 2\)"):
        fleet.answer(values[:1], logits)
    search_on(fleet, network)
    alone = Search(model, replace(settings, evaluator=network))
    assert_same(fleet.result(1), alone.run(state, 0, new_generator(1)))


@pytest.mark.parametrize(
    ("chosen", "message"),
    [
        ({"evaluator": None, "tree_policy": "ucb1"}, "takes AnsweredLater"),
        ({"reuse_tree": True}, "takes reuse_tree=False"),
        ({"threads": 2}, "takes threads=1"),
        ({"seconds": 1.0}, "takes seconds=None"),
        ({"value": lambda model, state: [0.5, 0.5]}, "runs compiled code alone"),
    ],
    ids=lambda given: next(iter(given)) if isinstance(given, dict) else given,
)
def test_what_cannot_run_side_by_side_is_refused(chosen, message):
    model = make_model("connect_four")[1]
    given = {"evaluator": AnsweredLater(), "tree_policy": "alphago", "value": "win"}
    with pytest.raises(ValueError, match=message):
        Fleet(model, SearchSettings(**given | chosen), 2)


def test_games_without_observations_are_shown_as_states():
    model = auction()
    network = of_states(model)
    settings = SearchSettings(
        simulations=20, value="win", evaluator=AnsweredLater(network.observe), **PUCT
    )
    fleet = Fleet(model, settings, 2)
    state = model.reset(new_generator(0))
    for i in range(2):
        fleet.begin(i, state, model.movers(state)[0], new_generator(i))
    search_on(fleet, network)
    alone = Search(model, replace(settings, evaluator=network))
    player = model.movers(state)[0]
    assert_same(fleet.result(1), alone.run(state, player, new_generator(1)))


def test_arrays_of_a_block_lie_apart(monkeypatch):
    monkeypatch.setattr(memory, "PIECE", 1 << 20)
    block = memory.Block()
    large = memory.LARGE
    made = []
    for size in [1, 0, 63, 64, large - 1, large // 8 - 1, large // 8, large, 5] * 3:
        for dtype in (np.uint8, np.float64):
            array = block.zeros(size, dtype)
            assert array.shape == (size,)
            assert array.dtype == dtype
            assert not array.any()
            array[:] = len(made) + 1
            made.append(array)
    for number, array in enumerate(made, 1):
        assert (array == number).all()
        if len(array):
            assert array.ctypes.data % memory.CACHE_LINE == 0


def test_descents_that_wait_count_towards_the_end_of_a_call(monkeypatch):
    # After so many Ctrl-C is heard.
    monkeypatch.setattr("mcts_agents.search.driver.fleet.DESCENTS", 8)
    settings = {**PUCT, "simulations": 40, "batch": 8, "value": "win"}
    _, model = make_model("connect_four")
    fleet = Fleet(model, SearchSettings(evaluator=AnsweredLater(), **settings), 16)
    for index, (state, player) in enumerate(positions_of(model, 16)):
        fleet.begin(index, state, player, new_generator(index))
    usual, calls = fleet._advance, []

    def counted(*given):
        calls.append(len(given))
        return usual(*given)

    fleet._advance = counted
    while rows := fleet.advance():
        in_one_call = rows / len(calls)
        assert in_one_call <= 16
        calls.clear()
        fleet.answer(np.full((rows, 2), 0.5), np.zeros((rows, 7)))
