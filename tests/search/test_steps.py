"""Searches that their caller advances."""

import copy
import itertools
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from mcts_agents.envs import make_model
from mcts_agents.envs.tictactoe import GAME as TICTACTOE
from mcts_agents.model import History, new_generator
from mcts_agents.search import AnsweredLater, Search, SearchSettings
from mcts_agents.search.driver.workspace import MOST_VISITS
from tests.search.evaluators import PUCT, of_states
from tests.toy_games import auction, hands, nim

CASES = [
    (nim, {}),
    (nim, {"loop": "closed", "tree_policy": "ucb_tuned"}),
    (auction, {"tree": "multi", "tree_policy": "exp3"}),
    (hands, {"tree": "multi", "rollout_policy": "mast"}),
    (hands, {"forward_model_calls": 900}),
    (nim, {"evaluator": 4, **PUCT}),
    (auction, {"evaluator": 4, "root_noise": 0.25, **PUCT}),
]


def named(value):
    """Return the name of a game, or what was chosen; alike in every process."""
    return getattr(value, "__name__", str(value))


def assert_same(one, other):
    assert one.action == other.action
    assert one.visits.tolist() == other.visits.tolist()
    np.testing.assert_array_equal(one.values, other.values)
    assert one.simulations == other.simulations
    assert one.forward_model_calls == other.forward_model_calls
    assert one.principal_variation == other.principal_variation


def search_of(game, chosen, **room):
    model = game()
    chosen = {"simulations": 300} | chosen
    if "evaluator" in chosen:
        chosen["evaluator"] = of_states(model, chosen["evaluator"])
    return model, Search(model, SearchSettings(**chosen), **room)


@pytest.mark.parametrize(("game", "chosen"), CASES, ids=named)
@pytest.mark.parametrize("step", [1, 7, 10**6])
def test_steps_make_the_simulations_of_one_run(game, chosen, step):
    model, search = search_of(game, chosen)
    state = model.reset(new_generator(1))
    player = model.movers(state)[0]
    rng, own = new_generator(5), new_generator(5)
    expected = search.run(state, player, rng)
    _, small = search_of(game, chosen, nodes=8, edges=16)
    small.begin(state, player, own)
    made = []
    while done := small.advance(step):
        made.append(done)
        seen = small.result()
        assert seen.simulations == sum(made) == seen.visits.sum()
    assert sum(made) == expected.simulations
    if not ("evaluator" in chosen and step < 8):  # a batch ends with the step
        assert_same(small.result(), expected)
    assert small.advance(step) == 0


def test_looking_changes_nothing():
    found = []
    for looks in (False, True):
        model, search = search_of(hands, {"tree_policy": "epsilon_greedy"})
        rng = new_generator(3)
        state = model.reset(rng)
        player = model.movers(state)[0]
        search.begin(state, player, rng)
        while search.advance(10):
            if looks:
                assert search.result().tree(depth=1)["visits"] > 0
                assert search.read_tree(player, depth=0)["movers"] == [player]
        found.append((search.result(), rng.tolist()))
    assert_same(found[0][0], found[1][0])
    assert found[0][1] == found[1][1]


def test_one_caller_answers_many_searches():
    """Three hundred searches, one call of the network for each round of leaves."""
    model = make_model("hex:size=4")[1]
    network = of_states(model)
    chosen = {**PUCT, "simulations": 40, "batch": 2}
    later = SearchSettings(**chosen, evaluator=AnsweredLater(network.observe))
    rng = new_generator(0)
    positions, searches = [], []
    for number in range(300):
        state = model.reset(rng)
        for _ in range(number % 5):
            legal = model.legal_actions(state, model.movers(state)[0])
            action = int(legal[int(rng[0]) % len(legal)])
            model.apply(state, {model.movers(state)[0]: action}, rng)
        positions.append(state)
        search = Search(model, later, nodes=64, edges=256)
        search.begin(state, model.movers(state)[0], new_generator(number))
        searches.append(search)
    rows = 2 * len(searches)
    seen = np.empty((rows, model.state_size), np.uint8)
    players, legal = np.empty(rows, np.int64), np.empty((rows, model.actions), bool)
    calls = 0
    while True:
        ends = [0]
        for search in searches:
            if not search.waiting:
                search.advance(40)
            at = slice(ends[-1], ends[-1] + search.waiting)
            if search.waiting:
                seen[at], players[at], legal[at] = search.leaves()
            ends.append(at.stop)
        if ends[-1] == 0:
            break
        asked = slice(0, ends[-1])
        values, logits = network(seen[asked], players[asked], legal[asked])
        calls += 1
        for i, search in enumerate(searches):
            if ends[i] < ends[i + 1]:
                own = slice(ends[i], ends[i + 1])
                search.answer(values[own], logits[own])
    assert calls < 60
    for number in (0, 1, 77, 299):
        alone = Search(model, replace(later, evaluator=of_states(model)))
        player = model.movers(positions[number])[0]
        expected = alone.run(positions[number], player, new_generator(number))
        assert_same(searches[number].result(), expected)


def test_a_forced_move_needs_no_step():
    model = nim()
    rng = new_generator(0)
    state = model.reset(rng)
    for action in (2, 0, 3, 5, 8):  # leaves one stone
        model.apply(state, {model.movers(state)[0]: action}, rng)
    player = model.movers(state)[0]
    (only,) = model.legal_actions(state, player).tolist()
    search = Search(model, SearchSettings())
    search.begin(state, player, rng)
    assert search.advance(10) == 0
    assert search.result().action == only


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("threads", 2, "threads=1, not 2"),
        ("determinizations", 3, "determinizations=1, not 3"),
        ("seconds", 0.5, "seconds=None, not 0.5"),
    ],
)
def test_what_steps_cannot_have_is_refused(name, value, words):
    model = hands()
    state = model.reset(new_generator(0))
    search = Search(model, SearchSettings(**{name: value}))
    with pytest.raises(ValueError, match=f"a search in steps needs {words}"):
        search.begin(state, model.movers(state)[0], new_generator(0))


def test_steps_out_of_order_are_errors():
    model = nim()
    rng = new_generator(0)
    state = model.reset(rng)
    player = model.movers(state)[0]
    search = Search(model, SearchSettings(simulations=50))
    for step in (lambda: search.advance(1), search.result):
        with pytest.raises(RuntimeError, match="no decision was begun"):
            step()
    with pytest.raises(ValueError, match="has no decision to make"):
        search.begin(state, (player + 1) % 3, rng)
    search.begin(state, player, rng)
    with pytest.raises(RuntimeError, match="no simulation yet"):
        search.result()
    with pytest.raises(ValueError, match="simulations=0: expected at least 1"):
        search.advance(0)
    with pytest.raises(RuntimeError, match="no leaf waits"):
        search.answer(np.zeros((0, 3)), np.zeros((0, 9)))
    search.run(state, player, rng)  # which ends the decision in steps
    with pytest.raises(RuntimeError, match="no decision was begun"):
        search.advance(1)


def test_leaves_that_wait_hold_a_search_up():
    model = make_model("hex:size=3")[1]
    settings = SearchSettings(**PUCT, simulations=20, evaluator=AnsweredLater())
    search = Search(model, settings)
    rng = new_generator(0)
    state = model.reset(rng)
    search.begin(state, 0, rng)
    assert search.advance(20) == 0
    observations, players, legal = search.leaves()
    assert observations.shape == (1, *model.observation_shape)
    assert players.tolist() == [0]
    assert legal.sum() == 9
    with pytest.raises(RuntimeError, match="1 leaves wait for an answer"):
        search.advance(1)
    with pytest.raises(ValueError, match="shape"):
        search.answer(np.zeros((2, 2)), np.zeros((2, model.actions)))
    search.answer(np.full((1, 2), 0.5), np.zeros((1, model.actions)))
    assert search.waiting == 0
    assert search.advance(20) == 0
    assert search.waiting > 1
    with pytest.raises(ValueError, match=r"evaluator=.* has no answers itself: search"):
        Search(model, settings).run(state, 0, rng)


def test_the_examples_of_the_documentation_run():
    page = Path(__file__).parents[2] / "docs" / "neural_evaluation.md"
    section = page.read_text().split("## One network, hundreds of searches")[1]
    in_steps, fleet, self_play = re.findall(r"```python\n(.*?)```", section, re.DOTALL)
    names = {}
    exec(compile(in_steps, str(page), "exec"), names)
    actions = names["actions"]
    assert len(actions) == 100
    exec(compile(fleet, str(page), "exec"), names)
    assert names["actions"] == actions
    exec(compile(self_play, str(page), "exec"), names)
    assert all(search.result().simulations == 50 for search in names["searches"])


@pytest.mark.parametrize("waits", [False, True])
def test_what_waited_is_forgotten_with_its_decision(waits):
    """A kept tree would have leaves that nobody answered, and losses for ever."""
    model = make_model("hex:size=4")[1]
    chosen = {**PUCT, "simulations": 200, "reuse_tree": True}
    settings = SearchSettings(**chosen, evaluator=AnsweredLater())
    search = Search(model, settings)
    rng = new_generator(0)
    state = model.reset(rng)
    narrow = -3.0 * np.arange(model.actions)  # so that the tree is deep
    search.begin(state, 0, rng, history=History(0, ()))
    while search.advance(200) or search.waiting:
        rows = search.waiting
        simulations = int(search._workspace.record["simulations"][0])
        if waits and simulations > 100:
            break
        if rows:
            search.answer(np.full((rows, 2), 0.5), np.tile(narrow, (rows, 1)))
    assert bool(search.waiting) == waits
    line = search.result().principal_variation[:2]
    moves = [(line[0][1], -1), (-1, line[1][1])]
    for joint in moves:
        model.apply(state, joint, rng)
    search.begin(state, 0, rng, history=History(0, tuple(moves)))
    assert search.waiting == 0
    assert bool(search._workspace.root_visits(0)) == (not waits)


def test_a_forced_move_has_no_leaves_of_the_decision_before():
    model = nim()
    evaluator = AnsweredLater(lambda model, states, players: states)
    search = Search(model, SearchSettings(**PUCT, evaluator=evaluator))
    rng = new_generator(0)
    state = model.reset(rng)
    search.begin(state, 0, rng)
    search.advance(1)
    assert search.waiting
    for action in (2, 0, 3, 5, 8):
        model.apply(state, {model.movers(state)[0]: action}, rng)
    search.begin(state, model.movers(state)[0], rng)
    assert search.waiting == 0
    assert search.advance(1) == 0


def test_answers_may_be_read_only():
    model = make_model("hex:size=3")[1]
    settings = SearchSettings(**PUCT, simulations=20, evaluator=AnsweredLater())
    search = Search(model, settings)
    rng = new_generator(0)
    search.begin(model.reset(rng), 0, rng)
    search.advance(1)
    values, logits = np.full((1, 2), 0.5), np.zeros((1, model.actions))
    values.flags.writeable = logits.flags.writeable = False
    search.answer(values, logits)
    assert search.waiting == 0


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy])
def test_a_copy_of_a_search_has_memory_of_its_own(copied):
    model, search = search_of(nim, {})
    rng = new_generator(1)
    state = model.reset(rng)
    first = search.run(state, 0, new_generator(5))
    other = copied(search)
    assert (
        other._workspace.memory.arrays["nodes"]
        is not search._workspace.memory.arrays["nodes"]
    )
    found = other.run(state, 0, new_generator(5))
    assert first.root.visits > 0  # the copy did not go on in this tree
    assert_same(found, first)


def test_nothing_is_read_after_a_step_that_was_interrupted():
    model, calls = nim(), []

    def valued(model, state):
        calls.append(1)
        if len(calls) == 60:
            raise KeyboardInterrupt
        return [0.0, 0.5, 1.0]

    search = Search(model, SearchSettings(value=valued, rollout=0, simulations=300))
    rng = new_generator(0)
    state = model.reset(rng)
    search.begin(state, 0, rng)
    search.advance(20)
    found = search.result()
    with pytest.raises(KeyboardInterrupt):
        search.advance(200)
    for look in (found.tree, lambda: found.root, search.result):
        with pytest.raises(RuntimeError):
            look()
    search.begin(state, 0, rng)
    assert search.advance(50) == 50


def test_noise_after_the_last_step_is_drawn_from_the_caller_s_generator():
    model = make_model("hex:size=3")[1]
    chosen = {**PUCT, "simulations": 20, "root_noise": 0.5}
    search = Search(model, SearchSettings(**chosen, evaluator=AnsweredLater()))
    rng = new_generator(0)
    search.begin(model.reset(rng), 0, rng)
    search.advance(1)
    before = rng.tolist()
    search.answer(np.full((1, 2), 0.5), np.zeros((1, model.actions)))
    assert rng.tolist() != before


def test_a_kept_root_that_is_proven_has_a_result():
    model = TICTACTOE.rules.model()
    found = []
    for in_steps in (False, True):
        search = Search(model, SearchSettings(simulations=2000, reuse_tree=True))
        rng = new_generator(1)
        for moves in ((0, 3), (0, 3, 4, 8)):  # the win is proven; the other blocks
            state = model.reset(new_generator(0))
            joints = tuple(
                (action, -1) if number % 2 == 0 else (-1, action)
                for number, action in enumerate(moves)
            )
            for joint in joints:
                model.apply(state, joint, rng)
            history = History(0, joints)
            if in_steps:
                search.begin(state, 0, rng, history=history)
                search.advance(2000)
                found.append(search.result())
            else:
                found.append(search.run(state, 0, rng, history=history))
    assert found[1].simulations == 0
    assert found[1].solved
    for run, steps in zip(found[:2], found[2:], strict=True):
        assert steps.action == run.action
        assert steps.visits.tolist() == run.visits.tolist()
        assert steps.simulations == run.simulations
        assert steps.solved == run.solved


def test_a_kept_root_that_is_proven_before_it_is_visited_has_a_result():
    """Its actions prove a new node, which descents then never reach."""
    model = TICTACTOE.rules.model()
    unvisited = 0
    for moves in itertools.product(range(9), repeat=2):
        played = (4, 0, *moves)
        if len(set(played)) < 4:
            continue
        found = []
        for in_steps in (False, True):
            search = Search(model, SearchSettings(simulations=300, reuse_tree=True))
            rng = new_generator(1)
            for length in (2, 4):
                state, joints = model.reset(new_generator(0)), []
                for number, action in enumerate(played[:length]):
                    joints.append((action, -1) if number % 2 == 0 else (-1, action))
                    model.apply(state, joints[-1], rng)
                history = History(0, tuple(joints))
                if in_steps and length == 4:
                    search.begin(state, 0, rng, history=history)
                    search.advance(300)
                    found.append(search.result())
                else:
                    last = search.run(state, 0, rng, history=history)
                    if length == 4:
                        found.append(last)
        run, steps = found
        assert (steps.action, steps.solved) == (run.action, run.solved)
        unvisited += steps.solved and steps.simulations == steps.reused == 0
    assert unvisited


def test_a_search_ends_before_its_counts_of_visits_overflow():
    model = TICTACTOE.rules.model()
    search = Search(model, SearchSettings(simulations=10**10, solver=False))
    rng = new_generator(1)
    search.begin(model.reset(rng), 0, rng)
    assert search.advance(10) == 10
    search._workspace._simulations[0] = MOST_VISITS - 5
    assert search.advance(10) == 5
    assert search.advance(10) == 0


def test_misuse_of_steps_is_refused_and_loses_nothing():
    model, search = search_of(nim, {})
    rng = new_generator(1)
    search.begin(model.reset(rng), 0, rng)
    assert search.advance(10) == 10
    with pytest.raises(RuntimeError, match="no leaf waits for an answer"):
        search.leaves()
    for simulations in (1.5, 0, "3"):
        with pytest.raises(ValueError, match=f"simulations={simulations!r}: expected"):
            search.advance(simulations)
    assert search.result().simulations == 10


def test_a_forced_decision_shows_no_leaves_of_the_one_before():
    model = TICTACTOE.rules.model()
    rng = new_generator(0)
    state = model.reset(rng)
    only = model.reset(rng)
    for number, action in enumerate([0, 1, 2, 4, 3, 5, 7, 6]):
        model.apply(only, (action, -1) if number % 2 == 0 else (-1, action), rng)
    later = AnsweredLater(lambda model, states, players: states)
    search = Search(model, SearchSettings(simulations=50, evaluator=later, **PUCT))
    search.begin(state, 0, rng)
    search.advance(10)
    assert search.waiting
    search.begin(only, 0, rng)
    with pytest.raises(RuntimeError, match="no leaf waits for an answer"):
        search.leaves()
