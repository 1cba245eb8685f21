"""Leaf heuristics against plain Python, on verdicts of every kind."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcts_agents.model import (
    DRAWN,
    LOST,
    PLAYING,
    WON,
    Rules,
    Spec,
    new_generator,
    random_below,
)
from mcts_agents.search import Search, SearchSettings
from tests.toy_games import nim

ENDS = 6

# One player chooses among verdicts: scores, results and evaluations of everybody.
RULES = Rules(
    "verdicts",
    state=np.dtype([("end", np.int8), ("chooser", np.int8)]),
    game=np.dtype(
        [
            ("chooser", np.int8),
            ("results", np.int8, (ENDS, 4)),
            ("scores", np.float64, (ENDS, 4)),
            ("evaluations", np.float64, (ENDS, 4)),
        ]
    ),
    chance=False,
)


@RULES.variant
def variant(
    game, *, players=3, chooser=0, results=(), scores=(), evaluations=(), teams=None
):
    game["chooser"] = chooser
    for name, rows in (
        ("results", results),
        ("scores", scores),
        ("evaluations", evaluations),
    ):
        for end, row in enumerate(rows):
            game[name][end, :players] = row
    return Spec(players=players, actions=ENDS, teams=teams)


@RULES.define
def reset(game, state, rng):
    state.end = -1
    state.chooser = game.chooser


@RULES.define
def movers(game, state):
    if state.end >= 0 and game.results[state.end, 0] != PLAYING:
        return 0
    # A verdict that lets the first player play on: the game is not over there.
    return np.int64(1) << state.chooser


@RULES.define
def legal_actions(game, state, player, out):
    for end in range(ENDS):
        out[end] = end
    return ENDS


@RULES.define
def apply(game, state, joint_action, rng):
    state.end = joint_action[state.chooser]


@RULES.define
def scores(game, state, out):
    for player in range(game.players):
        out[player] = game.scores[state.end, player]


@RULES.define
def results(game, state, out):
    for player in range(game.players):
        out[player] = game.results[state.end, player]


@RULES.define
def evaluate(game, state, out):
    for player in range(game.players):
        out[player] = game.evaluations[state.end, player]


# -- what the options say, in plain Python


def win(results, teams=None):
    teams = teams or tuple(range(len(results)))
    pairs = list(zip(teams, results, strict=True))
    sharing = {t for t, r in pairs if r == WON} or {t for t, r in pairs if r == DRAWN}
    playing = 1 / len(set(teams))
    return [
        playing if r == PLAYING else 1 / len(sharing) if t in sharing else 0.0
        for t, r in pairs
    ]


def score(results, scores, bonus, by="magnitude"):
    sign = {WON: bonus, LOST: -bonus, PLAYING: 0.0, DRAWN: 0.0}
    return [
        s + sign[r] * (abs(s) if by == "magnitude" else s)
        for r, s in zip(results, scores, strict=True)
    ]


def leader(results, scores, bonus, by="magnitude", teams=None):
    own = score(results, scores, bonus, by)
    if len(own) == 1:
        return own
    teams = teams or tuple(range(len(results)))
    return [
        s - max(o for o, other in zip(own, teams, strict=True) if other != team)
        for s, team in zip(own, teams, strict=True)
    ]


def evaluation(results, evaluations, teams=None):
    return [
        e if r == PLAYING else w
        for r, e, w in zip(results, evaluations, win(results, teams), strict=True)
    ]


def leaf_values(model, player, **chosen):
    """Return the value of each action, looking one step ahead."""
    rng = new_generator(0)
    state = model.reset(rng)
    chosen = {"simulations": 2 * ENDS, "exploration": 1e9, "solver": False} | chosen
    settings = SearchSettings(max_depth=1, rollout=0, **chosen)
    return Search(model, settings).run(state, player, rng).values.tolist()


@st.composite
def verdicts(draw):
    """Return the variant of a game of verdicts."""
    players = draw(st.integers(1, 4))

    def rows(values):
        row = st.lists(values, min_size=players, max_size=players).map(tuple)
        return tuple(draw(st.lists(row, min_size=ENDS, max_size=ENDS)))

    numbers = st.integers(-40, 40).map(lambda n: n / 4)
    # Numbers of teams in the order in which they first appear leave out none.
    of = draw(st.lists(st.integers(0, 3), min_size=players, max_size=players))
    seen = list(dict.fromkeys(of))
    several = len(seen) > 1 and draw(st.booleans())
    return {
        "players": players,
        "teams": tuple(map(seen.index, of)) if several else None,
        "chooser": draw(st.integers(0, players - 1)),
        "results": rows(st.sampled_from((PLAYING, WON, DRAWN, LOST))),
        "scores": rows(numbers),
        "evaluations": rows(st.integers(0, 8).map(lambda n: n / 8)),
    }


@settings(max_examples=150, deadline=None)
@given(
    variant=verdicts(),
    value=st.sampled_from(("win", "score", "leader", "evaluate")),
    bonus=st.sampled_from((None, 0.0, 0.25, 1.0)),
    by=st.sampled_from(("magnitude", "tag")),
    paranoid=st.booleans(),
)
def test_values_of_any_verdict(variant, value, bonus, by, paranoid):
    model, player = RULES.model(**variant), variant["chooser"]
    share, teams = 0.5 if bonus is None else bonus, variant["teams"]
    expected = []
    for end in range(ENDS):
        results = variant["results"][end]
        scores = variant["scores"][end]
        if value == "win":
            values = win(results, teams)
        elif value == "evaluate":
            values = evaluation(results, variant["evaluations"][end], teams)
        elif value == "score":
            values = score(results, scores, share, by)
        else:
            values = leader(results, scores, share, by, teams)
        expected.append(values[player])
    chosen = {"value": value, "paranoid": paranoid}
    if bonus is not None and value in ("score", "leader"):
        chosen["score_bonus"] = bonus
    if bonus != 0.0 and value in ("score", "leader"):
        chosen["score_bonus_by"] = by
    assert leaf_values(model, player, **chosen) == pytest.approx(expected, abs=1e-12)


def test_a_winner_gains_by_the_bonus_where_scores_are_negative():
    """Of -10 with a win and -12 with a loss nobody prefers the second."""
    model = RULES.model(
        players=2,
        results=((WON, LOST), (LOST, WON)) * 3,
        scores=((-10.0, 0.0), (-12.0, 0.0)) * 3,
    )
    assert leaf_values(model, 0, value="score") == [-5.0, -18.0] * 3
    by_tag = {"value": "score", "score_bonus_by": "tag"}
    assert leaf_values(model, 0, **by_tag) == [-15.0, -6.0] * 3
    rng = new_generator(0)
    for seed in range(20):
        state = model.reset(rng)
        search = Search(model, SearchSettings(value="score", simulations=50))
        assert search.run(state, 0, new_generator(seed)).action % 2 == 0


@settings(max_examples=30, deadline=None)
@given(variant=verdicts())
def test_a_function_of_ones_own(variant):
    model, player = RULES.model(**variant), variant["chooser"]
    seen = []

    def value(given, state):
        assert given is model
        seen.append(int(model.view(state)["end"]))
        state[:] = 99  # a copy, which may be spoilt
        return [seen[-1] + 10 * p for p in range(model.players)]

    found = leaf_values(model, player, value=value)
    assert found == [end + 10 * player for end in range(ENDS)]
    assert sorted(seen) == sorted(2 * list(range(ENDS)))


@pytest.mark.parametrize(
    "returned",
    [
        [1.0],
        [1.0, 2.0, 3.0, 4.0],
        1.0,
        [[1.0, 2.0, 3.0]],
        [1.0, np.nan, 0.0],
        [np.inf, 0.0, 0.0],
    ],
    ids=str,
)
def test_what_is_no_value_for_each_player_is_refused(returned):
    with pytest.raises(ValueError, match="expected 3 finite numbers, one for each"):
        leaf_values(RULES.model(), 0, value=lambda model, state: returned)


@pytest.mark.parametrize("value", ["win", "score", "leader", "evaluate"])
@pytest.mark.parametrize("paranoid", [False, True])
def test_every_player_of_a_tree_gets_its_own_value(value, paranoid):
    # Nim for three, near the end; below each first action the second player's values.
    model = nim()
    rng = new_generator(5)
    state = model.reset(rng)
    while len(model.legal_actions(state, model.movers(state)[0])) > 4:
        legal = model.legal_actions(state, model.movers(state)[0])
        action = int(legal[random_below(rng, len(legal))])
        model.apply(state, {model.movers(state)[0]: action}, rng)
    player = model.movers(state)[0]
    settings = SearchSettings(
        value=value,
        max_depth=2,
        rollout=0,
        simulations=400,
        paranoid=paranoid,
        solver=False,
    )
    search = Search(model, settings)
    result = search.run(state, player, rng)
    below = 0
    for child in result.tree()["children"]:
        reached = model.copy(state)
        model.apply(reached, child["actions"], rng)
        (bandit,) = child["node"]["bandits"]
        for entry in bandit["actions"]:
            if entry["visits"] == 0:
                continue
            leaf = model.copy(reached)
            model.apply(leaf, {bandit["player"]: entry["action"]}, rng)
            results = model.results(leaf).tolist()
            scores = model.scores(leaf).tolist()
            values = {
                "win": win(results),
                "score": score(results, scores, 0.5),
                "leader": leader(results, scores, 0.5),
                "evaluate": evaluation(results, model.evaluate(leaf).tolist()),
            }[value]
            own = -values[player] if paranoid else values[bandit["player"]]
            assert entry["value"] == pytest.approx(own)
            below += 1
    assert below > 3
