"""Forests of determinizations and threads: budgets, sums, averages and votes."""

import itertools

import numpy as np
import pytest

from mcts_agents.model import new_generator
from mcts_agents.search import Search, SearchSettings
from mcts_agents.search.root import RootStatistics
from tests.search.schedule_game import schedule
from tests.toy_games import auction, hands


def position(model, seed):
    rng = new_generator(seed)
    while True:
        state = model.reset(rng)
        player = model.movers(state)[0]
        if len(model.legal_actions(state, player)) > 1:
            return state, player


def search(model, seed=0, **settings):
    state, player = position(model, seed)
    searching = Search(model, SearchSettings(**settings))
    return searching.run(state, player, new_generator(seed))


def part(visits, values, ranks=(1, 1, 1), strategy=None, **rest):
    """Statistics of one tree with three actions."""
    numbers = dict.fromkeys(
        ("simulations", "forward_model_calls", "nodes", "depth", "reused", "bytes"), 0
    )
    return RootStatistics(
        actions=np.array([4, 5, 6], np.int32),
        visits=np.array(visits),
        values=np.array(values, float),
        ranks=np.array(ranks),
        strategy=None if strategy is None else np.array(strategy),
        principal_variation=lambda action: [],
        solved=False,
        tree=lambda depth: {},
        **(numbers | rest),
    )


def merged(parts, combine="average", determinizations=2, final="visits"):
    settings = SearchSettings(
        combine=combine, determinizations=determinizations, final=final
    )
    return RootStatistics.merged(parts, settings)


NAN = float("nan")
PARTS = [
    part([8, 1, 0], [0.5, 0.9, NAN], simulations=9, forward_model_calls=90, depth=3),
    part([2, 4, 0], [0.1, 0.3, NAN], simulations=6, forward_model_calls=50, depth=5),
]


def test_average_of_values_does_not_weigh_trees_by_visits():
    root = merged(PARTS, "average")
    assert root.values[:2] == pytest.approx([0.3, 0.6])
    assert np.isnan(root.values[2])
    assert root.visits.tolist() == [10, 5, 0]


@pytest.mark.parametrize(("combine", "determinizations"), [("visits", 2), (None, 1)])
def test_visits_are_added_and_weigh_values(combine, determinizations):
    # Threads too, whatever `combine` says.
    root = merged(PARTS, combine or "average", determinizations)
    assert root.visits.tolist() == [10, 5, 0]
    expected = [(8 * 0.5 + 2 * 0.1) / 10, (0.9 + 4 * 0.3) / 5]
    assert root.values[:2] == pytest.approx(expected)
    assert (root.simulations, root.forward_model_calls, root.depth) == (15, 140, 5)


def test_an_action_tried_in_one_tree_has_that_value():
    root = merged([part([3, 0, 0], [0.5, NAN, NAN]), part([0, 3, 0], [NAN, 0.2, NAN])])
    assert root.values[:2] == pytest.approx([0.5, 0.2])


@pytest.mark.parametrize(
    ("final", "expected"), [("visits", [2, 1, 0]), ("value", [0, 1, 2])]
)
def test_votes(final, expected):
    parts = [
        part([8, 1, 1], [0.1, 0.2, 0.9]),
        part([8, 1, 1], [0.1, 0.2, 0.9]),
        part([1, 8, 1], [0.1, 0.9, 0.2]),
    ]
    assert merged(parts, "vote", 3, final).visits.tolist() == expected


def test_an_action_is_proven_if_it_is_in_every_tree():
    root = merged(
        [part([1, 1, 1], [0] * 3, (2, 0, 2)), part([1] * 3, [0] * 3, (2, 1, 0))]
    )
    assert root.ranks.tolist() == [2, 0, 0]


def test_strategies_are_averaged():
    parts = [
        part([1] * 3, [0] * 3, strategy=[1.0, 0.0, 0.0]),
        part([9] * 3, [0] * 3, strategy=[0.0, 0.5, 0.5]),
    ]
    assert merged(parts).strategy == pytest.approx([0.5, 0.25, 0.25])


# -- forests


def trees_of(monkeypatch, model, seed, **settings):
    """Search; return the result and what each tree found."""
    kept = []
    original = RootStatistics.merged

    def keep(parts, settings):
        kept.extend(parts)
        return original(parts, settings)

    monkeypatch.setattr(RootStatistics, "merged", keep)
    return search(model, seed, **settings), kept


@pytest.mark.parametrize("combine", ["average", "visits", "vote"])
def test_a_forest_decides_as_combine_says(combine, monkeypatch):
    decisive = 0
    for seed in range(12):
        found, trees = trees_of(
            monkeypatch,
            hands(3),
            seed,
            simulations=90,
            determinizations=9,
            combine=combine,
        )
        assert len(trees) == 9
        values = np.array([tree.values for tree in trees])
        if combine == "average":
            merit = np.nanmean(values, axis=0)
        elif combine == "visits":
            merit = np.sum([tree.visits for tree in trees], axis=0)
        else:
            merit = np.zeros(len(found.actions))
            for tree in trees:
                # Most visits; of equally many the greatest value.
                best = max(
                    range(len(merit)), key=lambda i: (tree.visits[i], tree.values[i])
                )
                merit[best] += 1
            assert found.visits.tolist() == merit.tolist()
        chosen = found.actions.tolist().index(found.action)
        assert merit[chosen] == pytest.approx(merit.max())
        decisive += merit[chosen] > sorted(merit)[-2] + 1e-9
        monkeypatch.undo()
    assert decisive >= 6


def test_the_ways_to_combine_differ_in_their_decisions():
    decisions = {
        combine: [
            search(
                hands(3), seed, simulations=60, determinizations=10, combine=combine
            ).action
            for seed in range(40)
        ]
        for combine in ("average", "visits", "vote")
    }
    for one, other in itertools.combinations(decisions.values(), 2):
        assert one != other


def test_votes_decide_whatever_each_tree_votes_by(monkeypatch):
    differs = 0
    for seed in range(30):
        found, _ = trees_of(
            monkeypatch,
            hands(3),
            seed,
            simulations=60,
            determinizations=10,
            combine="vote",
            final="value",
        )
        monkeypatch.undo()
        chosen = found.actions.tolist().index(found.action)
        assert found.visits[chosen] == found.visits.max()
        assert found.visits.sum() == 10
        differs += found.values[chosen] < np.nanmax(found.values)
    assert differs > 0


@pytest.mark.parametrize(("simulations", "trees"), [(90, 9), (100, 7), (5, 7)])
def test_budgets_are_shared_out(simulations, trees, monkeypatch):
    found, parts = trees_of(
        monkeypatch,
        hands(2),
        1,
        simulations=simulations,
        determinizations=trees,
        combine="visits",
    )
    shares = [part.simulations for part in parts]
    assert len(shares) == trees
    assert max(shares) - min(shares) <= 1
    assert found.simulations == sum(shares) == max(simulations, trees)
    assert found.visits.sum() == found.simulations


def test_each_tree_of_a_forest_has_a_world_of_its_own():
    # What a leaf says of the others' cards: one set of cards a tree, several in all.
    worlds = set()

    def value(model, state):
        view = model.view(state)
        worlds.add(int(view["hands"][1 - player]) | int(view["played"]))
        return model.scores(state)

    model = hands(2)
    state, player = position(model, 3)
    dealt = {int(model.view(state)["hands"][1 - player])}
    for trees, information in ((1, "perfect"), (6, "set")):
        worlds.clear()
        settings = SearchSettings(
            simulations=6,
            determinizations=trees,
            information=information,
            value=value,
            rollout=0,
            max_depth=1,
        )
        Search(model, settings).run(state, player, new_generator(5))
        others = {world & ~int(model.view(state)["hands"][player]) for world in worlds}
        assert (others == dealt) == (trees == 1)
        assert len(others) == 1 or trees > 1


# -- threads


@pytest.mark.parametrize("threads", [2, 3])
@pytest.mark.parametrize(
    ("model", "options"),
    [
        (auction(), {}),
        (hands(2), {"determinizations": 4, "combine": "vote"}),
        (schedule(), {"loop": "closed", "tree_policy": "regret_matching"}),
        (schedule(), {"graph": True}),
    ],
)
def test_threads_are_reproducible(model, options, threads):
    found = [
        search(model, 2, simulations=301, threads=threads, **options) for _ in range(2)
    ]
    assert found[0].visits.tolist() == found[1].visits.tolist()
    np.testing.assert_array_equal(found[0].values, found[1].values)
    assert found[0].action == found[1].action
    assert found[0].simulations == 301


def test_threads_are_searches_of_their_own(monkeypatch):
    found, parts = trees_of(monkeypatch, auction(), 1, simulations=400, threads=4)
    assert [part.simulations for part in parts] == [100] * 4
    assert len({tuple(part.visits) for part in parts}) == 4
    assert found.visits.tolist() == np.sum([p.visits for p in parts], axis=0).tolist()
    sums = np.sum([p.visits * np.nan_to_num(p.values) for p in parts], axis=0)
    np.testing.assert_allclose(found.values, sums / found.visits)
    chosen = found.actions.tolist().index(found.action)
    assert found.visits[chosen] == found.visits.max()


def test_another_number_of_threads_is_another_search():
    visits = [
        search(auction(), 1, simulations=400, threads=n).visits.tolist() for n in (1, 2)
    ]
    assert visits[0] != visits[1]


def test_threads_share_out_memory(monkeypatch):
    options = {"simulations": 10**7, "seconds": 20.0, "memory": 1, "rollout": 0}
    alone = search(schedule((7,) * 12, players=3, chance=True), **options)
    found, parts = trees_of(
        monkeypatch,
        schedule((7,) * 12, players=3, chance=True),
        0,
        threads=2,
        **options,
    )
    assert alone.bytes <= 1 << 20
    assert found.bytes <= 1 << 20
    assert all(part.bytes > 1 << 18 for part in parts)
