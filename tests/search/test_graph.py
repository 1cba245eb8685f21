"""Graph search: shared positions, against a recount of logged trajectories."""

from collections import defaultdict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcts_agents.envs.dots_and_boxes.rules import rules as dots_and_boxes
from mcts_agents.envs.tictactoe.rules import rules as tictactoe
from mcts_agents.model import new_generator
from mcts_agents.search import Search, SearchSettings
from tests.exact import dots_and_boxes as exact_dots
from tests.exact import positions
from tests.exact import tictactoe as exact_tictactoe
from tests.search.web import RULES as web
from tests.search.web import trajectory


def logged(model, seed=0, **chosen):
    """Search a web with no rollouts; return (result, trajectories, values)."""
    log = []
    payoffs = model.game["payoffs"][0]

    def value(model, state):
        places, joints = trajectory(model, state)
        log.append((places, joints))
        return payoffs[places[-1]]

    chosen = {"graph": True, "rollout": 0, "value": value} | chosen
    rng = new_generator(seed)
    result = Search(model, SearchSettings(**chosen)).run(model.reset(rng), 0, rng)
    return result, [(places, joints, payoffs[places[-1]]) for places, joints in log]


def recount(model, log, own, max_depth, expand_after_clash):
    """Return {place: {(player, action): [visits, total]}}; check where each one ended.

    Args:
        model: The web.
        log: Trajectories of all iterations, in order.
        own: Players of the tree.
        max_depth: The option.
        expand_after_clash: The option.
    """
    movers = model.game["movers"][0].tolist()
    found = {0: defaultdict(lambda: [0, 0.0])}
    taken = set()
    for places, joints, values in log:
        path, ended, depth, fresh = [], False, 0, False
        for i, place in enumerate(places):
            mine = [p for p in own if movers[place] >> p & 1]
            if not mine:  # over, or others move
                continue
            known = place in found
            clash = fresh and not expand_after_clash
            if depth == max_depth or (i > 0 and (not known or clash)):
                if depth < max_depth:
                    found.setdefault(place, defaultdict(lambda: [0, 0.0]))
                ended = True
                assert i == len(places) - 1, f"{places} goes on after {i}"
                break
            assert i < len(joints), f"{places} ends too early"
            own_joint = tuple((p, joints[i][p]) for p in mine)
            path += [(place, p, action) for p, action in own_joint]
            fresh = (place, own_joint) not in taken
            taken.add((place, own_joint))
            depth += 1
        if not ended:
            assert movers[places[-1]] == 0 or depth == max_depth, places
        for place, player, action in path:
            entry = found[place][player, action]
            entry[0] += 1
            entry[1] += values[player]
    return found


def shown(node, place, model, out):
    """Collect an exported tree's statistics by place; all copies must be alike."""
    statistics = {
        (bandit["player"], entry["action"]): (entry["visits"], entry["value"])
        for bandit in node["bandits"]
        for entry in bandit["actions"]
        if entry["visits"]
    }
    assert out.setdefault(place, statistics) == statistics
    target = model.game["target"][0]
    for child in node["children"]:
        actions = list(child["actions"].values())
        first, second = actions if len(actions) == 2 else (actions[0], 0)
        shown(child["node"], int(target[place, first, second]), model, out)
    return out


def assert_recount(model, own=(0, 1), exported=True, **chosen):
    chosen = {"simulations": 200, "max_depth": 30, "expand_after_clash": True} | chosen
    result, log = logged(model, **chosen)
    assert len(log) == result.simulations == chosen["simulations"]
    found = recount(model, log, own, chosen["max_depth"], chosen["expand_after_clash"])
    root = {a: entry for (p, a), entry in found[0].items() if p == 0}
    for action, visits, value in zip(
        result.actions.tolist(), result.visits, result.values, strict=True
    ):
        assert visits == root.get(action, [0])[0]
        if visits:
            assert value == pytest.approx(root[action][1] / visits)
    if exported:
        for place, statistics in shown(result.tree(12), 0, model, {}).items():
            expected = found[place]
            assert {k: n for k, (n, _) in statistics.items()} == {
                k: n for k, (n, _) in expected.items()
            }
            for key, (visits, mean) in statistics.items():
                assert mean == pytest.approx(expected[key][1] / visits)
    decisions = sum(
        sum(model.game["movers"][0][place] >> p & 1 for p in own) for place in found
    )
    assert result.nodes == decisions
    return result, log


# 0 chooses 1 or 2, 1 answers from either to the same 3 (and to 4 or 5), 0 ends it.
DIAMOND = {
    "movers": (1, 2, 2, 1, 0, 0, 0, 0),
    "targets": ((1, 2), (3, 4), (3, 5), (6, 7), (), (), (), ()),
    "payoffs": (
        *((0, 0), (0.1, 0.2), (0.2, 0.1), (0.5, 0.5)),
        *((0.3, 0), (0.1, 0.4), (1, 0), (0, 1)),
    ),
}
# Two steps to the end, or round and round.
CIRCLE = {
    "movers": (1, 2, 1, 0),
    "targets": ((1, 2), (2, 0), (0, 3), ()),
    "payoffs": ((0.4, 0.6), (0.3, 0.7), (0.6, 0.4), (0.5, 0.5)),
}


@pytest.mark.parametrize("expand", [True, False])
def test_two_ways_to_one_position_share_its_node(expand):
    model = web.model(**DIAMOND)
    result, log = assert_recount(model, expand_after_clash=expand, simulations=400)
    shared = []

    def walk(node, place):
        for child in node["children"]:
            (action,) = child["actions"].values()
            target = int(model.game["target"][0][place, action, 0])
            if target == 3:
                shared.append((place, child["node"]))
            walk(child["node"], target)

    walk(result.tree(), 0)
    assert sorted(place for place, _ in shared) == [1, 2]
    assert shared[0][1] == shared[1][1]
    # All that went through 3 and beyond, whichever way it came.
    through = sum(3 in places[:-1] for places, _, _ in log)
    assert shared[0][1]["visits"] == through
    both = {tuple(places[:4]) for places, _, _ in log if len(places) == 4}
    assert {places[1] for places in both} == {1, 2}


def test_a_clash_ends_the_iteration_only_if_it_is_told_to():
    model = web.model(**DIAMOND)
    ends = {}
    for expand in (True, False):
        _, log = assert_recount(model, expand_after_clash=expand)
        arrived = [(places[1], places[-1]) for places, _, _ in log if 3 in places]
        second = 3 - arrived[0][0]
        assert arrived[0][1] == 3
        ends[expand] = next(last for way, last in arrived if way == second)
    assert ends[True] in (6, 7)
    assert ends[False] == 3


@pytest.mark.parametrize("expand", [True, False])
@pytest.mark.parametrize("max_depth", [1, 2, 7, 50])
def test_circles_end(expand, max_depth):
    model = web.model(**CIRCLE)
    chosen = {"max_depth": max_depth, "expand_after_clash": expand}
    result, log = assert_recount(model, simulations=1000, **chosen)
    assert result.depth == max_depth
    assert max(len(joints) for _, joints, _ in log) == max_depth
    assert max_depth == 1 or result.nodes == 3


@pytest.mark.parametrize("choice", [{"rollout": 20}, {"rollout": 3, "tree": "self"}])
def test_circles_with_rollouts(choice):
    model = web.model(**CIRCLE)
    rng = new_generator(0)
    chosen = SearchSettings(graph=True, simulations=500, max_depth=40, **choice)
    result = Search(model, chosen).run(model.reset(rng), 0, rng)
    assert result.simulations == 500 < result.visits.sum()
    assert result.nodes <= 3
    result.tree()
    result.dot(None)


@st.composite
def webs(draw):
    """Return the variant of a web, circles and joint decisions included."""
    count = draw(st.integers(2, 9))
    place = st.integers(0, count - 1)
    movers = [1, *draw(st.lists(st.sampled_from((0, 1, 2, 3)), min_size=count - 1))]
    movers = (movers + [0] * count)[:count]
    targets = []
    for mask in movers:
        if mask == 3:
            targets.append(draw(st.lists(place, min_size=9, max_size=9)))
        elif mask:
            targets.append(draw(st.lists(place, min_size=2, max_size=3)))
        else:
            targets.append([])
    value = st.integers(0, 20).map(lambda x: x / 20)
    payoffs = draw(st.lists(st.tuples(value, value), min_size=count, max_size=count))
    return {
        "movers": tuple(movers),
        "targets": tuple(map(tuple, targets)),
        "payoffs": tuple(payoffs),
    }


@settings(max_examples=120, deadline=None)
@given(
    variant=webs(),
    max_depth=st.sampled_from((1, 3, 8)),
    expand=st.booleans(),
    seed=st.integers(0, 99),
)
def test_any_web(variant, max_depth, expand, seed):
    model = web.model(**variant)
    chosen = {"max_depth": max_depth, "expand_after_clash": expand, "seed": seed}
    assert_recount(model, simulations=60, exported=max_depth < 8, **chosen)


@settings(max_examples=40, deadline=None)
@given(variant=webs(), expand=st.booleans(), seed=st.integers(0, 99))
def test_any_web_in_a_tree_of_ones_own(variant, expand, seed):
    # The others move by themselves, between two places of the acting player; a circle
    # among theirs would go on until the game's own limit.
    model = web.model(**variant)
    chosen = {"max_depth": 4, "expand_after_clash": expand, "seed": seed}
    result, log = logged(model, tree="self", simulations=60, **chosen)
    limited = [entry for entry in log if len(entry[1]) < 100]
    if len(limited) == len(log):
        found = recount(model, log, (0,), 4, expand)
        assert result.visits.tolist() == [
            found[0][0, a][0] for a in result.actions.tolist()
        ]
        assert result.nodes == len(found)


# -- exact values


def position(model, moves):
    """Return the state after moves, and whose turn it is."""
    rng = new_generator(0)
    state = model.reset(rng)
    for action in moves:
        model.apply(state, {model.movers(state)[0]: action}, rng)
    return state, model.movers(state)[0]


def searched(model, moves, **chosen):
    """Search a graph from a position."""
    state, player = position(model, moves)
    settings = SearchSettings(graph=True, simulations=20_000, **chosen)
    return Search(model, settings).run(state, player, new_generator(1))


@pytest.mark.parametrize("expand", [True, False])
@pytest.mark.parametrize("listed", positions.TICTACTOE, ids=str)
def test_the_one_best_move_of_tictactoe(listed, expand):
    found = searched(tictactoe.model(), listed.moves, expand_after_clash=expand)
    assert found.action == listed.best
    exact = exact_tictactoe.move_values(exact_tictactoe.position(listed.moves))
    # 1 for a win, 1/2 to each for a draw; search means lag behind.
    best = found.values[found.actions.tolist().index(listed.best)]
    assert best == pytest.approx((1 + exact[listed.best]) / 2, abs=0.1)


@pytest.mark.parametrize("expand", [True, False])
@pytest.mark.parametrize("listed", positions.DOTS_AND_BOXES, ids=str)
def test_the_one_best_move_of_dots_and_boxes(listed, expand):
    found = searched(
        dots_and_boxes.model(width=2, height=2),
        listed.moves,
        value="leader",
        score_bonus=0.0,
        expand_after_clash=expand,
    )
    assert found.action == listed.best
    best = found.values[found.actions.tolist().index(listed.best)]
    exact = exact_dots.final_leads(listed.moves)[listed.best]
    assert best == pytest.approx(exact, abs=0.6)


@pytest.mark.parametrize("moves", [(), (0, 4), (0, 1, 2, 4)])
def test_a_graph_of_tictactoe_has_a_node_for_each_position_at_the_most(moves):
    reached, open_ends = set(), [exact_tictactoe.position(moves)]
    while open_ends:
        board = open_ends.pop()
        if board in reached or exact_tictactoe.winner(board) or "." not in board:
            continue
        reached.add(board)
        empty = [cell for cell in range(9) if board[cell] == "."]
        open_ends += [exact_tictactoe.after(board, cell) for cell in empty]
    found = searched(tictactoe.model(), moves, exploration=10.0)
    assert found.nodes <= len(reached)
    if len(moves) == 4:
        assert found.nodes == len(reached)
