"""Closed loops: the open loop's search with fewer calls, or one state for each edge."""

from collections import defaultdict

import numpy as np
import pytest

from mcts_agents.envs.dots_and_boxes.rules import rules as dots_and_boxes
from mcts_agents.envs.tictactoe.rules import rules as tictactoe
from mcts_agents.model import new_generator
from mcts_agents.search import Search, SearchSettings
from tests.search.scheduled import RULES as scheduled
from tests.search.toy_games import two_then_one
from tests.toy_games import MATRIX, auction, hands, nim

DETERMINISTIC = {
    "tictactoe": tictactoe.model(),
    "dots": dots_and_boxes.model(),
    "nim": nim(),
    "matrix": MATRIX.model(payoffs=(3, 1, 0, 5, 5, 0, 1, 2), rounds=4),
    "turns": scheduled.model(players=3, movers=(1, 1, 2, 4, 4, 5, 7, 1, 2, 6)),
}
CHOICES = [
    {},
    {"rollout": 0},
    {"rollout": 3},
    {"rollout": 1, "rollout_end": "action"},
    {"rollout": 2, "rollout_end": "start"},
    {"max_depth": 1},
    {"max_depth": 3, "rollout": 2},
    {"value": "score", "paranoid": True},
    {"tree_policy": "exp3"},
    {"tree_policy": "regret_matching", "rollout": 5},
    {"tree_policy": "ucb_tuned"},
    {"backup": "max_lambda"},
    {"abstraction": "all"},
    {"rollout_policy": "mast", "rollout": 20},
]


def search(model, seed, player=None, **chosen):
    rng = new_generator(seed)
    state = model.reset(rng)
    player = model.movers(state)[0] if player is None else player
    return Search(model, SearchSettings(**chosen)).run(state, player, rng)


@pytest.mark.parametrize("game", DETERMINISTIC)
@pytest.mark.parametrize("choice", CHOICES, ids=str)
def test_closed_is_the_open_loop_with_fewer_calls(game, choice):
    model = DETERMINISTIC[game]
    for seed in range(3):
        chosen = {"simulations": 300, "solver": False} | choice
        opened = search(model, seed, **chosen)
        closed = search(model, seed, loop="closed", **chosen)
        assert closed.visits.tolist() == opened.visits.tolist()
        np.testing.assert_array_equal(closed.values, opened.values)
        assert closed.action == opened.action
        assert closed.principal_variation == opened.principal_variation
        assert closed.depth == opened.depth
        if opened.depth > 1:
            assert closed.forward_model_calls < opened.forward_model_calls


def test_calls_are_one_for_each_leaf_without_rollouts():
    # Nine actions, then 72 more: up to 50 iterations each end at a new position.
    for simulations in (5, 50, 500):
        found = search(
            tictactoe.model(),
            1,
            simulations=simulations,
            loop="closed",
            rollout=0,
            solver=False,
        )
        assert found.forward_model_calls <= simulations
        if simulations <= 50:
            assert found.forward_model_calls == simulations


# -- sampled closed loops


def leaves_by_path(model, seed, player, **chosen):
    """Return {number of a leaf state: visits}, by the bytes of the states."""
    counts = defaultdict(int)

    def value(model, state):
        counts[state.tobytes()] += 1
        return model.scores(state)

    found = search(model, seed, player, value=value, rollout=0, **chosen)
    return counts, found


@pytest.mark.parametrize("tree", ["one", "self"])
@pytest.mark.parametrize("max_depth", [1, 2, 1000])
def test_each_edge_leads_to_one_sampled_state(tree, max_depth):
    model = auction()
    for seed in range(3):
        chosen = {"tree": tree, "simulations": 400, "max_depth": max_depth}
        counts, found = leaves_by_path(model, seed, 0, loop="sampled", **chosen)
        edges = edges_taken(found.tree())
        assert len(counts) <= edges


def edges_taken(node):
    """Count the edges of a tree that were visited: those of joint actions too.

    At most: a joint action below one that was visited once has no node to count.
    """
    count = 1
    for bandit in node["bandits"]:
        count *= sum(a["visits"] > 0 for a in bandit["actions"])
    return count + sum(edges_taken(child["node"]) for child in node["children"])


@pytest.mark.parametrize("tree", ["one", "self"])
def test_one_decision_deep_each_action_has_one_successor(tree):
    # Coins tell what was bid; prize, points and who is awake are chance or replies.
    model = auction()
    for seed in range(5):
        chosen = {"tree": tree, "simulations": 200, "max_depth": 1}
        successors = {"open": defaultdict(int), "sampled": defaultdict(int)}
        for loop, visits in successors.items():
            counts, found = leaves_by_path(model, seed, 0, loop=loop, **chosen)
            for leaf, count in counts.items():
                coins = model.view(np.frombuffer(leaf, np.uint8))["coins"]
                bids = tuple((6 - coins).tolist())
                visits[bids if tree == "one" else bids[0], leaf] += count
            if loop == "sampled":
                own = defaultdict(int)
                for (bids, _), count in visits.items():
                    own[bids[0] if tree == "one" else bids] += count
                assert [own[a] for a in found.actions] == found.visits.tolist()
                assert len({bids for bids, _ in visits}) == len(visits)
        assert len(successors["open"]) > len(successors["sampled"])


def test_modelled_replies_are_sampled_once_for_each_edge():
    # Player 0 decides, then 1 and 2, then 0, and so on; the replies are in the state.
    model = scheduled.model(players=3, movers=(1, 2, 4, 1, 6, 2, 1, 4))
    replies = defaultdict(set)
    asked = []
    replies_of = np.random.default_rng(5)

    def reply(model, state, player):
        asked.append((int(model.view(state)["moves"]), player))
        return int(replies_of.integers(2))

    def value(model, state):
        view = model.view(state)
        own = tuple(a for a in view["played"][:, 0].tolist() if a >= 0)
        replies[own].add(state.tobytes())
        return model.scores(state)

    chosen = {"tree": "self", "simulations": 300, "rollout": 0, "value": value}
    search(model, 4, 0, loop="sampled", opponent_model=reply, **chosen)
    sampled = len(asked)
    assert set(replies) == {
        own
        for n in (1, 2, 3)
        for own in [tuple(int(b) for b in f"{i:0{n}b}") for i in range(2**n)]
    }
    assert all(len(states) == 1 for states in replies.values())
    # Each of 2 + 4 edges brings the two replies up to the next own decision or 3 of
    # them, each of the 8 last edges one.
    assert sorted(asked) == sorted(
        2 * [(1, 1), (2, 2)] + 4 * [(4, 1), (4, 2), (5, 1)] + 8 * [(7, 2)]
    )
    replies.clear()
    search(model, 4, 0, loop="open", opponent_model=reply, **chosen)
    assert len(asked) > 2 * sampled
    assert any(len(states) > 1 for states in replies.values())


@pytest.mark.parametrize("tree", ["one", "self"])
def test_sampled_plans_on_one_determinization(tree):
    model = hands(2)
    dealt = set()

    def value(model, state):
        view = model.view(state)
        if view["played"].item().bit_count() == 1:  # 0 has played one card
            dealt.add(int(view["hands"][1]))
        return model.scores(state)

    rng = new_generator(0)
    state = model.reset(rng)
    while model.movers(state) != (0,):
        state = model.reset(rng)
    chosen = {"simulations": 300, "tree": tree, "rollout": 0, "value": value}
    Search(model, SearchSettings(loop="sampled", **chosen)).run(state, 0, rng)
    assert dealt == {int(model.view(state)["hands"][1])}


def test_a_deterministic_game_is_sampled_as_it_is_closed():
    for model in DETERMINISTIC.values():
        chosen = {"simulations": 300, "solver": False}
        closed = search(model, 3, loop="closed", **chosen)
        sampled = search(model, 3, loop="sampled", **chosen)
        assert closed.visits.tolist() == sampled.visits.tolist()
        assert closed.forward_model_calls == sampled.forward_model_calls


def test_stored_states_move_along_when_arrays_grow(monkeypatch):
    from mcts_agents.search.driver import memory

    model = DETERMINISTIC["turns"]
    chosen = {"simulations": 400, "loop": "closed"}
    expected = search(model, 5, **chosen)
    monkeypatch.setattr(memory, "FIRST_NODES", 4)
    monkeypatch.setattr(memory, "FIRST_EDGES", 16)
    monkeypatch.setattr(memory, "FIRST_JOINTS", 4)
    small = search(model, 5, **chosen)
    assert small.visits.tolist() == expected.visits.tolist()
    np.testing.assert_array_equal(small.values, expected.values)


@pytest.mark.parametrize("end", ["action", "start", "turn", "round"])
@pytest.mark.parametrize("tree", ["one", "self"])
def test_rollouts_from_a_stored_state_end_where_the_first_one_did(tree, end):
    # Nothing is drawn below the tree, so that an edge has one end.
    counts = (0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6)
    model = scheduled.model(
        players=3,
        movers=(1, 6, 3, 5, 2, 1, 4, 7, 1, 2, 1),
        turns=None,
        rounds=counts[:12],
    )
    ends = defaultdict(set)

    def value(model, state):
        view = model.view(state)
        ends[tuple(view["played"][0].tolist())].add(int(view["moves"]))
        return model.scores(state)

    policies = {"rollout_policy": "always_one", "opponent_model": "always_zero"}
    for rollout in (1, 2, 3, 4):
        ends.clear()
        chosen = {"tree": tree, "rollout": rollout, "max_depth": 1, "simulations": 40}
        chosen |= {"rollout_end": end, "value": value, "loop": "sampled", **policies}
        search(model, 1, 0, **chosen)
        assert len(ends) == 2
        assert all(len(moves) == 1 for moves in ends.values())


@pytest.mark.parametrize("loop", ["closed", "sampled"])
@pytest.mark.parametrize("calls", [50, 500])
def test_a_budget_of_calls_ends_a_search_of_all_there_is(loop, calls):
    # Fourteen positions at most: then every iteration ends at one that is stored.
    model = scheduled.model(players=3, movers=(1, 2, 4))
    chosen = {"loop": loop, "rollout": 0, "forward_model_calls": calls}
    found = search(model, 1, solver=False, **chosen)
    assert found.forward_model_calls <= 2 + 4 + 8
    assert found.simulations == calls  # one call or none each


@pytest.mark.parametrize("loop", ["open", "closed", "sampled"])
@pytest.mark.parametrize("depth", [1, 2, 1000])
def test_a_rollout_from_the_depth_limit_forgets_what_was_chosen_there(loop, depth):
    chosen = {"loop": loop, "max_depth": depth, "rollout_policy": "mast"}
    found = search(two_then_one(), 0, player=0, simulations=500, **chosen)
    assert found.values.tolist() == pytest.approx([1.0, 10.0], abs=1e-12)
    for seed in range(20):  # sleepers of the auction had a bid from the tree
        chosen = {"loop": loop, "max_depth": depth, "rollout_policy": "mast"}
        if loop == "closed":
            continue  # which an auction's chance forbids
        found = search(auction(), seed, player=0, simulations=100, **chosen)
        assert found.visits.sum() == 100


def test_several_determinizations_of_sampled_states():
    model = hands(3)
    rng = new_generator(0)
    state = model.reset(rng)
    while len(model.legal_actions(state, model.movers(state)[0])) < 2:
        state = model.reset(rng)
    player = model.movers(state)[0]
    for tree in ("one", "self", "pair"):
        settings = SearchSettings(
            simulations=300, determinizations=6, loop="sampled", tree=tree
        )
        runs = [
            Search(model, settings).run(state, player, new_generator(2))
            for _ in range(2)
        ]
        assert runs[0].visits.tolist() == runs[1].visits.tolist()
        assert runs[0].simulations == runs[0].visits.sum() == 300
