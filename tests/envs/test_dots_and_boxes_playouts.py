"""Playouts of Dots and Boxes as often as chance says, and the keys of positions."""

from functools import cache
from math import comb, isqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2_contingency, chisquare

from mcts_agents.agents import MCTSAgent
from mcts_agents.envs.dots_and_boxes import GAME, rules
from mcts_agents.model import new_generator, random_below
from tests.envs.dots_and_boxes_positions import check, playout, position
from tests.envs.dots_and_boxes_twin import Twin

SIDES = st.integers(1, 10)


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


# -- keys


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
