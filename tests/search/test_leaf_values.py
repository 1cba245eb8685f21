"""What leaves are worth: words, functions of the user, and what these may not do."""

import numpy as np
import pytest

from mcts_agents.model import DRAWN, LOST, PLAYING, WON, new_generator
from mcts_agents.search import Search, SearchSettings
from tests.search.schedule_game import played, points, schedule
from tests.toy_games import auction, nim

THREE = (1, 2, 4)


def leaf_values(model, value, *, seed=0, **settings):
    """Search so that each action of the root is tried once, and nothing rolled out.

    Its mean is then the value of the state right behind it.
    """
    state = model.reset(new_generator(seed))
    count = len(model.legal_actions(state, 0))
    settings = SearchSettings(
        simulations=count, value=value, rollout=0, solver=False, **settings
    )
    return Search(model, settings).run(state, 0, new_generator(seed))


def expected_scores(totals, over, bonus):
    scores = [float(points(totals, p)) for p in range(3)]
    results = [PLAYING] * 3
    if over:
        best = [p for p in range(3) if scores[p] == max(scores)]
        results = [LOST] * 3
        for p in best:
            results[p] = WON if len(best) == 1 else DRAWN
    share = {WON: bonus, LOST: -bonus}
    return [s * (1 + share.get(r, 0)) for s, r in zip(scores, results, strict=True)]


@pytest.mark.parametrize("bonus", [0.0, 0.5])
@pytest.mark.parametrize("value", ["score", "leader"])
@pytest.mark.parametrize("over", [False, True])
def test_score_and_leader(value, bonus, over):
    # The others play 2 (root only in the tree), the root player any of three.
    masks = (7,) if over else (7, 7)
    model = schedule(masks, players=3)
    found = leaf_values(
        model, value, score_bonus=bonus, tree="self", opponent_model="highest"
    )
    for action, mean in zip(found.actions, found.values, strict=True):
        scores = expected_scores((int(action), 2, 2), over, bonus)
        own = scores[0] if value == "score" else scores[0] - max(scores[1:])
        assert mean == pytest.approx(own)


def test_leader_of_others_in_a_tree_of_all():
    # One iteration; every player's bandit holds its own lead.
    model = schedule((7,), players=3)
    state = model.reset(new_generator(0))
    settings = SearchSettings(simulations=1, value="leader", score_bonus=0.25)
    found = Search(model, settings).run(state, 0, new_generator(0))
    tried = {
        b["player"]: next(
            (a["action"], a["value"]) for a in b["actions"] if a["visits"]
        )
        for b in found.tree()["bandits"]
    }
    scores = expected_scores([tried[p][0] for p in range(3)], True, 0.25)
    for player in range(3):
        others = [scores[p] for p in range(3) if p != player]
        assert tried[player][1] == pytest.approx(scores[player] - max(others))


@pytest.mark.parametrize("over", [False, True])
def test_evaluate_is_the_games_function_while_it_runs(over):
    model = schedule((7,) if over else (7, 7), players=3)
    found = leaf_values(model, "evaluate", tree="self", opponent_model="highest")
    for action, mean in zip(found.actions, found.values, strict=True):
        expected = (5 * int(action) % 7) / 7
        if over:
            scores = [points((int(action), 2, 2), p) for p in range(3)]
            best = scores.count(max(scores))
            expected = (1 / best) if scores[0] == max(scores) else 0.0
        assert mean == pytest.approx(expected)


def test_a_function_of_the_user_gets_the_leaf():
    leaves = []

    def value(model, state):
        leaves.append((model.name, played(model, state)))
        return [10.0, -3.0, 0.5]

    model = schedule((1, 2, 4, 1, 2, 4), players=3)
    state = model.reset(new_generator(0))
    settings = SearchSettings(simulations=20, value=value, rollout=1)
    found = Search(model, settings).run(state, 0, new_generator(0))
    assert len(leaves) == 20
    assert {name for name, _ in leaves} == {model.name}
    assert {len(moves) for _, moves in leaves} <= {2, 3, 4, 5}
    assert set(found.values) == {10.0}
    assert {a["value"] for c in found.tree()["children"] for a in actions(c)} == {-3.0}


def actions(child):
    return [a for a in child["node"]["bandits"][0]["actions"] if a["visits"]]


def test_a_function_of_the_user_that_says_what_a_word_says():
    for model in (auction(), nim(), schedule(THREE, players=3)):
        for word, function in (
            ("score", lambda model, state: model.scores(state)),
            ("win", wins),
        ):
            options = {"score_bonus": 0.0} if word == "score" else {}
            found = []
            for value in (word, function):
                state = model.reset(new_generator(1))
                player = model.movers(state)[0]
                given = options if value == "score" else {}
                settings = SearchSettings(
                    simulations=150, value=value, solver=False, rollout=3, **given
                )
                found.append(
                    Search(model, settings).run(state, player, new_generator(2))
                )
            assert found[0].visits.tolist() == found[1].visits.tolist()


def wins(model, state):
    results = model.results(state).tolist()
    worth = {WON: 1.0, LOST: 0.0, PLAYING: 1 / model.players}
    worth[DRAWN] = 1 / max(results.count(DRAWN), 1)
    return [worth[result] for result in results]


@pytest.mark.parametrize("simulations", [1, 2, 30])
@pytest.mark.parametrize("loop", ["open", "closed"])
def test_an_exception_comes_out_whenever_it_is_raised(simulations, loop):
    # The very last leaf too, after which no iteration would notice.
    calls = []

    def value(model, state):
        calls.append(1)
        if len(calls) == simulations:
            raise ZeroDivisionError("leaf")
        return np.zeros(2)

    model = schedule()
    state = model.reset(new_generator(0))
    settings = SearchSettings(simulations=simulations, value=value, loop=loop)
    search = Search(model, settings)
    with pytest.raises(ZeroDivisionError, match="leaf"):
        search.run(state, 0, new_generator(0))
    assert search.run(state, 0, new_generator(0)).simulations == simulations


@pytest.mark.parametrize("bad", [[1.0], [1.0, np.nan], [np.inf, 0.0], 3.0, None])
def test_bad_values_are_refused(bad):
    model = schedule()
    state = model.reset(new_generator(0))
    settings = SearchSettings(simulations=5, value=lambda model, state: bad)
    with pytest.raises((ValueError, TypeError), match=r"finite numbers|float"):
        Search(model, settings).run(state, 0, new_generator(0))
