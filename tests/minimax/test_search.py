"""What a minimax search says of itself, and what it refuses."""

import _thread
import threading
import time

import numpy as np
import pytest

from mcts_agents.envs import load_game
from mcts_agents.minimax import Minimax, MinimaxSettings
from mcts_agents.minimax.kernel.records import PASS
from mcts_agents.model import Rules
from tests.minimax.reference import Paranoid, generator, leaf_values, max_n
from tests.minimax.test_references import positions
from tests.minimax.thicket import BARE, DICE, SAMPLED, SURE
from tests.search import impossible_game
from tests.search.test_kernel import IMPOSSIBLE


def value_of(result, action=None):
    action = result.action if action is None else action
    return dict(zip(result.actions.tolist(), result.values, strict=True))[action]


@pytest.mark.parametrize("algorithm", ["alphabeta", "negascout", "max-n"])
def test_a_step_that_a_budget_ends_counts_as_far_as_it_came(algorithm):
    model = SURE.model(extra=True)
    for state, player in positions(model, 20):
        searches = {
            depth: Minimax(
                model, MinimaxSettings(algorithm, depth=depth, value="score")
            )
            for depth in range(1, 8)
        }
        full = {d: s.run(state, player, generator()) for d, s in searches.items()}
        depths = []
        for nodes in (1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377):
            settings = MinimaxSettings(algorithm, nodes=nodes, value="score")
            result = Minimax(model, settings).run(state, player, generator())
            assert result.nodes <= max(nodes, 1)
            assert result.depth <= 7
            depths.append(result.depth)
            if result.depth == 0:
                continue
            before = full[result.depth].action
            if result.action != before:  # only where the next step says it is better
                plain = Paranoid(model, player, "score").actions(
                    state, result.depth + 1
                )
                if algorithm == "max-n":
                    found = max_n(model, state, player, result.depth + 1, "score")
                    plain = {a: values[player] for a, values in found.items()}
                assert plain[result.action] > plain[before]
        assert depths == sorted(depths)


def test_a_budget_too_small_for_one_action_is_kept():
    model = load_game("sushi_go").rules.model(players=5)
    state = model.reset(generator())
    search = Minimax(model, MinimaxSettings("paranoid-alphabeta", nodes=10))
    result = search.run(state, 0, generator())
    assert (result.nodes, result.depth, result.solved) == (10, 0, False)
    assert result.action in result.actions
    assert np.isnan(result.values).all()
    assert result.principal_variation == [(0, result.action)]


@pytest.mark.parametrize("algorithm", ["alphabeta", "negascout", "max-n"])
def test_a_budget_that_just_suffices_finishes_its_step(algorithm):
    model = load_game("tictactoe").rules.model()
    state = model.reset(generator())
    for nodes, depth in ((8, 0), (9, 1), (10, 1)):
        search = Minimax(model, MinimaxSettings(algorithm, nodes=nodes))
        result = search.run(state, 0, generator())
        assert (result.nodes, result.depth) == (nodes, depth)


@pytest.mark.parametrize("algorithm", ["alphabeta", "negascout", "max-n"])
def test_a_step_is_finished_by_as_many_nodes_as_it_takes(algorithm):
    model = SURE.model(extra=True)
    for state, player in positions(model, 20):
        for depth in (1, 2, 3):
            settings = MinimaxSettings(algorithm, depth=depth, value="score")
            full = Minimax(model, settings).run(state, player, generator())
            settings = MinimaxSettings(algorithm, nodes=full.nodes, value="score")
            exact = Minimax(model, settings).run(state, player, generator())
            assert (exact.nodes, exact.depth) == (full.nodes, full.depth)
            assert exact.action == full.action
            np.testing.assert_array_equal(exact.values, full.values)


def test_equal_budgets_of_nodes_give_equal_decisions():
    model = SURE.model(players=3)
    for name in ("paranoid-alphabeta", "brs-plus", "max-n"):
        settings = MinimaxSettings(name, nodes=500)
        kept = Minimax(model, settings)
        for state, player in positions(model, 30):
            # One that has its memory from other decisions, and a new one.
            left = kept.run(state, player, generator())
            right = Minimax(model, settings).run(state, player, generator())
            assert left.action == right.action
            assert left.nodes == right.nodes
            np.testing.assert_array_equal(left.values, right.values)
            assert left.principal_variation == right.principal_variation


def test_players_who_decide_at_once_solve_nothing():
    # Both are prepared for the worst, so their values do not add up.
    model = SURE.model(together=True, levels=3)
    for name in ("alphabeta", "max-n"):
        search = Minimax(model, MinimaxSettings(name, depth=9, value="win"))
        found = [
            (search.run(*at, generator()).solved, len(model.movers(at[0])))
            for at in positions(model)
        ]
        assert (False, 2) in found
        assert (True, 2) not in found


def test_samples_of_chance_solve_nothing_but_lists_do():
    for rules, solves in ((SAMPLED, False), (DICE, True)):
        model = rules.model(chance=True, levels=3)
        settings = MinimaxSettings("expectiminimax", depth=9, value="win", samples=3)
        search = Minimax(model, settings)
        found = {search.run(*at, generator()).solved for at in positions(model, 20)}
        assert found == {solves}


def test_restricted_opponents_solve_nothing():
    model = SURE.model(players=3, levels=3)
    for name, solves in (("brs-plus", False), ("brs", False), ("max-n", True)):
        search = Minimax(model, MinimaxSettings(name, depth=30, value="win"))
        assert {search.run(*at, generator()).solved for at in positions(model, 20)} == {
            solves
        }


def test_values_of_shallow_pruning_are_bounds():
    model = SURE.model(players=3, steps=99)
    options = {"depth": 5, "value": "evaluate"}
    full = Minimax(model, MinimaxSettings("max-n", **options))
    pruned = Minimax(model, MinimaxSettings("max-n", shallow_pruning=True, **options))
    for state, player in positions(model):
        exact = full.run(state, player, generator())
        bounds = pruned.run(state, player, generator())
        assert (bounds.values >= exact.values - 1e-12).all()
        assert value_of(bounds) == pytest.approx(value_of(exact))
        assert (bounds.values <= value_of(bounds) + 1e-12).all()


def test_an_evaluation_outside_its_bounds_is_an_error():
    model = SURE.model(evaluation="greater than 1")
    state, player = next(iter(positions(model)))
    for name in ("alphabeta", "max-n"):
        search = Minimax(model, MinimaxSettings(name, depth=2, value="evaluate"))
        with pytest.raises(RuntimeError, match=r"from 0 to 1, not \[1\.5, 1\.5\]$"):
            search.run(state, player, generator())


FINITE = "^thicket: `action_values` must write finite numbers$"


@pytest.mark.parametrize("rank", ["nan", "inf", "-inf"])
@pytest.mark.parametrize("algorithm", ["alphabeta", "max-n", "brs-plus"])
def test_action_values_that_are_no_finite_numbers_are_an_error(algorithm, rank):
    model = SURE.model(last_rank=rank)
    settings = MinimaxSettings(algorithm, depth=2, value="score")
    state, player = next(iter(positions(model)))
    with pytest.raises(RuntimeError, match=FINITE):
        Minimax(model, settings).run(state, player, generator())
    # Nothing is asked for them where actions come in order of their numbers.
    by_number = MinimaxSettings(algorithm, depth=2, value="score", ordering="none")
    Minimax(model, by_number).run(state, player, generator())


def impossible_without_chance():
    rules = Rules(
        "impossible_sure",
        state=impossible_game.impossible.state,
        game=impossible_game.impossible.game,
        chance=False,
    )
    rules.variant(impossible_game.variant)
    names = ("reset", "movers", "legal_actions", "apply", "scores", "results")
    for name in names:
        rules.define(getattr(impossible_game, name))
    return rules


IMPOSSIBLE_SURE = impossible_without_chance()
# And the number by which the searches mean a pass.
CASES = {**IMPOSSIBLE, "action -2": (PASS, 1, "lists an action outside of 0 to 3")}


@pytest.mark.parametrize(("action", "mask", "words"), CASES.values(), ids=CASES)
@pytest.mark.parametrize("algorithm", ["paranoid-alphabeta", "alphabeta", "max-n"])
def test_what_a_game_cannot_mean_is_an_error(algorithm, action, mask, words):
    model = IMPOSSIBLE_SURE.model(action=action, mask=mask)
    state = model.reset(generator())
    search = Minimax(model, MinimaxSettings(algorithm, depth=6, value="score"))
    with pytest.raises(RuntimeError, match=words):
        search.run(state, 0, generator())
    # As the root, where all who decide are asked for their actions.
    for _ in range(2):
        model.apply(state, {0: 0, 1: 0}, generator())
    with pytest.raises(RuntimeError, match=words):
        search.run(state, 0, generator())


def test_shallow_pruning_refuses_values_that_add_up_to_more():
    model = SURE.model(players=3, evaluation="all 0.5")
    state, player = next(iter(positions(model)))
    settings = MinimaxSettings("max-n", depth=2, value="evaluate", shallow_pruning=True)
    words = r"add up to more than 1: \[0\.5, 0\.5, 0\.5\]; use shallow_pruning=False$"
    with pytest.raises(RuntimeError, match=words):
        Minimax(model, settings).run(state, player, generator())
    settings = MinimaxSettings("max-n", depth=2, value="evaluate")
    Minimax(model, settings).run(state, player, generator())


def half(model, state):
    """What every position is worth to everybody."""
    return [0.5] * model.players


@pytest.mark.parametrize("value", [None, "win", "evaluate", half])
def test_a_bonus_is_one_of_scores(value):
    model = SURE.model()
    settings = MinimaxSettings("alphabeta", depth=2, value=value, score_bonus=0.25)
    words = "^score_bonus=0.25: has an effect only with value score or leader$"
    with pytest.raises(ValueError, match=words):
        settings.for_model(model)


@pytest.mark.parametrize("bonus", [None, 0.0, 0.25, 1.0])
@pytest.mark.parametrize("value", ["score", "leader"])
def test_a_bonus_is_the_share_of_the_score_that_is_said(value, bonus):
    model = SURE.model(shift=-4.0)

    def worth(model, state):
        return leaf_values(model, state, value, 0.5 if bonus is None else bonus)

    settings = MinimaxSettings("alphabeta", depth=6, value=value, score_bonus=bonus)
    search = Minimax(model, settings)
    for state, player in positions(model, 10):
        result = search.run(state, player, generator())
        expected = Paranoid(model, player, worth).actions(state, 6)
        assert value_of(result) == pytest.approx(max(expected.values()))
        assert expected[result.action] == pytest.approx(value_of(result))


def test_a_margin_is_one_of_seconds():
    model = SURE.model()
    margin = MinimaxSettings("alphabeta", nodes=100, safety_margin=0.1)
    words = "^safety_margin=0.1: has an effect only with a budget of seconds$"
    with pytest.raises(ValueError, match=words):
        margin.for_model(model)
    timed = MinimaxSettings("alphabeta", seconds=1.0, safety_margin=0.1)
    assert timed.for_model(model).safety_margin == 0.1


def test_ranked_moves_are_of_opponents_who_are_not_free():
    model = SURE.model(players=3)
    words = "^ranked_moves=3: has an effect only with free_opponents or free_moves$"
    with pytest.raises(ValueError, match=words):
        MinimaxSettings("opps", ranked_moves=3).for_model(model)
    for limits in ({"free_opponents": 1}, {"free_moves": 4}):
        settings = MinimaxSettings("opps", ranked_moves=3, **limits)
        assert settings.for_model(model).ranked_moves == 3


@pytest.mark.parametrize("algorithm", ["paranoid-alphabeta", "brs-plus", "max-n"])
@pytest.mark.parametrize("node", [1e-6, 1e-5])
def test_a_budget_of_seconds_is_kept(algorithm, node, monkeypatch):
    """By a clock that counts nodes alone, as if each took so many seconds."""
    model = load_game("chinese_checkers").rules.model()
    search = Minimax(model, MinimaxSettings(algorithm, seconds=0.1))
    now, run_slice = 1000.0, search._slice

    def timed_slice(size):
        nonlocal now
        before = int(search.record["nodes"][0])
        status = run_slice(size)
        now += node * (int(search.record["nodes"][0]) - before)
        return status

    monkeypatch.setattr(time, "perf_counter", lambda: now)
    monkeypatch.setattr(search, "_slice", timed_slice)
    state = model.reset(generator())
    for _ in range(3):
        began = now
        result = search.run(state, 0, generator())
        assert result.seconds == now - began == pytest.approx(0.1, abs=0.001)
        assert result.nodes * node == pytest.approx(0.1, abs=0.001)
        assert result.depth >= 2


def test_an_interrupted_search_searches_again():
    model = load_game("chinese_checkers").rules.model()
    many = 10**9  # minutes of search
    settings = MinimaxSettings("paranoid-alphabeta", nodes=many, seconds=3600.0)
    search = Minimax(model, settings)
    state = model.reset(generator())

    def interrupt():
        while search.record["nodes"][0] < 100_000:
            time.sleep(0.001)
        _thread.interrupt_main()

    thread = threading.Thread(target=interrupt, daemon=True)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        search.run(state, 0, generator())
    thread.join()
    assert search.record["nodes"][0] < many // 2
    search.settings = MinimaxSettings("paranoid-alphabeta", depth=2).for_model(model)
    again = search.run(state, 0, generator())
    new = Minimax(model, MinimaxSettings("paranoid-alphabeta", depth=2))
    fresh = new.run(state, 0, generator())
    np.testing.assert_array_equal(again.values, fresh.values)


def test_large_and_negative_values_of_python_functions():
    model = BARE.model()

    def value(model, state):
        left = 1e12 * float(model.scores(state)[0]) - 5e12
        return [left, -left]

    for name in ("alphabeta", "negascout"):
        search = Minimax(model, MinimaxSettings(name, depth=4, value=value))
        for state, player in positions(model, 30):
            result = search.run(state, player, generator())
            expected = Paranoid(model, player, value).actions(state, 4)
            assert value_of(result) == max(expected.values())
            assert expected[result.action] == max(expected.values())


def test_a_function_that_raises_or_gives_no_number():
    model = BARE.model()
    state, player = next(iter(positions(model)))

    def broken(model, state):
        raise ArithmeticError("no value")

    search = Minimax(model, MinimaxSettings("alphabeta", depth=3, value=broken))
    with pytest.raises(ArithmeticError, match="no value"):
        search.run(state, player, generator())
    nothing = MinimaxSettings("alphabeta", depth=3, value=lambda m, s: [np.nan, 0.0])
    with pytest.raises(ValueError, match="expected 2 finite numbers"):
        Minimax(model, nothing).run(state, player, generator())
