"""Dots and Boxes against a slow twin, exact enumeration and counting arguments.

Recorded games of OpenSpiel are replayed ply by ply in tests/test_recorded.py.
"""

from functools import cache
from math import comb, isqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2_contingency, chisquare

from mcts_agents.agents import MCTSAgent
from mcts_agents.envs import make_model
from mcts_agents.envs.dots_and_boxes import GAME, rules
from mcts_agents.model import DRAWN, LOST, PLAYING, WON, new_generator, random_below
from tests.envs.dots_and_boxes_twin import Twin, edge_of
from tests.golden import golden_folder, recorded_games

SIDES = st.integers(1, 10)


def call(model, name, state, *arguments):
    return int(model.call(name, state.ctypes.data, *arguments))


def playout(model, state, rng, limit=1000):
    return call(model, "playout", state, rng.ctypes.data, limit)


def greedy(model, state, player, rng):
    return call(model, "policy_greedy", state, player, 0, rng.ctypes.data)


def random_action(model, state, player, rng):
    return call(model, "random_action", state, player, rng.ctypes.data)


def expected_results(scores, tag_ties):
    best = [p for p, score in enumerate(scores) if score == max(scores)]
    if len(best) == 1 or tag_ties:
        return [WON if p == best[0] else LOST for p in range(len(scores))]
    return [DRAWN if p in best else LOST for p in range(len(scores))]


def check(model, state, twin):
    """Compare all that the rules say of a position with the twin."""
    players, boxes = twin.players, twin.width * twin.height
    scores, over = twin.scores(), twin.is_over()
    assert model.movers(state) == (() if over else (twin.mover,))
    assert model.scores(state).tolist() == scores
    assert model.turn(state) == twin.turns
    assert model.round(state) == twin.turns // players
    assert not twin.legal() if over else twin.legal()
    results = expected_results(scores, model.variant["tag_ties"])
    assert model.results(state).tolist() == (results if over else [PLAYING] * players)
    guess = (boxes - sum(scores)) / players
    assert np.allclose(
        model.evaluate(state), [(score + guess) / boxes for score in scores]
    )
    if not over:
        actions = model.legal_actions(state, twin.mover).tolist()
        names = [GAME.format_action(model, action) for action in actions]
        assert names == twin.legal()
        values = model.action_values(state, twin.mover).tolist()
        assert values == [twin.value(name) for name in names]
    for player in {0, twin.mover, players - 1}:
        check_observation(model, state, twin, player)


def check_observation(model, state, twin, player):
    seen = model.observe(state, player)
    expected = np.zeros_like(seen)
    for row in range(twin.height + 1):
        for column in range(twin.width + 1):
            dot = (row, column)
            for plane, other in ((0, (row, column + 1)), (1, (row + 1, column))):
                expected[plane, row, column] = frozenset({dot, other}) in twin.drawn
    for box, owner in twin.owners.items():
        expected[2 + (owner - player) % twin.players][box] = 1
    if not twin.is_over():
        expected[2 + twin.players + (twin.mover - player) % twin.players] = 1
    assert np.array_equal(seen, expected)


@settings(max_examples=25, deadline=None)
@given(SIDES, SIDES, st.integers(2, 6), st.booleans(), st.integers(0, 2**32))
def test_random_games_agree_with_the_twin(width, height, players, ties, seed):
    model = rules.model(width=width, height=height, players=players, tag_ties=ties)
    twin, rng = Twin(width, height, players), new_generator(seed)
    state = model.reset(rng)
    every = 1 + model.actions // 8  # comparing takes the twin long on large boards
    plies = 0
    while not twin.is_over():
        if plies % every == 0:
            check(model, state, twin)
        legal = twin.legal()
        action = random_action(model, state, twin.mover, rng)
        name = GAME.format_action(model, action)
        assert name in legal
        player = twin.mover
        twin.play(name)
        model.apply(state, {player: action}, rng)
        assert model.scores(state).tolist() == twin.scores()
        plies += 1
    check(model, state, twin)
    assert plies == model.actions == twin.width * (height + 1) + height * (width + 1)
    assert model.scores(state).sum() == width * height


@settings(max_examples=60, deadline=None)
@given(SIDES, SIDES, st.integers(2, 6), st.floats(0, 1), st.integers(0, 2**32))
def test_the_greedy_policy_takes_and_does_not_give(width, height, players, part, seed):
    """It agrees with the values of actions, which are compared with the twin above."""
    model = rules.model(width=width, height=height, players=players)
    rng = new_generator(seed)
    state = model.reset(rng)
    playout(model, state, rng, int(part * (model.actions - 1)))
    while not model.is_over(state):
        (player,) = model.movers(state)
        values = model.action_values(state, player)
        best = model.legal_actions(state, player)[values == values.max()]
        action = greedy(model, state, player, rng)
        assert action in best
        model.apply(state, {player: action}, rng)


@pytest.mark.parametrize("plies", [0, 20, 40, 60, 75])
def test_the_greedy_policy_and_random_actions_choose_uniformly(plies):
    model, rng = rules.model(), new_generator(plies)
    state = model.reset(rng)
    playout(model, state, rng, plies)
    (player,) = model.movers(state)
    legal = model.legal_actions(state, player)
    values = model.action_values(state, player)
    for choose, choices in (
        (random_action, legal),
        (greedy, legal[values == values.max()]),
    ):
        draws = 60 * len(choices)
        chosen = [choose(model, state, player, rng) for _ in range(draws)]
        actions, counts = np.unique(chosen, return_counts=True)
        assert actions.tolist() == choices.tolist()
        if len(choices) > 1:
            assert chisquare(counts).pvalue > 0.001
    assert model.policies == ("greedy",)


# -- playouts


def test_a_playout_plays_as_many_edges_as_the_limit_allows():
    for width, height, players in ((7, 5, 2), (1, 1, 2), (10, 10, 6)):
        model = rules.model(width=width, height=height, players=players)
        rng = new_generator(1)
        for limit in (0, 1, 3, model.actions - 1, model.actions, model.actions + 9):
            state = model.reset(rng)
            played = playout(model, state, rng, limit)
            assert played == min(limit, model.actions)
            assert model.observe(state, 0)[:2].sum() == played
            if played < model.actions:
                (player,) = model.movers(state)
                left = model.legal_actions(state, player)
                assert len(left) == model.actions - played
                assert playout(model, state, rng) == len(left)
            assert model.is_over(state)
            assert playout(model, state, rng) == 0
            assert model.scores(state).sum() == width * height


@settings(max_examples=40, deadline=None)
@given(SIDES, SIDES, st.integers(2, 6), st.floats(0, 1), st.integers(0, 2**32))
def test_a_playout_leaves_what_its_edges_would(width, height, players, part, seed):
    """Step by step with limit 1, the edges are known; the twin plays them."""
    model = rules.model(width=width, height=height, players=players)
    twin, rng = Twin(width, height, players), new_generator(seed)
    state = model.reset(rng)
    stepped = model.reset(rng)
    for _ in range(int(part * min(model.actions, 60))):
        (player,) = model.movers(state)
        before = set(model.legal_actions(state, player).tolist())
        assert playout(model, state, rng, 1) == 1
        after = (
            set()
            if model.is_over(state)
            else set(model.legal_actions(state, *model.movers(state)).tolist())
        )
        (action,) = before - after
        model.apply(stepped, {player: action}, rng)
        assert state.tobytes() == stepped.tobytes()
        twin.play(GAME.format_action(model, action))
    check(model, state, twin)


@cache
def score_chances(drawn, owned, mover, width, height, players):
    """Chance of each list of final scores in random play, by enumeration."""
    twin = Twin(width, height, players)
    twin.drawn, twin.mover = set(drawn), mover
    # Who owns which box is no matter, only how many each player has.
    full = [box for box in twin.boxes() if twin.count(box) == 4]
    names = [player for player, boxes in enumerate(owned) for _ in range(boxes)]
    twin.owners = dict(zip(full, names, strict=True))
    if twin.is_over():
        return {owned: 1.0}
    chances = {}
    legal = twin.legal()
    for text in legal:
        after = Twin(width, height, players)
        after.drawn, after.owners = set(twin.drawn), dict(twin.owners)
        after.mover = mover
        after.play(text)
        found = score_chances(
            frozenset(after.drawn), tuple(after.scores()), after.mover,
            width, height, players,
        )  # fmt: skip
        for scores, chance in found.items():
            chances[scores] = chances.get(scores, 0.0) + chance / len(legal)
    return chances


@pytest.mark.parametrize("limit", [100, 3, 1])
@pytest.mark.parametrize(("width", "height", "players"), [(2, 1, 2), (2, 2, 3)])
def test_playouts_score_as_often_as_enumeration_says(width, height, players, limit):
    model = rules.model(width=width, height=height, players=players)
    rng = new_generator(limit)
    expected = score_chances(frozenset(), (0,) * players, 0, width, height, players)
    games = 6000
    found = dict.fromkeys(expected, 0)
    for _ in range(games):
        state = model.reset(rng)
        while not model.is_over(state):
            playout(model, state, rng, limit)
        found[tuple(model.scores(state).astype(int).tolist())] += 1
    assert set(found) == set(expected)
    counts = np.array(list(found.values()))
    likely = np.array([expected[scores] for scores in found]) * games
    rare = likely < 5  # these are counted together
    counts = np.append(counts[~rare], counts[rare].sum())
    likely = np.append(likely[~rare], likely[rare].sum())
    some = likely > 0
    assert chisquare(counts[some], likely[some]).pvalue > 0.001


@pytest.mark.parametrize("players", [2, 5])
@pytest.mark.parametrize("begun", [0, 50])
def test_playouts_end_as_stepping_does(players, begun):
    model, rng = rules.model(players=players), new_generator(players)
    start = model.reset(rng)
    playout(model, start, rng, begun)
    search = MCTSAgent(simulations=1, seed=0).search_of(model)
    assert search.random_games(start, 1, rng) == model.actions - begun
    games = 1500
    scores, lasts, turns = ([[], []] for _ in range(3))
    for _ in range(games):
        quick, stepped = model.copy(start), model.copy(start)
        playout(model, quick, rng)
        while not model.is_over(stepped):
            (player,) = model.movers(stepped)
            legal = model.legal_actions(stepped, player)
            action = int(legal[random_below(rng, len(legal))])
            model.apply(stepped, {player: action}, rng)
        for way, state in enumerate((quick, stepped)):
            scores[way].append(int(model.scores(state)[0]))
            lasts[way].append(int(model.view(state)["last"]) // 9)
            turns[way].append(model.turn(state))
    for quantity in (scores, lasts, turns):
        cuts = np.unique(np.quantile(quantity[1], np.linspace(0, 1, 7)[1:-1]))
        table = np.array(
            [np.bincount(np.digitize(q, cuts), minlength=len(cuts) + 1)
             for q in quantity]
        )  # fmt: skip
        table = table[:, table.sum(0) > 0]
        assert chi2_contingency(table, correction=False).pvalue > 0.001


def test_a_box_is_complete_as_soon_as_chance_says():
    """After n random edges each box is complete with chance C(E-4, n-4) / C(E, n)."""
    model, rng = rules.model(), new_generator(8)
    for plies in (20, 41, 70):
        chance = comb(82 - 4, plies - 4) / comb(82, plies)
        games = 3000
        boxes = 0.0
        for _ in range(games):
            state = model.reset(rng)
            playout(model, state, rng, plies)
            boxes += model.scores(state).sum()
        # Boxes hardly depend on each other; 5 standard deviations of independent ones.
        deviation = (35 * games * chance * (1 - chance)) ** 0.5
        assert abs(boxes - 35 * games * chance) < 5 * deviation + isqrt(games)


# -- recorded games


@pytest.mark.parametrize("size", ["2x2", "3x4", "5x7", "6x6"])
def test_recorded_games_end_with_the_same_boxes(size):
    path = golden_folder("openspiel") / f"dots_and_boxes_{size}.jsonl.gz"
    header, games = recorded_games(path)
    model = rules.model(**GAME.recorded_variant(header))
    assert len(games) > 100
    for game in games:
        state = position(model, " ".join(game["moves"]))
        assert model.is_over(state)
        assert model.scores(state).tolist() == game["boxes"]
        assert model.returns(state) == game["returns"]


# -- single positions


def position(model, names):
    rng = new_generator(0)
    state = model.reset(rng)
    for name in names.split():
        action = GAME.parse_action(model, name)
        model.apply(state, {model.movers(state)[0]: action}, rng)
    return state


def test_one_edge_may_complete_two_boxes():
    model = rules.model(width=2, height=1)
    state = position(model, "h0,0 h1,0 v0,0 h0,1 h1,1 v0,2")
    assert model.movers(state) == (0,)
    assert model.scores(state).tolist() == [0, 0]
    assert model.action_values(state, 0).tolist() == [1.0]
    state = position(model, "h0,0 h1,0 v0,0 h0,1 h1,1 v0,2 v0,1")
    assert model.scores(state).tolist() == [2, 0]
    assert model.results(state).tolist() == [WON, LOST]
    assert model.is_over(state)


def test_ties_are_shared_or_go_to_the_lowest_seat():
    # B completes the left box and moves again, then C the right one.
    for tag_ties, results in (
        (False, [LOST, DRAWN, DRAWN]),
        (True, [LOST, WON, LOST]),
    ):
        model = rules.model(width=2, height=1, players=3, tag_ties=tag_ties)
        state = position(model, "h0,0 v0,0 h1,0 h0,1 v0,1 h1,1 v0,2")
        assert model.scores(state).tolist() == [0, 1, 1]
        assert model.results(state).tolist() == results


def test_keys_are_equal_where_the_future_and_the_scores_are():
    model = rules.model(width=3, height=2)
    some = position(model, "h0,0 v0,0 h2,2 v1,3")
    assert model.state_key(some) == model.state_key(
        position(model, "v1,3 h2,2 v0,0 h0,0")
    )
    assert model.state_key(some, 0) == model.state_key(some, 1)
    # Both own one box each, though not the same ones.
    left = "h0,0 h1,0 v0,0 v0,1"
    right = "h0,2 h1,2 v0,2 v0,3"
    first = position(model, f"{left} {right}")
    second = position(model, f"{right} {left}")
    assert model.scores(first).tolist() == model.scores(second).tolist()
    assert model.state_key(first) == model.state_key(second)


def test_keys_differ_where_edges_scores_or_mover_do():
    for options in ({}, {"width": 10, "height": 10, "players": 6}):
        model, rng = rules.model(**options), new_generator(4)
        keys = {}
        for _ in range(150):
            state = model.reset(rng)
            while not model.is_over(state):
                known = (
                    model.view(state)["drawn"].tobytes(),
                    tuple(model.scores(state)),
                    model.movers(state),
                )
                assert keys.setdefault(model.state_key(state), known) == known
                playout(model, state, rng, 1)
        assert len(keys) > 5000


def test_keys_depend_on_every_edge_score_and_the_mover():
    model, rng = rules.model(width=10, height=10, players=6), new_generator(0)
    keys = set()
    for action in range(model.actions):
        state = model.reset(rng)
        model.apply(state, {0: action}, rng)
        keys.add(model.state_key(state))
    for field, values in (("mover", range(1, 6)), ("scores", range(6))):
        for value in values:
            state = model.reset(rng)
            if field == "mover":
                model.view(state)["mover"] = value
            else:
                model.view(state)["scores"][value] = 1
            keys.add(model.state_key(state))
    assert len(keys) == model.actions + 5 + 6
    # Bits of keys are set half of the time.
    words = np.array(list(keys), np.int64).view(np.uint64)
    shares = [(words >> np.uint64(bit) & np.uint64(1)).mean() for bit in range(64)]
    assert 0.35 < min(shares) and max(shares) < 0.65


# -- names and options


def test_edges_are_written_and_read():
    for options in ({}, {"width": 10, "height": 10}, {"width": 1, "height": 3}):
        model = rules.model(**options)
        twin = Twin(model.variant["width"], model.variant["height"], 2)
        names = [GAME.format_action(model, a) for a in range(model.actions)]
        assert names == twin.actions()
        assert len({edge_of(name) for name in names}) == model.actions
        assert [GAME.parse_action(model, n) for n in names] == list(range(len(names)))
    assert GAME.parse_action(rules.model(), " H2,3 ") == 17


@pytest.mark.parametrize(
    "text", ["", "h", "h0", "x0,0", "h6,0", "h0,7", "v5,0", "v0,8", "0,0", "h-1,0"]
)
def test_texts_that_are_no_edges(text):
    with pytest.raises(ValueError, match=r"expected an edge h0,0 to h5,6 or v0,0 to"):
        GAME.parse_action(rules.model(), text)


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("dots_and_boxes:players=1", "players=1: dots_and_boxes is for 2 to 6 players"),
        ("dots_and_boxes:players=7", "players=7"),
        ("dots_and_boxes:width=0", "width=0: dots_and_boxes has boards of 1 to 10"),
        ("dots_and_boxes:height=11", "height=11"),
        ("dots_and_boxes:width=true", "width=True"),
        ("dots_and_boxes:height=big", "height='big'"),
        ("dots_and_boxes:tag_ties=2", "tag_ties=2: expected true or false"),
    ],
)
def test_variants_that_do_not_exist_are_named(spec, words):
    with pytest.raises(ValueError, match=words):
        make_model(spec)


def test_records_of_other_games_are_refused():
    with pytest.raises(ValueError, match="'hex_7x7', not of dots_and_boxes"):
        GAME.recorded_variant({"game": "hex_7x7", "openspiel": "hex(board_size=7)"})


def test_the_text_shows_edges_owners_scores_and_the_mover():
    model = rules.model(width=2, height=1)
    state = position(model, "h0,0 v0,0 h1,0 v0,2 v0,1")
    assert GAME.ansi(model, state, 0) == (
        "   0   1   2\n"
        " 0 +---+   +\n"
        "   | A |   |\n"
        " 1 +---+   +\n"
        "A 1, B 0\n"
        "v0,1 drawn, Red (A) to move"
    )
    tied = position(rules.model(width=2, height=1), "h0,0 v0,0 h1,0 v0,2 h0,1 h1,1")
    assert "to move" in GAME.ansi(model, tied, None)
    three = rules.model(width=2, height=1, players=3)
    tied = position(three, "h0,0 v0,0 h1,0 h0,1 v0,1 h1,1 v0,2")
    assert GAME.ansi(three, tied, None).endswith("A draw of B and C")
