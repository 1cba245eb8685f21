"""Closed loops: the same search for fewer calls, on states that are sampled once."""

import numpy as np
import pytest

from mcts_agents.envs.tictactoe import GAME
from mcts_agents.model import new_generator
from mcts_agents.search import Search, SearchSettings
from tests.search.schedule_game import played, schedule
from tests.toy_games import MATRIX, auction, hands, nim

DETERMINISTIC = {
    "tictactoe": GAME.rules.model(),
    "nim": nim(),
    "matrix": MATRIX.model(payoffs=(3, 1, 0, 5, 5, 0, 1, 2), rounds=3),
    "in turn": schedule((1, 2, 1, 2, 1, 2)),
    "at once": schedule((3, 1, 3, 2, 3, 3), turns=range(7), rounds=(0, 0, 1, 1, 2, 2)),
}


def search(model, seed=0, **settings):
    state = model.reset(new_generator(seed))
    settings = SearchSettings(**({"simulations": 400} | settings))
    found = Search(model, settings)
    result = found.run(state, model.movers(state)[0], new_generator(seed))
    return found, result


@pytest.mark.parametrize("name", DETERMINISTIC)
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"rollout": 0},
        {"rollout": 2},
        {"max_depth": 2},
        {"max_depth": 1, "rollout": 0},
        {"tree_policy": "exp3"},
        {"tree_policy": "regret_matching", "rollout": 1},
        {"backup": "max_mc", "backup_threshold": 20.0},
        {"rollout": 1, "rollout_end": "action"},
        {"rollout": 1, "rollout_end": "start", "max_depth": 2},
        {"abstraction": "all"},
        {"mast": "both", "rollout_policy": "mast"},
        {"paranoid": True, "first_play_urgency": 0.5},
    ],
    ids=str,
)
def test_same_visits_as_the_open_loop_for_fewer_calls(name, options):
    model = DETERMINISTIC[name]
    for seed in range(2):
        _, opened = search(model, seed, solver=False, **options)
        _, closed = search(model, seed, loop="closed", **options)
        assert closed.visits.tolist() == opened.visits.tolist()
        np.testing.assert_array_equal(closed.values, opened.values)
        assert closed.action == opened.action
        assert closed.forward_model_calls < opened.forward_model_calls


@pytest.mark.parametrize("end", ["turn", "round"])
def test_ends_by_counters_are_the_same(end):
    model = DETERMINISTIC["at once"]
    for depth in (1, 2, 1000):
        options = {"rollout": 1, "rollout_end": end, "max_depth": depth}
        _, opened = search(model, **options)
        _, closed = search(model, loop="closed", **options)
        assert closed.visits.tolist() == opened.visits.tolist()


@pytest.mark.parametrize("name", DETERMINISTIC)
def test_without_rollouts_every_edge_is_applied_once(name):
    # All that is applied is what leads to a new node, the root's state is there.
    model = DETERMINISTIC[name]
    search_, found = search(model, loop="closed", rollout=0, value="score")
    movers = [len(n["movers"]) for n in nodes(found.tree())]
    stored = int(search_._search["node_count"][0])
    assert stored >= sum(movers)
    if max(movers) == 1:
        assert found.forward_model_calls == stored - 1


@pytest.mark.parametrize("loop", ["closed", "sampled"])
def test_a_limited_depth_is_applied_once_too(loop):
    model = schedule((1, 2, 1, 2, 1, 2))
    _, found = search(model, loop=loop, rollout=0, max_depth=1)
    assert found.forward_model_calls == 3
    _, found = search(model, loop=loop, rollout=1, max_depth=1)
    assert found.forward_model_calls == 3 + found.simulations


def nodes(tree):
    yield tree
    for child in tree["children"]:
        yield from nodes(child["node"])


def stored_states(search_):
    """The stored state of each node, the first bandit's where several decide."""
    size, count = search_.model.state_size, int(search_._search["node_count"][0])
    block = search_._memory.arrays["states"][: size * count].reshape(count, size)
    return [search_.model.view(row.copy()) for row in block]


@pytest.mark.parametrize("loop", ["closed", "sampled"])
def test_nodes_hold_the_states_that_their_actions_lead_to(loop):
    # TAG's nodes all held the root's state (closed loop without effect since 2023).
    model = schedule((1, 2, 1, 2, 1, 2))
    search_, _ = search(model, loop=loop, rollout=0)
    arrays = search_._memory.arrays
    states = stored_states(search_)
    steps = set()
    for node, state in enumerate(states):
        record = arrays["nodes"][node]
        for index in range(record["first"], record["first"] + record["count"]):
            edge = arrays["edges"][index]
            if edge["child"] >= 0:
                below = states[edge["child"]]
                assert below["step"] == state["step"] + 1
                assert below["moves"][state["step"], record["player"]] == edge["action"]
                assert below["totals"].sum() == state["totals"].sum() + edge["action"]
        steps.add(int(state["step"]))
    assert steps == set(range(7))


@pytest.mark.parametrize(
    ("model", "options"),
    [
        (schedule((1, 2) * 3, chance=True), {}),
        (schedule((3, 1, 2, 3, 1, 3), chance=True), {}),
        (schedule((1, 2) * 3), {"tree": "self"}),
        (schedule((3, 1, 2, 3, 1, 3), chance=True), {"tree": "self"}),
        (schedule((1, 2) * 3, chance=True), {"tree": "self", "max_depth": 1}),
    ],
)
def test_each_edge_is_sampled_once(model, options):
    # The leaf tells which way chance and the modelled players went; below one sequence
    # of own actions there is one such way.
    ways: dict[tuple, set] = {}

    def note(model, state):
        moves = played(model, state)
        own = tuple(row if "tree" not in options else row[0] for row in moves)
        ways.setdefault(own, set()).add((tuple(moves), *model.view(state)["totals"]))
        return model.scores(state)

    search(model, loop="sampled", rollout=0, value=note, **options)
    assert all(len(way) == 1 for way in ways.values())
    assert len(ways) > 2
    ways.clear()
    search(model, simulations=2000, rollout=0, value=note, **options)
    assert any(len(way) > 1 for way in ways.values())


@pytest.mark.parametrize("model", [auction(), hands(2), hands(3)])
@pytest.mark.parametrize("tree", ["one", "self"])
def test_sampled_loops_need_fewer_calls(model, tree):
    _, opened = search(model, tree=tree, rollout=0)
    _, sampled = search(model, tree=tree, rollout=0, loop="sampled")
    assert sampled.forward_model_calls < opened.forward_model_calls
    assert sampled.visits.sum() == opened.visits.sum()


@pytest.mark.parametrize("loop", ["closed", "sampled"])
def test_same_seed_same_search(loop):
    model = DETERMINISTIC["at once"]
    for seed in range(3):
        found = [search(model, seed, loop=loop)[1] for _ in range(2)]
        assert found[0].visits.tolist() == found[1].visits.tolist()
        assert found[0].action == found[1].action
