"""Action heuristics and what uses them, read off the tree that a search made."""

import math

import numpy as np
import pytest

from mcts_agents.envs import load_game
from mcts_agents.model import new_generator
from mcts_agents.search import Search, SearchSettings
from tests.search.schedule_game import HEURISTIC, schedule
from tests.toy_games import auction, fuse, hands

GAME = schedule((1, 2) * 4)
NOISY = schedule((1, 2) * 4, chance=True)
GAMES = pytest.mark.parametrize("model", [GAME, NOISY], ids=["fixed", "chance"])
BY_RANK = sorted(range(3), key=lambda action: -HEURISTIC[action])  # 2, 0, 1


def search(model, seed=0, **settings):
    state = model.reset(new_generator(seed))
    settings = {"simulations": 300, "action_heuristic": "game"} | settings
    searching = Search(model, SearchSettings(**settings))
    return searching, searching.run(state, model.movers(state)[0], new_generator(seed))


def bandits(tree):
    yield from tree["bandits"]
    for child in tree["children"]:
        yield from bandits(child["node"])


# -- the order in which untried actions are tried


@GAMES
@pytest.mark.parametrize("policy", ["ucb1", "ucb_tuned", "kl_ucb", "alphago"])
def test_untried_actions_are_tried_by_heuristic(model, policy):
    # TAG computed the values and did not use them.
    for count in (1, 2, 3):
        for seed in range(8):
            _, found = search(model, seed, simulations=count, tree_policy=policy)
            tried = set(np.flatnonzero(found.visits).tolist())
            assert tried == set(BY_RANK[:count])
    _, found = search(model, simulations=400, tree_policy=policy)
    partial = 0
    for bandit in bandits(found.tree()):
        visits = [a["visits"] for a in bandit["actions"]]
        tried = [i for i in range(len(visits)) if visits[i]]
        assert set(tried) == set(BY_RANK[: len(tried)])
        partial += 0 < len(tried) < 3
    assert partial > 5


def test_without_a_heuristic_they_are_tried_at_random():
    firsts = set()
    for seed in range(40):
        _, found = search(GAME, seed, simulations=1, action_heuristic="none")
        firsts.add(int(found.visits.argmax()))
    assert firsts == {0, 1, 2}


def test_a_heuristic_of_the_user():
    asked = []

    def rate(model, state, player, actions):
        asked.append((int(model.view(state)["step"]), player, actions.tolist()))
        return [1.0 if action == 1 else 0.0 for action in actions]

    _, found = search(GAME, simulations=1, action_heuristic=rate)
    assert found.visits.tolist() == [0, 1, 0]
    assert asked == [(0, 0, [0, 1, 2])]
    asked.clear()
    search(GAME, simulations=200, action_heuristic=rate, progressive_bias=1.0)
    assert {player for _, player, _ in asked} == {0, 1}
    assert all(step % 2 == player for step, player, _ in asked)


@pytest.mark.parametrize("interval", [1, 7, 50])
def test_a_heuristic_is_asked_again_after_so_many_visits(interval):
    asked = []

    def rate(model, state, player, actions):
        asked.append(int(model.view(state)["step"]))
        return [0.0] * len(actions)

    search(
        GAME,
        simulations=100,
        action_heuristic=rate,
        action_heuristic_interval=interval,
        progressive_bias=1.0,
    )
    assert asked.count(0) == math.ceil(100 / interval)


@pytest.mark.parametrize(
    "bad", [[1.0], [1.0, 2.0, math.nan], [0.0, 1.0, math.inf], 1.0]
)
def test_bad_values_are_refused(bad):
    with pytest.raises(ValueError, match=r"action heuristic .* expected 3 finite"):
        search(GAME, action_heuristic=lambda *arguments: bad)


def test_an_exception_of_a_heuristic_comes_out():
    def fails(model, state, player, actions):
        raise ZeroDivisionError("heuristic")

    for simulations in (1, 50):
        with pytest.raises(ZeroDivisionError, match="heuristic"):
            search(GAME, action_heuristic=fails, simulations=simulations)


# -- progressive widening


def allowed(constant, exponent, visits, count=3):
    """How many actions are candidates at a visit, after so many before it."""
    wanted = constant * max(visits, 1) ** exponent
    return min(count, max(1, math.ceil(wanted - 1e-9)))


@GAMES
@pytest.mark.parametrize(
    ("constant", "exponent"), [(1.0, 0.2), (0.3, 0.4), (0.1, 1.0), (2.0, 0.1)]
)
def test_widening_lets_in_the_best_actions_one_by_one(model, constant, exponent):
    options = {"widening": constant, "widening_exponent": exponent}
    widths = set()
    for count in (1, 5, 30, 200):
        _, found = search(model, simulations=count, **options)
        for bandit in bandits(found.tree()):
            visits = {a["action"]: a["visits"] for a in bandit["actions"]}
            if not bandit["visits"]:
                continue
            # The last visit came after all but one.
            width = allowed(constant, exponent, bandit["visits"] - 1)
            tried = {action for action, n in visits.items() if n}
            assert tried <= set(BY_RANK[:width])
            widths.add(width)
            # N(a) counts the visits at which the action was a candidate.
            for action in bandit["actions"]:
                rank = BY_RANK.index(action["action"])
                possible = sum(
                    allowed(constant, exponent, n) > rank
                    for n in range(bandit["visits"])
                )
                assert action["available"] == possible
    assert len(widths) > 1


@pytest.mark.parametrize(
    "options",
    [
        {"abstraction": "own"},
        {"loop": "closed"},
        {"progressive_bias": 0.4},
        {"prior_temperature": 0.5},
        {"solver": True, "value": "win"},
    ],
    ids=str,
)
@pytest.mark.parametrize("name", ["rolit", "focus", "chinese_checkers"])
def test_kept_orders_of_candidates_are_those_made_anew(name, options):
    """The game's heuristic sorts edges for good, a function's is asked each time."""
    model = load_game(name).rules.model(players=2)

    def rate(model, state, player, actions):
        return model.action_values(state, player)

    options = {"rollout": 0, "value": "evaluate"} | options
    if options["value"] == "win":
        options["rollout"] = 20
    for seed in range(3):
        state = model.reset(new_generator(seed))
        model.playout(state, new_generator(seed), 10 + 5 * seed)
        found = [
            Search(
                model,
                SearchSettings(
                    simulations=250,
                    action_heuristic=heuristic,
                    widening=0.8,
                    widening_exponent=0.4,
                    **options,
                ),
            ).run(state, model.movers(state)[0], new_generator(seed))
            for heuristic in ("game", rate)
        ]
        assert found[0].visits.tolist() == found[1].visits.tolist()
        assert np.array_equal(found[0].values, found[1].values, equal_nan=True)
        assert 1 < (found[0].visits > 0).sum() < len(found[0].actions)


def test_width_of_the_root_is_the_formula():
    for constant, exponent in ((0.5, 0.5), (1.0, 0.25), (0.05, 1.0)):
        options = {"widening": constant, "widening_exponent": exponent}
        for count in range(1, 40):
            _, found = search(GAME, simulations=count, exploration=50.0, **options)
            expected = max(allowed(constant, exponent, n) for n in range(count))
            assert (found.visits > 0).sum() == expected


# -- priors, bias, initial visits


def first_differences(model, expected, **options):
    """Check each choice at the root against `expected`, a formula of the past.

    `expected(edges, low, high)` returns the merit of each action; edges are (n, Q).
    """
    before = None
    for count in range(1, 40):
        searching, found = search(model, simulations=count, **options)
        record = searching._workspace.record[0]
        if before is not None:
            edges, low, high = before
            taken = int(np.argmax(found.visits - [n for n, _ in edges]))
            merits = expected(edges, low, high)
            assert merits[taken] >= max(merits) - 1e-6
        edges = [
            (int(n), 0.0 if math.isnan(v) else float(v))
            for n, v in zip(found.visits, found.values, strict=True)
        ]
        before = edges, float(record["low"][0]), float(record["high"][0])


def ucb(edges, low, high, k=1.0):
    """Return [(scaled Q, exploration)] of tried actions."""
    total = sum(n for n, _ in edges)
    scale = 1 / (high - low) if high > low else 0.0
    return [
        (
            (q - low) * scale if n else 0.0,
            k * math.sqrt(math.log(total) / n) if n else None,
        )
        for n, q in edges
    ]


@pytest.mark.parametrize("temperature", [0.0, 0.2, 1.0])
def test_prior_multiplies_exploration(temperature):
    if temperature:
        weights = [math.exp(h / temperature) for h in HEURISTIC]
    else:
        weights = HEURISTIC
    prior = [w / sum(weights) for w in weights]

    def expected(edges, low, high):
        parts = ucb(edges, low, high)
        return [
            q + p * (0.7 if term is None else term)
            for (q, term), p in zip(parts, prior, strict=True)
        ]

    first_differences(
        GAME, expected, prior_temperature=temperature, first_play_urgency=0.7
    )


@pytest.mark.parametrize("bias", [0.5, 4.0])
def test_bias_fades_with_visits(bias):
    def expected(edges, low, high):
        parts = ucb(edges, low, high)
        return [
            q + bias * h / (n + 1) + (0.3 if term is None else term)
            for (q, term), h, (n, _) in zip(parts, HEURISTIC, edges, strict=True)
        ]

    first_differences(GAME, expected, progressive_bias=bias, first_play_urgency=0.3)


@pytest.mark.parametrize("urgency", [0.0, 0.5, 3.0])
def test_first_play_urgency_is_the_exploration_of_untried_actions(urgency):
    def expected(edges, low, high):
        parts = ucb(edges, low, high)
        return [q + (urgency if term is None else term) for q, term in parts]

    first_differences(
        GAME, expected, first_play_urgency=urgency, action_heuristic="none"
    )


def test_a_negative_heuristic_has_no_share_of_a_raw_prior():
    values = [-1.0, 0.25, 0.75]
    searching, _ = search(
        GAME,
        action_heuristic=lambda *arguments: values,
        prior_temperature=0.0,
        first_play_urgency=1.0,
    )
    memory = searching._workspace.memory.arrays
    first = memory["nodes"]["first"][0]
    np.testing.assert_allclose(
        memory["statistics"]["prior"][first : first + 3], [0.0, 0.25, 0.75]
    )


@pytest.mark.parametrize("given", [1, 4, 30])
@pytest.mark.parametrize("policy", ["ucb1", "alphago"])
def test_initial_visits_count_with_the_heuristic_value(policy, given):
    def expected(edges, low, high):
        total = sum(n for n, _ in edges) + 3 * given
        merits = []
        for (n, q), h in zip(edges, HEURISTIC, strict=True):
            scaled = (q - low) / (high - low) if n and high > low else 0.0
            merit = (n * scaled + given * h) / (n + given)
            if policy == "ucb1":
                merit += math.sqrt(math.log(total) / (n + given))
            else:
                merit += math.sqrt(total) / (1 + n + given)
            merits.append(merit)
        return merits

    first_differences(GAME, expected, initial_visits=given, tree_policy=policy)


def test_initial_visits_are_chosen_from_the_first():
    # No action is untried: the first iteration already takes the greatest index.
    _, found = search(GAME, simulations=1, initial_visits=10, exploration=0.0)
    assert found.visits.tolist() == [0, 0, 1]


@pytest.mark.parametrize("policy", ["ucb1", "ucb_tuned", "kl_ucb", "alphago"])
@pytest.mark.parametrize(("least", "range_"), [(20.0, 1.0), (-1e6, 1.0), (0.0, 1e4)])
def test_initial_visits_do_not_depend_on_the_scale_of_values(policy, least, range_):
    """Whatever the game pays, H counts as a share of what has been seen."""

    def value(model, state):
        totals = model.view(state)["totals"][:2]
        return least + range_ * totals / 12.0

    found = [
        search(
            GAME,
            seed,
            simulations=400,
            initial_visits=3,
            tree_policy=policy,
            value=value,
            action_heuristic=lambda model, state, player, actions: [0.5] * 3,
        )[1]
        for seed in range(25)
    ]
    assert sum(result.action == 2 for result in found) >= 24
    assert all(result.visits.sum() == 400 for result in found)


@pytest.mark.parametrize("model", [auction(), hands(3)])
def test_initial_visits_where_legal_sets_vary(model):
    for tree in ("one", "multi"):
        searching, found = search(
            model,
            seed=2,
            tree=tree,
            initial_visits=3,
            action_heuristic=lambda model, state, player, actions: 0.1 * actions,
        )
        assert found.visits.sum() == 300
        for bandit in bandits(found.tree()):
            total = sum(a["visits"] for a in bandit["actions"])
            assert total == bandit["visits"]
            assert all(a["available"] >= a["visits"] for a in bandit["actions"])
        assert searching._workspace.record["simulations"][0] == 300


# -- which actions are candidates


def test_availability_counts_the_states_in_which_an_action_is_legal():
    model = hands(2)
    state = model.reset(new_generator(2))
    player = model.movers(state)[0]
    found = Search(model, SearchSettings(simulations=800)).run(
        state, player, new_generator(0)
    )
    varied = 0
    for bandit in bandits(found.tree()):
        for action in bandit["actions"]:
            assert action["visits"] <= action["available"] <= bandit["visits"]
            varied += action["available"] < bandit["visits"]
    assert varied > 10


def test_every_edge_is_available_where_nothing_varies():
    model = fuse()
    state = model.reset(new_generator(2))
    found = Search(model, SearchSettings(simulations=100)).run(
        state, 0, new_generator(0)
    )
    for bandit in bandits(found.tree()):
        assert {a["available"] for a in bandit["actions"]} <= {bandit["visits"]}
