"""Graph search: one node for a position, however it was reached."""

import pytest

from mcts_agents.model import new_generator
from mcts_agents.search import Search, SearchSettings
from tests.search.schedule_game import played, points, schedule

# The first player moves twice: 1 and 2 in either order lead to the same position.
TWICE = schedule((1, 1, 2, 1))


def search(model=TWICE, seed=0, **settings):
    state = model.reset(new_generator(seed))
    settings = {"simulations": 200, "graph": True} | settings
    searching = Search(model, SearchSettings(**settings))
    return searching, searching.run(state, model.movers(state)[0], new_generator(seed))


def below(tree, *actions):
    """Return the node that actions of single players lead to."""
    for action in actions:
        tree = next(
            c["node"]
            for c in tree["children"]
            if list(c["actions"].values()) == [action]
        )
    return tree


def test_two_orders_lead_to_one_node():
    _, found = search()
    tree = found.tree()
    for one, other in (((0, 1), (1, 0)), ((0, 2), (2, 0)), ((0, 2), (1, 1))):
        a, b = below(tree, *one), below(tree, *other)
        assert a["bandits"] == b["bandits"]
        assert a["visits"] > 0


def test_statistics_are_those_of_all_ways():
    # A tree with the same positions has as many nodes as there are orders.
    for seed in range(5):
        _, found = search(seed=seed, max_depth=3)
        tree = found.tree()
        shared = below(tree, 0, 1)["bandits"][0]
        # Both ways in were taken, and the node was visited as often as both together,
        # less those iterations that made it and stopped before it.
        ways = [
            action["visits"]
            for first, second in ((0, 1), (1, 0))
            for action in below(tree, first)["bandits"][0]["actions"]
            if action["action"] == second
        ]
        assert min(ways) > 0
        assert sum(ways) - 1 == shared["visits"]


@pytest.mark.parametrize("masks", [(1, 1, 2, 1), (1, 2) * 3, (1, 1, 1, 2, 2)])
def test_no_more_nodes_than_positions(masks):
    _, found = search(schedule(masks), simulations=3000)
    # Totals of either player at each step that is not the end.
    positions = set()
    frontier = {(0, 0)}
    for mask in masks:
        positions |= {(mask, len(positions), p) for p in frontier}
        frontier = {
            (x + a * (mask == 1), y + a * (mask == 2))
            for x, y in frontier
            for a in range(3)
        }
    assert found.nodes == len(positions)
    _, plain = search(schedule(masks), simulations=3000, graph=False)
    assert plain.nodes > found.nodes


def test_values_are_means_over_the_trajectories():
    # Independent bookkeeping of positions and actions from what the leaves say. With
    # three own moves that all lie in the graph, each is credited with the leaf's value.
    leaves = []

    def note(model, state):
        moves = played(model, state)
        leaves.append(moves)
        totals = [int(t) for t in model.view(state)["totals"]]
        return [float(points(totals, p)) for p in range(2)]

    model = schedule((1, 1, 2))
    _, found = search(model, simulations=400, value=note)
    # The second moves' values are known from every iteration that was long enough in
    # the graph: those that found the position known that the first move leads to.
    known, sums = {(0, 0)}, {}
    for moves in leaves:
        position = (0, 0)
        value = 0.0
        totals = [moves[0][0] + moves[1][0], moves[2][1], 0]
        for step, row in enumerate(moves):
            player = 0 if step < 2 else 1
            action = row[player]
            value = float(points(totals, player))
            n, total = sums.get((position, action), (0, 0.0))
            sums[position, action] = n + 1, total + value
            position = (step + 1, sum(r[0] for r in moves[: step + 1] if r[0] >= 0))
            if position not in known:
                known.add(position)
                break
    tree = found.tree()
    for node, position in (
        (tree, (0, 0)),
        (below(tree, 1), (1, 1)),
        (below(tree, 0, 2), (2, 2)),
        (below(tree, 2, 1), (2, 3)),
    ):
        for action in node["bandits"][0]["actions"]:
            n, total = sums.get((position, action["action"]), (0, 0.0))
            assert action["visits"] == n
            if n:
                assert action["value"] == pytest.approx(total / n)


@pytest.mark.parametrize("go_on", [True, False])
def test_expand_after_clash(go_on):
    # Every action of a known position is new at some time. After it leads to a known
    # position an iteration goes on there, or rolls out at once.
    previous: dict = {}
    went_on = stopped = 0
    for count in range(1, 60):
        _, found = search(simulations=count, expand_after_clash=go_on, seed=3)
        visits = edge_visits(found.tree())
        path = sorted(k for k in visits if visits[k] > previous.get(k, 0))
        for step, total, action in path:
            first_time = (step, total, action) not in previous
            target = (step + 1, total + action * (step != 2))
            was_known = any(key[:2] == target for key in previous)
            if first_time and was_known and step < 3:
                if any(key[:2] == target for key in path):
                    went_on += 1
                else:
                    stopped += 1
        previous = visits
    assert (went_on > 0, stopped > 0) == (go_on, not go_on)


def edge_visits(tree):
    """Return visits by (step, the first player's total, action)."""
    found = {}

    def walk(node, step, total):
        for action in node["bandits"][0]["actions"]:
            if action["visits"]:
                found[step, total, action["action"]] = action["visits"]
        for child in node["children"]:
            (taken,) = child["actions"].values()
            walk(child["node"], step + 1, total + taken * (step != 2))

    walk(tree, 0, 0)
    return found


@pytest.mark.parametrize("tree", ["one", "self"])
@pytest.mark.parametrize("masks", [(1, 2) * 4, (3, 1, 2, 3, 3), (3,) * 4])
def test_chance_and_simultaneous_moves(tree, masks):
    for chance in (False, True):
        model = schedule(masks, chance=chance)
        for options in ({}, {"rollout": 0}, {"expand_after_clash": False}):
            _, found = search(model, tree=tree, **options)
            assert found.visits.sum() == 200
            _, again = search(model, tree=tree, **options)
            assert found.visits.tolist() == again.visits.tolist()


def test_a_graph_shares_what_it_learns():
    # The best total is reached by two orders: for the same budget its value is that of
    # more visits than in a tree.
    _, graph = search(simulations=300, rollout=0)
    _, tree = search(simulations=300, rollout=0, graph=False)
    shared, alone = below(graph.tree(), 0, 1), below(tree.tree(), 0, 1)
    assert shared["visits"] > alone["visits"]
