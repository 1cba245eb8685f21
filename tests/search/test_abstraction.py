"""Opponent move abstraction against an independent book of pools.

Baier, Kaisers, CoG 2020: the value of an own action is mixed with its mean over all
positions that the same own moves led to, whatever the others played, by the weight
beta = sqrt(e / (3 n(a) + e)) (equation 5).
"""

import math

import numpy as np
import pytest

from mcts_agents.model import new_generator
from mcts_agents.search import Search, SearchSettings
from tests.search.by_hand import Node
from tests.search.schedule_game import schedule

MODEL = schedule((1, 2, 1, 2, 1))
E = 5.0


def edges_of(tree, above=()):
    """Yield (path, player, action record) of visited edges; paths are (player, a)."""
    (bandit,) = tree["bandits"]
    for action in bandit["actions"]:
        if action["visits"]:
            yield above, bandit["player"], action
    for child in tree["children"]:
        ((player, action),) = child["actions"].items()
        yield from edges_of(child["node"], (*above, (player, action)))


def run(count, abstraction, exploration=0.4, **options):
    state = MODEL.reset(new_generator(0))
    searching = Search(
        MODEL,
        SearchSettings(
            simulations=count,
            abstraction=abstraction,
            abstraction_visits=E,
            exploration=exploration,
            **options,
        ),
    )
    return searching, searching.run(state, 0, new_generator(7))


def pools_of(tree, players):
    """Sum visits and values over all nodes with the same own moves before."""
    pools: dict[tuple, list[float]] = {}
    for path, player, action in edges_of(tree):
        if player in players:
            own = tuple(a for p, a in path if p == player)
            pool = pools.setdefault((player, own, action["action"]), [0, 0.0])
            pool[0] += action["visits"]
            pool[1] += action["visits"] * action["value"]
    return pools


@pytest.mark.parametrize(("abstraction", "players"), [("own", {0}), ("all", {0, 1})])
def test_pools_hold_the_means_over_all_that_the_others_played(abstraction, players):
    searching, found = run(400, abstraction)
    expected = sorted(
        (n, total / n) for n, total in pools_of(found.tree(), players).values()
    )
    stored = searching._workspace.memory.arrays["pools"]
    stored = stored[stored["visits"] > 0]
    assert (
        len(stored)
        == len(expected)
        == int(searching._workspace.record["pool_count"][0])
    )
    pairs = sorted(zip(stored["visits"].tolist(), stored["mean"].tolist(), strict=True))
    np.testing.assert_allclose(pairs, expected)


@pytest.mark.parametrize(("abstraction", "players"), [("own", {0}), ("all", {0, 1})])
def test_each_choice_is_that_of_equation_5(abstraction, players):
    checked = mattered = 0
    before = None
    for count in range(1, 250):
        searching, found = run(count, abstraction)
        record = searching._workspace.record[0]
        tree = found.tree()
        edges = {
            (path, player, a["action"]): (a["visits"], a["value"])
            for path, player, a in edges_of(tree)
        }
        if before is not None:
            old, pools, lows, highs = before
            changed = [k for k in edges if edges[k][0] > old.get(k, (0, 0))[0]]
            for path, player, taken in changed:
                known = [old.get((path, player, a)) for a in range(3)]
                if None in known:
                    continue
                total = sum(n for n, _ in known)
                low = lows[player]
                scale = 1 / (highs[player] - low)
                own = tuple(a for p, a in path if p == player)
                merits, plain = [], []
                for a, (n, q) in enumerate(known):
                    value = (q - low) * scale
                    exploration = 0.4 * math.sqrt(math.log(total) / n)
                    plain.append(value + exploration)
                    if player in players:
                        m, pooled = pools[player, own, a]
                        beta = math.sqrt(E / (3 * n + E))
                        value = beta * (pooled / m - low) * scale + (1 - beta) * value
                    merits.append(value + exploration)
                assert merits[taken] >= max(merits) - 1e-6
                checked += 1
                mattered += plain[taken] < max(plain) - 1e-6
        lows, highs = record["low"].tolist(), record["high"].tolist()
        before = edges, pools_of(tree, players), lows, highs
    assert checked > 200
    assert mattered > 5


def test_values_are_mixed_on_one_scale():
    # TAG mixes a raw mean with a scaled one. Far from 0 that decides everything.
    for offset in (0.0, 1000.0):
        node = Node(2, exploration=0.0, abstraction_visits=30.0)
        node.view["low"], node.view["high"] = offset, offset + 10.0
        node.visit([4, 100], [offset + 2.0, offset + 6.0])
        node.pool_visits[:] = [50, 100]
        node.pool_means[:] = offset + np.array([9.0, 6.0])
        # beta = sqrt(30 / 42): 0.845 * 0.9 + 0.155 * 0.2 = 0.79 > 0.6
        assert node.choose("ucb1_extended") == 0
        node.pool_means[0] = offset + 6.0  # 0.845 * 0.6 + 0.155 * 0.2 = 0.54 < 0.6
        assert node.choose("ucb1_extended") == 1


@pytest.mark.parametrize("visits", [1e-300, 1e12])
def test_extremes_of_the_equivalence_parameter(visits):
    state = MODEL.reset(new_generator(0))
    found = {}
    for name, options in (
        ("abstract", {"abstraction": "all", "abstraction_visits": visits}),
        ("plain", {}),
    ):
        settings = SearchSettings(simulations=300, tree_policy="alphago", **options)
        result = Search(MODEL, settings).run(state, 0, new_generator(1))
        found[name] = result.visits.tolist()
    assert (found["abstract"] == found["plain"]) == (visits < 1)


def test_paranoid_pools_hold_what_is_backed_up():
    searching, found = run(300, "all", paranoid=True)
    expected = sorted(
        (n, total / n) for n, total in pools_of(found.tree(), {0, 1}).values()
    )
    stored = searching._workspace.memory.arrays["pools"]
    stored = stored[stored["visits"] > 0]
    pairs = sorted(zip(stored["visits"].tolist(), stored["mean"].tolist(), strict=True))
    np.testing.assert_allclose(pairs, expected)
